"""Following a file that grows: its lines as they are completed, through truncation and rotation, from a saved position on."""

from __future__ import annotations

import json
import os
import stat
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, Self

from sessionrecord.errors import SourceError
from sessionrecord.lines.compressed import is_compressed
from sessionrecord.lines.physical import PhysicalLine

__all__ = ["Fresh", "LineFollower", "Position"]

_BLOCK: Final = 1 << 18
_WINDOW: Final = 256


@dataclass(frozen=True, slots=True)
class Position:
    """A place in a file that is followed, to go on from later. `to_json` and `from_json` are inverse."""

    inode: int
    """The file's number in its file system: a file that was moved away still has it."""
    offset: int
    """Offset of the next byte to read, from 0."""
    line: int
    """How many lines end before the offset."""
    fingerprint: str
    """SHA-256 in hex of the first and last bytes before the offset: whether a file still holds what was read."""

    def to_json(self) -> str:
        """The position as a JSON object."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """The position that `to_json` gave. Raises `SourceError` for anything else."""
        try:
            members = json.loads(text)
        except (ValueError, RecursionError):
            members = None
        kinds = {"inode": int, "offset": int, "line": int, "fingerprint": str}
        if (
            not isinstance(members, dict)
            or members.keys() != kinds.keys()
            or any(type(members[k]) is not kind for k, kind in kinds.items())
            or min(members["offset"], members["line"]) < 0
        ):
            raise SourceError("not a position in a file that is followed")
        return cls(**members)


@dataclass(frozen=True, slots=True)
class Fresh:
    """What follows is read from the start of a file: the one followed was cut short, or another took its place."""

    reason: str
    """What happened, in words."""


class LineFollower:
    """The lines of the file at a path, each once, as they are completed.

    A file that another replaces at the path is read to its end, also what is written to it until a poll finds nothing
    new; then its last line is given even without LF, and the other is read. A file cut short is read from its start,
    unless what was given of it is still there: then only an unfinished line is gone. What is in neither file nor memory
    at two polls in turn may be missed. With a position the lines behind it are given; the file it is in is looked for at
    the path and, by its number, in that folder; if it is nowhere, the file at the path is read from its start.
    """

    def __init__(self, path: str | os.PathLike[str], position: Position | None = None) -> None:
        self._path = Path(path)
        self._files: deque[_Tailed] = deque()
        self._lost = False
        if position is not None:
            self._resume(position)

    def poll(self) -> Iterator[PhysicalLine | Fresh]:
        """The lines complete by now, without waiting. Raises `SourceError` if the file cannot be read.

        A path where nothing is yet has no lines.
        """
        try:
            self._notice()
            if self._lost:
                self._lost = False
                yield Fresh("the file is not the one of the position, or no longer holds what was read")
            while self._files:
                file, quiet = self._files[0], True
                for line in file.lines():
                    quiet = False
                    yield line
                if len(self._files) == 1:
                    return
                if not (quiet and file.left):
                    file.left = True
                    return
                yield from file.rest()
                self._files.popleft().close()
                yield Fresh("another file is at the path")
        except OSError as e:
            raise SourceError(f"cannot follow {str(self._path)!r}: {e.strerror or e}") from e

    def position(self, offset: int | None = None) -> Position | None:
        """The place behind the line given last, or at an offset in it; None before there is a file."""
        return self._files[0].position(offset) if self._files else None

    def close(self) -> None:
        """Close what is open."""
        while self._files:
            self._files.pop().close()

    def _notice(self) -> None:
        """Open what is at the path, if it is not open yet: from then on it cannot be missed."""
        try:
            info = self._path.stat()
        except FileNotFoundError:
            return
        except ValueError as e:
            raise SourceError(f"cannot follow {str(self._path)!r}: {e}") from e
        if not self._files or self._files[-1].inode != info.st_ino:
            with suppress(FileNotFoundError):
                self._files.append(_Tailed(self._path))

    def _resume(self, position: Position) -> None:
        try:
            for path in (self._path, *self._siblings(position.inode)):
                with suppress(FileNotFoundError):
                    file = _Tailed(path)
                    if file.go_to(position):
                        self._files.append(file)
                        return
                    file.close()
        except OSError as e:
            raise SourceError(f"cannot follow {str(self._path)!r}: {e.strerror or e}") from e
        self._lost = True

    def _siblings(self, inode: int) -> Iterator[Path]:
        with suppress(OSError), os.scandir(self._path.parent) as entries:
            yield from [Path(e.path) for e in entries if e.inode() == inode and e.is_file()]


class _Tailed:
    """An open file: what was given of it, and the unfinished line behind that."""

    def __init__(self, path: Path) -> None:
        if not stat.S_ISREG(path.stat().st_mode):
            raise SourceError(f"cannot follow {str(path)!r}: it is not a regular file")
        self._file = path.open("rb", buffering=0)
        self.inode = os.fstat(self._file.fileno()).st_ino
        self.left = False
        """Whether another file was at the path at an earlier poll."""
        self._start()

    def _start(self) -> None:
        self._offset = 0
        self._line = 0
        self._pending: list[bytes] = []
        self._held = 0
        self._head = b""
        self._context = b""  # bytes around the offset, and where they begin
        self._context_at = 0

    def close(self) -> None:
        self._file.close()

    def go_to(self, position: Position) -> bool:
        """Whether the file is that of a position and still holds what was read; if so, go on there."""
        if self.inode != position.inode:
            return False
        self._head = self._read(0, min(_WINDOW, position.offset))
        self._context_at = max(0, position.offset - _WINDOW)
        self._context = self._read(self._context_at, position.offset - self._context_at)
        self._offset, self._line = position.offset, position.line
        return self.position() == position

    def position(self, offset: int | None = None) -> Position:
        import hashlib  # not needed to read, and slow to import

        line = self._line if offset is None else self._line - 1
        offset = self._offset if offset is None else offset
        digest = hashlib.sha256(self._head[:offset] + b"\0" + self._before(offset)).hexdigest()
        return Position(self.inode, offset, line, digest)

    def lines(self) -> Iterator[PhysicalLine | Fresh]:
        """The lines that are complete; all that was given counts as read, even if the caller goes away in between."""
        while True:
            data = self._read(self._offset + self._held, _BLOCK)
            # after reading, so that what was read is of the same content as what was checked
            if not self._unchanged(self._offset, self._before(self._offset)):
                lost = f"; {self._held} bytes of an unfinished line are gone" if self._held else ""
                self._start()
                yield Fresh(f"the file was cut short or written anew{lost}")
                continue
            if self._held and not self._unchanged(self._offset + self._held, self._pending[-1][-_WINDOW:]):
                self._pending, self._held = [], 0
                continue
            if not data:
                return
            if self._offset == self._held == 0 and is_compressed(data[:4]):
                raise SourceError("a compressed file cannot be followed: it is not written line by line")
            end = data.rfind(b"\n") + 1
            if not end:
                self._pending.append(data)
                self._held += len(data)
                continue
            whole = b"".join((*self._pending, data[:end]))
            self._pending, self._held = [], 0
            yield from self._give(whole)

    def _give(self, whole: bytes) -> Iterator[PhysicalLine]:
        before = self._before(self._offset)
        self._context, self._context_at = before + whole, self._offset - len(before)
        self._head = (self._head[: self._offset] + whole)[:_WINDOW] if self._offset < _WINDOW else self._head
        for data in whole.split(b"\n")[:-1]:
            start = self._offset
            self._offset, self._line = start + len(data) + 1, self._line + 1
            yield PhysicalLine(self._line, start, data, ended=True)

    def rest(self) -> Iterator[PhysicalLine]:
        """The last line, if it has no LF."""
        if self._held:
            data = b"".join(self._pending)
            self._pending, self._held = [], 0
            start, before = self._offset, self._before(self._offset)
            self._context, self._context_at = before + data, start - len(before)
            self._offset, self._line = start + len(data), self._line + 1
            yield PhysicalLine(self._line, start, data, ended=False)

    def _before(self, offset: int) -> bytes:
        end = offset - self._context_at
        return self._context[max(0, end - _WINDOW) : end]

    def _unchanged(self, end: int, window: bytes) -> bool:
        head = self._head[: self._offset]
        return self._read(0, len(head)) == head and self._read(end - len(window), len(window)) == window

    def _read(self, offset: int, size: int) -> bytes:
        self._file.seek(offset)
        parts: list[bytes] = []
        while size and (data := self._file.read(size)):
            parts.append(data)
            size -= len(data)
        return b"".join(parts)
