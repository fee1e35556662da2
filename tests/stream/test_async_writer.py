"""The writer of asyncio: the same methods, in the order of the calls, and no waiting in the event loop."""

from __future__ import annotations

import asyncio
import inspect
import subprocess
import sys
import threading
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest

from sessionrecord.errors import StreamLockedError, WriterError
from sessionrecord.lines import Appender
from sessionrecord.records import Message, Plan, Producer, Record, SessionHeader
from sessionrecord.refs import SessionKey
from sessionrecord.stream import AsyncStreamWriter, Author, StreamReader, StreamWriter

PRODUCER = Producer(method="native")


def run(work: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(asyncio.wait_for(work, 60))


async def begin(writer: AsyncStreamWriter) -> SessionHeader:
    return await writer.session(agent="a", session_id="s", producer=PRODUCER)


def test_it_has_every_method_of_an_author() -> None:
    """Design: one typed method per record type; a new one must not be forgotten here."""
    methods = {n for n, _ in inspect.getmembers(StreamWriter, inspect.isfunction) if not n.startswith("_")}
    mine = {n for n, _ in inspect.getmembers(AsyncStreamWriter, inspect.iscoroutinefunction) if not n.startswith("_")}
    assert mine == methods | {"open"}
    for name, _ in inspect.getmembers(Author, inspect.isfunction):
        if not name.startswith("_"):
            given = list(inspect.signature(getattr(Author, name)).parameters)[1:]
            assert list(inspect.signature(getattr(AsyncStreamWriter, name)).parameters)[1:] == given
            assert getattr(AsyncStreamWriter, name).__doc__


def test_what_is_awaited_is_written(tmp_path: Path) -> None:
    path = tmp_path / "s"

    async def work() -> list[Record]:
        async with await AsyncStreamWriter.open(path) as writer:
            made: list[Record] = [await begin(writer), await writer.user_message("x")]
            assert list(StreamReader(path, strict=True)) == made
            assert writer.header == made[0]
            made += await writer.tool_use("t", {}, "r")
            made += [await writer.write(Plan(seq=9, id="p", plan_id="p")), await writer.unknown("odd", n=1)]
        return made

    made = run(work())
    assert list(StreamReader(path, strict=True)) == made


def test_records_of_many_tasks_come_in_the_order_of_the_calls(tmp_path: Path) -> None:
    path = tmp_path / "s"

    async def work() -> list[Message]:
        async with await AsyncStreamWriter.open(path, fsync="never") as writer:
            await begin(writer)
            return list(await asyncio.gather(*(writer.user_message(str(n)) for n in range(100))))

    made = run(work())
    assert [(m.seq, m.text) for m in made] == [(n + 2, str(n)) for n in range(100)]
    assert list(StreamReader(path, strict=True))[1:] == made


def test_what_raises_raises_where_it_is_awaited(tmp_path: Path) -> None:
    async def work() -> None:
        writer = await AsyncStreamWriter.open(tmp_path / "s")
        with pytest.raises(WriterError, match="header"):
            await writer.user_message("x")
        await begin(writer)
        await writer.close()
        await writer.close()
        with pytest.raises(WriterError, match="closed"):
            await writer.user_message("x")
        with pytest.raises(WriterError, match="not empty"):
            await AsyncStreamWriter.open(tmp_path / "s")

    run(work())
    assert len(list(StreamReader(tmp_path / "s", strict=True))) == 1


def test_the_event_loop_goes_on_while_a_record_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A slow disk must not stop a harness."""
    go = threading.Event()
    real = Appender.append

    def slow(self: Appender, line: bytes) -> None:
        assert go.wait(60)
        real(self, line)

    async def work() -> None:
        async with await AsyncStreamWriter.open(tmp_path / "s") as writer:
            monkeypatch.setattr(Appender, "append", slow)
            writing = asyncio.create_task(begin(writer))
            for _ in range(5):
                await asyncio.sleep(0)
            assert not writing.done()
            go.set()  # nobody could if the loop stood still
            await writing

    run(work())


def test_a_cancelled_call_is_carried_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether it had begun cannot be known, so the answer is always the same: the record is there."""
    go = threading.Event()
    real = Appender.append

    def slow(self: Appender, line: bytes) -> None:
        assert go.wait(60)
        real(self, line)

    async def work() -> None:
        async with await AsyncStreamWriter.open(tmp_path / "s") as writer:
            await begin(writer)
            monkeypatch.setattr(Appender, "append", slow)
            tasks = [asyncio.create_task(writer.user_message(text)) for text in ("running", "waiting")]
            await asyncio.sleep(0)
            for task in tasks:
                task.cancel()
            for task in tasks:
                with pytest.raises(asyncio.CancelledError):
                    await task
            go.set()

    run(work())
    assert [r.text for r in list(StreamReader(tmp_path / "s", strict=True))[1:]] == ["running", "waiting"]  # type: ignore[union-attr]


def test_a_stream_is_resumed_and_its_key_compared(tmp_path: Path) -> None:
    path = tmp_path / "s"

    async def work() -> None:
        for n in range(2):
            async with await AsyncStreamWriter.open(path, resume=True, key=SessionKey("a", None, "s")) as writer:
                if writer.header is None:
                    await begin(writer)
                assert (await writer.user_message("x")).seq == n + 2
        path.write_bytes(path.read_bytes() + b"{torn")
        with pytest.raises(WriterError, match="asr:a//s"):
            await AsyncStreamWriter.open(path, resume=True, key=SessionKey("b", None, "s"))
        async with await AsyncStreamWriter.open(path, resume=True) as writer:
            assert [d.code for d in writer.diagnostics] == ["line-torn"]
            await writer.reopen()
            assert writer.diagnostics == []

    run(work())


def test_a_second_writer_waits_or_is_told(tmp_path: Path) -> None:
    path = tmp_path / "s"

    async def work() -> None:
        first = await AsyncStreamWriter.open(path)
        await begin(first)
        for wait in (False, 0.01):
            with pytest.raises(StreamLockedError):
                await AsyncStreamWriter.open(path, resume=True, wait=wait)
        waiting = [asyncio.create_task(AsyncStreamWriter.open(path, resume=True, wait=w)) for w in (True, 60)]
        await asyncio.sleep(0.01)
        assert not any(task.done() for task in waiting)
        await first.close()
        for task in asyncio.as_completed(waiting):
            async with await task as writer:
                await writer.user_message("x")

    run(work())
    assert len(list(StreamReader(path, strict=True))) == 3


def test_waiting_can_be_cancelled_and_leaves_no_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the file was being opened just then."""
    path = tmp_path / "s"
    opened = threading.Event()
    go = threading.Event()
    real = StreamWriter.__init__

    def slow(self: StreamWriter, *args: Any, **kwargs: Any) -> None:
        real(self, *args, **kwargs)
        opened.set()
        assert go.wait(60)

    async def work() -> None:
        async with await AsyncStreamWriter.open(path) as first:
            await begin(first)
            waiting = asyncio.create_task(AsyncStreamWriter.open(path, resume=True, wait=True))
            await asyncio.sleep(0.01)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
        with monkeypatch.context() as patch:
            patch.setattr(StreamWriter, "__init__", slow)
            opening = asyncio.create_task(AsyncStreamWriter.open(path, resume=True))
            await asyncio.to_thread(opened.wait, 60)
            opening.cancel()
            with pytest.raises(asyncio.CancelledError):
                await opening
            go.set()
        async with await AsyncStreamWriter.open(path, resume=True, wait=60) as writer:
            await writer.user_message("x")

    run(work())
    assert len(list(StreamReader(path, strict=True))) == 2


def test_asyncio_is_imported_by_those_who_use_it() -> None:
    """Design, decision 2: the package imports quickly. asyncio alone takes about as long as pydantic."""
    script = (
        "import sys, sessionrecord, sessionrecord.stream\n"
        "print('asyncio' in sys.modules)\n"
        "print(sessionrecord.AsyncStreamWriter is sessionrecord.stream.AsyncStreamWriter)\n"
        "for module in (sessionrecord, sessionrecord.stream):\n"
        "    print(hasattr(module, 'Nothing'))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True", "False", "False"]


def test_a_path_is_for_open_and_that_is_said() -> None:
    path: Any = "session.asr.jsonl"
    with pytest.raises(TypeError, match=r"not str; await AsyncStreamWriter\.open"):
        AsyncStreamWriter(path)
