"""Appending lines: one write each, under a lock, and nothing more after a write that failed."""

from __future__ import annotations

import io
import os
import stat
import weakref
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeAlias

from sessionrecord.errors import StreamLockedError, WriterError
from sessionrecord.lines import lock
from sessionrecord.lines.sync import FsyncPolicy, PeriodicSync, check_policy, sync_directory, sync_file

__all__ = ["AppendTarget", "Appender"]

AppendTarget: TypeAlias = str | os.PathLike[str] | BinaryIO
"""Where lines go: the path of a file, or a binary file object, which stays open."""

_FLAGS: Final = os.O_APPEND | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
_PRIVATE: Final = 0o600
_CHUNK: Final = 1 << 20


class Appender:
    """A target that lines are appended to. A file that it creates has mode 0600.

    A file named by its path is locked until `close`, and with `fsync` other than `never` its directory is synced when
    it is created. While another writer has it: `StreamLockedError` at once, or after `wait` seconds, or with
    `wait=True` never. Pipes and devices are not locked, nor are file objects, which whoever opened them shares out.

    Raises `WriterError` if the target cannot be opened, or holds something already and `resume` is False. Only a file
    named by its path can be resumed. A process that is forked off cannot use an appender of its parent.
    """

    def __init__(
        self, target: AppendTarget, *, fsync: FsyncPolicy = "never", wait: bool | float = False, resume: bool = False
    ) -> None:
        check_policy(fsync)
        self._policy = fsync
        self._refusal = ""
        self._untold: OSError | None = None
        self._closed = False
        self._path: Path | None = None
        self._file: Any
        if isinstance(target, str | os.PathLike):
            self._open(os.fspath(target), fsync != "never", wait)
        elif _is_binary(target):
            self._file, self._name = target, repr(getattr(target, "name", "the file"))
            self._locked = False
        else:
            raise WriterError("give a path, or a file that is open in binary mode, 'wb'")
        self._descriptor = _descriptor(self._file)
        try:
            self._check_start(resume)
        except BaseException:
            self._release()
            raise
        self._periodic: PeriodicSync | None = None
        if isinstance(fsync, int | float) and self._descriptor is not None:
            self._periodic = PeriodicSync(self._descriptor, fsync, self._sync_failed)
        _appenders.add(self)

    def _open(self, path: str, sync: bool, wait: bool | float) -> None:
        self._name = repr(path)
        self._path = Path(path)
        try:
            self._file, created = _open_locked(path, wait)
            # a pipe or a device may be written by several, and its lock would be everybody's
            self._locked = stat.S_ISREG(os.fstat(self._file.fileno()).st_mode)
        except (OSError, ValueError) as e:
            raise WriterError(f"cannot write to {self._name}: {_reason(e)}") from e
        if not (created and sync):
            return
        try:
            sync_directory(os.fspath(self._path.absolute().parent))
        except OSError as e:
            self._release()
            raise WriterError(f"cannot sync the directory of {self._name}: {_reason(e)}") from e

    def _check_start(self, resume: bool) -> None:
        self._size = _size(self._file) or 0
        if resume and not self._locked:
            raise WriterError(f"{self._name} is not a regular file named by its path: it cannot be resumed")
        if self._size and not resume:
            raise WriterError(
                f"{self._name} is not empty: write to a new file, or resume it if it is a stream of records"
            )

    @property
    def name(self) -> str:
        """The target's name, for messages."""
        return self._name

    @property
    def path(self) -> Path | None:
        """The file's path; None for a file object."""
        return self._path

    @property
    def size(self) -> int:
        """Bytes that the file holds, as far as this appender knows: what a failed write left is not among them."""
        return self._size

    def append(self, line: bytes) -> None:
        """Writes `line` and its LF in one write.

        Raises `WriterError` if closed or after a write or a sync that failed, and what the file raises if this one
        fails. What it left of the line is then cut off, if the file was opened here and lets itself be cut.
        """
        if self._refusal or self._closed:
            self._refuse()
        data = line + b"\n"
        try:
            self._write(data)
            if self._policy == "record" and self._descriptor is not None:
                sync_file(self._descriptor)
            elif self._periodic is not None:
                self._periodic.written()
        except BaseException as e:  # an interrupt, too, may have left half a line
            torn = "nothing of it was left" if self._cut() else "the last line may be torn"
            self._refusal = f"an earlier write to {self._name} failed ({_reason(e)}); {torn}"
            raise
        self._size += len(data)

    def fail(self, error: BaseException) -> None:
        """From now on nothing is appended: it is not known what became of the last line."""
        if not self._closed and not self._refusal:
            self._refusal = f"an earlier write to {self._name} was interrupted ({_reason(error)})"

    def source(self) -> BinaryIO:
        """The file, open for reading from its start; to be closed before the next append."""
        file = io.FileIO(os.dup(self._file.fileno()), "rb")
        file.seek(0)
        return file

    def end_line(self) -> None:
        """Gives the last line the LF that it lacks."""
        self.append(b"")

    def set_aside(self, offset: int) -> Path:
        """Moves what lies at and after `offset` to a new file beside this one, and returns its path.

        It is on the disk there before it is cut off here. Raises `WriterError` where that fails; nothing is lost then.
        """
        assert self._path is not None
        try:
            aside, descriptor = _create_beside(self._path)
            with io.FileIO(descriptor, "wb") as copy, self.source() as source:
                source.seek(offset)
                while chunk := source.read(_CHUNK):
                    _write_all(copy, chunk, str(aside))
                sync_file(descriptor)
            sync_directory(os.fspath(aside.absolute().parent))
            os.ftruncate(self._file.fileno(), offset)
            sync_file(self._file.fileno())
        except OSError as e:
            raise WriterError(f"cannot set aside the torn end of {self._name}: {_reason(e)}") from e
        self._size = offset
        return aside

    def close(self) -> None:
        """Syncs the file unless the policy is `never`, gives the lock back, and closes the file if it was opened here.

        May be called again. Raises `OSError` if the sync fails, `WriterError` if an earlier one failed and no `append`
        told so; the file is closed all the same.
        """
        if self._closed:
            return
        self._closed = True
        try:
            if self._periodic is not None:
                self._periodic.end()
            if self._untold is not None:
                raise WriterError(self._refusal) from self._untold
            if self._policy != "never" and self._descriptor is not None and not self._file.closed:
                sync_file(self._descriptor)
        finally:
            self._release()

    def abandon(self) -> None:
        """Gives the lock back and closes the file if it was opened here, and nothing else. May be called again."""
        self._closed = True
        if self._periodic is not None:
            self._periodic.end()
        self._release()

    def _release(self) -> None:
        _appenders.discard(self)
        if self._path is None or self._file.closed:
            return
        try:
            if self._locked:  # closing would do, but for processes that were forked off and share the descriptor
                lock.release(self._file.fileno())
        finally:
            self._file.close()

    def _leave_to_parent(self) -> None:
        """In a forked process: the lock and the file are the parent's, and end with it."""
        self._closed = True
        self._refusal = f"{self._name} belongs to the process that opened it: open it here"
        if self._path is not None:
            self._file.close()

    def _refuse(self) -> None:
        self._untold = None
        raise WriterError(self._refusal or "the writer is closed")

    def _sync_failed(self, error: OSError) -> None:
        self._untold = error
        self._refusal = (
            f"a sync of {self._name} failed ({_reason(error)}); what was written last may not be on the disk"
        )

    def _write(self, data: bytes) -> None:
        _write_all(self._file, data, self._name)
        if self._path is None:
            self._file.flush()

    def _cut(self) -> bool:
        """Whether the file is again as it was before the write that failed. A file object may hold what others wrote."""
        if not self._locked:
            return False
        try:
            os.ftruncate(self._file.fileno(), self._size)
        except OSError:
            return False
        return True


