"""Writing a stream: valid after each record, private, and never past a write that failed."""

from __future__ import annotations

import gzip
import io
import itertools
import os
import stat
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessionrecord.errors import StreamLockedError, WriterError
from sessionrecord.lines import Appender, append, lock
from sessionrecord.records import InvalidRecord, Plan, Producer, Record, SessionHeader
from sessionrecord.refs import SessionKey
from sessionrecord.stream import RecordList, StreamReader, StreamWriter
from sessionrecord.stream.authoring_base import StreamOrder
from tests.strategies import exact
from tests.stream.samples import HEADER, message, ordered_records

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


def stream_of(path: Path, *texts: str) -> list[Record]:
    """A stream with a message for each text."""
    with StreamWriter(path, fsync="never") as writer:
        return [begin(writer), *(writer.user_message(text) for text in texts)]


def test_a_resumed_stream_goes_on(tmp_path: Path) -> None:
    """Spec section 2: `seq` rises and IDs are unique in the whole stream, however often its writer started."""
    path = tmp_path / "s"
    made = stream_of(path, "one", "two")
    for text in ("three", "four"):
        with StreamWriter(path, resume=True) as writer:
            assert writer.header == made[0]
            assert writer.diagnostics == []
            made.append(writer.user_message(text))
            with pytest.raises(WriterError, match="header already"):
                begin(writer)
    assert [(r.seq, r.id) for r in made] == [(n, f"r{n}") for n in range(1, 6)]
    assert list(StreamReader(path, strict=True)) == made


def test_seqs_and_ids_of_a_resumed_stream_are_taken_whatever_they_are(tmp_path: Path) -> None:
    """Also those of a record that breaks a rule, and where `seq` did not rise."""
    path = tmp_path / "s"
    lines = [
        message(7, record_id="r9"),
        message(5, record_id="r10"),
        b'{"type":"plan","seq":8,"id":"r11"}\n',
        b"junk\n",
    ]
    path.write_bytes(HEADER + b"".join(lines))
    with StreamWriter(path, resume=True) as writer:
        assert {d.code for d in writer.diagnostics} == {"seq-not-increasing", "member-missing", "json-invalid"}
        with pytest.raises(WriterError, match="not above 8"):
            writer.write(Plan(seq=8, id="x", plan_id="p"))
        with pytest.raises(WriterError, match="used already"):
            writer.write(Plan(seq=9, id="r11", plan_id="p"))
        new = writer.user_message("x")
    assert (new.seq, new.id) == (12, "r12"), "r9, r10 and r11 are passed over"
    assert path.read_bytes() == HEADER + b"".join(lines) + new.to_line() + b"\n"


def test_a_torn_line_is_moved_aside_and_told(tmp_path: Path) -> None:
    """Design, decision 13: it is kept, and named in a diagnostic, before anything is appended."""
    path = tmp_path / "s"
    made = stream_of(path, "one")
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"type":"mess')
    writer = StreamWriter(path, resume=True)
    assert path.read_bytes() == whole
    assert (tmp_path / "s.torn").read_bytes() == b'{"type":"mess'
    (found,) = writer.diagnostics
    assert (found.code, found.line, found.offset) == ("line-torn", 3, len(whole))
    assert str(tmp_path / "s.torn") in found.message
    made.append(writer.user_message("two"))
    writer.close()
    assert list(StreamReader(path, strict=True)) == made


@pytest.mark.parametrize("tail", [b"\0" * 5000, b'{"a":"\xc3', b"{", b'{"type":"message","seq":3,"id":"r3"', b"\0{}"])
def test_any_torn_end_is_moved_aside(tail: bytes, tmp_path: Path) -> None:
    """Zeros are what a power loss leaves on some file systems."""
    path = tmp_path / "s"
    stream_of(path, "one")
    whole = path.read_bytes()
    path.write_bytes(whole + tail)
    StreamWriter(path, resume=True).close()
    assert path.read_bytes() == whole
    assert (tmp_path / "s.torn").read_bytes() == tail


