"""Aligning sequences: what is aligned is equal and in order, as much as can be where little is at stake, at a bounded cost."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from sessionrecord.session.align import align, gaps, increasing


def longest(left: list[int], right: list[int]) -> int:
    """The length of a longest common subsequence, by definition."""
    row = [0] * (len(right) + 1)
    for x in left:
        before = row[:]
        for j, y in enumerate(right, 1):
            row[j] = before[j - 1] + 1 if x == y else max(before[j], row[j - 1])
    return row[-1]


few = st.lists(st.integers(0, 4), max_size=30)


@given(few, few)
def test_pairs_are_equal_items_in_rising_order(left: list[int], right: list[int]) -> None:
    pairs = align(left, right)
    assert all(left[i] == right[j] for i, j in pairs)
    assert all(a < c and b < d for (a, b), (c, d) in pairwise(pairs))


@given(few, few)
def test_nothing_is_left_that_could_be_paired_between_two_neighbours(left: list[int], right: list[int]) -> None:
    for i, j in gaps(align(left, right), len(left), len(right)):
        assert not {left[n] for n in i} & {right[n] for n in j}


@given(st.lists(st.integers(0, 2), max_size=20), st.lists(st.integers(0, 2), max_size=20))
def test_without_items_that_are_there_once_the_alignment_is_a_longest_one(left: list[int], right: list[int]) -> None:
    left, right = left * 2, right * 2
    assert len(align(left, right)) == longest(left, right)


@given(few)
def test_a_sequence_is_aligned_with_itself_whole(items: list[int]) -> None:
    assert align(items, items) == [(i, i) for i in range(len(items))]


@given(st.lists(st.integers(), unique=True, max_size=40), st.data())
def test_what_was_taken_out_and_put_in_is_found_where_items_are_distinct(items: list[int], data: st.DataObject) -> None:
    left = [x for x in items if data.draw(st.booleans())]
    right = [x for x in items if data.draw(st.booleans())]
    assert [left[i] for i, _ in align(left, right)] == [x for x in items if x in left and x in right]


@given(st.permutations(range(9)))
def test_the_longest_rising_choice_is_taken(order: list[int]) -> None:
    pairs = list(enumerate(order))
    chosen = increasing(pairs)
    assert chosen == sorted(chosen)
    assert [j for _, j in chosen] == sorted(j for _, j in chosen)
    assert len(chosen) == longest(order, sorted(order))


def test_gaps_are_what_no_pair_covers() -> None:
    assert list(gaps([(1, 0), (2, 3)], 4, 4)) == [
        (range(1), range(0)),
        (range(2, 2), range(1, 3)),
        (range(3, 4), range(4, 4)),
    ]
    assert list(gaps([], 0, 0)) == []


class Counted:
    """An item that counts how often it is compared or hashed."""

    steps = 0

    def __init__(self, value: int) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        Counted.steps += 1
        return isinstance(other, Counted) and other.value == self.value

    def __hash__(self) -> int:
        Counted.steps += 1
        return hash(self.value)


def steps(left: list[int], right: list[int]) -> int:
    Counted.steps = 0
    align([Counted(x) for x in left], [Counted(x) for x in right])
    return Counted.steps


def test_no_input_makes_the_steps_grow_faster_than_the_items() -> None:
    """Repeated items, reversed order, staggered pairs that become unique one after another: the worst cases of other algorithms."""
    chance = random.Random(1)
    worst: list[Callable[[int], tuple[list[int], list[int]]]] = [
        lambda n: ([1] * n, [2, *[1] * n, 3]),
        lambda n: ([0, 1] * n, [1, 0] * n),
        lambda n: (list(range(n)), list(range(n))[::-1]),
        lambda n: ([x for i in range(n) for x in (i, i + 1)], [x for i in range(n) for x in (i + 1, i)]),
        lambda n: ([chance.randrange(3) for _ in range(n)], [chance.randrange(3) for _ in range(n)]),
        lambda n: (list(range(n)), list(range(n, 2 * n))),
        lambda n: ([x % 60 for x in range(n)], [x % 61 for x in range(n)]),
    ]
    for make in worst:
        assert steps(*make(8000)) < 10 * steps(*make(1000)) + 100_000
