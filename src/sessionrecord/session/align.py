"""Aligning two sequences in order, at a cost that no input can drive up: a patience diff of two levels.

Items that are there once on both sides are the anchors; between two anchors a small piece is aligned exactly (longest
common subsequence), a large one by pairing the first of equal items with the first, the second with the second.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Final, TypeAlias

__all__ = ["Gap", "Pair", "align", "gaps", "increasing"]

Pair: TypeAlias = tuple[int, int]
"""Positions of two items that belong together."""
Gap: TypeAlias = tuple[range, range]
"""The positions between two neighbouring pairs, on both sides."""

CELLS: Final = 4096
"""Up to this many comparisons a piece is aligned exactly."""


def increasing(pairs: Iterable[Pair]) -> list[Pair]:
    """A longest choice of pairs in which both positions rise. No position may be in two pairs."""
    chosen = sorted(pairs)
    tails: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for n, (_, position) in enumerate(chosen):
        length = bisect_left(tails, position)
        before.append(ends[length - 1] if length else -1)
        tails[length : length + 1] = [position]
        ends[length : length + 1] = [n]
    found = []
    n = ends[-1] if ends else -1
    while n >= 0:
        found.append(chosen[n])
        n = before[n]
    found.reverse()
    return found


def gaps(pairs: Iterable[Pair], left: int, right: int) -> Iterator[Gap]:
    """What lies before, between and after rising pairs in sequences of these lengths; pieces without any item are left out."""
    i = j = 0
    for at, other in (*pairs, (left, right)):
        if at > i or other > j:
            yield range(i, at), range(j, other)
        i, j = at + 1, other + 1


def align(left: Sequence[Hashable], right: Sequence[Hashable]) -> list[Pair]:
    """Rising pairs of equal items. Takes `n log n` steps for `n` items, whatever they are."""
    start, middle, end = _trim(left, right, range(len(left)), range(len(right)))
    once = _once(left, middle[0]), _once(right, middle[1])
    anchors = increasing((i, once[1][item]) for item, i in once[0].items() if item in once[1])
    pairs = [*start, *anchors, *end]
    for gap in list(gaps(pairs, len(left), len(right))):
        pairs += _between(left, right, gap)
    return sorted(pairs)


def _trim(
    left: Sequence[Hashable], right: Sequence[Hashable], i: range, j: range
) -> tuple[list[Pair], Gap, list[Pair]]:
    """The pairs at both ends, and what is between."""
    shorter = min(len(i), len(j))
    head = 0
    while head < shorter and left[i[head]] == right[j[head]]:
        head += 1
    tail = 0
    while tail < shorter - head and left[i[-1 - tail]] == right[j[-1 - tail]]:
        tail += 1
    middle = i[head : len(i) - tail], j[head : len(j) - tail]
    return (
        list(zip(i[:head], j[:head], strict=True)),
        middle,
        list(zip(i[len(i) - tail :], j[len(j) - tail :], strict=True)),
    )


def _once(items: Sequence[Hashable], positions: range) -> dict[Hashable, int]:
    times = Counter(items[n] for n in positions)
    return {items[n]: n for n in positions if times[items[n]] == 1}


def _between(left: Sequence[Hashable], right: Sequence[Hashable], gap: Gap) -> list[Pair]:
    start, (i, j), end = _trim(left, right, *gap)
    if len(i) * len(j) <= CELLS:
        return [*start, *_longest(left, right, i, j), *end]
    nth = {key: n for n, key in _numbered(left, i)}
    return [*start, *increasing((nth[key], n) for n, key in _numbered(right, j) if key in nth), *end]


def _numbered(items: Sequence[Hashable], positions: range) -> Iterator[tuple[int, tuple[Hashable, int]]]:
    """Each position with its item and how many equal ones were before it."""
    seen: Counter[Hashable] = Counter()
    for n in positions:
        yield n, (items[n], seen[items[n]])
        seen[items[n]] += 1


def _longest(left: Sequence[Hashable], right: Sequence[Hashable], i: range, j: range) -> list[Pair]:
    """A longest common subsequence, by the table of its lengths."""
    lengths = [[0] * (len(j) + 1) for _ in range(len(i) + 1)]
    for x in range(len(i) - 1, -1, -1):
        row, below = lengths[x], lengths[x + 1]
        for y in range(len(j) - 1, -1, -1):
            row[y] = below[y + 1] + 1 if left[i[x]] == right[j[y]] else max(below[y], row[y + 1])
    pairs = []
    x = y = 0
    while x < len(i) and y < len(j):
        if left[i[x]] == right[j[y]]:
            pairs.append((i[x], j[y]))
            x, y = x + 1, y + 1
        elif lengths[x + 1][y] >= lengths[x][y + 1]:
            x += 1
        else:
            y += 1
    return pairs
