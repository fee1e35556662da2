"""Stream text in a document: shown as it is, never read as markup, with nothing hidden in it."""

from __future__ import annotations

import re
from typing import Any, Final

from sessionrecord import ijson
from sessionrecord.display.visible import visible, visible_json

__all__ = ["code", "fence", "json_text"]

_LINE: Final = 100
_BACKTICKS: Final = re.compile("`+")


def _longest_run(text: str) -> int:
    return max((len(run) for run in _BACKTICKS.findall(text)), default=0)


def fence(text: str, language: str = "") -> str:
    """A fenced code block whose fence is longer than any run of backticks in it. `text` is visible already."""
    marks = "`" * max(3, _longest_run(text) + 1)
    return f"{marks}{language}\n{text}\n{marks}"


def code(text: str) -> str:
    """Text as an inline code span: on one line, without a bar, so that it can stand in a table."""
    span = visible(text, keep="").replace("|", "\\x7c")
    if not span.strip():
        return f'`"{span}"`'
    marks = "`" * (_longest_run(span) + 1)
    space = " " if span[0] in "` " or span[-1] in "` " else ""
    return f"{marks}{space}{span}{space}{marks}"


def json_text(value: Any) -> str:
    """A JSON value, over several lines where one would be long, hidden characters as JSON escapes."""
    text = ijson.dumps(value).decode()
    if len(text) > _LINE:
        text = ijson.dumps(value, indent=True).decode()
    return visible_json(text)