_appenders: weakref.WeakSet[Appender] = weakref.WeakSet()


def _leave_all_to_parent() -> None:
    for appender in list(_appenders):
        appender._leave_to_parent()
    _appenders.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_all_to_parent)


def _write_all(file: Any, data: bytes, name: str) -> None:
    written = file.write(data)
    if written == len(data):
        return
    rest = memoryview(data)
    while True:
        if not written:
            raise BlockingIOError(f"{name} takes nothing now: it is non-blocking")
        rest = rest[written:]
        if not rest:
            return
        written = file.write(rest)


def _open_locked(path: str, wait: bool | float) -> tuple[io.FileIO, bool]:
    """The file at `path`, locked if it is a regular one, and whether it was created."""
    created = False
    while True:
        descriptor, new = _open_or_create(path)
        created |= new
        file = io.FileIO(descriptor, "r+b" if _is_regular(descriptor) else "wb")
        try:
            if not _is_regular(descriptor):
                return file, created
            if not lock.acquire(descriptor, wait):
                raise StreamLockedError(f"another writer has {path!r}; wait=True, or a number of seconds, waits for it")
            if _is_at(path, descriptor):
                return file, created
        except BaseException:
            file.close()
            raise
        file.close()  # whoever had the lock put another file in its place


def _open_or_create(path: str) -> tuple[int, bool]:
    # read and write, so that it can be resumed; a pipe is opened for writing alone, since it would not break otherwise
    access = os.O_RDWR if not Path(path).exists() or Path(path).is_file() else os.O_WRONLY
    try:
        return os.open(path, _FLAGS | access | os.O_CREAT | os.O_EXCL, _PRIVATE), True
    except FileExistsError:
        return os.open(path, _FLAGS | access | os.O_CREAT, _PRIVATE), False


def _create_beside(path: Path) -> tuple[Path, int]:
    number = 1
    while True:
        aside = path.with_name(f"{path.name}.torn{'' if number == 1 else f'-{number}'}")
        try:
            return aside, os.open(aside, _FLAGS | os.O_WRONLY | os.O_CREAT | os.O_EXCL, _PRIVATE)
        except FileExistsError:
            number += 1


def _is_regular(descriptor: int) -> bool:
    return stat.S_ISREG(os.fstat(descriptor).st_mode)


def _is_at(path: str, descriptor: int) -> bool:
    try:
        return os.path.samestat(Path(path).stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _is_binary(target: object) -> bool:
    return hasattr(target, "write") and not isinstance(target, io.TextIOBase)


def _descriptor(file: Any) -> int | None:
    try:
        descriptor: int = file.fileno()
    except (AttributeError, OSError, ValueError):
        return None
    return descriptor


def _size(file: Any) -> int | None:
    try:
        if not file.seekable():
            return None
        position = file.tell()
        size: int = file.seek(0, os.SEEK_END)
        file.seek(position)
    except (AttributeError, OSError, ValueError):
        return None
    return size


def _reason(error: BaseException) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
