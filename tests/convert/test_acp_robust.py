"""What is broken, unknown or huge on a connection: it goes on, says where, and loses nothing."""

from __future__ import annotations

import gzip
import json
import math
import sys
from collections.abc import Callable
from copy import deepcopy
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessionrecord.convert import acp
from sessionrecord.convert.testing.accounting import account
from sessionrecord.convert.testing.output import validated
from sessionrecord.errors import ConversionError, IJsonError, SourceError
from sessionrecord.records import Message, PermissionDecision, SessionHeader
from tests.convert.acp_logs import (
    OPTIONS,
    SAMPLE,
    agent,
    ask,
    call,
    chunk,
    client,
    convert,
    done,
    item,
    kept,
    log,
    of,
    opened,
    prompt,
    said,
    text,
    update,
)


def after_opening(*raw: bytes) -> Any:
    """The conversion of lines as they stand, after those that open a session; it is accounted for and valid."""
    data = log(opened()) + b"".join(line + b"\n" for line in raw)
    conversion = acp.convert(data)
    account(conversion, data, "the log")
    validated(conversion, "the log", errors_only=True)
    return conversion


def test_lines_that_are_no_messages_are_kept_with_the_reason() -> None:
    conversion = after_opening(
        b"not JSON",
        b"7",
        b'{"direction":"client_to_agent","message":"torn {"}',
        b'{"direction":"client_to_agent","message":null}',
        b'{"jsonrpc":"2.0"}',
        b'{"jsonrpc":"2.0","method":7}',
        b"",
        b'{"jsonrpc":"2.0","method":"session/update","params":[1]}',
    )
    assert [(u.line, u.reason) for u in conversion.report.kept_reasons] == [
        (5, "not JSON"),
        (6, "JSON, but not an object"),
        (7, "no JSON-RPC message"),
        (8, "no JSON-RPC message"),
        (9, "neither a request nor a response"),
        (10, "neither a request nor a response"),
    ]
    assert [u.line for u in conversion.report.not_converted] == [11]
    assert kept(conversion)["session/update"] == 1


def test_a_batch_is_its_messages_each_by_itself() -> None:
    """JSON-RPC 2.0, section 6."""
    wrapped = {"direction": "agent_to_client", "timestamp": "2026-03-02T09:00:00Z"}
    members = [chunk("a")["message"], chunk("b")["message"], 5]
    conversion = after_opening(
        json.dumps(wrapped | {"message": members}).encode(),
        json.dumps([prompt(1, "hi")["message"]]).encode(),
        b"[]",
        json.dumps(wrapped | {"message": []}).encode(),
    )
    assert said(conversion.main) == [("assistant", "ab"), ("user", "hi")]
    assert conversion.report.units_read == 4 + 3 + 1 + 1 + 1
    assert [u.reason for u in conversion.report.kept_reasons] == [
        "a member of a batch that is no object", "JSON, but not an object", "no JSON-RPC message",
    ]  # fmt: skip
    value = next(
        r.to_wire()["value"]
        for r in conversion.main
        if r.to_wire().get("value", {}) and "nativeType" not in r.to_wire()
    )
    assert value == wrapped | {"message": 5}


def test_requests_of_one_batch_are_apart() -> None:
    asked = [call(n, "session/request_permission", toolCall={"toolCallId": f"c{n}"}, options=OPTIONS) for n in (1, 2)]
    answers = [
        client(id=n, result={"outcome": {"outcome": "selected", "optionId": o}}) for n, o in ((2, "no"), (1, "once"))
    ]
    made = [ask(n, "session/new", cwd=f"/{n}") for n in (3, 4)]
    named = [agent(id=n, result={"sessionId": f"s{n}"}) for n in (4, 3)]
    batches = [
        {"direction": lines[0]["direction"], "message": [line["message"] for line in lines]}
        for lines in (asked, answers, made, named)
    ]
    conversion = after_opening(*(json.dumps(batch).encode() for batch in batches))
    assert [(d.permission_id, d.kind) for d in of(conversion, PermissionDecision)] == [
        ("2", "reject_once"),
        ("1", "allow_once"),
    ]
    roots = {name: records[0].to_wire()["roots"][0]["path"] for name, records in conversion.children.items()}
    assert roots == {"s4": "/4", "s3": "/3"}


