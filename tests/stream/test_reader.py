"""How a stream is read: nothing is dropped, nothing raises, every oddity of a file is reported (spec section 1)."""

from __future__ import annotations

import gzip
import io
import json
import os
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessionrecord.errors import SessionRecordError, SourceError, StreamError
from sessionrecord.lines import split_glued
from sessionrecord.lines.compressed import is_compressed
from sessionrecord.records import InvalidRecord, Message, Record, SessionHeader, TextBlock, read_record
from sessionrecord.stream import StreamReader
from tests.stream.samples import HEADER, message, ordered_records

BOM = b"\xef\xbb\xbf"
CUT = message(2)[:40]


class Portions(io.BytesIO):
    """A source that hands out what it likes, as a pipe does."""

    def __init__(self, data: bytes, sizes: list[int]) -> None:
        super().__init__(data)
        self._sizes = cycle(sizes)

    def read1(self, size: int | None = -1, /) -> bytes:
        return super().read1(next(self._sizes))


def read(data: bytes) -> tuple[list[Record | InvalidRecord], list[str]]:
    """The records and the codes of what was found."""
    reader = StreamReader(data)
    return list(reader), [d.code for d in reader.diagnostics]


def text_of(record: Record | InvalidRecord) -> str:
    assert isinstance(record, Message)
    assert record.content is not None
    block = record.content[0]
    assert isinstance(block, TextBlock)
    return block.text


def raw_of(record: Record | InvalidRecord) -> bytes:
    assert isinstance(record, InvalidRecord)
    return record.raw


def naive_records(data: bytes) -> Iterator[Record | bytes]:
    """Line by line: a valid record, or the bytes of a line that is none, piece by piece if it is glued. Blank lines are no records."""
    lines = data.removeprefix(BOM).split(b"\n")
    for i, line in enumerate(lines):
        bare = line.removesuffix(b"\r") if i < len(lines) - 1 else line
        pieces = [bare[p.start : p.end] for p in split_glued(bare)] if not is_json(bare) else []
        for piece in pieces or [bare]:
            if piece.strip(b" \t\r"):
                record, _ = read_record(piece)
                yield piece if isinstance(record, InvalidRecord) else record


def is_json(line: bytes) -> bool:
    """Whether a line is one JSON text, as Python's own reader sees it."""
    try:
        json.loads(line.decode("utf-8"))
    except ValueError:
        return False
    return True


def pieces() -> st.SearchStrategy[bytes]:
    """What files are made of when things went wrong."""
    lines = st.builds(message, st.integers(0, 6), st.sampled_from(["x", "é", "\u2028", "\ufffe"]))
    return st.one_of(
        lines,
        st.builds(lambda line, end: line[:end], lines, st.integers(0, 90)),
        st.builds(
            lambda line, at, byte: line[:at] + bytes([byte]) + line[at + 1 :],
            lines,
            st.integers(0, 90),
            st.integers(0, 255),
        ),
        st.sampled_from([HEADER, BOM, b"\n", b"\r\n", b" \n", b"\r", b"\0" * 9, b"\xff", b"[1]\n", b"null\n", b'{"seq":9}\n']),
        st.binary(max_size=30),
    )  # fmt: skip


def damaged_streams() -> st.SearchStrategy[bytes]:
    """Any bytes that do not begin as a compressed file, most of them nearly a stream."""
    return st.lists(pieces(), max_size=8).map(b"".join).filter(lambda data: not is_compressed(data))


@given(damaged_streams(), st.lists(st.integers(1, 60), min_size=1, max_size=5))
def test_any_bytes_are_read_the_same_in_any_portions(data: bytes, sizes: list[int]) -> None:
    """Design: reading is total. What is found depends on the bytes alone, not on how they came."""
    whole, portions = StreamReader(data), StreamReader(Portions(data, sizes))
    records = list(whole)
    assert list(portions) == records
    assert portions.diagnostics == whole.diagnostics
    assert [r.raw if isinstance(r, InvalidRecord) else r for r in records] == list(naive_records(data))


@given(damaged_streams())
def test_a_strict_reader_raises_nothing_but_our_errors_and_only_where_there_is_an_error(data: bytes) -> None:
    """`StreamReader`: strict raises at the first error, after the records before it."""
    tolerant = StreamReader(data)
    everything = list(tolerant)
    errors = [d for d in tolerant.diagnostics if d.severity == "error"]
    strict = StreamReader(data, strict=True)
    given_out: list[Record | InvalidRecord] = []
    raised: SessionRecordError | None = None
    try:
        given_out.extend(strict)
    except SessionRecordError as e:
        raised = e
    assert given_out == everything[: len(given_out)]
    assert not any(isinstance(r, InvalidRecord) for r in given_out)
    if not errors:
        assert raised is None
        assert given_out == everything
    else:
        assert isinstance(raised, StreamError)
        assert next(d for d in raised.diagnostics if d.severity == "error") == errors[0]


