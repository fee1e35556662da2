"""The raw lines of a session and the little that opening finds of each: where it is, its type, its `seq`.

A record is typed when touched; a line that nobody changed is written back byte for byte.
"""

from __future__ import annotations

import errno
import mmap
import os
import stat
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeAlias

import orjson

from sessionrecord import ijson
from sessionrecord.diagnostics import Diagnostic, excerpt
from sessionrecord.errors import SourceError
from sessionrecord.records import RECORD_TYPES, InvalidRecord, Record
from sessionrecord.records.parse import examine_line

__all__ = ["Log", "Source"]

Source: TypeAlias = str | os.PathLike[str] | BinaryIO | bytes
"""Where a stream is read from: a path, a binary file object, or the bytes themselves."""

_CHUNK: Final = 1 << 18
_NO_TYPE: Final = 0
_OTHER: Final = 1
_HEADER: Final = 2
_BOM: Final = b"\xef\xbb\xbf"
_BLANKS: Final = b" \t\r"


class Log:
    """Lines in file order; appended ones follow those of the source. Blank lines are no records."""

    def __init__(self, source: mmap.mmap | bytes) -> None:
        self.source = source
        self.tail: list[bytes] = []
        """The lines appended."""
        self._tail_records = array("Q")
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
        self._blank: list[int] = []
        self._top = -1
        self._source_records = 0
        self._tail_offset = len(source)
        self._crlf = 0
        self._first_crlf: tuple[int, int] | None = None
        self._late_header = False
        self._open()

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

    def _open(self) -> None:
        source, size, at = self.source, len(self.source), 0
        if source[:3] == _BOM:
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
            elif line.strip(_BLANKS):
                self._top = top
                self._add_odd(line, at, number)
                top = self._top
            else:
                self._blank.append(number)
                self.findings.append((-1, Diagnostic.of("line-blank", "the line is blank", line=number, offset=at)))
            if line[-1:] == b"\r":
                self._crlf, self._first_crlf = self._crlf + 1, self._first_crlf or (number, at)
            at += len(line) + 1
        self._top = top
        return number

    def _add_odd(self, line: bytes, at: int, number: int) -> None:
        """A line of which something that the index needs is unusual, or missing."""
        value = _value(line)
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
        if number in self._blank or last < 0:
            return
        line = self.line(last)
        if line.endswith(b"\r"):  # no line end, since no LF follows
            self._crlf -= 1
            self._first_crlf = self._first_crlf if self._crlf else None
        cut = [f for f in ijson.examine(line)[1] if f.code in ijson.UNREADABLE]
        code, message = (
            ("line-torn", f"the last line has no newline and is not whole: {cut[0].message}")
            if cut
            else ("newline-missing", "the last line is whole but has no newline")
        )
        self.findings.append((last, Diagnostic.of(code, message, line=number, offset=self._starts[last])))

    def append(self, line: bytes) -> None:
        """Put a line after all others."""
        if not self.tail:
            self._end_source()
        before = len(self)
        self._add_lines([line], self._tail_offset, self._lines)
        self._lines += 1
        self._tail_offset += len(line) + 1
        self.tail.append(line)
        if len(self) > before:
            self._tail_records.append(len(self.tail) - 1)

    def _end_source(self) -> None:
        """The last line of the source gets its newline now."""
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
            line = self.tail[self._tail_records[index - self._source_records]]
            return line.removesuffix(b"\r")
        start = self._starts[index]
        end = self.source.find(b"\n", start)
        if end < 0 and not self.tail:
            return self.source[start:]
        line = self.source[start:] if end < 0 else self.source[start:end]
        return line[:-1] if line.endswith(b"\r") else line

    def line_number(self, index: int) -> int:
        """Line in the stream, from 1."""
        if not self._blank:
            return index + 1
        # the k-th blank line has k blank lines before it and blank[k]-1-k records
        low, high = 0, len(self._blank)
        while low < high:
            middle = (low + high) // 2
            if self._blank[middle] - 1 - middle <= index:
                low = middle + 1
            else:
                high = middle
        return index + 1 + low

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
        line = self.line(index)
        try:
            value = orjson.loads(line)
        except ValueError:
            value = _value(line)
        return value if isinstance(value, dict) else {}

    def read_at(self, index: int) -> tuple[Record | InvalidRecord, list[Diagnostic]]:
        """The typed record and what was found in it."""
        line = self.line(index)
        return examine_line(line, ijson.has_noncharacter_bytes(line))

    def end(self, at: int | None) -> int:
        """How many records, from the first, count at a `seq`."""
        if at is None:
            return len(self)
        if not isinstance(at, int):
            raise TypeError(f"at is a seq, an integer, not {excerpt(at)}")
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
        import tempfile  # not needed to open a session, and slow to import

        target = Path(path)
        if target.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(target))
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(self.source)
                if self.tail and len(self.source) and self.source[-1:] != b"\n":
                    file.write(b"\n")
                for line in self.tail:
                    file.write(line + b"\n")
            Path(name).replace(target)
        except BaseException:
            Path(name).unlink()
            raise


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
