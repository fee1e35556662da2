"""How a line becomes a record: nulls, misspelled members, open unions, invalid records (spec sections 1, 2, 5)."""

from __future__ import annotations

import copy
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessionrecord import ijson
from sessionrecord.errors import InvalidRecordError
from sessionrecord.records import (
    RECORD_TYPES,
    InvalidRecord,
    Message,
    TextBlock,
    ToolCall,
    UnknownBlock,
    UnknownRecord,
    parse_record,
    read_record,
)
from tests.records.test_table import NULLS
from tests.strategies import Wire, json_values, members_of, record_wires, texts

MESSAGE: Wire = {"type": "message", "seq": 3, "id": "r3", "messageId": "m1", "role": "user"}

# The least that a record of each type needs.
LEAST: dict[str, Wire] = {
    "session": {"agent": "a", "sessionId": "s", "producer": {"method": "native"}},
    "declaration": {},
    "session_info": {},
    "message": {"messageId": "m1", "role": "user"},
    "tool_call": {"callId": "c1"},
    "tool_result": {"callId": "c1"},
    "compaction": {"compactionId": "k1"},
    "rewind": {"to": None},
    "model_call": {"modelCallId": "x1"},
    "usage": {},
    "permission_request": {"permissionId": "p1"},
    "permission_decision": {"permissionId": "p1"},
    "question": {"questionId": "q1"},
    "answer": {"questionId": "q1"},
    "memory_write": {},
    "delivery": {"of": "messageId=m1"},
    "file_change": {"path": "f"},
    "commit": {"revision": "1"},
    "state": {"state": "idle"},
    "terminal": {"terminalId": "t1"},
    "plan": {"planId": "l1"},
    "error": {"message": "e"},
}


def least(record_type: str, **members: Any) -> Wire:
    return {"type": record_type, "seq": 3, "id": "r3", **LEAST.get(record_type, {}), **members}


def found(wire: Wire) -> list[tuple[str, str, str | None]]:
    """Code, severity and place of everything that reading finds."""
    return [(d.code, d.severity, d.pointer) for d in read_record(ijson.dumps(wire))[1]]


@pytest.mark.parametrize("record_type", sorted(RECORD_TYPES))
def test_each_required_member_is_missed_by_name(record_type: str) -> None:
    wire = least(record_type)
    assert found(wire) == []
    for name in (*LEAST[record_type], "seq", "id"):
        without = {k: v for k, v in wire.items() if k != name}
        assert found(without) == [("member-missing", "error", f"/{name}")]


def test_a_record_without_a_type_is_invalid() -> None:
    assert found({"seq": 1, "id": "r1"}) == [("member-missing", "error", "/type")]
    assert found({"type": None, "seq": 1, "id": "r1"}) == [("null-not-allowed", "error", "/type")]


def _null_members() -> list[tuple[str, str]]:
    return [
        (t, wire_name)
        for t, cls in sorted(RECORD_TYPES.items())
        for wire_name in members_of(cls)
        if wire_name != "type"
    ]


@pytest.mark.parametrize(("record_type", "member"), _null_members())
def test_null_is_refused_warned_of_or_allowed_as_the_member_says(record_type: str, member: str) -> None:
    """[S] ASR-043: an error. Our rule: a warning in members of our own design in the envelope, where it reads as absent."""
    wire = least(record_type)
    wire[member] = None
    cls = RECORD_TYPES[record_type]
    if member in {"arguments", "structured", "updatedArguments"} or (cls.__name__, member) in NULLS:
        assert found(wire) == []
        record = parse_record(ijson.dumps(wire))
        assert ijson.loads(record.to_line()) == wire
    elif member in {"timestamp", "participant", "conversation", "predecessor", "source"}:
        assert found(wire) == [("null-not-allowed", "warning", f"/{member}")]
        record = parse_record(ijson.dumps(wire))
        assert getattr(record, member) is None
        assert member not in record.model_fields_set
        assert member not in ijson.loads(record.to_line())
    else:
        assert found(wire) == [("null-not-allowed", "error", f"/{member}")]


def test_null_within_source_and_capture_states_is_a_warning() -> None:
    wire = MESSAGE | {
        "source": {"path": None, "line": 1, "span": None, "nativeType": None, "nativeId": None},
        "capture": {"content": {"state": "redacted", "bytes": None, "sha256": None, "blob": None, "reason": None}},
    }
    inside = [f"/source/{n}" for n in ("path", "span", "nativeType", "nativeId")]
    inside += [f"/capture/content/{n}" for n in ("bytes", "sha256", "blob", "reason")]
    assert sorted(found(wire)) == sorted(("null-not-allowed", "warning", p) for p in inside)
    record = parse_record(ijson.dumps(wire))
    assert ijson.loads(record.to_line()) == MESSAGE | {
        "capture": {"content": {"state": "redacted"}},
        "source": {"line": 1},
    }


