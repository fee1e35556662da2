"""Stream text with nothing hidden in it: what could steer a terminal, reorder or hide text is written as an escape."""

from __future__ import annotations

import unicodedata
from typing import Final

__all__ = ["visible", "visible_json"]

# joiners that scripts and emoji need; they move nothing
_HARMLESS: Final = frozenset("\u200c\u200d")
_HIDDEN: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def visible(text: str, keep: str = "\n\t") -> str:
    """`text` with every character that is not seen, or reorders others, written as an escape; those in `keep` stay."""
    return text if text.isprintable() else "".join(char if char in keep else _shown(char) for char in text)


def visible_json(text: str) -> str:
    """JSON text with such characters as escapes of JSON, so that it reads as the same value; line feeds stay."""
    return text if text.isprintable() else "".join(char if char == "\n" else _json(char) for char in text)


def _shown(char: str) -> str:
    if char.isprintable() or char in _HARMLESS or unicodedata.category(char) not in _HIDDEN:
        return char
    return char.encode("unicode_escape").decode("ascii")


def _json(char: str) -> str:
    if _shown(char) == char:
        return char
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{int.from_bytes(units[i : i + 2], 'big'):04x}" for i in range(0, len(units), 2))
