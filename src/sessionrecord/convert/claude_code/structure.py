"""Where each entity stands: the predecessors that `parentUuid` means.

The predecessor of a line is the last entity of its nearest ancestor line that made one. The lines of one API message
and the results of its calls form a group in file order; a line whose ancestor is in a group follows the group's last entity.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sessionrecord.convert.claude_code.source import NativeLine
from sessionrecord.convert.claude_code.tree import SessionIndex
from sessionrecord.convert.native import members, text

__all__ = ["Made", "Structure"]


@dataclass(frozen=True, slots=True)
class Made:
    """What a line made."""

    first: str
    """Ref of its first entity."""
    last: str
    """Ref of its last entity."""
    group: str | None
    """The group it is part of."""


class Structure:
    """The state of one session while its lines are read."""

    def __init__(self, index: SessionIndex, is_child: bool, lines: int) -> None:
        self._index = index
        self._is_child = is_child
        self._group_last: dict[str, str] = {}
        self._alias: dict[str, str] = {}
        self._through: dict[str, str | None] = {}
        self._rings: set[str] = set()
        self._steps_left = 10 * lines
        self.head: str | None = None
        """Ref of the entity that joined last."""
        self.made: dict[str, Made] = {}
        """Uuid to what its line made."""

    def predecessor(self, line: NativeLine, group: str | None) -> tuple[str | None, str | None]:
        """What the first entity of a line follows, None for the head; and the code of a note to make."""
        if group is not None and group in self._group_last:
            return self._group_last[group], None
        if line.parent is None and line.value.get("parentUuid", "") is not None:
            return None, None
        found, code = self._ancestor(line)
        if code == "missing-parent" and self._is_child and self.head is None:
            return None, None
        if found is None and self.head is not None and not (line.is_boundary or line.is_summary):
            return None, "second-root"
        return found, code

    def join(self, line: NativeLine, first: str, last: str, group: str | None) -> None:
        """Take in the entities that a line made."""
        self.head = last
        if group is not None:
            self._group_last[group] = last
        if line.uuid:
            known = self.made.get(line.uuid)
            if known is None or known.first == first:
                self.made[line.uuid] = Made(first, last, group)

    def keep(self, line: NativeLine) -> tuple[list[str], bool]:
        """The uuids that a compaction boundary says stay in context, and whether it says so at all."""
        metadata = members(line.value.get("compactMetadata"))
        uuids = members(metadata.get("preservedMessages")).get("uuids")
        if isinstance(uuids, list):
            return [u for u in uuids if isinstance(u, str)], True
        segment = members(metadata.get("preservedSegment"))
        tail, head = text(segment.get("tailUuid")), text(segment.get("headUuid"))
        if tail is None or head is None:
            return [], bool(segment)
        chain: list[str] = []
        u: str | None = tail
        # segments are short; the limit only keeps a log made to overlap them all from taking for ever
        while u is not None and self._steps_left > 0:
            self._steps_left -= 1
            chain.append(u)
            if u == head:
                return chain[::-1], True
            at = self._index.first.get(u)
            u = None if at is None else at.parent
        return [], True

    def first_made(self, uuids: Sequence[str]) -> str | None:
        """Ref of the first entity that any of the lines made."""
        return next((self.made[u].first for u in uuids if u in self.made), None)

    def relink(self, uuids: Sequence[str], compaction: str) -> None:
        """From here on what follows one of the lines follows the compaction that kept them."""
        for u in uuids:
            self._alias[u] = compaction
            group = self.made[u].group if u in self.made else None
            if group is not None:
                self._group_last[group] = compaction
        self._through.clear()

    def _ancestor(self, line: NativeLine) -> tuple[str | None, str | None]:
        first, direct = self._index.first, f"messageId={line.parent}"
        passed: dict[str, None] = {}
        u = line.parent
        found: tuple[str | None, str | None] = None, None
        while u is not None:
            if u in passed or u in self._rings:
                self._rings.update(passed)
                return direct, "parent-cycle"
            if u in self._alias:
                found = self._alias[u], None
                break
            if u in self.made:
                made = self.made[u]
                found = self._group_last.get(made.group or "", made.last), None
                break
            at = first.get(u)
            if at is None:
                found = f"messageId={u}", "missing-parent"
                break
            outside = at.session != self._index.session
            if outside and self._is_child:
                break
            if at.index >= line.index and at.may_participate and not outside:
                found = direct, "parent-cycle" if at is line else "parent-later"
                break
            passed[u] = None
            u = self._through.get(u, at.parent)
        self._through.update(dict.fromkeys(passed, u))
        return found
