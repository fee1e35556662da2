"""Appending lines: one write each, and nothing more after a write that failed."""

from __future__ import annotations

import io
import os
from typing import BinaryIO, Final, TypeAlias

from sessionrecord.errors import WriterError

__all__ = ["AppendTarget", "Appender"]

AppendTarget: TypeAlias = str | os.PathLike[str] | BinaryIO
"""Where lines go: the path of a new file, or a binary file object, which stays open."""

_FLAGS: Final = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
_PRIVATE: Final = 0o600


class Appender:
    """An empty target that lines are appended to. A file that it creates has mode 0600.

    Raises `WriterError` if the target cannot be opened or holds something already.
    """

    def __init__(self, target: AppendTarget) -> None:
        self._mine = isinstance(target, str | os.PathLike)
        self._file: BinaryIO | io.FileIO
        if isinstance(target, str | os.PathLike):
            self._name = repr(os.fspath(target))
            self._file = _create(target)
        elif not _is_binary(target):
            raise WriterError("give a path, or a file that is open in binary mode, 'wb'")
        else:
            self._name = repr(getattr(target, "name", "the file"))
            self._file = target
        if self._holds_something():
            self.close()
            raise WriterError(
                f"{self._name} is not empty; a stream that exists cannot be continued yet: write to a new file"
            )
        self._failure: BaseException | None = None
        self._closed = False

    def append(self, line: bytes) -> None:
        """Writes `line` and its LF in one write.

        Raises `WriterError` if closed or after a write that failed, and what the file raises if this one fails.
        """
        if self._closed:
            raise WriterError("the writer is closed")
        if self._failure is not None:
            raise WriterError(f"an earlier write to {self._name} failed ({self._failure}); the last line may be torn")
        try:
            self._write(line + b"\n")
        except BaseException as e:  # an interrupt, too, may have left half a line
            self._failure = e
            raise

    def close(self) -> None:
        """Closes the file, if it was opened here. May be called again."""
        self._closed = True
        if self._mine:
            self._file.close()

    def _write(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            count = self._file.write(rest)
            if not count:
                raise BlockingIOError(f"{self._name} takes nothing now: it is non-blocking")
            rest = rest[count:]
        self._file.flush()

    def _holds_something(self) -> bool:
        if self._mine:
            return os.fstat(self._file.fileno()).st_size > 0
        try:
            if not self._file.seekable():
                return False
            position = self._file.tell()
            size = self._file.seek(0, os.SEEK_END)
            self._file.seek(position)
            return size > 0
        except (AttributeError, OSError):
            return False


def _is_binary(target: object) -> bool:
    return hasattr(target, "write") and not isinstance(target, io.TextIOBase)


def _create(path: str | os.PathLike[str]) -> io.FileIO:
    try:
        return io.FileIO(os.open(path, _FLAGS, _PRIVATE), "wb")
    except (OSError, ValueError) as e:
        reason = getattr(e, "strerror", None) or str(e)
        raise WriterError(f"cannot write to {os.fspath(path)!r}: {reason}") from e
