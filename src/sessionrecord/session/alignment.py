"""Which entities of two sessions belong together, and whether they say the same.

Entities are aligned in this order, each only if it is not aligned yet:

1. the headers, and entities of one type with one entity key; without a key, one record ID. Neither where it only repeats a `seq`
   as those that `StreamWriter` makes up do: `r12` says where a record is, not what it is;
2. between two that are aligned, those that say the same, in their order: the content without names, times and sources;
3. those that say the same at another place, if nothing else on either side says it;
4. between two that are aligned, those of the same types in the same order: what stands in the other's place.

`seq`, record IDs and sources are no content: where a session was copied with others, it is the same. Where an entity key, a ref, a
turn or a model call is named otherwise on the other side, but means what was aligned with it, that is a name and no change.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from hashlib import blake2b
from itertools import takewhile
from typing import Any, Final, Literal, TypeAlias

from sessionrecord.refs import ENTITY_KEY_OF_TYPE, ENTITY_KEYS
from sessionrecord.session.align import align, gaps, increasing
from sessionrecord.session.core import Core
from sessionrecord.session.differences import POSITION, Change, changes, digest, members, same

__all__ = ["AlignedBy", "Alignment", "Side"]

AlignedBy: TypeAlias = Literal["key", "content", "place"]
"""Why two entities belong together: one name, the same content, or one stands where the other stood."""

REFS: Final = frozenset({"predecessor", "to", "keptFrom", "of"})
"""Members that hold a ref into the same session."""
LINKS: Final = {name: name for name in ENTITY_KEYS} | {"parentCallId": "callId"}
"""Members that hold the value of an entity key."""
NAMES: Final = LINKS.keys() | {"turnId"}
"""Members that hold a name of something that may have no record of its own."""
_NO_CONTENT: Final = POSITION | REFS | NAMES | {"timestamp"}


class Side:
    """A session up to a record: what is compared."""

    def __init__(self, core: Core, end: int, ignore: frozenset[str] = frozenset()) -> None:
        self.core = core
        self.end = end
        self.ignore = ignore
        """Members that are not compared."""
        self._contents: dict[int, bytes] = {}
        self._names: dict[str, set[str]] = {}

    @cached_property
    def entities(self) -> list[int]:
        """The entities by their first records, in file order."""
        first = self.core.index.first
        return [i for i in range(self.end) if first[i] == i]

    @cached_property
    def keyed(self) -> set[int]:
        """The entities that have an entity key which says what they are."""
        return {first for _, _, first in self.named()}

    def named(self) -> Iterator[tuple[str, str, int]]:
        """The same, each with its type and key. A key that is the ID of a record, and only repeats its `seq`, does not say that."""
        ids = self.core.index.ids
        for record_type, key, first in self.core.index.keyed():
            if first < self.end and not (key in ids and self.is_numbered(ids[key])):
                yield record_type, key, first

    def names(self, member: str) -> set[str]:
        """The values that a member has in the records."""
        found = self._names.get(member)
        if found is None:
            found = self._names[member] = set()
            quoted = b'"%s"' % member.encode()
            for i in range(self.end):
                value = self.core.log.value(i).get(member) if quoted in self.core.log.line(i) else None
                if isinstance(value, str):
                    found.add(value)
        return found

    def find(self, ref: Any) -> int | None:
        """The entity that a ref names."""
        return self.core.index.find(ref, self.end) if isinstance(ref, str) else None

    def of_key(self, record_type: str, key: Any) -> int | None:
        """The entity of a type with a key."""
        found = self.core.index.of_key(record_type, key) if isinstance(key, str) else None
        return None if found is None or found >= self.end else found

    def revisions(self, entity: int) -> list[int]:
        """The records of an entity."""
        return self.core.index.revisions(entity, self.end)

    def members(self, index: int) -> dict[str, Any] | None:
        """The members of a record; None for a line that is no JSON object, or names a member twice."""
        return members(self.core.log.line(index))

    def record_id(self, index: int) -> str | None:
        """The ID of a record."""
        found = self.core.log.value(index).get("id")
        return found if isinstance(found, str) else None

    def is_numbered(self, index: int) -> bool:
        """Whether the record's ID only repeats its `seq`."""
        members = self.core.log.value(index)
        record_id, seq = members.get("id"), str(members.get("seq"))
        if not isinstance(record_id, str) or not record_id.endswith(seq):
            return False
        return not any(c.isdigit() for c in record_id[: -len(seq)])

    def content(self, entity: int) -> bytes:
        """A digest of what an entity says, whatever it is called and wherever it is."""
        found = self._contents.get(entity)
        if found is None:
            found = self._contents[entity] = self._content(entity)
        return found

    def _content(self, entity: int) -> bytes:
        index = self.revisions(entity)[-1]
        members = self.members(index)
        if members is None:
            return blake2b(self.core.log.line(index), digest_size=16).digest()
        return digest({k: v for k, v in members.items() if k not in _NO_CONTENT and k not in self.ignore})