@pytest.mark.parametrize(
    ("members", "pointer"),
    [
        ({"capture": None}, "/capture"),
        ({"capture": {"content": None}}, "/capture/content"),
        ({"capture": {"content": {"state": None}}}, "/capture/content/state"),
        ({"source": {"span": {"offset": None, "length": 1}}}, "/source/span/offset"),
        ({"content": [None]}, "/content/0"),
        ({"content": [{"type": "text", "text": None}]}, "/content/0/text"),
        ({"content": [{"type": "reasoning", "signature": None}]}, "/content/0/signature"),
        ({"content": [{"type": None}]}, "/content/0/type"),
    ],
)
def test_null_elsewhere_within_is_an_error(members: Wire, pointer: str) -> None:
    assert found(MESSAGE | members) == [("null-not-allowed", "error", pointer)]


def test_a_lenient_null_beside_an_error_is_still_a_warning() -> None:
    wire = {k: v for k, v in MESSAGE.items() if k != "role"} | {"timestamp": None, "messageId": 7}
    assert sorted(found(wire)) == [
        ("member-missing", "error", "/role"),
        ("null-not-allowed", "warning", "/timestamp"),
        ("type-invalid", "error", "/messageId"),
    ]


def test_an_unknown_member_that_only_other_types_define_may_be_null_and_is_kept() -> None:
    wire = least("state", timestamp=None, predecessor=None)
    assert found(wire) == [("null-not-allowed", "warning", "/timestamp")]
    assert ijson.loads(parse_record(ijson.dumps(wire)).to_line()) == least("state", predecessor=None)


def test_an_unknown_null_named_as_an_attribute_of_ours_is_kept_beside_a_null_that_reads_as_absent() -> None:
    wire = MESSAGE | {"source": {"nativeType": None, "native_type": "x"}}
    record = parse_record(ijson.dumps(wire))
    assert ijson.loads(record.to_line()) == MESSAGE | {"source": {"native_type": "x"}}
    assert found(wire) == [
        ("null-not-allowed", "warning", "/source/nativeType"),
        ("member-misspelled", "warning", "/source/native_type"),
    ]


@pytest.mark.parametrize(
    ("wire", "pointer", "right"),
    [
        (MESSAGE | {"turn_id": "t"}, "/turn_id", "turnId"),
        (MESSAGE | {"turn-ID": "t"}, "/turn-ID", "turnId"),
        (MESSAGE | {"Seq": 1}, "/Seq", "seq"),
        (MESSAGE | {"content": [{"type": "text", "text": "a", "Text": 1}]}, "/content/0/Text", "text"),
        (MESSAGE | {"content": [{"type": "image", "mimeType": "a", "blob": {"sha256": "a", "bytes": 1, "SHA-256": 1}}]},
         "/content/0/blob/SHA-256", "sha256"),
        (MESSAGE | {"source": {"native_type": "x"}}, "/source/native_type", "nativeType"),
        (MESSAGE | {"source": {"span": {"offset": 1, "length": 2, "Offset": 1}}}, "/source/span/Offset", "offset"),
        (MESSAGE | {"capture": {"content": {"state": "x", "State": 1}}}, "/capture/content/State", "state"),
        (MESSAGE | {"capture": {"content": {"state": "x", "blob": {"sha256": "", "bytes": 1, "Path": 1}}}}, "/capture/content/blob/Path", "path"),
        (least("usage", input_tokens=1), "/input_tokens", "inputTokens"),
        (least("usage", cost={"amount": 1, "currency": "USD", "AMOUNT": 2}), "/cost/AMOUNT", "amount"),
        (least("session", roots=[{"id": "1", "path": None, "Path": "/"}]), "/roots/0/Path", "path"),
        (least("question", options=[{"optionId": "1", "option_id": "2"}]), "/options/0/option_id", "optionId"),
        (least("question", prompt=[{"type": "diff", "path": "", "old_text": "2"}]), "/prompt/0/old_text", "oldText"),
        (least("acme_thing", turn_id="t"), "/turn_id", "turnId"),
    ],
)  # fmt: skip
def test_a_misspelled_member_is_kept_and_reported_with_the_right_name(wire: Wire, pointer: str, right: str) -> None:
    """Spec section 1, ASR-040; at every level."""
    record, diagnostics = read_record(ijson.dumps(wire))
    assert [(d.code, d.severity, d.pointer, d.requirement) for d in diagnostics] == [
        ("member-misspelled", "warning", pointer, "ASR-040")
    ]
    assert f"did you mean {right}?" in diagnostics[0].message
    assert ijson.loads(record.to_line()) == wire


