"""Glued lines: a torn tail that the next record was written behind, records with no LF between them, junk around one.

A boundary counts only where it is certain, which is where the JSON before it cannot go on: nothing that may be a value
inside another is taken for a record.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from json import JSONDecodeError, JSONDecoder
from typing import Any, Final

__all__ = ["Piece", "split_glued"]


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a glued line."""

    start: int
    """Where it begins in the line, in bytes from 0."""
    end: int
    """Where it ends: the offset behind its last byte."""
    whole: bool
    """Whether it is a whole record; else it is what lies before, between or behind such, torn or junk."""


_SPACE: Final = re.compile(r"[ \t\r\n]*")
_OPENING: Final = re.compile(r'\{[ \t\r]*"')
_OPENED: Final = re.compile(r'\{[ \t\r]*"[ \t\r]*\Z')
_STRUCTURE: Final = re.compile(r'[{\["]')
_VALUE_NEXT: Final = re.compile(r"[:,\[][ \t\r]*\Z")
_LOOK_BACK: Final = 64


def _integer(literal: str) -> int | str:
    return int(literal) if len(literal) < 20 else literal  # the length of what int() takes is limited


_DECODER: Final = JSONDecoder(parse_int=_integer, parse_float=str)


def split_glued(line: bytes) -> list[Piece]:
    """The pieces of a line, in order, spaces between them left out; empty where no boundary is certain.

    Otherwise there are at least two pieces, and one at least is a whole record: an object with a `type`, a `seq` and an
    `id`. For lines that are not one JSON text. Takes time linear in the line's length.
    """
    return _Splitter(line).pieces()


class _Splitter:
    def __init__(self, line: bytes) -> None:
        # one character a byte: JSON's own characters are ASCII, and positions are offsets
        self._text = line.decode("latin-1")
        self._budget = 8 * len(line) + (1 << 20)

    def pieces(self) -> list[Piece]:
        found: list[Piece] = []
        text, at = self._text, self._skip(0)
        try:
            while at < len(text):
                value, end = self._decode(at)
                if not _is_record(value):
                    start, end = self._next_record(at, end, whole=isinstance(value, dict))
                    found.append(Piece(at, len(text[at:start].rstrip(" \t\r\n")) + at, whole=False))
                    at = start
                if at < len(text):
                    found.append(Piece(at, end, whole=True))
                    at = self._skip(end)
        except RecursionError:
            return []
        return found if len(found) > 1 and any(piece.whole for piece in found) else []

    def _skip(self, at: int) -> int:
        space = _SPACE.match(self._text, at)
        return space.end() if space else at

    def _decode(self, at: int) -> tuple[Any, int]:
        """The value that begins at `at`, and its end; None and where it cannot go on, if it is not whole."""
        try:
            value, end = _DECODER.raw_decode(self._text, at)
        except JSONDecodeError as e:
            # the error counts the lines before it
            self._budget -= (len(self._text) if e.msg.startswith("Unterminated") else e.pos) - at + e.pos // 4
            return None, e.pos
        self._budget -= end - at
        return value, end

    def _next_record(self, at: int, stop: int, *, whole: bool) -> tuple[int, int]:
        """Start and end of the first certain record behind a fragment; both the line's length if there is none.

        `stop` is where the fragment cannot go on, so the boundary is there or, where a torn string swallowed the first
        quote of the record behind it, just before that.
        """
        text = self._text
        near = _OPENED.search(text, max(at + 1, stop - _LOOK_BACK), stop)
        boundary = near.start() if near and not whole else stop
        structure = _STRUCTURE.search(text, at)
        inside = structure.start() if structure else len(text)
        for opening in _OPENING.finditer(text, boundary):
            start = opening.start()
            if start == at:
                continue
            # far from the boundary it might be a value of the fragment, damaged twice
            if start not in (boundary, stop, inside) and _VALUE_NEXT.search(text, max(at, start - _LOOK_BACK), start):
                continue
            if self._budget < 0:
                break
            value, end = self._decode(start)
            behind = self._skip(end)
            if _is_record(value) and (start == inside or behind == len(text) or text[behind] == "{"):
                return start, end
        return len(text), len(text)


def _is_record(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("type"), str)
        and type(value.get("seq")) is int
        and isinstance(value.get("id"), str)
        and bool(value["id"])
    )
