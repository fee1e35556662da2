"""What a command writes: files that are put in place whole, all of them or none."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from sessionrecord.errors import WriterError
from sessionrecord.lines.whole import WholeFile

__all__ = ["is_device", "place_of", "put_all", "require_directory"]


def require_directory(target: Path) -> None:
    """Raise `WriterError` where the directory that a file is to be in is not there: known before the work is done."""
    directory = place_of(target).parent
    if not directory.is_dir():
        raise WriterError(f"cannot write {target}: {directory} is no directory")


def place_of(target: Path) -> Path:
    """Where a file goes: a symbolic link stays, and what it leads to is written."""
    return Path(os.path.realpath(target)) if target.is_symlink() else target


def put_all(files: Mapping[Path, bytes]) -> None:
    """Put files in their places, once all of them are written: where one cannot be, none is put. Raises `OSError`.

    A device or pipe is written to, never replaced.
    """
    with ExitStack() as stack:
        whole = [stack.enter_context(WholeFile(place_of(path))) for path in files if not is_device(path)]
        for file, data in zip(whole, (data for path, data in files.items() if not is_device(path)), strict=True):
            file.write([data])
            file.close()
        for path, data in files.items():
            if is_device(path):
                _write_to(path, data)
        for file in whole:
            file.put()


def is_device(path: Path) -> bool:
    """Whether something is there that is neither a file nor a directory."""
    return path.exists() and not path.is_file() and not path.is_dir()


def _write_to(device: Path, data: bytes) -> None:
    try:
        device.write_bytes(data)
    except OSError as e:
        raise OSError(e.errno, e.strerror, str(device)) from e
