"""Two sessions compared: what was added, removed, revised, moved and renamed. See `alignment` for what belongs together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from operator import itemgetter
from typing import Any

from sessionrecord.records import InvalidRecord, Record
from sessionrecord.refs import ENTITY_KEY_OF_TYPE
from sessionrecord.session.alignment import AlignedBy, Alignment, Side
from sessionrecord.session.core import Core
from sessionrecord.session.differences import Change
from sessionrecord.session.entity import Entity, RevisionChain
from sessionrecord.session.said import SHOWN, changed, plain, said, wire

__all__ = ["EntityPair", "SessionDiff", "compare"]


@dataclass(frozen=True)
class EntityPair:
    """Two entities that belong together."""

    a: Entity
    """In the first session."""
    b: Entity
    """In the second session."""
    by: AlignedBy
    """Why they belong together."""
    shared: int
    """How many of their revisions, from the first on, say the same."""
    chains: tuple[RevisionChain, RevisionChain] = field(repr=False, compare=False)
    """Their revisions in the first and the second session."""
    _alignment: Alignment = field(repr=False, compare=False)
    _swapped: bool = field(repr=False, compare=False)

    @property
    def type(self) -> str | None:
        """The record type."""
        return self.a.type

    @cached_property
    def changes(self) -> tuple[Change, ...]:
        """What differs between the latest revisions; empty where only earlier ones differ, or names."""
        sides = (self._alignment.left, self._alignment.right)
        entities = (self.b.first, self.a.first) if self._swapped else (self.a.first, self.b.first)
        left, right = (side.revisions(e)[-1] for side, e in zip(sides, entities, strict=True))
        return self._alignment.changes(left, right, swapped=self._swapped)

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        sides = [
            {"ref": e.ref, "seq": e.seq, "revisions": len(c)}
            for e, c in zip((self.a, self.b), self.chains, strict=True)
        ]
        return {
            "type": self.type,
            "a": sides[0],
            "b": sides[1],
            "by": self.by,
            "sharedRevisions": self.shared,
            "changes": [c.to_dict() for c in self.changes],
        }

    @property
    def name(self) -> str:
        """What both are called, on one line; with both names where they differ."""
        one, other = self.a, self.b
        if one.key != other.key and one.ref.partition("=")[2] != one.key:  # named by record IDs, which hide the keys
            key = ENTITY_KEY_OF_TYPE.get(self.type or "", "key")
            return f"{_name(one)}, {key} {plain(str(one.key))} → {plain(str(other.key))}"
        return _name(one) if one.ref == other.ref else f"{_name(one)} → {plain(other.ref)}"

    def lines(self) -> list[str]:
        """The pair as text, then a line for each change."""
        name = self.name
        if self.by == "place":
            name += " (in its place)"
        numbers = [len(c) for c in self.chains]
        if numbers[0] != numbers[1]:
            name += f", {numbers[0]} → {numbers[1]} revisions"
        elif self.shared < numbers[0] - 1 or not self.changes:
            name += f", revision {self.shared + 1} of {numbers[0]}" if self.shared < numbers[0] else ""
        return [name, *changed(self.changes)]


@dataclass(frozen=True)
class SessionDiff:
    """What the second session has otherwise than the first."""

    header: tuple[Change, ...]
    """What differs between the headers."""
    added: tuple[Entity, ...]
    """Entities that only the second session has, in its order."""
    removed: tuple[Entity, ...]
    """Entities that only the first session has, in its order."""
    revised: tuple[EntityPair, ...]
    """Entities that do not say the same, or not in as many revisions; in the order of the first session. Headers aside."""
    moved: tuple[EntityPair, ...]
    """Entities that are elsewhere among those that both sessions have: the fewest whose moving explains the order."""
    renamed: tuple[EntityPair, ...]
    """Entities that have another entity key, or without one another record ID, in the second session."""
    unchanged: int
    """How many entities are not in any of the above."""
    renumbered: int
    """How many of these have another `seq` or source, or other record IDs, turns, model calls or refs that mean the same."""
    _sides: tuple[Side, Side] = field(repr=False, compare=False)

    @property
    def same(self) -> bool:
        """Whether nothing differs but what `renumbered` counts."""
        return not (self.header or self.added or self.removed or self.revised or self.moved or self.renamed)

    @property
    def counts(self) -> dict[str, int]:
        """How many of each kind there are."""
        return {
            "header": len(self.header),
            **{name: len(getattr(self, name)) for name in ("added", "removed", "revised", "moved", "renamed")},
            "unchanged": self.unchanged,
            "renumbered": self.renumbered,
        }

    def latest(self, entity: Entity) -> Record | InvalidRecord:
        """The latest revision of an entity that was added or removed, at the point that was compared."""
        a, b = self._sides
        side = a if entity.is_of(a.core) and entity.first < a.end else b
        return side.core.record(side.revisions(entity.first)[-1])

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values; `sessionrecord.ijson.dumps` writes each number as it was read."""
        a, b = self._sides
        return {
            "same": self.same,
            "counts": self.counts,
            "header": [c.to_dict() for c in self.header],
            "added": [_entity(e, b) for e in self.added],
            "removed": [_entity(e, a) for e in self.removed],
            "revised": [p.to_dict() for p in self.revised],
            "moved": [p.to_dict() for p in self.moved],
            "renamed": [p.to_dict() for p in self.renamed],
        }

    def lines(self, most: int | None = SHOWN) -> Iterator[str]:
        """The differences as text: `-` removed, `+` added, `~` revised or renamed, `>` moved; of each at most so many, None: all."""
        a, b = self._sides
        if self.header:
            yield "~ header"
            yield from (f"    {line}" for line in changed(self.header))
        told = {id(p) for p in self.revised}  # with both names
        renamed = [p for p in self.renamed if id(p) not in told]
        parts = {
            "removed": ("-", [[_only(e, a)] for e in self.removed[:most]]),
            "added": ("+", [[_only(e, b)] for e in self.added[:most]]),
            "revised": ("~", [p.lines() for p in self.revised[:most]]),
            "renamed": ("~", [[p.name] for p in renamed[:most]]),
            "moved": (">", [[f"{_name(p.a)}, seq {p.a.seq} → {p.b.seq}"] for p in self.moved[:most]]),
        }
        for what, (mark, items) in parts.items():
            for first, *rest in items:
                yield f"{mark} {first}"
                yield from (f"    {line}" for line in rest)
            more = len(renamed if what == "renamed" else getattr(self, what)) - len(items)
            if more:
                yield f"{mark} … and {more:,} more {what}"
        yield self._closing()

    def _closing(self) -> str:
        names = ("removed", "added", "revised", "renamed", "moved")
        parts = [f"{n:,} {name}" for name in names if (n := len(getattr(self, name)))]
        parts = [*(["the header differs"] if self.header else []), *parts] or ["the same"]
        renumbered = (
            f", {self.renumbered:,} of them with another seq, record ID, turn, ref or source" if self.renumbered else ""
        )
        return f"{', '.join(parts)}; {self.unchanged:,} unchanged{renumbered}"

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def __repr__(self) -> str:
        shown = ", ".join(f"{n} {name}" for name, n in self.counts.items() if n)
        return f"<SessionDiff {'same' if self.same else 'differs'}: {shown or 'nothing'}>"

    def _repr_html_(self) -> str:
        from sessionrecord.display.html import session_diff_html  # displays rest on sessions

        return session_diff_html(self)


