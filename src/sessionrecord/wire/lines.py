"""What is found in the lines of a source, whatever stands in them: marks and line ends, how the last one ends, what has no bytes to read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from sessionrecord import ijson
from sessionrecord.diagnostics import Diagnostic
from sessionrecord.errors import StreamError
from sessionrecord.lines import BOM, BrokenOff, LongLine

__all__ = ["LineFindings", "gap", "unended"]


class LineFindings:
    """Everything found, line by line."""

    def __init__(self, *, strict: bool = False, in_middle: bool = False) -> None:
        """`strict` to raise at the first error; `in_middle` where a byte order mark may stand before what is read."""
        self.diagnostics: list[Diagnostic] = []
        """Everything found so far."""
        self._strict = strict
        self._in_middle = in_middle
        self._crlf = 0
        self._first_crlf: tuple[int, int] | None = None

    def bare(self, line: bytes, number: int, offset: int, *, ended: bool) -> tuple[bytes, list[Diagnostic]]:
        """The line without what surrounds it, and a note of each thing taken off; CRLF is counted."""
        notes: list[Diagnostic] = []
        if number == 1 and not self._in_middle and line.startswith(BOM):
            line = line.removeprefix(BOM)
            notes.append(Diagnostic.of("bom", "the stream begins with a byte order mark; it is skipped"))
        if ended and line.endswith(b"\r"):
            line = line[:-1]
            self._crlf, self._first_crlf = self._crlf + 1, self._first_crlf or (number, offset)
        return line, notes

    def report(
        self, found: Iterable[Diagnostic], line: int | None = None, offset: int | None = None
    ) -> list[Diagnostic]:
        """Take findings in, with their place. Raises `StreamError` if one is an error, if strict."""
        placed = [replace(d, line=line, offset=offset) for d in found]
        self.diagnostics.extend(placed)
        if self._strict and any(d.severity == "error" for d in placed):
            raise StreamError(self.diagnostics)
        return placed

    def end(self) -> None:
        """Say how many lines end with CRLF."""
        if self._first_crlf is not None:
            self.report([Diagnostic.of("line-crlf", f"{self._crlf} lines end with CRLF")], *self._first_crlf)


def gap(part: LongLine | BrokenOff) -> Diagnostic:
    """What is to say where bytes are not there to be read."""
    if isinstance(part, BrokenOff):
        return Diagnostic.of("compression-broken", part.reason)
    return Diagnostic.of("line-too-long", f"the line has {part.length} bytes; it is skipped")


def unended(found: list[Diagnostic]) -> list[Diagnostic]:
    """The findings of a last line that has no newline: torn, or whole with only that missing."""
    cut = [d for d in found if d.code in ijson.UNREADABLE]
    if not cut:
        return [*found, Diagnostic.of("newline-missing", "the last line is whole but has no newline")]
    torn = Diagnostic.of("line-torn", f"the last line has no newline and is not whole: {cut[0].message}")
    return [*(d for d in found if d not in cut or d.code == "nul-bytes"), torn]
