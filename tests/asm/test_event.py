"""The envelope and the payloads: reading, defaults, margins, unknown members, writing."""

from __future__ import annotations

import copy
import json
import pickle
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from sessionrecord import ijson
from sessionrecord.asm import CORE_KINDS, NATIVE_KINDS, PAYLOADS, PayloadModel, RunEvent, read_event
from sessionrecord.asm.payloads import AssistantDeltaPayload, ThinkingPayload, ToolUsePayload
from sessionrecord.errors import InvalidRecordError

from .samples import FULL, event, wires

BASE = {"kind": "result", "run_id": "r", "session_id": "s"}


def refused(wire: Any) -> dict[str, str]:
    with pytest.raises(InvalidRecordError) as caught:
        RunEvent.parse(wire)
    return {d.pointer or "": d.code for d in caught.value.diagnostics}


def test_the_kinds_are_those_of_the_guide() -> None:
    assert (len(CORE_KINDS), len(NATIVE_KINDS)) == (14, 7)
    assert set(CORE_KINDS) | set(NATIVE_KINDS) == set(PAYLOADS) == set(FULL) - {"from_the_future"}


@pytest.mark.parametrize("kind", sorted(FULL))
def test_an_event_with_unknown_members_at_every_level_is_read_back_equal(kind: str) -> None:
    """Nothing that was read is lost: unknown members are in `extra`, and on the line again."""
    wire = {
        **BASE, "kind": kind, "id": "e", "provider": "codex", "sequence": 3, "provider_session_id": "p", "correlation_id": "c",
        "causation_id": "d", "timestamp": "2026-01-01T02:00:00.123456789+02:00", "core_event": {"raw": [1, {"x": None}]},
        "payload": {**FULL[kind], "new": {"deep": [None, 1.50]}, "metadata": {"m": {"n": 1}}}, "metadata": {"lane": "sdk"},
        "extra": {"kind": "nested"}, "later": None,
    }  # fmt: skip
    read = RunEvent.parse(wire)
    assert read.extra == {"extra": {"kind": "nested"}, "later": None}
    if kind in PAYLOADS:
        assert type(read.payload) is PAYLOADS[kind]
        assert read.payload.extra["new"] == {"deep": [None, 1.5]}
    else:
        assert read.payload == wire["payload"]
    assert read.to_wire() == wire
    assert RunEvent.parse(read.to_line()) == read
    assert RunEvent(**{n: getattr(read, n) for n in RunEvent.model_fields}, **read.extra) == read


@pytest.mark.parametrize("kind", sorted(PAYLOADS))
@pytest.mark.parametrize("payload", [None, {}, "absent"])
def test_a_payload_that_is_null_or_absent_has_the_defaults_of_its_kind(kind: str, payload: Any) -> None:
    wire = {**BASE, "kind": kind} if payload == "absent" else {**BASE, "kind": kind, "payload": payload}
    read = RunEvent.parse(wire)
    assert type(read.payload) is PAYLOADS[kind]
    assert read.payload.model_dump(exclude_unset=False) == PAYLOADS[kind]().model_dump(exclude_unset=False)
    assert read.to_wire() == wire


@pytest.mark.parametrize(
    ("kind", "nulls", "values"),
    [
        ("assistant_delta", ["content", "format", "metadata"], ["", "text", {}]),
        ("assistant_message", ["content", "role"], [[], "assistant"]),
        ("user_message", ["content", "role"], [[], "user"]),
        ("run_started", ["args"], [[]]),
        ("tool_use", ["input"], [{}]),
        ("tool_result", ["is_error"], [False]),
        ("cost_update", ["input_tokens", "cost_usd"], [0, 0]),
        ("error", ["message", "severity"], ["", "error"]),
        ("raw", ["stream"], ["stdout"]),
        ("host_tool_completed", ["content_items"], [[]]),
    ],
)
def test_null_in_a_member_with_a_default_is_the_default(kind: str, nulls: list[str], values: list[Any]) -> None:
    payload = RunEvent.parse({**BASE, "kind": kind, "payload": dict.fromkeys(nulls)}).payload
    assert [getattr(payload, n) for n in nulls] == values


@pytest.mark.parametrize(
    ("kind", "member", "value"),
    [
        ("assistant_delta", "content", 5),
        ("assistant_delta", "index", -1),
        ("assistant_message", "content", "plain"),
        ("assistant_message", "role", "user"),
        ("run_started", "args", ["a", 1]),
        ("tool_use", "input", []),
        ("tool_result", "is_error", "true"),
        ("cost_update", "input_tokens", -1),
        ("cost_update", "output_tokens", 1.5),
        ("cost_update", "cost_usd", -0.1),
        ("cost_update", "cost_usd", "1"),
        ("error", "severity", "dire"),
        ("error", "message", {}),
        ("approval_requested", "details", "x"),
        ("thinking", "metadata", [1]),
        ("host_tool_requested", "id", 1.5),
    ],
)
def test_a_payload_that_breaks_its_kind_is_an_error_with_its_path(kind: str, member: str, value: Any) -> None:
    assert any(p.startswith(f"/payload/{member}") for p in refused({**BASE, "kind": kind, "payload": {member: value}}))


