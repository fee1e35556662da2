"""Characters that cannot be seen, or that reorder or hide what stands around them, are shown by their numbers."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

__all__ = ["pieces"]

_CATEGORIES: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_FILLERS: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0")
"""Letters and marks that are drawn as nothing."""
_SELECTORS: Final = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_WRITTEN: Final = (
    "\u00a1-\u00ac\u00ae-\u200a\u2010-\u2027\u2030-\u205f\u2070-\ud7ff\uf900-\ufefe\uff01-\uffef\U00010000-\U000dffff"
)
# joiners that scripts and emoji need stand between two such signs; one selector chooses how the sign before it is drawn
_NEEDED: Final = re.compile(f"(?<=[{_WRITTEN}])[\u200c\u200d](?=[{_WRITTEN}])|(?<![{_SELECTORS}])[{_SELECTORS}]")
_CANDIDATE: Final = re.compile(r"[^\n\t -~]")


@lru_cache(maxsize=4096)
def _is_hidden(char: str) -> bool:
    code = ord(char)
    return (
        unicodedata.category(char) in _CATEGORIES
        or char in _FILLERS
        or code & 0xFFFE == 0xFFFE
        or 0xFDD0 <= code <= 0xFDEF
        or 0xFE00 <= code <= 0xFE0F
        or 0xE0100 <= code <= 0xE01EF
    )


def pieces(text: str) -> Iterator[tuple[str, bool]]:
    """The text in pieces, each with whether it stands for a hidden character: `U+202E`, or `U+0000 ×12` for a run of one.

    Newlines and tabs stay. So do joiners between two signs of other scripts than ASCII, and a single variation selector.
    """
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        yield text, False
        return
    at, start, size = 0, 0, len(text)
    while at < size:
        match = _CANDIDATE.search(text, at)
        if match is None:
            break
        at = match.start()
        char = text[at]
        if not _is_hidden(char) or _NEEDED.match(text, at):
            at += 1
            continue
        if at > start:
            yield text[start:at], False
        start = at
        while at < size and text[at] == char:
            at += 1
        times = f" ×{at - start:,}" if at - start > 1 else ""
        yield f"U+{ord(char):04X}{times}", True
        start = at
    if start < size:
        yield text[start:], False
