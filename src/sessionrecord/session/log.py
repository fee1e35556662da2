"""The raw lines of a session and the little that opening finds of each: where it is, its type, its `seq`.

A record is typed when touched; a line that nobody changed is written back byte for byte.
"""

from __future__ import annotations

import mmap
import os
import stat
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from operator import itemgetter
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeAlias

import orjson

from sessionrecord import ijson
from sessionrecord.diagnostics import Diagnostic, excerpt
from sessionrecord.errors import SourceError
from sessionrecord.lines import BLANKS, BOM, split_glued
from sessionrecord.lines.compressed import is_compressed, unpack
from sessionrecord.lines.whole import write_whole
from sessionrecord.records import RECORD_TYPES, InvalidRecord, Record
from sessionrecord.records.parse import examine_line
from sessionrecord.stream.fold import fragment, glued_finding

__all__ = ["Log", "Source", "members_of"]

Source: TypeAlias = str | os.PathLike[str] | BinaryIO | bytes
"""Where a stream is read from: a path, a binary file object, or the bytes themselves; compressed ones are unpacked."""

_CHUNK: Final = 1 << 18
_NO_TYPE: Final = 0
_OTHER: Final = 1
_HEADER: Final = 2


class Log:
    """Lines in file order; appended ones follow those of the source. Blank lines are no records.

    A glued line gives a record for each of its pieces; it is still one line, and written back as it is.
    """

    def __init__(self, source: mmap.mmap | bytes, broken: str | None = None) -> None:
        """Open what a source holds; `broken` says how it was damaged, if it was unpacked already."""
        if broken is None and is_compressed(source[:4]):
            with memoryview(source) as packed:
                source, broken = unpack(packed)
        self.source = source
        self.tail: list[bytes] = []
        """The lines appended."""
        self._tail_records: list[bytes] = []
        self._glued_end: tuple[Diagnostic, Diagnostic] | None = None
        """What is found in a glued last line that ends in a fragment: while it has no newline, and once it has."""
        self._lines = 0
        self.types: list[str | None] = [None, None, *RECORD_TYPES]
        """Type code to type; code 0 stands for no readable type, 1 for one beyond the table."""
        self.codes: dict[Any, int] = {t: i for i, t in enumerate(self.types) if t is not None}
        self.type_codes = array("H")
        self.seqs = array("q")
        """The `seq` each record counts with in folds: its own, or the highest before it where its own is not above that."""
        self.findings: list[tuple[int, Diagnostic]] = []
        """What opening found, each with the index of its record (-1: the file)."""
        self._starts = array("Q")
        self._ends: dict[int, int] = {}
        """Where a piece of a glued line ends, by the index of its record."""
        self._fragments: dict[int, Diagnostic] = {}
        """What was found in the glued lines of those pieces that are no record."""
        self._shifts: list[tuple[int, int]] = []
        """From which index on the line number is how much more than index + 1."""
        self._shift = 0
        self._top = -1
        self._source_records = 0
        self._tail_offset = len(source)
        self._crlf = 0
        self._first_crlf: tuple[int, int] | None = None
        self._late_header = False
        self._open()
        self._broken = broken
        if broken is not None:
            offset = len(source)
            self.findings.append((len(self), Diagnostic.of("compression-broken", broken, offset=offset)))

    @classmethod
    def read(cls, source: Source) -> Log:
        """Open a source. A regular file is mapped, not copied. Raises `SourceError`."""
        if isinstance(source, bytes):
            return cls(source)
        if isinstance(source, str | os.PathLike):
            return cls(_map(Path(source)))
        if not hasattr(source, "read"):
            kind = type(source).__name__
            raise SourceError(f"cannot read a stream from {kind}: give a path, a binary file or bytes")
        try:
            data = source.read()
        except (OSError, ValueError) as e:
            raise SourceError(f"cannot read the stream: {e}") from e
        if not isinstance(data, bytes):
            raise SourceError("the file object gives text; open it in binary mode")
        return cls(data)

    def __len__(self) -> int:
        return len(self.seqs)

    def __reduce__(self) -> tuple[Any, ...]:
        # with its bytes, since the file may be another one where it is unpickled
        return _restored, (self.source[:], self._broken, tuple(self.tail))

    def _open(self) -> None:
        source, size, at = self.source, len(self.source), 0
        if source[:3] == BOM:
            self.findings.append(
                (-1, Diagnostic.of("bom", "the stream begins with a byte order mark", line=1, offset=0))
            )
            at = 3
        number = 0
        while at < size:
            end = at + _CHUNK
            if end < size:
                newline = source.find(b"\n", end)
                end = size if newline < 0 else newline + 1
            chunk = source[at:end]
            lines = chunk.split(b"\n")
            if chunk.endswith(b"\n"):
                lines.pop()
            number = self._add_lines(lines, at, number)
            at = end
        self._source_records = len(self.seqs)
        self._lines = number
        unended = size > 0 and source[size - 1 : size] != b"\n"
        if unended:
            self._end_without_newline(number)
        self._report_crlf()
        self._tail_offset = size + unended

    def _report_crlf(self) -> None:
        self.findings = [f for f in self.findings if f[1].code != "line-crlf"]
        if self._first_crlf is not None:
            line, offset = self._first_crlf
            found = Diagnostic.of("line-crlf", f"{self._crlf} lines end with CRLF", line=line, offset=offset)
            self.findings.append((-1, found))

    def _add_lines(self, lines: list[bytes], at: int, number: int) -> int:
        loads, codes = orjson.loads, self.codes
        starts, type_codes, seqs, top = self._starts, self.type_codes, self.seqs, self._top
        for line in lines:
            number += 1
            seq, record_id, code = None, None, _NO_TYPE
            try:
                value = loads(line)
                seq, record_id = value["seq"], value["id"]
                code = codes[value["type"]]
            except (ValueError, KeyError, TypeError):
                seq = None
            if (
                type(seq) is int
                and top < seq <= ijson.MAX_SAFE_INTEGER
                and type(record_id) is str
                and record_id
                and (code == _HEADER) == (not seqs)
            ):
                top = seq
                starts.append(at)
                type_codes.append(code)
                seqs.append(seq)
            elif line.strip(BLANKS):
                self._top = top
                self._add_odd(line, at, number)
                top = self._top
            else:
                self._move(1)
                self.findings.append((-1, Diagnostic.of("line-blank", "the line is blank", line=number, offset=at)))
            if line[-1:] == b"\r":
                self._crlf, self._first_crlf = self._crlf + 1, self._first_crlf or (number, at)
            at += len(line) + 1
        self._top = top
        return number

    def _add_odd(self, line: bytes, at: int, number: int) -> None:
        """A line of which something that the index needs is unusual, or missing."""
        value = _value(line)
        pieces = split_glued(line) if value is None else []
        if not pieces:
            self._add_members(value, at, number)
            return
        first, finding = len(self.seqs), replace(glued_finding(line, pieces), line=number, offset=at)
        self.findings.append((first, finding))
        for piece in pieces:
            index = len(self.seqs)
            if index != first:
                self._move(-1)
            self._ends[index] = at + piece.end
            if not piece.whole:
                self._fragments[index] = finding
            self._add_members(_value(line[piece.start : piece.end]) if piece.whole else None, at + piece.start, number)

    def _move(self, by: int) -> None:
        """From the next record on, line numbers and indexes are further apart: by a blank line, or a glued record."""
        self._shift += by
        self._shifts.append((len(self.seqs), self._shift))

    def _add_members(self, value: Any, at: int, number: int) -> None:
        members = value if isinstance(value, dict) else {}
        record_type, seq, record_id = members.get("type"), members.get("seq"), members.get("id")
        index = len(self.seqs)
        self._starts.append(at)
        self.type_codes.append(self._code(record_type))
        record_id = record_id if isinstance(record_id, str) else None
        place = {"line": number, "offset": at, "record_id": record_id}
        if type(seq) is int and 0 <= seq <= ijson.MAX_SAFE_INTEGER:
            if seq <= self._top:
                self._note(index, "seq-not-increasing", f"seq {seq} is not above {self._top}", "/seq", place)
            self._top = max(self._top, seq)
        self.seqs.append(self._top)
        if index == 0 and record_type != "session":
            self._note(
                index,
                "header-missing",
                f"the first record is {excerpt(record_type)}, not the session header",
                "/type",
                place,
            )
        elif index > 0 and record_type == "session":
            if self.type_codes[0] != _HEADER and not self._late_header:
                self._late_header = True
                return
            self._note(index, "header-repeated", "a stream has one session header, and it comes first", "/type", place)

    def _note(self, index: int, code: str, message: str, pointer: str, place: dict[str, Any]) -> None:
        self.findings.append((index, Diagnostic.of(code, message, pointer=pointer, **place)))

    def _code(self, record_type: Any) -> int:
        if not isinstance(record_type, str):
            return _NO_TYPE
        code = self.codes.get(record_type)
        if code is None:
            if len(self.types) >= 1 << 16:
                return _OTHER
            code = self.codes[record_type] = len(self.types)
            self.types.append(record_type)
        return code

    def _end_without_newline(self, number: int) -> None:
        last = len(self.seqs) - 1
        if last < 0 or self.line_number(last) != number:
            return
        line = self.line(last)
        if self.source[len(self.source) - 1 :] == b"\r":  # no line end, since no LF follows
            self._crlf -= 1
            self._first_crlf = self._first_crlf if self._crlf else None
        if last in self._fragments:
            glued = self._fragments[last]
            message = f"the last line has no newline and is not whole: {glued.message}"
            torn = Diagnostic.of("line-torn", message, line=number, offset=glued.offset)
            self._glued_end = torn, glued
            self._put_for(glued, torn)
            return
        cut = [f for f in ijson.examine(line)[1] if f.code in ijson.UNREADABLE]
        code, message = (
            ("line-torn", f"the last line has no newline and is not whole: {cut[0].message}")
            if cut
            else ("newline-missing", "the last line is whole but has no newline")
        )
        self.findings.append((last, Diagnostic.of(code, message, line=number, offset=self._starts[last])))

    def _put_for(self, old: Diagnostic, new: Diagnostic) -> None:
        """Put a finding in the place of another, that of a glued line."""
        self.findings = [(i, new if d is old else d) for i, d in self.findings]
        self._fragments = {i: new if d is old else d for i, d in self._fragments.items()}

    def append(self, line: bytes) -> None:
        """Put a line after all others."""
        if not self.tail:
            self._end_source()
        first, at = len(self), self._tail_offset
        self._add_lines([line], at, self._lines)
        self._lines += 1
        self._tail_offset += len(line) + 1
        self.tail.append(line)
        for index in range(first, len(self)):
            piece = line[self._starts[index] - at : self._ends.get(index, self._tail_offset) - at]
            self._tail_records.append(piece.removesuffix(b"\r"))

    def _end_source(self) -> None:
        """The last line of the source gets its newline now."""
        if self._glued_end is not None:
            self._put_for(*self._glued_end)
        self.findings = [f for f in self.findings if f[1].code not in ("line-torn", "newline-missing")]
        size = len(self.source)
        if self.source[size - 1 : size] == b"\r":
            self._crlf, self._first_crlf = self._crlf + 1, self._first_crlf or (self._lines, self._last_start())
            self._report_crlf()

    def _last_start(self) -> int:
        return self.source.rfind(b"\n") + 1

    def line(self, index: int) -> bytes:
        """A record's line without its line end."""
        if index >= self._source_records:
            return self._tail_records[index - self._source_records]
        start = self._starts[index]
        end = self._ends.get(index) or self.source.find(b"\n", start)
        if end < 0 and not self.tail:
            return self.source[start:]
        line = self.source[start:] if end < 0 else self.source[start:end]
        return line[:-1] if line.endswith(b"\r") else line

    def line_number(self, index: int) -> int:
        """Line in the stream, from 1."""
        before = bisect_right(self._shifts, index, key=itemgetter(0))
        return index + 1 + (self._shifts[before - 1][1] if before else 0)

    def offset(self, index: int) -> int:
        """Offset of a line's first byte, in bytes."""
        return self._starts[index]

    def type(self, index: int) -> str | None:
        """The record type, where one can be read."""
        code = self.type_codes[index]
        if code == _OTHER:
            found: str = self.value(index)["type"]
            return found
        return self.types[code]

    def value(self, index: int) -> dict[str, Any]:
        """The members as plain JSON, not proved; empty where the line is no JSON object."""
        return members_of(self.line(index))

    def read_at(self, index: int) -> tuple[Record | InvalidRecord, list[Diagnostic]]:
        """The typed record and what was found in it."""
        line = self.line(index)
        if index in self._fragments:
            return fragment(line, self._fragments[index]), []
        return examine_line(line, ijson.has_noncharacter_bytes(line))

    def end(self, at: int | None) -> int:
        """How many records, from the first, count at a `seq`."""
        if at is None:
            return len(self)
        return bisect_left(self.seqs, at + 1)

    def of_types(self, types: Iterable[str], end: int) -> Iterator[int]:
        """Indexes of the records of some types, in file order."""
        codes = {self.codes[t] for t in types if t in self.codes}
        for index, code in enumerate(self.type_codes):
            if index >= end:
                return
            if code in codes:
                yield index

    def untyped(self, end: int) -> Iterator[int]:
        """Indexes of the lines without a record type, which no fold can count."""
        codes, at = self.type_codes, 0
        with suppress(ValueError):
            while (at := codes.index(_NO_TYPE, at, end)) >= 0:
                yield at
                at += 1

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the source as it is, then what was appended; through a temporary file, mode 0600. Raises `OSError`."""
        write_whole(path, self._whole())

    def _whole(self) -> Iterator[bytes | memoryview]:
        with memoryview(self.source) as source:
            yield source
        if self.tail and len(self.source) and self.source[-1:] != b"\n":
            yield b"\n"
        for line in self.tail:
            yield line + b"\n"


def members_of(line: bytes) -> dict[str, Any]:
    """The members on a line as plain JSON, not proved; empty where it is no JSON object."""
    try:
        value = orjson.loads(line)
    except ValueError:
        value = _value(line)
    return value if isinstance(value, dict) else {}


def _restored(source: bytes, broken: str | None, tail: tuple[bytes, ...]) -> Log:
    log = Log(source, broken)
    for line in tail:
        log.append(line)
    return log


def _value(line: bytes) -> Any:
    return ijson.examine(line[:-1] if line.endswith(b"\r") else line)[0]


def _map(path: Path) -> mmap.mmap | bytes:
    try:
        with path.open("rb") as file:
            info = os.fstat(file.fileno())
            if stat.S_ISREG(info.st_mode) and info.st_size:
                return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            return file.read()
    except OSError as e:
        raise SourceError(f"cannot open {path}: {e.strerror or e}") from e
