"""Writers that are killed, take turns, or meet a full disk: what was written is there, and the stream goes on."""

from __future__ import annotations

import io
import itertools
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from sessionrecord.errors import WriterError
from sessionrecord.records import Producer, UnknownRecord
from sessionrecord.stream import StreamReader, StreamWriter
from tests.stream import turns
from tests.stream.killing import policy_of

ROOT = Path(__file__).resolve().parents[2]
PRODUCER = Producer(method="native")
POLICIES = ["never", "close", "record", "0.002"]

posix = pytest.mark.skipif(os.name != "posix", reason="fork and SIGKILL are of POSIX")


def tenth_and_all(count: int) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("count", [count // 10, pytest.param(count, marks=pytest.mark.soak)])


@posix
@pytest.mark.parametrize("policy", POLICIES)
@tenth_and_all(500)
def test_a_killed_writer_loses_nothing_that_was_written(policy: str, count: int, tmp_path: Path) -> None:
    """Design, decision 13. Every record whose call returned is there, at most the last line is torn, and resuming keeps all.

    The helper checks after each kill; here only that it did its work.
    """
    seed = POLICIES.index(policy)
    command = [sys.executable, "-m", "tests.stream.killing", str(tmp_path), policy, str(count), str(seed)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    counts = json.loads(done.stdout)
    assert counts["kills"] == count
    assert counts["torn"] > count / 20, "too few lines were torn for the test to mean something"
    assert counts["told"] > count, "too little was written for the test to mean something"


@posix
@tenth_and_all(100)
def test_processes_that_take_turns_lose_nothing(count: int, tmp_path: Path) -> None:
    """Two processes wait for the lock in turn, eight threads in each share a writer."""
    path, records = tmp_path / "s.jsonl", 10
    command = [sys.executable, "-m", "tests.stream.turns", str(path)]
    processes = [
        subprocess.Popen([*command, name, str(count), str(records)], cwd=ROOT, stdin=subprocess.PIPE) for name in "ab"
    ]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write(b"go\n")
        process.stdin.close()
    assert [process.wait() for process in processes] == [0, 0]

    reader = StreamReader(path, strict=True)  # raises where a record is not whole or seq does not rise
    ticks = [r.model_extra or {} for r in reader if isinstance(r, UnknownRecord)]
    assert reader.diagnostics == []
    where = [(t["process"], t["turn"], t["thread"], t["n"]) for t in ticks]
    assert sorted(where) == list(itertools.product("ab", range(count), range(turns.THREADS), range(records)))
    for _, of_a_turn in itertools.groupby(where, lambda w: w[:2]):
        assert len(list(of_a_turn)) == turns.THREADS * records, "another process wrote within a turn"
    for thread in range(turns.THREADS):
        own = [w for w in where if w[0] == "a" and w[2] == thread]
        assert own == sorted(own), "the order of a thread's calls is not that of its records"


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """No file of this process grows beyond `size` bytes: a full disk for those that can reach it."""
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@posix
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("room", [0, 1, 100, 5000])
def test_a_full_disk_leaves_whole_records_and_the_writer_goes_on_when_there_is_room(
    policy: str, room: int, tmp_path: Path
) -> None:
    """Whatever part of the line still fitted is cut off, so that the stream is valid while the disk is full."""
    path = tmp_path / "s.jsonl"
    with StreamWriter(path, fsync=policy_of(policy)) as writer:
        made: list[Any] = [writer.session(agent="a", session_id="s", producer=PRODUCER), writer.user_message("fits")]
        whole = path.read_bytes()
        with largest_file(len(whole) + room):
            with pytest.raises(OSError, match="File too large"):
                writer.user_message("x" * 6000)
            assert path.read_bytes() == whole
            with pytest.raises(WriterError, match=r"too large.*nothing of it was left"):
                writer.user_message("y")
            writer.reopen()
            with pytest.raises(OSError, match="File too large"):
                writer.user_message("x" * 6000)
        with pytest.raises(WriterError, match="an earlier write"):
            writer.user_message("y")
        writer.reopen()
        made.append(writer.user_message("z"))
        assert made[-1].seq == 3
    reader = StreamReader(path, strict=True)
    assert list(reader) == made
    assert reader.diagnostics == []
    assert list(tmp_path.iterdir()) == [path]


class Full(io.RawIOBase):
    """A file object with room for `space` bytes."""

    def __init__(self, space: int) -> None:
        super().__init__()
        self.data, self.space = b"", space

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:
        taken = bytes(data)[: self.space]
        if not taken:
            raise OSError(28, "No space left on device")
        self.space -= len(taken)
        self.data += taken
        return len(taken)


@pytest.mark.parametrize("room", range(0, 240, 7))
def test_what_a_failing_file_object_took_can_be_resumed(room: int, tmp_path: Path) -> None:
    """Wherever a line is torn, resuming what arrived loses no record whose call returned."""
    target = Full(120 + room)
    writer = StreamWriter(target)  # type: ignore[arg-type]
    made: list[Any] = []

    def write_all() -> None:
        made.append(writer.session(agent="a", session_id="s", producer=PRODUCER))
        for _ in range(9):
            made.append(writer.user_message("x" * 20))

    with pytest.raises(OSError, match="No space left"):
        write_all()
    path = tmp_path / "s.jsonl"
    path.write_bytes(target.data)
    with StreamWriter(path, resume=True) as again:
        if again.header is None:
            made = [again.session(agent="a", session_id="s", producer=PRODUCER)]
        made.append(again.user_message("y"))
    read = list(StreamReader(path, strict=True))
    assert [r for r in read if r in made] == made
    beside = [p for p in tmp_path.iterdir() if p != path]
    assert path.read_bytes().startswith(target.data) or [p.read_bytes() for p in beside] == [
        target.data[target.data.rfind(b"\n") + 1 :]
    ]
