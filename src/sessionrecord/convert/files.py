"""The bytes of a native log, also where it is compressed: told by its first bytes, never by its name."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeAlias

from sessionrecord.diagnostics import excerpt
from sessionrecord.errors import SourceError

__all__ = ["LogFile", "LogSource", "read_head", "read_source"]

LogSource: TypeAlias = str | os.PathLike[str] | BinaryIO | bytes
"""A path, a binary file object, or the bytes themselves; gzip and zstd are unpacked."""

_GZIP: Final = b"\x1f\x8b\x08"
_ZSTD: Final = b"\x28\xb5\x2f\xfd"
# a decompressor that fails loses what it has not handed out, so it is fed little at once
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
    fresh = _decompressor(data)
    if fresh is None:
        return LogFile(data, path)
    faults: list[str] = []
    unpacked = b"".join(_unpacked(data, fresh, faults))
    if faults and not unpacked:
        raise SourceError(f"cannot unpack {excerpt(str(path or 'the log'), 200)}: {faults[0]}")
    return LogFile(unpacked, path, faults[0] if faults else None)


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
    fresh = _decompressor(packed)
    if fresh is None:
        return packed[:size]
    head: list[bytes] = []
    for piece in _unpacked(packed, fresh, []):
        head.append(piece)
        if sum(map(len, head)) >= size:
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


def _decompressor(data: bytes) -> Callable[[], Any] | None:
    if data.startswith(_GZIP):
        return lambda: zlib.decompressobj(wbits=31)
    if not data.startswith(_ZSTD):
        return None
    try:
        import zstandard
    except ImportError:
        raise SourceError(
            "the log is compressed with zstd, which needs a package: pip install 'sessionrecord[zstd]'"
        ) from None
    return zstandard.ZstdDecompressor(max_window_size=2**31).decompressobj


def _unpacked(data: bytes, fresh: Callable[[], Any], faults: list[str]) -> Iterator[bytes]:
    """The pieces of one or more frames; what is wrong with them is added to `faults`."""
    at, magic = 0, data[:3]
    while at < len(data):
        frame = fresh()
        while not frame.eof and at < len(data):
            chunk = data[at : at + _CHUNK]
            at += len(chunk)
            try:
                yield frame.decompress(chunk)
            except Exception as e:  # zlib.error, or ZstdError of a package that may be missing
                faults.append(f"the compressed data is broken: {e}")
                return
        if not frame.eof:
            faults.append("the compressed data is cut")
            return
        at -= len(frame.unused_data)
        if not data.startswith(magic, at):
            if data[at:].strip(b"\0"):
                faults.append(f"{len(data) - at} bytes follow the compressed data")
            return