def _name(entity: Entity) -> str:
    return f"{plain(entity.type or 'line')} {plain(entity.ref) or '(no id)'}"


def _only(entity: Entity, side: Side) -> str:
    return (
        f"{_name(entity)}, seq {entity.seq}: {said(side.core.record(side.revisions(entity.first)[-1]))}".removesuffix(
            ": "
        )
    )


def _entity(entity: Entity, side: Side) -> dict[str, Any]:
    chain = side.revisions(entity.first)
    latest = side.core.record(chain[-1])
    return {
        "type": entity.type,
        "ref": entity.ref,
        "seq": entity.seq,
        "revisions": len(chain),
        "record": wire(latest),
    }


def compare(a: Core, end_a: int, b: Core, end_b: int, ignore: frozenset[str] = frozenset()) -> SessionDiff:
    """What the second session, up to a record, has otherwise than the first, members to ignore aside."""
    # of two sessions the same one is always the left, so that `diff(b, a)` is the mirror of `diff(a, b)`
    swapped = _precedes(b, end_b, a, end_a)
    sides = Side(a, end_a, ignore), Side(b, end_b, ignore)
    left, right = sides[::-1] if swapped else sides
    alignment = Alignment(left, right)
    moved_entities = alignment.moved()
    header: tuple[Change, ...] = ()
    revised, moved, renamed = list[EntityPair](), list[EntityPair](), list[EntityPair]()
    unchanged = renumbered = 0
    for i, j in sorted(alignment.there.items(), key=itemgetter(1 if swapped else 0)):
        chains = left.revisions(i), right.revisions(j)
        shared = alignment.shared(*chains)
        is_revised = shared < max(map(len, chains))
        if alignment.is_header(i):
            header = alignment.changes(i, j, swapped=swapped)
            unchanged += not header
            continue
        kinds = [
            *([revised] if is_revised else []),
            *([moved] if i in moved_entities else []),
            *([renamed] if alignment.renamed(i, j) else []),
        ]
        if not kinds:
            unchanged += 1
            renumbered += alignment.is_renumbered(*chains)
            continue
        pair = _pair(alignment, i, j, shared, swapped=swapped)
        for kind in kinds:
            kind.append(pair)
    only_left = tuple(Entity(left.core, e) for e in alignment.removed())
    only_right = tuple(Entity(right.core, e) for e in alignment.added())
    return SessionDiff(
        header=header,
        added=only_left if swapped else only_right,
        removed=only_right if swapped else only_left,
        revised=tuple(revised),
        moved=tuple(moved),
        renamed=tuple(renamed),
        unchanged=unchanged,
        renumbered=renumbered,
        _sides=(right, left) if swapped else (left, right),
    )


def _pair(alignment: Alignment, left: int, right: int, shared: int, *, swapped: bool) -> EntityPair:
    sides = [
        (Entity(side.core, e), RevisionChain(side.core, side.revisions(e)))
        for side, e in ((alignment.left, left), (alignment.right, right))
    ]
    (a, chain_a), (b, chain_b) = sides[::-1] if swapped else sides
    return EntityPair(a, b, alignment.by[left], shared, (chain_a, chain_b), alignment, swapped)


def _precedes(a: Core, end_a: int, b: Core, end_b: int) -> bool:
    """Whether the lines of one session come before those of the other, by code."""
    for i in range(min(end_a, end_b)):
        one, other = a.log.line(i), b.log.line(i)
        if one != other:
            return one < other
    return end_a < end_b
