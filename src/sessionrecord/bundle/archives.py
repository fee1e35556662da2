"""Archives that depend on what goes in alone: fixed order, times, modes and owners, and no compression.

Compressed bytes differ between versions of the compressor. A stored file can also be read in place, and an archive that is
compressed as a whole gets smaller.
"""

from __future__ import annotations

import io
import tarfile
import zipfile
from collections.abc import Iterable
from typing import BinaryIO, Final, cast

from sessionrecord.bundle.parts import Part, PartReader

__all__ = ["write_tar", "write_zip"]

_MODE: Final = 0o600
_REGULAR: Final = 0o100000
_EPOCH: Final = (1980, 1, 1, 0, 0, 0)
"""The earliest time that a zip archive can hold."""
_UNIX: Final = 3


def write_zip(file: BinaryIO, parts: Iterable[Part]) -> None:
    """Write a zip archive, each file stored. Raises `OSError` and `WriterError`."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for part in parts:
            info = zipfile.ZipInfo(part.path, _EPOCH)
            info.create_system = _UNIX
            info.external_attr = (_REGULAR | _MODE) << 16
            info.file_size = part.size
            with PartReader(part) as source, archive.open(info, "w") as target:
                while data := source.read():
                    target.write(data)


def write_tar(file: BinaryIO, parts: Iterable[Part]) -> None:
    """Write a pax tar archive. Raises `OSError` and `WriterError`."""
    with tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT, encoding="utf-8") as archive:
        for part in parts:
            info = tarfile.TarInfo(part.path)
            info.size = part.size
            info.mode = _MODE
            with PartReader(part) as source:
                archive.addfile(info, cast("io.BytesIO", source))
