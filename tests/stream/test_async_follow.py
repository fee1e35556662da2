"""Following a stream under asyncio: the same records, while the event loop goes on."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

import sessionrecord.stream
from sessionrecord.errors import SourceError
from sessionrecord.stream import Position, follow_async
from tests.stream.samples import HEADER, message


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "s.asr.jsonl"


def append(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


def test_records_come_as_they_are_completed_while_other_tasks_run(path: Path) -> None:
    async def run() -> list[str | None]:
        found: list[str | None] = []

        async def write() -> None:
            append(path, HEADER + message(2)[:9])
            while len(found) < 1:
                await asyncio.sleep(0)
            append(path, message(2)[9:] + message(3).strip() + message(4))

        writer = asyncio.create_task(write())
        async with follow_async(path, interval=0.001) as records:
            async for record in records:
                found.append(record.id)
                if record.id == "r4":
                    break
            assert [d.code for d in records.diagnostics] == ["json-invalid"]
        await writer
        return found

    assert asyncio.run(run()) == ["r1", "r2", "r3", "r4"]


def test_from_each_position_on_the_rest_comes(path: Path) -> None:
    """The position is that of the record that came last, though a thread has read further."""
    append(path, HEADER + message(2).strip() + message(3) + message(4) + message(5))
    everything = ["r1", "r2", "r3", "r4", "r5"]

    async def run() -> None:
        async with follow_async(path, timeout=0) as records:
            before, count = records.position, 0
            assert before is None
            async for record in records:
                count += 1
                assert record.id == everything[count - 1]
                assert records.position is not None
                saved = Position.from_json(records.position.to_json())
                async with follow_async(path, timeout=0, position=saved) as rest:
                    assert rest.position == saved
                    assert [r.id async for r in rest] == everything[count:]

    asyncio.run(run())


def test_it_ends_when_it_is_stopped_or_closed_and_can_be_taken_up_again(path: Path) -> None:
    append(path, HEADER + message(2) + message(3) + message(4))

    async def run() -> None:
        stop = asyncio.Event()
        records = follow_async(path, interval=60, stop=stop)
        found: list[str | None] = []
        async for record in records:
            found.append(record.id)
            stop.set()
        assert found == ["r1"]
        stop.clear()
        async for record in records:
            found.append(record.id)
            if record.id == "r4":
                asyncio.get_running_loop().call_soon(stop.set)  # while it waits
        assert found == ["r1", "r2", "r3", "r4"]
        stop.clear()
        append(path, message(5) + message(6))
        async for record in records:
            found.append(record.id)
            records.close()
        records.close()
        assert [r.id async for r in records] == []
        assert found[4:] == ["r5"]

    asyncio.run(run())


def test_nothing_is_lost_when_a_waiting_task_is_cancelled(path: Path) -> None:
    append(path, HEADER + message(2))

    async def run() -> None:
        async with follow_async(path, interval=0.001) as records:
            found: list[str | None] = []

            async def take() -> None:
                async for record in records:
                    found.append(record.id)

            for _ in range(20):
                task = asyncio.create_task(take())
                await asyncio.sleep(0)
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
            append(path, message(3))
            async for record in records:
                found.append(record.id)
                if record.id == "r3":
                    break
            assert found == ["r1", "r2", "r3"]

    asyncio.run(run())


def test_what_cannot_be_followed_is_told(tmp_path: Path) -> None:
    async def run() -> None:
        async with follow_async(tmp_path, timeout=0) as records:
            with pytest.raises(SourceError, match="not a regular file"):
                async for _ in records:
                    pass

    asyncio.run(run())


def test_what_needs_asyncio_is_imported_on_use() -> None:
    """Importing it takes a good part of what importing everything else does."""
    assert sessionrecord.stream.AsyncFollower.__module__ == "sessionrecord.stream.async_follow"
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = sessionrecord.stream.nothing
