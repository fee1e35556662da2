"""Two context views of one session compared: what the model gained and lost between two points."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal, TypeAlias

from sessionrecord.records import Compaction, InvalidRecord, Record
from sessionrecord.session.context import EVIDENCE, AbsentReason, ContextItem, ContextView, Flag
from sessionrecord.session.core import Core
from sessionrecord.session.differences import Change, changes, same
from sessionrecord.session.entity import Entity
from sessionrecord.session.said import SHOWN, changed, plain, said, wire

__all__ = ["ContextDiff", "Gained", "GainedReason", "Kept", "Lost", "LostReason", "Replacement", "context_diff"]

LostReason: TypeAlias = AbsentReason | Literal["not-yet"]
"""Why an item is not in the second view; `not-yet`: the second point comes before it."""
GainedReason: TypeAlias = AbsentReason | Literal["new"]
"""Why an item was not in the first view; `new`: it came after the first point."""


@dataclass(frozen=True, slots=True)
class Lost:
    """An item that the context no longer holds."""

    item: ContextItem
    """What it was, as of the first view; of what came and went, as of the second point."""
    reason: LostReason
    """Why it is not there."""
    by: str | None
    """The ref of the compaction, or the ID of the rewind, that took it out."""


@dataclass(frozen=True, slots=True)
class Gained:
    """An item that the context did not hold before."""

    item: ContextItem
    """What it is, as of the second view."""
    reason: GainedReason
    """Why it was not there: it is new, or something had taken it out and that was undone."""


@dataclass(frozen=True)
class Kept:
    """An item that both views hold."""

    before: ContextItem
    """As of the first view."""
    after: ContextItem
    """As of the second view."""
    is_revised: bool
    """Whether it is another revision."""

    @cached_property
    def changes(self) -> tuple[Change, ...]:
        """What differs between the two revisions, `seq` and record ID aside."""
        return changes(self.before.line, self.after.line, lambda _, old, new: same(old, new))


@dataclass(frozen=True, slots=True)
class Replacement:
    """A compaction that took items out between the two points."""

    entity: Entity
    """The compaction."""
    record: Record | InvalidRecord
    """Its latest revision at the second point."""
    in_context: bool
    """Whether its summary is in the second view; a later compaction may have taken it out too."""
    lost: tuple[Lost, ...]
    """What it took out of the first view, in its order."""
    passed: tuple[Lost, ...]
    """What it took out that came only after the first point."""

    @property
    def summary(self) -> str | None:
        """The text that stands for what was taken out; None where none was recorded."""
        record = self.record
        return record.text if isinstance(record, Compaction) and record.summary is not None else None

    @property
    def tokens_before(self) -> int | None:
        """Tokens of the context before it; None where not recorded."""
        return self.record.tokens_before if isinstance(self.record, Compaction) else None

    @property
    def tokens_after(self) -> int | None:
        """Tokens of the context after it; None where not recorded."""
        return self.record.tokens_after if isinstance(self.record, Compaction) else None


@dataclass(frozen=True)
class ContextDiff:
    """What the model's context gained and lost between two points. Evidence, as the views are."""

    before: ContextView
    """The view at the first point, with its flags and findings."""
    after: ContextView
    """The view at the second point."""
    lost: tuple[Lost, ...]
    """What only the first view holds, in its order."""
    gained: tuple[Gained, ...]
    """What only the second view holds, in its order."""
    kept: tuple[Kept, ...]
    """What both hold, in the order that it has in both."""
    passed: tuple[Lost, ...]
    """What came after the first point and is gone again at the second, in file order."""
    replaced: tuple[Replacement, ...]
    """The compactions that took something out, in file order: what each threw away, and what it put in its place."""

    @property
    def revised(self) -> tuple[Kept, ...]:
        """What was revised while in the context."""
        return tuple(k for k in self.kept if k.is_revised)

    @property
    def same(self) -> bool:
        """Whether the second view holds the same items in the same revisions."""
        return not (self.lost or self.gained or self.revised)

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values; `sessionrecord.ijson.dumps` writes each number as it was read."""
        return {
            "same": self.same,
            "before": _view(self.before),
            "after": _view(self.after),
            "lost": [_lost(x) for x in self.lost],
            "gained": [{**_item(x.item), "reason": x.reason} for x in self.gained],
            "kept": [
                {**_item(x.after), "revised": x.is_revised, "changes": [c.to_dict() for c in x.changes]}
                for x in self.kept
            ],
            "passed": [_lost(x) for x in self.passed],
            "replaced": [
                {
                    "ref": r.entity.ref,
                    "inContext": r.in_context,
                    "summary": r.summary,
                    "tokensBefore": r.tokens_before,
                    "tokensAfter": r.tokens_after,
                    "lost": [x.item.entity.ref for x in r.lost],
                    "passed": [x.item.entity.ref for x in r.passed],
                }
                for r in self.replaced
            ],
            "note": EVIDENCE,
        }

    def lines(self, most: int | None = SHOWN) -> Iterator[str]:
        """The same as text: `-` lost, `+` gained, `~` revised; of each at most so many, None: all."""
        yield f"Context at {_point(self.before)}, then at {_point(self.after)}"
        for replacement in self.replaced:
            yield from _replacement(replacement)
        yield from _part("-", [f"{_in_a_line(x.item)} ({self._why(x)})" for x in self.lost], most, "lost")
        yield from _part("+", [_in_a_line(x.item) + _before(x) for x in self.gained], most, "gained")
        for kept in self.revised[:most]:
            yield f"~ {_in_a_line(kept.after)}"
            yield from (f"    {line}" for line in changed(kept.changes))
        more = len(self.revised) - len(self.revised[:most])
        if more:
            yield f"~ … and {more:,} more revised"
        if self.passed:
            yield f"{len(self.passed):,} more came after the first point and are gone again"
        for name, view in (("before", self.before), ("after", self.after)):
            for flag in view.flags[:most]:
                yield f"! {name}: {flag.code} {plain(flag.ref)}: {flag.message}"
        revised = f", {len(self.revised):,} of them revised" if self.revised else ""
        yield f"{len(self.lost):,} lost, {len(self.gained):,} gained, {len(self.kept):,} kept{revised}"
        yield EVIDENCE

    def _why(self, lost: Lost) -> str:
        if lost.reason == "compacted" and len(self.replaced) == 1:
            return "compacted"  # by the one that is named above
        return _WORDS.get(lost.reason) or f"{lost.reason} by {plain(lost.by or '')}"

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def __repr__(self) -> str:
        counts = f"{len(self.lost)} lost, {len(self.gained)} gained, {len(self.kept)} kept"
        return f"<ContextDiff at {_point(self.before)}, then at {_point(self.after)}: {counts}>"

    def _repr_html_(self) -> str:
        from sessionrecord.display.html import context_diff_html  # displays rest on sessions

        return context_diff_html(self)


_WORDS: Final[dict[str, str]] = {
    "other-branch": "on another branch",
    "not-applied": "a compaction that is not completed",
    "not-yet": "it comes later",
}


def _point(view: ContextView) -> str:
    return f"{'the end' if view.at is None else f'seq {view.at}'} ({len(view):,} item{'' if len(view) == 1 else 's'})"


def _in_a_line(item: ContextItem) -> str:
    return f"{item.entity.type} {plain(item.entity.ref)}, seq {item.entity.seq}: {said(item.record)}".removesuffix(": ")


def _before(gained: Gained) -> str:
    return "" if gained.reason == "new" else f" (before: {_WORDS.get(gained.reason, gained.reason)})"


def _part(mark: str, items: Sequence[str], most: int | None, what: str) -> Iterator[str]:
    shown = items[:most]
    yield from (f"{mark} {item}" for item in shown)
    if len(items) > len(shown):
        yield f"{mark} … and {len(items) - len(shown):,} more {what}"


def _replacement(replacement: Replacement) -> Iterator[str]:
    name = plain(replacement.entity.ref)
    count = len(replacement.lost) + len(replacement.passed)
    tokens = [f"{n:,}" if n is not None else "unknown" for n in (replacement.tokens_before, replacement.tokens_after)]
    where = "" if replacement.in_context else "; it is gone again itself"
    yield f"{name} took out {count:,} item{'' if count == 1 else 's'}, tokens {tokens[0]} → {tokens[1]}{where}"
    yield f"    {said(replacement.record)}" if replacement.summary is not None else "    no summary is recorded"


def _item(item: ContextItem) -> dict[str, Any]:
    return {
        "ref": item.entity.ref,
        "type": item.entity.type,
        "seq": item.entity.seq,
        "record": wire(item.record),
    }


def _lost(lost: Lost) -> dict[str, Any]:
    return {**_item(lost.item), "reason": lost.reason, "by": lost.by}


def _flag(flag: Flag) -> dict[str, Any]:
    return {"code": flag.code, "ref": flag.ref, "message": flag.message}


def _view(view: ContextView) -> dict[str, Any]:
    return {
        "at": view.at,
        "head": None if view.head is None else view.head.ref,
        "items": len(view),
        "flags": [_flag(f) for f in view.flags],
        "findings": [d.to_dict() for d in view.diagnostics],
    }


def context_diff(core: Core, before: ContextView, after: ContextView) -> ContextDiff:
    """What the second view holds otherwise than the first."""
    was = {item.first: item for item in before.items}
    now = {item.first: item for item in after.items}
    gone = {a.entity.first: a for a in after.absent}
    not_there = {a.entity.first: a for a in before.absent}
    lost = {}
    for first, item in was.items():
        if first not in now:
            absent = gone.get(first)
            lost[first] = Lost(item, absent.reason, absent.by) if absent else Lost(item, "not-yet", None)
    passed = {
        first: Lost(after.item(first), a.reason, a.by)
        for first, a in gone.items()
        if first not in was and first not in not_there and a.reason != "not-applied"
    }
    taken: dict[int, tuple[list[Lost], list[Lost]]] = {}
    for first, compaction in after.compacted.items():
        for n, items in enumerate((lost, passed)):
            if first in items:
                taken.setdefault(compaction, ([], []))[n].append(items[first])
    return ContextDiff(
        before=before,
        after=after,
        lost=tuple(lost.values()),
        gained=tuple(
            Gained(item, not_there[first].reason if first in not_there else "new")
            for first, item in now.items()
            if first not in was
        ),
        kept=tuple(
            Kept(was[first], item, was[first].index != item.index) for first, item in now.items() if first in was
        ),
        passed=tuple(passed.values()),
        replaced=tuple(
            Replacement(Entity(core, e), after.item(e).record, e in now, tuple(taken[e][0]), tuple(taken[e][1]))
            for e in sorted(taken)
        ),
    )
