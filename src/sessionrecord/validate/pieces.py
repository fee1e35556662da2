"""What can be cut out of a line that is not one JSON object: text between NUL runs, records that were glued together."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from sessionrecord import ijson

__all__ = ["Piece", "pieces"]

_NULS: Final = re.compile(rb"\0+")
_RECORD_START: Final = re.compile(r'\{[ \t]*"(?:type|seq|id)"[ \t]*:')
_BLANK: Final = " \t\r"
_NOT_UTF8: Final = re.compile("[\udc80-\udcff]")
_DECODER: Final = json.JSONDecoder(strict=False)
_STRING: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_CONTROL: Final = re.compile(r"[\x00-\x1f]")
_WORK: Final = 8
"""How many times the length of a line is read at most in objects that lie within others."""
_CUTS: Final = 32
"""How many objects may be cut off, each within the one before: a place where a record seems to begin in none is one, too."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A JSON object in a line."""

    data: bytes
    """Its text."""
    certain: bool
    """Whether it begins for certain; else it follows a cut object, and might be a part of that."""


def pieces(line: bytes) -> list[Piece]:
    """The JSON objects in a line; what lies between them is left out.

    An object that follows another whole one, or a run of NUL bytes, begins for certain. After a cut object a record may begin where
    its first member is `type`, `seq` or `id`, everything from there on is whole objects, and each has an envelope.
    Bytes that are not UTF-8 are given as escapes of unpaired surrogates, so that their place can be found; raw control characters
    in strings as the escapes that they should have been.
    """
    return [piece for part in _NULS.split(line) for piece in _objects(_escaped(part))]


def _escaped(part: bytes) -> str:
    text = part.decode("utf-8", "surrogateescape")
    return _NOT_UTF8.sub(lambda m: f"\\u{ord(m.group()):04x}", text)


def _objects(text: str) -> Iterator[Piece]:
    found, end = _whole(text, 0)
    yield from (Piece(data, certain=True) for data in found)
    if end >= len(text):
        return
    budget, cuts = _WORK * len(text), 0
    for start in _RECORD_START.finditer(text, end + 1):
        found, stop = _whole(text, start.start())
        if found and stop >= len(text) and all(map(_has_envelope, found)):
            yield from (Piece(data, certain=False) for data in found)
            return
        budget -= stop - start.start()
        cuts += not found
        if budget < 0 or cuts > _CUTS:
            return


def _whole(text: str, at: int) -> tuple[list[bytes], int]:
    """The whole objects from a place on, and where they end."""
    found = []
    while at < len(text):
        if text[at] in _BLANK:
            at += 1
            continue
        if text[at] != "{":
            break
        try:
            end = _DECODER.raw_decode(text, at)[1]
        except (ValueError, RecursionError):
            break
        found.append(_STRING.sub(_without_controls, text[at:end]).encode())
        at = end
    return found, at


def _without_controls(string: re.Match[str]) -> str:
    return _CONTROL.sub(lambda m: f"\\u{ord(m.group()):04x}", string.group())


def _has_envelope(piece: bytes) -> bool:
    value: Any = ijson.examine(piece)[0]
    return (
        isinstance(value, dict)
        and isinstance(value.get("type"), str)
        and isinstance(value.get("id"), str)
        and type(value.get("seq")) is int
    )
