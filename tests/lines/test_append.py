"""How lines are appended: one write each, a private file, and nothing after a write that failed."""

from __future__ import annotations

import io
import os
import stat
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessionrecord.errors import WriterError
from sessionrecord.lines import Appender, FsyncPolicy, append


class Target(io.RawIOBase):
    """A file object that takes at most `most` bytes at once, then runs out of `space`."""

    def __init__(self, most: int = 1 << 30, space: int = 1 << 30) -> None:
        super().__init__()
        self.calls: list[bytes] = []
        self.most, self.space = most, space
        self.error: BaseException = OSError(28, "No space left on device")

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:
        taken = bytes(data)[: min(self.most, self.space)]
        if not taken:
            raise self.error
        self.space -= len(taken)
        self.calls.append(taken)
        return len(taken)


def appender(target: object) -> Appender:
    return Appender(target)  # type: ignore[arg-type]


posix = pytest.mark.skipif(os.name != "posix", reason="modes are of POSIX")


def test_a_line_and_its_lf_are_one_write() -> None:
    """Design: a stream is valid after each record, so that another process may read it while it grows."""
    target = Target()
    lines = appender(target)
    lines.append(b"one")
    lines.append(b"")
    assert target.calls == [b"one\n", b"\n"]


def test_a_file_object_that_holds_something_is_refused_wherever_it_stands(tmp_path: Path) -> None:
    """Design: nothing that exists is written over."""
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"kept\n")
    with path.open("r+b") as file, pytest.raises(WriterError, match="not empty"):
        appender(file)
    assert path.read_bytes() == b"kept\n"


@given(st.lists(st.binary(max_size=20), max_size=5), st.integers(1, 7))
def test_a_target_that_takes_little_at_once_gets_everything(lines: list[bytes], most: int) -> None:
    target = Target(most)
    into = appender(target)
    for line in lines:
        into.append(line)
    assert b"".join(target.calls) == b"".join(line + b"\n" for line in lines)


def test_nothing_is_appended_after_a_write_that_failed() -> None:
    """The last line may be torn: another one would be glued to it."""
    target = Target(most=4, space=6)
    lines = appender(target)
    with pytest.raises(OSError, match="No space left"):
        lines.append(b"0123456789")
    assert target.calls == [b"0123", b"45"]
    target.space = 1000
    for _ in range(2):
        with pytest.raises(WriterError, match=r"No space left.*may be torn"):
            lines.append(b"x")
    assert target.calls == [b"0123", b"45"]


def test_an_interrupted_write_counts_as_failed() -> None:
    target = Target(most=4, space=6)
    target.error = KeyboardInterrupt()
    lines = appender(target)
    with pytest.raises(KeyboardInterrupt):
        lines.append(b"0123456789")
    with pytest.raises(WriterError, match="may be torn"):
        lines.append(b"x")


def test_a_target_that_takes_nothing_fails() -> None:
    """A non-blocking pipe that is full returns None."""

    class Full(Target):
        def write(self, data: Any, /) -> int:
            return None  # type: ignore[return-value]

    lines = appender(Full())
    with pytest.raises(BlockingIOError, match="non-blocking"):
        lines.append(b"x")
    with pytest.raises(WriterError):
        lines.append(b"x")


def test_a_failing_flush_counts_as_a_failed_write() -> None:
    """A buffered file tells of a full disk when it is flushed."""
    file = io.BufferedWriter(Target(space=2))
    lines = Appender(file)
    with pytest.raises(OSError, match="No space left"):
        lines.append(b"0123")
    with pytest.raises(WriterError):
        lines.append(b"x")
    file.raw.space = 1000
    file.close()


def test_what_is_appended_to_a_buffered_file_is_there_at_once(tmp_path: Path) -> None:
    with (tmp_path / "s").open("wb") as file:
        Appender(file).append(b"x")
        assert (tmp_path / "s").read_bytes() == b"x\n"


@posix
def test_a_new_file_is_private(tmp_path: Path) -> None:
    """Design: sessions hold secrets, so a file is made with mode 0600 whatever the umask."""
    before = os.umask(0)
    try:
        Appender(tmp_path / "s").close()
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "s").stat().st_mode) == 0o600


