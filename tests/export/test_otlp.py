"""OTLP: spans and attributes by the conventions for generative AI v0.1.0 (docs/export.md), in the JSON encoding of OTLP."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import json_format
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2

from sessionrecord.convert import claude_code, codex
from sessionrecord.export import KINDS, Exported, to_otlp
from sessionrecord.export.otlp_encoding import LATEST, duration, nanoseconds, span_id, trace_id
from sessionrecord.session import Session
from tests.export.represented import spans
from tests.export.sessions import Wire, agent, call, kinds, result, session, sessions, text, usage, user
from tests.strategies import timestamps

DATA = Path(__file__).resolve().parents[2] / "examples" / "data"
AT = "2026-01-01T00:00:0{}Z"
T0 = 1767225600 * 10**9  # 2026-01-01T00:00:00Z


def parsed(exported: Exported) -> Any:
    """The request as protobuf reads it.

    OTLP writes trace and span IDs in hex where protobuf's own JSON has base64, so these are turned before it is read.
    """
    request = json.loads(exported.text)
    for span in request["resourceSpans"][0]["scopeSpans"][0]["spans"]:
        for holder in (span, *span.get("links", [])):
            for name in holder.keys() & {"traceId", "spanId", "parentSpanId"}:
                holder[name] = base64.b64encode(bytes.fromhex(holder[name])).decode()
    return json_format.Parse(json.dumps(request), trace_service_pb2.ExportTraceServiceRequest())


def named(exported: Exported, name: str) -> Wire:
    """The one span with a name."""
    (span,) = [s for s in spans(exported.data) if s["name"] == name]
    return span


@given(sessions(), st.booleans())
def test_a_request_is_one_that_protobuf_reads(made: Session, content: bool) -> None:
    """OTLP 1.x, `ExportTraceServiceRequest`: identifiers are 16 and 8 bytes, unique, and every parent is there."""
    (resource,) = parsed(to_otlp(made, content=content)).resource_spans
    (scope,) = resource.scope_spans
    ids = [s.span_id for s in scope.spans]
    assert len(ids) == len(set(ids))
    assert {len(i) for i in ids} == {8}
    assert {len(s.trace_id) for s in scope.spans} == {16}
    assert [s for s in scope.spans if not s.parent_span_id] == [scope.spans[0]]
    assert {s.parent_span_id for s in scope.spans} <= {b"", *ids}
    assert all(s.end_time_unix_nano >= s.start_time_unix_nano for s in scope.spans)
    parents = {s.span_id: s.parent_span_id for s in scope.spans}
    for span in ids:
        for _ in ids:
            span = parents.get(span, b"")
        assert span == b""


def test_the_json_is_that_of_otlp_and_not_of_protobuf() -> None:
    exported = to_otlp(session(user("a", timestamp=AT.format(1)), call("c"), agentVersion="7"))
    (resource,) = json.loads(exported.text)["resourceSpans"]
    assert resource["resource"]["attributes"] == [
        {"key": "service.name", "value": {"stringValue": "toy"}},
        {"key": "service.version", "value": {"stringValue": "7"}},
    ]
    root, tool = resource["scopeSpans"][0]["spans"]
    assert re.fullmatch("[0-9a-f]{32}", root["traceId"])
    assert re.fullmatch("[0-9a-f]{16}", root["spanId"])
    assert tool["parentSpanId"] == root["spanId"]
    assert (root["kind"], root["startTimeUnixNano"]) == (1, str(T0 + 10**9))
    (event,) = root["events"]
    assert {"key": "sessionrecord.record.seq", "value": {"intValue": "2"}} in event["attributes"]


def test_a_small_session_becomes_these_spans() -> None:
    """Every value below stands in the records; nanoseconds are counted from 2026-01-01."""
    exported = to_otlp(
        session(
            user("hello", timestamp=AT.format(0), turnId="t"),
            agent("let me look", modelCallId="mc", model="big", timestamp=AT.format(2), turnId="t"),
            call("c1", modelCallId="mc", timestamp=AT.format(3), kind="read", turnId="t"),
            {
                "type": "model_call", "modelCallId": "mc", "model": "big", "provider": "acme", "requestId": "rq",
                "stopReason": "tool_use", "durationMs": 2500, "timeToFirstTokenMs": 500, "timestamp": AT.format(3),
            },
            result("c1", "x = 1", timestamp=AT.format(4), exitCode=0, turnId="t"),
            usage(
                modelCallId="mc", inputTokens=10, outputTokens=3, cacheReadTokens=5, cacheWriteTokens=2, reasoningTokens=1,
                totalTokens=20, cost={"amount": Decimal("0.30"), "currency": "USD"}, timestamp=AT.format(5),
            ),
        )
    )  # fmt: skip
    root, chat, tool = spans(exported.data)
    assert (root["name"], chat["name"], tool["name"]) == ("invoke_agent toy", "chat big", "execute_tool Read")
    assert (root["kind"], chat["kind"], tool["kind"]) == (1, 3, 1)
    times = [(s["startTimeUnixNano"], s["endTimeUnixNano"]) for s in (root, chat, tool)]
    assert times == [
        (str(T0), str(T0 + 5 * 10**9)),
        (str(T0 + 500_000_000), str(T0 + 3 * 10**9)),
        (str(T0 + 3 * 10**9), str(T0 + 4 * 10**9)),
    ]
    assert root["attributes"] == {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "toy",
        "gen_ai.conversation.id": "s1",
        "gen_ai.usage.input_tokens": 17,
        "gen_ai.usage.output_tokens": 3,
        "sessionrecord.session": "asr:toy//s1",
        "sessionrecord.costs": '{"USD":0.30}',
        "sessionrecord.record.ids": ["r1"],
    }
    assert chat["attributes"] == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "acme",
        "gen_ai.request.model": "big",
        "gen_ai.response.finish_reasons": ["tool_call"],
        "gen_ai.conversation.id": "s1",
        "sessionrecord.record.ids": ["r3", "r4", "r5", "r7"],
        "sessionrecord.turn.ids": ["t"],
        "sessionrecord.model_call.id": "mc",
        "sessionrecord.time_derived": True,
        "gen_ai.response.time_to_first_chunk": 0.5,
        "sessionrecord.request.id": "rq",
        "sessionrecord.duration_ms": "2500",
        "gen_ai.usage.input_tokens": 17,
        "gen_ai.usage.output_tokens": 3,
        "gen_ai.usage.cache_read.input_tokens": 5,
        "gen_ai.usage.cache_write.input_tokens": 2,
        "gen_ai.usage.reasoning.output_tokens": 1,
        "sessionrecord.cost.amount": "0.30",
        "sessionrecord.cost.currency": "USD",
    }
    assert tool["attributes"] == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "Read",
        "gen_ai.tool.call.id": "c1",
        "gen_ai.conversation.id": "s1",
        "sessionrecord.record.ids": ["r4", "r6"],
        "sessionrecord.turn.ids": ["t"],
        "sessionrecord.tool.kind": "read",
        "sessionrecord.model_call.id": "mc",
        "sessionrecord.tool.outcome": "success",
        "sessionrecord.tool.exit_code": 0,
    }
    (event,) = root["events"]
    assert event["name"] == "sessionrecord.message"
    assert event["attributes"]["sessionrecord.role"] == "user"
    assert kinds(exported) == {"content_off": 6, "id_derived": 1, "time_derived": 1}


def test_content_is_there_on_request_only() -> None:
    made = session(user("secret"), agent("hush"), call("c", arguments={"k": "pass"}), result("c", "word"))
    plain = to_otlp(made)
    for said in ("secret", "hush", "pass", "word"):
        assert said not in plain.text.replace("a-hush", "").replace("u-secret", "")
        assert said in to_otlp(made, content=True).text
    off = {(loss.seq, loss.pointer) for loss in plain.report.losses if loss.kind == "content_off"}
    assert off == {(1, "/producer"), (2, "/messageId"), (3, "/messageId"), (4, "/arguments"), (5, "/content")}
    assert "content_off" not in kinds(to_otlp(made, content=True))
    for said in ("`content=True`", "`--content`"):
        assert said in KINDS["content_off"]
        assert said in str(plain.report)


def test_messages_have_the_roles_and_parts_of_the_conventions() -> None:
    blocks: list[Wire] = [
        {"type": "reasoning", "text": "hm", "signature": "s"},
        {"type": "text", "text": "said"},
        {"type": "image", "mimeType": "image/png", "data": "aGk="},
        {"type": "file", "mimeType": "text/csv", "uri": "file:///a.csv", "name": "a"},
        {"type": "audio", "mimeType": "audio/wav", "blob": {"sha256": "0", "bytes": 1}},
        {"type": "x-chart", "points": [1]},
    ]
    exported = to_otlp(
        session(
            user("a", role="developer", messageId="d"),
            user("b"),
            {"type": "compaction", "compactionId": "k", "summary": text("short")},
            agent("x", content=blocks, modelCallId="m"),
            call("c", modelCallId="m", arguments=[1]),
            result("c", "r"),
            {"type": "tool_result", "callId": "e", "structured": {"n": 1}},
            agent("y", modelCallId="n"),
        ),
        content=True,
    )
    first, second = [s for s in spans(exported.data) if s["name"] == "chat"]
    assert json.loads(first["attributes"]["gen_ai.input.messages"]) == [
        {"role": "system", "parts": [{"type": "text", "content": "a"}]},
        {"role": "user", "parts": [{"type": "text", "content": "b"}]},
        {"role": "user", "parts": [{"type": "text", "content": "short"}]},
    ]
    (said,) = json.loads(first["attributes"]["gen_ai.output.messages"])
    assert said == {
        "role": "assistant",
        "parts": [
            {"type": "reasoning", "content": "hm", "signature": "s"},
            {"type": "text", "content": "said"},
            {"type": "blob", "modality": "image", "mime_type": "image/png", "content": "aGk="},
            {"type": "uri", "modality": "document", "mime_type": "text/csv", "uri": "file:///a.csv", "name": "a"},
            {"type": "audio", "modality": "audio", "mime_type": "audio/wav", "blob": {"sha256": "0", "bytes": 1}},
            {"type": "x-chart", "points": [1]},
            {"type": "tool_call", "id": "c", "name": "Read", "arguments": [1]},
        ],
    }
    assert json.loads(second["attributes"]["gen_ai.input.messages"]) == [
        {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c", "response": "r"}]},
        {"role": "tool", "parts": [{"type": "tool_call_response", "id": "e", "response": {"n": 1}}]},
    ]
    assert first["attributes"]["gen_ai.conversation.compacted"] is True
    assert kinds(exported)["input_partial"] == 2


def test_a_model_call_without_anything_said_has_no_messages() -> None:
    exported = to_otlp(
        session({"type": "model_call", "modelCallId": "m"}, usage(modelCallId="n", inputTokens=1)), content=True
    )
    for span in spans(exported.data)[1:]:
        assert not {"gen_ai.input.messages", "gen_ai.output.messages"} & span["attributes"].keys()
        assert span["attributes"]["sessionrecord.end_unknown"] is True


def test_the_content_of_a_result_keeps_its_parts_where_one_text_is_not_all() -> None:
    two = to_otlp(session(call("c"), result("c", content=text("a", "b"))), content=True)
    assert json.loads(named(two, "execute_tool Read")["attributes"]["gen_ai.tool.call.result"]) == [
        {"type": "text", "content": "a"},
        {"type": "text", "content": "b"},
    ]
    numbers = to_otlp(session(call("c", arguments={"n": 10**30})), content=True)
    assert named(numbers, "execute_tool Read")["attributes"]["gen_ai.tool.call.arguments"] == f'{{"n":{10**30}}}'


def test_values_nested_as_deep_as_a_line_may_be_are_written() -> None:
    deep: Any = 1
    for _ in range(245):
        deep = [deep]
    block = {"type": "x-deep", "at": deep}
    made = session(agent("x", content=[block], modelCallId="m"), call("c", arguments=deep, modelCallId="m"))
    exported = to_otlp(made, content=True)
    (said,) = json.loads(named(exported, "chat")["attributes"]["gen_ai.output.messages"])
    assert json.loads(said["parts"][0]["at"]) == deep
    assert json.loads(said["parts"][1]["arguments"]) == deep
    assert parsed(exported)


def test_a_failed_call_has_the_status_and_the_class_of_the_error() -> None:
    made = session(
        {"type": "model_call", "modelCallId": "m", "status": "failed", "error": {"message": "busy", "code": "529"}},
        {"type": "model_call", "modelCallId": "n", "error": {"message": "odd"}},
        call("c"),
        result("c", outcome="error"),
        call("d"),
        result("d", outcome="cancelled"),
    )
    chat, other, failed, cancelled = spans(to_otlp(made).data)[1:]
    assert (chat["status"], chat["attributes"]["error.type"]) == ({"code": 2}, "529")
    assert (other["status"], other["attributes"]["error.type"]) == ({"code": 2}, "_OTHER")
    assert (failed["status"], failed["attributes"]["error.type"]) == ({"code": 2}, "_OTHER")
    assert "status" not in cancelled
    assert spans(to_otlp(made, content=True).data)[1]["status"] == {"code": 2, "message": "busy"}


def test_a_result_without_a_call_is_a_span_without_a_tool() -> None:
    exported = to_otlp(session(result("c", timestamp=AT.format(4))))
    span = named(exported, "execute_tool")
    assert span["attributes"]["sessionrecord.start_unknown"] is True
    assert kinds(exported)["name_absent"] == 1


def tool_times(*records: Wire) -> tuple[int, int, set[str]]:
    """Start and end of the one tool span in seconds after the start of 2026, and what it says of them."""
    span = spans(to_otlp(session(*records)).data)[1]
    marks = {name.removeprefix("sessionrecord.") for name, value in span["attributes"].items() if value is True}
    return (int(span["startTimeUnixNano"]) - T0) // 10**9, (int(span["endTimeUnixNano"]) - T0) // 10**9, marks


def test_what_a_span_lacks_of_its_times_is_said() -> None:
    """A span must have a start and an end; what no record says is never taken for a fact."""
    start, end = {"timestamp": AT.format(3)}, {"timestamp": AT.format(5)}
    assert tool_times(call("c", **start), result("c", **end)) == (3, 5, set())
    assert tool_times(call("c", **start)) == (3, 3, {"end_unknown"})
    assert tool_times(call("c", **start), result("c", durationMs=4000)) == (3, 7, {"time_derived"})
    assert tool_times(call("c"), result("c", **end)) == (5, 5, {"start_unknown"})
    assert tool_times(call("c"), result("c", durationMs=4000, **end)) == (1, 5, {"time_derived"})
    assert tool_times(call("c", **end), result("c", **start)) == (5, 5, {"end_before_start"})
    assert tool_times(user("a", **start), call("c"), result("c")) == (3, 3, {"time_unknown", "end_unknown"})
    assert tool_times(call("c"), result("c", durationMs=2000), user("a", **end)) == (5, 7, {"time_unknown"})


def test_without_any_time_every_time_is_zero_and_that_is_said() -> None:
    exported = to_otlp(session(user("a"), call("c"), result("c")))
    assert {s["startTimeUnixNano"] for s in spans(exported.data)} == {"0"}
    assert kinds(exported)["time_unknown"] == 3


def test_a_model_call_covers_the_moments_of_its_records() -> None:
    made = session(
        agent("a", modelCallId="m", timestamp=AT.format(2)),
        agent("b", modelCallId="m", timestamp=AT.format(4)),
        {"type": "model_call", "modelCallId": "m", "durationMs": 1000, "timestamp": AT.format(4)},
    )
    span = named(to_otlp(made), "chat")
    assert int(span["startTimeUnixNano"]) == T0 + 2 * 10**9
    assert "sessionrecord.time_derived" not in span["attributes"]
    assert kinds(to_otlp(Session.from_records(made.records[:3])))["bounds_unknown"] == 1


def test_a_call_made_in_another_is_its_child_and_no_circle_is_followed() -> None:
    exported = to_otlp(
        session(
            call("a", "A"),
            call("b", "B", parentCallId="a"),
            call("c", "C", parentCallId="d"),
            call("d", "D", parentCallId="c"),
        )
    )
    by_name = {s["name"][-1]: s for s in spans(exported.data)[1:]}
    root = spans(exported.data)[0]["spanId"]
    parents = {name: s["parentSpanId"] for name, s in by_name.items()}
    assert parents == {"A": root, "B": by_name["A"]["spanId"], "C": root, "D": by_name["C"]["spanId"]}


def test_a_child_session_is_a_link_to_its_own_trace() -> None:
    parent = to_otlp(session(call("c", childSession="asr:toy/s1/kid#r3")))
    child = spans(to_otlp(session(user("a"), sessionId="kid", namespace="s1")).data)[0]
    (link,) = named(parent, "execute_tool Read")["links"]
    assert link == {"traceId": child["traceId"], "spanId": child["spanId"]}
    assert kinds(parent)["child_session"] == 1


def test_rewound_records_are_in_the_trace_and_marked() -> None:
    exported = to_otlp(session(user("a"), agent("b"), call("c"), {"type": "rewind", "to": "messageId=u-a"}, agent("d")))
    marks = [s["attributes"].get("sessionrecord.on_path") for s in spans(exported.data)[1:]]
    assert sorted(marks, key=str) == [False, False, None]
    assert [e["name"] for e in spans(exported.data)[0]["events"]] == ["sessionrecord.message", "sessionrecord.rewind"]
    gone = to_otlp(session(user("a"), {"type": "rewind", "to": None}, user("b")))
    said = [e["attributes"].get("sessionrecord.on_path") for e in spans(gone.data)[0]["events"]]
    assert said == [False, None, None]


def test_records_about_a_call_are_events_of_its_span() -> None:
    made = session(
        agent("a", modelCallId="m"),
        call("c"),
        {"type": "permission_request", "permissionId": "p", "callId": "c", "turnId": "t"},
        {"type": "error", "message": "busy", "modelCallId": "m"},
        {"type": "x-note", "callId": ["c"], "call_id": {"not": "a string"}},
        {"type": "state", "state": "idle"},
    )
    root, chat, tool = spans(to_otlp(made).data)
    assert [e["name"] for e in tool["events"]] == ["sessionrecord.permission_request"]
    assert [e["name"] for e in chat["events"]] == ["sessionrecord.error"]
    assert [e["name"] for e in root["events"]] == ["sessionrecord.x-note", "sessionrecord.state"]


def test_identifiers_are_hashes_of_what_names_the_session_and_the_record() -> None:
    """The same session gives the same identifiers, whatever else is in the stream; another gives others."""
    one, two = (spans(to_otlp(session(*r, call("c"))).data) for r in ([], [user("a")]))
    assert one[-1]["spanId"] == two[-1]["spanId"]
    assert one[0]["traceId"] == two[0]["traceId"] != spans(to_otlp(session(sessionId="s2")).data)[0]["traceId"]
    assert trace_id("a") != trace_id("b")
    assert span_id("a", "chat", "x") != span_id("a", "chat x")


def naive(timestamp: str) -> Iterator[int]:
    """Nanoseconds since 1970 by exact fractions."""
    head, _, tail = timestamp[:-1].partition(".")
    moment = datetime.fromisoformat(head).replace(tzinfo=UTC)
    yield int((moment - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds()) * 10**9 + int(
        Fraction(f"0.{tail or 0}") * 10**9
    )


@given(timestamps())
def test_a_timestamp_is_nanoseconds_exactly(timestamp: str) -> None:
    (expected,) = naive(timestamp)
    assert nanoseconds(timestamp) == (expected if 0 <= expected <= LATEST else None)


def test_moments_that_otlp_cannot_hold_are_none() -> None:
    assert nanoseconds(None) is None
    assert nanoseconds("0000-01-01T00:00:00Z") is None
    assert nanoseconds("1969-12-31T23:59:59.999Z") is None
    assert nanoseconds("2554-07-22T00:00:00Z") is None
    assert nanoseconds("2016-12-31T23:59:60.5Z") == 1483228800 * 10**9 + 500_000_000
    assert duration(None) is None
    assert duration(Decimal("0.0000015")) == 1
    assert duration(10**30) is None
    exported = to_otlp(session(user("a", timestamp="1969-01-01T00:00:00Z")))
    assert kinds(exported)["timestamp_not_readable"] == 1


@pytest.mark.parametrize("sample", ["claude-code-sample.jsonl", "codex-sample.jsonl"])
def test_the_sample_logs_become_valid_requests(sample: str) -> None:
    convert = claude_code.convert if sample.startswith("claude") else codex.convert
    made = Session.from_records(convert(DATA / sample).main)
    for content in (False, True):
        exported = to_otlp(made, content=content)
        assert parsed(exported)
        assert exported.report.represented == exported.report.records == len(made)
