"""How lines are appended: one write each, a private file, and nothing after a write that failed."""

from __future__ import annotations

import io
import os
import stat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessionrecord.errors import WriterError
from sessionrecord.lines import Appender


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