@given(damaged_streams())
def test_every_finding_says_where_it_is(data: bytes) -> None:
    """Design: a diagnostic has the line from 1 and a byte offset: the line's, or the record's if others stand before it."""
    reader = StreamReader(data)
    list(reader)
    starts = [0, *(i + 1 for i, byte in enumerate(data) if byte == 10)]
    for finding in reader.diagnostics:
        if finding.code != "stream-empty" and finding.line is not None:
            assert finding.offset is not None
            start, before = starts[finding.line - 1], data[starts[finding.line - 1] : finding.offset]
            assert finding.offset == start or (finding.offset > start and before and b"\n" not in before)


@settings(max_examples=25)
@given(ordered_records())
def test_a_valid_stream_has_no_errors(records: list[Record]) -> None:
    reader = StreamReader(b"".join(r.to_line() + b"\n" for r in records), strict=True)
    assert list(reader) == records
    assert {d.severity for d in reader.diagnostics} <= {"warning"}


def test_a_line_cut_in_the_middle_is_kept_and_reading_goes_on() -> None:
    """Spec section 1: a line that is no record becomes an invalid record that keeps it."""
    records, codes = read(HEADER + CUT + b"\n" + message(3))
    assert [type(r) for r in records] == [SessionHeader, InvalidRecord, Message]
    assert raw_of(records[1]) == CUT
    assert codes == ["json-invalid"]


def test_a_run_of_nul_bytes_is_named_and_kept() -> None:
    """What a file system leaves after a crash."""
    records, codes = read(HEADER + b"\0" * 500 + b"\n" + message(3))
    assert raw_of(records[1]) == b"\0" * 500
    assert isinstance(records[2], Message)
    assert codes == ["nul-bytes"]


@pytest.mark.parametrize("end", [1, 40, len(message(2)) - 2])
def test_a_torn_tail_is_named_and_kept(end: int) -> None:
    """Spec section 1: a last line without a newline that is not whole was being written."""
    tail = message(2)[:end]
    reader = StreamReader(HEADER + tail)
    records = list(reader)
    assert raw_of(records[1]) == tail
    [found] = reader.diagnostics
    assert (found.code, found.severity, found.line, found.offset) == ("line-torn", "error", 2, len(HEADER))
    assert isinstance(records[1], InvalidRecord)
    assert records[1].diagnostics == (found,)


def test_a_tail_torn_within_a_character_is_torn_too() -> None:
    tail = message(2, "é").split(b"\xa9")[0]
    records, codes = read(HEADER + tail)
    assert raw_of(records[1]) == tail
    assert "line-torn" in codes


def test_a_torn_tail_glued_to_the_next_record_is_one_error_and_the_record_is_read() -> None:
    """Ruling 19: a writer that went on after a crash without a newline. Both pieces are kept, in their order."""
    reader = StreamReader(HEADER + CUT + message(3) + message(4))
    records = list(reader)
    assert [type(r) for r in records] == [SessionHeader, InvalidRecord, Message, Message]
    assert raw_of(records[1]) == CUT
    [found] = reader.diagnostics
    assert (found.code, found.line, found.offset) == ("json-invalid", 2, len(HEADER))
    assert isinstance(records[1], InvalidRecord)
    assert records[1].diagnostics == (found,)


def test_whole_records_on_one_line_are_one_error_and_all_are_read() -> None:
    """Ruling 19; what is found in one of them is told at its own offset."""
    glued = message(2).strip() + message(1, record_id="r9").strip() + message(3)
    reader = StreamReader(BOM + glued + message(4))
    assert [r.id for r in reader] == ["r2", "r9", "r3", "r4"]
    assert [(d.code, d.line, d.offset) for d in reader.diagnostics] == [
        ("bom", 1, 0),
        ("json-invalid", 1, 0),
        ("header-missing", 1, 3),
        ("seq-not-increasing", 1, 3 + len(message(2)) - 1),
    ]


