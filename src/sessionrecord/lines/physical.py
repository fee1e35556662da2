"""Physical lines: a source cut at LF and nowhere else, in memory bounded by a chunk and the longest line."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, BinaryIO, Final, TypeAlias

from sessionrecord.errors import SourceError
from sessionrecord.lines.compressed import Unpacker

__all__ = [
    "BLANKS",
    "BOM",
    "CHUNK_SIZE",
    "Batch",
    "BrokenOff",
    "ByteSource",
    "LineCutter",
    "LongLine",
    "Parts",
    "PhysicalLine",
    "read_batches",
    "read_lines",
    "read_parts",
]

ByteSource: TypeAlias = str | os.PathLike[str] | BinaryIO | bytes
"""What lines are read from: a path, a binary file object (it need not seek, and stays open), or the bytes themselves."""

BOM: Final = b"\xef\xbb\xbf"
"""The byte order mark of UTF-8, which a source may begin with."""
BLANKS: Final = b" \t\r"
"""What a blank line may hold: JSON's white space, without the LF that ends it."""
CHUNK_SIZE: Final = 32 * 1024
"""Bytes that are asked for at once."""
_UNPACKED_LINE: Final = 1 << 30


@dataclass(frozen=True, slots=True)
class Batch:
    """Whole lines as they lie in the source, LFs included. Only the last line of a source may lack its LF."""

    offset: int
    """Offset of the first byte in the source, from 0."""
    data: bytes
    """The bytes; never empty."""


@dataclass(frozen=True, slots=True)
class PhysicalLine:
    """One line."""

    number: int
    """Line in the source, from 1."""
    offset: int
    """Offset of the line's first byte in the source, from 0."""
    data: bytes
    """The bytes without the LF; a CR before it is still there."""
    ended: bool
    """Whether there was an LF."""


@dataclass(frozen=True, slots=True)
class LongLine:
    """A line that is longer than the reader was told to hold; its bytes are gone."""

    offset: int
    """Offset of the line's first byte in the source, from 0."""
    length: int
    """How many bytes it has, its LF not counted."""


@dataclass(frozen=True, slots=True)
class BrokenOff:
    """The end of a compressed source that is cut short or damaged; all that could be read came before it."""

    offset: int
    """How many bytes could be read, unpacked."""
    reason: str
    """What is wrong with it, in words."""


class LineCutter:
    """Bytes in any portions in, whole lines out, in memory bounded by a portion and the longest line.

    With `most`, no line longer than that many bytes, its LF not counted, is held or given out: a `LongLine` tells of it.
    """

    def __init__(self, most: int | None = None) -> None:
        self.offset = 0
        """Offset of the next line that comes out, from 0."""
        self.most = most
        """The most bytes that a line given out may have; None for no cap."""
        self._pending: list[bytes] = []
        self._length = 0  # of the line that is pending
        self._dropped = False

    def feed(self, chunk: bytes) -> Iterator[Batch | LongLine]:
        """What the next bytes complete. What is not complete by then is held."""
        end = chunk.rfind(b"\n") + 1
        if not end:
            self._hold(chunk)
            return
        if self._dropped:
            first = chunk.find(b"\n")
            yield self._long(self._length + first)
            chunk, end = chunk[first + 1 :], end - first - 1
            self._dropped, self._length = False, 0
        data = b"".join((*self._pending, chunk[:end])) if self._pending else chunk[:end]
        self._pending, self._length = [], 0
        if self.most is None or len(data) <= self.most:
            if data:
                yield Batch(self.offset, data)
                self.offset += len(data)
        else:
            yield from self._measured(data, self.most)
        self._hold(chunk[end:])

    def end(self) -> Iterator[Batch | LongLine]:
        """The last line, if it has no LF."""
        if self._dropped:
            yield self._long(self._length, lf=0)
        elif self._pending:
            data = b"".join(self._pending)
            yield Batch(self.offset, data)
            self.offset += len(data)

    def _hold(self, chunk: bytes) -> None:
        if not chunk:
            return
        self._length += len(chunk)
        if self.most is not None and self._length > self.most:
            self._pending, self._dropped = [], True
        else:
            self._pending.append(chunk)

    def _measured(self, data: bytes, most: int) -> Iterator[Batch | LongLine]:
        """Batches of the lines that are short enough, with what takes the place of the others between them."""
        start = at = 0
        while at < len(data):
            end = data.index(b"\n", at)
            if end - at > most:
                if at > start:
                    yield Batch(self.offset, data[start:at])
                    self.offset += at - start
                yield self._long(end - at)
                start = end + 1
            at = end + 1
        if at > start:
            yield Batch(self.offset, data[start:at])
            self.offset += at - start

    def _long(self, length: int, lf: int = 1) -> LongLine:
        line = LongLine(self.offset, length)
        self.offset += length + lf
        return line


