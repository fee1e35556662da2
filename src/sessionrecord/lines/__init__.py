"""Bytes as lines: reading them from any source, appending them. Knows nothing of JSON."""

from __future__ import annotations

from sessionrecord.lines.append import Appender, AppendTarget
from sessionrecord.lines.physical import CHUNK_SIZE, Batch, ByteSource, PhysicalLine, read_batches, read_lines
from sessionrecord.lines.sync import FsyncPolicy

__all__ = [
    "CHUNK_SIZE",
    "AppendTarget",
    "Appender",
    "Batch",
    "ByteSource",
    "FsyncPolicy",
    "PhysicalLine",
    "read_batches",
    "read_lines",
]
