"""Reading a file of events line by line, in constant memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import chain
from typing import TypeAlias, TypeVar, cast

from sessionrecord import ijson
from sessionrecord.asm.event import RunEvent
from sessionrecord.asm.parse import InvalidEvent, examine_line
from sessionrecord.asm.plain import Closely, PlainMembers, read_events, read_members
from sessionrecord.diagnostics import Diagnostic
from sessionrecord.errors import StreamError
from sessionrecord.lines import BLANKS, BOM, ByteSource, read_batches

__all__ = ["EventReader", "to_fold"]

T = TypeVar("T")
_Read: TypeAlias = Callable[[list[bytes], Closely], Iterator[T | RunEvent | InvalidEvent]]


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
        self._line = self._blank = 0
        self._crlf = 0
        self._first_crlf: tuple[int, int] | None = None

    def __iter__(self) -> Iterator[RunEvent | InvalidEvent]:
        return self._read(read_events, invalid=True)

    def events(self) -> Iterator[RunEvent]:
        """The valid events, for a fold. What is not among them is in `diagnostics`."""
        return ValidEvents(self)

    def _read(self, read: _Read[T], *, invalid: bool) -> Iterator[T | RunEvent | InvalidEvent]:
        return chain.from_iterable(self._batches(read, invalid))

    def _batches(self, read: _Read[T], invalid: bool) -> Iterator[Iterator[T | RunEvent | InvalidEvent]]:
        """What is read of each batch of lines, with the invalid events or without."""
        self._begin()
        for batch in read_batches(self._source):
            lines = batch.data.split(b"\n")
            unended = len(lines) - 1
            if not lines[-1]:
                lines.pop()
            odd = ijson.has_noncharacter_bytes(batch.data) or b"\r" in batch.data
            plain = 0 if odd else unended
            closely = self._in_batch(lines, batch.offset, unended, invalid)
            yield read(lines[:plain], closely)
            yield (event for i in range(plain, len(lines)) if (event := closely(i)) is not None)
            self._line += len(lines)
        if self._first_crlf is not None:
            self._report([Diagnostic.of("line-crlf", f"{self._crlf} lines end with CRLF")], *self._first_crlf)
        if self._line == self._blank:
            self._report([Diagnostic.of("stream-empty", "the stream holds no event")])

    def _in_batch(self, lines: list[bytes], offset: int, unended: int, invalid: bool) -> Closely:
        """What looks at a line of the batch closely, each after the one before it."""
        told = 0

        def closely(i: int) -> RunEvent | InvalidEvent | None:
            nonlocal told, offset
            offset += sum(map(len, lines[told:i])) + i - told
            told = i
            event = self._closely(lines[i], self._line + i + 1, offset, ended=i != unended)
            return event if invalid or isinstance(event, RunEvent) else None

        return closely

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
            self._blank += 1
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


class ValidEvents(Iterator[RunEvent]):
    """The valid events of a reader. A fold takes what it needs of them without making the events."""

    def __init__(self, reader: EventReader) -> None:
        self._reader = reader
        self._begun: Iterator[RunEvent] | None = None

    def __iter__(self) -> Iterator[RunEvent]:
        if self._begun is None:
            self._begun = cast("Iterator[RunEvent]", self._reader._read(read_events, invalid=False))
        return self._begun

    def __next__(self) -> RunEvent:
        return next(iter(self))


def to_fold(events: Iterable[RunEvent | InvalidEvent]) -> Iterable[PlainMembers | RunEvent | InvalidEvent] | None:
    """What a fold reads of events in a file: their members, which cost less. None for events from elsewhere."""
    if isinstance(events, EventReader) and type(events).__iter__ is EventReader.__iter__:
        return events._read(read_members, invalid=True)
    if isinstance(events, ValidEvents) and events._begun is None:
        events._begun = iter(())
        return events._reader._read(read_members, invalid=False)
    return None


def _unended(found: list[Diagnostic]) -> list[Diagnostic]:
    """The findings of a last line that has no newline: torn, or whole with only that missing."""
    cut = [d for d in found if d.code in ijson.UNREADABLE]
    if not cut:
        return [*found, Diagnostic.of("newline-missing", "the last line is whole but has no newline")]
    torn = Diagnostic.of("line-torn", f"the last line has no newline and is not whole: {cut[0].message}")
    return [*(d for d in found if d not in cut or d.code == "nul-bytes"), torn]