class Parts:
    """The parts of a source as its bytes come in: unpacked if it is compressed, then cut into lines.

    A compressed source has a cap on the length of lines even if none is given, since a few of its bytes may stand for
    a line that no memory holds.
    """

    def __init__(self, most: int | None = None) -> None:
        self._unpacker = Unpacker()
        self._cutter = LineCutter(most)

    def feed(self, chunk: bytes) -> Iterator[Batch | LongLine]:
        """What the next bytes complete."""
        for data in self._unpacker.feed(chunk):
            if self._cutter.most is None and self._unpacker.is_compressed:
                self._cutter.most = _UNPACKED_LINE
            yield from self._cutter.feed(data)

    @property
    def done(self) -> bool:
        """Whether no more bytes are of use: the source is damaged."""
        return self._unpacker.broken is not None

    def end(self) -> Iterator[Batch | LongLine | BrokenOff]:
        """What is left when the source has ended."""
        for data in self._unpacker.end():
            yield from self._cutter.feed(data)
        yield from self._cutter.end()
        if self._unpacker.broken is not None:
            yield BrokenOff(self._cutter.offset, self._unpacker.broken)


def read_parts(
    source: ByteSource, most: int | None = None, size: int = CHUNK_SIZE
) -> Generator[Batch | LongLine | BrokenOff]:
    """The source as batches of whole lines of about `size` bytes, or one line where that is longer than `size`.

    A line longer than `most` bytes is not held. A source that is compressed with gzip or Zstandard is unpacked; whether
    it is, is seen from its first bytes. What a pipe holds is delivered as it comes.

    Raises `SourceError` if the source cannot be opened or read.
    """
    with _opened(source) as read:
        parts = Parts(most)
        while not parts.done and (chunk := read(size)):
            yield from parts.feed(chunk)
        yield from parts.end()


def read_batches(source: ByteSource, size: int = CHUNK_SIZE) -> Iterator[Batch]:
    """The source as batches of whole lines, as `read_parts` gives them.

    Raises `SourceError` if the source cannot be opened or read, or at the place where it is damaged.
    """
    return _batches(read_parts(source, size=size), None)


def _batches(
    parts: Iterator[Batch | LongLine | BrokenOff], broken: Callable[[BrokenOff], object] | None
) -> Iterator[Batch]:
    for part in parts:
        if isinstance(part, LongLine):
            raise SourceError(f"a line of {part.length} bytes at offset {part.offset} is too long to be unpacked")
        if isinstance(part, Batch):
            yield part
        elif broken is not None:
            broken(part)
        else:
            raise SourceError(f"cannot read on at offset {part.offset}: {part.reason}")


def read_lines(
    source: ByteSource, size: int = CHUNK_SIZE, *, broken: Callable[[BrokenOff], object] | None = None
) -> Iterator[PhysicalLine]:
    """The lines of a source, one by one.

    Raises `SourceError` if it cannot be opened or read, or is compressed and damaged; with `broken`, that is told instead, and the lines
    before the damage are all there are.
    """
    number = 0
    for batch in _batches(read_parts(source, size=size), broken):
        offset = batch.offset
        *whole, rest = batch.data.split(b"\n")
        for data in whole:
            number += 1
            yield PhysicalLine(number, offset, data, ended=True)
            offset += len(data) + 1
        if rest:
            number += 1
            yield PhysicalLine(number, offset, rest, ended=False)


@contextmanager
def _opened(source: ByteSource) -> Iterator[Callable[[int], bytes]]:
    if isinstance(source, bytes | bytearray | memoryview):
        yield _reading(io.BytesIO(source), "the bytes")
    elif isinstance(source, str | os.PathLike):
        name = os.fspath(source)
        try:
            file = open(name, "rb", buffering=0)  # noqa: SIM115, PTH123 -- closed below, and a path need not be a Path
        except (OSError, ValueError) as e:
            raise SourceError(f"cannot open {name!r}: {_reason(e)}") from e
        with file:
            yield _reading(file, repr(name))
    elif _is_text(source):
        raise SourceError("the file is open as text: open it in binary mode, 'rb'")
    elif hasattr(source, "read"):
        yield _reading(source, repr(getattr(source, "name", "the file")))
    else:
        raise SourceError(f"cannot read lines from {type(source).__name__}: give a path, a binary file or bytes")


def _is_text(file: object) -> bool:
    return isinstance(file, io.TextIOBase)


def _reading(file: Any, name: str) -> Callable[[int], bytes]:
    # read1 hands out what a pipe holds, where read would wait for a full chunk
    read = getattr(file, "read1", file.read)

    def read_some(size: int) -> bytes:
        try:
            chunk = read(size)
        except (OSError, ValueError) as e:
            raise SourceError(f"cannot read {name}: {_reason(e)}") from e
        if not isinstance(chunk, bytes | bytearray | memoryview):
            kind = "nothing yet: it is non-blocking" if chunk is None else f"{type(chunk).__name__}, not bytes"
            raise SourceError(f"cannot read {name}: it gave {kind}")
        return bytes(chunk)

    return read_some


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