def test_what_is_of_no_session_is_of_no_turn() -> None:
    conversion = convert(
        prompt(1, "hi"), ask(2, "session/list"), client(method="session/cancel", params={"sessionId": "s1"})
    )
    turns = {r.to_wire()["nativeType"]: r.turn_id for r in conversion.main if r.type == "native_line"}
    assert (turns["session/list"], turns["session/cancel"]) == (None, "1")


def test_answers_without_a_request_are_kept() -> None:
    conversion = convert(
        agent(id=99, result={"stopReason": "end_turn"}),
        agent(result={}),
        agent(id=None, error={"code": -32700, "message": "Parse error"}),
        prompt(1, "hi"),
        done(1),
        done(1, "refusal"),
    )
    assert [u.reason for u in conversion.report.kept_reasons] == [
        "it answers no request of the log",
        "it answers no request of the log",
        "it answers no request of the log",
        "line 9 answered the request",
    ]


@pytest.mark.parametrize("error", [{}, None, "no", {"code": 1}, {"message": 5}])
def test_an_error_without_a_message_is_kept(error: Any) -> None:
    conversion = convert(prompt(1, "hi"), agent(id=1, error=error), chunk("b"))
    assert kept(conversion) == {"session/prompt response": 1}
    assert of(conversion, Message)[-1].turn_id is None


def test_a_version_that_is_not_known_is_read_as_far_as_it_is() -> None:
    lines = opened()
    lines[1]["message"]["result"]["protocolVersion"] = 3
    conversion = acp.convert(log([*lines, prompt(1, "hi"), chunk("yes")]))
    assert [n.message for n in conversion.report.notes if n.code == "protocol-version-unknown"] == [
        "protocol version 3 is read as far as it is known"
    ]
    assert said(conversion.main) == [("user", "hi"), ("assistant", "yes")]


def test_requests_that_open_no_session_are_kept_in_the_first_one() -> None:
    conversion = convert(
        ask(1, "session/new", cwd="/a"),
        agent(id=1, error={"code": -32000, "message": "auth required"}),
        ask(2, "session/new", cwd="/b"),
        agent(id=2, result={}),
        ask(3, "session/new", cwd="/c"),
        ask(4, "session/list"),
        agent(id=4, result={"sessions": []}),
        ask(5, "session/list"),
        agent(id=5, error={"code": -1, "message": "no list"}),
        ask(6, "_mine/ask"),
        agent(id=6, result={}),
    )
    assert [r.to_wire()["message"] for r in conversion.main if r.type == "error"] == ["auth required", "no list"]
    assert kept(conversion) == {
        "session/new": 3, "session/new response": 1, "session/list": 2, "session/list response": 1,
        "_mine/ask": 1, "_mine/ask response": 1,
    }  # fmt: skip
    assert conversion.report.unknown == {"_mine/ask": 1, "_mine/ask response": 1}


def test_what_came_before_the_first_session_is_kept_in_it() -> None:
    failed = [ask(1, "authenticate", methodId="x"), agent(id=1, error={"code": 1, "message": "no"})]
    refused = [ask(2, "session/new"), agent(id=2, error={"code": 1, "message": "no"})]
    conversion = acp.convert(log([*failed, *refused, *opened()]))
    types = [r.to_wire().get("nativeType") for r in conversion.main[1:5]]
    assert types == ["authenticate", "authenticate response", "session/new", "session/new response"]


def test_a_line_with_a_time_or_direction_that_is_none_is_kept_beside_its_record() -> None:
    odd = {
        "direction": "up",
        "timestamp": "yesterday",
        "host": "h",
        "message": prompt(1, "hi", hint="x")["message"] | {"x": 1},
    }
    conversion = convert(odd)
    (message,) = of(conversion, Message)
    assert message.timestamp is None
    (note,) = [n for n in conversion.report.notes if n.code == "kept-beside"]
    assert note.message == "it is kept whole too: no record has a member for x, direction, timestamp, host, params.hint"
    assert [r.to_wire()["value"] for r in conversion.main if r.type == "native_line"][-1] == odd


EXIT = {"exitCode": 1, "_meta": {"x": 1}}


