"""Repair: a valid stream of all that can be saved, everything else beside it, the source untouched."""

from __future__ import annotations

import base64
import gzip
import io
import json
import os
import stat
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessionrecord import InvalidRecord, Session, SourceError, WriterError
from sessionrecord.lines import split_glued
from sessionrecord.validate import RepairReport, repair, validate
from sessionrecord.validate.pieces import pieces
from sessionrecord.validate.plan import Plan, plan
from sessionrecord_corpus import cases
from tests.corpus.make import S1, S2, S3, H, call, header, msg, raw, rec, state, text
from tests.lines.test_glue import record_lines

VALID = [c.path.read_bytes() for c in cases() if c.kind == "valid"]
ALL = [c.path.read_bytes() for c in cases()]


def mended(tmp_path: Path, *lines: Any) -> tuple[RepairReport, list[Any]]:
    """Repairs lines; the report, and the records of the stream."""
    source = b"".join((line if isinstance(line, bytes) else raw(line)) + b"\n" for line in lines)
    target = tmp_path / "out.jsonl"
    report = repair(source, target, replace=True)
    return report, [json.loads(line) for line in target.read_bytes().splitlines()]


def rest_of(path: str | Path) -> list[tuple[int, bytes]]:
    """Line number and bytes of each line of a side file."""
    entries = [json.loads(line) for line in Path(path).read_bytes().splitlines()]
    return [
        (e["line"], base64.b64decode(e["base64"]) if "base64" in e else e["text"].encode("utf-8", "surrogatepass"))
        for e in entries
    ]


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A stream with lines repeated, swapped, cut, glued, and bytes changed, taken out and put in."""
    lines = draw(st.sampled_from(ALL)).split(b"\n")
    lines += draw(st.sampled_from(VALID)).split(b"\n") if draw(st.booleans()) else []
    for _ in range(draw(st.integers(0, 4))):
        at, other = (draw(st.integers(0, len(lines) - 1)) for _ in range(2))
        kind = draw(st.sampled_from(["twice", "swap", "cut", "glue", "flip", "insert", "drop"]))
        line = lines[at]
        place = draw(st.integers(0, len(line)))
        if kind == "twice":
            lines.insert(other, line)
        elif kind == "swap":
            lines[at], lines[other] = lines[other], lines[at]
        elif kind == "cut":
            lines[at] = line[:place]
        elif kind == "glue":
            lines[at] = line[:place] + lines[other]
        elif kind == "flip" and line:
            place = min(place, len(line) - 1)
            lines[at] = line[:place] + bytes([line[place] ^ (1 << draw(st.integers(0, 7)))]) + line[place + 1 :]
        elif kind == "insert":
            lines[at] = line[:place] + draw(st.binary(min_size=1, max_size=4)) + line[place:]
        elif kind == "drop":
            lines[at] = line[:place] + line[place + 1 :]
    return b"\n".join(lines)


@given(damaged())
def test_whatever_is_damaged_the_result_is_valid_and_every_line_is_accounted_for(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    """Each line that is not blank is in the stream as it was, or in the side file byte for byte."""
    folder = tmp_path_factory.mktemp("repair")
    source, target = folder / "in.jsonl", folder / "out.jsonl"
    source.write_bytes(data)
    try:
        report = repair(source, target)
    except SourceError:  # there is no header
        assert [p.name for p in folder.iterdir()] == ["in.jsonl"]
        return
    assert source.read_bytes() == data
    assert validate(target).ok
    assert target.read_bytes().endswith(b"\n")
    written = target.read_bytes().split(b"\n")
    kept = dict(rest_of(report.rest)) if report.rest else {}
    for number, line in enumerate(data.split(b"\n"), 1):
        ended = number <= data.count(b"\n")
        bare = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
        bare = bare.removesuffix(b"\r") if ended else bare
        if bare.strip():
            assert kept.get(number, bare) == bare
            assert number in kept or bare in written
    assert report.aside == sum(a.action == "put-aside" for a in report.actions)
    assert report.records == len(Session.read(target))


@given(damaged())
def test_a_repaired_stream_has_nothing_to_repair(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    folder = tmp_path_factory.mktemp("repair")
    try:
        repair(data, folder / "once")
    except SourceError:
        return
    report = repair(folder / "once", folder / "twice")
    assert report.actions == ()
    assert report.rest is None
    assert (folder / "twice").read_bytes() == (folder / "once").read_bytes()


@pytest.mark.parametrize("case", [c for c in cases() if c.kind == "valid"], ids=lambda c: c.name)
def test_a_valid_stream_is_written_byte_for_byte(case: Any, tmp_path: Path) -> None:
    """Only line ends, blank lines and a byte order mark are not content."""
    report = repair(case.path, tmp_path / "out")
    data = case.path.read_bytes().removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n")
    lines = [line for line in data.split(b"\n") if line.strip()]
    assert (tmp_path / "out").read_bytes() == b"".join(line + b"\n" for line in lines)
    assert report.rest is None
    assert not list(tmp_path.glob("*.rest.jsonl"))


def test_a_broken_optional_member_is_left_out_and_the_record_says_so(tmp_path: Path) -> None:
    """Absent would read as unknown, and the content as complete: a capture state tells that it is neither."""
    report, records = mended(tmp_path, H, state(1, timestamp="yesterday", reason="r"))
    assert "timestamp" not in records[1]
    assert records[1]["reason"] == "r"
    assert records[1]["capture"] == {
        "timestamp": {"state": "omitted", "reason": "repair: /timestamp is left out: timestamp-invalid"}
    }
    (action,) = report.actions
    assert (action.action, action.line, action.record_id, action.codes) == ("mended", 2, "r1", ("timestamp-invalid",))


def test_a_broken_block_is_left_out_and_the_others_stay(tmp_path: Path) -> None:
    content = [*text("a"), {"type": "text"}, {"type": "image"}, *text("d")]
    _, records = mended(tmp_path, H, msg(1, "m", content=content))
    assert records[1]["content"] == [*text("a"), *text("d")]
    assert records[1]["capture"]["content"]["state"] == "truncated"


def test_a_null_that_says_unknown_is_left_out_without_a_word_in_the_record(tmp_path: Path) -> None:
    """ASR-043: an unknown value is expressed by omitting the member."""
    report, records = mended(tmp_path, H, msg(1, "m", model=None, content=None))
    assert records[1] == msg(1, "m")
    assert "/model was null" in report.actions[0].message


def test_a_capture_state_of_the_author_is_not_replaced_unless_the_member_is_gone(tmp_path: Path) -> None:
    own = {"content": {"state": "redacted"}, "model": {"state": "redacted"}}
    _, records = mended(tmp_path, H, msg(1, "m", content=[{"type": "text"}], model=5, capture=own))
    assert records[1]["capture"]["content"] == {"state": "redacted"}
    assert records[1]["capture"]["model"]["state"] == "omitted"


def test_a_broken_capture_state_is_unknown_not_complete(tmp_path: Path) -> None:
    _, records = mended(tmp_path, H, msg(1, "m", capture={"content": "no", "model": {"state": "omitted"}}))
    assert records[1]["capture"]["content"]["state"] == "unknown"
    assert records[1]["capture"]["model"] == {"state": "omitted"}


@pytest.mark.parametrize(
    "line",
    [
        msg(1, "m", predecessor=5),
        rec("rewind", 1, to=5),
        rec("compaction", 1, compactionId="k", status=5),
        rec("compaction", 1, compactionId="k", keptFrom=5),
        rec("usage", 1, modelCallId=5),
        rec("usage", 1, scope=5),
        rec("message", 1, messageId=None, role="user"),
        rec("delivery", 1, of=""),
        rec("hologram", 1, id=5),
    ],
    ids=lambda line: f"{line['type']}-{len(line)}",
)
def test_what_the_structure_rests_on_is_never_mended(tmp_path: Path, line: dict[str, Any]) -> None:
    """Without its predecessor a record would follow the head: the conversation would hang together in another way."""
    report, records = mended(tmp_path, H, line, S2)
    assert [r["id"] for r in records] == ["r0", "r2"]
    assert report.rest is not None
    assert rest_of(report.rest) == [(2, raw(line))]


@pytest.mark.parametrize("member", ["agent", "sessionId", "namespace"])
def test_whose_session_it_is_is_never_mended(tmp_path: Path, member: str) -> None:
    with pytest.raises(SourceError, match="no session header, and none is made up"):
        repair(raw(header(**{member: 5})) + b"\n" + S1 + b"\n", tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_surrogates_and_other_bytes_become_replacement_characters_where_they_stood(tmp_path: Path) -> None:
    line = raw(msg(1, "m", content=text("a#b"))).replace(b"#", b"\xff\\ud800")
    report, records = mended(tmp_path, H, line, S2)
    assert records[1]["content"] == text("a\ufffd\ufffdb")
    assert records[1]["capture"]["content"]["state"] == "truncated"
    assert report.rest is not None
    assert rest_of(report.rest) == [(2, line)]
    assert report.actions[0].action == "mended"


@pytest.mark.parametrize(
    "line",
    [
        raw(msg(1, "m#")).replace(b"#", b"\\ud800"),
        raw(state(1, **{"x#": 1})).replace(b"#", b"\\ud800"),
        raw(call(1, "c", arguments={"x#": 1})).replace(b"#", b"\\ud800"),
        raw(msg(1, "m", capture={"content": {"state": "#"}})).replace(b"#", b"\\ud800"),
    ],
    ids=["entity key", "name", "name within", "capture state"],
)
def test_a_surrogate_in_a_name_or_key_cannot_be_replaced(tmp_path: Path, line: bytes) -> None:
    report, records = mended(tmp_path, H, line, S2)
    assert [r["id"] for r in records] == ["r0", "r2"]
    assert report.aside == 1


def test_a_surrogate_and_another_fault_are_both_mended(tmp_path: Path) -> None:
    line = raw(msg(1, "m", content=text("#"), turnId=5)).replace(b"#", b"\\ud800")
    _, records = mended(tmp_path, H, line)
    assert records[1]["content"] == text("\ufffd")
    assert set(records[1]["capture"]) == {"content", "turnId"}


def test_numbers_of_mended_records_keep_their_digits(tmp_path: Path) -> None:
    line = raw(call(1, "c", arguments="#", turnId=5)).replace(b'"#"', b'{"a":1.50,"b":123456789012345678901234567890}')
    mended(tmp_path, H, line)
    assert b'{"a":1.50,"b":123456789012345678901234567890}' in (tmp_path / "out.jsonl").read_bytes()


@pytest.mark.parametrize("seq", [1, 3, 9])
def test_what_may_be_a_value_of_a_cut_record_is_not_made_a_record(seq: int, tmp_path: Path) -> None:
    """An object within the arguments of a cut call looks like a record, whatever its number."""
    cut = raw(call(2, "c", arguments=state(seq)))[: -len(b"}")]
    assert cut.endswith(raw(state(seq)))
    report, records = mended(tmp_path, H, S1, cut, S3)
    assert [r["id"] for r in records] == ["r0", "r1", "r3"]
    assert [(a.action, a.line) for a in report.actions] == [("put-aside", 3)]


@given(st.lists(record_lines(), min_size=1, max_size=3), st.data())
def test_what_a_reader_finds_in_a_glued_line_is_found_by_a_repair(records: list[bytes], data: st.DataObject) -> None:
    """One rule says where a line is parted; a repair also undoes what NUL bytes and wrong bytes in a text have broken."""
    junk = st.sampled_from([b"", b"\0" * 3, b"x", b",", b"}", b"null ", b'"', b"\xff"])
    line = b""
    for record in records:
        torn = record[: data.draw(st.integers(0, len(record)))]
        line += data.draw(st.sampled_from([record, torn])) + data.draw(junk)
    found = pieces(line)
    assert [w for w in whole_records(line) if w not in found] == []
    if not any(byte in line for byte in b"\0\xff"):
        assert [p for p in found if is_record(p)] in (whole_records(line), [p for p in found if p == line.strip()])


def whole_records(line: bytes) -> list[bytes]:
    return [line[p.start : p.end] for p in split_glued(line) if p.whole]


def is_record(piece: bytes) -> bool:
    value = json.loads(piece)
    return bool(
        isinstance(value.get("type"), str)
        and type(value.get("seq")) is int
        and isinstance(value.get("id"), str)
        and value["id"]
    )


def test_of_glued_records_those_that_cannot_be_saved_are_counted(tmp_path: Path) -> None:
    report, records = mended(tmp_path, H, S1 + raw(rec("message", 2)) + S3)
    assert [r["id"] for r in records] == ["r0", "r1", "r3"]
    assert report.actions[0].message == "2 records are cut out of the line, 1 more cannot be saved"


def test_seq_is_counted_anew_where_it_does_not_rise_and_the_order_stays(tmp_path: Path) -> None:
    """Views are folds in file order: the order of the file is kept, so that they stay what they were."""
    report, records = mended(tmp_path, H, msg(10, "a"), {**msg(10, "b"), "id": "x"}, msg(30, "c"))
    assert [(r["messageId"], r["seq"]) for r in records[1:]] == [("a", 10), ("b", 11), ("c", 30)]
    (action,) = report.actions
    assert (action.action, action.line, action.message) == ("seq-changed", 3, "seq was 10, is 11")


def test_the_header_goes_to_the_front_where_the_numbers_show_that_it_belongs_there(tmp_path: Path) -> None:
    report, records = mended(tmp_path, S1, H, S2)
    assert [r["id"] for r in records] == ["r0", "r1", "r2"]
    assert [a.action for a in report.actions] == ["header-moved"]
    assert report.rest is not None


@pytest.mark.parametrize("lines", [(S2, S3, H, S1), (S1, H), (state(5), header(seq=7), state(8))])
def test_records_before_a_header_that_may_be_of_another_session_are_put_aside(
    tmp_path: Path, lines: tuple[Any, ...]
) -> None:
    report, records = mended(tmp_path, *lines)
    assert records[0]["type"] == "session"
    assert [a.line for a in report.actions if a.action == "put-aside"] == list(range(1, len(lines) + 1 - len(records)))
    assert report.rest is not None
    assert [line for line, _ in rest_of(report.rest)] == list(range(1, len(lines) + 1 - len(records)))


def test_an_id_used_by_two_records_gets_a_number_that_is_free(tmp_path: Path) -> None:
    _, records = mended(tmp_path, H, S1, {**state(2), "id": "r1#2"}, {**state(3, reason="x"), "id": "r1"})
    assert [r["id"] for r in records] == ["r0", "r1", "r1#2", "r1#3"]


def test_line_ends_blank_lines_and_a_mark_are_told_once(tmp_path: Path) -> None:
    report = repair(b"\xef\xbb\xbf" + H + b"\r\n\n" + S1 + b"\r\n" + S2, tmp_path / "out")
    assert [(a.action, a.line) for a in report.actions] == [("bom-removed", 1), ("line-ends", 1)]
    assert report.actions[1].message == "2 lines end with LF in place of CRLF, 1 blank lines are left out"
    assert (tmp_path / "out").read_bytes() == b"\n".join([H, S1, S2, b""])


def test_files_are_private_and_no_other_is_left(tmp_path: Path) -> None:
    report = repair(H + b"\n{oops\n", tmp_path / "out")
    assert report.rest == str(tmp_path / "out.rest.jsonl")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out", "out.rest.jsonl"]
    if os.name == "posix":
        assert {stat.S_IMODE(p.stat().st_mode) for p in tmp_path.iterdir()} == {0o600}


def test_the_source_is_never_the_target(tmp_path: Path) -> None:
    source = tmp_path / "s.jsonl"
    source.write_bytes(H + b"\n{oops\n")
    (tmp_path / "link").symlink_to(source)
    for target in (source, tmp_path / "link"):
        with pytest.raises(WriterError, match="is the source itself"):
            repair(source, target, replace=True)
    side = tmp_path / "s.rest.jsonl"
    side.write_bytes(H + b"\n")
    with pytest.raises(WriterError, match="is the source itself"):
        repair(side, tmp_path / "s", replace=True)
    assert source.read_bytes() == H + b"\n{oops\n"
    assert side.read_bytes() == H + b"\n"


def test_files_that_exist_are_replaced_only_on_demand(tmp_path: Path) -> None:
    target, rest = tmp_path / "out", tmp_path / "out.rest.jsonl"
    for file in (target, rest):
        file.write_bytes(b"mine")
        with pytest.raises(WriterError, match="exists already"):
            repair(H + b"\n", target)
        assert file.read_bytes() == b"mine"
        file.unlink()
    target.write_bytes(b"old")
    rest.write_bytes(b"old")
    repair(H + b"\n", target, replace=True)
    assert target.read_bytes() == H + b"\n"
    assert not rest.exists(), "a side file of an earlier repair would speak of another source"


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(WriterError, match=r"cannot write to .*/none/out"):
        repair(H + b"\n", tmp_path / "none" / "out")
    (tmp_path / "folder").mkdir()
    with pytest.raises(WriterError, match="is no regular file"):
        repair(H + b"\n", tmp_path / "folder", replace=True)


def test_a_binary_file_is_read_once(tmp_path: Path) -> None:
    source = tmp_path / "s.jsonl"
    source.write_bytes(H + b"\n" + S1)
    with source.open("rb") as file:
        report = repair(file, tmp_path / "out")
    assert report.source == str(source)
    assert report.records == 2


def test_a_report_says_what_was_done_as_text_and_as_json(tmp_path: Path) -> None:
    report, _ = mended(tmp_path, H, b"{oops", state(2, participant="p"))
    assert report.to_text().splitlines() == [
        f"line 2: put-aside: {report.actions[0].message}",
        f"{tmp_path}/out.jsonl: 2 records, 1 line put aside; what is not in it as it was is in {report.rest}",
    ]
    made = json.loads(json.dumps(report.to_dict()))
    assert made["actions"][0] == {
        "action": "put-aside", "line": 2, "offset": len(H) + 1, "record_id": None, "codes": ["json-invalid"],
        "message": report.actions[0].message,
    }  # fmt: skip
    assert [f["code"] for f in made["findings"]] == ["participant-undeclared"]
    assert (made["source"], made["records"], made["aside"]) == (None, 2, 1)
    assert "\x1b" not in repair(H + b"\n", tmp_path / "\x1b[31m").to_text()


def test_a_line_of_many_braces_takes_no_quadratic_time(tmp_path: Path) -> None:
    """Each `{"id":` could begin a record; the work is bounded by a multiple of the line's length."""
    line = b'{"type":"state","x":[' + b'{"id":[' * 20_000
    report, records = mended(tmp_path, H, line, S1)
    assert [r["id"] for r in records] == ["r0", "r1"]
    assert report.aside == 1


