"""Given values to be looked for in a text, however many there are."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

__all__ = ["Needle", "Needles"]

Needle: TypeAlias = tuple[bytes, str]
"""A form of a value, and the value's name."""

_HEAD: Final = array("I").itemsize
"""Bytes of a needle that are compared at once: four, which every value has."""
_MANY: Final = 50
"""From so many needles on it is quicker to compare heads than to look for each."""


class Needles:
    """The forms of all values."""

    def __init__(self, needles: Iterable[Needle]) -> None:
        """Needles in the order of their rules."""
        self._all = tuple(needles)
        self._by_head: defaultdict[int, list[tuple[int, Needle]]] = defaultdict(list)
        for n, needle in enumerate(self._all):
            self._by_head[_heads(needle[0][:_HEAD], 0)[0]].append((n, needle))
        self._heads = frozenset(self._by_head)

    def likely(self, text: bytes) -> Sequence[Needle]:
        """In their order, those that may be in a text: all that are, and few others."""
        if len(self._all) < _MANY:
            return self._all
        heads: set[int] = set()
        for start in range(_HEAD):
            heads |= self._heads.intersection(_heads(text, start))
        return [needle for _, needle in sorted(found for head in heads for found in self._by_head[head])]


def _heads(text: bytes, start: int) -> array[int]:
    """The bytes of a text from a place on as numbers, of a head each."""
    heads = array("I")
    heads.frombytes(text[start : start + max(0, len(text) - start) // _HEAD * _HEAD])
    return heads
