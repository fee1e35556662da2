"""Where entities are: on the active path, in the context view, or why not."""

from __future__ import annotations

from functools import cached_property

from sessionrecord.session.context import Absent, context_view
from sessionrecord.session.core import Core

__all__ = ["Places", "seq_of"]


def seq_of(core: Core, index: int) -> int | None:
    """The `seq` that a record counts with; None before the first valid one."""
    seq = core.log.seqs[index]
    return seq if seq >= 0 else None


class Places:
    """The active path and the context view from the head at a `seq`. Entities are named by the index of their first record."""

    def __init__(self, core: Core, at: int | None) -> None:
        head = core.structure.head(core.log.end(at))
        self._view = context_view(core, head, at)
        self.path = frozenset(core.structure.path(head))
        """Entities on the active path."""
        self.context = frozenset(item.entity.first for item in self._view.items)
        """Entities in the context view."""

    @cached_property
    def absent(self) -> dict[int, Absent]:
        """Entities that are not in the context view, and why."""
        return {a.entity.first: a for a in self._view.absent}
