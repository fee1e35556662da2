"""`seq` for records in file order: strictly rising, with as few changed as possible."""

from __future__ import annotations

from array import array

from hypothesis import given
from hypothesis import strategies as st

from sessionrecord.ijson import MAX_SAFE_INTEGER
from sessionrecord.validate.order import rising

SEQS = st.lists(st.integers(-1, 40), max_size=30)


def longest(seqs: list[int]) -> int:
    """Length of a longest strictly rising run, by looking at every pair."""
    best: list[int] = []
    for i, seq in enumerate(seqs):
        best.append(0 if seq < 0 else 1 + max((best[j] for j in range(i) if 0 <= seqs[j] < seq), default=0))
    return max(best, default=0)


@given(SEQS)
def test_numbers_rise_strictly_one_for_each_record(seqs: list[int]) -> None:
    new = list(rising(array("q", seqs)))
    assert len(new) == len(seqs)
    assert all(a < b for a, b in zip([-1, *new], new, strict=False))


@given(st.sets(st.integers(0, MAX_SAFE_INTEGER), max_size=30))
def test_numbers_that_rise_stay(seqs: set[int]) -> None:
    rising_already = sorted(seqs)
    assert list(rising(array("q", rising_already))) == rising_already


@given(SEQS)
def test_as_few_numbers_change_as_possible_where_there_is_room(seqs: list[int]) -> None:
    """A thousand numbers lie between any two, and before the first."""
    spread = [seq if seq < 0 else (seq + 1) * 1000 for seq in seqs]
    new = rising(array("q", spread))
    assert sum(a == b for a, b in zip(new, spread, strict=True)) == longest(spread)


def test_numbers_at_the_upper_end_are_counted_from_the_first() -> None:
    """There is no number above 2^53-1 (ASR-042)."""
    assert list(rising(array("q", [5, MAX_SAFE_INTEGER, 7, MAX_SAFE_INTEGER]))) == [5, 6, 7, MAX_SAFE_INTEGER]
    assert list(rising(array("q", [MAX_SAFE_INTEGER, -1, -1]))) == [0, 1, 2]
