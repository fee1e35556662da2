"""Entities and their revision chains, as a session gives them (spec section 3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Generic, TypeVar, overload

from sessionrecord.diagnostics import excerpt
from sessionrecord.errors import RefNotFoundError
from sessionrecord.records import InvalidRecord, Record
from sessionrecord.session.index import entity_key

if TYPE_CHECKING:
    from sessionrecord.session.core import Core

__all__ = ["Entity", "LazySequence", "RevisionChain"]

T = TypeVar("T")


class LazySequence(Sequence[T], Generic[T]):
    """A sequence whose items are made when asked for."""

    __slots__ = ("_items", "_make")

    def __init__(self, items: Sequence[int], make: Callable[[int], T]) -> None:
        self._items = items
        self._make = make

    def __len__(self) -> int:
        return len(self._items)

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...
    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        if isinstance(index, slice):
            return LazySequence(self._items[index], self._make)
        return self._make(self._items[index])

    def __iter__(self) -> Iterator[T]:
        return map(self._make, self._items)

    def __repr__(self) -> str:
        return f"<{len(self)} items>"

    def _repr_html_(self) -> str:
        from sessionrecord.display.html import several_html  # displays rest on sessions

        return several_html(self)


class RevisionChain(LazySequence[Record | InvalidRecord]):
    """A record and the records that supersede it, in order. [S] "Revision chain"."""

    def __init__(self, core: Core, indexes: list[int]) -> None:
        super().__init__(indexes, core.record)
        self._core = core

    @property
    def latest(self) -> Record | InvalidRecord:
        """The latest revision. [S]."""
        return self[-1]

    def at(self, seq: int) -> Record | InvalidRecord:
        """The latest revision at a `seq`. Raises `RefNotFoundError` where the entity is not there yet."""
        end = self._core.log.end(seq)
        indexes = [i for i in self._items if i < end]
        if not indexes:
            raise RefNotFoundError(f"the entity is not there yet at seq {seq}")
        return self._make(indexes[-1])

    def __repr__(self) -> str:
        if not len(self):
            return "<RevisionChain: no revisions>"
        entity = Entity(self._core, self._core.index.first[self._items[0]])
        count = _revisions(len(self))
        return f"<RevisionChain of {excerpt(entity.type, 20)} {excerpt(entity.ref, 60)}: {count}>"

    def _repr_html_(self) -> str:
        from sessionrecord.display.html import chain_html  # displays rest on sessions

        return chain_html(self)


class Entity:
    """A logical thing that one or more records describe. [S] "Entity". Equal where it is the same entity of the same session."""

    __slots__ = ("_core", "first")

    def __init__(self, core: Core, first: int) -> None:
        self._core = core
        self.first = first
        """Index of its first record in the session's records."""

    @property
    def type(self) -> str | None:
        """The record type."""
        return self._core.log.type(self.first)

    @property
    def key(self) -> str | None:
        """The value of its entity key; None where it is named by record ID."""
        return entity_key(self.type, self._core.log.value(self.first))

    @property
    def ref(self) -> str:
        """The ref that names it."""
        return self._core.index.ref(self.first)

    @property
    def seq(self) -> int:
        """The `seq` that its first record counts with."""
        return self._core.log.seqs[self.first]

    @property
    def revisions(self) -> RevisionChain:
        """Its records in order."""
        return RevisionChain(self._core, self._core.index.revisions(self.first, len(self._core.log)))

    @property
    def latest(self) -> Record | InvalidRecord:
        """Its latest revision."""
        return self.revisions.latest

    def is_of(self, core: Core) -> bool:
        """Whether it is an entity of that session."""
        return self._core is core

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Entity) and other._core is self._core and other.first == self.first

    def __hash__(self) -> int:
        return hash((id(self._core), self.first))

    def __repr__(self) -> str:
        return f"<Entity {excerpt(self.type, 20)} {excerpt(self.ref, 60)}, {_revisions(len(self.revisions))}>"

    def _repr_html_(self) -> str:
        return self.revisions._repr_html_()


def _revisions(count: int) -> str:
    return f"{count} revision{'' if count == 1 else 's'}"
