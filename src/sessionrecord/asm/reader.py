"""Reading a file of events line by line, in constant memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, islice, repeat

from sessionrecord import ijson
from sessionrecord.asm.event import RunEvent
from sessionrecord.asm.parse import InvalidEvent, examine_line
from sessionrecord.asm.plain import read_plain
from sessionrecord.diagnostics import Diagnostic
from sessionrecord.errors import StreamError
from sessionrecord.lines import BLANKS, BOM, Batch, ByteSource, read_batches

__all__ = ["EventReader"]


class EventReader:
    """The events of a file of JSON lines, in file order: a line that is no valid event gives an `InvalidEvent`, and reading goes on.

    Iterating reads the source from where it is, a path or bytes from the start each time. Memory is bounded by a batch
    of lines of about 32 KiB and the longest line. `events()` gives the valid events alone.

    With `strict`, `StreamError` is raised at the first error, after the events before it. Both ways `SourceError` is
    raised, when iteration begins, if the source cannot be opened.
    """

    def __init__(self, source: ByteSource, *, strict: bool = False) -> None:
        self._source = source
        self._strict = strict
        self.diagnostics: list[Diagnostic] = []
        """Everything found since iteration began, up to the event that came last."""
        self._begin()

    def _begin(self) -> None:
        self.diagnostics = []
        self._line = 0
        self._empty = True
        self._crlf = 0
        self._first_crlf: tuple[int, int] | None = None

    def __iter__(self) -> Iterator[RunEvent | InvalidEvent]:
        return chain.from_iterable(self._batches())

    def events(self) -> Iterator[RunEvent]:
        """The valid events, for a fold. What is not among them is in `diagnostics`."""
        return (event for event in self if isinstance(event, RunEvent))

    def _batches(self) -> Iterator[Iterator[RunEvent | InvalidEvent]]:
        self._begin()
        for batch in read_batches(self._source):
            yield self._events(batch)
        if self._first_crlf is not None:
            self._report([Diagnostic.of("line-crlf", f"{self._crlf} lines end with CRLF")], *self._first_crlf)
        if self._empty:
            self._report([Diagnostic.of("stream-empty", "the stream holds no event")])

    def _events(self, batch: Batch) -> Iterator[RunEvent | InvalidEvent]:
        data, offset, told = batch.data, batch.offset, 0
        lines = data.split(b"\n")
        unended = len(lines) - 1
        if not lines[-1]:
            lines.pop()
        odd = ijson.has_noncharacter_bytes(data) or b"\r" in data
        plain = chain(() if odd else read_plain(lines[:unended]), repeat(None))
        for i, read in enumerate(islice(plain, len(lines))):
            event: RunEvent | InvalidEvent | None = read
            if event is None:
                offset += sum(map(len, lines[told:i])) + i - told
                told = i
                event = self._closely(lines[i], self._line + i + 1, offset, ended=i != unended)
                if event is None:
                    continue
            self._empty = False
            yield event
        self._line += len(lines)

    def _closely(self, line: bytes, number: int, offset: int, *, ended: bool) -> RunEvent | InvalidEvent | None:
        """The event with all that is to say of it, reported; None for a blank line."""
        notes: list[Diagnostic] = []
        if number == 1 and line.startswith(BOM):
            line = line.removeprefix(BOM)
            notes.append(Diagnostic.of("bom", "the stream begins with a byte order mark; it is skipped"))
        if ended and line.endswith(b"\r"):
            line = line[:-1]
            self._crlf, self._first_crlf = self._crlf + 1, self._first_crlf or (number, offset)
        if not line.strip(BLANKS):
            self._report([*notes, Diagnostic.of("line-blank", "the line is blank")], number, offset)
            return None
        event, found = examine_line(line)
        placed = self._report([*notes, *(found if ended else _unended(found))], number, offset)
        return replace(event, diagnostics=tuple(placed)) if isinstance(event, InvalidEvent) else event

    def _report(self, found: list[Diagnostic], line: int | None = None, offset: int | None = None) -> list[Diagnostic]:
        placed = [replace(d, line=line, offset=offset) for d in found]
        self.diagnostics.extend(placed)
        if self._strict and any(d.severity == "error" for d in placed):
            raise StreamError(self.diagnostics)
        return placed


def _unended(found: list[Diagnostic]) -> list[Diagnostic]:
    """The findings of a last line that has no newline: torn, or whole with only that missing."""
    cut = [d for d in found if d.code in ijson.UNREADABLE]
    if not cut:
        return [*found, Diagnostic.of("newline-missing", "the last line is whole but has no newline")]
    torn = Diagnostic.of("line-torn", f"the last line has no newline and is not whole: {cut[0].message}")
    return [*(d for d in found if d not in cut or d.code == "nul-bytes"), torn]
