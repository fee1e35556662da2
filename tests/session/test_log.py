"""The raw lines of a session: glued ones piece by piece, compressed ones unpacked, all written back as they were."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from sessionrecord.errors import SourceError, StreamError
from sessionrecord.records import InvalidRecord, Message, SessionHeader, read_record
from sessionrecord.session import Session
from sessionrecord.session.log import Log
from sessionrecord.stream import StreamReader

HEADER = b'{"type":"session","seq":1,"id":"r1","agent":"a","sessionId":"s","producer":{"method":"native"}}\n'


def message(seq: int) -> bytes:
    return b'{"type":"message","seq":%d,"id":"r%d","messageId":"m%d","role":"user"}\n' % (seq, seq, seq)


TORN = message(2)[:40]
PIECES = st.lists(
    st.sampled_from(
        [message(2), message(3), message(4).strip(), message(5).strip() + b" ", TORN, b"\0\0", b"\n", b" \r\n", b"\xef\xbb\xbf", b"null\n"]
    ),
    max_size=9,
).map(b"".join)  # fmt: skip


@given(PIECES, st.booleans())
def test_a_session_has_the_records_that_reading_gives_at_the_same_places(data: bytes, packed: bool) -> None:
    """Ruling 19: glued records are recovered; one error for a line, at the line."""
    reader = StreamReader(HEADER + data)
    records = list(reader)
    session = Session.read(gzip.compress(HEADER + data) if packed else HEADER + data)
    assert [to_line(r) for r in session.records] == [to_line(r) for r in records]
    codes = {"json-invalid", "utf8-invalid", "nul-bytes", "line-torn", "newline-missing", "line-blank", "line-crlf"}
    assert {d for d in session.diagnostics if d.code in codes} == {d for d in reader.diagnostics if d.code in codes}


def to_line(record: object) -> bytes:
    return record.raw if isinstance(record, InvalidRecord) else record.to_line()  # type: ignore[attr-defined]


@given(PIECES)
def test_every_record_lies_at_its_offset_and_on_its_line(data: bytes) -> None:
    """Blank lines before it and records beside it counted."""
    source = HEADER + data
    log = Log.read(source)
    for index in range(len(log)):
        line, offset = log.line(index), log.offset(index)
        assert source[offset:].startswith(line)
        assert source[:offset].count(b"\n") + 1 == log.line_number(index)


@given(PIECES)
def test_what_nobody_changed_is_written_back_byte_for_byte(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    """Ruling 19: only `repair` splits a glued line."""
    session = Session.read(HEADER + data)
    list(session.records)
    target = tmp_path_factory.getbasetemp() / "written"
    session.write(target)
    assert target.read_bytes() == HEADER + data


def test_a_glued_line_is_written_as_it_is_and_what_is_appended_follows(tmp_path: Path) -> None:
    source = HEADER + TORN + message(3).strip() + message(4)
    session = Session.read(source)
    assert [type(r) for r in session.records] == [SessionHeader, InvalidRecord, Message, Message]
    session.append(read_record(message(5))[0])
    session.write(tmp_path / "s")
    assert (tmp_path / "s").read_bytes() == source + message(5)
    assert session._core.log.line_number(4) == 3


def test_a_glued_line_that_is_appended_is_read_as_it_would_be_in_a_file(tmp_path: Path) -> None:
    """`Session.append`: as reading it there would."""
    glued = read_record(TORN + message(3).strip() + message(4))[0]
    session = Session.read(HEADER)
    for record in (glued, read_record(b"")[0], read_record(message(5))[0]):
        session.append(record)
    assert [r.id for r in session.records] == ["r1", None, "r3", "r4", "r5"]
    session.write(tmp_path / "s")
    again = Session.read(tmp_path / "s")
    assert list(again.records) == list(session.records)
    assert again.diagnostics == session.diagnostics
    assert [again._core.log.line_number(i) for i in range(5)] == [1, 2, 2, 2, 4]


def test_a_torn_piece_at_the_end_is_no_longer_torn_once_something_follows() -> None:
    """The line has its end then: it is glued, as reading what is written would find."""
    source = HEADER + message(3).strip() + TORN
    session = Session.read(source)
    assert [(d.code, d.offset) for d in session.diagnostics] == [("line-torn", len(HEADER))]
    session.append(read_record(message(4))[0])
    again = Session.read(source + b"\n" + message(4))
    assert session.diagnostics == again.diagnostics
    assert [(d.code, d.offset) for d in session.diagnostics] == [("json-invalid", len(HEADER))]
    assert list(session.records) == list(again.records)


def test_views_count_what_was_recovered() -> None:
    session = Session.read(HEADER + TORN + message(3).strip() + message(4))
    assert session.resolve("messageId=m3").latest.id == "r3"
    assert [e.ref for e in session.active_path().entities] == ["messageId=m3", "messageId=m4"]
    assert session.counts() == {"session": 1, None: 1, "message": 2}


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_a_compressed_stream_is_unpacked_whatever_its_name(pack: object, tmp_path: Path) -> None:
    """A path, a file object and bytes; what is written is plain."""
    source = HEADER + message(2)
    packed: bytes = pack(source)  # type: ignore[operator]
    path = tmp_path / "stream.jsonl"
    path.write_bytes(packed)
    for given_source in (path, packed, io.BytesIO(packed)):
        session = Session.read(given_source, strict=True)
        assert [r.id for r in session.records] == ["r1", "r2"]
        session.write(tmp_path / "out")
        assert (tmp_path / "out").read_bytes() == source


def test_a_compressed_stream_cut_short_gives_what_can_be_read() -> None:
    source = HEADER + b"".join(map(message, range(2, 2000)))
    packed = gzip.compress(source)[:-6000]
    session = Session.read(packed)
    assert len(session) > 100
    assert [to_line(r) for r in session.records] == source[: len(session._core.log.source)].split(b"\n")
    assert [d.code for d in session.diagnostics][-2:] == ["line-torn", "compression-broken"]
    assert session.diagnostics[-1].offset == len(session._core.log.source)
    with pytest.raises(StreamError):
        Session.read(gzip.compress(HEADER)[:-2], strict=True)


def test_a_compressed_stream_that_no_memory_holds_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("sessionrecord.lines.compressed._ALWAYS", 1 << 20)
    path = tmp_path / "bomb"
    path.write_bytes(gzip.compress(b" " * 2_000_000))
    with pytest.raises(SourceError, match="StreamReader"):
        Session.read(path)


def test_what_is_written_takes_the_place_of_what_was_there_and_is_plain(tmp_path: Path) -> None:
    """Ruling 19: through a temporary file, then moved. A compressed source is written unpacked, whatever the name says."""
    plain = HEADER + message(2)
    source = tmp_path / "s.gz"
    source.write_bytes(gzip.compress(plain))
    session = Session.read(source)
    session.write(source)
    assert source.read_bytes() == plain
    assert [p.name for p in tmp_path.iterdir()] == ["s.gz"]
    assert Session.read(source).diagnostics == []
