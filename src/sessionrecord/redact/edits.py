"""Pieces of a text to be replaced, and putting them in."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["Edit", "apply", "merged", "touching", "within"]


@dataclass(frozen=True, slots=True)
class Edit:
    """A piece of a text to be replaced."""

    start: int
    """Where it begins, in bytes."""
    end: int
    """Where it ends: the offset behind its last byte."""
    text: bytes
    """What takes its place."""
    rules: tuple[str, ...]
    """Names of the rules that asked for it, one for each removal in it; empty where another edit counts it."""

    def moved(self, by: int) -> Edit:
        """The same edit where its text begins `by` bytes later."""
        return Edit(self.start + by, self.end + by, self.text, self.rules)


def merged(edits: Iterable[Edit]) -> list[Edit]:
    """Edits in order, none overlapping: what lies within another is left out, what overlaps it is made part of it.

    Of two for the same piece the first given stays.
    """
    found: list[Edit] = []
    for edit in sorted(edits, key=lambda e: (e.start, -e.end)):
        last = found[-1] if found else None
        if last is None or edit.start >= last.end:
            found.append(edit)
        elif edit.end > last.end:
            found[-1] = Edit(last.start, edit.end, last.text, last.rules)
    return found


def apply(text: bytes, edits: Iterable[Edit]) -> bytes:
    """The text with edits made, which are in order and do not overlap."""
    pieces: list[bytes] = []
    at = 0
    for edit in edits:
        pieces += (text[at : edit.start], edit.text)
        at = edit.end
    return b"".join((*pieces, text[at:]))


def touching(edits: list[Edit], start: int, end: int) -> bool:
    """Whether one of the edits, which are in order and do not overlap, has a byte of a piece of the text."""
    at = bisect_left(edits, end, key=lambda e: e.start) - 1
    return at >= 0 and edits[at].end > start


def within(edits: list[Edit], start: int, end: int) -> list[Edit]:
    """Those of the edits, which are in order and do not overlap, that lie in a piece of the text."""
    first = bisect_left(edits, start, key=lambda e: e.start)
    last = bisect_left(edits, end, key=lambda e: e.start)
    return [e for e in edits[first:last] if e.end <= end]