@pytest.mark.parametrize("payload", ["text", [1], 5, True])
def test_a_payload_of_a_known_kind_is_an_object(payload: Any) -> None:
    assert refused({**BASE, "payload": payload}) == {"/payload": "type-invalid"}
    assert RunEvent.parse({**BASE, "kind": "of tomorrow", "payload": payload}).payload == payload


@pytest.mark.parametrize(
    ("wire", "found"),
    [
        ({"kind": "result", "run_id": "r"}, {"/session_id": "member-missing"}),
        ({**BASE, "kind": "  "}, {"/kind": "value-invalid"}),
        ({**BASE, "run_id": None}, {"/run_id": "null-not-allowed"}),
        ({**BASE, "id": 5}, {"/id": "type-invalid"}),
        ({**BASE, "provider": ""}, {"/provider": "value-invalid"}),
        ({**BASE, "provider": "  "}, {"/provider": "value-invalid"}),
        ({**BASE, "provider": 4}, {"/provider": "value-invalid"}),
        ({**BASE, "sequence": -1}, {"/sequence": "integer-invalid"}),
        ({**BASE, "sequence": "1"}, {"/sequence": "integer-invalid"}),
        ({**BASE, "sequence": 1.0}, {"/sequence": "integer-invalid"}),
        ({**BASE, "sequence": True}, {"/sequence": "integer-invalid"}),
        ({**BASE, "metadata": [1]}, {"/metadata": "type-invalid"}),
        ({**BASE, "metadata": "x"}, {"/metadata": "type-invalid"}),
        ({**BASE, "timestamp": "2026-01-01T00:00:00"}, {"/timestamp": "timestamp-invalid"}),
        ({**BASE, "timestamp": "2026-01-01"}, {"/timestamp": "timestamp-invalid"}),
        ({**BASE, "timestamp": "2026-02-29T00:00:00Z"}, {"/timestamp": "timestamp-invalid"}),
        ({**BASE, "timestamp": 1700000000}, {"/timestamp": "timestamp-invalid"}),
        ([], {"": "not-an-object"}),
        ("{", {"": "json-invalid"}),
        ('{"kind":"result","run_id":"r","run_id":"q","session_id":"s"}', {"/run_id": "duplicate-member"}),
        ({**BASE, "id": "\ud800"}, {"/id": "lone-surrogate"}),
    ],
    ids=str,
)
def test_what_breaks_the_envelope_is_named(wire: Any, found: dict[str, str]) -> None:
    assert refused(json.dumps(wire) if isinstance(wire, list) else wire) == found


def test_everything_wrong_is_reported_at_once_without_the_requirements_of_records() -> None:
    _, found = read_event(b'{"kind":"result","run_id":" ","sequence":-1,"timestamp":"now","id":"e"}')
    assert [d.pointer for d in found] == ["/run_id", "/session_id", "/sequence", "/timestamp"]
    assert {(d.record_id, d.requirement) for d in found} == {("e", None)}


@pytest.mark.parametrize(
    ("given_name", "name"),
    [(" Codex ", "codex"), ("codex_exec", "codex"), ("CODEX_EXEC", "codex"), ("claude", "claude"), (" Gemini", " Gemini"), (None, None)],
)  # fmt: skip
def test_a_known_provider_is_read_in_its_normal_form_and_any_other_as_given(
    given_name: str | None, name: str | None
) -> None:
    """Ruling on providers: open, `codex_exec` is `codex`."""
    read = RunEvent.parse({**BASE, "provider": given_name})
    assert read.provider == name
    assert read.to_wire()["provider"] == given_name


def test_margins_belong_to_the_line_and_not_to_the_typed_view() -> None:
    """Ruling 16: an event that nobody touched writes its source."""
    line = b'{ "kind": " thinking ", "run_id":" r", "session_id":"s ", "id":"  ", "payload":{"content":" a "} }'
    read = RunEvent.parse(line)
    assert (read.kind, read.run_id, read.session_id, read.id, read.payload.content) == ("thinking", "r", "s", "", "a")
    assert read.to_line() == line
    changed = read.replace(run_id="other", sequence=4)
    assert changed.to_wire() == {
        "kind": " thinking ", "run_id": "other", "session_id": "s ", "id": "  ", "payload": {"content": " a "}, "sequence": 4,
    }  # fmt: skip
    assert changed.replace(sequence=None).to_wire() == {k: v for k, v in changed.to_wire().items() if k != "sequence"}


def test_streamed_text_keeps_its_margins() -> None:
    assert RunEvent.parse({**BASE, "kind": "assistant_delta", "payload": {"content": " a\n"}}).payload.content == " a\n"


