"""The files that go into a bundle, each with its size and hash; and one that changes in between is noticed."""

from __future__ import annotations

import hashlib
import io
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Final, Self

from sessionrecord.diagnostics import excerpt
from sessionrecord.errors import WriterError

__all__ = ["Part", "PartReader", "write_files"]

_CHUNK: Final = 1 << 20
_FLAGS: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


@dataclass(frozen=True, slots=True)
class Part:
    """A file of a bundle that is being written."""

    path: str
    """Its path in the bundle."""
    source: bytes | Path = field(repr=False)
    """Its bytes, or the file that holds them."""
    size: int
    """Size in bytes."""
    sha256: str
    """SHA-256, lower-case hex."""

    @classmethod
    def of(cls, path: str, source: bytes | Path) -> Self:
        """A part with its size and hash, read in pieces. Raises `OSError`."""
        if isinstance(source, bytes):
            return cls(path, source, len(source), hashlib.sha256(source).hexdigest())
        digest, size = hashlib.sha256(), 0
        with source.open("rb") as file:
            while data := file.read(_CHUNK):
                digest.update(data)
                size += len(data)
        return cls(path, source, size, digest.hexdigest())


class PartReader:
    """Reads a part's bytes once more. Raises `WriterError` at their end if they are not those that were hashed."""

    def __init__(self, part: Part) -> None:
        self._part = part
        self._digest = hashlib.sha256()
        self._file: BinaryIO = part.source.open("rb") if isinstance(part.source, Path) else io.BytesIO(part.source)

    def read(self, count: int = _CHUNK) -> bytes:
        """The next bytes, at most `count`."""
        data = self._file.read(count)
        self._digest.update(data)
        return data

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        with self._file:
            changed = kind is None and (self._digest.hexdigest() != self._part.sha256 or self._file.read(1) != b"")
        if changed:
            raise WriterError(f"{excerpt(str(self._part.source), 200)} changed while it was read; nothing was written")


def write_files(root: Path, parts: list[Part]) -> None:
    """Write parts as files of mode 0600 under a directory. Raises `OSError` and `WriterError`."""
    for part in parts:
        with PartReader(part) as source, create(root, part.path) as target:
            while data := source.read():
                target.write(data)


def create(root: Path, path: str) -> BinaryIO:
    """A new file of mode 0600 at a path that is safe, its directories made. Raises `OSError`."""
    target = root / path
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    return os.fdopen(os.open(target, _FLAGS, 0o600), "wb")
