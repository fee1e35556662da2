"""Writing a stream from asyncio: the methods of `StreamWriter`, awaited, while the event loop goes on."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from functools import partial, wraps
from types import TracebackType
from typing import Any, Concatenate, Final, ParamSpec, Self, TypeVar

from sessionrecord.diagnostics import Diagnostic
from sessionrecord.errors import StreamLockedError, WriterError
from sessionrecord.lines import AppendTarget, FsyncPolicy
from sessionrecord.records import SessionHeader
from sessionrecord.records.envelope import EnvelopeModel
from sessionrecord.refs import SessionKey
from sessionrecord.stream.writer import StreamWriter

__all__ = ["AsyncStreamWriter"]

P = ParamSpec("P")
T = TypeVar("T")
R = TypeVar("R", bound=EnvelopeModel)

_PAUSES: Final = 0.001, 0.05


def _awaited(
    method: Callable[Concatenate[StreamWriter, P], T],
) -> Callable[Concatenate[AsyncStreamWriter, P], Coroutine[Any, Any, T]]:
    @wraps(method)
    async def call(self: AsyncStreamWriter, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._run(partial(method, self._writer, *args, **kwargs))

    return call


class AsyncStreamWriter:
    """A `StreamWriter` whose methods are awaited: each runs in one thread of the writer's own, in the order of the calls.

    ::

        async with await AsyncStreamWriter.open("session.asr.jsonl") as writer:
            await writer.session(agent="my-agent", session_id="s1", producer=Producer(method="native"))
            await writer.user_message("What is in this folder?")

    A call that is cancelled while it is awaited is carried out all the same: a record is never half a record. What
    raises, and when, is as with `StreamWriter`.
    """

    def __init__(self, writer: StreamWriter) -> None:
        """Goes on with a writer that is open. Raises `TypeError` for anything else: a path is for `open`."""
        given: object = writer
        if not isinstance(given, StreamWriter):
            raise TypeError(
                f"an AsyncStreamWriter goes on with a StreamWriter, not {type(given).__name__}; await AsyncStreamWriter.open(...) opens one"
            )
        self._writer = writer
        self._closed = False
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="sessionrecord-writer")

    @classmethod
    async def open(
        cls,
        target: AppendTarget,
        *,
        resume: bool = False,
        key: SessionKey | None = None,
        fsync: FsyncPolicy = "close",
        wait: bool | float = False,
    ) -> Self:
        """Opens a writer as `StreamWriter` does. Waiting for the lock can be cancelled; `reopen` does not wait for it."""
        deadline = time.monotonic() + wait
        pause, longest = _PAUSES
        while True:
            opening = asyncio.ensure_future(
                asyncio.to_thread(partial(StreamWriter, target, resume=resume, key=key, fsync=fsync))
            )
            try:
                writer = await asyncio.shield(opening)
            except StreamLockedError:
                left = longest if wait is True else deadline - time.monotonic()
                if left <= 0:
                    raise
                await asyncio.sleep(min(pause, left))
                pause = min(2 * pause, longest)
            except asyncio.CancelledError:
                opening.add_done_callback(_close_unwanted)
                raise
            else:
                return cls(writer)

    @property
    def header(self) -> SessionHeader | None:
        """The session header, once there is one."""
        return self._writer.header

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """What was found in a stream that is continued, and what was done to its end."""
        return self._writer.diagnostics

    async def write(self, record: R) -> R:
        """Adds a record that is made already, with the `seq` and `id` it has. See `StreamWriter.write`."""
        return await self._run(partial(self._writer.write, record))

    unknown = _awaited(StreamWriter.unknown)
    user_message = _awaited(StreamWriter.user_message)
    assistant_message = _awaited(StreamWriter.assistant_message)
    tool_use = _awaited(StreamWriter.tool_use)
    reopen = _awaited(StreamWriter.reopen)
    session = _awaited(StreamWriter.session)
    declaration = _awaited(StreamWriter.declaration)
    session_info = _awaited(StreamWriter.session_info)
    message = _awaited(StreamWriter.message)
    tool_call = _awaited(StreamWriter.tool_call)
    tool_result = _awaited(StreamWriter.tool_result)
    compaction = _awaited(StreamWriter.compaction)
    rewind = _awaited(StreamWriter.rewind)
    model_call = _awaited(StreamWriter.model_call)
    usage = _awaited(StreamWriter.usage)
    permission_request = _awaited(StreamWriter.permission_request)
    permission_decision = _awaited(StreamWriter.permission_decision)
    question = _awaited(StreamWriter.question)
    answer = _awaited(StreamWriter.answer)
    memory_write = _awaited(StreamWriter.memory_write)
    delivery = _awaited(StreamWriter.delivery)
    file_change = _awaited(StreamWriter.file_change)
    commit = _awaited(StreamWriter.commit)
    state = _awaited(StreamWriter.state)
    terminal = _awaited(StreamWriter.terminal)
    plan = _awaited(StreamWriter.plan)
    error = _awaited(StreamWriter.error)

    async def close(self) -> None:
        """Waits for the calls before it, syncs as `fsync` says, and closes the file. See `StreamWriter.close`."""
        if self._closed:
            return
        closing = asyncio.shield(self._submit(self._writer.close))
        self._closed = True
        self._executor.shutdown(wait=False)
        await closing

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    async def _run(self, work: Callable[[], T]) -> T:
        return await asyncio.shield(self._submit(work))

    def _submit(self, work: Callable[[], T]) -> asyncio.Future[T]:
        if self._closed:
            raise WriterError("the writer is closed")
        return asyncio.get_running_loop().run_in_executor(self._executor, work)


def _close_unwanted(opening: asyncio.Future[StreamWriter]) -> None:
    if not opening.cancelled() and opening.exception() is None:
        opening.result().close()
