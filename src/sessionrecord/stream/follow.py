"""Following a stream that is being written: each record as it is completed."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from types import TracebackType
from typing import Self

from sessionrecord.diagnostics import Diagnostic
from sessionrecord.lines import Batch, Fresh, LineFollower, Position
from sessionrecord.records import InvalidRecord, Record
from sessionrecord.stream.fold import StreamFold

__all__ = ["Follower", "PolledStream", "follow", "time_to_wait"]


class PolledStream:
    """A stream that is polled: what both followers share."""

    def __init__(self, path: str | os.PathLike[str], position: Position | None) -> None:
        self.diagnostics: list[Diagnostic] = []
        """Everything found so far. It grows as long as the stream does: clear it once it is dealt with."""
        self._lines = LineFollower(path, position)
        self._fold = self._new_fold(position)
        self._polled: Iterator[Record | InvalidRecord] = iter(())
        self._closed = False

    def close(self) -> None:
        """Close the file; iterating ends. Closing again does nothing."""
        self._closed = True
        self._polled = iter(())
        self._lines.close()

    def _ready(self) -> Iterator[Record | InvalidRecord]:
        """The records complete by now, those first that an iteration left behind."""
        # not `yield from`: that would close what the next iteration goes on with
        for record in self._polled:
            yield record
        self._polled = self._poll()
        for record in self._polled:
            yield record

    def _poll(self) -> Iterator[Record | InvalidRecord]:
        for line in self._lines.poll():
            if isinstance(line, Fresh):
                self._fold = self._new_fold(None)
                self.diagnostics.append(Diagnostic.of("stream-restarted", f"{line.reason}; it is read from its start"))
            else:
                yield from self._fold.part(Batch(line.offset, line.data + b"\n" if line.ended else line.data))

    def _new_fold(self, position: Position | None) -> StreamFold:
        fold = StreamFold() if position is None else StreamFold(line=position.line, in_middle=position.offset > 0)
        fold.report_into(self.diagnostics)
        return fold

    def _reached(self) -> Position | None:
        return self._lines.position(self._fold.reached)


class Follower(PolledStream):
    """The records of a stream that grows, each once, as their lines are completed; made by `follow`.

    Iterating may be ended and taken up again. It is closed by `close`, or at the end of a `with`.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        position: Position | None,
        interval: float,
        timeout: float | None,
        stop: threading.Event | None,
    ) -> None:
        super().__init__(path, position)
        self._interval, self._timeout = interval, timeout
        self._stop = threading.Event() if stop is None else stop

    @property
    def position(self) -> Position | None:
        """The place behind the record that came last, to go on from later; None before there is a file."""
        return self._reached()

    def __iter__(self) -> Iterator[Record | InvalidRecord]:
        last = time.monotonic()
        while not self._is_over():
            for record in self._ready():
                yield record
                last = time.monotonic()
                if self._is_over():
                    return
            wait = time_to_wait(self._interval, self._timeout, last)
            if wait is None:
                return
            self._stop.wait(wait)

    def _is_over(self) -> bool:
        return self._closed or self._stop.is_set()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


def time_to_wait(interval: float, timeout: float | None, last: float) -> float | None:
    """How long to wait before the next poll; None where the time is over."""
    if timeout is None:
        return interval
    left = last + timeout - time.monotonic()
    return min(interval, left) if left > 0 else None


def follow(
    path: str | os.PathLike[str],
    *,
    position: Position | None = None,
    interval: float = 0.25,
    timeout: float | None = None,
    stop: threading.Event | None = None,
) -> Follower:
    """Follow a stream while it is written: iterate over what this returns.

    ::

        with follow("session.asr.jsonl", position=saved) as records:
            for record in records:
                ...
                saved = records.position

    A record comes when its line has ended, a line that is no valid record as an `InvalidRecord`. The path is looked at
    every `interval` seconds, and need not be there yet. Where the file is cut short, or another takes its place, reading
    begins at its start, after all that came before, and `stream-restarted` is among the diagnostics. Each record comes
    exactly once whose file stays at the path for two polls.

    With a `position` that was saved the records behind it come, also those of a file that was renamed since, within its
    folder. Iterating ends when `stop` is set, or when nothing came for `timeout` seconds: with 0, after what is there.

    Raises `SourceError` if the file cannot be read, or is compressed; iterating may be tried again.
    """
    return Follower(path, position, interval, timeout, stop)