def test_a_header_glued_behind_another_record_keeps_its_own_line_only(tmp_path: Path) -> None:
    report, records = mended(tmp_path, state(5) | {"id": "x"}, raw(state(6)) + H, S1)
    assert [r["id"] for r in records] == ["r0", "r1"]
    assert [(a.action, a.line) for a in report.actions] == [("put-aside", 1), ("cut-out", 2), ("cut-out", 2)]
    _, records = mended(tmp_path, S1 + H + S2, S3)
    assert [r["id"] for r in records] == ["r0", "r1", "r2", "r3"]


def test_raw_controls_in_strings_become_the_escapes_that_they_should_have_been(tmp_path: Path) -> None:
    """What they stand for is certain, so that nothing of the text is lost or marked."""
    line = raw(msg(1, "m", content=text("#"))).replace(b"#", b'a\tb\r\\"c\x01')
    report, records = mended(tmp_path, H, line.replace(b",", b",\t"), S2)
    assert records[1] == msg(1, "m", content=text('a\tb\r"c\x01'))
    assert [(a.action, a.message) for a in report.actions] == [
        ("mended", "raw control characters in strings are written as escapes")
    ]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are not there")
def test_a_pipe_is_read_once(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(H + b"\n" + S1,))
    writer.start()
    report = repair(pipe, tmp_path / "out")
    writer.join()
    assert (report.source, report.records) == (str(pipe), 2)