def test_a_fragment_that_ends_the_stream_is_a_torn_tail() -> None:
    """It may be being written, or its writer crashed; the record before it is whole."""
    reader = StreamReader(HEADER + message(2).strip() + CUT)
    assert [r.id for r in reader] == ["r1", "r2", None]
    assert [(d.code, d.line, d.offset) for d in reader.diagnostics] == [("line-torn", 2, len(HEADER))]


def test_a_last_record_that_is_glued_and_has_no_newline_is_whole() -> None:
    _, codes = read(HEADER + CUT + message(2).strip())
    assert codes == ["json-invalid", "newline-missing"]


def test_nul_bytes_glued_to_a_record_are_named() -> None:
    """A power loss leaves them, and the next writer goes on behind them."""
    records, codes = read(HEADER + b"\0" * 500 + message(3))
    assert [type(r) for r in records] == [SessionHeader, InvalidRecord, Message]
    assert codes == ["nul-bytes"]


def test_a_glued_line_ends_a_strict_reading_before_its_records() -> None:
    records = iter(StreamReader(HEADER + message(2).strip() + message(3), strict=True))
    assert isinstance(next(records), SessionHeader)
    with pytest.raises(StreamError, match=r"line 2: error json-invalid: 2 whole records on one line"):
        next(records)


def test_a_whole_last_line_without_newline_is_a_record() -> None:
    """Spec section 1: it is whole, only its newline is missing."""
    reader = StreamReader(HEADER + message(2).removesuffix(b"\n"), strict=True)
    assert [type(r) for r in reader] == [SessionHeader, Message]
    assert [(d.code, d.severity, d.line) for d in reader.diagnostics] == [("newline-missing", "info", 2)]


def test_a_whole_last_line_that_breaks_a_rule_is_not_called_torn() -> None:
    """The line is JSON, so nothing of it is missing."""
    _, codes = read(HEADER + b'{"type":"message","seq":2,"id":"r2"}')
    assert set(codes) == {"member-missing", "newline-missing"}


def test_a_raw_newline_inside_a_string_ends_the_line() -> None:
    """JSON forbids it, and a line ends at LF without exception."""
    records, codes = read(HEADER + message(2, "a\nb") + message(3))
    assert [type(r) for r in records] == [SessionHeader, InvalidRecord, InvalidRecord, Message]
    assert codes == ["json-invalid", "json-invalid"]


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\u0085"])
def test_unicode_line_separators_stand_in_strings(separator: str) -> None:
    """Spec section 1: they split nothing, and JSON allows them in strings."""
    records, codes = read(HEADER + message(2, f"a{separator}b") + message(3))
    assert text_of(records[1]) == f"a{separator}b"
    assert len(records) == 3
    assert codes == []


@pytest.mark.parametrize("control", ["\x0b", "\x0c", "\r", "\x1c", "\x1e"])
def test_control_characters_split_nothing(control: str) -> None:
    """JSON forbids them raw in a string: one invalid record, not two."""
    records, codes = read(HEADER + message(2, f"a{control}b") + message(3))
    assert [type(r) for r in records] == [SessionHeader, InvalidRecord, Message]
    assert raw_of(records[1]) == message(2, f"a{control}b").removesuffix(b"\n")
    assert codes == ["json-invalid"]


def test_escaped_controls_are_text() -> None:
    records, codes = read(HEADER + message(2, r"a\n\r\u000b\f\u0000b"))
    assert text_of(records[1]) == "a\n\r\x0b\f\0b"
    assert codes == []


def test_a_byte_order_mark_is_skipped_and_reported() -> None:
    """Spec section 1."""
    reader = StreamReader(BOM + HEADER + message(2), strict=True)
    assert [type(r) for r in reader] == [SessionHeader, Message]
    assert [(d.code, d.severity, d.line, d.offset) for d in reader.diagnostics] == [("bom", "warning", 1, 0)]


def test_a_byte_order_mark_elsewhere_is_no_json_and_the_record_behind_it_is_read() -> None:
    """Files joined by `cat`."""
    records, codes = read(HEADER + BOM + message(2))
    assert [raw_of(records[1]), text_of(records[2])] == [BOM, "x"]
    assert codes == ["json-invalid"]


def test_crlf_is_read_and_reported() -> None:
    """Spec section 1: CRLF is read, with an info."""
    reader = StreamReader((HEADER + message(2)).replace(b"\n", b"\r\n"), strict=True)
    records = list(reader)
    assert [type(r) for r in records] == [SessionHeader, Message]
    assert {(d.code, d.severity) for d in reader.diagnostics} == {("line-crlf", "info")}


