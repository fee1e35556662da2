"""Reading a stream record by record, in constant memory."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
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
_CUT: Final = frozenset({"json-invalid", "utf8-invalid", "nul-bytes"})


class StreamReader:
    """The records of a stream, in file order: a line that is no valid record gives an `InvalidRecord`, and reading goes on.

    Iterating reads the source from where it is, a path or bytes from the start each time. The source is read in batches
    of whole lines of about 32 KiB, each typed at once; memory is bounded by a batch and the longest line. For speed
    Python's cyclic garbage collector rests while a batch is typed.

    Found besides what is wrong with one record: lines (spec section 1), a header that is missing or repeated, `seq` that
    does not rise. Record IDs used twice are not found, since that takes memory for each: `Session` finds them.

    With `strict`, `StreamError` is raised at the first error, after the records before it. Both ways `SourceError` is
    raised, when iteration begins, if the source cannot be opened.
    """

    def __init__(self, source: ByteSource, *, strict: bool = False) -> None:
        self._source = source
        self._strict = strict
        self.diagnostics: list[Diagnostic] = []
        """Everything found since iteration began; may be ahead of the records by the rest of a batch."""
        self._begin()

    def _begin(self) -> None:
        self.diagnostics = []
        self._line = 0
        self._last_seq = -1
        self._empty = True
        self._header_seen = False
        self._failed = False
        self._crlf = 0
        self._first_crlf: tuple[int, int] | None = None

    def __iter__(self) -> Iterator[Record | InvalidRecord]:
        return chain.from_iterable(self._batches())

    def _batches(self) -> Iterator[list[Record | InvalidRecord]]:
        self._begin()
        for batch in read_batches(self._source):
            yield self._read(batch)
            if self._failed:
                raise StreamError(self.diagnostics)
        if self._first_crlf is not None:
            self._report([Diagnostic.of("line-crlf", f"{self._crlf} lines end with CRLF")], *self._first_crlf)
        if self._empty:
            self._report([Diagnostic.of("stream-empty", "the stream holds no record")])
            if self._failed:
                raise StreamError(self.diagnostics)

    def _read(self, batch: Batch) -> list[Record | InvalidRecord]:
        paused = gc.isenabled()
        gc.disable()
        try:
            return self._records(batch)
        finally:
            if paused:
                gc.enable()

    def _records(self, batch: Batch) -> list[Record | InvalidRecord]:
        data, offset = batch.data, batch.offset
        suspicious = ijson.has_noncharacter_bytes(data)
        lines = data.split(b"\n")
        unended = len(lines) - 1
        if not lines[-1]:
            lines.pop()
        records: list[Record | InvalidRecord] = []
        i, number, last_seq = 0, self._line, self._last_seq
        plain = not (suspicious or b"\r" in data or self._empty)
        while i < len(lines):
            if plain and i != unended:
                before = len(records)
                last_seq = read_plain(lines[i:unended], last_seq, records)
                done = len(records) - before
                offset += sum(map(len, lines[i : i + done])) + done
                i += done
                number += done
                if i == len(lines):
                    break
            line = lines[i]
            number += 1
            bare, notes = self._bare(line, number, offset, ended=i != unended)
            record, found = examine_line(bare, suspicious)
            seq = record.seq
            kept = self._closely(record, bare, [*notes, *found], number, offset, last_seq, i == unended)
            if self._failed:
                break
            if kept is not None:
                records.append(kept)
                if seq is not None and seq > last_seq:
                    last_seq = seq
            offset += len(line) + 1
            i += 1
        self._line, self._last_seq = number, last_seq
        return records

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
        self._failed = self._strict and any(d.severity == "error" for d in placed)
        return placed


def _unended(record: Record | InvalidRecord, found: list[Diagnostic]) -> list[Diagnostic]:
    """The findings of a last line that has no newline: torn, or whole with only that missing."""
    cut = [d for d in found if d.code in _CUT]
    if not cut:
        return [*found, Diagnostic.of("newline-missing", "the last line is whole but has no newline")]
    torn = Diagnostic.of("line-torn", f"the last line has no newline and is not whole: {cut[0].message}")
    return [*(d for d in found if d not in cut or d.code == "nul-bytes"), torn]
