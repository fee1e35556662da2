"""How a line becomes an event, or an invalid event with what is wrong with it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from sessionrecord.asm.event import RunEvent, examine_event
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