@pytest.mark.parametrize(
    ("first", "later", "fits"),
    [
        ([H, S1], [H, S1, S2], True),
        ([H, S1], [H], False),
        ([H, S1], [H, b"x"], False),
        ([H, S1], [H, b"", S1], False),
        ([H, b"", S1], [H, S1, S2], False),
    ],
    ids=["longer", "shorter", "other", "blank", "not blank"],
)
def test_a_source_that_is_being_written_is_repaired_up_to_where_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: list[bytes], later: list[bytes], fits: bool
) -> None:
    """What was appended since waits for the next repair; a source that is another one now is refused."""
    source, target = tmp_path / "in", tmp_path / "out"
    source.write_bytes(b"\n".join(first) + b"\n")
    made = plan(source)

    def planned(*_: object) -> Plan:
        source.write_bytes(b"\n".join(later) + b"\n")
        return made

    monkeypatch.setattr(sys.modules[repair.__module__], "plan", planned)
    if not fits:
        with pytest.raises((SourceError, WriterError)):
            repair(source, target)
        assert [p.name for p in tmp_path.iterdir()] == ["in"]
    else:
        assert repair(source, target).records == 2
        assert target.read_bytes() == H + b"\n" + S1 + b"\n"


def test_a_record_cut_by_raw_newlines_in_a_string_is_put_together(tmp_path: Path) -> None:
    first, last = raw(msg(1, "m", content=text("#"))).split(b"#")
    report, records = mended(tmp_path, H, first + b"Traceback:", b"", b"  File x", last, S2)
    assert records[1] == msg(1, "m", content=text("Traceback:\n\n  File x\n"))
    assert records[2:] == [state(2)]
    assert [(a.action, a.line) for a in report.actions] == [("mended", n) for n in (2, 3, 4, 5)]
    assert report.rest is not None
    assert rest_of(report.rest) == [(2, first + b"Traceback:"), (4, b"  File x"), (5, last)]


