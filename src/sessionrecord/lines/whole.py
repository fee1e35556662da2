"""Files that are there as a whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, Final

__all__ = ["WholeFile", "write_whole"]

_NAMED: Final = 40
"""Characters of a file's name that its temporary name begins with: few enough for any name that is allowed to stay one."""


@contextlib.contextmanager
def _of(place: Path) -> Iterator[None]:
    """An error names the place, and never the temporary file: nobody asked for that one."""
    try:
        yield
    except OSError as e:
        raise OSError(e.errno, e.strerror, str(place)) from e


class WholeFile:
    """A file of mode 0600 that is written beside its place, and goes there at once or not at all: at the end of the `with` it is gone unless
    it was put there. Raises `OSError`, which names the place, where it cannot be made."""

    def __init__(self, place: str | os.PathLike[str]) -> None:
        import tempfile  # not needed to read anything, and slow to import

        self._place = Path(place)
        if self._place.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(self._place))
        with _of(self._place):
            handle, name = tempfile.mkstemp(prefix=f".{self._place.name[:_NAMED]}.", dir=self._place.parent)
        self.file: BinaryIO = os.fdopen(handle, "wb")
        """What is written to."""
        self.path = Path(name)
        """Where it lies until it is put in its place."""

    def write(self, pieces: Iterable[bytes | memoryview]) -> None:
        """Write pieces, one after the other. Raises `OSError`."""
        try:
            self.file.writelines(pieces)
        except OSError as e:
            if e.errno is None or e.filename is not None:  # of where the pieces come from
                raise
            raise OSError(e.errno, e.strerror, str(self._place)) from e

    def close(self) -> None:
        """Bring what was written to the disk; nothing more is written. Raises `OSError`."""
        with _of(self._place):
            self.file.flush()
            os.fsync(self.file.fileno())
            self.file.close()

    def put(self) -> None:
        """Put the file, once it is closed, in the place of what is there. Raises `OSError`."""
        with _of(self._place):
            self.path.replace(self._place)

    def __enter__(self) -> WholeFile:
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):  # what was to be kept is closed by now
            self.file.close()
        self.path.unlink(missing_ok=True)


def write_whole(path: str | os.PathLike[str], pieces: Iterable[bytes | memoryview]) -> None:
    """Put a file of mode 0600 at `path`, in place of what is there: written beside it, brought to the disk, then moved.

    Raises `OSError`, which names `path`; what was there is then still there, and nothing is beside it.
    """
    with WholeFile(path) as whole:
        whole.write(pieces)
        whole.close()
        whole.put()
