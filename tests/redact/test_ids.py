"""Ruling: a secret inside an ID or a signature raises unless told to drop or rename. Refs still resolve (spec section 3)."""

from __future__ import annotations

import base64
import json
import pickle
from typing import Any

import pytest

from sessionrecord import Session, SessionReference, ToolCall
from sessionrecord.errors import RedactionError
from sessionrecord.redact import Pattern, RedactionRules
from tests.redact.naive import is_in_stream
from tests.redact.samples import HEADER, line, message, numbered, redacted, stream, text

SECRET = "hunter2"
RAISE = RedactionRules([SECRET])
RENAME = RedactionRules([SECRET], ids="rename")
REFERENCE = f"asr:toy/{SECRET}/x#callId%3D{SECRET}"

IDS: list[dict[str, Any]] = [
    message(id=f"r-{SECRET}"),
    message(messageId=SECRET),
    message(turnId=SECRET),
    message(modelCallId=SECRET),
    message(predecessor=f"messageId={SECRET}"),
    message(source={"nativeId": SECRET}),
    message({"type": "terminal", "terminalId": SECRET}),
    {"type": "tool_call", "callId": SECRET},
    {"type": "tool_call", "callId": "c", "parentCallId": SECRET},
    {"type": "tool_call", "callId": "c", "childSession": REFERENCE},
    {"type": "tool_call", "callId": "c", "locations": [{"root": SECRET, "path": "a"}]},
    {"type": "rewind", "to": SECRET},
    {"type": "compaction", "compactionId": "k", "keptFrom": f"messageId={SECRET}"},
    {"type": "delivery", "of": f"messageId={SECRET}", "recipients": [SECRET]},
    {"type": "permission_decision", "permissionId": SECRET, "optionId": SECRET},
    {"type": "answer", "questionId": "q", "selected": [SECRET]},
    {"type": "plan", "planId": "p", "entries": [{"id": SECRET, "content": "x"}]},
    {"type": "declaration", "participants": [{"id": SECRET}], "conversations": [{"id": "c", "participants": [SECRET]}]},
    {"type": "odd", "callId": SECRET},
    {"type": "message", "callId": SECRET},  # no valid record
]


@pytest.mark.parametrize("record", IDS, ids=lambda r: json.dumps({k: v for k, v in r.items() if SECRET in str(v)})[:60])
def test_a_secret_in_an_id_raises_and_the_message_does_not_show_it(record: dict[str, Any]) -> None:
    with pytest.raises(RedactionError, match=r"^line 2 at /\S+: a secret \(value-1\) is in an ID or a ref; ") as raised:
        redacted(stream(record), RAISE)
    assert SECRET not in str(raised.value)
    out, made = redacted(stream(record), RENAME)
    assert not is_in_stream(SECRET, out)
    assert {r.what for r in made.report.removals} == {"id"}


@pytest.mark.parametrize("member", ["agent", "sessionId", "namespace", "parent"])
def test_the_session_key_is_of_ids_too(member: str) -> None:
    header = {**HEADER, member: REFERENCE if member == "parent" else SECRET}
    source = line({"type": "session", "seq": 1, "id": "r1", **header})
    with pytest.raises(RedactionError, match=f"line 1 at /{member}"):
        redacted(source, RAISE)
    assert not is_in_stream(SECRET, redacted(source, RENAME)[0])


def test_all_places_are_told_of_by_number() -> None:
    with pytest.raises(RedactionError, match=r"\(and 2 more\)") as raised:
        redacted(stream(*[message(messageId=SECRET)] * 3), RAISE)
    assert str(pickle.loads(pickle.dumps(raised.value))) == str(raised.value)