class Alignment:
    """Which entity of the right side belongs to which of the left."""

    def __init__(self, left: Side, right: Side) -> None:
        self.left = left
        self.right = right
        self._aside = POSITION | left.ignore
        self.by: dict[int, AlignedBy] = {}
        """Left entity to why it was aligned."""
        self.there: dict[int, int] = {}
        """Left entity to the right one."""
        self._taken: set[int] = set()
        self._renamed: dict[str, dict[str, str]] = {}
        self._named()
        self._alike_in_place()
        self._alike_elsewhere()
        self._in_place()

    def _pair(self, left: int, right: int, by: AlignedBy) -> None:
        self.there[left] = right
        self.by[left] = by
        self._taken.add(right)

    def _named(self) -> None:
        left, right = self.left, self.right
        if left.end and right.end and left.core.log.type(0) == right.core.log.type(0) == "session":
            self._pair(0, 0, "key")
        for record_type, key, entity in left.named():
            other = right.of_key(record_type, key)
            if other is not None and other in right.keyed:
                self._pair(entity, other, "key")
        first, ids = left.core.index.first, right.core.index.ids
        for record_id, i in left.core.index.ids.items():
            j = ids.get(record_id, right.end)
            if (
                i < left.end
                and j < right.end
                and first[i] == i
                and i not in self.there
                and j not in self._taken
                and i not in left.keyed
                and j not in right.keyed
                and left.core.log.type(i) == right.core.log.type(j)
                and not (left.is_numbered(i) or right.is_numbered(j))
            ):
                self._pair(i, j, "key")

    def _rest(self) -> tuple[list[int], list[int]]:
        left = [e for e in self.left.entities if e not in self.there]
        right = [e for e in self.right.entities if e not in self._taken]
        return left, right

    def _pieces(self) -> Iterator[tuple[list[int], list[int], bool]]:
        """What is not aligned on both sides between two neighbours that are, and whether there is one at both ends."""
        in_order = increasing(self.there.items())
        for i, j in list(gaps(in_order, self.left.end, self.right.end)):
            left = [e for e in i if e not in self.there and self.left.core.index.first[e] == e]
            right = [e for e in j if e not in self._taken and self.right.core.index.first[e] == e]
            if left and right:
                closed = i.start > 0 and j.start > 0 and i.stop < self.left.end and j.stop < self.right.end
                yield left, right, closed

    def _alike_in_place(self) -> None:
        for left, right, _ in self._pieces():
            here, there = [self.left.content(e) for e in left], [self.right.content(e) for e in right]
            pairs = align(here, there)
            # of two alignments that pair as much, the one that also keeps record IDs
            named = self._alike_with_ids(left, right, here, there)
            for i, j in named if len(named) >= len(pairs) else pairs:
                self._pair(left[i], right[j], "content")

    def _alike_with_ids(
        self, left: list[int], right: list[int], here: list[bytes], there: list[bytes]
    ) -> list[tuple[int, int]]:
        ids = [self.left.record_id(e) for e in left], [self.right.record_id(e) for e in right]
        pairs = align(list(zip(here, ids[0], strict=True)), list(zip(there, ids[1], strict=True)))
        for i, j in list(gaps(pairs, len(left), len(right))):
            pairs += ((i[x], j[y]) for x, y in align(here[i.start : i.stop], there[j.start : j.stop]))
        return pairs

    def _alike_elsewhere(self) -> None:
        left, right = self._rest()
        if not left or not right:
            return
        here = {e: self.left.content(e) for e in left}
        there = {e: self.right.content(e) for e in right}
        once = Counter(here.values()), Counter(there.values())
        where = {content: e for e, content in there.items() if once[1][content] == 1}
        for entity, content in here.items():
            if once[0][content] == 1 and content in where:
                self._pair(entity, where[content], "content")

    def _in_place(self) -> None:
        shared = {self.left.core.log.type(e) for e, by in self.by.items() if by == "key"}
        for left, right, closed in self._pieces():
            types = [self.left.core.log.type(e) for e in left]
            if types != [self.right.core.log.type(e) for e in right]:
                continue
            for i, j, record_type in zip(left, right, types, strict=True):
                nameless = i not in self.left.keyed and j not in self.right.keyed
                if nameless or (closed and record_type not in shared):
                    self._pair(i, j, "place")

    def moved(self) -> set[int]:
        """The left entities that do not keep the order of all that do."""
        return self.there.keys() - {i for i, _ in increasing(self.there.items())}

    def removed(self) -> list[int]:
        """The left entities that belong to none."""
        return self._rest()[0]

    def added(self) -> list[int]:
        """The right entities that belong to none."""
        return self._rest()[1]

    def is_header(self, left: int) -> bool:
        """Whether the left entity is its session's header, and aligned with that of the other."""
        return left == 0 and self.there.get(0) == 0 and self.left.core.log.type(0) == "session"

    def meet(self, left: int | None, right: int | None) -> bool:
        """Whether two entities belong together."""
        return left is not None and right is not None and self.there.get(left) == right

    def renamed(self, left: int, right: int) -> bool:
        """Whether two aligned entities have different names: entity keys, or record IDs that do more than repeat the `seq`."""
        if self.by[left] == "key":
            return False
        if left in self.left.keyed or right in self.right.keyed:
            return True
        ids = (side.core.log.value(i).get("id") for side, i in ((self.left, left), (self.right, right)))
        return next(ids) != next(ids) and not (self.left.is_numbered(left) and self.right.is_numbered(right))

    def record_same(self, left: int, right: int) -> bool:
        """Whether two records say the same."""
        if self.left.core.log.line(left) == self.right.core.log.line(right) and not self._has_refs(left):
            return True
        one, other = self.left.members(left), self.right.members(right)
        if one is None or other is None:
            return self.left.core.log.line(left) == self.right.core.log.line(right)
        if one.keys() - self._aside != other.keys() - self._aside:
            return False
        return all(k in self._aside or self._member_same(k, v, other[k]) for k, v in one.items())

    def shared(self, left: Sequence[int], right: Sequence[int]) -> int:
        """How many records of two revision chains, from the first on, say the same."""
        pairs = zip(left, right, strict=False)
        return sum(1 for _ in takewhile(lambda p: self.record_same(*p), pairs))

    def is_renumbered(self, left: Sequence[int], right: Sequence[int]) -> bool:
        """Whether records that say the same do so with another `seq`, or with other names."""
        return any(
            self.left.core.log.line(i) != self.right.core.log.line(j)
            and not same(self.left.members(i), self.right.members(j))
            for i, j in zip(left, right, strict=True)
        )

    def _has_refs(self, left: int) -> bool:
        line = self.left.core.log.line(left)
        return any(b'"%s"' % name.encode() in line for name in REFS)

    def _member_same(self, name: str, one: Any, other: Any) -> bool:
        if name in REFS:
            i, j = self.left.find(one), self.right.find(other)
            return same(one, other) if i is None or j is None else self.meet(i, j)
        if same(one, other):
            return True
        if name not in NAMES or not isinstance(one, str) or not isinstance(other, str):
            return False
        if name in LINKS and self._linked(LINKS[name], one, other):
            return True
        return self._renames(name).get(one) == other and not self._is_there(name, one, other)

    def _linked(self, key: str, one: str, other: str) -> bool:
        """Whether two values of an entity key name what belongs together; any type that has the key counts."""
        return any(
            self.meet(self.left.of_key(t, one), self.right.of_key(t, other))
            for t, k in ENTITY_KEY_OF_TYPE.items()
            if k == key
        )

    def _is_there(self, name: str, one: str, other: str) -> bool:
        """Whether one of two values of a member names an entity: then it is known whether they mean the same."""
        types = [t for t, key in ENTITY_KEY_OF_TYPE.items() if key == LINKS.get(name)]
        return any(self.left.of_key(t, one) is not None or self.right.of_key(t, other) is not None for t in types)

    def _renames(self, member: str) -> dict[str, str]:
        """Left values of a member to right ones that got another name: neither side has the other's name, and no other got it."""
        found = self._renamed.get(member)
        if found is not None:
            return found
        found = self._renamed[member] = {}
        here, there = self.left.names(member), self.right.names(member)
        back: dict[str, str] = {}
        for left, right in sorted(self.there.items()):
            one, other = (s.core.log.value(i).get(member) for s, i in ((self.left, left), (self.right, right)))
            if not isinstance(one, str) or one in there or one in found:
                continue
            if isinstance(other, str) and other not in here and other not in back:
                found[one], back[other] = other, one
        return found

    def changes(self, left: int, right: int, *, swapped: bool) -> tuple[Change, ...]:
        """What differs between two records."""
        lines = self.left.core.log.line(left), self.right.core.log.line(right)
        return changes(*lines, self._member_same, swapped=swapped, aside=self._aside)