@pytest.mark.parametrize(
    ("lines", "named"),
    [
        ([call(1, "terminal/output", terminalId="t"), client(id=1, result={"output": "", "exitStatus": EXIT})], "result.exitStatus._meta"),
        ([call(1, "terminal/output", terminalId="t"), client(id=1, result={"output": "", "truncated": 1})], "result.truncated"),
        ([update("terminal_update", terminalId="t", exitStatus=EXIT)], "exitStatus._meta"),
        ([update("terminal_update", terminalId="t", output={"data": "", "truncated": "no"})], "output.truncated"),
        ([update("terminal_update", terminalId="t", output=["x"])], "output"),
        ([call(1, "fs/write_text_file", path="/a", content=""), client(id=1, result=["x"])], "result"),
        ([call(1, "session/request_permission", options=OPTIONS, toolCall=["x"])], "params.toolCall"),
        ([call(1, "session/request_permission", options=OPTIONS, toolCall={"toolCallId": 5, "title": "t"})], "params.toolCall"),
        ([call(1, "session/request_permission", options=OPTIONS, title=5)], "params.title"),
        ([chunk("x", messageId=["x"])], "messageId"),
        ([update("plan", entries=["x"])], "entries"),
        ([prompt(1, "x"), agent(id=1, error={"message": "m"}, result={"a": 1})], "result"),
        ([client(id={"a": 1}, method="session/prompt", params={"sessionId": "s1", "prompt": []})], "id"),
    ],
)  # fmt: skip
def test_a_message_with_a_member_that_is_not_taken_is_kept_beside_its_record(lines: list[Any], named: str) -> None:
    """A member that nobody knows at any depth, and one of another type than the protocol's."""
    conversion = convert(*lines)
    (note,) = [n.message for n in conversion.report.notes if n.code == "kept-beside"]
    assert note == f"it is kept whole too: no record has a member for {named}"
    assert [r.to_wire()["value"] for r in conversion.main if r.type == "native_line"][-1] == lines[-1]


def test_half_a_surrogate_and_a_member_told_twice_are_mended_and_counted() -> None:
    head = b'{"direction":"agent_to_client","message":{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":'
    conversion = after_opening(
        head + b'{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a\\ud83d"}}}}}',
        head + b'{"sessionUpdate":"x","sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"b"}}}}}',
    )
    assert said(conversion.main) == [("assistant", "a\ufffdb")]
    assert {(loss.kind, loss.count) for loss in conversion.report.lost} == {
        ("unpaired_surrogate", 1),
        ("duplicate_member", 1),
    }
    (declaration,) = [r.to_wire() for r in conversion.main if r.type == "declaration"]
    assert {loss["kind"] for loss in declaration["losses"]} == {"unpaired_surrogate", "duplicate_member"}


def test_numbers_keep_their_digits() -> None:
    raw = b'{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"%s}}}'
    conversion = after_opening(
        raw % b'tool_call","toolCallId":"c","title":"T","rawInput":{"n":123456789012345678901234567890,"x":1.10}',
        raw % b'usage_update","used":1,"size":2,"cost":{"amount":0.10,"currency":"USD"}',
        raw % b'usage_update","used":9007199254740993,"size":-1,"cost":{"amount":-1,"currency":"USD"}',
    )
    lines = [r.to_line() for r in conversion.main]
    assert any(b'"n":123456789012345678901234567890,"x":1.10' in line for line in lines)
    assert any(b'"amount":0.10' in line for line in lines)
    assert kept(conversion) == {"session/update/usage_update": 1}


@pytest.mark.parametrize(
    "message",
    [
        '{"jsonrpc":"2.0",\n "method":"_x",\r\n "params":{"sessionId":"s"}}',
        b'{"jsonrpc":"2.0","method":"_x","params":{"sessionId":"s","t":"\\ud800"}}',
        {"jsonrpc": "2.0", "method": "_x", "params": {"sessionId": "s", "t": "\ud800"}},
        {"jsonrpc": "2.0", "method": "_x", "params": {"sessionId": "s", "n": Decimal("1.10")}},
        {"jsonrpc": "2.0", "method": "_x", "params": {"sessionId": "s", "n": math.nan}},
        "torn {",
        "half \ud83d",
        b"\xff\xfe",
        "",
        None,
        7,
        [],
        [{"jsonrpc": "2.0", "method": "_x"}],
        json.loads("[" * 300 + "]" * 300),
    ],
    ids=repr,
)  # fmt: skip
def test_whatever_is_observed_is_recorded_as_its_line_is_converted(message: Any) -> None:
    lines = [
        acp.log_line(chunk("a")["message"], "agent_to_client"),
        acp.log_line(message, "agent_to_client", "2026-03-02T09:00:00Z"),
    ]
    assert all(b"\n" not in line for line in lines)
    recorder = acp.AcpRecorder()
    recorder.observe(chunk("a")["message"], "agent_to_client")
    recorder.observe(message, "agent_to_client", "2026-03-02T09:00:00Z")
    live, data = recorder.conversion(), b"\n".join([*lines, b""])
    account(live, data, "live")
    saved = acp.convert(data)
    assert [r.to_line() for r in live.main[1:]] == [r.to_line() for r in saved.main[1:]]


