"""A bundle that lies in a directory."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import BinaryIO, Final

from sessionrecord.bundle.container import Container, Listing
from sessionrecord.bundle.findings import refusal
from sessionrecord.bundle.limits import Limits
from sessionrecord.errors import BundleError, SourceError

__all__ = ["DirectoryContainer"]

# a file that became a link or a pipe since it was listed is neither followed nor waited for
_FLAGS: Final = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class DirectoryContainer(Container):
    """The files under a directory. Raises `BundleError` with all that is refused, `SourceError` where it cannot be read."""

    def __init__(self, root: Path, limits: Limits) -> None:
        self.root = root
        listing = Listing(limits)
        try:
            _walk(root, listing)
        except OSError as e:
            raise SourceError(f"cannot read {e.filename or root}: {e.strerror or e}") from e
        if listing.findings:
            raise BundleError(listing.findings)
        super().__init__(listing.sizes)

    def open(self, path: str) -> BinaryIO:
        """A file's bytes."""
        if path not in self.sizes:
            raise KeyError(path)
        try:
            handle = os.open(self.root / path, _FLAGS)
        except OSError as e:
            raise refusal("bundle-file-missing", f"the file cannot be opened: {e.strerror or e}", path) from e
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            os.close(handle)
            raise refusal("bundle-not-a-file", "no regular file", path)
        return os.fdopen(handle, "rb")

    def close(self) -> None:
        """Nothing is kept open."""


def _walk(root: Path, listing: Listing) -> None:
    waiting = [("", root)]
    while waiting:
        prefix, directory = waiting.pop()
        with os.scandir(directory) as entries:
            for entry in sorted(entries, key=lambda e: e.name):
                path = prefix + entry.name
                if entry.is_symlink():
                    listing.refuse("bundle-not-a-file", "a symbolic link", path)
                elif entry.is_dir(follow_symlinks=False):
                    listing.add_directory(path)
                    waiting.append((f"{path}/", Path(entry.path)))
                elif entry.is_file(follow_symlinks=False):
                    listing.add(path, entry.stat(follow_symlinks=False).st_size)
                else:
                    listing.refuse("bundle-not-a-file", "no regular file", path)
