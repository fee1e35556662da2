"""The bytes of a native log, also where it is compressed: told by its first bytes, never by its name."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final, TypeAlias

from sessionrecord.diagnostics import excerpt
from sessionrecord.errors import SourceError
from sessionrecord.lines.compressed import Unpacker, is_compressed, unpack

__all__ = ["LogFile", "LogSource", "read_head", "read_source"]

LogSource: TypeAlias = str | os.PathLike[str] | BinaryIO | bytes
"""A path, a binary file object, or the bytes themselves; gzip and zstd are unpacked."""

_CHUNK: Final = 64 * 1024


@dataclass(frozen=True, slots=True)
class LogFile:
    """A log that was read."""

    data: bytes
    """Its bytes, unpacked."""
    path: Path | None
    """Where it was read from, where that is a file."""
    fault: str | None = None
    """Why the bytes are not all there, in words: compressed data that is cut or broken."""

    @property
    def name(self) -> str | None:
        """The base name, as text."""
        return None if self.path is None else os.fsencode(self.path.name).decode("utf-8", "replace")

    @property
    def stem(self) -> str | None:
        """The base name without the endings of a log."""
        if self.name is None:
            return None
        return self.name.removesuffix(".gz").removesuffix(".zst").removesuffix(".jsonl")


def read_source(source: LogSource) -> LogFile:
    """The log of a source. Raises `SourceError`; compressed data that ends early gives what could be read."""
    data, path = _read(source)
    if not is_compressed(data[:4]):
        return LogFile(data, path)
    with memoryview(data) as packed:
        unpacked, fault = unpack(packed)
    if fault is not None and not unpacked:
        raise SourceError(f"cannot unpack {excerpt(str(path or 'the log'), 200)}: {fault}")
    return LogFile(unpacked, path, fault)


def read_head(source: str | os.PathLike[str] | bytes, size: int) -> bytes:
    """The first bytes of a log, unpacked: about `size`. Raises `SourceError`."""
    if isinstance(source, bytes | bytearray | memoryview):
        packed = bytes(source[: size + _CHUNK])
    else:
        try:
            with Path(source).open("rb") as file:
                packed = file.read(size + _CHUNK)
        except (OSError, ValueError) as e:
            raise _unreadable(source, e) from e
    if not is_compressed(packed[:4]):
        return packed[:size]
    head, length = list[bytes](), 0
    for piece in Unpacker().feed(packed):
        head.append(piece)
        length += len(piece)
        if length >= size:
            break
    return b"".join(head)[:size]


def _read(source: LogSource) -> tuple[bytes, Path | None]:
    if isinstance(source, bytes | bytearray | memoryview):
        return bytes(source), None
    try:
        if isinstance(source, str | os.PathLike):
            path = Path(source)
            return path.read_bytes(), path
        data = source.read()
        name = getattr(source, "name", None)
    except AttributeError:
        raise SourceError(f"a {type(source).__name__} cannot be read: give a path, a binary file or bytes") from None
    except (OSError, ValueError) as e:
        raise _unreadable(source, e) from e
    if not isinstance(data, bytes):
        raise SourceError("the file was opened as text: open it in binary mode")
    return data, Path(name) if isinstance(name, str) else None


def _unreadable(source: object, e: OSError | ValueError) -> SourceError:
    return SourceError(f"cannot read {excerpt(str(source), 200)}: {getattr(e, 'strerror', None) or e}")
