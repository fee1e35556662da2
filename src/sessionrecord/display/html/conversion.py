"""What became of the lines of a native log, from the JSON object of its report."""

from __future__ import annotations

from typing import Any, Final

from sessionrecord.display.html.build import Child, el
from sessionrecord.display.html.parts import facts, fold, more, number, phrase, table
from sessionrecord.display.html.room import Room

__all__ = ["conversion"]

_TALLIES: Final = {
    "converted": "Converted",
    "kept": "Kept as native_line",
    "unknown": "Unknown, kept as native_line",
    "records": "Records",
}
_LISTS: Final = {
    "notConverted": ("Not converted", ["line", "label", "reason"]),
    "keptReasons": ("Kept for a reason", ["line", "label", "reason"]),
    "madeUp": ("Made up", ["line", "what", "value", "why"]),
    "lost": ("Lost", ["kind", "field", "count", "explanation"]),
    "notes": ("Notes", ["line", "code", "message"]),
}


def conversion(report: dict[str, Any], room: Room) -> list[Child]:
    """The report, and those of child sessions folded."""
    lost = sum(loss["count"] for loss in report["lost"])
    children = list(report["children"].items())
    shown = children[: room.limits.rows]
    if len(children) > len(shown):
        room.omit("rows", len(children) - len(shown), "there are many child sessions")
    return [
        el("h1", "Conversion of ", phrase(report["source"] or "a log", room)),
        facts(
            [
                ("lines read", f"{report['linesRead']:,}"),
                ("objects in them", f"{report['unitsRead']:,}" if report["unitsRead"] != report["linesRead"] else ""),
                ("not converted", f"{len(report['notConverted']):,}"),
                ("lost", number(lost, "value") if lost else "nothing"),
                ("model calls", f"{report['modelCalls']:,}"),
                ("of them without a stop reason", f"{report['callsWithoutStopReason']:,}"),
                ("lines with an inherited turn", f"{report['turnsInherited']:,}" if report["turnsInherited"] else ""),
            ]
        ),
        [_tally(title, report[name], room) for name, title in _TALLIES.items() if report[name]],
        [_list(title, head, report[name], room) for name, (title, head) in _LISTS.items() if report[name]],
        _tally("Tokens of child sessions, not counted in this one", report["childUsage"], room)
        if report["childUsage"]
        else None,
        [fold(["child session ", phrase(name, room)], conversion(child, room)) for name, child in shown],
        more(room, len(children) - len(shown), "child session") if len(children) > len(shown) else None,
    ]


def _tally(title: str, counts: dict[str, int], room: Room) -> Child:
    most = sorted(counts.items(), key=lambda item: -item[1])
    rows = [[phrase(name, room), f"{n:,}"] for name, n in most[: room.limits.rows]]
    return [table(["type", "count"], rows, caption=title, right=1), _left(most, room)]


def _list(title: str, head: list[str], entries: list[dict[str, Any]], room: Room) -> Child:
    rows = [[_cell(name, entry[name], room) for name in head] for entry in entries[: room.limits.rows]]
    return fold(f"{title}: {len(entries):,}", table(head, rows), _left(entries, room), is_open=len(entries) <= 10)


def _cell(name: str, found: Any, room: Room) -> Child:
    if isinstance(found, int):
        return f"{found:,}" if found or name != "line" else ""  # line 0 is the log as a whole
    return "" if found is None else phrase(str(found), room, 400)


def _left(entries: list[Any], room: Room) -> Child:
    left = len(entries) - room.limits.rows
    if left <= 0:
        return None
    room.omit("rows", left, "there are many")
    return more(room, left, "row")
