"""What a check of an ASIF document found, from the JSON object of its report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from sessionrecord.diagnostics import Diagnostic
from sessionrecord.display.html.build import Child, el
from sessionrecord.display.html.findings import findings, tally
from sessionrecord.display.html.parts import facts, more, phrase, table, tag
from sessionrecord.display.html.room import Room

__all__ = ["evidence"]

_STREAMS: Final = {"status": "status", "contiguous_bytes": "known bytes", "ok": "ok"}
_CALLS: Final = {
    "tool_id": "tool",
    "event_id": "event",
    "arguments_status": "arguments",
    "open": "open",
    "outcome": "outcome",
    "executable": "executable",
}


def evidence(report: dict[str, Any], diagnostics: Sequence[Diagnostic], room: Room) -> list[Child]:
    """The verdict, the findings, and what may be relied on: streams and calls."""
    unsupported = report["unsupported_features"]
    return [
        el("h1", "Check of an ASIF document"),
        el("div", tag("ok", "good") if report["ok"] else tag("not ok", "error"), " ", tally(diagnostics)),
        facts(
            [
                ("streams", f"{len(report['streams']):,}"),
                ("calls", f"{len(report['calls']):,}"),
                ("not supported here", phrase(", ".join(unsupported), room) if unsupported else None),
            ]
        ),
        findings(diagnostics, room) if diagnostics else None,
        _rows("stream", report["streams"], _STREAMS, room),
        _rows("call", report["calls"], _CALLS, room),
    ]


def _rows(noun: str, found: dict[str, dict[str, Any]], columns: dict[str, str], room: Room) -> Child:
    if not found:
        return None
    shown = list(found.items())[: room.limits.rows]
    rows = [[phrase(name, room), *(_cell(item[column], room) for column in columns)] for name, item in shown]
    left = len(found) - len(rows)
    if left:
        room.omit("rows", left, "there are many")
    return [table([noun, *columns.values()], rows), more(room, left, noun) if left else None]


def _cell(value: Any, room: Room) -> Child:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    return "" if value is None else phrase(value, room)