@given(cut=st.integers(0, 400))
def test_a_stream_cut_anywhere_resumes_without_loss(cut: int) -> None:
    """What is whole stays, what is not lies beside it, and the result is valid."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "s")
        stream_of(path, "é one", "two")
        data = path.read_bytes()[:cut]
        path.write_bytes(data)
        with StreamWriter(path, resume=True, fsync="never") as writer:
            if writer.header is None:
                begin(writer)
            writer.user_message("more")
        whole, _, tail = data.rpartition(b"\n")
        after = path.read_bytes()
        if tail and Path(folder, "s.torn").exists():
            assert Path(folder, "s.torn").read_bytes() == tail
            assert after.startswith(whole)
        else:
            assert after.startswith(data)
        records = list(StreamReader(path, strict=True))
        assert len(records) == max(after.count(b"\n"), 2)


def test_a_whole_last_line_gets_its_newline(tmp_path: Path) -> None:
    path = tmp_path / "s"
    stream_of(path, "one")
    data = path.read_bytes()
    path.write_bytes(data[:-1])
    with StreamWriter(path, resume=True) as writer:
        assert path.read_bytes() == data
        assert [(d.code, d.message.rpartition("; ")[2]) for d in writer.diagnostics] == [("newline-missing", "added")]
        assert writer.user_message("two").seq == 3
    assert [p.name for p in tmp_path.iterdir()] == ["s"]


@pytest.mark.parametrize("left", [None, b"", b'{"type":"session","se', b'{"ty', b"\0\0\0"])
def test_a_stream_without_a_whole_header_is_begun(left: bytes | None, tmp_path: Path) -> None:
    """A harness that was killed early starts again by the same call."""
    path = tmp_path / "s"
    if left is not None:
        path.write_bytes(left)
    with StreamWriter(path, resume=True) as writer:
        header = writer.header
        assert header is None
        assert {d.code for d in writer.diagnostics} <= {"line-torn", "nul-bytes"}
        with pytest.raises(WriterError, match="header"):
            writer.user_message("x")
        made = [begin(writer), writer.user_message("x")]
        assert writer.header == made[0]
    assert list(StreamReader(path, strict=True)) == made
    assert [p.read_bytes() for p in tmp_path.glob("s.torn")] == ([left] if left else [])


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"dear diary", "not a valid session header"),
        (b"dear diary\n", "not a valid session header"),
        (b'{"a":1}', "not a valid session header"),
        (message(1), "not a valid session header"),
        (HEADER.replace(b'"agent":"a",', b""), "not a valid session header"),
        (gzip.compress(HEADER, mtime=0), "is compressed"),
        (b"\x28\xb5\x2f\xfd\x04", "is compressed"),
    ],
)
def test_what_is_no_stream_is_not_continued_and_left_alone(data: bytes, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "s"
    path.write_bytes(data)
    with pytest.raises(WriterError, match=reason):
        StreamWriter(path, resume=True)
    assert path.read_bytes() == data
    assert list(tmp_path.iterdir()) == [path]
    with path.open("r+b") as file:
        assert lock.acquire(file.fileno()), "the lock was not given back"


def test_another_session_is_not_continued(tmp_path: Path) -> None:
    """[S] "Session key": agent, namespace and session ID say whose stream it is."""
    path = tmp_path / "s"
    stream_of(path, "one")
    before = path.read_bytes() + b'{"torn'
    path.write_bytes(before)
    for key in (SessionKey("b", None, "s"), SessionKey("a", "n", "s"), SessionKey("a", None, "t")):
        with pytest.raises(WriterError, match=r"the stream of 'asr:a//s', not of"):
            StreamWriter(path, resume=True, key=key)
        assert path.read_bytes() == before
    StreamWriter(path, resume=True, key=SessionKey("a", None, "s")).close()


def test_a_second_writer_waits_or_is_told(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with StreamWriter(path) as writer:
        begin(writer)
        for resume in (False, True):
            with pytest.raises(StreamLockedError):
                StreamWriter(path, resume=resume, wait=0.001)
    with StreamWriter(path, resume=True, wait=True) as writer:
        assert writer.user_message("x").seq == 2


def test_threads_share_a_writer(tmp_path: Path) -> None:
    """Each record is whole, has its own `seq`, and stands where that says; a call and its result stay together."""
    path = tmp_path / "s"
    with StreamWriter(path, fsync="never") as writer, ThreadPoolExecutor(8) as threads:
        begin(writer)
        switch = sys.getswitchinterval()
        sys.setswitchinterval(1e-6)
        try:
            pairs = list(threads.map(lambda n: writer.tool_use("t", {"n": n}, "r"), range(200)))
            made = list(threads.map(lambda n: writer.user_message(str(n)), range(200)))
        finally:
            sys.setswitchinterval(switch)
    records = list(StreamReader(path, strict=True))
    assert [r.seq for r in records] == list(range(1, 602))
    assert all(result.seq == call.seq + 1 and result.call_id == call.call_id == call.id for call, result in pairs)
    assert all(m.message_id == m.id for m in made)
    assert sorted(r.seq for r in [*itertools.chain(*pairs), *made]) == list(range(2, 602))


def fail_once(monkeypatch: pytest.MonkeyPatch, *, cut: bool) -> None:
    """The next write takes half a line; what it took can be cut off, or not."""
    real = append._write_all

    def write_half(file: Any, data: bytes, name: str) -> None:
        monkeypatch.setattr(append, "_write_all", real)
        file.write(data[: len(data) // 2])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(append, "_write_all", write_half)
    if not cut:
        monkeypatch.setattr(Appender, "_cut", lambda self: False)


@pytest.mark.parametrize("cut", [True, False])
def test_a_failed_writer_goes_on_when_it_is_reopened(
    cut: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Design, decision 13. The record that failed can be written again, and the torn line is kept if it was not cut off."""
    path = tmp_path / "s"
    with StreamWriter(path) as writer:
        made: list[Record] = [begin(writer)]
        plan = Plan(seq=2, id="p", plan_id="p")
        fail_once(monkeypatch, cut=cut)
        with pytest.raises(OSError, match="No space left"):
            writer.write(plan)
        with pytest.raises(WriterError, match="earlier write"):
            writer.write(plan)
        writer.reopen()
        assert [d.code for d in writer.diagnostics] == ([] if cut else ["line-torn"])
        made += [writer.write(plan), writer.user_message("x")]
        with pytest.raises(StreamLockedError):
            StreamWriter(path, resume=True)
    assert list(StreamReader(path, strict=True)) == made
    assert (tmp_path / "s.torn").exists() != cut


