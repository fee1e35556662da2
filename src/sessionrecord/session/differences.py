"""What differs between two JSON values: members by name, arrays by an alignment of their items.

Numbers are the same where their text is: `1.50` is not `1.5`, as it is not in the stream. The order of members means nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from decimal import Decimal
from hashlib import blake2b
from itertools import islice, takewhile
from typing import Any, Final, Literal, TypeAlias

import orjson

from sessionrecord import ijson
from sessionrecord.session.align import align, gaps

__all__ = [
    "ABSENT",
    "POSITION",
    "Change",
    "Difference",
    "change_of",
    "changes",
    "differences",
    "digest",
    "members",
    "same",
]

ABSENT: Final = object()
"""In place of a value that is not there."""

POSITION: Final = frozenset({"seq", "id", "source"})
"""Members that say where a record is, and where it was taken from."""
LEVELS: Final = 32
"""How deep differences are looked for."""
LONG: Final = 256
"""Characters of a member name under which they are looked for."""
MOST: Final = 1000
"""Differences of two records that are told apart."""

Place: TypeAlias = tuple[str | int, ...]
Difference: TypeAlias = tuple[Place, Place, Any, Any]
"""Where it is on the left and on the right, and the two values; `ABSENT` for one that is not there."""


@dataclass(frozen=True, slots=True)
class Change:
    """One member, or item of an array, that is not the same on both sides."""

    kind: Literal["added", "removed", "changed"]
    """Whether only the second side has it, only the first, or both."""
    pointer: str
    """JSON Pointer into the second side's record; for what was removed, into the first side's."""
    old: Any = None
    """The value of the first side; None also where it has none."""
    new: Any = None
    """The value of the second side; None also where it has none."""

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values: `old` and `new` are there where their side has the value."""
        found: dict[str, Any] = {"kind": self.kind, "pointer": self.pointer}
        if self.kind != "added":
            found["old"] = self.old
        if self.kind != "removed":
            found["new"] = self.new
        return found


def change_of(difference: Difference, *, swapped: bool) -> Change:
    """A difference as a change from left to right; `swapped`: from right to left."""
    left, right, old, new = difference
    if swapped:
        left, right, old, new = right, left, new, old
    if new is ABSENT:
        return Change("removed", ijson.pointer(*left), old)
    if old is ABSENT:
        return Change("added", ijson.pointer(*right), new=new)
    return Change("changed", ijson.pointer(*right), old, new)


def same(left: Any, right: Any) -> bool:
    """Whether two JSON values are the same; recursion is limited, as the nesting of what `ijson` reads is."""
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(same(v, right[k]) for k, v in left.items())
    if isinstance(left, list):
        return len(left) == len(right) and all(map(same, left, right))
    return bool(_scalar(left) == _scalar(right))


def _scalar(value: Any) -> Any:
    # 0.0 and -0.0 are equal, and so are two spellings of one decimal
    return str(value) if isinstance(value, float | Decimal) else value


def digest(value: Any) -> bytes:
    """A digest that two JSON values have in common only if they are the same."""
    try:
        text = orjson.dumps(value, default=_literal, option=orjson.OPT_SORT_KEYS)
    except TypeError:  # unpaired surrogates, and integers beyond 64 bits
        text = repr(_sorted(value)).encode()
    return blake2b(text, digest_size=16).digest()


def _literal(value: Any) -> orjson.Fragment:
    return orjson.Fragment(str(value))


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return "object", sorted((name, _sorted(item)) for name, item in value.items())
    if isinstance(value, list):
        return [_sorted(item) for item in value]
    return ("number", str(value)) if isinstance(value, Decimal) else value


Alike: TypeAlias = Callable[[str, Any, Any], bool]
"""Whether a top-level member, by its name, says the same with these two values."""


def members(line: bytes) -> dict[str, Any] | None:
    """The members of a record, every number as it was read; None for a line that is no JSON object, or names a member twice."""
    value, findings = ijson.examine(line)
    if not isinstance(value, dict) or any(f.code == "duplicate-member" for f in findings):
        return None
    return value


def changes(
    left: bytes, right: bytes, alike: Alike, *, swapped: bool = False, aside: Collection[str] = POSITION
) -> tuple[Change, ...]:
    """What differs between the lines of two records, some members aside; the whole line where one is no JSON object."""
    old, new = members(left), members(right)
    if old is None or new is None:
        if left == right:
            return ()
        texts = left.decode("utf-8", "backslashreplace"), right.decode("utf-8", "backslashreplace")
        return (change_of(((), (), *texts), swapped=swapped),)
    for record in (old, new):
        for name in aside:
            record.pop(name, None)
    return tuple(change_of(d, swapped=swapped) for d in differences(old, new, alike))


def differences(left: dict[str, Any], right: dict[str, Any], alike: Alike) -> list[Difference]:
    """What differs between two records: in the order of the members of the left one, then what only the right one has.

    Of values nested deeper than `LEVELS`, under a name longer than `LONG`, or with more than `MOST` differences in all, only
    the whole is given: places take no more room than the records.
    """
    found = list(islice(_members(left, right, alike, LEVELS), MOST + 1))
    return found if len(found) <= MOST else list(_members(left, right, alike, 1))


def _members(left: dict[str, Any], right: dict[str, Any], alike: Alike, levels: int) -> Iterator[Difference]:
    within = _Within(levels)
    for name, old in left.items():
        if name not in right:
            yield (name,), (), old, ABSENT
        elif not alike(name, old, right[name]):
            yield from within.values((name,), (name,), old, right[name])
    for name, new in right.items():
        if name not in left:
            yield (), (name,), ABSENT, new


class _Within:
    """The differences within values, down to a level."""

    def __init__(self, levels: int) -> None:
        self._levels = levels

    def values(self, here: Place, there: Place, old: Any, new: Any) -> Iterator[Difference]:
        """Of two values that are not the same."""
        name = here[-1]
        if len(here) < self._levels and not (isinstance(name, str) and len(name) > LONG):
            if isinstance(old, dict) and isinstance(new, dict):
                return self._objects(here, there, old, new)
            if isinstance(old, list) and isinstance(new, list):
                return self._arrays(here, there, old, new)
        return iter([(here, there, old, new)])

    def _objects(self, here: Place, there: Place, old: dict[str, Any], new: dict[str, Any]) -> Iterator[Difference]:
        for name, value in old.items():
            if name not in new:
                yield (*here, name), there, value, ABSENT
            elif not same(value, new[name]):
                yield from self.values((*here, name), (*there, name), value, new[name])
        for name, value in new.items():
            if name not in old:
                yield here, (*there, name), ABSENT, value

    def _arrays(self, here: Place, there: Place, old: list[Any], new: list[Any]) -> Iterator[Difference]:
        pairs_alike = align(list(map(digest, old)), list(map(digest, new)))
        for left, right in gaps(pairs_alike, len(old), len(new)):
            pairs = zip(left, right, strict=False)
            alike = sum(1 for _ in takewhile(lambda ij: _shape(old[ij[0]]) == _shape(new[ij[1]]), pairs))
            for i, j in zip(left[:alike], right[:alike], strict=True):
                yield from self.values((*here, i), (*there, j), old[i], new[j])
            for i in left[alike:]:
                yield (*here, i), there, old[i], ABSENT
            for j in right[alike:]:
                yield here, (*there, j), ABSENT, new[j]


def _shape(value: Any) -> tuple[type, Any]:
    """What kind of value it is; of an object also its `type`. Only items of one shape are shown as one that changed."""
    kind = value.get("type") if isinstance(value, dict) else None
    return type(value), kind if isinstance(kind, str) else None
