"""How the conversation hangs together: predecessors, heads, active paths (spec section 7).

Only earlier entities can be predecessors, so a walk back always ends.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from typing import Any, Final

from sessionrecord.diagnostics import Diagnostic, excerpt
from sessionrecord.records import PARTICIPATING_TYPES
from sessionrecord.session.index import Index
from sessionrecord.session.log import Log

__all__ = ["NONE", "Structure"]

NONE: Final = -1
"""No entity."""


class Structure:
    """The fold over records in file order. Entities are named as in `Index`."""

    def __init__(self, log: Log, index: Index) -> None:
        self._log = log
        self._index = index
        self.predecessor = array("q")
        """Record index to the predecessor of the entity that joined there; `NONE` also for records where none joined."""
        self.depth = array("I")
        """Record index to the entity's steps from its root; 0 where none joined."""
        self.heads = array("q")
        """Record index to the head after it."""
        self.rewinds: list[tuple[int, int, int]] = []
        """Rewinds that moved the head: record, head before, head after."""
        self.broken: dict[int, tuple[str, str]] = {}
        """Entities whose recorded predecessor cannot be followed: why, and the ref."""
        self.findings: list[tuple[int, Diagnostic]] = []

    def add(self, index: int, record_type: str | None, members: dict[str, Any], first: int) -> None:
        """Take in the next record, whose entity `Index.add` gave."""
        head = self.heads[-1] if self.heads else NONE
        predecessor, depth = NONE, 0
        if record_type in PARTICIPATING_TYPES:
            if first == index:
                predecessor = self._join(index, members, head)
                depth = 0 if predecessor == NONE else self.depth[predecessor] + 1
                head = index
            elif members.get("predecessor") is not None:
                self._compare(index, members["predecessor"], first)
        elif record_type == "rewind":
            head = self._rewind(index, members, head)
        self.predecessor.append(predecessor)
        self.depth.append(depth)
        self.heads.append(head)

    def _participating(self, entity: int) -> bool:
        return self._log.type(entity) in PARTICIPATING_TYPES

    def _join(self, index: int, members: dict[str, Any], head: int) -> int:
        ref = members.get("predecessor")
        if ref is None:
            return head
        entity = self._index.find(ref) if isinstance(ref, str) else None
        if entity is None:
            self.broken[index] = "predecessor-missing", ref if isinstance(ref, str) else ""
        elif entity == index:
            self.broken[index] = "predecessor-cycle", ref
        elif not self._participating(entity):
            self.broken[index] = "predecessor-audit-only", ref
        else:
            return entity
        return NONE

    def _compare(self, index: int, ref: Any, first: int) -> None:
        entity = self._index.find(ref) if isinstance(ref, str) else None
        named = (
            self.broken[first][1] == ref
            if first in self.broken
            else entity == self.predecessor[first] and entity is not None
        )
        if not named:
            self.findings.append(
                (
                    index,
                    Diagnostic.of(
                        "predecessor-changed",
                        f"{excerpt(ref)} is not where the entity joined; that stays",
                        pointer="/predecessor",
                    ),
                )
            )

    def _rewind(self, index: int, members: dict[str, Any], head: int) -> int:
        to = members.get("to", head)
        if to is None:
            target = NONE
        else:
            entity = self._index.find(to) if isinstance(to, str) else None
            if entity is None or not self._participating(entity):
                self.findings.append(
                    (
                        index,
                        Diagnostic.of(
                            "rewind-target",
                            f"{excerpt(to) if 'to' in members else 'nothing'} names no earlier participating entity; the head stays",
                            pointer="/to",
                        ),
                    )
                )
                return head
            target = entity
        self.rewinds.append((index, head, target))
        return target

    def head(self, end: int) -> int:
        """The head after the records before `end`."""
        return self.heads[end - 1] if end else NONE

    def joined(self, end: int) -> Iterator[int]:
        """The participating entities that joined before `end`, in file order."""
        first = self._index.first
        for i in self._log.of_types(PARTICIPATING_TYPES, end):
            if first[i] == i:
                yield i

    def all_heads(self, end: int) -> list[int]:
        """The current head first, then the entities that none names as predecessor."""
        head = self.head(end)
        joined = list(self.joined(end))
        followed = {self.predecessor[e] for e in joined}
        return [*([] if head == NONE else [head]), *(e for e in joined if e not in followed and e != head)]

    def path(self, head: int) -> list[int]:
        """The active path from a head: predecessors followed back, root first."""
        path = []
        while head != NONE:
            path.append(head)
            head = self.predecessor[head]
        path.reverse()
        return path

    def dropped(self, end: int) -> dict[int, int]:
        """Entities that a rewind before `end` took off the active path, each with the last such rewind."""
        by: dict[int, int] = {}
        moves = [move for move in self.rewinds if move[0] < end]
        if not moves:
            return by
        is_above = self._ancestry(end)
        # from the last rewind back, so that each entity is taken once, and what was taken is passed in one step
        passed: dict[int, int] = {}
        for record, before, after in reversed(moves):
            trail = []
            while before != NONE and not (after != NONE and is_above(before, after)):
                trail.append(before)
                if before in passed:
                    before = passed[before]
                else:
                    by[before] = record
                    before = self.predecessor[before]
            for entity in trail:
                passed[entity] = before
        return by

    def _ancestry(self, end: int) -> Callable[[int, int], bool]:
        """Whether an entity is another or on the path back from it, in constant time: an interval for each entity."""
        followers: dict[int, list[int]] = {}
        for entity in self.joined(end):
            followers.setdefault(self.predecessor[entity], []).append(entity)
        begin: dict[int, int] = {}
        finish: dict[int, int] = {}
        stack = list(followers.get(NONE, ()))
        while stack:
            entity = stack[-1]
            if entity in begin:
                finish[entity] = len(begin)
                stack.pop()
            else:
                begin[entity] = len(begin)
                stack += followers.get(entity, ())
        return lambda above, below: begin[above] <= begin[below] < finish[above]

    def finding(self, entity: int, end: int | None = None) -> Diagnostic | None:
        """Why the walk back ends at an entity that recorded a predecessor, by the records before `end`, or None."""
        if entity not in self.broken:
            return None
        code, ref = self.broken[entity]
        if code == "predecessor-missing" and ref and self._index.find(ref, end) is not None:
            code = "predecessor-later"
        words = {
            "predecessor-missing": "is not in the stream",
            "predecessor-later": "comes after the entity",
            "predecessor-cycle": "is the entity itself",
            "predecessor-audit-only": "takes no part in the context",
        }
        return Diagnostic.of(
            code, f"the predecessor {excerpt(ref)} {words[code]}; the path begins here", pointer="/predecessor"
        )