def test_lines_that_are_no_record_together_are_judged_one_by_one(tmp_path: Path) -> None:
    report, records = mended(tmp_path, H, S1[:-9], b"Traceback:", b"", S2, S3[:-9], *[b"x"] * 70, b'"}', state(4))
    assert [r["id"] for r in records] == ["r0", "r2", "r4"]
    assert report.aside == 2 + 1 + 70 + 1


def test_a_failure_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "in").write_bytes(H + b"\n{oops\n")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        repair(tmp_path / "in", tmp_path / "out")
    assert [p.name for p in tmp_path.iterdir()] == ["in"]


def test_lines_that_no_reader_reads_are_put_aside(tmp_path: Path) -> None:
    deep = raw(call(1, "c", arguments="#")).replace(b'"#"', b"[" * 300 + b"]" * 300)
    twice = raw(state(1)).replace(b"}", b',"x":1,"x":2}')
    infinite = raw(call(1, "c", arguments="#")).replace(b'"#"', b"1e999")
    report, records = mended(tmp_path, H, deep, twice, infinite, b"[1]", b'"x"', S2)
    assert [r["id"] for r in records] == ["r0", "r2"]
    assert [a.codes for a in report.actions] == [
        ("nesting-too-deep",), ("duplicate-member",), ("number-not-finite",), ("not-an-object",), ("not-an-object",),
    ]  # fmt: skip


