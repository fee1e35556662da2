"""Streams of records: reading, following, writing, authoring."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from sessionrecord.lines import Position
from sessionrecord.stream.authoring import Author, RecordList
from sessionrecord.stream.follow import Follower, follow
from sessionrecord.stream.reader import StreamReader
from sessionrecord.stream.writer import StreamWriter

if TYPE_CHECKING:
    from sessionrecord.stream.async_follow import AsyncFollower, follow_async
    from sessionrecord.stream.async_reader import AsyncStreamReader
    from sessionrecord.stream.async_writer import AsyncStreamWriter

__all__ = [
    "AsyncFollower",
    "AsyncStreamReader",
    "AsyncStreamWriter",
    "Author",
    "Follower",
    "Position",
    "RecordList",
    "StreamReader",
    "StreamWriter",
    "follow",
    "follow_async",
]

# asyncio takes long to import, and most programs do not use it
_MODULES: Final = {
    "AsyncFollower": "async_follow",
    "AsyncStreamReader": "async_reader",
    "AsyncStreamWriter": "async_writer",
    "follow_async": "async_follow",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
