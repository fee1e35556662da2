"""Following a stream: each record once, through everything that happens to a file; on request it ends."""

from __future__ import annotations

import random
import select
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from sessionrecord.errors import SourceError
from sessionrecord.records import InvalidRecord, Message, SessionHeader
from sessionrecord.stream import Follower, Position, follow
from tests.stream.samples import HEADER, message

WRITER = Path(__file__).with_name("growing.py")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "s.asr.jsonl"


def append(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


def ids(records: Follower) -> list[str | None]:
    """Of what is there now."""
    return [record.id for record in records]


def test_records_come_as_they_are_completed(path: Path) -> None:
    with follow(path, timeout=0) as records:
        assert ids(records) == []
        append(path, HEADER + message(2)[:50])
        assert [type(r) for r in records] == [SessionHeader]
        append(path, message(2)[50:] + message(3) + message(4).strip())
        assert [type(r) for r in records] == [Message, Message]
        assert ids(records) == []
        append(path, b"\n")
        assert ids(records) == ["r4"]
        assert records.diagnostics == []


def test_findings_are_those_of_reading(path: Path) -> None:
    """With lines and offsets of the file."""
    append(path, HEADER + b"\n" + message(2)[:30] + message(3).replace(b"\n", b"\r\n") + message(1))
    with follow(path, timeout=0) as records:
        kinds = [type(r) for r in records]
        found = [(d.code, d.line, d.offset) for d in records.diagnostics]
    assert kinds == [SessionHeader, InvalidRecord, Message, Message]
    start = len(HEADER) + 1
    assert found == [
        ("line-blank", 2, len(HEADER)),
        ("json-invalid", 3, start),
        ("seq-not-increasing", 4, start + 30 + len(message(3)) + 1),
    ]


def test_a_new_file_is_a_new_stream(path: Path) -> None:
    """Its header is no second header, and its seq begins anew; that it is new is told."""
    append(path, HEADER + message(2) + message(5))
    with follow(path, timeout=0) as records:
        assert ids(records) == ["r1", "r2", "r5"]
        path.write_bytes(HEADER + message(3))
        assert ids(records) == ["r1", "r3"]
        assert [(d.code, d.severity) for d in records.diagnostics] == [("stream-restarted", "info")]
        assert "written anew; it is read from its start" in records.diagnostics[0].message
        records.diagnostics.clear()
        path.rename(path.with_suffix(".1"))
        append(path, HEADER)
        assert [*ids(records), *ids(records)] == ["r1"]
        assert [d.code for d in records.diagnostics] == ["stream-restarted"]


def test_from_each_position_on_the_rest_comes(path: Path) -> None:
    """Also between two records on one line; what came before is no matter of what is found after it."""
    glued = message(3).strip() + message(4).strip() + message(5)
    append(path, HEADER + message(2) + glued + message(6) + message(7)[:20] + message(8) + message(9))
    everything = ["r1", "r2", "r3", "r4", "r5", "r6", None, "r8", "r9"]
    with follow(path, timeout=0) as records:
        for count, record in enumerate(records, 1):
            assert record.id == everything[count - 1]
            assert records.position is not None
            saved = Position.from_json(records.position.to_json())
            with follow(path, timeout=0, position=saved) as rest:
                assert rest.position == saved
                assert ids(rest) == everything[count:]
                assert {d.code for d in rest.diagnostics} <= {"json-invalid"}
                assert all(d.line is not None and d.line > 2 for d in rest.diagnostics)


def test_a_position_before_the_first_record_is_the_start(path: Path) -> None:
    with follow(path, timeout=0) as records:
        assert records.position is None
        append(path, HEADER[:20])
        assert ids(records) == []
        saved = records.position
    append(path, HEADER[20:])
    with follow(path, timeout=0, position=saved) as records:
        assert ids(records) == ["r1"]
        assert records.diagnostics == []


def test_iterating_may_be_ended_and_taken_up_again(path: Path) -> None:
    append(path, HEADER + message(2).strip() + message(3).strip() + message(4) + message(5))
    with follow(path, timeout=0) as records:
        found = [next(iter(records)).id for _ in range(5)]
    assert found == ["r1", "r2", "r3", "r4", "r5"]


def test_it_ends_when_it_is_stopped(path: Path) -> None:
    """Also while it waits."""
    append(path, HEADER + message(2) + message(3))
    stop = threading.Event()
    found: list[str | None] = []
    with follow(path, stop=stop, interval=60) as records:
        for record in records:
            found.append(record.id)
            if len(found) == 2:
                stop.set()
        assert found == ["r1", "r2"]
        stop.clear()
        assert next(iter(records)).id == "r3"
        thread = threading.Thread(target=lambda: found.extend(r.id for r in records))
        thread.start()
        stop.set()
        thread.join(30)
        assert not thread.is_alive()
    assert found == ["r1", "r2"]


def test_it_waits_for_what_is_written_later(path: Path) -> None:
    append(path, HEADER)
    with follow(path, interval=0.001) as records:
        waiting = iter(records)
        assert next(waiting).id == "r1"
        writer = threading.Thread(target=append, args=(path, message(2)))
        writer.start()
        assert next(waiting).id == "r2"
        writer.join()


def test_a_closed_follower_gives_nothing(path: Path) -> None:
    append(path, HEADER + message(2))
    records = follow(path)
    for record in records:
        assert record.id == "r1"
        records.close()
    records.close()
    assert list(records) == []


def test_a_file_that_cannot_be_read_may_be_tried_again(path: Path) -> None:
    path.mkdir()
    records = follow(path, timeout=0)
    with pytest.raises(SourceError, match="not a regular file"):
        list(records)
    path.rmdir()
    append(path, HEADER)
    assert ids(records) == ["r1"]
    records.close()


class Process:
    """The writer of `growing.py`."""

    def __init__(self, path: Path, number: int) -> None:
        self.path = path
        self._child = subprocess.Popen(
            [sys.executable, str(WRITER), str(path), str(number)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.number = number

    def begin(self, command: str) -> None:
        assert self._child.stdin is not None
        self._child.stdin.write(command.encode() + b"\n")
        self._child.stdin.flush()

    def is_done(self) -> bool:
        assert self._child.stdout is not None
        if not select.select([self._child.stdout], [], [], 0.001)[0]:
            return False
        self.number = int(self._child.stdout.readline())
        return True

    def end(self) -> None:
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        self._child.stdin.close()
        self._child.wait()
        self._child.stdout.close()


def through(path: Path, events: list[str]) -> Iterator[str]:
    """The IDs that a follower gives while a writer in another process goes through events.

    Before each there are two polls, as `follow` asks for; while it happens, and while records are written, there are any.
    """
    writer, records = Process(path, 0), follow(path, timeout=0)

    def told() -> Iterator[str]:
        for record in records:
            if record.id is not None:
                yield record.id

    def do(command: str) -> Iterator[str]:
        writer.begin(command)
        while not writer.is_done():
            yield from told()

    for event in events:
        yield from do("append 40")
        yield from told()
        yield from told()
        if event == "writer":
            yield from do("half")
            number = writer.number
            writer.end()
            writer = Process(path, number)
        elif event == "follower":
            yield from do("half")
            saved = records.position
            assert saved is not None
            records.close()
            yield from do("append 10")
            records = follow(path, timeout=0, position=Position.from_json(saved.to_json()))
        elif event == "moved":
            saved = records.position
            assert saved is not None
            records.close()
            yield from do("append 10")
            yield from do("rotate")
            yield from do("append 10")
            records = follow(path, timeout=0, position=Position.from_json(saved.to_json()))
        else:
            if event.startswith("torn-"):
                yield from do("half")
            yield from do(event.removeprefix("torn-"))
    yield from do("append 5")
    writer.end()
    yield from told()
    yield from told()
    records.close()


EVENTS = ["truncate", "rotate", "writer", "follower", "torn-truncate", "torn-rotate", "moved"]


def follow_through(path: Path, seed: int, times: int) -> None:
    events = EVENTS * times
    random.Random(seed).shuffle(events)
    found = list(through(path, events))
    count = 40 * len(events) + 5 + 10 * events.count("follower") + 20 * events.count("moved")
    assert found == [f"r{n}" for n in range(count)]


@pytest.mark.skipif(sys.platform == "win32", reason="an open file cannot be renamed there")
def test_each_record_comes_once_through_truncations_rotations_and_restarts(path: Path) -> None:
    """Ruling 19: those whose file stayed at the path for two polls. A tenth of what the long test does."""
    follow_through(path, 1, 2)


@pytest.mark.soak
@pytest.mark.skipif(sys.platform == "win32", reason="an open file cannot be renamed there")
@pytest.mark.parametrize("seed", range(5))
def test_each_record_comes_once_through_twenty_of_each(path: Path, seed: int) -> None:
    follow_through(path, seed, 20)
