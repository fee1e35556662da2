"""What a user writes, as a type checker sees it: mypy and pyright read this file in strict mode, pytest runs it."""

# pyright: strict

from __future__ import annotations

from decimal import Decimal
from typing import assert_type

from sessionrecord.diagnostics import Diagnostic
from sessionrecord.records import (
    Block,
    InvalidRecord,
    Message,
    Record,
    TextBlock,
    ToolCall,
    ToolResult,
    UnknownRecord,
    Usage,
    parse_record,
    read_record,
)
from sessionrecord.refs import Ref, SessionKey, SessionReference


def describe(record: Record) -> str:
    """A union narrows by class, down to the unknown."""
    match record:
        case Message():
            return f"{record.role}: {record.text}"
        case ToolCall():
            return record.name or record.call_id
        case UnknownRecord():
            return record.type
        case _:
            return record.id


def test_members_have_the_types_that_the_tables_give() -> None:
    message = Message(seq=1, id="r1", message_id="m1", role="user", content=[TextBlock(text="a")], model=None)
    assert_type(message.seq, int)
    assert_type(message.turn_id, str | None)
    assert_type(message.text, str)
    assert message.content is not None
    for block in message.content:
        assert_type(block, Block)
        if isinstance(block, TextBlock):
            assert_type(block.text, str)
    assert_type(message.replace(seq=2), Message)
    assert_type(message.to_line(), bytes)
    assert_type(message.model_dump_json(), str)
    assert describe(message) == "user: a"


def test_numbers_are_what_json_holds() -> None:
    result = ToolResult(seq=1, id="r1", call_id="c1", exit_code=-9, duration_ms=Decimal("1.50"))
    assert_type(result.exit_code, int | None)
    assert_type(result.duration_ms, int | float | Decimal | None)
    usage = Usage(seq=1, id="r2", input_tokens=3)
    assert_type(usage.includes_children, bool | None)


def test_reading_gives_a_record_or_what_is_wrong() -> None:
    record = parse_record(b'{"type":"tool_call","seq":1,"id":"r1","callId":"c1","name":"ls"}')
    assert describe(record) == "ls"
    either, diagnostics = read_record(b"{")
    assert_type(diagnostics, list[Diagnostic])
    if isinstance(either, InvalidRecord):
        assert_type(either.raw, bytes)
        assert_type(either.seq, int | None)
    else:
        assert describe(either)


def test_names_are_typed() -> None:
    reference = SessionReference.parse("asr:a//s#callId%3Dc1")
    assert_type(reference.key, SessionKey)
    assert_type(reference.ref, Ref | None)
    assert_type(str(Ref.entity("callId", "c1")), str)