def test_a_name_that_is_far_from_any_other_is_simply_unknown() -> None:
    assert found(MESSAGE | {"vendorTurn": 1, "turn": 2, "x_turn_id": 3}) == []
    assert found(MESSAGE | {"content": [{"type": "acme", "Text": 1, "TYPE_": 2}], "arguments": {"turn_id": 1}}) == [
        ("member-misspelled", "warning", "/content/0/TYPE_")
    ]


def test_a_member_spelled_by_our_attribute_does_not_stand_for_the_member_of_the_wire() -> None:
    wire = {"type": "message", "seq": 1, "id": "r1", "message_id": "m1", "role": "user"}
    assert found(wire) == [("member-missing", "error", "/messageId")]


@pytest.mark.parametrize(
    ("block", "code", "pointer"),
    [
        ({"type": "text"}, "member-missing", "/content/0/text"),
        ({"type": "text", "text": 5}, "type-invalid", "/content/0/text"),
        ({"type": "image"}, "member-missing", "/content/0/mimeType"),
        (
            {"type": "image", "mimeType": "a", "blob": {"sha256": "", "bytes": -1}},
            "integer-invalid",
            "/content/0/blob/bytes",
        ),
        ({"type": "file", "mimeType": "a", "blob": 1}, "type-invalid", "/content/0/blob"),
        ({"type": 5}, "type-invalid", "/content/0/type"),
        ({"type": ["text"]}, "type-invalid", "/content/0/type"),
        ({"type": {}}, "type-invalid", "/content/0/type"),
        ({}, "member-missing", "/content/0/type"),
        ("text", "type-invalid", "/content/0"),
        ([], "type-invalid", "/content/0"),
    ],
)
def test_a_known_block_that_fails_never_becomes_an_unknown_one(block: Any, code: str, pointer: str) -> None:
    assert found(MESSAGE | {"content": [block]}) == [(code, "error", pointer)]
    inside = [{"type": "text", "text": "a"}, {"type": "acme"}, block]
    assert found(MESSAGE | {"content": inside}) == [(code, "error", pointer.replace("0", "2", 1))]


def test_an_unknown_block_is_kept_whole() -> None:
    block = {"type": "acme_chart", "points": [1, None, {"type": "text"}], "text": 5}
    record = parse_record(ijson.dumps(MESSAGE | {"content": [block, {"type": "text", "text": "a"}]}))
    assert isinstance(record, Message)
    assert record.content is not None
    chart, text = record.content
    assert isinstance(chart, UnknownBlock)
    assert (chart.type, chart.model_extra) == ("acme_chart", {"points": [1, None, {"type": "text"}], "text": 5})
    assert isinstance(text, TextBlock)
    assert record.text == "a"
    assert ijson.loads(record.to_line())["content"][0] == block


@given(st.dictionaries(texts(), json_values(4), max_size=4), texts(1).filter(lambda t: t not in RECORD_TYPES))
def test_a_record_of_an_unknown_type_keeps_all_its_members(members: Wire, record_type: str) -> None:
    wire = {k: v for k, v in members.items() if k not in members_of(UnknownRecord)} | {
        "type": record_type,
        "seq": 3,
        "id": "r3",
    }
    record = parse_record(ijson.dumps(wire))
    assert isinstance(record, UnknownRecord)
    assert (record.type, record.seq, record.id) == (record_type, 3, "r3")
    assert ijson.loads(record.to_line()) == ijson.loads(ijson.dumps(wire))


def test_an_unknown_record_has_a_checked_envelope() -> None:
    assert found({"type": "acme", "seq": 3, "id": "r3", "timestamp": "yesterday"}) == [
        ("timestamp-invalid", "error", "/timestamp")
    ]


