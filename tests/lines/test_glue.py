"""Where a glued line is split: only where the JSON before the boundary cannot go on, so that nothing is invented."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessionrecord.lines import Piece, split_glued

TEXT = st.text(max_size=8) | st.sampled_from(
    ['{"type":"message","seq":9,"id":"in a text"}', ":", "[", ", {", "\\", '"', "é\u2028"]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**30), 10**30) | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)  # fmt: skip


@st.composite
def record_lines(draw: st.DrawFn, *, inner: bool = True) -> bytes:
    """Lines of what looks like a record; a member may hold something that looks like one too."""
    members: dict[str, Any] = {"type": draw(TEXT), "seq": draw(st.integers(0, 99)), "id": draw(TEXT.filter(bool))}
    members["x"] = json.loads(draw(record_lines(inner=False))) if inner and draw(st.booleans()) else draw(VALUES)
    members["y"] = draw(VALUES)
    spaced = draw(st.booleans())
    line = json.dumps(members, ensure_ascii=draw(st.booleans()), separators=None if spaced else (",", ":"))
    return line.encode()


def value_may_begin(torn: bytes) -> bool:
    """Whether the beginning of a JSON text may go on with an object, found byte by byte."""
    nested: list[int] = []
    in_string = escaped = False
    last = 0
    for byte in torn:
        if in_string:
            in_string = escaped or byte != ord('"')
            escaped = byte == ord("\\") and not escaped
        elif byte not in b" ":
            in_string = byte == ord('"')
            if byte in b"{[":
                nested.append(byte)
            elif byte in b"}]":
                nested.pop()
            last = byte
    return not in_string and (last in b":[" or (last == ord(",") and nested[-1] == ord("[")))


def parts(line: bytes) -> list[tuple[bytes, bool]]:
    return [(line[p.start : p.end], p.whole) for p in split_glued(line)]


RECORD = (
    b'{"type":"message","seq":2,"id":"r2","to":{"type":"a","seq":1,"id":"b"},"l":["x, {y",-1.5,true,"\\u00e9\xc3\xa9"]}'
)


@given(record_lines(), record_lines(), st.data())
def test_a_torn_record_and_the_next_one_are_parted_wherever_that_is_certain(
    a: bytes, b: bytes, data: st.DataObject
) -> None:
    """Ruling 19: both are recovered. Where an object may stand at the boundary, what follows may be a part of the first."""
    torn = a[: data.draw(st.integers(1, len(a) - 1))].rstrip(b" ")
    if value_may_begin(torn):
        assert parts(torn + b) == []
    else:
        assert parts(torn + b) == [(torn, False), (b, True)]


@pytest.mark.parametrize("end", range(1, len(RECORD)))
def test_every_place_where_a_record_can_be_torn(end: int) -> None:
    torn = RECORD[:end].rstrip(b" ")
    expected = [] if value_may_begin(torn) else [(torn, False), (RECORD, True)]
    assert parts(torn + RECORD) == expected


@given(st.lists(record_lines(), min_size=2, max_size=5), st.sampled_from([b"", b" ", b"\t\r"]))
def test_whole_records_on_one_line_are_parted(records: list[bytes], between: bytes) -> None:
    line = between + between.join(records) + between
    assert parts(line) == [(record, True) for record in records]


@given(record_lines(), record_lines(), record_lines())
def test_a_piece_may_be_torn_on_both_sides_of_a_record(a: bytes, b: bytes, c: bytes) -> None:
    """A record that was written whole between two crashes."""
    first, last = a[: len('{"typ')], c[:-1]
    assert parts(first + b + last)[:2] == [(first, False), (b, True)]


@given(record_lines())
def test_a_line_that_is_one_text_or_the_beginning_of_one_is_not_glued(record: bytes) -> None:
    """Also where it ends with, or holds, what looks like a record."""
    for end in range(len(record) + 1):
        assert split_glued(record[:end]) == []


@given(record_lines(), st.integers(0, 200), st.binary(max_size=3))
def test_one_damaged_place_never_makes_a_record_of_a_value(record: bytes, at: int, junk: bytes) -> None:
    """What a record holds is not in the stream by itself: nothing is invented."""
    damaged = record[:at] + junk + record[at + 1 :]
    inner = json.dumps(json.loads(record)["x"], ensure_ascii=False)
    for text, whole in parts(damaged):
        assert not whole or text.decode("utf-8", "replace") != inner or not inner.startswith("{")


@pytest.mark.parametrize(
    ("junk", "rest"),
    [(b"\0" * 30, b"\0" * 30), (b"J", b"J"), (b"\xff", b"\xff"), (b"}", b"}"), (b'{"a":1}', b'{"a":1}'), (b"1", b"1"), (b",", b","),
     (b"[1]", b"[1]"), (b'"', b'"'), (b"null ", b"null"), (b"\xef\xbb\xbf", b"\xef\xbb\xbf")],
)  # fmt: skip
def test_junk_before_between_and_behind_records_is_a_piece(junk: bytes, rest: bytes) -> None:
    """What a power loss, a byte order mark of joined files, or a damaged LF leaves."""
    assert parts(junk + RECORD) == [(rest, False), (RECORD, True)]
    assert parts(RECORD + junk + RECORD) == [(RECORD, True), (rest, False), (RECORD, True)]
    assert parts(RECORD + junk) == [(RECORD, True), (rest, False)]


@pytest.mark.parametrize(
    "line",
    [
        b"", b"  ", b"\0\0", b"not json", b"{}{}", b"[1][2]", b'{"type":"a","seq":1}{"type":"b","seq":2}',
        b'{"type":"a","seq":true,"id":"x"}{"type":"a","seq":1,"id":""}', b'{"a":"b' * 50, b"[" + RECORD, b'{"a":' + RECORD,
        b'{"a":tru,"b":' + RECORD, b'{"a":tru,"b":[' + RECORD, b'x"}],"to":' + RECORD + b"}", b"[" * 100_000,
        RECORD + b'{"a":' * 100_000,
    ],
    ids=lambda line: repr(line[:20]),
)  # fmt: skip
def test_nothing_is_parted_where_no_boundary_is_certain(line: bytes) -> None:
    assert [p for p in split_glued(line) if p.start] == []


@pytest.mark.parametrize(
    "unit",
    [b'x{"a":', b'{"a":"{"', b'{"type":"a","seq":1,"id":"x",', b'{"type":"a","seq":1,"id":"x"}x', b'["{"type":"a","seq":1,"id":"x"},'],
    ids=repr,
)  # fmt: skip
def test_a_hostile_line_is_searched_in_linear_time(unit: bytes) -> None:
    """A search that tried every brace to the end of the line would read a terabyte here."""
    found = parts(unit * 50_000)
    assert b"".join(text for text, _ in found) in (b"", unit * 50_000)


def test_many_records_with_junk_between_them_are_parted() -> None:
    assert len(parts((RECORD + b"J") * 20)) == 40


def test_positions_are_bytes() -> None:
    """Beyond ASCII a character is more than a byte."""
    torn = '{"text":"é\u2028'.encode()
    assert split_glued(b" " + torn + RECORD + b"\r") == [
        Piece(1, 1 + len(torn), whole=False),
        Piece(1 + len(torn), 1 + len(torn) + len(RECORD), whole=True),
    ]
