"""The JSON Schema of the models, with a stock validator. The conformance corpus shows that both agree on every line."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessionrecord import InvalidRecord
from sessionrecord.ijson import examine
from sessionrecord.records import RECORD_TYPES, read_record
from sessionrecord.refs import SessionReference
from sessionrecord.scalars import OpenEnumMarker
from sessionrecord.schema import SCHEMAS, json_schema
from tests import strategies
from tests.corpus.make import header, msg, state

RECORD = jsonschema.Draft202012Validator(json_schema())
HEADER = jsonschema.Draft202012Validator(json_schema("header"))


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_is_valid_in_its_dialect_and_is_json(name: Any) -> None:
    schema = json_schema(name)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    jsonschema.Draft202012Validator.check_schema(schema)
    assert json.loads(json.dumps(schema)) == schema
    assert "discriminator" not in json.dumps(schema), "a word of OpenAPI that this dialect has not"


def test_there_is_no_schema_of_another_name() -> None:
    with pytest.raises(ValueError, match="there is no schema 'bundle'; there are record, header"):
        json_schema("bundle")  # type: ignore[arg-type]


def test_absent_members_have_no_default() -> None:
    """Absent is unknown, never null: a tool that fills defaults in would say what nobody said."""
    assert '"default"' not in json.dumps(json_schema())


def test_the_header_has_a_schema_of_its_own() -> None:
    assert HEADER.is_valid(header())
    assert not HEADER.is_valid(state(1))
    assert not HEADER.is_valid({**header(), "producer": None})
    assert RECORD.is_valid(header())


def test_a_message_is_about_the_type_that_was_meant() -> None:
    """Not about every type that it is not."""
    (error,) = RECORD.iter_errors(msg(1, "m", content=[{"type": "text"}]))
    assert error.message == "'text' is a required property"
    (error,) = RECORD.iter_errors({"type": "state", "seq": 1, "id": "r1"})
    assert error.message == "'state' is a required property"


def test_every_record_type_has_a_schema_and_open_enums_tell_their_known_values() -> None:
    schema = json_schema()
    for record_type, cls in RECORD_TYPES.items():
        members = schema["$defs"][cls.__name__]["properties"]
        assert members["type"] == {"const": record_type, "type": "string"}
        for name, field in cls.model_fields.items():
            if any(isinstance(mark, OpenEnumMarker) for mark in field.metadata):
                assert members[field.alias or name]["examples"]


def changed(value: Any, data: st.DataObject) -> Any:
    """A copy with one thing in it taken out or replaced, anywhere."""
    value = json.loads(json.dumps(value))
    holder, at = value, None
    while True:
        places = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        if not places:
            break
        at = data.draw(st.sampled_from(places))
        if not (isinstance(holder[at], dict | list) and holder[at] and data.draw(st.booleans())):
            break
        holder = holder[at]
    if at is not None:
        new = data.draw(
            st.sampled_from([..., None, True, "", "x", 0, -1, 1.5, 2**53, [], {}, [None], {"type": "text"}])
        )
        if new is ...:
            del holder[at]
        else:
            holder[at] = new
    return value


@given(st.data())
def test_schema_and_models_agree_on_records_with_something_changed(data: st.DataObject) -> None:
    """A record that was valid, with one value in it replaced: an error to the models is one to the schema, and no other is."""
    record = data.draw(strategies.records())
    value = changed(json.loads(record.to_line()), data)
    line = json.dumps(value).encode()
    if any(f.is_error for f in examine(line)[1]) or b"." in line or b"e" in _numbers(line):
        return  # below the schema: literals, and what they stand for
    read, _ = read_record(line)
    assert RECORD.is_valid(value) is not isinstance(read, InvalidRecord)


def _numbers(line: bytes) -> bytes:
    outside = line.split(b'"')[::2]
    return b"".join(part.translate(None, b"truefalsnl") for part in outside)


@given(st.text("asr:/#%0123456789ABCDEFabcdef~-._ \n", max_size=12).map(lambda s: f"asr:{s}"))
def test_the_pattern_of_session_references_takes_what_parses(text: str) -> None:
    try:
        SessionReference.parse(text)
    except ValueError:
        parses = False
    else:
        parses = True
    assert RECORD.is_valid({"type": "tool_call", "seq": 1, "id": "r", "callId": "c", "childSession": text}) is parses


@given(st.binary(min_size=1, max_size=5))
def test_percent_encoded_bytes_are_utf8(data: bytes) -> None:
    text = "asr:" + "".join(f"%{b:02X}" for b in data) + "//"
    try:
        data.decode()
    except UnicodeDecodeError:
        valid = False
    else:
        valid = True
    value = {"type": "tool_call", "seq": 1, "id": "r", "callId": "c", "childSession": text.removesuffix("/") + "/s"}
    assert RECORD.is_valid(value) is valid
