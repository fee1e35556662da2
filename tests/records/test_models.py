"""What an author does with the models: make, change, dump (design, decision 3)."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from pydantic import TypeAdapter, ValidationError

from sessionrecord import ijson
from sessionrecord.errors import IJsonError, InvalidRecordError
from sessionrecord.records import (
    Block,
    CaptureState,
    Compaction,
    Cost,
    Message,
    Producer,
    Question,
    Record,
    Rewind,
    Root,
    SessionHeader,
    SessionInfo,
    Source,
    TextBlock,
    ToolCall,
    ToolResult,
    UnknownBlock,
    UnknownRecord,
    Usage,
    parse_record,
    text_of,
)
from sessionrecord.scalars import ByteSpan
from tests.strategies import record_wires

MESSAGE = Message(seq=1, id="r1", message_id="m1", role="user", content=[TextBlock(text="hello")])


def extra(**members: Any) -> dict[str, Any]:
    """Members that no model defines, as a type checker lets them through."""
    return members


def test_a_record_is_made_by_attribute_names_and_written_by_wire_names() -> None:
    message = Message(
        seq=2, id="r2", message_id="m1", role="assistant", turn_id="t1", stop_reason="end_turn", model=None,
        content=[TextBlock(text="a"), UnknownBlock(type="acme", **extra(x=1))],
        capture={"content": CaptureState(state="truncated", bytes=10)},
        source=Source(path="log", line=3, span=ByteSpan(offset=0, length=4), native_type="assistant"),
    )  # fmt: skip
    assert json.loads(message.to_line()) == {
        "type": "message", "seq": 2, "id": "r2", "turnId": "t1", "messageId": "m1", "role": "assistant", "stopReason": "end_turn",
        "content": [{"type": "text", "text": "a"}, {"type": "acme", "x": 1}],
        "capture": {"content": {"state": "truncated", "bytes": 10}},
        "source": {"path": "log", "line": 3, "span": {"offset": 0, "length": 4}, "nativeType": "assistant"},
    }  # fmt: skip
    assert parse_record(message.to_line()) == message
    assert message.model_dump_json().encode() == message.to_line()


def test_none_means_absent_except_where_null_has_a_meaning() -> None:
    """[S] ASR-043 and our rule on authors."""
    message = MESSAGE.replace(turn_id=None, timestamp=None)
    assert b"null" not in message.to_line()
    assert Message(seq=1, id="r1", message_id="m1", role="user", content=None).to_wire().keys() == {
        "type",
        "seq",
        "id",
        "messageId",
        "role",
    }
    assert Rewind(seq=1, id="r1", to=None).to_wire()["to"] is None
    assert SessionInfo(seq=1, id="r1", title=None, tags=["a"]).to_wire() == {
        "type": "session_info", "seq": 1, "id": "r1", "title": None, "tags": ["a"],
    }  # fmt: skip
    assert "title" not in SessionInfo(seq=1, id="r1").to_wire()
    assert Usage(seq=1, id="r1", includes_children=None).to_wire()["includesChildren"] is None
    assert Root(id="1", path=None).to_wire() == {"id": "1", "path": None}
    header = SessionHeader(
        seq=1, id="r1", agent="a", session_id="s", namespace=None, producer=Producer(method="native")
    )
    assert header.to_wire()["namespace"] is None


def test_unknown_members_are_given_by_their_wire_names() -> None:
    message = Message(seq=1, id="r1", message_id="m1", role="user", **extra(xVendor={"a": None}, x_other=None))
    assert message.model_extra == {"xVendor": {"a": None}, "x_other": None}
    record = UnknownRecord(type="acme_thing", seq=1, id="r1", **extra(payload=[1]))
    assert record.to_line() == b'{"type":"acme_thing","seq":1,"id":"r1","payload":[1]}'


@pytest.mark.parametrize(
    ("make", "code", "pointer"),
    [
        (lambda: Message(seq=1, id="r1", message_id="m1"), "member-missing", "/role"),  # type: ignore[call-arg]
        (lambda: Message(seq=-1, id="r1", message_id="m1", role="user"), "integer-invalid", "/seq"),
        (lambda: Message(seq=1, id="", message_id="m1", role="user"), "value-invalid", "/id"),
        (lambda: Message(seq=1, id="r", message_id="m", role="user", content="text"), "type-invalid", "/content"),  # type: ignore[arg-type]
        (lambda: Message(seq=1, id="r", message_id="m", role="user", type="x"), "value-invalid", "/type"),  # type: ignore[arg-type]
        (lambda: UnknownRecord(type="message", seq=1, id="r1"), "value-invalid", "/type"),
        (lambda: UnknownRecord(seq=1, id="r1"), "member-missing", "/type"),  # type: ignore[call-arg]
        (lambda: UnknownBlock(type="text"), "value-invalid", "/type"),
        (lambda: TextBlock(text=5), "type-invalid", "/text"),  # type: ignore[arg-type]
        (lambda: ToolResult(seq=1, id="r", call_id="c", exit_code=10**5000), "integer-invalid", "/exitCode"),
        (lambda: ToolResult(seq=1, id="r", call_id="c", duration_ms=float("nan")), "duration-invalid", "/durationMs"),
        (lambda: Cost(amount=Decimal("-0.1"), currency="USD"), "amount-invalid", "/amount"),
        (lambda: Cost(amount=Decimal("Infinity"), currency="USD"), "amount-invalid", "/amount"),
        (lambda: MESSAGE.replace(role=None), "member-missing", "/role"),
        (lambda: MESSAGE.replace(seq="1"), "integer-invalid", "/seq"),
        (lambda: MESSAGE.replace(content=[{"type": "text"}]), "member-missing", "/content/0/text"),
    ],
)  # fmt: skip
def test_a_broken_rule_is_an_error_of_ours_with_its_place(make: Any, code: str, pointer: str) -> None:
    with pytest.raises(InvalidRecordError) as error:
        make()
    assert [(d.code, d.pointer) for d in error.value.diagnostics] == [(code, pointer)]
    assert str(error.value).isprintable()


def test_records_are_frozen() -> None:
    with pytest.raises(ValidationError):
        MESSAGE.__setattr__("role", "system")
    with pytest.raises(ValidationError):
        MESSAGE.__setattr__("x_vendor", 1)


def test_replace_gives_a_changed_copy_and_leaves_the_record() -> None:
    changed = MESSAGE.replace(seq=9, content=[TextBlock(text="b")], x_vendor=1, turn_id="t")
    assert (changed.seq, changed.text, changed.turn_id, changed.model_extra) == (9, "b", "t", {"x_vendor": 1})
    assert (MESSAGE.seq, MESSAGE.text, MESSAGE.turn_id, MESSAGE.model_extra) == (1, "hello", None, {})
    assert changed.replace(turn_id=None).turn_id is None
    assert "turnId" not in changed.replace(turn_id=None).to_wire()
    assert Rewind(seq=1, id="r", to="a").replace(to=None).to_wire()["to"] is None
    assert SessionInfo(seq=1, id="r").replace(title=None).to_wire()["title"] is None


def test_replace_keeps_unknown_members_named_as_our_attributes_apart() -> None:
    record = parse_record(b'{"type":"state","seq":1,"id":"r1","state":"idle","turn_id":"x"}')
    assert record.replace(seq=2).to_line() == b'{"type":"state","seq":2,"id":"r1","state":"idle","turn_id":"x"}'
    assert (
        record.replace(turn_id="t").to_line()
        == b'{"type":"state","seq":1,"id":"r1","turnId":"t","state":"idle","turn_id":"x"}'
    )


def test_any_sequence_or_mapping_of_parts_is_taken() -> None:
    message = Message(seq=1, id="r1", message_id="m1", role="user", content=(TextBlock(text="a"),))  # type: ignore[arg-type]
    assert message.content == [TextBlock(text="a")]
    message = MESSAGE.replace(content=[{"type": "text", "text": "a"}], source={"nativeId": "x"})
    assert message.content == [TextBlock(text="a")]
    assert message.source == Source(native_id="x")


def test_the_free_members_hold_any_json() -> None:
    call = ToolCall(seq=1, id="r1", call_id="c1", arguments={"a": [None, 10**30, Decimal("1.50")]})
    assert (
        call.to_line()
        == b'{"type":"tool_call","seq":1,"id":"r1","callId":"c1","arguments":{"a":[null,1000000000000000000000000000000,1.50]}}'
    )
    with pytest.raises(IJsonError, match="/arguments/a"):
        call.replace(arguments={"a": {1, 2}}).to_line()


def test_costs_are_written_with_the_digits_given() -> None:
    """[S] ASR-047."""
    for amount in (Decimal("0.10"), Decimal("0.1234567890123456789"), 1, 0.25):
        usage = Usage(seq=1, id="r1", cost=Cost(amount=amount, currency="USD"))
        assert f'"amount":{amount},'.encode() in usage.to_line()


def test_the_text_of_a_record_is_the_text_of_its_text_blocks() -> None:
    blocks: list[Block] = [TextBlock(text="a"), UnknownBlock(type="acme", **extra(text="no")), TextBlock(text="\nb")]
    assert text_of(None) == ""
    assert MESSAGE.replace(content=blocks).text == "a\nb"
    assert ToolResult(seq=1, id="r1", call_id="c", content=blocks).text == "a\nb"
    assert Compaction(seq=1, id="r1", compaction_id="k", summary=blocks).text == "a\nb"


@given(record_wires())
def test_every_dump_is_the_wire_form(wire: dict[str, Any]) -> None:
    record = parse_record(ijson.dumps(wire))
    assert record.model_dump_json().encode() == record.to_line()
    assert record.model_dump() == record.to_wire() == record.model_dump(mode="json")
    assert ijson.dumps(ijson.loads(record.model_dump_json(indent=2).encode())) == record.to_line()


def test_a_dump_can_be_narrowed() -> None:
    assert MESSAGE.model_dump(include={"message_id", "role"}) == {"messageId": "m1", "role": "user"}
    assert MESSAGE.model_dump(by_alias=False, include={"message_id"}) == {"message_id": "m1"}


def test_pydantic_itself_takes_names_of_both_kinds() -> None:
    """Design, decision 3: by name and by alias in."""
    by_name = Message.model_validate({"type": "message", "seq": 1, "id": "r1", "message_id": "m1", "role": "user"})
    by_alias = Message.model_validate_json(b'{"type":"message","seq":1,"id":"r1","messageId":"m1","role":"user"}')
    assert by_name == by_alias
    with pytest.raises(ValidationError):
        Message.model_validate({"seq": 1, "id": "r1", "message_id": "m1", "role": "user"})


def test_the_json_schema_of_all_records_can_be_made() -> None:
    schema = TypeAdapter(Record).json_schema()
    assert "messageId" in schema["$defs"]["Message"]["properties"]
    assert "type" in schema["$defs"]["Message"]["required"]
    assert "end_turn" in json.dumps(schema)


def test_a_question_shows_its_members() -> None:
    question = Question(seq=1, id="r1", question_id="q1", allow_other=True)
    assert "allow_other=True" in repr(question)
