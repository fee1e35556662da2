"""Writing a stream: valid after each record, private, and never past a write that failed."""

from __future__ import annotations

import io
import os
import stat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessionrecord.errors import WriterError
from sessionrecord.records import InvalidRecord, Producer, Record, SessionHeader
from sessionrecord.stream import RecordList, StreamReader, StreamWriter
from tests.strategies import exact
from tests.stream.samples import ordered_records

PRODUCER = Producer(method="native")


class Target(io.RawIOBase):
    """A file object that takes at most `most` bytes at once, then runs out of `space`."""

    def __init__(self, most: int = 1 << 30, space: int = 1 << 30) -> None:
        super().__init__()
        self.data = b""
        self.most, self.space = most, space

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:
        taken = bytes(data)[: min(self.most, self.space)]
        if not taken:
            raise OSError(28, "No space left on device")
        self.space -= len(taken)
        self.data += taken
        return len(taken)


def target_of(target: Target) -> StreamWriter:
    return StreamWriter(target)  # type: ignore[arg-type]


def begin(writer: StreamWriter) -> SessionHeader:
    return writer.session(agent="a", session_id="s", producer=PRODUCER)


@settings(max_examples=25)
@given(ordered_records(), st.integers(1, 200))
def test_what_is_written_comes_back_equal(records: list[Record], most: int) -> None:
    """Everything that a record can hold survives, also through a target that takes little at once."""
    whole, little, memory = io.BytesIO(), Target(most), RecordList()
    for author in (StreamWriter(whole), target_of(little), memory):
        assert [author.write(record) for record in records] == records
    reader = StreamReader(whole.getvalue(), strict=True)
    read = list(reader)
    assert read == records == memory.records
    assert not any(isinstance(r, InvalidRecord) for r in read)
    assert [exact(r.to_wire()) for r in read if not isinstance(r, InvalidRecord)] == [
        exact(r.to_wire()) for r in records
    ]
    assert {d.code for d in reader.diagnostics} <= {"member-misspelled", "noncharacter", "number-out-of-range"}
    assert little.data == whole.getvalue()


def test_a_stream_is_valid_after_each_record(tmp_path: Path) -> None:
    """Design: nothing is held back, so that a crash loses nothing and others can read along."""
    path = tmp_path / "s"
    with StreamWriter(path) as writer:
        made: list[Record] = [begin(writer)]
        assert list(StreamReader(path, strict=True)) == made
        made.append(writer.user_message("What is in this folder?"))
        assert list(StreamReader(path, strict=True)) == made
        made.extend(writer.tool_use("ls", {"path": "."}, "a\nb"))
        reader = StreamReader(path, strict=True)
        assert list(reader) == made
        assert reader.diagnostics == []


def test_a_writer_writes_what_a_list_holds() -> None:
    """Both are the same author."""
    target, memory = io.BytesIO(), RecordList()
    for author in (StreamWriter(target), memory):
        author.session(agent="a", session_id="s", producer=PRODUCER)
        author.assistant_message("é\u2028\n", model="m")
        author.unknown("odd", x=[1, None])
    assert target.getvalue() == b"".join(r.to_line() + b"\n" for r in memory.records)


@pytest.mark.skipif(os.name != "posix", reason="modes are of POSIX")
def test_a_file_is_made_private(tmp_path: Path) -> None:
    """Design: mode 0600, since sessions hold secrets."""
    with StreamWriter(tmp_path / "s") as writer:
        begin(writer)
    assert stat.S_IMODE((tmp_path / "s").stat().st_mode) == 0o600


def test_a_file_that_holds_something_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with StreamWriter(path) as writer:
        begin(writer)
    before = path.read_bytes()
    with pytest.raises(WriterError, match="not empty"):
        StreamWriter(path)
    assert path.read_bytes() == before


def test_a_failed_write_ends_the_stream() -> None:
    """The last line may be torn, so nothing is written after it; what was whole stays readable."""
    target = Target(most=50)
    writer = target_of(target)
    header = begin(writer)
    whole = len(target.data)
    target.space = 60
    with pytest.raises(OSError, match="No space left"):
        writer.user_message("a long text " * 20)
    assert len(target.data) == whole + 60
    target.space = 10_000
    for _ in range(2):
        with pytest.raises(WriterError, match="may be torn"):
            writer.user_message("more")
    assert len(target.data) == whole + 60
    reader = StreamReader(target.data)
    records = list(reader)
    assert records[0] == header
    assert [d.code for d in reader.diagnostics] == ["line-torn"]


def test_a_header_that_could_not_be_written_is_not_counted() -> None:
    """What raises adds nothing."""
    target = Target(space=0)
    writer = target_of(target)
    with pytest.raises(OSError, match="No space left"):
        begin(writer)
    with pytest.raises(WriterError, match="may be torn"):
        begin(writer)
    assert target.data == b""


def test_a_closed_writer_takes_nothing(tmp_path: Path) -> None:
    with StreamWriter(tmp_path / "s") as writer:
        begin(writer)
    writer.close()
    before = (tmp_path / "s").read_bytes()
    with pytest.raises(WriterError, match="closed"):
        writer.user_message("x")
    assert (tmp_path / "s").read_bytes() == before


def test_a_file_object_stays_open() -> None:
    file = io.BytesIO()
    with StreamWriter(file) as writer:
        begin(writer)
    assert not file.closed
    with pytest.raises(WriterError, match="closed"):
        writer.user_message("x")


def test_a_file_is_closed_when_the_program_fails(tmp_path: Path) -> None:
    """An unclosed file would be a warning, which is an error in these tests."""

    def run() -> None:
        with StreamWriter(tmp_path / "s") as writer:
            begin(writer)
            raise LookupError("of the program")

    with pytest.raises(LookupError, match="of the program"):
        run()
    assert len(list(StreamReader(tmp_path / "s", strict=True))) == 1


def test_a_target_that_cannot_be_opened_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WriterError, match="cannot write to"):
        StreamWriter(tmp_path / "no" / "s")
