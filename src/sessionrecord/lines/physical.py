"""Physical lines: a source cut at LF and nowhere else, in memory bounded by a chunk and the longest line."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, BinaryIO, Final, TypeAlias

from sessionrecord.errors import SourceError

__all__ = ["CHUNK_SIZE", "Batch", "ByteSource", "PhysicalLine", "read_batches", "read_lines"]

ByteSource: TypeAlias = str | os.PathLike[str] | BinaryIO | bytes
"""What lines are read from: a path, a binary file object (it need not seek, and stays open), or the bytes themselves."""

CHUNK_SIZE: Final = 32 * 1024
"""Bytes that are asked for at once."""


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


def read_batches(source: ByteSource, size: int = CHUNK_SIZE) -> Iterator[Batch]:
    """The source as batches of whole lines of about `size` bytes, or one line where that is longer.

    What a pipe holds is delivered as it comes. Raises `SourceError` if the source cannot be opened or read.
    """
    with _opened(source) as read:
        offset = 0
        pending: list[bytes] = []
        while chunk := read(size):
            end = chunk.rfind(b"\n") + 1
            if not end:
                pending.append(chunk)
                continue
            data = b"".join((*pending, chunk[:end])) if pending else chunk[:end]
            pending = [chunk[end:]] if end < len(chunk) else []
            yield Batch(offset, data)
            offset += len(data)
        if pending:
            yield Batch(offset, b"".join(pending))


def read_lines(source: ByteSource, size: int = CHUNK_SIZE) -> Iterator[PhysicalLine]:
    """The lines of a source, one by one. Raises `SourceError` if it cannot be opened or read."""
    number = 0
    for batch in read_batches(source, size):
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
