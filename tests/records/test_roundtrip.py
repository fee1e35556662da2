"""Parse, write, parse is the identity for everything, unknown members and odd numbers included."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, TypeAdapter

from sessionrecord import ijson
from sessionrecord.diagnostics import Diagnostic
from sessionrecord.errors import IJsonError
from sessionrecord.records import (
    RECORD_TYPES,
    InvalidRecord,
    Record,
    ToolCall,
    UnknownRecord,
    parse_record,
    read_record,
)
from tests.strategies import ODD_LITERALS, exact, record_wires, records, wire_objects

ALL = [*RECORD_TYPES.values(), UnknownRecord]


def set_members(value: Any) -> Any:
    """Which members are set, at every level."""
    if isinstance(value, BaseModel):
        return value.model_fields_set, {n: set_members(getattr(value, n)) for n in type(value).model_fields}
    if isinstance(value, list):
        return [set_members(v) for v in value]
    if isinstance(value, dict):
        return {k: set_members(v) for k, v in value.items()}
    return None


def same(one: Record, other: Record) -> bool:
    return one == other and set_members(one) == set_members(other) and exact(one.to_wire()) == exact(other.to_wire())


@pytest.mark.parametrize("cls", ALL, ids=lambda c: str(c.__name__))
@settings(max_examples=25)
@given(data=st.data())
def test_a_record_of_every_type_survives_parse_write_parse(cls: type[BaseModel], data: st.DataObject) -> None:
    wire = data.draw(wire_objects(cls))
    record, diagnostics = read_record(ijson.dumps(wire))
    assert not isinstance(record, InvalidRecord), diagnostics
    assert type(record) is cls
    assert {d.severity for d in diagnostics} <= {"warning"}
    line = record.to_line()
    assert exact(ijson.loads(line)) == exact(wire)
    again = parse_record(line)
    assert same(again, record)
    assert again.to_line() == line
    assert record.model_dump_json().encode() == line
    assert exact(record.model_dump()) == exact(wire)


@given(record_wires())
def test_spaces_and_escapes_make_no_difference(wire: dict[str, Any]) -> None:
    line = ijson.dumps(wire)
    plain, found = read_record(line)
    assert not isinstance(plain, InvalidRecord)
    for text in (spaced(wire), spaced(wire, between=", ", after=": "), spaced(wire, after="")):
        other, other_found = read_record(text.encode() + b"\r\n")
        assert not isinstance(other, InvalidRecord)
        assert same(other, plain)
        assert places(other_found) == places(found)


def places(found: list[Diagnostic]) -> list[tuple[str, str]]:
    return sorted((d.code, d.pointer or "") for d in found)


def spaced(value: Any, between: str = " ,\t", after: str = "  : ") -> str:
    """JSON as another writer may put it: spaces between, all but ASCII escaped."""
    if isinstance(value, dict):
        return (
            "{"
            + between.join(f"{json.dumps(k)}{after or ':'}{spaced(v, between, after)}" for k, v in value.items())
            + "}"
        )
    if isinstance(value, list):
        return "[" + between.join(spaced(v, between, after) for v in value) + "]"
    return json.dumps(value) if isinstance(value, str) else ijson.dumps(value).decode()


@given(records())
def test_records_can_be_copied_and_pickled(record: Record) -> None:
    for other in (copy.copy(record), copy.deepcopy(record), pickle.loads(pickle.dumps(record)), record.replace()):
        assert same(other, record)
        assert other.to_line() == record.to_line()


ENVELOPE = '{"type":"tool_call","seq":1,"id":"r1","callId":"c1"'


@pytest.mark.parametrize("literal", [*ODD_LITERALS, "7" * 5000])
def test_a_number_in_a_free_value_keeps_its_literal(literal: str) -> None:
    line = f'{ENVELOPE},"arguments":{{"n":[{literal}]}},"x_vendor":{literal}}}'.encode()
    record = parse_record(line)
    assert record.to_line() == line
    assert record.model_dump_json().encode() == line


@pytest.mark.parametrize(
    "literal", ["1.50", "1e2", "0.30000000000000004", "0.1234567890123456789", "1", "12345678901234567890", "0.10"]
)
def test_costs_and_durations_keep_their_literal(literal: str) -> None:
    """[S] ASR-047: with no more digits than given, and no fewer."""
    usage = f'{{"type":"usage","seq":1,"id":"r1","cost":{{"amount":{literal},"currency":"USD"}}}}'.encode()
    assert parse_record(usage).to_line() == usage
    call = f'{{"type":"model_call","seq":1,"id":"r1","modelCallId":"m","durationMs":{literal}}}'.encode()
    assert parse_record(call).to_line() == call


@pytest.mark.parametrize("depth", [200, 253])
@pytest.mark.parametrize("leaf", ["", "1e2", "1"])
def test_deep_values_are_read_and_written(depth: int, leaf: str) -> None:
    line = (ENVELOPE + ',"arguments":' + "[" * depth + leaf + "]" * depth + "}").encode()
    assert parse_record(line).to_line() == line
    line = (ENVELOPE + ',"x":' + '{"a":' * depth + (leaf or "0") + "}" * depth + "}").encode()
    assert parse_record(line).to_line() == line


def test_an_unknown_member_named_as_our_attribute_stands_beside_the_defined_one() -> None:
    both = b'{"type":"message","seq":1,"id":"r1","turnId":"t1","messageId":"m1","role":"user","turn_id":"t2"}'
    record = parse_record(both)
    assert (record.turn_id, record.model_extra) == ("t1", {"turn_id": "t2"})
    assert record.to_line() == both
    alone = b'{"type":"message","seq":1,"id":"r1","messageId":"m1","role":"user","turn_id":"t2"}'
    record = parse_record(alone)
    assert (record.turn_id, record.model_extra) == (None, {"turn_id": "t2"})
    assert record.to_line() == alone


@pytest.mark.parametrize("place", ["arguments", "name"])
def test_a_lone_surrogate_is_refused_when_written(place: str) -> None:
    members: dict[str, Any] = {place: "\ud800"}
    call = ToolCall(seq=1, id="r1", call_id="c1", **members)
    with pytest.raises(IJsonError, match="lone-surrogate"):
        call.to_line()
    with pytest.raises(IJsonError, match="lone-surrogate"):
        call.model_dump_json()


@given(record_wires())
def test_the_open_union_reads_what_the_table_of_types_reads(wire: dict[str, Any]) -> None:
    line = ijson.dumps(wire)
    adapter: TypeAdapter[Record] = TypeAdapter(Record)
    value = ijson.loads(line)
    assert type(adapter.validate_python(value, by_alias=True, by_name=False)) is type(parse_record(line))