def test_a_stream_of_another_session_is_kept_apart_until_the_own_header_comes_again(tmp_path: Path) -> None:
    other = {**header(), "sessionId": "s2", "id": "h2", "seq": 2}
    report, records = mended(tmp_path, H, S1, other, state(3), {**header(), "id": "h3", "seq": 4}, state(5))
    assert [r["id"] for r in records] == ["r0", "r1", "r5"]
    assert [(a.line, a.codes) for a in report.actions] == [(n, ("header-repeated",)) for n in (3, 4, 5)]
    assert "on line 3" in report.actions[1].message


def test_a_record_put_together_from_lines_is_judged_as_any_other(tmp_path: Path) -> None:
    first, last = raw(rec("message", 1, content=text("#"))).split(b"#")
    report, records = mended(tmp_path, H, first, last, S2)
    assert [r["id"] for r in records] == ["r0", "r2"]
    assert [(a.action, a.line) for a in report.actions] == [("put-aside", 2), ("put-aside", 3)]
    assert report.rest is not None
    assert rest_of(report.rest) == [(2, first), (3, last)]


def packed_stream(form: str) -> tuple[bytes, bytes]:
    """A stream of many records, plain and packed."""
    states = (raw(state(n, reason=f"because {n * n}")) for n in range(1, 2000))
    plain = b"".join(line + b"\n" for line in (H, *states))
    if form == "gzip":
        return plain, gzip.compress(plain, mtime=0)
    return plain, pytest.importorskip("zstandard").compress(plain)