def test_an_invalid_line_is_kept_without_its_crlf() -> None:
    records, _ = read(HEADER + CUT + b"\r\n")
    assert raw_of(records[1]) == CUT


@pytest.mark.parametrize("blank", [b"", b"  ", b"\t", b"\r"])
def test_a_blank_line_is_reported_and_reading_goes_on(blank: bytes) -> None:
    """Spec section 1: it is no record, valid or not."""
    reader = StreamReader(HEADER + blank + b"\n" + message(2), strict=True)
    assert [type(r) for r in reader] == [SessionHeader, Message]
    assert [(d.code, d.line) for d in reader.diagnostics if d.code != "line-crlf"] == [("line-blank", 2)]


def test_blank_lines_before_the_header_do_not_hide_it() -> None:
    records, codes = read(BOM + b"\n\n" + HEADER)
    assert len(records) == 1
    assert codes == ["bom", "line-blank", "line-blank"]


@pytest.mark.parametrize("data", [b"", b"\n", BOM, b" \n\r\n"])
def test_a_stream_without_records_is_reported_as_empty(data: bytes) -> None:
    records, codes = read(data)
    assert records == []
    assert codes[-1] == "stream-empty"
    with pytest.raises(StreamError, match="stream-empty"):
        list(StreamReader(data, strict=True))


@pytest.mark.parametrize("megabytes", [15, 250])
def test_a_line_of_many_megabytes_is_read(megabytes: int) -> None:
    """Design: no limit of length; a picture in base64 is one line."""
    records, codes = read(HEADER + message(2, "z" * megabytes * 1_000_000) + message(3))
    assert len(text_of(records[1])) == megabytes * 1_000_000
    assert isinstance(records[2], Message)
    assert codes == []


def test_reading_takes_constant_memory(tmp_path: Path) -> None:
    """Design: a stream of any length is read in the memory of a batch."""
    path = tmp_path / "s"
    with path.open("wb") as file:
        file.write(HEADER)
        for seq in range(2, 6_000):
            file.write(message(seq, "z" * 1000))
    tracemalloc.start()
    try:
        count = sum(1 for _ in StreamReader(path))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert count == 5_999
    assert path.stat().st_size > 5_000_000
    assert peak < 2_000_000


def test_a_missing_header_is_reported_once() -> None:
    """[S] the header is the first record; spec section 1."""
    records, codes = read(message(1) + message(2))
    assert len(records) == 2
    assert codes == ["header-missing"]


def test_a_first_line_that_is_no_record_stands_where_the_header_should() -> None:
    _, codes = read(CUT + b"\n" + HEADER)
    assert codes == ["json-invalid", "header-missing"]


def test_an_invalid_header_is_not_also_missing() -> None:
    _, codes = read(b'{"type":"session","seq":1,"id":"r1"}\n' + message(2))
    assert set(codes) == {"member-missing"}


def test_a_second_header_is_kept_and_reported() -> None:
    """Spec section 1: a stream is exactly one session."""
    second = HEADER.replace(b'"seq":1,"id":"r1"', b'"seq":2,"id":"r2"')
    records, codes = read(HEADER + second)
    assert [type(r) for r in records] == [SessionHeader, SessionHeader]
    assert codes == ["header-repeated"]


@given(st.lists(st.integers(0, 9), min_size=1, max_size=8))
def test_each_seq_that_is_not_above_all_before_it_is_reported(numbers: list[int]) -> None:
    """Spec section 2: `seq` rises strictly; gaps are allowed."""
    data = HEADER.replace(b'"seq":1', b'"seq":0') + b"".join(
        message(n, record_id=f"i{k}") for k, n in enumerate(numbers)
    )
    reader = StreamReader(data)
    assert len(list(reader)) == 1 + len(numbers)
    everything = [0, *numbers]
    low = [i + 1 for i, n in enumerate(everything) if n <= max(everything[:i], default=-1)]
    assert [(d.code, d.line) for d in reader.diagnostics] == [("seq-not-increasing", line) for line in low]


def test_noncharacters_are_warned_of_wherever_they_stand_in_a_batch() -> None:
    """I-JSON: strings without noncharacters. The search for them is done once for a batch."""
    reader = StreamReader(HEADER + message(2, "\ufffe") + message(3) + message(4, "\U0001ffff"), strict=True)
    assert len(list(reader)) == 4
    assert [(d.code, d.line) for d in reader.diagnostics] == [("noncharacter", 2), ("noncharacter", 4)]


