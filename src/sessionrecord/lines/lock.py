"""The kernel's lock on an open file. It ends with the process that holds it, whatever ends that: no file marks it."""

from __future__ import annotations

import errno
import os
import sys
import time
from typing import Final

__all__ = ["acquire", "release"]

_PAUSES: Final = 0.001, 0.05
_BUSY: Final = frozenset({errno.EACCES, errno.EAGAIN, errno.EDEADLK})

if sys.platform == "win32":  # pragma: no cover -- of Windows
    import msvcrt

    _FAR: Final = 1 << 62  # a locked byte cannot be read by others, so it lies where no file reaches

    def _try(descriptor: int) -> bool:
        return _at_far_byte(descriptor, msvcrt.LK_NBLCK)

    def _block(descriptor: int) -> bool:
        return _poll(descriptor, None)

    def release(descriptor: int) -> None:
        """Gives the lock back, also for processes that share the descriptor."""
        _at_far_byte(descriptor, msvcrt.LK_UNLCK)

    def _at_far_byte(descriptor: int, operation: int) -> bool:
        place = os.lseek(descriptor, 0, os.SEEK_CUR)
        os.lseek(descriptor, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, operation, 1)
        except OSError as e:
            if e.errno in _BUSY:
                return False
            raise
        finally:
            os.lseek(descriptor, place, os.SEEK_SET)
        return True

else:
    import fcntl

    def _try(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as e:
            if e.errno in _BUSY:
                return False
            raise
        return True

    def _block(descriptor: int) -> bool:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        return True

    def release(descriptor: int) -> None:
        """Gives the lock back, also for processes that share the descriptor."""
        fcntl.flock(descriptor, fcntl.LOCK_UN)


def acquire(descriptor: int, wait: bool | float = False) -> bool:
    """Whether the exclusive lock on the file is now held.

    While another holds it: False returns at once, True waits for as long as it takes, a number waits for that many
    seconds. Raises `OSError` where the file system has no locks.
    """
    if wait is True:
        return _block(descriptor)
    return _poll(descriptor, time.monotonic() + wait)


def _poll(descriptor: int, deadline: float | None) -> bool:
    pause, longest = _PAUSES
    while not _try(descriptor):
        left = longest if deadline is None else deadline - time.monotonic()
        if left <= 0:
            return False
        time.sleep(min(pause, left))
        pause = min(2 * pause, longest)
    return True
