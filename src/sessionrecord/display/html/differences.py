"""What two sessions, or two context views of one, have otherwise than each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from sessionrecord.display.html.blocks import change
from sessionrecord.display.html.build import Child, el
from sessionrecord.display.html.context import REASONS
from sessionrecord.display.html.parts import facts, fold, more, number, passage, phrase, table, tag
from sessionrecord.display.html.records import entry
from sessionrecord.display.html.room import Room
from sessionrecord.display.summary import json_text
from sessionrecord.session import ContextDiff, ContextView, Entity, EntityPair, Lost, Replacement, SessionDiff
from sessionrecord.session.context import EVIDENCE
from sessionrecord.session.context_diff import Gained, Kept
from sessionrecord.session.differences import Change

__all__ = ["context_diff", "session_diff"]

T = TypeVar("T")

_COMES_LATER = "it comes later"
_NEW = "new"


def session_diff(diff: SessionDiff, room: Room) -> list[Child]:
    """What differs between the headers, and the entities of each kind."""

    def only(entity: Entity) -> Child:
        return entry(diff.latest(entity), room)

    return [
        el("h1", "Sessions compared: ", tag("the same", "good") if diff.same else tag("they differ", "warning")),
        facts((name, f"{n:,}") for name, n in diff.counts.items() if n),
        [el("h2", "Header"), _changes(diff.header, room)] if diff.header else None,
        _several("Removed", "diff.removed", diff.removed, only, room),
        _several("Added", "diff.added", diff.added, only, room),
        _several("Revised", "diff.revised", diff.revised, lambda pair: _pair(pair, room), room),
        _several("Renamed", "diff.renamed", diff.renamed, lambda pair: el("div", phrase(pair.name, room, 400)), room),
        _several("Moved", "diff.moved", diff.moved, lambda pair: _moved(pair, room), room),
    ]


def context_diff(diff: ContextDiff, room: Room) -> list[Child]:
    """What compactions took out and put in its place, then what was lost, gained and revised."""
    counts = {"lost": len(diff.lost), "gained": len(diff.gained), "kept": len(diff.kept), "revised": len(diff.revised)}
    return [
        el("h1", f"Context at {_point(diff.before)}, then at {_point(diff.after)}"),
        facts(
            [
                *((name, f"{n:,}") for name, n in counts.items()),
                ("came and went between", f"{len(diff.passed):,}" if diff.passed else ""),
            ]
        ),
        _several("Compactions", "diff.replaced", diff.replaced, lambda r: _replacement(r, room), room),
        _several("Lost", "diff.lost", diff.lost, lambda lost: _lost(lost, diff, room), room),
        _several("Gained", "diff.gained", diff.gained, lambda gained: _gained(gained, room), room),
        _several("Revised", "diff.revised", diff.revised, lambda kept: _revised(kept, room), room),
        _several("Came and went between", "diff.passed", diff.passed, lambda lost: _lost(lost, diff, room), room),
        [_flags(name, view, room) for name, view in (("before", diff.before), ("after", diff.after))],
        el("div", EVIDENCE, cls="dim"),
    ]


def _several(title: str, place: str, things: Sequence[T], show: Callable[[T], Child], room: Room) -> Child:
    if not things:
        return None
    shown: list[Child] = []
    for i, thing in enumerate(things[: room.limits.rows]):
        with room.at(f"{place}[{i}]"):
            shown.append(show(thing))
    left = len(things) - len(shown)
    if left:
        with room.at(f"{place}[{len(shown)}:]"):
            room.omit("rows", left, "there are many")
            shown.append(more(room, left, "entry"))
    return [el("h2", f"{title}: {len(things):,}"), shown]


def _pair(pair: EntityPair, room: Room) -> Child:
    title, *_ = pair.lines()
    return el("section", el("div", phrase(title, room, 400)), _changes(pair.changes, room), cls="entry")


def _moved(pair: EntityPair, room: Room) -> Child:
    return el("div", phrase(pair.name, room, 400), f", seq {pair.a.seq:,} → {pair.b.seq:,}")


def _changes(changes: Sequence[Change], room: Room) -> Child:
    if not changes:
        return None
    rows = [[phrase(c.pointer or "(the line)", room), c.kind, _values(c, room)] for c in changes[: room.limits.rows]]
    left = len(changes) - len(rows)
    if left:
        room.omit("rows", left, "many members differ")
    return [
        table(["member", "difference", "from − to +"], rows),
        more(room, left, "member") if left else None,
    ]


def _values(c: Change, room: Room) -> Child:
    return change(None if c.kind == "added" else _text(c.old), None if c.kind == "removed" else _text(c.new), room)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json_text(value, indent=True)


def _point(view: ContextView) -> str:
    return f"{'the end' if view.at is None else f'seq {view.at:,}'} ({number(len(view), 'item')})"


def _replacement(replacement: Replacement, room: Room) -> Child:
    gone = len(replacement.lost) + len(replacement.passed)
    return el(
        "section",
        el("div", phrase(replacement.entity.ref, room), f" took out {number(gone, 'item')}"),
        facts(
            [
                ("tokens before", _count(replacement.tokens_before)),
                ("tokens after", _count(replacement.tokens_after)),
                ("its summary", "in the context" if replacement.in_context else "no longer in the context"),
            ]
        ),
        el("div", "no summary recorded", cls="dim")
        if replacement.summary is None
        else passage(replacement.summary, room),
        cls="entry",
    )


def _count(tokens: int | None) -> str:
    return "not recorded" if tokens is None else f"{tokens:,}"


def _lost(lost: Lost, diff: ContextDiff, room: Room) -> Child:
    why = _COMES_LATER if lost.reason == "not-yet" else REASONS[lost.reason]
    is_named = lost.reason == "compacted" and len(diff.replaced) == 1  # by the one that stands above
    by: list[Child] = [] if lost.by is None or is_named else [": ", phrase(lost.by, room)]
    return entry(lost.item.record, room, el("span", f" {why}", by, cls="dim"))


def _gained(gained: Gained, room: Room) -> Child:
    before = _NEW if gained.reason == "new" else f"before: {REASONS[gained.reason]}"
    return entry(gained.item.record, room, el("span", f" {before}", cls="dim"))


def _revised(kept: Kept, room: Room) -> Child:
    return [entry(kept.after.record, room), fold("what differs", _changes(kept.changes, room), is_open=True)]


def _flags(name: str, view: ContextView, room: Room) -> Child:
    if not view.flags:
        return None
    rows = [[phrase(f.ref, room), f.code, phrase(f.message, room, 400)] for f in view.flags[: room.limits.rows]]
    left = len(view.flags) - len(rows)
    if left:
        room.omit("rows", left, "there are many")
    return [
        table(["ref", "what to know", "in words"], rows, caption=f"Of the context {name}"),
        more(room, left, "row") if left else None,
    ]