def test_an_id_used_twice_is_left_to_the_session() -> None:
    """`StreamReader`: finding it would take memory for each record."""
    _, codes = read(HEADER + message(2) + message(3, record_id="r2"))
    assert codes == []


def test_strict_raises_at_the_first_bad_record_after_those_before_it() -> None:
    reader = StreamReader(HEADER + message(2) + CUT + b"\n" + message(3), strict=True)
    records = iter(reader)
    assert isinstance(next(records), SessionHeader)
    assert isinstance(next(records), Message)
    with pytest.raises(StreamError, match=r"line 3.*json-invalid") as caught:
        next(records)
    assert [d.code for d in caught.value.diagnostics] == ["json-invalid"]


@pytest.mark.parametrize(
    "data", [message(1), HEADER + HEADER.replace(b'"seq":1', b'"seq":2'), HEADER + message(1, record_id="r2")]
)
def test_strict_raises_for_the_place_of_a_record_too(data: bytes) -> None:
    with pytest.raises(StreamError):
        list(StreamReader(data, strict=True))


def test_strict_lets_warnings_pass() -> None:
    data = HEADER + message(2, record_id="callId=1") + message(3)
    reader = StreamReader(data, strict=True)
    assert len(list(reader)) == 3
    assert [d.code for d in reader.diagnostics] == ["ref-ambiguous"]


def test_bytes_and_paths_are_read_again_from_the_start(tmp_path: Path) -> None:
    path = tmp_path / "s"
    path.write_bytes(HEADER + CUT)
    for reader in (StreamReader(path), StreamReader(str(path)), StreamReader(HEADER + CUT)):
        first, found = list(reader), list(reader.diagnostics)
        assert list(reader) == first
        assert reader.diagnostics == found


def test_a_pipe_is_read_and_its_records_come_as_they_are_written() -> None:
    read_end, write_end = os.pipe()
    with os.fdopen(read_end, "rb") as source, os.fdopen(write_end, "wb", buffering=0) as target:
        target.write(HEADER)
        records = iter(StreamReader(source))
        assert isinstance(next(records), SessionHeader)
        target.write(message(2) + message(3)[:20])
        assert isinstance(next(records), Message)
        target.write(message(3)[20:])
        target.close()
        assert [type(r) for r in records] == [Message]


def test_a_source_that_cannot_be_opened_is_told_when_iteration_begins(tmp_path: Path) -> None:
    for source in (tmp_path / "missing", tmp_path):
        reader = StreamReader(source)
        with pytest.raises(SourceError):
            next(iter(reader))


def test_a_text_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "s"
    path.write_bytes(HEADER)
    file: Any
    with path.open(encoding="utf-8") as file, pytest.raises(SourceError, match="binary"):
        list(StreamReader(file))


def test_findings_are_told_no_later_and_no_earlier_than_their_record() -> None:
    """`StreamReader.diagnostics`: up to the record that came last."""
    reader = StreamReader(HEADER + message(2) + message(1) + message(3) + CUT)
    seen = [[d.code for d in reader.diagnostics] for _ in reader]
    late = ["seq-not-increasing"]
    assert seen == [[], [], late, late, [*late, "line-torn"]]


@given(damaged_streams(), st.integers(1, 120), st.lists(st.integers(1, 60), min_size=1, max_size=5))
def test_lines_over_the_cap_are_left_out_and_everything_else_is_as_without_it(
    data: bytes, most: int, sizes: list[int]
) -> None:
    """`StreamReader`: reading goes on, whatever the portions; where a line is too long, and how long it is, is told."""
    lines = data.split(b"\n")
    long = [i for i, line in enumerate(lines) if len(line) > most]
    # a line of nothing but spaces stands in for each: it is no record and hides nothing
    without = StreamReader(b"\n".join(b" " * len(x) if len(x) > most else x for x in lines))
    expected = list(without)
    for source in (data, Portions(data, sizes)):
        reader = StreamReader(source, max_line=most)
        assert list(reader) == expected
        found = [(d.line, d.offset, d.message) for d in reader.diagnostics if d.code == "line-too-long"]
        assert [(line, offset) for line, offset, _ in found] == [(i + 1, sum(map(len, lines[:i])) + i) for i in long]
        for i, (_, _, text) in zip(long, found, strict=True):
            assert f" {len(lines[i])} bytes" in text


def test_a_header_that_is_too_long_is_missed() -> None:
    reader = StreamReader(HEADER.replace(b'"s"', b'"' + b"s" * 200 + b'"') + message(2), max_line=200)
    assert [r.id for r in reader] == ["r2"]
    assert [(d.code, d.line) for d in reader.diagnostics] == [("line-too-long", 1), ("header-missing", 1)]


