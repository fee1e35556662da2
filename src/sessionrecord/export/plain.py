"""Stream text in a document: shown as it is, never read as markup, with nothing hidden in it."""

from __future__ import annotations

import re
import unicodedata
from typing import Any, Final

from sessionrecord import ijson

__all__ = ["code", "fence", "json_text", "visible"]

# joiners that scripts and emoji need; they move nothing
_HARMLESS: Final = frozenset("\u200c\u200d")
_HIDDEN: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_LINE: Final = 100
_BACKTICKS: Final = re.compile("`+")


def visible(text: str, keep: str = "\n\t") -> str:
    """`text` with every character that is not seen, or reorders others, written as an escape; those in `keep` stay."""
    return text if text.isprintable() else "".join(_shown(char, keep) for char in text)


def _shown(char: str, keep: str) -> str:
    if char in keep or char.isprintable() or char in _HARMLESS or unicodedata.category(char) not in _HIDDEN:
        return char
    return char.encode("unicode_escape").decode("ascii")


def _longest_run(text: str) -> int:
    return max((len(run) for run in _BACKTICKS.findall(text)), default=0)


def fence(text: str, language: str = "") -> str:
    """A fenced code block whose fence is longer than any run of backticks in it. `text` is visible already."""
    marks = "`" * max(3, _longest_run(text) + 1)
    return f"{marks}{language}\n{text}\n{marks}"


def code(text: str) -> str:
    """Text as an inline code span: on one line, without a bar, so that it can stand in a table."""
    shown = visible(text, keep="").replace("|", "\\x7c")
    if not shown.strip():
        return f'`"{shown}"`'
    marks = "`" * (_longest_run(shown) + 1)
    space = " " if shown[0] in "` " or shown[-1] in "` " else ""
    return f"{marks}{space}{shown}{space}{marks}"


def json_text(value: Any) -> str:
    """A JSON value, over several lines where one would be long, hidden characters as JSON escapes."""
    text = ijson.dumps(value).decode()
    if len(text) > _LINE:
        text = ijson.dumps(value, indent=True).decode()
    if text.isprintable():
        return text
    return "".join(char if char == "\n" else _json_escape(char) for char in text)


def _json_escape(char: str) -> str:
    if _shown(char, "") == char:
        return char
    data = char.encode("utf-16-be")
    return "".join(f"\\u{int.from_bytes(data[i : i + 2], 'big'):04x}" for i in range(0, len(data), 2))
