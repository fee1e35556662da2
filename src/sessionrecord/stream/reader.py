"""Reading a stream record by record, in constant memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, repeat
from typing import Final

from sessionrecord import ijson
from sessionrecord.diagnostics import Diagnostic, excerpt
from sessionrecord.errors import StreamError
from sessionrecord.lines import Batch, ByteSource, read_batches
from sessionrecord.records import InvalidRecord, Record
from sessionrecord.records.parse import examine_line, read_plain

__all__ = ["StreamReader"]

_BOM: Final = b"\xef\xbb\xbf"
_BLANKS: Final = b" \t\r"


class StreamReader:
    """The records of a stream, in file order: a line that is no valid record gives an `InvalidRecord`, and reading goes on.

    Iterating reads the source from where it is, a path or bytes from the start each time. The source is read in batches
    of whole lines of about 32 KiB; memory is bounded by a batch and the longest line.

    Found besides what is wrong with one record: lines (spec section 1), a header that is missing or repeated, `seq` that
    does not rise. Record IDs used twice are not found, since that takes memory for each: `Session` finds them.

    With `strict`, `StreamError` is raised at the first error, after the records before it. Both ways `SourceError` is
    raised, when iteration begins, if the source cannot be opened.
    """

    def __init__(self, source: ByteSource, *, strict: bool = False) -> None:
        self._source = source
        self._strict = strict
        self.diagnostics: list[Diagnostic] = []
        """Everything found since iteration began, up to the record that came last."""
        self._begin()

    def _begin(self) -> None:
        self.diagnostics = []
        self._line = 0
        self._last_seq = -1
        self._empty = True
        self._header_seen = False
        self._crlf = 0
        self._first_crlf: tuple[int, int] | None = None

    def __iter__(self) -> Iterator[Record | InvalidRecord]:
        return chain.from_iterable(self._batches())

    def _batches(self) -> Iterator[Iterator[Record | InvalidRecord]]:
        self._begin()
        for batch in read_batches(self._source):
            yield self._records(batch)
        if self._first_crlf is not None:
            self._report([Diagnostic.of("line-crlf", f"{self._crlf} lines end with CRLF")], *self._first_crlf)
        if self._empty:
            self._report([Diagnostic.of("stream-empty", "the stream holds no record")])

    def _records(self, batch: Batch) -> Iterator[Record | InvalidRecord]:
        data, offset, told = batch.data, batch.offset, 0
        suspicious = ijson.has_noncharacter_bytes(data)
        lines = data.split(b"\n")
        unended = len(lines) - 1
        if not lines[-1]:
            lines.pop()
        plain = () if suspicious or b"\r" in data or self._empty else read_plain(lines[:unended])
        last_seq = self._last_seq
        for i, (line, record) in enumerate(zip(lines, chain(plain, repeat(None)), strict=False)):
            if record is not None and record.seq > last_seq:
                last_seq = record.seq
                yield record
                continue
            offset += sum(map(len, lines[told:i])) + i - told
            told = i
            number = self._line + i + 1
            bare, notes = self._bare(line, number, offset, ended=i != unended)
            examined, found = examine_line(bare, suspicious)
            kept = self._closely(examined, bare, [*notes, *found], number, offset, last_seq, i == unended)
            if kept is not None:
                last_seq = max(last_seq, -1 if examined.seq is None else examined.seq)
                yield kept
        self._line, self._last_seq = self._line + len(lines), last_seq

    def _bare(self, line: bytes, number: int, offset: int, *, ended: bool) -> tuple[bytes, list[Diagnostic]]:
        """The line without what surrounds it, and a note of each thing taken off; CRLF is counted."""
        notes: list[Diagnostic] = []
        if number == 1 and line.startswith(_BOM):
            line = line.removeprefix(_BOM)
            notes.append(Diagnostic.of("bom", "the stream begins with a byte order mark; it is skipped"))
        if ended and line.endswith(b"\r"):
            line = line[:-1]
            self._crlf, self._first_crlf = self._crlf + 1, self._first_crlf or (number, offset)
        return line, notes

    def _closely(
        self,
        record: Record | InvalidRecord,
        bare: bytes,
        found: list[Diagnostic],
        number: int,
        offset: int,
        last_seq: int,
        unended: bool,
    ) -> Record | InvalidRecord | None:
        """The record with all that is to say of it, reported; None for a blank line."""
        if isinstance(record, InvalidRecord) and not bare.strip(_BLANKS):
            notes = [d for d in found if d.code == "bom"]
            self._report([*notes, Diagnostic.of("line-blank", "the line is blank")], number, offset)
            return None
        if unended:
            found = _unended(record, found)
        own = len(found)
        found = [*found, *self._in_stream(record, last_seq)]
        placed = self._report(found, number, offset)
        if isinstance(record, InvalidRecord):
            return replace(record, diagnostics=tuple(placed[:own]))
        return record

    def _in_stream(self, record: Record | InvalidRecord, last_seq: int) -> Iterator[Diagnostic]:
        """What is wrong with the record's place in the stream."""
        if record.type == "session":
            if self._header_seen:
                yield Diagnostic.of("header-repeated", "the stream has its session header already", record_id=record.id)
            self._header_seen = True
        elif self._empty:
            kind = "a line that is no record" if record.type is None else excerpt(record.type)
            yield Diagnostic.of(
                "header-missing", f"the first record is {kind}, not the session header", record_id=record.id
            )
        self._empty = False
        if record.seq is not None and record.seq <= last_seq:
            yield Diagnostic.of(
                "seq-not-increasing",
                f"seq {record.seq} is not above {last_seq}, the highest before it",
                pointer="/seq",
                record_id=record.id,
            )

    def _report(self, found: list[Diagnostic], line: int | None = None, offset: int | None = None) -> list[Diagnostic]:
        placed = [replace(d, line=line, offset=offset) for d in found]
        self.diagnostics.extend(placed)
        if self._strict and any(d.severity == "error" for d in placed):
            raise StreamError(self.diagnostics)
        return placed


def _unended(record: Record | InvalidRecord, found: list[Diagnostic]) -> list[Diagnostic]:
    """The findings of a last line that has no newline: torn, or whole with only that missing."""
    cut = [d for d in found if d.code in ijson.UNREADABLE]
    if not cut:
        return [*found, Diagnostic.of("newline-missing", "the last line is whole but has no newline")]
    torn = Diagnostic.of("line-torn", f"the last line has no newline and is not whole: {cut[0].message}")
    return [*(d for d in found if d not in cut or d.code == "nul-bytes"), torn]