@pytest.mark.parametrize("record_type", sorted(RECORD_TYPES))
def test_a_known_type_that_fails_never_becomes_an_unknown_record(record_type: str) -> None:
    for wire in (least(record_type, seq="1"), least(record_type, id=5), least(record_type, turnId=[])):
        record, _ = read_record(ijson.dumps(wire))
        assert isinstance(record, InvalidRecord)
        assert record.type == record_type


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ({"content": "hello"}, [("type-invalid", "error", "/content")]),
        ({"role": 5, "model": []}, [("type-invalid", "error", "/role"), ("type-invalid", "error", "/model")]),
        ({"predecessor": ""}, [("value-invalid", "error", "/predecessor")]),
        ({"capture": []}, [("type-invalid", "error", "/capture")]),
        ({"capture": {"a/b": 1}}, [("type-invalid", "error", "/capture/a~1b")]),
        ({"capture": {"\0known": 1}}, [("type-invalid", "error", "/capture/\0known")]),
        ({"capture": {"\0unknown": 1}}, [("type-invalid", "error", "/capture/\0unknown")]),
        ({"capture": {"\0known": {"state": 1}}}, [("type-invalid", "error", "/capture/\0known/state")]),
        ({"source": {"line": 1.5}}, [("integer-invalid", "error", "/source/line")]),
        ({"source": {"span": {"offset": -1}}}, [("integer-invalid", "error", "/source/span/offset"), ("member-missing", "error", "/source/span/length")]),
    ],
)  # fmt: skip
def test_every_broken_member_is_named_with_its_place(members: Wire, expected: list[tuple[str, str, str]]) -> None:
    wire = MESSAGE | members
    assert found(wire) == expected
    with pytest.raises(InvalidRecordError) as error:
        parse_record(ijson.dumps(wire))
    assert [(d.code, d.severity, d.pointer) for d in error.value.diagnostics] == expected
    assert str(error.value).isprintable()


@pytest.mark.parametrize("reference", ["", "x", "asr:a/b", "asr:a/b/c#", "asr:a/b/%ff"])
def test_a_member_that_is_no_session_reference_has_its_own_code(reference: str) -> None:
    assert found(least("session", parent=reference)) == [("session-reference-invalid", "error", "/parent")]
    assert found(least("session", forkOf={"session": reference})) == [
        ("session-reference-invalid", "error", "/forkOf/session")
    ]
    assert found(least("tool_call", childSession=reference)) == [
        ("session-reference-invalid", "error", "/childSession")
    ]


def test_an_empty_namespace_is_refused_and_null_or_absent_mean_none() -> None:
    """Our rule on refs: a namespace is null or not empty, absent reads as null."""
    assert found(least("session", namespace="")) == [("value-invalid", "error", "/namespace")]
    for members in ({}, {"namespace": None}):
        record = parse_record(ijson.dumps(least("session", **members)))
        assert record.key.namespace is None  # type: ignore[union-attr]


@pytest.mark.parametrize("line_of", [lambda w: ijson.dumps(w), lambda w: ijson.dumps(w).replace(b":", b" :\t", 1)])
def test_an_id_that_reads_as_an_entity_ref_is_a_warning(line_of: Any) -> None:
    """Our rule on refs; a reader keeps such a record, the writer refuses it."""
    record, diagnostics = read_record(line_of(MESSAGE | {"id": "messageId=m1"}))
    assert not isinstance(record, InvalidRecord)
    assert [(d.code, d.severity, d.pointer, d.record_id) for d in diagnostics] == [
        ("ref-ambiguous", "warning", "/id", "messageId=m1")
    ]
    assert found(MESSAGE | {"id": "a=b"}) == []


def test_an_invalid_record_keeps_what_could_be_read() -> None:
    line = b' {"type": "message", "seq": 4, "id": "r4", "turnId": "t1", "timestamp": "never", "capture": {"x": 1}, "messageId": 7}'
    record, diagnostics = read_record(line + b"\r\n")
    assert isinstance(record, InvalidRecord)
    assert (record.raw, record.to_line()) == (line, line)
    assert (record.type, record.seq, record.id) == ("message", 4, "r4")
    assert record.value == ijson.loads(line)
    assert record.envelope is not None
    assert (record.envelope.seq, record.envelope.turn_id, record.envelope.timestamp, record.envelope.capture) == (
        4,
        "t1",
        None,
        None,
    )
    assert list(record.diagnostics) == diagnostics
    assert {d.record_id for d in diagnostics} == {"r4"}
    assert copy.deepcopy(record) == record


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        (b'{"type":"message","seq":-1,"id":""}', ("message", None, None)),
        (b'{"type":5,"seq":true,"id":"r1"}', (None, None, "r1")),
        (b'{"type":"state","seq":9007199254740992,"id":[]}', ("state", None, None)),
        (b'{"type":"state","seq":1.0,"id":"r"}', ("state", None, "r")),
        (b'{"type":"state","seq":2', (None, None, None)),
        (b"[1]", (None, None, None)),
        (b"null", (None, None, None)),
        (b"\0\0", (None, None, None)),
        (b"\xff", (None, None, None)),
    ],
)
def test_what_cannot_be_read_of_an_invalid_record_is_none(
    line: bytes, kept: tuple[str | None, int | None, str | None]
) -> None:
    record, diagnostics = read_record(line)
    assert isinstance(record, InvalidRecord)
    assert (record.type, record.seq, record.id) == kept
    assert (record.envelope is None) == (None in kept)
    assert record.to_line() == line
    assert any(d.severity == "error" for d in diagnostics)


