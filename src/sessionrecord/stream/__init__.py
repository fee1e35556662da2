"""Streams of records: reading, writing, authoring."""

from __future__ import annotations

from sessionrecord.stream.async_writer import AsyncStreamWriter
from sessionrecord.stream.authoring import Author, RecordList
from sessionrecord.stream.reader import StreamReader
from sessionrecord.stream.writer import StreamWriter

__all__ = ["AsyncStreamWriter", "Author", "RecordList", "StreamReader", "StreamWriter"]
