"""A `seq` for every record of a stream in file order, with as few changed as possible."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from itertools import pairwise

from sessionrecord.ijson import MAX_SAFE_INTEGER

__all__ = ["rising"]


def rising(seqs: array[int]) -> array[int]:
    """Strictly increasing numbers for records whose own are `seqs`, -1 where one has none.

    Those of a longest rising run of the records' own stay, unless there is no room between them; each other record gets
    the number after the one before it. Takes n log n.
    """
    kept = _longest_rising(seqs)
    new = array("q")
    last = -1
    for i, seq in enumerate(seqs):
        last = seq if kept[i] and seq > last else last + 1
        new.append(last)
    if last > MAX_SAFE_INTEGER:
        # no room after the last kept numbers: count from the first
        return array("q", range(len(seqs)))
    return new


def _longest_rising(seqs: array[int]) -> bytearray:
    kept = bytearray(len(seqs))
    if all(a < b for a, b in pairwise(seqs)) and (not seqs or seqs[0] >= 0):
        return bytearray(b"\1" * len(seqs))
    # for each length of a run its smallest last number, and where that stands
    tops, ends = array("q"), array("q")
    before = array("q", bytes(8 * len(seqs)))
    for i, seq in enumerate(seqs):
        if seq < 0:
            continue
        at = bisect_left(tops, seq)
        if at < len(tops) and tops[at] == seq:
            continue  # the earlier of two equal numbers stays
        before[i] = ends[at - 1] if at else -1
        tops[at : at + 1] = array("q", [seq])
        ends[at : at + 1] = array("q", [i])
    at = ends[-1] if ends else -1
    while at >= 0:
        kept[at] = 1
        at = before[at]
    return kept
