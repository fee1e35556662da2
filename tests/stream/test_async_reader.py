"""Reading under asyncio: the same as `StreamReader`, from what blocks and from what is awaited."""

from __future__ import annotations

import asyncio
import gzip
import io
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessionrecord.errors import SourceError, StreamError
from sessionrecord.records import InvalidRecord, Record
from sessionrecord.stream import AsyncStreamReader, StreamReader
from tests.stream.samples import HEADER, message

STREAMS = st.lists(
    st.sampled_from(
        [HEADER, message(2), message(3), message(4)[:30], message(5).strip(), b"\n", b"\0\0\n", b"z" * 300 + b"\n"]
    ),
    max_size=8,
).map(b"".join)


def read_all(reader: AsyncStreamReader) -> list[Record | InvalidRecord]:
    async def run() -> list[Record | InvalidRecord]:
        return [record async for record in reader]

    return asyncio.run(run())


async def awaited(data: bytes, **options: Any) -> tuple[list[Record | InvalidRecord], AsyncStreamReader]:
    source = asyncio.StreamReader()
    source.feed_data(data)
    source.feed_eof()
    reader = AsyncStreamReader(source, **options)
    return [record async for record in reader], reader


@settings(max_examples=50)
@given(STREAMS, st.sampled_from([None, 200]), st.booleans())
def test_it_reads_what_the_blocking_reader_reads(data: bytes, most: int | None, packed: bool) -> None:
    plain = StreamReader(data, max_line=most)
    records = list(plain)
    source = gzip.compress(data) if packed else data
    threaded = AsyncStreamReader(source, max_line=most)
    assert read_all(threaded) == records
    assert threaded.diagnostics == plain.diagnostics
    found, reader = asyncio.run(awaited(source, max_line=most))
    assert found == records
    assert reader.diagnostics == plain.diagnostics


def test_paths_and_files_are_read_and_may_be_read_again(tmp_path: Path) -> None:
    path = tmp_path / "s"
    path.write_bytes(HEADER + message(2))
    reader = AsyncStreamReader(path)
    assert [r.id for r in read_all(reader)] == [r.id for r in read_all(reader)] == ["r1", "r2"]
    assert [r.id for r in read_all(AsyncStreamReader(io.BytesIO(HEADER)))] == ["r1"]


def test_records_come_as_the_source_gives_them() -> None:
    async def run() -> None:
        source = asyncio.StreamReader()
        records = aiter(AsyncStreamReader(source))
        source.feed_data(HEADER + message(2)[:20])
        assert (await anext(records)).id == "r1"
        waiting = asyncio.ensure_future(anext(records))
        await asyncio.sleep(0)
        assert not waiting.done()
        source.feed_data(message(2)[20:])
        assert (await waiting).id == "r2"
        source.feed_eof()
        assert await anext(records, None) is None

    asyncio.run(run())


def test_strict_raises_at_the_first_error() -> None:
    async def run() -> None:
        reader = AsyncStreamReader(HEADER + b"x\n" + message(2), strict=True)
        records = aiter(reader)
        assert (await anext(records)).id == "r1"
        with pytest.raises(StreamError, match="json-invalid"):
            await anext(records)

    asyncio.run(run())


def test_a_source_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="cannot open"):
        read_all(AsyncStreamReader(tmp_path / "missing"))

    class Broken:
        async def read(self, n: int = -1, /) -> bytes:
            raise ConnectionResetError(104, "Connection reset by peer")

    with pytest.raises(SourceError, match="reset"):
        read_all(AsyncStreamReader(Broken()))


def test_a_damaged_awaited_source_is_read_no_further() -> None:
    packed = bytearray(gzip.compress(HEADER) + b"rest" * 20_000)
    found, reader = asyncio.run(awaited(bytes(packed)))
    assert [r.id for r in found] == ["r1"]
    assert [d.code for d in reader.diagnostics] == ["compression-broken"]


def test_a_reading_that_is_cancelled_ends_with_its_thread() -> None:
    """The thread waits for its source; the file stays the caller's."""
    begun, go_on = threading.Event(), threading.Event()

    class Slow(io.RawIOBase):
        def read(self, size: int | None = -1, /) -> bytes:
            begun.set()
            go_on.wait(30)
            return b""

    async def run() -> None:
        source: Any = Slow()
        task = asyncio.ensure_future(anext(aiter(AsyncStreamReader(source))))
        await asyncio.to_thread(begun.wait, 30)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        go_on.set()

    asyncio.run(run())
