"""Streams of records: reading, writing, authoring."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sessionrecord.stream.authoring import Author, RecordList
from sessionrecord.stream.reader import StreamReader
from sessionrecord.stream.writer import StreamWriter

if TYPE_CHECKING:
    from sessionrecord.stream.async_writer import AsyncStreamWriter

__all__ = ["AsyncStreamWriter", "Author", "RecordList", "StreamReader", "StreamWriter"]


def __getattr__(name: str) -> Any:
    if name == "AsyncStreamWriter":  # asyncio is half the cost of all imports, and few need it
        from sessionrecord.stream.async_writer import AsyncStreamWriter

        return AsyncStreamWriter
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
