"""Files of events: what is found in their lines, what is kept, what is written."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessionrecord import ijson
from sessionrecord.asm import (
    PAYLOADS,
    EventReader,
    EventWriter,
    InvalidEvent,
    RunEvent,
    RunReducer,
    final_result,
    read_event,
    reduce_run,
)
from sessionrecord.asm.plain import read_events
from sessionrecord.errors import InvalidRecordError, SourceError, StreamError, WriterError

from .samples import FULL, event, runs, wires

A = b'{"kind":"assistant_delta","run_id":"r","session_id":"s","payload":{"content":"a"}}'
B = b'{"kind":"result","run_id":"r","session_id":"s","id":"e2"}'
BAD = b'{"kind":"result","run_id":"r","id":"e9"}'


def found(reader: EventReader) -> list[tuple[str, int | None, int | None]]:
    return [(d.code, d.line, d.offset) for d in reader.diagnostics]


@pytest.mark.parametrize(
    ("data", "kept", "codes"),
    [
        (A + b"\n" + B + b"\n", [A, B], []),
        (b"\xef\xbb\xbf" + A + b"\n", [A], [("bom", 1, 0)]),
        (A + b"\r\n" + B + b"\r\n", [A, B], [("line-crlf", 1, 0)]),
        (A + b"\n\n \t\n" + B + b"\n", [A, B], [("line-blank", 2, len(A) + 1), ("line-blank", 3, len(A) + 2)]),
        (A + b"\n" + B, [A, B], [("newline-missing", 2, len(A) + 1)]),
        (A + b"\n" + B[:20], [A, B[:20]], [("line-torn", 2, len(A) + 1)]),
        (B[:20] + A + b"\n" + B + b"\n", [B[:20] + A, B], [("json-invalid", 1, 0)]),
        (A + B + b"\n", [A + B], [("json-invalid", 1, 0)]),
        (A + b"\n" + bytes(9) + b"\n" + B + b"\n", [A, bytes(9), B], [("nul-bytes", 2, len(A) + 1)]),
        (A + b"\n\xff\n", [A, b"\xff"], [("utf8-invalid", 2, len(A) + 1)]),
        (A + b"\n" + BAD + b"\n" + B + b"\n", [A, BAD, B], [("member-missing", 2, len(A) + 1)]),
        (A + b"\n[1]\n", [A, b"[1]"], [("not-an-object", 2, len(A) + 1)]),
        (
            A.replace(b'"a"', '"\ufffe"'.encode()) + b"\n",
            [A.replace(b'"a"', '"\ufffe"'.encode())],
            [("noncharacter", 1, 0)],
        ),
        (b"", [], [("stream-empty", None, None)]),
        (b"\n", [], [("line-blank", 1, 0), ("stream-empty", None, None)]),
    ],
    ids=lambda v: repr(v)[:40] if isinstance(v, bytes) else "",
)
def test_what_is_found_is_reported_with_its_place_and_every_line_is_kept(
    data: bytes, kept: list[bytes], codes: list[Any]
) -> None:
    reader = EventReader(data)
    events = list(reader)
    assert [e.to_line() for e in events] == kept
    assert found(reader) == codes
    errors = [d for d in reader.diagnostics if d.severity == "error" and d.line is not None]
    assert [e.diagnostics[0] for e in events if isinstance(e, InvalidEvent)] == errors
    assert list(reader.events()) == [e for e in events if isinstance(e, RunEvent)]


def test_a_strict_reader_stops_at_the_first_error_after_the_events_before_it() -> None:
    events = iter(EventReader(A + b"\n" + BAD + b"\n" + B, strict=True))
    assert next(events).to_line() == A
    with pytest.raises(StreamError, match="line 2, record 'e9'"):
        next(events)
    assert final_result(EventReader(A + b"\n" + B + b"\n", strict=True)).text == "a"


def test_a_fold_over_a_file_with_a_broken_line_says_which() -> None:
    reader = EventReader(A + b"\n" + BAD + b"\n" + B + b"\n")
    with pytest.raises(InvalidRecordError, match="line 2, record 'e9', at /session_id: error member-missing"):
        reduce_run(reader)
    assert reduce_run(reader.events()).status == "completed"
    with pytest.raises(SourceError):
        list(EventReader("no such file"))


def test_an_invalid_event_tells_what_could_be_read() -> None:
    read, _ = read_event(BAD + b"\r\n")
    assert isinstance(read, InvalidEvent)
    assert (read.kind, read.id, read.value, read.raw) == ("result", "e9", ijson.loads(BAD), BAD)
    read, _ = read_event(b'{"kind":5,"id":""}')
    assert isinstance(read, InvalidEvent)
    assert (read.kind, read.id) == (None, None)


@given(runs, st.integers(1, 200))
def test_what_is_written_is_read_back(events: list[RunEvent], pad: int) -> None:
    file = io.BytesIO()
    with EventWriter(file) as writer:
        written = [writer.write(e.replace(pad="x" * pad)) for e in events]
    reader = EventReader(file.getvalue())
    assert list(reader) == written
    assert all(d.code == "stream-empty" for d in reader.diagnostics)


def test_a_writer_makes_a_private_file_and_writes_only_valid_events(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    with EventWriter(path) as writer:
        writer.write(RunEvent.parse(b'{"kind": " result ","run_id":"r","session_id":"s"}'))
        with pytest.raises(WriterError, match="not InvalidEvent"):
            writer.write(read_event(BAD)[0])  # type: ignore[arg-type]
        with pytest.raises(InvalidRecordError, match="session_id"):
            writer.write(event("result").model_copy(update={"session_id": ""}))
    assert path.read_bytes() == b'{"kind": " result ","run_id":"r","session_id":"s"}\n'
    assert path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(WriterError, match="closed"):
        writer.write(event("result"))
    with pytest.raises(WriterError, match="not empty"):
        EventWriter(path)


# the short way


@pytest.mark.parametrize(
    ("content", "code"),
    [(float("nan"), "number-not-finite"), (float("-inf"), "number-not-finite"), ("\ud800", "lone-surrogate"), ({1}, "type-invalid"),
     ({"a": {1: 2}}, "type-invalid"), (Decimal("1e400"), "number-not-finite"), (b"a", "type-invalid")],
)  # fmt: skip
def test_what_json_cannot_hold_is_not_written(content: Any, code: str) -> None:
    """Every rule that a written event breaks is told in one way, and the writer goes on."""
    file = io.BytesIO()
    writer = EventWriter(file)
    for kind in ("raw", "from_the_future"):
        with pytest.raises(InvalidRecordError, match=code):
            writer.write(RunEvent.new(kind, run_id="r", session_id="s", payload={"content": content}))
    assert file.getvalue() == b""
    writer.write(event("raw"))
    assert len(file.getvalue().splitlines()) == 1


def the_same(line: bytes) -> bool:
    """Whether the short way makes the event that the models make; false where it leaves the line to them."""
    short = next(read_events((line,), lambda _: None), None)
    if short is None:
        return False
    read, notes = read_event(line)
    assert isinstance(short, RunEvent)
    assert short == read
    assert notes == []
    pairs: list[tuple[Any, Any]] = [(short, read), (short.payload, getattr(read, "payload", None))]
    for one, other in pairs:
        if hasattr(one, "model_fields_set"):
            assert one.model_fields_set == other.model_fields_set
            assert one.model_extra == other.model_extra
            assert one.model_dump() == other.model_dump()
    assert short.to_line() == line
    return True


_odd = st.sampled_from(
    [None, "", " a", "a ", "a", 0, -1, 1.5, True, [], [1], {}, {"a": 1}, "Codex", "codex", "2026-01-01T00:00:00Z"]
)


@given(wires(), st.lists(st.tuples(st.sampled_from([*RunEvent.model_fields, "new"]), _odd), max_size=2))
def test_the_short_way_makes_the_event_of_the_models_or_none(wire: dict[str, Any], odd: list[tuple[str, Any]]) -> None:
    the_same(ijson.dumps({**wire, **dict(odd)}))


@given(st.dictionaries(st.sampled_from(["content", "index", "format", "metadata", "new"]), _odd), st.booleans())
def test_the_short_way_makes_the_delta_of_the_models_or_none(payload: dict[str, Any], absent: bool) -> None:
    wire = {"kind": "assistant_delta", "run_id": "r", "session_id": "s", **({} if absent else {"payload": payload})}
    the_same(ijson.dumps(wire))


@pytest.mark.parametrize("kind", PAYLOADS)
def test_the_short_way_takes_the_usual_event_of_each_known_kind(kind: str) -> None:
    wire = {"id": "e", "kind": kind, "run_id": "r", "session_id": "s", "provider": "codex", "payload": FULL[kind], "sequence": 1,
            "timestamp": "2026-01-01T00:00:00.5+01:00", "metadata": {"lane": "sdk"}}  # fmt: skip
    assert the_same(ijson.dumps(wire))
    assert not the_same(ijson.dumps({**wire, "kind": f" {kind}"}))


def test_events_of_one_shape_share_nothing_that_can_change() -> None:
    lines = [A.replace(b'"a"}', b'"a"},"n":%d' % i).replace(b',"n"', b',"sequence"') for i in range(2)]
    first, second = read_events(lines, lambda _: None)
    assert isinstance(first, RunEvent)
    assert isinstance(second, RunEvent)
    first.metadata["x"] = 1
    first.payload.metadata["y"] = 2
    assert (second.metadata, second.payload.metadata, second.extra) == ({}, {}, {})


# what a fold reads of a file

LINES = st.sampled_from(
    [A, B, BAD, b"", b"[1]", A[:30], A.replace(b'"a"', '"\ufffe"'.encode()), A.replace(b":{", b" : {")]
)


@given(runs, st.lists(st.tuples(st.integers(0, 9), LINES), max_size=3), st.booleans(), st.booleans())
def test_a_fold_of_a_file_is_the_fold_of_its_events(
    run: list[RunEvent], others: list[tuple[int, bytes]], ended: bool, deduplicate: bool
) -> None:
    lines = [event.to_line() for event in run]
    for place, line in others:
        lines.insert(place, line)
    data = b"\n".join(lines) + b"\n" * ended
    reader, other = EventReader(data), EventReader(data)
    state = reduce_run(reader.events(), deduplicate=deduplicate)
    assert state == reduce_run([e for e in other if isinstance(e, RunEvent)], deduplicate=deduplicate)
    assert state.to_json() == reduce_run(EventReader(data).events(), deduplicate=deduplicate).to_json()
    assert reader.diagnostics == other.diagnostics


_junk = st.sampled_from(
    [b"\0", b"\xef\xbb\xbf", b"\r", b"\n", b"\xff", b"\xed\xa0\x80", b"\xef\xbf\xbe", b" ", b"\t", b'"', b"{", b"}", b"[", b",", b":", b"\\", b"\\ud800",
     b"\\u0041", b"1", b"-", b".0", b"e5", b"null", b"NaN", b'"id":"e1",', b'"metadata":{"lane":1},']
)  # fmt: skip
_cuts = st.tuples(st.floats(0, 1), st.integers(0, 3), _junk)


@given(runs, st.lists(_cuts, min_size=1, max_size=4), st.booleans())
def test_a_fold_of_a_damaged_file_is_the_fold_of_what_is_left_of_its_events(
    run: list[RunEvent], cuts: list[tuple[float, int, bytes]], strict: bool
) -> None:
    data = b"".join(event.to_line() + b"\n" for event in run)
    for place, dropped, put in cuts:
        at = int(place * len(data))
        data = data[:at] + put + data[at + dropped :]
    results = []
    for as_members in (True, False):
        reader, reducer = EventReader(data, strict=strict), RunReducer()
        try:
            reducer.extend(reader.events() if as_members else (event for event in reader.events()))
            error = ""
        except StreamError as e:
            error = str(e)
        results.append((reducer.state, reducer.state.to_json(), reader.diagnostics, error))
    assert results[0] == results[1]


def test_a_fold_of_a_file_raises_at_the_line_that_is_no_event() -> None:
    reducer = RunReducer()
    with pytest.raises(InvalidRecordError, match="session_id"):
        reducer.extend(EventReader(A + b"\n" + BAD + b"\n" + B + b"\n"))
    assert reducer.state.text == "a"


def test_a_fold_of_a_reader_that_chooses_its_events_takes_those_it_chose() -> None:
    class Results(EventReader):
        def __iter__(self) -> Iterator[RunEvent | InvalidEvent]:
            return (event for event in super().__iter__() if event.kind == "result")

    state = reduce_run(Results(A + b"\n" + B + b"\n"))
    assert (state.sequence, state.text, state.status) == (1, "", "completed")


def test_a_fold_goes_on_where_a_look_at_the_events_of_a_file_has_stopped() -> None:
    events = EventReader(A + b"\n" + A + b"\n" + B + b"\n").events()
    assert next(events).kind == "assistant_delta"
    assert reduce_run(events).text == "a"
    assert list(events) == []
    events = EventReader(A + b"\n").events()
    assert reduce_run(events).text == "a"
    assert list(events) == []


def test_a_compressed_file_that_is_damaged_gives_what_could_be_read_and_no_result() -> None:
    """Its end may be what the run came to."""
    lines = b"".join(event("assistant_delta", {"content": str(n * n)}).to_line() + b"\n" for n in range(2000))
    assert [e.to_line() for e in EventReader(gzip.compress(lines))] == lines.splitlines()
    broken = gzip.compress(lines, mtime=0)[:-2000]
    got: list[bytes] = []

    def take() -> None:
        for read in EventReader(broken):
            got.append(read.to_line())

    with pytest.raises(SourceError, match="ends early"):
        take()
    assert 100 < len(got) < 2000
    assert lines.startswith(b"\n".join(got))
    with pytest.raises(SourceError, match="ends early"):
        reduce_run(EventReader(broken).events())
