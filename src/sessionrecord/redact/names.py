"""New names that stay different, however many are alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

__all__ = ["FreeNames"]


class FreeNames:
    """Names of which none is given twice. Finding one takes the same time however many are alike."""

    def __init__(self, taken: Iterable[str]) -> None:
        """`taken` are names that are not free."""
        self._taken = set(taken)
        self._alike: Counter[str] = Counter()

    def of(self, wanted: str) -> str:
        """The name wanted, or one made from it."""
        name = wanted
        while name in self._taken:
            self._alike[wanted] += 1
            name = f"{wanted}#{self._alike[wanted] + 1}"
        self._taken.add(name)
        return name
