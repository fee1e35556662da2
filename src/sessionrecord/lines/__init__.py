"""Bytes as lines: reading them from any source, appending them. Knows nothing of JSON."""

from __future__ import annotations

from sessionrecord.lines.append import Appender, AppendTarget
from sessionrecord.lines.follow import Fresh, LineFollower, Position
from sessionrecord.lines.glue import Piece, split_glued
from sessionrecord.lines.physical import (
    BLANKS,
    BOM,
    CHUNK_SIZE,
    Batch,
    BrokenOff,
    ByteSource,
    LongLine,
    Parts,
    PhysicalLine,
    read_batches,
    read_lines,
    read_parts,
)
from sessionrecord.lines.sync import FsyncPolicy

__all__ = [
    "BLANKS",
    "BOM",
    "CHUNK_SIZE",
    "AppendTarget",
    "Appender",
    "Batch",
    "BrokenOff",
    "ByteSource",
    "Fresh",
    "FsyncPolicy",
    "LineFollower",
    "LongLine",
    "Parts",
    "PhysicalLine",
    "Piece",
    "Position",
    "read_batches",
    "read_lines",
    "read_parts",
    "split_glued",
]
