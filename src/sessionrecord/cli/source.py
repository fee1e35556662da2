"""What a command reads: a file, or standard input."""

from __future__ import annotations

import sys
from typing import Final

from sessionrecord.errors import SourceError

__all__ = ["STDIO", "stdin_bytes"]

STDIO: Final = "-"
"""In place of a path: standard input or output."""


def stdin_bytes() -> bytes:
    """All of standard input. Raises `SourceError` if it is closed."""
    if sys.stdin is None:
        raise SourceError("standard input is closed")
    return sys.stdin.buffer.read()
