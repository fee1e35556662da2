"""Which request a message answers, and who sent a message where the log does not say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sessionrecord.convert.acp.protocol import (
    AGENT_METHODS,
    AGENT_TO_CLIENT,
    CLIENT_METHODS,
    CLIENT_TO_AGENT,
    RESULT_MEMBERS,
    Direction,
)
from sessionrecord.convert.acp.source import Frame
from sessionrecord.convert.native import members, same

__all__ = ["OTHER_WAY", "Pairing", "Request"]

OTHER_WAY: Final[dict[Direction, Direction]] = {CLIENT_TO_AGENT: AGENT_TO_CLIENT, AGENT_TO_CLIENT: CLIENT_TO_AGENT}


@dataclass(slots=True, eq=False)
class Request:
    """A request that was sent."""

    frame: Frame
    """The message."""
    method: str
    """What it asks for."""


class Pairing:
    """The requests that wait for an answer, each side's by their IDs."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[Direction | None, bytes], Request] = {}
        self._answered: dict[tuple[Direction | None, bytes], int] = {}

    def direction_of(self, frame: Frame) -> Direction | None:
        """Who sent a message, where its method or the request that it answers leaves no doubt."""
        method = frame.method
        if method is not None:
            if method in AGENT_METHODS:
                return CLIENT_TO_AGENT
            return AGENT_TO_CLIENT if method in CLIENT_METHODS else None
        asked: list[Direction] = [d for d in OTHER_WAY if (d, frame.key) in self._waiting]
        if len(asked) == 2:
            names = members(frame.value.get("result")).keys()
            told: list[Direction] = [
                d for d in asked if names & RESULT_MEMBERS.get(self._waiting[d, frame.key].method, frozenset())
            ]
            asked = told if len(told) == 1 else []
        return OTHER_WAY[asked[0]] if asked else None

    def repeats(self, frame: Frame) -> Frame | None:
        """The request that waits for its answer already, if a request is just the same."""
        known = self._waiting.get((frame.direction, frame.key))
        return known.frame if known is not None and same(known.frame.value, frame.value) else None

    def ask(self, frame: Frame) -> Frame | None:
        """Note a request, unless it repeats one: then that."""
        repeated = self.repeats(frame)
        if repeated is None:
            key = (frame.direction, frame.key)
            self._waiting[key] = Request(frame, frame.method or "")
            self._answered.pop(key, None)
        return repeated

    def answer(self, frame: Frame) -> Request | None:
        """The request that a response answers; it waits no longer."""
        direction = None if frame.direction is None else OTHER_WAY[frame.direction]
        found = self._waiting.pop((direction, frame.key), None)
        if found is not None:
            self._answered[direction, frame.key] = frame.number
        return found

    def answered_before(self, frame: Frame) -> int | None:
        """The line of the answer that the request of a response had already."""
        direction = None if frame.direction is None else OTHER_WAY[frame.direction]
        return self._answered.get((direction, frame.key))

    def waiting(self) -> list[Request]:
        """The requests that no answer came to."""
        return list(self._waiting.values())
