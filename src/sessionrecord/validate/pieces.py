"""What can be cut out of a line that is not one JSON object: text between NUL runs, records that were glued together.

Where a line is parted is for `sessionrecord.lines.split_glued` to say, so that a repair saves what a reader reads. Beyond that, bytes
that are not UTF-8 and raw control characters in a string are written as escapes, since what they stand for is certain.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final

from sessionrecord.lines import Piece, split_glued

__all__ = ["pieces"]

_NULS: Final = re.compile(rb"\0+")
_STRUCTURE: Final = re.compile(r'[{\["]')
_BLANK: Final = " \t\r\n"
_NOT_UTF8: Final = re.compile("[\udc80-\udcff]")
_DECODER: Final = json.JSONDecoder(strict=False)
_STRING: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_CONTROL: Final = re.compile(r"[\x00-\x1f]")


def pieces(line: bytes) -> list[bytes]:
    """The JSON objects in a line that begin for certain; what lies between them is left out.

    Bytes that are not UTF-8 are given as escapes of unpaired surrogates, so that their place can be found; raw control characters
    in strings as the escapes that they should have been.
    """
    return [found for part in _NULS.split(line) for piece in _parted(part) for found in _objects(piece)]


def _parted(part: bytes) -> list[bytes]:
    cut = split_glued(part) or [Piece(0, len(part), whole=False)]
    return [part[piece.start : piece.end] for piece in cut]


def _objects(piece: bytes) -> Iterator[bytes]:
    """The whole objects from the first structure on: before it nothing was begun that they could be a part of."""
    text = piece.decode("utf-8", "surrogateescape")
    text = _NOT_UTF8.sub(lambda m: f"\\u{ord(m.group()):04x}", text)
    start = _STRUCTURE.search(text)
    at = len(text) if start is None else start.start()
    while at < len(text) and text[at] == "{":
        try:
            end = _DECODER.raw_decode(text, at)[1]
        except (ValueError, RecursionError):
            return
        yield _STRING.sub(_without_controls, text[at:end]).encode()
        at = _skip(text, end)


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in _BLANK:
        at += 1
    return at


def _without_controls(string: re.Match[str]) -> str:
    return _CONTROL.sub(lambda m: f"\\u{ord(m.group()):04x}", string.group())
