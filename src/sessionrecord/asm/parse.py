"""How a line becomes an event, or an invalid event with what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import orjson

from sessionrecord.asm.event import LINE, RunEvent, examine_event
from sessionrecord.diagnostics import Diagnostic

__all__ = ["InvalidEvent", "parse_event", "read_event"]


@dataclass(frozen=True, slots=True)
class InvalidEvent:
    """A line that is not a valid event. It keeps its place among the events and is written back as it was."""

    raw: bytes
    """The line without its newline, byte for byte."""
    kind: str | None
    """The `kind`, where one could be read."""
    id: str | None
    """The `id`, where one could be read."""
    value: Any
    """The plain JSON value, where the line is JSON; else None."""
    diagnostics: tuple[Diagnostic, ...]
    """What is wrong with it."""

    def to_line(self) -> bytes:
        """The line as it was, without the newline."""
        return self.raw


def parse_event(line: bytes) -> RunEvent:
    """The event on a line, with or without its newline.

    Raises `InvalidRecordError` with everything that is wrong. Warnings are not raised: `read_event` returns them.
    """
    return RunEvent.parse(line)


def read_event(line: bytes) -> tuple[RunEvent | InvalidEvent, list[Diagnostic]]:
    """The event on a line, with or without its newline, and everything found in it.

    Never raises for bad input: a line that is no valid event gives an `InvalidEvent` that keeps it.
    """
    return examine_line(bytes(line).removesuffix(b"\n").removesuffix(b"\r"))


def examine_line(line: bytes) -> tuple[RunEvent | InvalidEvent, list[Diagnostic]]:
    """As `read_event`, for a bare line."""
    event, value, found = examine_event(line)
    members = value if isinstance(value, dict) else {}
    event_id, kind = members.get("id"), members.get("kind")
    name = event_id if isinstance(event_id, str) and event_id else None
    found = [replace(d, record_id=name) for d in found]
    if event is not None:
        return event, found
    return InvalidEvent(line, kind if isinstance(kind, str) else None, name, value, tuple(found)), found


def read_plain(lines: Iterable[bytes]) -> Iterator[RunEvent | None]:
    """For each bare line its event, or None where `examine_line` has to find out what to say.

    The lines must hold no noncharacters. What is written here is paid for every event that is read.
    """
    loads, dumps, strict = orjson.loads, orjson.dumps, orjson.OPT_STRICT_INTEGER
    RunEvent.model_rebuild()
    validate, key = RunEvent.__pydantic_validator__.validate_python, LINE
    for line in lines:
        try:
            value = loads(line)
            # the proof of `ijson.prove`, without the cost of a call
            canonical = dumps(value, None, strict)
            if canonical != line and canonical.translate(None, b" ") != line.translate(None, b" "):
                yield None
                continue
            event = validate(value, by_alias=True, by_name=False)
        except (ValueError, TypeError):
            yield None
            continue
        event.__dict__[key] = line
        yield event
