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
from sessionrecord.lines import BLANKS, ByteSource, read_batches
from sessionrecord.wire.lines import LineFindings, unended

__all__ = ["EventReader", "to_fold"]

T = TypeVar("T")
_Read: TypeAlias = Callable[[list[bytes], Closely], Iterator[T | RunEvent | InvalidEvent]]


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
        self._found = LineFindings(strict=self._strict)
        self._line = self._blank = 0

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """Everything found since iteration began, up to the event that came last."""
        return self._found.diagnostics

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
            open_line = len(lines) - 1
            if not lines[-1]:
                lines.pop()
            odd = ijson.has_noncharacter_bytes(batch.data) or b"\r" in batch.data
            plain = 0 if odd else open_line
            closely = self._in_batch(lines, batch.offset, open_line, invalid)
            yield read(lines[:plain], closely)
            yield (event for i in range(plain, len(lines)) if (event := closely(i)) is not None)
            self._line += len(lines)
        self._found.end()
        if self._line == self._blank:
            self._found.report([Diagnostic.of("stream-empty", "the stream holds no event")])

    def _in_batch(self, lines: list[bytes], offset: int, open_line: int, invalid: bool) -> Closely:
        """What looks at a line of the batch closely, each after the one before it."""
        told = 0

        def closely(i: int) -> RunEvent | InvalidEvent | None:
            nonlocal told, offset
            offset += sum(map(len, lines[told:i])) + i - told
            told = i
            event = self._closely(lines[i], self._line + i + 1, offset, ended=i != open_line)
            return event if invalid or isinstance(event, RunEvent) else None

        return closely

    def _closely(self, line: bytes, number: int, offset: int, *, ended: bool) -> RunEvent | InvalidEvent | None:
        """The event with all that is to say of it, reported; None for a blank line."""
        line, notes = self._found.bare(line, number, offset, ended=ended)
        if not line.strip(BLANKS):
            self._blank += 1
            self._found.report([*notes, Diagnostic.of("line-blank", "the line is blank")], number, offset)
            return None
        event, found = examine_line(line)
        placed = self._found.report([*notes, *(found if ended else unended(found))], number, offset)
        return replace(event, diagnostics=tuple(placed)) if isinstance(event, InvalidEvent) else event


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