def test_a_record_whose_call_was_interrupted_is_not_doubled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C may come when the line is written and not counted yet: `reopen` reads what is really there."""
    path = tmp_path / "s"
    with StreamWriter(path) as writer:
        begin(writer)
        with monkeypatch.context() as patch:
            patch.setattr(StreamOrder, "accept", interrupt)
            with pytest.raises(KeyboardInterrupt):
                writer.user_message("one")
        with pytest.raises(WriterError, match="interrupted"):
            writer.user_message("two")
        writer.reopen()
        assert writer.user_message("two").seq == 3
    assert [r.seq for r in StreamReader(path, strict=True)] == [1, 2, 3]


def interrupt(*arguments: object) -> None:
    raise KeyboardInterrupt


def test_a_stream_that_was_changed_meanwhile_is_not_reopened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Less than was written, or another session: going on would hide a loss."""
    path = tmp_path / "s"
    with StreamWriter(path) as writer:
        begin(writer)
        writer.user_message("one")
        data = path.read_bytes()
        fail_once(monkeypatch, cut=True)
        with pytest.raises(OSError, match="No space left"):
            writer.user_message("two")
        path.write_bytes(data[:-5])
        with pytest.raises(WriterError, match=f"holds {len(data) - 5} bytes, and {len(data)} were written"):
            writer.reopen()
        path.write_bytes(data.replace(b'"agent":"a"', b'"agent":"b"'))
        with pytest.raises(WriterError, match="the stream of 'asr:b//s'"):
            writer.reopen()
        with pytest.raises(WriterError, match="earlier write"):
            writer.user_message("two")
        path.write_bytes(data)
        writer.reopen()
        assert writer.user_message("two").seq == 3


def test_only_an_open_file_of_its_own_is_reopened(tmp_path: Path) -> None:
    with pytest.raises(WriterError, match="not opened here"):
        StreamWriter(io.BytesIO()).reopen()
    writer = StreamWriter(tmp_path / "s")
    writer.close()
    with pytest.raises(WriterError, match="closed"):
        writer.reopen()


@pytest.mark.skipif(os.name != "posix", reason="fork is of POSIX")
def test_a_forked_process_is_refused_and_does_not_hang(tmp_path: Path) -> None:
    """Also where a thread of the parent was in the middle of a call when it was forked."""
    script = """
import os, sys
from sessionrecord.errors import WriterError
from sessionrecord.records import Producer
from sessionrecord.stream import StreamWriter
writer = StreamWriter(sys.argv[1])
writer._lock = type("Held", (), {"__enter__": lambda self: os._exit(3), "__exit__": lambda *a: None})()
if not os.fork():
    try:
        writer.session(agent="a", session_id="s", producer=Producer(method="native"))
    except WriterError as e:
        print(e, flush=True)
    os._exit(0)
os.wait()
"""
    done = subprocess.run([sys.executable, "-c", script, tmp_path / "s"], capture_output=True, text=True, check=False)
    assert "belongs to the process that opened it" in done.stdout
