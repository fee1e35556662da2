"""The lock on a stream: one writer at a time, among threads and processes, and none that outlives its process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sessionrecord.errors import StreamLockedError, WriterError
from sessionrecord.lines import Appender, lock

posix = pytest.mark.skipif(os.name != "posix", reason="fork is of POSIX")

HOLD = """
import sys
from sessionrecord.lines import Appender
lines = Appender(sys.argv[1], resume=True)
print("held", flush=True)
sys.stdin.readline()
"""


@contextmanager
def held_elsewhere(path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Another process has the file open."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline().strip() == b"held"
        yield process
        process.kill()


def test_a_second_writer_gets_a_clear_error(tmp_path: Path) -> None:
    """Ruling: the lock is held from open to close; who must not wait is told at once."""
    path = tmp_path / "s"
    first = Appender(path)
    with pytest.raises(StreamLockedError, match=r"another writer has .*s'.*wait=True"):
        Appender(path)
    first.append(b"x")
    first.close()
    Appender(path, resume=True).close()
    assert path.read_bytes() == b"x\n"


def test_there_is_no_lock_file(tmp_path: Path) -> None:
    lines = Appender(tmp_path / "s")
    assert [p.name for p in tmp_path.iterdir()] == ["s"]
    lines.close()


def test_another_process_is_another_writer(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with held_elsewhere(path):
        with pytest.raises(StreamLockedError):
            Appender(path)
        with pytest.raises(StreamLockedError):
            Appender(path, wait=0.01)


def test_a_lock_of_a_killed_process_is_none(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with held_elsewhere(path) as process:
        process.kill()
        process.wait()
        Appender(path).close()


@pytest.mark.parametrize("wait", [True, 60])
def test_a_writer_that_waits_comes_after_the_one_that_holds(wait: bool | float, tmp_path: Path) -> None:
    path = tmp_path / "s"
    first = Appender(path)
    order: list[str] = []

    def second() -> None:
        lines = Appender(path, wait=wait, resume=True)
        order.append("second opened")
        lines.append(b"second")
        lines.close()

    thread = threading.Thread(target=second)
    thread.start()
    time.sleep(0.02)  # so that it most likely waits already; the outcome is the same if not
    first.append(b"first")
    order.append("first closes")
    first.close()
    thread.join()
    assert order == ["first closes", "second opened"]
    assert path.read_bytes() == b"first\nsecond\n"


def test_a_file_put_in_place_of_the_locked_one_is_the_one_that_is_opened(tmp_path: Path) -> None:
    """What waited for the old file must not write to it: nobody would find the lines."""
    path = tmp_path / "s"
    path.write_bytes(b"old\n")
    first = Appender(path, resume=True)
    waiting: list[Appender] = []
    thread = threading.Thread(target=lambda: waiting.append(Appender(path, wait=True, resume=True)))
    thread.start()
    time.sleep(0.02)
    (tmp_path / "new").write_bytes(b"new\n")
    (tmp_path / "new").replace(path)
    first.close()
    thread.join()
    waiting[0].append(b"more")
    waiting[0].close()
    assert path.read_bytes() == b"new\nmore\n"


def test_a_file_removed_while_it_was_waited_for_is_made_again(tmp_path: Path) -> None:
    path = tmp_path / "s"
    first = Appender(path)
    waiting: list[Appender] = []
    thread = threading.Thread(target=lambda: waiting.append(Appender(path, wait=True)))
    thread.start()
    time.sleep(0.02)
    path.unlink()
    first.close()
    thread.join()
    waiting[0].append(b"x")
    waiting[0].close()
    assert path.read_bytes() == b"x\n"


def test_a_writer_that_cannot_be_opened_leaves_no_lock(tmp_path: Path) -> None:
    path = tmp_path / "s"
    path.write_bytes(b"kept\n")
    with pytest.raises(WriterError, match="not empty"):
        Appender(path)
    Appender(path, resume=True).close()


def test_a_file_system_without_locks_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(descriptor: int, wait: bool | float) -> bool:
        raise OSError(37, "No locks available")

    monkeypatch.setattr(lock, "acquire", refuse)
    with pytest.raises(WriterError, match=r"cannot write to .*No locks available"):
        Appender(tmp_path / "s")


@posix
def test_what_cannot_be_locked_is_an_error() -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    os.close(write_end)
    with pytest.raises(OSError, match="Bad file descriptor"):
        lock.acquire(write_end)


def in_a_fork(work: str, path: Path) -> subprocess.CompletedProcess[str]:
    """Runs `work` in a process forked from one that has the file open as `lines`; prints what it says."""
    script = f"""
import os, signal, sys
from sessionrecord.errors import WriterError
from sessionrecord.lines import Appender
lines = Appender(sys.argv[1])
ready, go = os.pipe()
child = os.fork()
{work}
"""
    return subprocess.run([sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=False)


@posix
def test_a_forked_process_does_not_write_for_its_parent(tmp_path: Path) -> None:
    """Both would count `seq` by themselves."""
    work = """
if not child:
    try:
        lines.append(b"child")
    except WriterError as e:
        print(e, flush=True)
    lines.close()
    os._exit(0)
os.waitpid(child, 0)
lines.append(b"parent")
try:
    Appender(sys.argv[1], resume=True)
except WriterError as e:
    print(type(e).__name__)
"""
    done = in_a_fork(work, tmp_path / "s")
    told, still_locked = done.stdout.splitlines()
    assert "belongs to the process that opened it" in told
    assert still_locked == "StreamLockedError"
    assert (tmp_path / "s").read_bytes() == b"parent\n"


@posix
def test_a_forked_process_does_not_keep_the_lock_of_a_killed_parent(tmp_path: Path) -> None:
    """A worker may outlive its harness: that is no writer."""
    work = """
if not child:
    os.close(go)
    os.read(ready, 1)  # until the parent is gone
    try:
        Appender(sys.argv[1], wait=30).close()
        print("free", flush=True)
    except WriterError as e:
        print(e, flush=True)
    os._exit(0)
os.kill(os.getpid(), signal.SIGKILL)
"""
    done = in_a_fork(work, tmp_path / "s")
    assert done.returncode == -signal.SIGKILL
    assert done.stdout == "free\n"
