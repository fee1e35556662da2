"""How much of a session is shown, and an account of what is not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

__all__ = ["NOTEBOOK", "PAGE", "Limits", "Omission", "Room"]


@dataclass(frozen=True, slots=True)
class Limits:
    """How much may be shown. What is beyond is counted, and named with the way to get at it."""

    text: int
    """Characters of one text."""
    total: int
    """Characters of all texts together; each text counts as some more than it has, so that many short ones end too."""
    blocks: int
    """Content blocks of one record."""
    items: int
    """Records, items of a context view, revisions: the first and the last of them."""
    rows: int
    """Rows of a table."""
    image: int
    """Bytes of one image."""
    images: int
    """Bytes of all images together."""
    whole: int
    """Records up to which everything is read; of a larger session only what needs no reading of each record is told."""


NOTEBOOK: Final = Limits(
    text=20_000, total=400_000, blocks=200, items=60, rows=50, image=2_000_000, images=6_000_000, whole=5_000
)  # fmt: skip
"""What the output of a cell holds: some megabytes at most."""
PAGE: Final = Limits(
    text=200_000, total=40_000_000, blocks=10_000, items=10_000, rows=1_000, image=20_000_000, images=100_000_000, whole=100_000
)  # fmt: skip
"""What a page holds that a browser can still open."""


@dataclass(frozen=True, slots=True)
class Omission:
    """Something that the session has and what is shown of it has not."""

    kind: str
    """What was left out: `text`, `blocks`, `records`, `items`, `revisions`, `rows`, `image`, `bytes`, `encrypted`, `not-counted`."""
    place: str
    """Where it is, as a Python expression."""
    count: int
    """How much: characters of `text` and `encrypted`, bytes of `image` and `bytes`, otherwise how many."""
    explanation: str
    """Why, in words."""


_EACH: Final = 50
"""Characters that each text counts besides its own, for the markup around it."""


class Room:
    """The space that is left, and what had none. `place` says, as a Python expression, where what is being shown can be found."""

    def __init__(self, limits: Limits, place: str) -> None:
        self.limits = limits
        self.place = place
        self.omissions: list[Omission] = []
        self._text = limits.total
        self._images = limits.images

    @contextmanager
    def at(self, place: str) -> Iterator[None]:
        """While what is shown can be found at another place."""
        before, self.place = self.place, place
        yield
        self.place = before

    @property
    def is_full(self) -> bool:
        """Whether no text has room any more."""
        return self._text <= 0

    def cut(self, text: str, limit: int | None = None) -> tuple[str, int]:
        """As much of a text as has room, and how many characters have none."""
        size = min(len(text), self.limits.text if limit is None else limit, max(self._text, 0))
        self._text -= size + _EACH
        left = len(text) - size
        if left:
            self.omit("text", left, "the text is long" if self._text > 0 else "all texts together are long")
        return text[:size], left

    def has_image(self, size: int) -> bool:
        """Whether an image of `size` bytes has room; if so it is taken."""
        if size > min(self.limits.image, self._images):
            return False
        self._images -= size
        return True

    def omit(self, kind: str, count: int, explanation: str) -> None:
        """Take down that something at `place` is not shown."""
        self.omissions.append(Omission(kind, self.place, count, explanation))
