"""Files that are there as a whole or not at all."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from pathlib import Path

__all__ = ["write_whole"]


def write_whole(path: str | os.PathLike[str], pieces: Iterable[bytes | memoryview]) -> None:
    """Put a file of mode 0600 at `path`, in place of what is there: written beside it, brought to the disk, then moved.

    Raises `OSError`; what was at `path` is then still there, and nothing is beside it.
    """
    import tempfile  # not needed to read anything, and slow to import

    target = Path(path)
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(target))
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.writelines(pieces)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink()
        raise