def test_strict_raises_for_a_line_that_is_too_long() -> None:
    with pytest.raises(StreamError, match="line-too-long"):
        list(StreamReader(HEADER + message(2, "z" * 999), strict=True, max_line=500))


def test_a_cap_of_exactly_the_line_lets_it_pass() -> None:
    """The LF is not counted."""
    longest = len(message(2, "z" * 300)) - 1
    assert len(list(StreamReader(HEADER + message(2, "z" * 300), strict=True, max_line=longest))) == 2
    reader = StreamReader(HEADER + message(2, "z" * 300), max_line=longest - 1)
    assert len(list(reader)) == 1


class Repeats(io.RawIOBase):
    """A source that is made as it is read: a head, then a piece again and again, then a tail."""

    def __init__(self, head: bytes, piece: bytes, times: int, tail: bytes) -> None:
        super().__init__()
        self._parts: Iterator[bytes] = (part for part in (head, *(piece,) * times, tail))

    def read(self, size: int | None = -1, /) -> bytes:
        return next(self._parts, b"")


def test_a_line_of_300_mb_under_a_cap_of_1_mb_is_not_held() -> None:
    begin = message(2).removesuffix(b'x"}]}\n')
    source: Any = Repeats(HEADER + begin, b"z" * 30_000, 10_000, b'"}]}\n' + message(3))
    reader = StreamReader(source, max_line=1_000_000)
    tracemalloc.start()
    try:
        records = list(reader)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert [r.id for r in records] == ["r1", "r3"]
    [found] = reader.diagnostics
    assert (found.code, found.line, found.offset) == ("line-too-long", 2, len(HEADER))
    assert str(300_000_000 + len(begin) + 4) in found.message
    assert peak < 3_000_000


def test_an_archive_that_holds_one_endless_line_is_not_held_either() -> None:
    """A megabyte of gzip can stand for a gigabyte: unpacking is by portions, and the cap counts what comes out."""
    data = gzip.compress(HEADER + b"z" * 100_000_000 + b"\n" + message(2))
    reader = StreamReader(data, max_line=1_000_000)
    tracemalloc.start()
    try:
        assert [r.id for r in reader] == ["r1", "r2"]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert [d.code for d in reader.diagnostics] == ["line-too-long"]
    assert peak < 4_000_000


@given(damaged_streams())
def test_a_compressed_stream_is_read_as_what_it_holds(data: bytes) -> None:
    """Known by its first bytes, not by a name; offsets are those of the stream."""
    plain, packed = StreamReader(data), StreamReader(gzip.compress(data))
    assert list(packed) == list(plain)
    assert packed.diagnostics == plain.diagnostics


def test_a_compressed_stream_that_is_cut_short_gives_what_can_be_read() -> None:
    whole = HEADER + b"".join(message(n, os.urandom(30).hex()) for n in range(2, 400))
    packed = gzip.compress(whole)
    reader = StreamReader(packed[: len(packed) // 2])
    records = list(reader)
    assert len(records) > 100
    read_lines = [r.raw if isinstance(r, InvalidRecord) else r.to_line() for r in records]
    assert whole.startswith(b"\n".join(read_lines))
    assert [d.code for d in reader.diagnostics][-1] == "compression-broken"
    assert reader.diagnostics[-1].offset == len(b"\n".join(read_lines))
    with pytest.raises(StreamError, match="ends early"):
        list(StreamReader(gzip.compress(HEADER)[:-3], strict=True))


MEASURE = """
import resource, sys
from sessionrecord.stream import StreamReader
base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(sum(1 for _ in StreamReader(sys.stdin.buffer)), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - base)
"""


@pytest.mark.soak
@pytest.mark.skipif(sys.platform != "linux", reason="the unit of ru_maxrss is the system's")
def test_reading_a_gigabyte_takes_less_than_64_mb() -> None:
    """Above what the import takes; measured by the system, in a process of its own."""
    with subprocess.Popen([sys.executable, "-c", MEASURE], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(HEADER)
        seq, size = 2, len(HEADER)
        while size <= 1_000_000_000:
            batch = b"".join(message(n, "z" * 900) for n in range(seq, seq + 1000))
            child.stdin.write(batch)
            seq, size = seq + 1000, size + len(batch)
        child.stdin.close()
        count, kib = map(int, child.stdout.read().split())
    assert count == seq - 1
    assert kib < 64 * 1024