@pytest.mark.parametrize("form", ["gzip", "zstd"])
def test_a_compressed_source_is_repaired_into_a_plain_stream(form: str, tmp_path: Path) -> None:
    """By its first bytes, as every reader does, whatever its name."""
    plain, packed = packed_stream(form)
    source = tmp_path / "in.jsonl"
    source.write_bytes(packed)
    for given_as in (source, packed, io.BytesIO(packed)):
        report = repair(given_as, tmp_path / "out", replace=True)
        assert (tmp_path / "out").read_bytes() == plain
        assert report.actions == ()
        assert report.rest is None
    assert source.read_bytes() == packed


@pytest.mark.parametrize("form", ["gzip", "zstd"])
@pytest.mark.parametrize("how", ["cut", "damaged"])
def test_of_a_broken_compressed_source_is_saved_what_can_be_unpacked(form: str, how: str, tmp_path: Path) -> None:
    """Nothing that can be read is lost, the torn last line lies beside, and it is said where the rest is."""
    plain, packed = packed_stream(form)
    broken = packed[: len(packed) * 2 // 3] + (b"" if how == "cut" else b"\xff" * 64)
    source, target = tmp_path / "in.gz", tmp_path / "out"
    source.write_bytes(broken)
    readable = Session.read(source)
    whole = [r for r in readable.records if not isinstance(r, InvalidRecord)]
    if form == "gzip":
        assert 100 < len(whole) < 2000  # a frame of zstd may be one block
    elif not whole:
        with pytest.raises(SourceError, match="no session header"):
            repair(source, target)
        return
    for given_as in (source, broken, io.BytesIO(broken)):
        report = repair(given_as, target, replace=True)
        assert report.records == len(whole)
        assert plain.startswith(target.read_bytes())
        assert validate(target).ok
        cut = [a for a in report.actions if a.action == "cut-short"]
        assert [(a.codes, a.line) for a in cut] == [(("compression-broken",), len(readable))]
        assert "is in the source alone" in report.to_text()
        kept = b"".join(line for _, line in rest_of(report.rest)) if report.rest else b""
        # what comes out of a damaged place may be anything; it is kept as it came out
        assert target.read_bytes() + kept == b"".join(
            line + b"\n" * (not isinstance(r, InvalidRecord))
            for r in readable.records
            for line in [r.raw if isinstance(r, InvalidRecord) else r.to_line()]
        )
    assert source.read_bytes() == broken


def test_each_record_of_a_broken_compressed_source_is_checked_and_the_damage_told() -> None:
    _, packed = packed_stream("gzip")
    report = validate(packed[:-40], level="record")
    assert [d.code for d in report.diagnostics if d.code != "json-invalid"] == ["compression-broken"]
    assert report.diagnostics[-1].offset is not None
    assert report.records == len(Session.read(packed[:-40]))
