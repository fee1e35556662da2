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
from sessionrecord.lines import BLANKS, Batch, ByteSource, read_batches
from sessionrecord.wire.lines import LineFindings, unended

__all__ = ["EventReader"]


class EventReader:
    """The events of a file of JSON lines, in file order: a line that is no valid event gives an `InvalidEvent`, and reading goes on.

    Iterating reads the source from where it is, a path or bytes from the start each time. Memory is bounded by a batch
    of lines of about 32 KiB and the longest line. `events()` gives the valid events alone.

    With `strict`, `StreamError` is raised at the first error, after the events before it. Both ways `SourceError` is
    raised, when iteration begins, if the source cannot be opened, and where a compressed one is damaged, after the events before that:
    a fold must not take them for the whole run.
    """

    def __init__(self, source: ByteSource, *, strict: bool = False) -> None:
        self._source = source
        self._strict = strict
        self._begin()

    def _begin(self) -> None:
        self._lines = LineFindings(strict=self._strict)
        self._line = 0
        self._empty = True

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """Everything found since iteration began, up to the event that came last."""
        return self._lines.diagnostics

    def __iter__(self) -> Iterator[RunEvent | InvalidEvent]:
        return chain.from_iterable(self._batches())

    def events(self) -> Iterator[RunEvent]:
        """The valid events, for a fold. What is not among them is in `diagnostics`."""
        return (event for event in self if isinstance(event, RunEvent))

    def _batches(self) -> Iterator[Iterator[RunEvent | InvalidEvent]]:
        self._begin()
        for batch in read_batches(self._source):
            yield self._events(batch)
        self._lines.end()
        if self._empty:
            self._lines.report([Diagnostic.of("stream-empty", "the stream holds no event")])

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
        line, notes = self._lines.bare(line, number, offset, ended=ended)
        if not line.strip(BLANKS):
            self._lines.report([*notes, Diagnostic.of("line-blank", "the line is blank")], number, offset)
            return None
        event, found = examine_line(line)
        placed = self._lines.report([*notes, *(found if ended else unended(found))], number, offset)
        return replace(event, diagnostics=tuple(placed)) if isinstance(event, InvalidEvent) else event
