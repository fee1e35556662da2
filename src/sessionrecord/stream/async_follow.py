"""Following a stream that is being written, under asyncio."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections import deque
from collections.abc import AsyncIterator
from contextlib import suppress
from itertools import islice
from types import TracebackType
from typing import Final, Self

from sessionrecord.lines import Position
from sessionrecord.records import InvalidRecord, Record
from sessionrecord.stream.follow import PolledStream, time_to_wait

__all__ = ["AsyncFollower", "follow_async"]

_AT_ONCE: Final = 256


class AsyncFollower(PolledStream):
    """As `Follower`, for asyncio: files are read in a thread. Made by `follow_async`."""

    def __init__(
        self,
        path: str | os.PathLike[str],
        position: Position | None,
        interval: float,
        timeout: float | None,
        stop: asyncio.Event | None,
    ) -> None:
        super().__init__(path, position)
        self._interval, self._timeout = interval, timeout
        self._stop = asyncio.Event() if stop is None else stop
        self._read: deque[tuple[Record | InvalidRecord, Position | None]] = deque()
        self._position = position
        self._reading = threading.Lock()

    @property
    def position(self) -> Position | None:
        """The place behind the record that came last, to go on from later; None before there is one."""
        return self._position

    async def __aiter__(self) -> AsyncIterator[Record | InvalidRecord]:
        last = time.monotonic()
        while not self._is_over():
            while self._read:
                record, self._position = self._read.popleft()
                yield record
                last = time.monotonic()
                if self._is_over():
                    return
            if await self._fetch():
                continue
            wait = time_to_wait(self._interval, self._timeout, last)
            if wait is None:
                return
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stop.wait(), wait)

    def _is_over(self) -> bool:
        return self._closed or self._stop.is_set()

    async def _fetch(self) -> bool:
        """Read on, in a thread; whether there was something."""
        await asyncio.to_thread(self._some)
        return bool(self._read)

    def _some(self) -> None:
        # a thread goes on when who waits for it is cancelled: what it read is there for the next iteration
        with self._reading:
            if not self._closed:
                self._read.extend((record, self._reached()) for record in islice(self._ready(), _AT_ONCE))

    def close(self) -> None:
        """Close the file; iterating ends. Closing again does nothing."""
        self._closed = True
        with self._reading:
            super().close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


def follow_async(
    path: str | os.PathLike[str],
    *,
    position: Position | None = None,
    interval: float = 0.25,
    timeout: float | None = None,
    stop: asyncio.Event | None = None,
) -> AsyncFollower:
    """As `follow`, for asyncio: `async with` and `async for`."""
    return AsyncFollower(path, position, interval, timeout, stop)
