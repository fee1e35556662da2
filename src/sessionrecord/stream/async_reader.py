"""Reading a stream record by record under asyncio, from what blocks and from what is awaited."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Protocol

from typing_extensions import TypeIs

from sessionrecord.diagnostics import Diagnostic
from sessionrecord.errors import SourceError
from sessionrecord.lines import CHUNK_SIZE, Batch, BrokenOff, ByteSource, LongLine, Parts, read_parts
from sessionrecord.records import InvalidRecord, Record
from sessionrecord.stream.fold import StreamFold

__all__ = ["AsyncByteSource", "AsyncStreamReader"]


class AsyncByteSource(Protocol):
    """What bytes are awaited from, as `asyncio.StreamReader` is."""

    async def read(self, n: int = -1, /) -> bytes:
        """Some bytes, at most `n`; none at the end."""
        ...


class AsyncStreamReader:
    """As `StreamReader`, for `async for`: a path, file or bytes is read in a thread, an `asyncio.StreamReader` is awaited.

    Records are typed in the event loop, those of at most about 32 KiB, or of one line, between two turns of it.
    """

    def __init__(
        self, source: ByteSource | AsyncByteSource, *, strict: bool = False, max_line: int | None = None
    ) -> None:
        self._source = source
        self._strict = strict
        self._max_line = max_line
        self._fold = StreamFold(strict=strict)

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """Everything found since iteration began, up to the record that came last."""
        return self._fold.diagnostics

    async def __aiter__(self) -> AsyncIterator[Record | InvalidRecord]:
        self._fold = fold = StreamFold(strict=self._strict)
        async for part in self._parts():
            for record in fold.part(part):
                yield record
        fold.end()

    def _parts(self) -> AsyncIterator[Batch | LongLine | BrokenOff]:
        if _is_awaited(self._source):
            return _awaited(self._source, self._max_line)
        return _threaded(self._source, self._max_line)


def _is_awaited(source: ByteSource | AsyncByteSource) -> TypeIs[AsyncByteSource]:
    return inspect.iscoroutinefunction(getattr(source, "read", None))


async def _awaited(source: AsyncByteSource, most: int | None) -> AsyncIterator[Batch | LongLine | BrokenOff]:
    parts = Parts(most)
    while not parts.done:
        try:
            chunk = await source.read(CHUNK_SIZE)
        except OSError as e:
            raise SourceError(f"cannot read the stream: {e.strerror or e}") from e
        if not chunk:
            break
        for part in parts.feed(chunk):
            yield part
    for last in parts.end():
        yield last


async def _threaded(source: ByteSource, most: int | None) -> AsyncIterator[Batch | LongLine | BrokenOff]:
    parts = read_parts(source, most)
    try:
        while (part := await asyncio.to_thread(next, parts, None)) is not None:
            yield part
    finally:
        with suppress(ValueError):  # it runs in its thread still: this was cancelled, and it is closed when that ends
            parts.close()
