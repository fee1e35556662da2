"""Connections of the Agent Client Protocol, version 1: what its messages become.

What the messages mean is told by the protocol's own pages at agentclientprotocol.com (Prompt Turn, Tool Calls, Terminals, Agent Plan).
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from sessionrecord import Session
from sessionrecord.convert import acp, testing
from sessionrecord.records import (
    Answer,
    Compaction,
    Declaration,
    ErrorRecord,
    FileChange,
    Message,
    PermissionDecision,
    PermissionRequest,
    Plan,
    Question,
    SessionHeader,
    SessionInfo,
    State,
    Terminal,
    ToolCall,
    ToolResult,
    Usage,
)
from tests.convert.acp_logs import (
    AT,
    OPTIONS,
    SAMPLE,
    UNKNOWN,
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


@pytest.mark.parametrize("check", testing.CHECKS)
def test_the_sample_passes_the_kit(check: Any) -> None:
    sample = testing.Sample(
        acp.convert,
        SAMPLE,
        inherited=frozenset(
            {"turnId", "path", "command", "args"}
        ),  # of a request, where the answer gives the record its line
        excused={
            **dict.fromkeys(
                ("direction", "jsonrpc", "method", "sessionUpdate"), "what a message is for decides its record"
            ),
            **dict.fromkeys(("content.type", "plan.type"), "what is of a type has a block or record"),
            "timestamp": "of what is replayed, the time is that of the replay",
            "result.truncated": "where it is true, a capture state says so",
            "result.action": "the outcome, in the words of the format",
        },
        unknown=UNKNOWN,
    )
    check(sample)


def test_the_header_tells_who_talks_and_where() -> None:
    (header,) = of(convert(), SessionHeader)
    assert (header.agent, header.agent_version, header.session_id) == ("agent", "2", "s1")
    assert header.client is not None
    assert (header.client.name, header.client.version) == ("editor", "1")
    assert header.producer.method == "converter"
    assert [(r.id, r.path) for r in header.roots or ()] == [("cwd", "/work")]
    assert header.timestamp == AT


def test_directories_that_are_told_after_the_first_update_are_declared() -> None:
    early = update("available_commands_update", availableCommands=[])
    lines = opened()
    conversion = acp.convert(log([*lines[:3], early, lines[3]]))
    (declaration,) = of(conversion, Declaration)
    assert [r.path for r in declaration.roots or ()] == ["/work"]
    assert not any(n.code == "session-not-opened" for n in conversion.report.notes)


def test_a_fork_names_the_session_it_came_from() -> None:
    conversion = convert(ask(9, "session/fork", sessionId="s1", cwd="/work"), agent(id=9, result={"sessionId": "s2"}))
    header = conversion.children["s2"][0]
    assert isinstance(header, SessionHeader)
    assert header.fork_of is not None
    assert header.fork_of.session == "asr:agent//s1"
    assert header.parent is None


def test_an_agent_without_a_name_is_made_up_and_reported() -> None:
    conversion = acp.convert(log([chunk("hi")]))
    (header,) = of(conversion, SessionHeader)
    assert header.agent == "unknown"
    made_up = conversion.report.made_up[0]
    assert (made_up.what, made_up.value) == ("agent", "unknown")
    assert [n.code for n in conversion.report.notes] == ["session-not-opened"]
    recorder = acp.AcpRecorder(agent="mine")
    recorder.observe(chunk("hi")["message"], "agent_to_client")
    (header,) = of(recorder.conversion(), SessionHeader)
    assert (header.agent, recorder.report.made_up[0].what) == ("mine", "messageId")


def test_pieces_become_one_message_and_a_thought_is_one_of_its_own() -> None:
    conversion = convert(
        prompt(1, "hi"),
        chunk("let me ", "agent_thought_chunk"),
        chunk("see", "agent_thought_chunk"),
        chunk("hel"),
        chunk("lo"),
        done(1),
    )
    assert said(conversion.main) == [("user", "hi"), ("thought", "let me see"), ("assistant", "hello")]
    messages = of(conversion, Message)
    assert [m.message_id for m in messages] == ["line-5", "line-6", "line-8"]
    assert [m.content and len(m.content) for m in messages] == [1, 1, 1]
    assert conversion.report.merged == {7: 6, 9: 8}
    assert {m.what for m in conversion.report.made_up} == {"roots[].id", "messageId"}


def test_a_message_with_an_id_keeps_it_and_another_id_is_another_message() -> None:
    conversion = convert(chunk("a", messageId="m1"), chunk("b", messageId="m1"), chunk("c", messageId="m2"))
    assert [(m.message_id, m.text) for m in of(conversion, Message)] == [("m1", "ab"), ("m2", "c")]
    assert not [m for m in conversion.report.made_up if m.what == "messageId"]


def test_what_is_not_text_is_a_block_of_its_own_and_null_is_absent() -> None:
    """The protocol reads null as omitted; our blocks have no nulls (ASR-043)."""
    picture = {"type": "image", "mimeType": "image/png", "data": "aGk=", "uri": None, "annotations": None}
    odd = {"type": "image", "data": "aGk="}
    resource = {"type": "resource", "resource": {"uri": "file:///a", "text": "x", "mimeType": None}}
    noted = {"type": "text", "text": "b", "annotations": {"priority": 1}}
    blocks = [text("a"), noted, picture, resource, odd, {"type": "diff", "path": "/a"}]
    conversion = convert(*(update("agent_message_chunk", content=b) for b in blocks))
    (message,) = of(conversion, Message)
    assert message.to_wire()["content"] == [
        text("a"),
        noted,
        {"type": "image", "mimeType": "image/png", "data": "aGk="},
        resource,
        {"type": "native_block", "harness": "acp", "value": odd},
        {"type": "native_block", "harness": "acp", "value": {"type": "diff", "path": "/a"}},
    ]


def test_a_turn_has_the_id_of_its_prompt_and_ends_with_the_answer() -> None:
    conversion = convert(prompt(7, "hi"), chunk("a"), done(7), chunk("b"))
    assert [m.turn_id for m in of(conversion, Message)] == ["7", "7", None]
    (state,) = of(conversion, State)
    assert (state.state, state.reason, state.turn_id) == ("idle", "end_turn", "7")


def test_a_turn_whose_id_another_turn_had_has_none() -> None:
    """Ruling 17: turnId only from native IDs; two turns of one ID would be one."""
    conversion = convert(prompt(7, "hi"), done(7), prompt(7, "again"), done(7))
    assert [m.turn_id for m in of(conversion, Message)] == ["7", None]
    assert "turn-without-id" in {n.code for n in conversion.report.notes}


def test_a_prompt_that_the_agent_tells_again_is_one_message() -> None:
    echo = [chunk("hi ", "user_message_chunk"), chunk("there", "user_message_chunk")]
    conversion = convert(prompt(1, "hi there"), *echo, chunk("hello"), done(1))
    assert said(conversion.main) == [("user", "hi there"), ("assistant", "hello")]
    assert [u.reason for u in conversion.report.not_converted] == ["repeats the prompt of line 5"] * 2
    named = convert(prompt(1, "hi"), chunk("hi", "user_message_chunk", messageId="m"), chunk("hello"))
    assert said(named.main) == [("user", "hi"), ("assistant", "hello")]
    assert kept(named) == {"session/update/user_message_chunk": 1}


def test_another_message_of_the_user_is_a_message() -> None:
    conversion = convert(prompt(1, "hi"), chunk("wait", "user_message_chunk"), chunk("hello"), done(1))
    assert said(conversion.main) == [("user", "hi"), ("user", "wait"), ("assistant", "hello")]


# tools


def test_a_call_is_revised_and_its_end_is_its_result() -> None:
    conversion = convert(
        update("tool_call", toolCallId="c", title="Read", kind="read", status="pending", rawInput={"path": "a"}),
        update("tool_call_update", toolCallId="c", status="in_progress", locations=[{"path": "/a", "line": 3}]),
        update("tool_call_update", toolCallId="c", status="completed", content=[item("x")], rawOutput={"n": 1}),
    )
    calls, (result,) = of(conversion, ToolCall), of(conversion, ToolResult)
    assert [c.status for c in calls] == ["pending", "in_progress", "completed"]
    assert {(c.call_id, c.call_id_source, c.title, c.kind, str(c.arguments)) for c in calls} == {
        ("c", "native", "Read", "read", "{'path': 'a'}")
    }
    assert [(p.path, p.line) for p in calls[-1].locations or ()] == [("/a", 3)]
    assert (result.outcome, result.text, result.structured) == ("success", "x", {"n": 1})
    assert Session.from_records(conversion.main).diagnostics == []


def test_a_call_that_failed_is_an_error_and_one_that_did_not_end_has_no_outcome() -> None:
    """No result means unknown, never failure (spec section 4)."""
    conversion = convert(
        update("tool_call", toolCallId="a", title="A", status="failed", content=[item("no")]),
        update("tool_call", toolCallId="b", title="B", status="in_progress", content=[item("half")]),
        update("tool_call", toolCallId="c", title="C", status="pending"),
    )
    results = {r.call_id: r for r in of(conversion, ToolResult)}
    assert (results["a"].outcome, results["a"].text) == ("error", "no")
    assert (results["b"].outcome, results["b"].text) == (None, "half")
    assert "c" not in results
    assert [n.code for n in conversion.report.notes] == ["call-unfinished"]


def test_content_that_is_replaced_is_not_lost_and_content_that_grew_is_told_once() -> None:
    grown = convert(
        update("tool_call", toolCallId="c", title="C", status="in_progress", content=[item("a")]),
        update("tool_call_update", toolCallId="c", content=[item("ab")]),
        update("tool_call_update", toolCallId="c", status="completed", content=[item("ab"), item("c")]),
    )
    assert [r.text for r in of(grown, ToolResult)] == ["abc"]
    assert grown.report.merged == {5: 7, 6: 7}
    replaced = convert(
        update("tool_call", toolCallId="c", title="C", status="in_progress", content=[item("first")]),
        update("tool_call_update", toolCallId="c", status="completed", content=[item("second")]),
    )
    assert [(r.text, r.outcome) for r in of(replaced, ToolResult)] == [("first", None), ("second", "success")]


def test_diffs_and_terminals_are_blocks() -> None:
    diff = {"type": "diff", "path": "/a", "oldText": None, "newText": "x"}
    content = [diff, {"type": "terminal", "terminalId": "t"}, {"type": "odd", "x": 1}]
    conversion = convert(update("tool_call", toolCallId="c", title="E", status="completed", content=content))
    (result,) = of(conversion, ToolResult)
    assert result.terminal_id == "t"
    assert result.to_wire()["content"] == [
        {"type": "diff", "path": "/a", "newText": "x"},
        {"type": "terminal", "terminalId": "t"},
        {"type": "native_block", "harness": "acp", "value": {"type": "odd", "x": 1}},
    ]


def test_an_update_that_says_nothing_new_makes_no_record() -> None:
    twice = update("tool_call_update", toolCallId="c", status="completed", content=[item("x")])
    conversion = convert(update("tool_call", toolCallId="c", title="C", status="pending"), twice, twice)
    assert len(of(conversion, ToolCall)) == 2
    assert len(of(conversion, ToolResult)) == 1
    assert [u.reason for u in conversion.report.not_converted] == ["repeats what is known of the call of line 5"]


def test_an_id_that_another_call_had_is_made_up() -> None:
    """Ruling 17: a call ID reused for another call becomes `<id>#2`, synthetic."""
    conversion = convert(
        update("tool_call", toolCallId="c", title="A", status="completed"),
        update("tool_call", toolCallId="c", title="B", status="pending"),
        update("tool_call_update", toolCallId="c", status="failed"),
    )
    calls = of(conversion, ToolCall)
    assert [(c.call_id, c.call_id_source) for c in calls] == [
        ("c", "native"), ("c#2", "synthetic"), ("c#2", "synthetic"),
    ]  # fmt: skip
    assert [(r.call_id, r.outcome) for r in of(conversion, ToolResult)] == [("c", "success"), ("c#2", "error")]
    assert "call-id-reused" in {n.code for n in conversion.report.notes}


def test_members_that_no_record_has_are_kept_with_the_message() -> None:
    conversion = convert(
        update("tool_call", toolCallId="c", title=5, status="pending", _meta={"tool": "Bash"}, locations=[{"line": 1}])
    )
    (kept_whole,) = [
        r.to_wire() for r in conversion.main if r.to_wire().get("nativeType") == "session/update/tool_call"
    ]
    assert kept_whole["value"]["message"]["params"]["update"]["_meta"] == {"tool": "Bash"}
    (note,) = conversion.report.notes
    assert (note.code, note.line) == ("kept-beside", 5)
    assert all(name in note.message for name in ("_meta", "title", "locations"))
    assert conversion.report.converted["session/update/tool_call"] == 1


# permissions


def test_a_permission_is_asked_and_decided_by_the_request_it_answers() -> None:
    conversion = convert(
        update("tool_call", toolCallId="c", title="C", status="pending"),
        call(0, "session/request_permission", toolCall={"toolCallId": "c"}, options=OPTIONS),
        call("0", "session/request_permission", toolCall={"toolCallId": "c"}, options=OPTIONS),
        client(id="0", result={"outcome": {"outcome": "selected", "optionId": "no"}}),
        client(id=0, result={"outcome": {"outcome": "selected", "optionId": "once"}}),
    )
    asked, decided = of(conversion, PermissionRequest), of(conversion, PermissionDecision)
    assert [(r.permission_id, r.call_id) for r in asked] == [("0", "c"), ("0#2", "c")]
    assert [o.option_id for o in asked[0].options or ()] == ["once", "no"]
    assert [(d.permission_id, d.outcome, d.option_id, d.kind, d.decided_by) for d in decided] == [
        ("0#2", "selected", "no", "reject_once", None),
        ("0", "selected", "once", "allow_once", None),
    ]
    assert ("permissionId", "0#2") in {(m.what, m.value) for m in conversion.report.made_up}


@pytest.mark.parametrize(
    "result", [{}, {"outcome": None}, {"outcome": {"outcome": "selected"}}, {"outcome": {"optionId": "once"}}, None, []]
)
def test_what_is_no_decision_never_becomes_one(result: Any) -> None:
    asked = call(0, "session/request_permission", toolCall={"toolCallId": "c"}, options=OPTIONS)
    conversion = convert(asked, client(id=0, result=result))
    assert of(conversion, PermissionDecision) == []
    assert kept(conversion) == {"session/request_permission response": 1}


def test_a_cancelled_or_unanswered_request_is_no_permission() -> None:
    asked = call(0, "session/request_permission", toolCall={"toolCallId": "c", "title": "Run"}, options=OPTIONS)
    conversion = convert(asked, client(id=0, result={"outcome": {"outcome": "cancelled"}}))
    (decision,) = of(conversion, PermissionDecision)
    assert (decision.outcome, decision.option_id, decision.kind) == ("cancelled", None, None)
    assert [c.title for c in of(conversion, ToolCall)] == ["Run"]
    conversion = convert(asked)
    assert of(conversion, PermissionDecision) == []
    assert [n.code for n in conversion.report.notes] == ["unanswered"]
    conversion = convert(asked, client(id=0, error={"code": -32603, "message": "closed"}))
    assert of(conversion, PermissionDecision) == []
    assert [(e.message, e.code) for e in of(conversion, ErrorRecord)] == [("closed", "-32603")]


@pytest.mark.parametrize("chosen", ["yes", "both"])
def test_of_an_option_that_was_not_offered_or_twice_nothing_is_taken_for_granted(chosen: str) -> None:
    twice = [{"optionId": "both", "kind": "allow_once"}, {"optionId": "both", "kind": "reject_once"}]
    asked = call(0, "session/request_permission", toolCall={"toolCallId": "c"}, options=[*OPTIONS, *twice])
    conversion = convert(asked, client(id=0, result={"outcome": {"outcome": "selected", "optionId": chosen}}))
    (decision,) = of(conversion, PermissionDecision)
    assert (decision.option_id, decision.kind) == (chosen, None)
    assert "option-unknown" in {n.code for n in conversion.report.notes}


# files and terminals of the client


def test_a_file_that_was_written_is_a_change_and_one_that_was_not_is_none() -> None:
    write = call(0, "fs/write_text_file", path="/a", content="x")
    assert [c.path for c in of(convert(write, client(id=0, result=None)), FileChange)] == ["/a"]
    failed = convert(write, client(id=0, error={"code": 1, "message": "read-only", "data": {"errno": 30}}))
    assert of(failed, FileChange) == []
    assert kept(failed) == {"fs/write_text_file": 1, "fs/write_text_file response": 1}
    read = convert(call(0, "fs/read_text_file", path="/a"), client(id=0, result={"content": "x"}))
    assert kept(read) == {"fs/read_text_file": 1, "fs/read_text_file response": 1}


def test_a_terminal_is_made_prints_and_ends() -> None:
    conversion = convert(
        call(0, "terminal/create", command="ls", args=["-l"], cwd="/work", env=[{"name": "A", "value": "1"}]),
        client(id=0, result={"terminalId": "t"}),
        call(1, "terminal/output", terminalId="t"),
        client(id=1, result={"output": "a\n", "truncated": True}),
        call(2, "terminal/output", terminalId="t"),
        client(id=2, result={"output": "a\n", "truncated": True}),
        call(3, "terminal/wait_for_exit", terminalId="t"),
        client(id=3, result={"exitCode": None, "signal": "SIGKILL"}),
        call(4, "terminal/wait_for_exit", terminalId="t"),
        client(id=4, result={"exitCode": "zero"}),
    )
    made, printed, ended = of(conversion, Terminal)
    assert (made.command, made.args, made.cwd and made.cwd.path) == ("ls", ["-l"], "/work")
    assert (printed.output, printed.exit_status) == ("a\n", None)
    assert {name: s.state for name, s in (printed.capture or {}).items()} == {"output": "truncated"}
    assert ended.exit_status is not None
    assert (ended.output, ended.exit_status.exit_code, ended.exit_status.signal) == ("a\n", None, "SIGKILL")
    assert [u.reason for u in conversion.report.not_converted] == ["repeats what is known of the terminal of line 6"]
    assert kept(conversion)["terminal/wait_for_exit response"] == 1


# plans, usage, session


def test_a_plan_is_revised_and_told_once() -> None:
    one, two = [{"content": "a", "status": "pending", "priority": "high"}], [{"content": "a", "status": "completed"}]
    conversion = convert(update("plan", entries=one), update("plan", entries=one), update("plan", entries=two))
    plans = of(conversion, Plan)
    assert {p.plan_id for p in plans} == {"plan"}
    assert [[(e.content, e.status, e.priority) for e in p.entries or ()] for p in plans] == [
        [("a", "pending", "high")], [("a", "completed", None)],
    ]  # fmt: skip
    assert len(conversion.report.not_converted) == 1
    assert [m.value for m in conversion.report.made_up if m.what == "planId"] == ["plan"]


def test_the_state_of_the_session_is_a_cumulative_counter() -> None:
    """Context size and cost describe the session; the cost is the total so far (RFD "Session Context Size and Cost")."""
    conversion = convert(
        update("usage_update", used=10, size=100, cost={"amount": 0.1, "currency": "USD"}),
        update("usage_update", used=10, size=100, cost={"amount": 0.1, "currency": "USD"}),
        update("usage_update", used=30, size=100, cost={"amount": 0.30000000000000004, "currency": "USD"}),
    )
    records = of(conversion, Usage)
    assert [(u.scope, u.counter, u.context_tokens, u.context_window) for u in records] == [
        ("session", "cumulative", 10, 100), ("session", "cumulative", 30, 100),
    ]  # fmt: skip
    assert Session.from_records(conversion.main).usage().costs == {"USD": Decimal("0.30000000000000004")}
    assert records[1].input_tokens is None


@pytest.mark.parametrize(
    ("counts", "known"),
    [
        # total minus input and output: what is counted apart
        ({"inputTokens": 5, "outputTokens": 3, "totalTokens": 8}, {"inputTokens": 5, "outputTokens": 3}),
        ({"inputTokens": 5, "outputTokens": 3}, {"inputTokens": 5, "outputTokens": 3}),
        ({"inputTokens": 5, "outputTokens": 3, "totalTokens": 12, "cachedReadTokens": 4}, {"inputTokens": 5, "outputTokens": 3}),
        ({"inputTokens": 5, "outputTokens": 3, "totalTokens": 8, "cachedReadTokens": 4}, {"outputTokens": 3}),
        ({"inputTokens": 5, "outputTokens": 3, "cachedReadTokens": 4}, {"outputTokens": 3}),
        ({"inputTokens": 5, "outputTokens": 3, "totalTokens": 8, "thoughtTokens": 2}, {"inputTokens": 5, "outputTokens": 3}),
        ({"inputTokens": 5, "outputTokens": 3, "totalTokens": 10, "thoughtTokens": 2}, {"inputTokens": 5}),
        ({"inputTokens": 5, "outputTokens": 3, "totalTokens": 14, "thoughtTokens": 2, "cachedReadTokens": 4}, {"inputTokens": 5}),
        ({"inputTokens": 5, "outputTokens": 3, "totalTokens": 10, "thoughtTokens": 2, "cachedReadTokens": 2}, {}),
        ({"inputTokens": -1, "outputTokens": "3", "totalTokens": 8}, {}),
    ],
)  # fmt: skip
def test_tokens_of_a_turn_are_what_ours_mean_or_are_left_out(counts: dict[str, Any], known: dict[str, int]) -> None:
    """Our input is without cached tokens, our output with reasoning (spec section 4); the total tells how the agent counts."""
    conversion = convert(prompt(1, "hi"), done(1, usage=counts))
    (usage,) = of(conversion, Usage)
    wire = usage.to_wire()
    assert {name: wire[name] for name in ("inputTokens", "outputTokens") if name in wire} == known
    assert (usage.scope, usage.counter, usage.total_tokens) == ("turn", "delta", counts.get("totalTokens"))
    assert usage.capture is not None
    assert usage.capture["counter"].state == "unknown"
    assert "usage-unclear" in {n.code for n in conversion.report.notes}
    left_out = {"inputTokens", "outputTokens"} - known.keys()
    assert (kept(conversion)["session/prompt response"] == 1) == bool(left_out)


def test_a_title_is_given_and_taken_back() -> None:
    conversion = convert(
        update("session_info_update", title="T"),
        update("session_info_update", title=None),
        update("session_info_update", updatedAt="2026-03-02T09:00:00Z"),
    )
    infos = of(conversion, SessionInfo)
    assert [i.title for i in infos] == ["T", None]
    assert kept(conversion) == {"session/update/session_info_update": 1}


def test_a_compaction_has_its_place_from_its_first_update() -> None:
    """RFD "Session Compaction": the first update fixes the place; an omitted status of a new one is in_progress."""
    conversion = convert(
        chunk("before"),
        update("compaction_update", compactionId="k"),
        chunk("after"),
        update("compaction_summary_chunk", compactionId="k", content=text("a ")),
        update("compaction_summary_chunk", compactionId="k", content=text("summary")),
        update("compaction_update", compactionId="k", status="completed"),
        update("compaction_update", compactionId="k", status="completed"),
        update("compaction_update", compactionId="f", status="failed", error="too long"),
    )
    first, second, failed = of(conversion, Compaction)
    assert (first.status, first.summary) == ("in_progress", None)
    assert (second.status, second.text) == ("completed", "a summary")
    assert second.capture is not None
    assert second.capture["keptFrom"].state == "unknown"
    assert (failed.status, failed.error and failed.error.message) == ("failed", "too long")
    assert said(conversion.main) == [("assistant", "before"), ("assistant", "after")]
    types = [r.type for r in conversion.main if r.type in ("message", "compaction")]
    assert types[:2] == ["message", "compaction"]
    assert len(conversion.report.not_converted) == 1


def test_a_summary_in_pieces_without_an_end_is_written_at_the_end() -> None:
    conversion = convert(update("compaction_summary_chunk", compactionId="k", content=text("half")))
    assert [(c.status, c.text) for c in of(conversion, Compaction)] == [("in_progress", ""), ("in_progress", "half")]


def test_a_question_and_its_answer() -> None:
    schema = {"type": "object", "properties": {"color": {"type": "string", "enum": ["red", "blue"]}}}
    many = {
        "type": "object",
        "properties": {"c": {"type": "array", "items": {"anyOf": [{"const": "r", "title": "Red"}]}}},
    }
    free = {"type": "object", "properties": {"name": {"type": "string"}}}
    conversion = convert(
        call(0, "elicitation/create", mode="form", message="Which?", requestedSchema=schema),
        client(id=0, result={"action": "accept", "content": {"color": "red"}}),
        call(1, "elicitation/create", mode="form", message="Which ones?", requestedSchema=many),
        client(id=1, result={"action": "accept", "content": {"c": ["r"]}}),
        call(2, "elicitation/create", mode="form", message="Name?", requestedSchema=free),
        client(id=2, result={"action": "accept", "content": {"name": "Ada"}}),
        call(3, "elicitation/create", mode="url", elicitationId="e", message="Go", url="https://example.org"),
        client(id=3, result={"action": "decline"}),
        call(4, "elicitation/create", mode="form", message="Two?", requestedSchema={"properties": {"a": {}, "b": {}}}),
        client(id=4, result={"action": "accept", "content": {"a": 1, "b": 2}}),
        call(5, "elicitation/create", message="?"),
        client(id=5, result={"content": {}}),
    )
    questions, answers = of(conversion, Question), of(conversion, Answer)
    assert [(q.question_id, [o.option_id for o in q.options or ()], q.multiple) for q in questions] == [
        ("0", ["red", "blue"], False), ("1", ["r"], True), ("2", [], None), ("e", [], None), ("4", [], None), ("5", [], None),
    ]  # fmt: skip
    assert [(a.question_id, a.outcome, a.selected, a.text) for a in answers] == [
        ("0", "answered", ["red"], None),
        ("1", "answered", ["r"], None),
        ("2", "answered", None, "Ada"),
        ("e", "declined", None, None),
        ("4", "answered", None, None),
    ]
    assert kept(conversion)["elicitation/create response"] == 2  # of the two fields, and the one that is none


def test_what_no_record_is_for_is_kept_whole() -> None:
    """Ruling 17: native lines with no home become `native_line`."""
    lines = [
        update("current_mode_update", currentModeId="ask"),
        update("config_option_update", configOptions=[]),
        client(method="session/cancel", params={"sessionId": "s1"}),
        ask(3, "session/set_mode", sessionId="s1", modeId="ask"),
        agent(id=3, result={}),
        update("_mine", x=1),
        update("from_the_future"),
        agent(method="_mine/thing", params={"sessionId": "s1"}),
    ]
    conversion = convert(*lines)
    values = [r.to_wire()["value"] for r in conversion.main if r.type == "native_line"]
    assert values[4:] == lines
    assert conversion.report.unknown == {
        "session/update/_mine": 1, "session/update/from_the_future": 1, "_mine/thing": 1,
    }  # fmt: skip


def test_an_error_is_a_record_with_its_code() -> None:
    conversion = convert(
        prompt(1, "hi"), agent(id=1, error={"code": -32000, "message": "no", "data": {"x": 1}}), chunk("b")
    )
    (error,) = of(conversion, ErrorRecord)
    assert (error.message, error.code, error.severity, error.turn_id) == ("no", "-32000", "error", None)
    assert kept(conversion) == {"session/prompt response": 1}
    assert of(conversion, Message)[-1].turn_id is None
