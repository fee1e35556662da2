"""Context views."""

from __future__ import annotations

from collections import Counter
from typing import Final

from sessionrecord.display.html.build import Child, el
from sessionrecord.display.html.findings import findings
from sessionrecord.display.html.parts import fold, in_order, more, number, phrase, table, tag
from sessionrecord.display.html.records import entry
from sessionrecord.display.html.room import Room
from sessionrecord.session import ContextView
from sessionrecord.session.context import EVIDENCE, AbsentReason, Flag

__all__ = ["REASONS", "context"]

REASONS: Final[dict[AbsentReason, str]] = {
    "rewound": "taken back by a rewind",
    "compacted": "replaced by a compaction",
    "other-branch": "on another branch",
    "not-applied": "a compaction that is not completed",
}
"""Why an entity is not in the context, in words."""


def context(view: ContextView, room: Room) -> list[Child]:
    """The items in their order with what should be known of them, and what is not there."""
    when = "at the end" if view.at is None else f"at seq {view.at:,}"
    return [
        el("h1", f"Context {when}: {number(len(view), 'item')}"),
        el("div", ["from the head ", phrase(view.head.ref, room)] if view.head is not None else "no head", cls="dim"),
        _items(view, room),
        _absent(view, room),
        [el("h2", "Findings"), findings(view.diagnostics, room)] if view.diagnostics else None,
        el("div", EVIDENCE, cls="dim"),
    ]


def _items(view: ContextView, room: Room) -> Child:
    flags: dict[str, list[Flag]] = {}
    for flag in view.flags:
        flags.setdefault(flag.ref, []).append(flag)

    def show(i: int) -> Child:
        item = view.items[i]
        with room.at(f"{room.place}.record"):
            told = _flags(flags.get(item.entity.ref, []), room)
            return entry(item.record, room, [el("span", f" item {i + 1:,}", cls="dim"), told])

    return in_order(len(view), "item", room, "view.items", show)


def _flags(flags: list[Flag], room: Room) -> list[Child]:
    shown = flags[: room.limits.rows]
    left = len(flags) - len(shown)
    found: list[Child] = [[" ", tag(f.code, "warning"), " ", phrase(f.message, room)] for f in shown]
    if left:
        with room.at("view.flags"):
            room.omit("rows", left, "there are many flags")
            found.append(more(room, left, "flag"))
    return found


def _absent(view: ContextView, room: Room) -> Child:
    if not view.absent:
        return None
    counts: Counter[tuple[AbsentReason, str | None]] = Counter((a.reason, a.by) for a in view.absent)
    rows = [
        [REASONS[reason], "" if by is None else phrase(by, room), f"{n:,}"]
        for (reason, by), n in list(counts.items())[: room.limits.rows]
    ]
    gone = [
        [phrase(a.entity.ref, room), a.entity.type or "", f"{a.entity.seq:,}", REASONS[a.reason]]
        for a in view.absent[: room.limits.rows]
    ]
    left = len(view.absent) - len(gone)
    tail = None
    if left:
        with room.at("view.absent"):
            room.omit("rows", left, "there are many")
            tail = more(room, left, "entity")
    return [
        el("h2", "Not in the context"),
        table(["why", "by", "entities"], rows, right=1),
        fold("which", table(["ref", "type", "seq", "why"], gone), tail),
    ]
