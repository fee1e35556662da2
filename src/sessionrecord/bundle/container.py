"""What holds the files of a bundle: a directory or an archive, read in place."""

from __future__ import annotations

import io
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import BinaryIO

from typing_extensions import Buffer

from sessionrecord.bundle.findings import BundleDiagnostic, found, refusal
from sessionrecord.bundle.limits import RATIO_FROM, Limits
from sessionrecord.bundle.paths import Paths, path_fault
from sessionrecord.errors import BundleError

__all__ = ["Container", "Listing", "SharedFile", "Slice"]


class SharedFile:
    """A seekable file that several readers use at once, each at its own offset."""

    def __init__(self, file: BinaryIO, *, mine: bool) -> None:
        self._file = file
        self._mine = mine
        self._lock = threading.Lock()
        self.size = file.seek(0, io.SEEK_END)
        """Size in bytes when it was opened."""

    def read_at(self, offset: int, count: int) -> bytes:
        """`count` bytes from `offset`; fewer at the end of the file."""
        with self._lock:
            self._file.seek(offset)
            return self._file.read(count)

    def close(self) -> None:
        """Close the file, if it was opened here."""
        if self._mine:
            self._file.close()


class Slice(io.RawIOBase):
    """`length` bytes of a shared file from `offset`. Raises `BundleError` where the file has become shorter."""

    def __init__(self, file: SharedFile, offset: int, length: int, path: str) -> None:
        super().__init__()
        self._file, self._at, self._left, self._path = file, offset, length, path

    def readable(self) -> bool:
        """Always true."""
        return True

    def readinto(self, buffer: Buffer, /) -> int:
        """Read up to the size of `buffer`; 0 at the end."""
        target = memoryview(buffer).cast("B")
        count = min(len(target), self._left)
        data = self._file.read_at(self._at, count)
        if count and not data:
            raise refusal("bundle-archive-invalid", "the archive has become shorter while it was read", self._path)
        target[: len(data)] = data
        self._at += len(data)
        self._left -= len(data)
        return len(data)


class Listing:
    """The files of a container as they are met: each path is checked, and what they add up to."""

    def __init__(self, limits: Limits) -> None:
        self.sizes: dict[str, int] = {}
        """Path to size in bytes, in the container's order."""
        self.findings: list[BundleDiagnostic] = []
        """Why the container is refused; empty for one that is fine."""
        self._limits = limits
        self._paths = Paths()
        self._entries = 0

    def add(self, path: str, size: int) -> None:
        """Take in a file. Raises `BundleError` with all findings where there are too many."""
        self._count()
        self._check(path, self._paths.add)
        self.sizes.setdefault(path, size)

    def add_directory(self, path: str) -> None:
        """Take in a directory, whose path has no slash at its end. Raises as `add` does."""
        self._count()
        self._check(path, self._paths.add_directory)

    def refuse(self, code: str, message: str, path: str | None = None) -> None:
        """Note why the container is refused."""
        self.findings.append(found(code, message, path))

    def check_total(self, packed: int) -> None:
        """Note what the files of an archive of `packed` bytes break of the limits in all."""
        total = sum(self.sizes.values())
        if total > self._limits.total_bytes:
            self.refuse("bundle-too-large", f"the files have {total} bytes; the limit is {self._limits.total_bytes}")
        self.check_ratio(total, packed, None)

    def check_ratio(self, size: int, packed: int, path: str | None) -> None:
        """Note that `packed` bytes unpack to suspiciously many."""
        if size > max(RATIO_FROM, self._limits.ratio * packed):
            self.refuse(
                "bundle-too-large",
                f"{packed} bytes unpack to {size}, more than {self._limits.ratio} times as much",
                path,
            )

    def _count(self) -> None:
        self._entries += 1
        if self._entries > self._limits.members:
            self.refuse("bundle-too-large", f"there are more than {self._limits.members} files and directories")
            raise BundleError(self.findings)

    def _check(self, path: str, add: Callable[[str], str | None]) -> None:
        if (fault := path_fault(path)) is not None:
            self.refuse("bundle-path-unsafe", fault, path)
        elif (fault := add(path)) is not None:
            self.refuse("bundle-path-repeated", fault, path)


class Container(ABC):
    """The files of a bundle, whatever holds them. Its making raises `BundleError` for what is refused."""

    def __init__(self, sizes: dict[str, int]) -> None:
        self.sizes = sizes
        """Path of each file to its size in bytes."""

    @abstractmethod
    def open(self, path: str) -> BinaryIO:
        """A file's bytes, to be read once from the start. Raises `KeyError` for a path that is not in `sizes`.

        Reading raises `BundleError` where the bytes are not what the container promised.
        """

    @abstractmethod
    def close(self) -> None:
        """Let go of the source."""
