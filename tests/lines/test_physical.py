"""How a source is cut into lines: at LF and nowhere else, whatever the source and the sizes it is read in (spec section 1)."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessionrecord.errors import SourceError
from sessionrecord.lines import Batch, PhysicalLine, read_batches, read_lines

# Rich in what other readers take for the end of a line.
SOURCES = st.lists(
    st.one_of(
        st.sampled_from([b"\n", b"\n\n", b"\r\n", b"\r", b"\x0b", b"\x0c", b"\x1c", b"\x85", b"\xc2\x85", b"\xe2\x80\xa8", b"\0"]),
        st.binary(max_size=12),
    ),
    max_size=12,
).map(b"".join)  # fmt: skip


class Portions(io.RawIOBase):
    """A source that hands out what it likes, as a pipe does."""

    def __init__(self, data: bytes, sizes: list[int]) -> None:
        super().__init__()
        self._data = io.BytesIO(data)
        self._sizes = cycle(sizes)

    def read(self, size: int | None = -1, /) -> bytes:
        return self._data.read(min(next(self._sizes), size or 1))


class Reads:
    """The least that can be read from: an object with `read`."""

    def __init__(self, read: Callable[[int], Any]) -> None:
        self.read = read


def lines_of(source: Any) -> list[PhysicalLine]:
    return list(read_lines(source))


def naive_lines(data: bytes) -> Iterator[PhysicalLine]:
    """Byte by byte."""
    start, number = 0, 1
    for i, byte in enumerate(data):
        if byte == 10:
            yield PhysicalLine(number, start, data[start:i], ended=True)
            start, number = i + 1, number + 1
    if start < len(data):
        yield PhysicalLine(number, start, data[start:], ended=False)


@given(SOURCES, st.integers(1, 40), st.lists(st.integers(1, 9), min_size=1, max_size=5))
def test_only_lf_ends_a_line_whatever_the_chunks(data: bytes, size: int, portions: list[int]) -> None:
    """Spec section 1: nothing else splits a line, not U+2028, NEL, VT, FF or a lone CR."""
    expected = list(naive_lines(data))
    assert list(read_lines(data, size)) == expected
    assert list(read_lines(io.BytesIO(data), size)) == expected
    assert list(read_lines(Portions(data, portions), size)) == expected  # type: ignore[arg-type]


@given(SOURCES, st.integers(1, 40))
def test_batches_are_whole_lines_and_together_the_source(data: bytes, size: int) -> None:
    """Nothing is lost, nothing is held back; what `Batch` promises."""
    batches = list(read_batches(data, size))
    assert b"".join(b.data for b in batches) == data
    offset = 0
    for batch in batches:
        assert batch.offset == offset
        assert batch.data
        offset += len(batch.data)
    assert all(b.data.endswith(b"\n") for b in batches[:-1])


def test_memory_is_bounded_by_a_chunk_and_the_longest_line() -> None:
    """Design: reading takes constant memory. A batch is no longer than a chunk and the line that began before it."""
    lines = [b"x" * n + b"\n" for n in (3, 500, 0, 7, 90, 1000, 2)] * 20
    batches = list(read_batches(b"".join(lines), 64))
    assert max(len(b.data) for b in batches) <= 64 + max(map(len, lines))


def test_an_empty_source_has_no_lines(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    assert lines_of(b"") == lines_of(io.BytesIO()) == lines_of(tmp_path / "empty") == []


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview, io.BytesIO])
def test_bytes_of_every_kind_are_read(kind: Callable[[bytes], Any]) -> None:
    assert [line.data for line in lines_of(kind(b"a\nb"))] == [b"a", b"b"]


def test_a_path_is_read_as_text_or_as_a_path(tmp_path: Path) -> None:
    path = tmp_path / "s"
    path.write_bytes(b"a\nb\n")
    assert lines_of(path) == lines_of(str(path)) == list(naive_lines(b"a\nb\n"))


def test_a_file_object_is_read_from_where_it_is_and_stays_open(tmp_path: Path) -> None:
    """`ByteSource`: who opened a file closes it."""
    path = tmp_path / "s"
    path.write_bytes(b"a\nb\n")
    with path.open("rb") as file:
        file.readline()
        assert [line.data for line in lines_of(file)] == [b"b"]
        assert not file.closed


def test_what_a_pipe_holds_is_delivered_before_it_is_closed() -> None:
    """A live session can be followed: a line comes as soon as it is written."""
    read_end, write_end = os.pipe()
    with os.fdopen(read_end, "rb") as source, os.fdopen(write_end, "wb", buffering=0) as target:
        batches = read_batches(source)
        target.write(b"one\n")
        assert next(batches) == Batch(0, b"one\n")
        target.write(b"two\nthr")
        assert next(batches) == Batch(4, b"two\n")
        target.close()
        assert next(batches) == Batch(8, b"thr")
        assert next(batches, None) is None


def test_an_object_with_read_alone_is_enough() -> None:
    assert [line.data for line in lines_of(Reads(io.BytesIO(b"a\nb\n").read))] == [b"a", b"b"]


def test_a_missing_file_and_a_directory_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"cannot open .*missing"):
        lines_of(tmp_path / "missing")
    with pytest.raises(SourceError, match="cannot"):
        lines_of(tmp_path)


def test_a_path_that_no_system_takes_is_refused_as_a_source() -> None:
    with pytest.raises(SourceError, match="cannot open"):
        lines_of("a\0b")


def test_text_is_refused_with_what_to_do(tmp_path: Path) -> None:
    """Text mode has cut the lines and decoded them already."""
    path = tmp_path / "s"
    path.write_bytes(b"a\n")
    with path.open(encoding="utf-8") as file, pytest.raises(SourceError, match="binary mode, 'rb'"):
        lines_of(file)
    with pytest.raises(SourceError, match="binary mode"):
        lines_of(io.StringIO("a\n"))


def test_a_source_that_turns_out_to_be_text_is_refused() -> None:
    with pytest.raises(SourceError, match="it gave str, not bytes"):
        lines_of(Reads(io.StringIO("a\n").read))


@pytest.mark.parametrize("source", [3, None, ["a"], object()])
def test_what_cannot_be_read_at_all_is_refused_by_its_kind(source: object) -> None:
    with pytest.raises(SourceError, match=type(source).__name__):
        lines_of(source)


def test_a_source_that_has_nothing_yet_is_refused() -> None:
    """A non-blocking pipe gives None: that is not its end."""
    with pytest.raises(SourceError, match="non-blocking"):
        lines_of(Reads(lambda size: None))


def test_a_source_that_fails_in_the_middle_gives_what_came_before_it() -> None:
    portions = iter([b"a\nb"])

    def read(size: int) -> bytes:
        for portion in portions:
            return portion
        raise OSError(5, "Input/output error")

    batches = read_batches(Reads(read))  # type: ignore[arg-type]
    assert next(batches) == Batch(0, b"a\n")
    with pytest.raises(SourceError, match="Input/output error"):
        next(batches)


def test_a_closed_file_cannot_be_read() -> None:
    source = io.BytesIO(b"a\n")
    source.close()
    with pytest.raises(SourceError, match="closed"):
        lines_of(source)