def test_renamed_ids_hold_together_all_over_the_session() -> None:
    key, other = f"{SECRET}-1", f"{SECRET}-2"
    source = stream(
        message(messageId=key, role="user", content=[]),
        {"type": "tool_call", "callId": key, "predecessor": f"messageId={key}", "arguments": {"call": key}},
        {"type": "tool_result", "callId": key},
        message(messageId=other),
        {"type": "delivery", "of": f"messageId={other}"},
        {"type": "rewind", "to": f"callId={key}"},
        {"type": "compaction", "compactionId": "k", "keptFrom": f"messageId={key}"},
    )
    before = Session.read(source)
    out, made = redacted(source, RENAME)
    session = made.session
    assert not is_in_stream(SECRET, out)
    assert session.diagnostics == before.diagnostics == []
    assert [e.first for e in session.entities] == [e.first for e in before.entities]
    assert [len(session.revisions(e)) for e in session.entities] == [len(before.revisions(e)) for e in before.entities]
    assert [u.result is not None for u in session.tool_calls()] == [u.result is not None for u in before.tool_calls()]
    assert [i.entity.first for i in session.context_view().items] == [
        i.entity.first for i in before.context_view().items
    ]
    call = session.records[2]
    assert isinstance(call, ToolCall)
    assert call.arguments == {"call": call.call_id}


def test_different_ids_stay_different() -> None:
    """A pattern gives all its matches one placeholder; IDs that differ are told apart by a number."""
    rules = RedactionRules(patterns=[Pattern("key", "key-[0-9]+")], ids="rename")
    source = stream(*(message(messageId=f"key-{n}") for n in (1, 2, 1, 3)), message(predecessor="messageId=key-2"))
    out, made = redacted(source, rules)
    ids = [r.message_id for r in made.session.records[1:5]]  # type: ignore[union-attr]
    assert ids == ["[redacted:key]", "[redacted:key]#2", "[redacted:key]", "[redacted:key]#3"]
    assert made.session.records[5].predecessor == "messageId=[redacted:key]#2"  # type: ignore[union-attr]
    again = redacted(out + line({**message(messageId="key-9"), "seq": 9, "id": "r9"}), rules)[1].session
    assert again.records[6].message_id == "[redacted:key]#4"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "spelled", ["\\u005bredacted:value-1]", "[redacted:value-1\\u005d", "[\\u0072edacted:value-1]"]
)
def test_different_ids_stay_different_however_they_are_spelled(spelled: str) -> None:
    records = [message(text("x"), id=SECRET), message(text("y"), messageId="m2", id="@@")]
    out, made = redacted(stream(*records).replace(b"@@", spelled.encode()), RENAME)
    assert made.session.diagnostics == []
    assert [json.loads(r)["id"] for r in out.splitlines()[1:]] == ["[redacted:value-1]#2", "[redacted:value-1]"]


def test_an_id_in_which_one_secret_hides_another_is_renamed_everywhere_alike() -> None:
    key = f"{SECRET}AKIAIOSFODNN7EXAMPLE"
    source = stream(message(messageId=key), {"type": "rewind", "to": f"messageId={key}"}, message(messageId=f"x{key}"))
    out, made = redacted(source, RENAME)
    assert made.session.diagnostics == []
    assert b"EXAMPLE" not in out
    first, rewind, _ = (json.loads(r) for r in out.splitlines()[1:])
    assert rewind["to"] == f"messageId={first['messageId']}"


def test_a_session_reference_is_renamed_in_its_parts() -> None:
    record = {"type": "tool_call", "callId": "c", "childSession": REFERENCE}
    made = redacted(stream(record), RENAME)[1].session
    reference = SessionReference.parse(str(made.records[1].child_session))  # type: ignore[union-attr]
    assert (reference.key.agent, reference.key.namespace, reference.key.session_id) == (
        "toy",
        "[redacted:value-1]",
        "x",
    )
    assert str(reference.ref) == "callId=[redacted:value-1]"


def test_a_part_of_a_split_secret_in_an_id_raises() -> None:
    record = {"type": "answer", "questionId": "q", "selected": ["hun", "ter2"]}
    with pytest.raises(RedactionError, match=r"\(value-1\) is in an ID or a ref, and goes on elsewhere"):
        redacted(stream(record), RENAME)


ENCRYPTED = base64.b64encode(b"\0\1" + SECRET.encode()).decode()