def _mutants() -> st.SearchStrategy[bytes]:
    def cut(line: bytes, at: int, other: bytes) -> bytes:
        at %= len(line) + 1
        return line[:at] + other + line[at + len(other) // 2 :]

    return st.builds(cut, record_wires().map(ijson.dumps), st.integers(0, 2000), st.binary(max_size=6))


def _shuffled() -> st.SearchStrategy[bytes]:
    """Records in which members hold any JSON at all."""
    names = sorted({n for cls in RECORD_TYPES.values() for n in members_of(cls)} - {"type", "seq", "id"})
    members = st.dictionaries(st.sampled_from(names), json_values(6), max_size=4)
    heads = st.sampled_from(sorted(RECORD_TYPES)).map(least)
    return st.builds(lambda head, other: ijson.dumps(head | other), heads, members)


@given(st.one_of(st.binary(), json_values(8).map(ijson.dumps), _mutants(), _shuffled()))
def test_reading_never_raises_and_never_loses_the_line(line: bytes) -> None:
    record, diagnostics = read_record(line)
    bare = line.removesuffix(b"\n").removesuffix(b"\r")
    errors = [d for d in diagnostics if d.severity == "error"]
    if isinstance(record, InvalidRecord):
        assert errors
        assert record.raw == bare
    else:
        assert not errors
        assert parse_record(record.to_line()) == record
    for diagnostic in diagnostics:
        assert str(diagnostic).isprintable()
        assert diagnostic.message.isprintable()
        assert len(diagnostic.message) < 250
        diagnostic.to_dict()


def test_messages_never_print_what_the_line_holds_unescaped() -> None:
    wire = MESSAGE | {
        "capture": {"\x1b[31m\n": 5},
        "role": ["\x1b[31m"],
        "model": "x",
        "timestamp": "\x1b]0;title\x07\n" * 50,
        "id": "\x1b[2J",
        "turn_ID": "\n",
    }
    _, diagnostics = read_record(ijson.dumps(wire))
    assert len(diagnostics) == 3
    for diagnostic in diagnostics:
        assert str(diagnostic).isprintable()
        assert len(str(diagnostic)) < 300


def test_a_wrong_json_type_is_told_apart_from_a_wrong_value() -> None:
    """`type-invalid` is the wrong JSON type, `value-invalid` the right type with a value the rule excludes."""
    assert found(MESSAGE | {"id": 5}) == [("type-invalid", "error", "/id")]
    assert found(MESSAGE | {"id": ""}) == [("value-invalid", "error", "/id")]
    assert found(least("question", multiple="yes")) == [("type-invalid", "error", "/multiple")]
    assert found(least("question", multiple=1)) == [("type-invalid", "error", "/multiple")]


def test_a_big_integer_in_a_member_with_a_range_is_one_finding() -> None:
    assert found(least("usage", inputTokens=10**30)) == [("integer-invalid", "error", "/inputTokens")]
    assert found(least("tool_call", arguments=10**30)) == [("number-out-of-range", "warning", "/arguments")]


def test_parse_takes_a_line_with_or_without_its_end() -> None:
    line = ijson.dumps(MESSAGE)
    assert parse_record(line) == parse_record(line + b"\n") == parse_record(line + b"\r\n")


def test_the_call_that_asks_may_have_null_for_arguments() -> None:
    with_null, without = (parse_record(ijson.dumps(least("tool_call", **m))) for m in ({"arguments": None}, {}))
    assert isinstance(with_null, ToolCall)
    assert "arguments" in with_null.model_fields_set
    assert "arguments" not in without.model_fields_set


@pytest.mark.parametrize("written", ["messageID", "message_id", "MessageId", "mesageId"])
def test_a_missing_member_is_told_with_the_name_that_was_written_instead(written: str) -> None:
    """Errors name the place and what to do."""
    line = orjson.dumps({"type": "message", "seq": 1, "id": "x", "role": "user", written: "m"})
    with pytest.raises(InvalidRecordError, match=f"messageId: the member is required; '{written}' is another name"):
        parse_record(line)
