"""Revision chains: each revision, and what differs from the one before."""

from __future__ import annotations

from typing import Any, Final

from sessionrecord.display.html.blocks import change
from sessionrecord.display.html.build import Child, el
from sessionrecord.display.html.parts import fold, in_order, more, number, phrase, table, tag
from sessionrecord.display.html.records import card
from sessionrecord.display.html.room import Room
from sessionrecord.display.summary import json_text
from sessionrecord.records import InvalidRecord, Record
from sessionrecord.session import RevisionChain
from sessionrecord.session.said import wire

__all__ = ["chain", "differences"]

_OWN: Final = frozenset({"type", "seq", "id"})
"""Members that say which revision it is."""


def chain(revisions: RevisionChain, room: Room) -> list[Child]:
    """The revisions in order; the latest is open."""

    def show(i: int) -> Child:
        return _revision(revisions[i], revisions[i - 1] if i else None, i, len(revisions), room)

    shown = in_order(len(revisions), "revision", room, "chain", show)
    return [el("h1", f"{number(len(revisions), 'revision')}", _of(revisions, room)), shown]


def _of(revisions: RevisionChain, room: Room) -> Child:
    return [" of ", phrase(revisions.latest.type or "a line", room)] if len(revisions) else None


def _revision(
    record: Record | InvalidRecord, before: Record | InvalidRecord | None, i: int, size: int, room: Room
) -> Child:
    latest = tag("latest", "good") if i == size - 1 else None
    told = None if before is None else differences(before, record, room)
    return el(
        "section",
        el("h2", f"Revision {i + 1:,} ", latest),
        told,
        card(record, room) if i == size - 1 else fold("the record", card(record, room)),
        cls="entry",
    )


def differences(before: Record | InvalidRecord, after: Record | InvalidRecord, room: Room) -> Child:
    """The members that differ between two records, with both values."""
    old, new = _members(before), _members(after)
    names = [name for name in {**old, **new} if _differs(name, old, new)]
    if not names:
        return el("div", "no member differs from the revision before", cls="dim")
    rows: list[list[Child]] = []
    for name in names[: room.limits.rows]:
        what = "changed" if name in old and name in new else "new" if name in new else "gone"
        rows.append([phrase(name, room), what, change(_text(name, old), _text(name, new), room)])
    left = len(names) - len(rows)
    if left:
        room.omit("rows", left, "many members differ")
    return [
        table(["member", "difference", "from − to +"], rows, caption="Differs from the revision before"),
        more(room, left, "member") if left else None,
    ]


def _members(record: Record | InvalidRecord) -> dict[str, Any]:
    plain = wire(record)
    return {k: v for k, v in plain.items() if k not in _OWN} if isinstance(plain, dict) else {"(the line)": plain}


def _differs(name: str, old: dict[str, Any], new: dict[str, Any]) -> bool:
    return (name in old) != (name in new) or json_text(old[name]) != json_text(new[name])


def _text(name: str, members: dict[str, Any]) -> str | None:
    if name not in members:
        return None
    found = members[name]
    return found if isinstance(found, str) else json_text(found, indent=True)