@pytest.mark.parametrize(
    ("block", "member"),
    [
        ({"type": "reasoning", "text": "x", "signature": f"a{SECRET}"}, "signature"),
        ({"type": "reasoning", "text": "x", "encrypted": ENCRYPTED}, "encrypted"),
        ({"type": "thinking", "thinking": "x", "signature": SECRET}, "signature"),
        ({"type": "redacted_thinking", "data": ENCRYPTED}, "data"),
    ],
)
def test_a_secret_in_a_signature_raises_or_the_signature_is_left_out(block: dict[str, Any], member: str) -> None:
    source = stream(message(text("a"), block))
    with pytest.raises(
        RedactionError, match=rf"line 2 at /content/1/{member}: a secret \(value-1\) is in a signature; "
    ):
        redacted(source, RAISE)
    out, made = redacted(source, RedactionRules([SECRET], signatures="drop"))
    assert not is_in_stream(SECRET, out)
    kept = {k: v for k, v in block.items() if k != member}
    assert json.loads(out.splitlines()[1])["content"] == [text("a"), kept]
    assert [r.what for r in made.report.removals] == ["signature"]


def test_signatures_and_ids_without_a_secret_are_left_alone() -> None:
    block = {"type": "reasoning", "text": SECRET, "signature": "c2lnbmF0dXJl", "encrypted": "Z2liYmVyaXNo"}
    record = json.loads(redacted(stream(message(block)), RAISE)[0].splitlines()[1])
    assert record["content"] == [{**block, "text": "[redacted:value-1]"}]
    assert (record["id"], record["messageId"]) == ("r2", "m1")


@pytest.mark.parametrize(
    ("record", "value"),
    [
        ({"type": "message", "messageId": "m", "role": "user", "seq": 12345678}, "12345678"),
        (message(), "message"),
        (message(text("x")), "messageId"),
        (message(text("x")), "text"),
        (message({"type": "diff", "path": "x", "newText": "y"}), "newText"),
        ({"type": "terminal", "terminalId": "t", "exitStatus": {"exitCode": 0}}, "exitCode"),
        (message(source={"nativeType": "x"}), "nativeType"),
        (message(source={"span": {"offset": 1, "length": 2}}), "offset"),
        (message(capture={"content": {"state": "omitted", "sha256": "x"}}), "sha256"),
        (message({"type": "image", "mimeType": "a/b", "blob": {"sha256": "x", "bytes": 1}}), "sha256"),
        ({"type": "declaration", "conversations": [{"id": "c", "name": "n"}]}, "conversations"),
        ({"type": "declaration", "roots": [{"id": "c", "path": None, "vcs": {"branch": "n"}}]}, "branch"),
        ({"type": "odd", "turnId": "x"}, "turnId"),
    ],
)
def test_what_the_structure_rests_on_is_never_changed(record: dict[str, Any], value: str) -> None:
    records = [r for r in numbered(record) if r["type"] != "session" or value not in json.dumps(r)]
    with pytest.raises(RedactionError, match=r"^line \d") as raised:
        redacted(b"".join(map(line, records)), RedactionRules([value]))
    assert "a secret (value-1)" in str(raised.value)


@pytest.mark.parametrize(
    "record",
    [
        {"type": "tool_call", "callId": "c", "arguments": {"exitCode": 1, "capture": 2}},
        {"type": "odd", "exitStatus": {"exitCode": 0}, "content": [{"type": "text", "exitCode": "x"}]},
        message({"type": "odd", "exitCode": {"exitCode": 1}}, source={"exitCode": 1}),
        message(capture={"exitCode": {"state": "omitted"}}),
    ],
)
def test_a_name_that_the_format_does_not_define_is_replaced_where_it_is(record: dict[str, Any]) -> None:
    out, made = redacted(stream(record), RedactionRules(["exitCode"]))
    assert b"exitCode" not in out
    assert made.session.diagnostics == []


def test_a_type_that_the_format_does_not_define_is_replaced() -> None:
    out, made = redacted(stream({"type": SECRET}, message({"type": SECRET})), RAISE)
    assert [json.loads(r)["type"] for r in out.splitlines()[1:]] == ["[redacted:value-1]", "message"]
    assert made.report.count == 2
    assert made.session.diagnostics == []
