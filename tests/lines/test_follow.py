"""Following a file: each line once, whatever is done to the file between two polls."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessionrecord.errors import SourceError
from sessionrecord.lines import Fresh, LineFollower, PhysicalLine, Position

Follow = Callable[..., LineFollower]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "s.jsonl"


def append(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


def poll(follower: LineFollower) -> list[bytes | str]:
    """The lines of one poll; a fresh start as text."""
    return [item.reason if isinstance(item, Fresh) else item.data for item in follower.poll()]


def rotate(path: Path, number: int) -> None:
    path.rename(path.with_name(f"{path.name}.{number}"))


def test_a_line_comes_once_when_its_lf_is_there(path: Path) -> None:
    path.write_bytes(b"a\n\nhal")
    lines = LineFollower(path)
    assert list(lines.poll()) == [PhysicalLine(1, 0, b"a", ended=True), PhysicalLine(2, 2, b"", ended=True)]
    assert poll(lines) == []
    append(path, b"f")
    assert poll(lines) == []
    append(path, b"\nb\n")
    assert list(lines.poll()) == [PhysicalLine(3, 3, b"half", ended=True), PhysicalLine(4, 8, b"b", ended=True)]
    lines.close()
    lines.close()


def test_a_file_need_not_be_there_yet(path: Path) -> None:
    lines = LineFollower(path)
    assert poll(lines) == []
    assert lines.position() is None
    append(path, b"a\n")
    assert poll(lines) == [b"a"]
    lines.close()


def test_a_long_line_that_comes_in_many_blocks_is_one(path: Path) -> None:
    lines = LineFollower(path)
    for _ in range(5):
        append(path, b"z" * 300_000)
        assert poll(lines) == []
    append(path, b"\nb\n")
    assert poll(lines) == [b"z" * 1_500_000, b"b"]
    lines.close()


def test_a_file_cut_short_and_written_anew_is_read_from_its_start(path: Path) -> None:
    append(path, b"a1\na2\n")
    lines = LineFollower(path)
    poll(lines)
    path.write_bytes(b"b1\n")
    assert poll(lines) == ["the file was cut short or written anew", b"b1"]
    # also if it is longer than what was read of it before
    path.write_bytes(b"c1\nc2\nc3\n")
    assert poll(lines) == ["the file was cut short or written anew", b"c1", b"c2", b"c3"]
    lines.close()


def test_only_the_end_may_differ(path: Path) -> None:
    """A stream written anew begins with the same header: the last bytes that were read tell it apart."""
    header = b"h" * 1000 + b"\n"
    append(path, header + b"a1\n")
    lines = LineFollower(path)
    poll(lines)
    path.write_bytes(header + b"b1\n")
    assert poll(lines) == ["the file was cut short or written anew", header[:-1], b"b1"]
    lines.close()


def test_an_unfinished_line_that_its_writer_takes_back_is_gone_and_nothing_else(path: Path) -> None:
    """A writer cuts a partial line off after a failed write and goes on."""
    append(path, b"a\nhal")
    lines = LineFollower(path)
    assert poll(lines) == [b"a"]
    os.truncate(path, 2)
    assert poll(lines) == []
    append(path, b"b\n")
    assert poll(lines) == [b"b"]
    append(path, b"another ha")
    assert poll(lines) == []
    os.truncate(path, 4)
    append(path, b"something longer\nc")
    assert poll(lines) == [b"something longer"]
    lines.close()


def test_an_unfinished_line_lost_with_its_file_is_told(path: Path) -> None:
    append(path, b"a\nhal")
    lines = LineFollower(path)
    poll(lines)
    path.write_bytes(b"b\n")
    assert poll(lines) == ["the file was cut short or written anew; 3 bytes of an unfinished line are gone", b"b"]
    lines.close()


def test_a_rotated_file_is_read_to_its_end_before_the_new_one(path: Path) -> None:
    append(path, b"a\n")
    lines = LineFollower(path)
    assert poll(lines) == [b"a"]
    append(path, b"b\n")
    with path.open("ab", buffering=0) as writer:
        rotate(path, 1)
        append(path, b"new\n")
        assert poll(lines) == [b"b"]
        writer.write(b"c\nhal")  # its writer does not know yet
        assert poll(lines) == [b"c"]
        writer.write(b"f")
    assert poll(lines) == [b"half", "another file is at the path", b"new"]
    lines.close()


def test_an_unfinished_last_line_of_a_rotated_file_is_given_as_it_is(path: Path) -> None:
    append(path, b"a\ntorn")
    lines = LineFollower(path)
    poll(lines)
    rotate(path, 1)
    append(path, b"new\n")
    assert list(lines.poll()) == []
    assert next(iter(lines.poll())) == PhysicalLine(2, 2, b"torn", ended=False)
    lines.close()


def test_files_that_were_at_the_path_for_a_poll_are_read_though_others_came(path: Path) -> None:
    """Ruling 19: two polls; a file is held open from the first on."""
    lines = LineFollower(path)
    told: list[bytes | str] = []
    for number in range(5):
        append(path, b"%d\n" % number)
        told += poll(lines)
        rotate(path, number)
    assert len(told) < 9  # the new file waits while the old one may still be written to
    told += [item for _ in range(8) for item in poll(lines)]
    assert told == [b"0", *(x for n in range(1, 5) for x in ("another file is at the path", b"%d" % n))]
    lines.close()


def test_a_path_where_nothing_is_for_a_while_is_waited_for(path: Path) -> None:
    append(path, b"a\n")
    lines = LineFollower(path)
    poll(lines)
    path.unlink()
    assert poll(lines) == []
    append(path, b"b\n")
    assert [item for _ in range(2) for item in poll(lines)] == ["another file is at the path", b"b"]
    lines.close()


@settings(max_examples=40)
@given(st.lists(st.binary(max_size=400).map(lambda b: b.replace(b"\n", b"")), min_size=1, max_size=8), st.data())
def test_from_any_position_on_the_rest_comes(
    tmp_path_factory: pytest.TempPathFactory, contents: list[bytes], data: st.DataObject
) -> None:
    """Saved as text after any line; also if the file was renamed and another is at the path."""
    path = tmp_path_factory.mktemp("follow") / "s"
    append(path, b"".join(line + b"\n" for line in contents))
    count = data.draw(st.integers(0, len(contents)))
    first = LineFollower(path)
    items = first.poll()
    given_out = [next(items) for _ in range(count)]
    assert [item.data for item in given_out if isinstance(item, PhysicalLine)] == contents[:count]
    saved = first.position()
    first.close()
    if saved is None:
        return
    assert Position.from_json(saved.to_json()) == saved
    assert (saved.offset, saved.line) == (sum(len(x) + 1 for x in contents[:count]), count)
    moved = data.draw(st.booleans())
    if moved:
        rotate(path, 1)
        append(path, b"new\n")
    again = LineFollower(path, saved)
    found = [item for _ in range(3) for item in again.poll()]
    assert [x.data for x in found if isinstance(x, PhysicalLine)] == contents[count:] + ([b"new"] if moved else [])
    assert [x.number for x in found if isinstance(x, PhysicalLine)][: len(contents) - count] == list(
        range(count + 1, len(contents) + 1)
    )
    again.close()


def test_a_position_within_the_line_given_last_goes_on_in_it(path: Path) -> None:
    """Where one line holds several records."""
    append(path, b"x\nfirst|second\n")
    lines = LineFollower(path)
    poll(lines)
    saved = lines.position(8)
    assert saved is not None
    assert (saved.offset, saved.line) == (8, 1)
    again = LineFollower(path, saved)
    assert list(again.poll()) == [PhysicalLine(2, 8, b"second", ended=True)]
    lines.close()
    again.close()


def test_a_position_whose_file_is_gone_or_was_written_anew_begins_at_the_start_and_says_so(path: Path) -> None:
    append(path, b"a\nb\n")
    lines = LineFollower(path)
    poll(lines)
    saved = lines.position()
    lines.close()
    path.write_bytes(b"c\nd\ne\n")
    again = LineFollower(path, saved)
    lost = "the file is not the one of the position, or no longer holds what was read"
    assert poll(again) == [lost, b"c", b"d", b"e"]
    again.close()
    path.unlink()
    again = LineFollower(path, saved)
    assert poll(again) == [lost]
    again.close()


@pytest.mark.parametrize(
    "text",
    ["", "x", "[]", "{}", '{"inode":1,"offset":-1,"line":0,"fingerprint":""}', '{"inode":1,"offset":0,"line":0}',
     '{"inode":1,"offset":"0","line":0,"fingerprint":""}', '{"inode":true,"offset":0,"line":0,"fingerprint":""}', "[" * 100_000],
    ids=lambda t: t[:30],
)  # fmt: skip
def test_what_is_no_position_is_refused(text: str) -> None:
    with pytest.raises(SourceError, match="not a position"):
        Position.from_json(text)


def test_a_position_is_plain_json() -> None:
    position = Position(1, 2, 3, "ab")
    assert json.loads(position.to_json()) == {"inode": 1, "offset": 2, "line": 3, "fingerprint": "ab"}
    assert Position.from_json(position.to_json().encode()) == position
    assert replace(position, line=4) != position


def test_what_cannot_be_followed_is_refused(path: Path, tmp_path: Path) -> None:
    lines = LineFollower(tmp_path)
    with pytest.raises(SourceError, match="not a regular file"):
        poll(lines)
    with pytest.raises(SourceError, match="cannot follow"):
        poll(LineFollower(tmp_path / "a\0b"))
    path.write_bytes(b"x")
    with pytest.raises(SourceError, match="cannot follow"):
        poll(LineFollower(path / "below"))
    with pytest.raises(SourceError, match="cannot follow"):
        LineFollower(path / "below", Position(1, 0, 0, ""))
    path.write_bytes(gzip.compress(b"a\n"))
    lines = LineFollower(path)
    with pytest.raises(SourceError, match="compressed"):
        poll(lines)
    lines.close()


def test_a_caller_that_goes_away_in_the_middle_of_a_poll_misses_nothing(path: Path) -> None:
    append(path, b"a\nb\nc\n")
    lines = LineFollower(path)
    assert next(iter(lines.poll())) == PhysicalLine(1, 0, b"a", ended=True)
    assert poll(lines) == [b"b", b"c"]
    lines.close()