def test_bytes_that_are_not_text_are_kept_exactly() -> None:
    recorder = acp.AcpRecorder()
    recorder.observe(chunk("a")["message"], "agent_to_client")
    recorder.observe(b"\xff\xfe", "agent_to_client")
    values = [r.to_wire()["value"] for r in recorder.conversion().main if r.type == "native_line"]
    assert values == [{"direction": "agent_to_client", "message": {"base64": "//4="}}]


def test_a_value_that_is_no_json_is_an_error_of_the_harness() -> None:
    with pytest.raises(IJsonError):
        acp.AcpRecorder().observe({"method": object()}, "client_to_agent")


def test_what_the_harness_changes_later_does_not_change_the_record() -> None:
    message = prompt(1, "hi")["message"]
    recorder = acp.AcpRecorder()
    recorder.observe(message, "client_to_agent")
    message["params"]["prompt"][0]["text"] = "changed"
    assert said(recorder.conversion().main) == [("user", "hi")]


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_any_value_in_place_of_another_is_survived(data: st.DataObject) -> None:
    """Each value of a good message replaced by any other, at any depth."""
    lines = json.loads(json.dumps([*opened(), *EVERYTHING]))
    anything: st.SearchStrategy[Any] = st.sampled_from(
        [None, True, 0, -1, 1.5, "", "x", [], {}, [None], {"x": None}, [[]], 2**60, "\u0000"]
    )
    for _ in range(data.draw(st.integers(1, 3))):
        holder: Any = data.draw(st.sampled_from(lines))["message"]
        while True:
            name = data.draw(st.sampled_from(range(len(holder)) if isinstance(holder, list) else sorted(holder)))
            inner = holder[name]
            if not isinstance(inner, dict | list) or not inner or data.draw(st.booleans()):
                holder[name] = deepcopy(data.draw(anything))
                break
            holder = inner
    raw = log(lines)
    try:
        conversion = acp.convert(raw)
    except ConversionError:
        return
    account(conversion, raw, "the log")
    validated(conversion, "the log", errors_only=True)


EVERYTHING = [
    prompt(1, "hi"),
    chunk("a", messageId="m"),
    update("agent_message", messageId="m", content=[text("b")]),
    update("tool_call", toolCallId="c", title="T", kind="read", status="pending", rawInput={}, locations=[{"path": "/a", "line": 1}]),
    update("tool_call_update", toolCallId="c", status="completed", rawOutput=1,
           content=[item("x"), {"type": "diff", "path": "/a", "newText": "x"}, {"type": "terminal", "terminalId": "t"}]),
    update("tool_call_content_chunk", toolCallId="c", content=item("y")),
    update("plan", entries=[{"content": "a", "status": "pending", "priority": "high"}]),
    update("plan_update", plan={"type": "items", "planId": "p", "entries": [{"content": "a"}]}),
    update("usage_update", used=1, size=2, cost={"amount": 0.5, "currency": "USD"}),
    update("compaction_update", compactionId="k", status="completed", summary=[text("s")], error="e"),
    update("compaction_summary_chunk", compactionId="k", content=text("s")),
    update("terminal_update", terminalId="t", command="x", cwd="/", output={"data": "YQ==", "truncated": True}, exitStatus={"exitCode": 1, "signal": "S"}),
    update("terminal_output_chunk", terminalId="t", data="YQ=="),
    update("session_info_update", title="T"),
    update("state_update", state="idle", stopReason="end_turn", usage={"inputTokens": 1, "totalTokens": 1}),
    call(1, "session/request_permission", title="t", description="d", toolCall={"toolCallId": "c"},
         subject={"type": "command", "command": "x", "cwd": "/"}, options=[{"optionId": "o", "name": "n", "kind": "allow_once"}]),
    client(id=1, result={"outcome": {"outcome": "selected", "optionId": "o"}}),
    call(2, "elicitation/create", message="m", requestedSchema={"properties": {"a": {"enum": ["x"]}}}),
    client(id=2, result={"action": "accept", "content": {"a": "x"}}),
    call(3, "terminal/create", command="x", args=["y"], cwd="/"),
    client(id=3, result={"terminalId": "u"}),
    call(4, "terminal/output", terminalId="u"),
    client(id=4, result={"output": "x", "truncated": False, "exitStatus": {"exitCode": 0}}),
    call(5, "fs/write_text_file", path="/a", content="x"),
    client(id=5, result={}),
    done(1, usage={"inputTokens": 1, "outputTokens": 1, "totalTokens": 2}),
]  # fmt: skip


