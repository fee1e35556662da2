"""Files that are there as a whole or not at all."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

__all__ = ["WholeFile", "write_whole"]


class WholeFile:
    """A file of mode 0600 that is written beside its place, and goes there at once or not at all: at the end of the `with` it is gone unless
    it was put there. Raises `OSError` where it cannot be made."""

    def __init__(self, place: str | os.PathLike[str]) -> None:
        import tempfile  # not needed to read anything, and slow to import

        self._place = Path(place)
        if self._place.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(self._place))
        handle, name = tempfile.mkstemp(prefix=f".{self._place.name}.", dir=self._place.parent)
        self.file: BinaryIO = os.fdopen(handle, "wb")
        """What is written to."""
        self.path = Path(name)
        """Where it lies until it is put in its place."""

    def close(self) -> None:
        """Bring what was written to the disk; nothing more is written. Raises `OSError`."""
        self.file.flush()
        os.fsync(self.file.fileno())
        self.file.close()

    def put(self) -> None:
        """Put the file, once it is closed, in the place of what is there. Raises `OSError`."""
        self.path.replace(self._place)

    def __enter__(self) -> WholeFile:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self.file.close()
        finally:
            self.path.unlink(missing_ok=True)


def write_whole(path: str | os.PathLike[str], pieces: Iterable[bytes | memoryview]) -> None:
    """Put a file of mode 0600 at `path`, in place of what is there: written beside it, brought to the disk, then moved.

    Raises `OSError`; what was at `path` is then still there, and nothing is beside it.
    """
    with WholeFile(path) as whole:
        whole.file.writelines(pieces)
        whole.close()
        whole.put()
