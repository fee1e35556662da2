"""From the lines of a log to JSON-RPC messages, whatever the lines are.

A line is `{"direction": …, "timestamp": …, "message": …}`, or a bare JSON-RPC message, or a batch of them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from sessionrecord import ijson
from sessionrecord.convert.accounting import Held, anything, left, only
from sessionrecord.convert.acp.protocol import AGENT_TO_CLIENT, CLIENT_TO_AGENT, Direction
from sessionrecord.convert.native import MENDABLE, Unit, kept_text, members, text, timestamp, units
from sessionrecord.diagnostics import excerpt
from sessionrecord.errors import IJsonError

__all__ = ["NO_METHOD", "RESPONSE", "Frame", "frames", "is_wrapped", "label_of", "log_line", "others"]

NO_METHOD: Final = "(no method)"
RESPONSE: Final = "response"
_RPC: Final = frozenset({"jsonrpc", "id", "method", "params", "result", "error"})


def _is_id(value: Any) -> bool:
    return not isinstance(value, bool | dict | list)


_CALLED: Final[dict[str, Held]] = {"jsonrpc": only("2.0"), "id": _is_id, "method": anything, "params": anything}
_ANSWER: Final[dict[str, Held]] = {"jsonrpc": only("2.0"), "id": _is_id, "result": anything, "error": anything}
_WRAPPER: Final[dict[str, Held]] = {
    "message": anything,
    "direction": only(CLIENT_TO_AGENT, AGENT_TO_CLIENT),
    "timestamp": timestamp,
}


@dataclass(slots=True, eq=False)
class Frame(Unit):
    """One JSON-RPC message of a log; `value` is the message, `kept` what the log has of it."""

    direction: Direction | None = None
    """Who sent it, where that is known."""
    at: str | None = None
    """When it passed, where the log says so."""
    beside: list[str] = field(default_factory=list)
    """Members that no record holds, for whose sake it is kept whole."""

    @property
    def method(self) -> str | None:
        """The method of a request or notification."""
        return text(self.value.get("method"))

    @property
    def params(self) -> dict[str, Any]:
        """Its parameters."""
        return members(self.value.get("params"))

    @property
    def has_id(self) -> bool:
        """Whether it is a request, or the response to one."""
        return "id" in self.value

    @property
    def key(self) -> bytes:
        """The request's ID, by which the response is paired: `1` and `"1"` are two."""
        return ijson.dumps(self.value.get("id"))

    @property
    def native_id(self) -> str | None:
        """The request's ID as text."""
        given = self.value.get("id")
        if isinstance(given, str):
            return given or None
        return None if given is None or isinstance(given, bool | dict | list) else self.key.decode()


def log_line(message: Any, direction: Direction, at: str | None = None) -> bytes:
    """The line of a log for a message, without the newline. `message` is the JSON value, or the text as it was received.

    A text that is no JSON is kept as a string. Raises `IJsonError` for a value that JSON cannot hold, and `ValueError` for another
    direction or a time that is not one in UTC with `Z`.
    """
    if direction not in (CLIENT_TO_AGENT, AGENT_TO_CLIENT):
        raise ValueError(f"direction is {CLIENT_TO_AGENT} or {AGENT_TO_CLIENT}, not {excerpt(direction)}")
    if at is not None and timestamp(at) is None:
        raise ValueError(f"at is a time in UTC such as 2026-03-02T09:00:00Z, not {excerpt(at)}")
    head: dict[str, Any] = {"direction": direction} | ({} if at is None else {"timestamp": at})
    raw = message if isinstance(message, bytes) else None
    if isinstance(message, str):
        raw = message.encode("utf-8", "surrogatepass")
    elif raw is None:
        try:
            return ijson.dumps({**head, "message": message})
        except IJsonError:
            raw = _escaped(message)
            if raw is None:
                raise
    if all(f.code in MENDABLE for f in ijson.examine(raw)[1] if f.is_error):
        return ijson.dumps(head)[:-1] + b',"message":' + raw.replace(b"\n", b" ").replace(b"\r", b" ").strip() + b"}"
    return ijson.dumps({**head, "message": kept_text(raw)})


def _escaped(value: Any) -> bytes | None:
    """The JSON of a value with what I-JSON refuses in it; None where there is none."""
    try:
        return json.dumps(value).encode()
    except (TypeError, ValueError, RecursionError):
        return None


def is_wrapped(value: dict[str, Any]) -> bool:
    """Whether a line tells of a message, and is none itself."""
    return "message" in value and _RPC.isdisjoint(value)


def frames(data: bytes) -> list[Frame]:
    """The messages of a log in its order. Never raises."""
    return [
        frame
        for unit in units(data, Unit, label_of)
        for frame in _frames(unit)
    ]  # fmt: skip


def _frames(unit: Unit) -> Iterator[Frame]:
    wrapper: dict[str, Any] | None = None
    message: Any = unit.value
    if unit.fault is not None:
        message = unit.kept if isinstance(unit.kept, list) else None
    elif is_wrapped(unit.value):
        wrapper, message = unit.value, unit.value["message"]
    if isinstance(message, list) and message:
        for item in message:
            kept = item if wrapper is None else {**wrapper, "message": item}
            yield _frame(unit, wrapper, item, kept, "a member of a batch that is no object")
        return
    fault = unit.fault or "no JSON-RPC message"
    yield _frame(unit, wrapper, None if isinstance(message, list) else message, unit.kept, fault)


def _frame(unit: Unit, wrapper: dict[str, Any] | None, message: Any, kept: Any, fault: str) -> Frame:
    frame = Frame(unit.index, unit.number, members(message), kept, unit.label, None, unit.salvaged)
    if not isinstance(message, dict) or (unit.fault is not None and not isinstance(unit.kept, list)):
        frame.fault = fault
        return frame
    frame.label = label_of(message)
    frame.beside = others(message, _ANSWER if frame.label == RESPONSE else _CALLED)
    if "error" in message and message.get("result") is not None and frame.label == RESPONSE:
        frame.beside.append("result")
    if wrapper is not None:
        given = wrapper.get("direction")
        if given in (CLIENT_TO_AGENT, AGENT_TO_CLIENT):
            frame.direction = given
        frame.at = timestamp(wrapper.get("timestamp"))
        frame.beside += others(wrapper, _WRAPPER)
    return frame


def others(value: dict[str, Any], held: Mapping[str, Held], place: str = "") -> list[str]:
    """The members that no record holds, each with `place` before it. The protocol reads null as absent."""
    return left(place, value, held)


def label_of(value: dict[str, Any]) -> str:
    """What the report counts a message as: the method, of an update with its kind."""
    message = members(value.get("message")) if is_wrapped(value) else value
    method = message.get("method")
    if not isinstance(method, str):
        return RESPONSE if "result" in message or "error" in message else NO_METHOD
    kind = members(members(message.get("params")).get("update")).get("sessionUpdate")
    return f"{method}/{kind}" if method == "session/update" and isinstance(kind, str) else method
