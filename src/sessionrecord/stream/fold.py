"""What the parts of a stream mean: records in file order, and everything found in them and around them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, repeat

from sessionrecord import ijson
from sessionrecord.diagnostics import Diagnostic, excerpt
from sessionrecord.lines import BLANKS, BOM, Batch, BrokenOff, LongLine, Piece, split_glued
from sessionrecord.records import InvalidRecord, Record
from sessionrecord.records.parse import examine_line, read_plain
from sessionrecord.wire.lines import LineFindings, gap, unended

__all__ = ["StreamFold", "fragment", "glued_finding"]


class StreamFold:
    """The state of reading a stream: where it is, the highest `seq`, whether there was a header."""

    def __init__(self, *, strict: bool = False, line: int = 0, in_middle: bool = False) -> None:
        """Begin behind `line` lines; `in_middle` if the header, and a byte order mark, may stand before them."""
        self.reached: int | None = None
        """Offset behind the record that came last, where others follow it on its line; else None."""
        self._lines = LineFindings(strict=strict, in_middle=in_middle)
        self._report = self._lines.report
        self._line = line
        self._last_seq = -1
        self._empty = not in_middle
        self._header_seen = False

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """Everything found, up to the record that came last."""
        return self._lines.diagnostics

    def report_into(self, diagnostics: list[Diagnostic]) -> None:
        """Add what is found to a list that is there already."""
        self._lines.diagnostics = diagnostics

    def part(self, part: Batch | LongLine | BrokenOff) -> Iterator[Record | InvalidRecord]:
        """The records of the next part. Raises `StreamError` at the first error, if strict."""
        return self._records(part) if isinstance(part, Batch) else self._gap(part)

    def end(self) -> None:
        """What only the end shows. Raises `StreamError` if that is an error, if strict."""
        self._lines.end()
        if self._empty:
            self._report([Diagnostic.of("stream-empty", "the stream holds no record")])

    def _gap(self, part: LongLine | BrokenOff) -> Iterator[Record | InvalidRecord]:
        """A part that has no record."""
        found = [gap(part)]
        if isinstance(part, BrokenOff):
            self._report(found, None, part.offset)
            return
        self._line += 1
        if self._empty:
            found.append(_header_missing("a line that is too long"))
        self._empty = False
        self._report(found, self._line, part.offset)
        yield from ()

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
            self._last_seq = last_seq
            yield from self._odd(line, self._line + i + 1, offset, suspicious, ended=i != unended)
            last_seq = self._last_seq
        self._line, self._last_seq = self._line + len(lines), last_seq

    def _odd(
        self, line: bytes, number: int, offset: int, suspicious: bool, *, ended: bool
    ) -> Iterator[Record | InvalidRecord]:
        """The records of a line of which there may be something to say."""
        bare, notes = self._lines.bare(line, number, offset, ended=ended)
        record, found = examine_line(bare, suspicious)
        if isinstance(record, InvalidRecord) and any(d.code in ijson.UNREADABLE for d in found):
            pieces = split_glued(bare)
            if pieces:
                bom = len(BOM) if any(d.code == "bom" for d in notes) else 0
                if bom:
                    self._report(notes, number, offset)
                yield from self._glued(bare, pieces, number, offset, bom, ended)
                return
        kept = self._closely(record, bare, [*notes, *found], number, offset, ended)
        if kept is not None:
            yield kept

    def _glued(
        self, bare: bytes, pieces: list[Piece], number: int, offset: int, skipped: int, ended: bool
    ) -> Iterator[Record | InvalidRecord]:
        """The records of a glued line, and its fragments as invalid records; one finding for the line."""
        finding = glued_finding(bare, pieces)
        if not ended and not pieces[-1].whole:
            finding = Diagnostic.of("line-torn", f"the last line has no newline and is not whole: {finding.message}")
        [placed, *_] = self._report([finding], number, offset)
        for piece in pieces:
            is_last = piece is pieces[-1]
            start, data = offset + skipped + piece.start, bare[piece.start : piece.end]
            self.reached = None if is_last else offset + skipped + piece.end
            if piece.whole:
                record, found = examine_line(data, ijson.has_noncharacter_bytes(data))
                kept = self._closely(record, data, found, number, start, ended or not is_last)
            else:
                kept = fragment(data, placed)
                self._report(list(self._in_stream(kept)), number, start)
            if kept is not None:
                yield kept

    def _closely(
        self,
        record: Record | InvalidRecord,
        bare: bytes,
        found: list[Diagnostic],
        number: int,
        offset: int,
        ended: bool,
    ) -> Record | InvalidRecord | None:
        """The record with all that is to say of it, reported; None for a blank line."""
        if isinstance(record, InvalidRecord) and not bare.strip(BLANKS):
            notes = [d for d in found if d.code == "bom"]
            self._report([*notes, Diagnostic.of("line-blank", "the line is blank")], number, offset)
            return None
        if not ended:
            found = unended(found)
        own = len(found)
        found = [*found, *self._in_stream(record)]
        placed = self._report(found, number, offset)
        if isinstance(record, InvalidRecord):
            return replace(record, diagnostics=tuple(placed[:own]))
        return record

    def _in_stream(self, record: Record | InvalidRecord) -> Iterator[Diagnostic]:
        """What is wrong with the record's place in the stream, which it takes."""
        if record.type == "session":
            if self._header_seen:
                yield Diagnostic.of("header-repeated", "the stream has its session header already", record_id=record.id)
            self._header_seen = True
        elif self._empty:
            kind = "a line that is no record" if record.type is None else excerpt(record.type)
            yield _header_missing(kind, record.id)
        self._empty = False
        if record.seq is not None and record.seq <= self._last_seq:
            yield Diagnostic.of(
                "seq-not-increasing",
                f"seq {record.seq} is not above {self._last_seq}, the highest before it",
                pointer="/seq",
                record_id=record.id,
            )
        self._last_seq = max(self._last_seq, -1 if record.seq is None else record.seq)


def _header_missing(first: str, record_id: str | None = None) -> Diagnostic:
    return Diagnostic.of("header-missing", f"the first record is {first}, not the session header", record_id=record_id)


def glued_finding(line: bytes, pieces: list[Piece]) -> Diagnostic:
    """The finding of a glued line."""
    whole = sum(piece.whole for piece in pieces)
    records = f"{whole} whole record{'s' if whole > 1 else ''}"
    fragments = [line[p.start : p.end] for p in pieces if not p.whole]
    if not fragments:
        return Diagnostic.of("json-invalid", f"{records} on one line: each is read", pointer="")
    nul = any(b"\0" in f for f in fragments)
    return Diagnostic.of(
        "nul-bytes" if nul else "json-invalid",
        f"{records} on a line with {sum(map(len, fragments))} bytes that are none: what is whole is read",
        pointer="",
    )


def fragment(data: bytes, finding: Diagnostic) -> InvalidRecord:
    """The invalid record of a glued line's fragment."""
    return InvalidRecord(raw=data, type=None, seq=None, id=None, envelope=None, value=None, diagnostics=(finding,))
