"""What a command reads: a file, or standard input."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from sessionrecord.cli.output import note, working
from sessionrecord.errors import SourceError
from sessionrecord.records import RECORD_TYPES
from sessionrecord.session import Session

__all__ = ["CONVERT_HINT", "STDIO", "note_the_end", "open_known", "open_session", "size_of", "source_of", "stdin_bytes"]

STDIO: Final = "-"
"""In place of a path: standard input or output."""
CONVERT_HINT: Final = "to convert a log of an agent: sessionrecord convert auto LOG -o OUT"


def stdin_bytes() -> bytes:
    """All of standard input. Raises `SourceError` if it is closed."""
    if sys.stdin is None:
        raise SourceError("standard input is closed")
    return sys.stdin.buffer.read()


def source_of(path: str) -> str | bytes:
    """What the library reads: the path, or what standard input gave. Raises `SourceError`."""
    return stdin_bytes() if path == STDIO else path


def size_of(path: str) -> int:
    """Bytes of a file; 0 where they are not known."""
    return Path(path).stat().st_size if path != STDIO and Path(path).is_file() else 0


def open_session(path: str) -> Session:
    """The session of a stream, whatever is in it. Raises `SourceError`."""
    with working(f"opening {path}", size_of(path)):
        return Session.read(source_of(path))


def open_known(path: str) -> Session:
    """A session with something in it to work with. Raises `SourceError`."""
    session = open_session(path)
    if session.header is None and RECORD_TYPES.keys().isdisjoint(session.counts()):
        raise SourceError(f"{path} holds no record of a session; {CONVERT_HINT}")
    return session


def note_the_end(session: Session, at: int | None, what: str) -> None:
    """Say on stderr that a `seq` comes after the last record, and that `what` is shown as it is at the end."""
    last = session.last_seq
    if at is not None and last is not None and at > last:
        note(f"seq {at} comes after the last record, seq {last}: this is the {what} at the end")
