"""Where a bundle is read from, and what kind of container that is."""

from __future__ import annotations

import io
import os
import stat
from pathlib import Path
from typing import BinaryIO, TypeAlias, cast

from sessionrecord.bundle.container import Container, SharedFile
from sessionrecord.bundle.directory import DirectoryContainer
from sessionrecord.bundle.limits import Limits
from sessionrecord.bundle.tar import MAGIC as TAR_MAGIC
from sessionrecord.bundle.tar import MAGIC_AT as TAR_MAGIC_AT
from sessionrecord.bundle.tar import TarContainer
from sessionrecord.bundle.zip import MAGIC as ZIP_MAGIC
from sessionrecord.bundle.zip import ZipContainer
from sessionrecord.errors import SourceError

__all__ = ["BundleSource", "open_container"]

BundleSource: TypeAlias = str | os.PathLike[str] | BinaryIO | bytes
"""A directory's or archive's path, a binary file object that can seek, or an archive's bytes."""

_COMPRESSED = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ": "xz", b"\x28\xb5\x2f\xfd": "zstd"}


def open_container(source: BundleSource, limits: Limits) -> Container:
    """The container that a source is, told by its first bytes, not by its name.

    Raises `SourceError` where it cannot be read or is of no kind that is, `BundleError` where it is refused.
    """
    if isinstance(source, bytes):
        return _archive(SharedFile(io.BytesIO(source), mine=True), "the archive", limits)
    if isinstance(source, str | os.PathLike):
        path = Path(source)
        try:
            kind = path.stat().st_mode
            if stat.S_ISDIR(kind):
                return DirectoryContainer(path, limits)
            if not stat.S_ISREG(kind):
                raise SourceError(f"{path} is neither a directory nor a regular file")
            file = SharedFile(cast("BinaryIO", path.open("rb", buffering=0)), mine=True)
        except (OSError, ValueError) as e:
            raise SourceError(f"cannot open {path}: {getattr(e, 'strerror', None) or e}") from e
        return _archive(file, str(path), limits)
    try:
        file = SharedFile(source, mine=False)
    except (AttributeError, OSError, ValueError) as e:
        raise SourceError("an archive is read from a path, from bytes, or from a binary file that can seek") from e
    return _archive(file, "the archive", limits)


def _archive(file: SharedFile, name: str, limits: Limits) -> Container:
    try:
        start = file.read_at(0, TAR_MAGIC_AT + len(TAR_MAGIC))
        if not isinstance(start, bytes):
            raise SourceError("the file object gives text; open it in binary mode")
        if start.startswith(ZIP_MAGIC):
            return ZipContainer(file, limits)
        if start[TAR_MAGIC_AT:] == TAR_MAGIC:
            return TarContainer(file, limits)
        for magic, program in _COMPRESSED.items():
            if start.startswith(magic):
                raise SourceError(f"{name} is compressed with {program}: decompress it, an archive is read in place")
        raise SourceError(f"{name} is no directory, zip or tar archive")
    except BaseException:
        file.close()
        raise