def test_what_a_terminal_cannot_be_told_from_is_kept() -> None:
    conversion = convert(
        call(0, "terminal/create", command="x", args=[1]),
        client(id=0, result={}),
        call(1, "terminal/output"),
        client(id=1, result={"output": "x"}),
        call(2, "terminal/create", command="x", args=[1], cwd=5),
        client(id=2, result={"terminalId": "t", "pid": 7}),
        call(3, "terminal/output", terminalId="t"),
        client(id=3, result={"output": 5}),
        call(4, "terminal/wait_for_exit", terminalId="t"),
        client(id=4, result={"exitCode": 0, "coreDumped": True}),
        update("terminal_update", terminalId="t", command=5, cwd=5, exitStatus=5),
    )
    records = [r.to_wire() for r in conversion.main if r.type == "terminal"]
    assert [(r["command"], r.get("args"), r.get("cwd"), r.get("exitStatus")) for r in records] == [
        ("x", None, None, None), ("x", None, None, {"exitCode": 0}),
    ]  # fmt: skip
    assert kept(conversion)["terminal/create response"] == 2  # one names no terminal, one tells the process beside it
    assert kept(conversion)["terminal/output response"] == 2
    assert kept(conversion)["terminal/wait_for_exit response"] == 1
    assert kept(conversion)["session/update/terminal_update"] == 1


def test_what_a_compaction_cannot_be_told_from_is_kept() -> None:
    conversion = convert(
        update("compaction_update", compactionId="k", status=5, summary=5, error=5),
        update("compaction_update", compactionId="k", status="completed"),
        update("compaction_update", compactionId="k", status=None, summary=[], error=None),
        update("compaction_summary_chunk", compactionId="k", content=text("one")),
        update("compaction_update", compactionId="k", summary=[text("another")]),
        update("compaction_summary_chunk", compactionId="k"),
    )
    records = [r.to_wire() for r in conversion.main if r.type == "compaction"]
    assert [(r["status"], [b["text"] for b in r.get("summary", [])]) for r in records] == [
        ("in_progress", []), ("completed", []), ("in_progress", []), ("in_progress", ["one"]), ("in_progress", ["another"]),
    ]  # fmt: skip
    assert kept(conversion) == {"session/update/compaction_update": 1, "session/update/compaction_summary_chunk": 1}


def test_what_a_request_cannot_be_told_from_is_kept() -> None:
    conversion = convert(
        call(0, "session/request_permission", options=[{"optionId": "o", "kind": 5}]),
        call(1, "elicitation/create", message=5, requestedSchema={"properties": {"a": {"enum": ["x"]}}}),
        client(id=1, result={"action": "accept", "content": {"a": 7}}),
        call(2, "fs/write_text_file", path=5),
        client(id=2, result={}),
        update("plan_update", plan={"type": "items", "planId": "p", "entries": 5}),
        update("tool_call_update", toolCallId="c", content=5),
        update("state_update", state="idle", stopReason=5, usage=5),
    )
    found = kept(conversion)
    assert (
        found["session/request_permission"],
        found["elicitation/create response"],
        found["fs/write_text_file response"],
    ) == (1, 1, 1)
    notes = {n.line: n.message.split("member for ")[1] for n in conversion.report.notes if n.code == "kept-beside"}
    assert notes == {
        6: "message, requestedSchema", 7: "result.content", 10: "entries", 11: "content", 12: "stopReason, usage",
    }  # fmt: skip