def test_an_empty_file_is_taken_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "s"
    path.touch()
    lines = Appender(str(path))
    lines.append(b"x")
    lines.close()
    assert path.read_bytes() == b"x\n"


def test_a_file_that_holds_something_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "s"
    path.write_bytes(b"precious\n")
    with pytest.raises(WriterError, match="not empty"):
        Appender(path)
    assert path.read_bytes() == b"precious\n"


@pytest.mark.parametrize("mode", ["ab", "r+b"])
def test_a_file_object_that_is_past_its_start_is_refused(tmp_path: Path, mode: str) -> None:
    path = tmp_path / "s"
    path.write_bytes(b"precious\n")
    with path.open(mode) as file:
        file.seek(0, os.SEEK_END)
        with pytest.raises(WriterError, match="not empty"):
            appender(file)
        assert not file.closed
    assert path.read_bytes() == b"precious\n"


def test_a_target_that_cannot_tell_where_it_is_is_taken() -> None:
    class Socket:
        """The least that can be written to."""

        data = b""

        def write(self, data: Any) -> int:
            self.data += bytes(data)
            return len(data)

        def flush(self) -> None: ...

    class Broken(Target):
        def seekable(self) -> bool:
            raise OSError("bad descriptor")

    socket = Socket()
    appender(socket).append(b"x")
    assert socket.data == b"x\n"
    appender(Broken()).append(b"x")


def test_a_pipe_can_be_written_to() -> None:
    read_end, write_end = os.pipe()
    with os.fdopen(read_end, "rb") as source:
        with os.fdopen(write_end, "wb") as target:
            Appender(target).append(b"x")
        assert source.read() == b"x\n"


def test_text_and_what_cannot_be_written_to_are_refused(tmp_path: Path) -> None:
    with (tmp_path / "s").open("w", encoding="utf-8") as file, pytest.raises(WriterError, match="binary mode, 'wb'"):
        appender(file)
    for target in (io.StringIO(), 3, None):
        with pytest.raises(WriterError, match="binary mode"):
            appender(target)


@pytest.mark.parametrize("name", ["no/such/folder", ".", "a\0b"])
def test_a_path_that_cannot_be_written_to_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(WriterError, match="cannot write to"):
        Appender(f"{tmp_path}/{name}")


def test_a_closed_appender_takes_nothing_and_may_be_closed_again(tmp_path: Path) -> None:
    lines = Appender(tmp_path / "s")
    lines.close()
    lines.close()
    with pytest.raises(WriterError, match="closed"):
        lines.append(b"x")
    assert (tmp_path / "s").read_bytes() == b""


def test_a_file_object_stays_open() -> None:
    """`AppendTarget`: who opened a file closes it."""
    file = io.BytesIO()
    lines = Appender(file)
    lines.append(b"x")
    lines.close()
    assert file.getvalue() == b"x\n"


class Syncs:
    """Every sync of a file or directory, with the size that it had."""

    def __init__(self) -> None:
        self.of_files: list[int] = []
        self.of_directories = 0
        self.error: OSError | None = None
        self.happened = threading.Event()

    def fsync(self, descriptor: int) -> None:
        status = os.fstat(descriptor)
        self.happened.set()
        if self.error is not None:
            raise self.error
        if stat.S_ISDIR(status.st_mode):
            self.of_directories += 1
        else:
            self.of_files.append(status.st_size)


@pytest.fixture
def syncs(monkeypatch: pytest.MonkeyPatch) -> Syncs:
    recorder = Syncs()
    monkeypatch.setattr(os, "fsync", recorder.fsync)
    return recorder


@pytest.mark.parametrize(
    ("policy", "while_open", "in_all"), [("never", [], []), ("close", [], [4]), ("record", [2, 4], [2, 4, 4])]
)
def test_a_file_is_synced_when_the_policy_says(
    policy: FsyncPolicy, while_open: list[int], in_all: list[int], syncs: Syncs, tmp_path: Path
) -> None:
    """Design, decision 13: the policy is the caller's. With `record` each line is on the disk when its call returns."""
    lines = Appender(tmp_path / "s", fsync=policy)
    lines.append(b"1")
    lines.append(b"2")
    assert syncs.of_files == while_open
    lines.close()
    assert syncs.of_files == in_all