def test_reading_fills_in_nothing_and_making_fills_in_id_and_moment() -> None:
    """Ruling 16."""
    read = RunEvent.parse(BASE)
    assert (read.id, read.timestamp, read.timestamp_utc, read.metadata) == (None, None, None, {})
    made = RunEvent.new(
        "tool_use", run_id="r", session_id="s", payload=ToolUsePayload(tool_name=" b "), extra={"x": None}
    )
    assert made.id is not None
    assert re.fullmatch("[0-9A-HJKMNP-TV-Z]{26}", made.id)
    assert made.timestamp is not None
    assert made.timestamp.endswith("Z")
    assert made.payload == ToolUsePayload(tool_name="b")
    assert made.extra == {"x": None}
    assert RunEvent.parse(made.to_line()) == made
    other = RunEvent.new("result", run_id="r", session_id="s", id="e", timestamp="2026-01-01T00:00:00+01:00")
    assert (other.id, other.timestamp_utc) == ("e", "2025-12-31T23:00:00Z")
    assert other.id != RunEvent.new("result", run_id="r", session_id="s").id


def test_making_refuses_what_reading_would() -> None:
    with pytest.raises(InvalidRecordError, match="/payload/content"):
        RunEvent.new("thinking", run_id="r", session_id="s", payload={"content": 1})
    with pytest.raises(InvalidRecordError, match="is a member that the envelope defines"):
        RunEvent.new("thinking", run_id="r", session_id="s", extra={"kind": "x"})
    with pytest.raises(TypeError, match="unexpected keyword argument 'rnu_id'"):
        RunEvent.new("thinking", run_id="r", session_id="s", rnu_id="x")
    with pytest.raises(InvalidRecordError, match="/x"):
        RunEvent.parse({**BASE, "x": "\ud800"})


def test_a_payload_of_another_kind_is_taken_member_by_member() -> None:
    made = RunEvent.new("thinking", run_id="r", session_id="s", payload=AssistantDeltaPayload(content="a", index=1))
    assert (type(made.payload), made.payload.content, made.payload.extra) == (PAYLOADS["thinking"], "a", {"index": 1})


def test_the_numbers_of_a_line_survive() -> None:
    line = b'{"kind":"cost_update","run_id":"r","session_id":"s","payload":{"cost_usd":0.10,"x":1e2},"n":123456789012345678901}'
    read = RunEvent.parse(line)
    assert (str(read.payload.cost_usd), read.extra["n"]) == ("0.10", 123456789012345678901)
    assert read.replace(id="e").to_line() == line[:-1] + b',"id":"e"}'


@pytest.mark.parametrize(
    ("kind", "attribute"),
    [(k, n) for k, cls in PAYLOADS.items() for n, f in cls.model_fields.items() if f.alias not in (None, n)],
)
def test_an_unknown_member_named_as_an_attribute_does_not_write_the_member_of_that_attribute(
    kind: str, attribute: str
) -> None:
    """Ruling on names: what comes from a line goes by its wire names only; an unknown member is kept, and makes no other."""
    payload = {attribute: {"x": 1}}
    read = RunEvent.parse({**BASE, "kind": kind, "payload": payload})
    copied = read.model_copy(update={"sequence": 1}).to_wire()
    assert (read.payload.to_wire(), read.payload.extra, copied["payload"]) == (payload, payload, payload)
    assert getattr(read.payload, attribute) is None
    both: dict[str, Any] = {PAYLOADS[kind].model_fields[attribute].alias or "": True, **payload}
    assert RunEvent.parse({**BASE, "kind": kind, "payload": both}).payload.to_wire() == both


def test_events_are_copied_and_pickled_whole_and_a_changed_copy_does_not_write_the_old_line() -> None:
    read = RunEvent.parse(b'{"kind": "result","run_id":"r","session_id":"s", "x":1}')
    for same in (pickle.loads(pickle.dumps(read)), copy.deepcopy(read), read.model_copy()):
        assert same == read
        assert same.to_line() == read.to_line()
    assert b'"q"' in read.model_copy(update={"run_id": "q"}).to_line()


def test_an_event_can_be_a_field_of_another_model_and_has_a_json_schema() -> None:
    class Box(BaseModel):
        event: RunEvent

    box = Box.model_validate({"event": {**BASE, "kind": "thinking", "payload": {"content": " a "}}})
    assert box.event.payload == ThinkingPayload(content="a")
    schema = RunEvent.model_json_schema()
    assert set(schema["required"]) == {"kind", "run_id", "session_id"}
    for model in set(PAYLOADS.values()):
        assert model.model_json_schema()["type"] == "object"


@given(wires())
def test_any_event_is_read_back_equal(wire: dict[str, Any]) -> None:
    read = RunEvent.parse(wire)
    assert read.to_wire() == wire
    assert RunEvent.parse(read.to_line()) == read


@given(st.binary(max_size=60) | wires().map(lambda w: ijson.dumps(w)[:-2]))
def test_no_line_makes_reading_fail(line: bytes) -> None:
    read, found = read_event(line)
    if isinstance(read, RunEvent):
        return
    assert read.to_line() == line.removesuffix(b"\n").removesuffix(b"\r")
    assert any(d.severity == "error" for d in found)
    assert read.diagnostics == tuple(found)


def test_payload_models_are_frozen() -> None:
    payload = event("thinking").payload
    assert isinstance(payload, PayloadModel)
    with pytest.raises(ValueError, match="frozen"):
        payload.content = "x"  # type: ignore[attr-defined]