# size


def operations(run: Callable[[], Any]) -> int:
    """How many Python functions a run calls; no clock is looked at."""
    count = 0

    def tell(_frame: Any, event: str, _argument: Any) -> None:
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(tell)
    try:
        run()
    finally:
        sys.setprofile(before)
    return count


PIECES: dict[str, Callable[[int], dict[str, Any]]] = {
    "pieces of a message": lambda _: chunk("word "),
    "pieces of a message with an ID": lambda _: chunk("word ", messageId="m"),
    "pieces of two messages in turns": lambda i: chunk("word ", messageId="ab"[i % 2]),
    "pieces of a call": lambda _: update("tool_call_content_chunk", toolCallId="c", content=item("x")),
    "pieces of a terminal": lambda _: update("terminal_output_chunk", terminalId="t", data="YQ=="),
    "pieces of a summary": lambda _: update("compaction_summary_chunk", compactionId="k", content=text("s")),
    "prompts": lambda i: prompt(i, "hi"),
    "updates of a call": lambda i: update("tool_call_update", toolCallId="c", title=str(i)),
    "calls": lambda i: update("tool_call", toolCallId=str(i), title="T", status="completed"),
    "unknown updates": lambda _: update("x"),
}


@pytest.mark.parametrize("what", PIECES)
def test_the_work_is_linear_in_the_messages(what: str) -> None:
    start = update("tool_call", toolCallId="c", title="C", status="in_progress")

    def count(n: int) -> int:
        data = log([*opened(version=2), start, *(PIECES[what](i) for i in range(n))])
        return operations(lambda: acp.convert(data))

    few, many = count(100), count(400)
    assert (many - count(0)) / (few - count(0)) < 4.4


def test_ten_thousand_pieces_are_one_record_of_their_size() -> None:
    """Not a growing revision for each: those would be 10 000 records, of 250 MB."""
    data = log([*opened(), prompt(1, "hi"), *(chunk("word ") for _ in range(10_000)), done(1)])
    conversion = acp.convert(data)
    assert said(conversion.main) == [("user", "hi"), ("assistant", "word " * 10_000)]
    assert sum(len(r.to_line()) for r in conversion.main) < 55_000
    assert len(conversion.report.merged) == 9_999


# files


def test_a_packed_log_and_one_without_a_session(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl.gz"
    path.write_bytes(gzip.compress(SAMPLE.read_bytes()))
    assert len(acp.convert(path).main) == len(acp.convert(SAMPLE).main)
    path.write_bytes(gzip.compress(SAMPLE.read_bytes())[:1500])
    assert acp.convert(path).report.notes[0].code == "log-cut"
    with pytest.raises(
        ConversionError, match=r"^no session in 2 lines: initialize 2\. Is it a recorded ACP session log\?$"
    ):  # fmt: skip
        acp.convert(log(opened()[:1] * 2))
    with pytest.raises(ConversionError, match="no session in 0 lines: nothing"):
        acp.convert(b"")
    with pytest.raises(SourceError):
        acp.convert(tmp_path / "nowhere")


def test_the_sessions_of_a_connection_are_written_apart(tmp_path: Path) -> None:
    conversion = acp.convert(SAMPLE)
    assert list(conversion.children) == ["sess-lexer-40", "sess-v2-1"]
    paths = conversion.write(tmp_path / "out.jsonl")
    assert len(paths) == 3
    for records in conversion.children.values():
        header = records[0]
        assert isinstance(header, SessionHeader)
        assert header.parent is None


@pytest.mark.parametrize(
    ("direction", "at"),
    [
        ("client", None),
        (None, None),
        ([], None),
        *(("client_to_agent", at) for at in ("yesterday", 5, "2026-03-02T09:00:00")),
    ],
)
def test_a_direction_or_time_that_is_none_is_refused_at_once(direction: Any, at: Any) -> None:
    """What the caller says of a message is no message: guessing it would invent who spoke, and when."""
    recorder = acp.AcpRecorder()
    for take in (recorder.observe, acp.log_line):
        with pytest.raises(ValueError, match=r"(direction is client_to_agent or agent_to_client|at is a time in UTC)"):
            take(prompt(1, "x")["message"], direction, at)
    assert recorder.finish().lines_read == 0
