"""The lines of a stream in a bundle, read once, whatever their length."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import BinaryIO, Final

from sessionrecord.lines import BOM

__all__ = ["LONGEST", "LineReader"]

LONGEST: Final = 64 << 20
"""Bytes of a line that are held; of a longer one only the start is seen."""


class LineReader:
    """Reads a file to its end, for its lines and its hash. A byte order mark at the start belongs to no line."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._digest = hashlib.sha256()
        self.size = 0
        """Bytes read so far."""

    def records(self) -> Iterator[tuple[int, bytes]]:
        """Each line that is not blank, with its number from 1: every record is one, whether it is valid or not."""
        for number, line in enumerate(self._lines(), 1):
            line = line.removeprefix(BOM) if number == 1 else line
            if line.strip():
                yield number, line

    def _lines(self) -> Iterator[bytes]:
        while line := self._read():
            end = line
            while len(end) == LONGEST and not end.endswith(b"\n"):
                end = self._read()
            yield line

    def _read(self) -> bytes:
        piece = self._file.readline(LONGEST)
        self._digest.update(piece)
        self.size += len(piece)
        return piece

    def hexdigest(self) -> str:
        """SHA-256 of what was read."""
        return self._digest.hexdigest()
