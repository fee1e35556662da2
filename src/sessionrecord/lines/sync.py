"""When what was written is forced to the disk, so that it outlives a power loss."""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Callable
from typing import Final, Literal, TypeAlias

from sessionrecord.errors import WriterError

__all__ = ["FsyncPolicy", "PeriodicSync", "check_policy", "sync_directory", "sync_file"]

FsyncPolicy: TypeAlias = Literal["never", "close", "record"] | float
"""`never`; `close`: once, when the file is closed; `record`: before each write returns; a number: at most so many seconds after each write."""

_NOT_FOR_THIS_FILE: Final = frozenset({errno.EINVAL, errno.ENOTSUP, errno.EROFS})


def check_policy(policy: FsyncPolicy) -> None:
    """Raises `WriterError` for what is no policy."""
    is_seconds = isinstance(policy, int | float) and not isinstance(policy, bool) and 0 < policy < float("inf")
    if not is_seconds and policy not in ("never", "close", "record"):
        raise WriterError(f"fsync is 'never', 'close', 'record' or a number of seconds above 0, not {policy!r}")


def sync_file(descriptor: int) -> None:
    """Waits until the disk has the file. Does nothing for pipes and devices. Raises `OSError`."""
    try:
        os.fsync(descriptor)
    except OSError as e:
        if e.errno not in _NOT_FOR_THIS_FILE:
            raise


def sync_directory(path: str) -> None:
    """Waits until the disk has the directory's entries, where a directory can be opened (not on Windows). Raises `OSError`."""
    if os.name != "posix":  # pragma: no cover -- of Windows
        return
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        sync_file(descriptor)
    finally:
        os.close(descriptor)


class PeriodicSync:
    """Syncs a file in a thread of its own, at most `seconds` after each call of `written`.

    A sync that fails is told to `failed`, from that thread, and ends it.
    """

    def __init__(self, descriptor: int, seconds: float, failed: Callable[[OSError], None]) -> None:
        self._descriptor = descriptor
        self._seconds = seconds
        self._failed = failed
        self._dirty = threading.Event()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sessionrecord-fsync", daemon=True)
        self._thread.start()

    def written(self) -> None:
        """Tells that there is something to sync."""
        self._dirty.set()

    def end(self) -> None:
        """Ends the thread, after a sync that is under way. What was written since then is not synced."""
        self._ended.set()
        self._dirty.set()
        self._thread.join()

    def _run(self) -> None:
        while True:
            self._dirty.wait()
            if self._ended.wait(self._seconds):
                return
            self._dirty.clear()
            try:
                sync_file(self._descriptor)
            except OSError as e:
                self._failed(e)
                return