def test_with_seconds_a_line_is_synced_though_no_other_follows(syncs: Syncs, tmp_path: Path) -> None:
    """What was written last would otherwise wait for a harness that is idle."""
    lines = Appender(tmp_path / "s", fsync=0.001)
    syncs.happened.clear()
    lines.append(b"1")
    assert syncs.happened.wait(60)
    lines.close()
    assert syncs.of_files[0] == 2
    assert syncs.of_files[-1] == 2


def test_with_seconds_closing_does_not_wait_for_them(syncs: Syncs, tmp_path: Path) -> None:
    lines = Appender(tmp_path / "s", fsync=3600)
    lines.append(b"1")
    lines.close()
    assert syncs.of_files == [2]


@pytest.mark.parametrize(("policy", "count"), [("never", 0), ("close", 1), ("record", 1), (60.0, 1)])
def test_the_directory_of_a_new_file_is_synced(
    policy: FsyncPolicy, count: int, syncs: Syncs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file whose name is not on the disk is lost with all that is in it."""
    monkeypatch.chdir(tmp_path)
    Appender("s", fsync=policy).close()
    assert syncs.of_directories == count
    Appender("s", fsync=policy).close()
    assert syncs.of_directories == count, "it was there already"


def test_a_directory_that_cannot_be_synced_is_an_error(syncs: Syncs, tmp_path: Path) -> None:
    syncs.error = OSError(5, "Input/output error")
    with pytest.raises(WriterError, match=r"cannot sync the directory of .*Input/output error"):
        Appender(tmp_path / "s", fsync="close")
    Appender(tmp_path / "s").close()


@pytest.mark.parametrize("policy", [0, -1, True, "always", None, float("nan"), float("inf")])
def test_what_is_no_policy_is_refused(policy: Any, tmp_path: Path) -> None:
    with pytest.raises(WriterError, match="fsync is 'never'"):
        Appender(tmp_path / "s", fsync=policy)
    assert not (tmp_path / "s").exists()


def test_a_line_that_could_not_be_synced_is_cut_off(syncs: Syncs, tmp_path: Path) -> None:
    """Its call raises, so the caller takes it for not written; a reader must, too."""
    lines = Appender(tmp_path / "s", fsync="record")
    lines.append(b"1")
    syncs.error = OSError(5, "Input/output error")
    with pytest.raises(OSError, match="Input/output"):
        lines.append(b"2")
    assert (tmp_path / "s").read_bytes() == b"1\n"
    with pytest.raises(WriterError, match="nothing of it was left"):
        lines.append(b"3")
    lines.abandon()


def failed_in_background(syncs: Syncs, path: Path) -> Appender:
    lines = Appender(path, fsync=0.001)
    syncs.error = OSError(5, "Input/output error")
    lines.append(b"1")
    assert lines._periodic is not None
    lines._periodic._thread.join()
    return lines


def test_a_sync_that_failed_in_the_background_is_told_by_the_next_append(syncs: Syncs, tmp_path: Path) -> None:
    lines = failed_in_background(syncs, tmp_path / "s")
    for _ in range(2):
        with pytest.raises(WriterError, match=r"a sync of .* failed \(Input/output error\)"):
            lines.append(b"2")
    syncs.error = None
    lines.close()
    assert (tmp_path / "s").read_bytes() == b"1\n"


def test_a_sync_that_failed_in_the_background_is_told_by_close(syncs: Syncs, tmp_path: Path) -> None:
    """The system may report a failed sync once only, so that another one would seem to succeed."""
    lines = failed_in_background(syncs, tmp_path / "s")
    syncs.error = None
    with pytest.raises(WriterError, match="a sync of"):
        lines.close()
    lines.close()
    Appender(tmp_path / "s", resume=True).close()


def test_a_sync_that_fails_when_closing_is_told_and_the_file_closed(syncs: Syncs, tmp_path: Path) -> None:
    lines = Appender(tmp_path / "s", fsync="close")
    syncs.error = OSError(5, "Input/output error")
    with pytest.raises(OSError, match="Input/output"):
        lines.close()
    Appender(tmp_path / "s").close()


@posix
def test_a_pipe_or_device_has_no_lock_and_no_sync(tmp_path: Path) -> None:
    """Nothing holds others off from a terminal or a log collector; [S] a stream may go anywhere."""
    first, second = Appender("/dev/null", fsync="record"), Appender("/dev/null", fsync="close")
    first.append(b"x")
    second.append(b"y")
    first.close()
    second.close()
    os.mkfifo(tmp_path / "fifo")
    reader = os.open(tmp_path / "fifo", os.O_RDONLY | os.O_NONBLOCK)
    lines = Appender(tmp_path / "fifo", fsync="record")
    lines.append(b"x")
    assert os.read(reader, 10) == b"x\n"
    os.close(reader)
    with pytest.raises(BrokenPipeError):
        lines.append(b"y")
    with pytest.raises(WriterError, match="may be torn"):
        lines.append(b"z")
    lines.close()


def test_a_file_object_is_synced_as_the_policy_says(syncs: Syncs, tmp_path: Path) -> None:
    with (tmp_path / "s").open("wb") as file:
        lines = Appender(file, fsync="record")
        lines.append(b"1")
        assert syncs.of_files == [2]
    lines.close()
    memory = Appender(io.BytesIO(), fsync="record")
    memory.append(b"1")
    memory.close()
    assert syncs.of_files == [2]


def test_a_line_that_cannot_be_cut_off_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def write_half(file: Any, data: bytes, name: str) -> None:
        file.write(data[: len(data) // 2])
        raise OSError(28, "No space left on device")

    def refuse(descriptor: int, size: int) -> None:
        raise OSError(1, "Operation not permitted")

    lines = Appender(tmp_path / "s")
    lines.append(b"whole")
    monkeypatch.setattr(append, "_write_all", write_half)
    monkeypatch.setattr(os, "ftruncate", refuse)
    with pytest.raises(OSError, match="No space left"):
        lines.append(b"0123456")
    with pytest.raises(WriterError, match="may be torn"):
        lines.append(b"x")
    lines.close()
    assert (tmp_path / "s").read_bytes() == b"whole\n0123"


def test_a_resumed_file_goes_on_where_it_ends(tmp_path: Path) -> None:
    path = tmp_path / "s"
    path.write_bytes(b"old\n")
    lines = Appender(path, resume=True)
    assert (lines.size, lines.path, lines.name) == (4, path, repr(str(path)))
    with lines.source() as source:
        assert source.read() == b"old\n"
    lines.append(b"new")
    assert lines.size == 8
    lines.close()
    assert path.read_bytes() == b"old\nnew\n"


def test_only_a_regular_file_is_resumed(tmp_path: Path) -> None:
    for target in (io.BytesIO(), "/dev/null"):
        with pytest.raises(WriterError, match="cannot be resumed"):
            Appender(target, resume=True)


def test_what_is_set_aside_lies_beside_the_file_and_is_private(tmp_path: Path) -> None:
    """Ruling: no data is lost, and what may hold secrets is for its owner alone."""
    path = tmp_path / "s"
    for number, name in enumerate(["s.torn", "s.torn-2", "s.torn-3"]):
        path.write_bytes(b"one\ntw%d" % number)
        lines = Appender(path, resume=True)
        assert lines.set_aside(4) == tmp_path / name
        lines.append(b"two")
        lines.close()
        assert path.read_bytes() == b"one\ntwo\n"
        assert (tmp_path / name).read_bytes() == b"tw%d" % number
        if os.name == "posix":
            assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600


@pytest.mark.parametrize("step", ["fsync", "ftruncate"])
def test_an_end_that_cannot_be_set_aside_stays_where_it_is(
    step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is cut off only when its copy is on the disk."""

    def fail(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    path = tmp_path / "s"
    path.write_bytes(b"one\ntw")
    lines = Appender(path, resume=True)
    with monkeypatch.context() as patch:
        patch.setattr(os, step, fail)
        with pytest.raises(WriterError, match=r"cannot set aside .*No space left"):
            lines.set_aside(4)
    lines.close()
    assert path.read_bytes() == b"one\ntw"


def test_an_appender_in_doubt_takes_nothing_more(tmp_path: Path) -> None:
    lines = Appender(tmp_path / "s")
    lines.fail(KeyboardInterrupt())
    lines.fail(ValueError("later"))
    with pytest.raises(WriterError, match=r"was interrupted \(KeyboardInterrupt\)"):
        lines.append(b"x")
    lines.close()
    lines.fail(ValueError("later"))
