"""Connections of the Agent Client Protocol, version 2 (draft): messages with IDs, patches, states, terminals of the agent.

What the messages mean is told by the protocol's pages of version 2 (Prompt Lifecycle, Tool Calls) and its requests for dialog on
tool call updates, terminal output and permission requests.
"""

from __future__ import annotations

import base64
from typing import Any

from sessionrecord.records import Message, PermissionRequest, Plan, State, Terminal, ToolCall, ToolResult, Usage
from tests.convert.acp_logs import OPTIONS, agent, ask, call, chunk, client, item, kept, of, prompt, said, text, update
from tests.convert.acp_logs import convert as _convert


def convert(*lines: dict[str, Any]) -> Any:
    return _convert(*lines, version=2)


def accepted(number: Any) -> dict[str, Any]:
    return agent(id=number, result={})


def whole(kind: str, message_id: str, *texts: str, **more: Any) -> dict[str, Any]:
    return update(kind, messageId=message_id, content=[text(t) for t in texts], **more)


def state(name: str, **more: Any) -> dict[str, Any]:
    return update("state_update", state=name, **more)


def b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def test_a_prompt_stands_where_the_agent_says_and_has_its_id() -> None:
    """The message that the agent tells is the source of truth for the ID and the place."""
    conversion = convert(
        prompt(1, "hi"), accepted(1), state("running"), whole("user_message", "u", "hi"), chunk("yes", messageId="a")
    )
    assert [(m.message_id, m.text, m.turn_id) for m in of(conversion, Message)] == [("u", "hi", "1"), ("a", "yes", "1")]
    assert conversion.report.merged == {5: 8}
    assert not [m for m in conversion.report.made_up if m.what == "messageId"]


def test_a_prompt_may_be_told_in_pieces_or_in_other_words() -> None:
    pieces = [chunk("h", "user_message_chunk", messageId="u"), chunk("i", "user_message_chunk", messageId="u")]
    assert said(convert(prompt(1, "hi"), accepted(1), *pieces).main) == [("user", "hi")]
    other = convert(prompt(1, "/hi"), accepted(1), whole("user_message", "u", "Say hi."))
    assert said(other.main) == [("user", "Say hi.")]
    assert kept(other) == {"session/prompt": 1, "session/prompt response": 1}


def test_a_prompt_that_the_agent_does_not_tell_is_written_before_the_answer() -> None:
    conversion = convert(
        prompt(1, "hi"), accepted(1), chunk("yes", messageId="a"), state("idle", stopReason="end_turn")
    )
    assert said(conversion.main) == [("user", "hi"), ("assistant", "yes")]
    unanswered = convert(prompt(1, "hi"))
    assert said(unanswered.main) == [("user", "hi")]
    assert {n.code for n in unanswered.report.notes} == {"unanswered", "prompt-not-told"}


def test_a_prompt_that_was_refused_is_no_message() -> None:
    conversion = convert(prompt(1, "hi"), agent(id=1, error={"code": -32602, "message": "no"}))
    assert said(conversion.main) == []
    assert kept(conversion) == {"session/prompt": 1}


def test_two_prompts_are_paired_by_what_they_say() -> None:
    conversion = convert(
        prompt(1, "one"), prompt(2, "two"), accepted(1), accepted(2),
        whole("user_message", "b", "two"), whole("user_message", "a", "one"),
    )  # fmt: skip
    assert [(m.message_id, m.text) for m in of(conversion, Message)] == [("b", "two"), ("a", "one")]
    assert conversion.report.merged == {5: 10, 6: 9}


def test_a_message_is_replaced_and_goes_on() -> None:
    """A whole message replaces the content, pieces append to it; omitted content leaves it, null clears it."""
    conversion = convert(
        whole("agent_message", "m", "A"),
        chunk("B", messageId="m"),
        whole("agent_message", "m", "C"),
        chunk("D", messageId="m"),
        update("agent_message", messageId="m", _meta={"x": 1}),
        state("idle"),
        update("agent_message", messageId="m", content=None),
    )
    assert [m.text for m in of(conversion, Message)] == ["AB", "CD", ""]
    assert {m.message_id for m in of(conversion, Message)} == {"m"}
    assert kept(conversion) == {"session/update/agent_message": 1}


def test_pieces_that_come_late_make_one_revision_at_the_end_of_the_turn() -> None:
    """A revision for each piece would make the stream quadratic."""
    late = [chunk("x", messageId=m) for _ in range(20) for m in ("a", "b")]
    conversion = convert(*late, state("idle"))
    assert [(m.message_id, m.text) for m in of(conversion, Message)] == [
        ("a", "x"), ("b", "x" * 20), ("a", "x" * 20),
    ]  # fmt: skip


def test_the_whole_after_its_pieces_says_nothing_new() -> None:
    conversion = convert(chunk("A", messageId="m"), chunk("B", messageId="m"), whole("agent_message", "m", "AB"))
    assert [m.text for m in of(conversion, Message)] == ["AB"]
    assert [u.reason for u in conversion.report.not_converted] == ["repeats the message of line 5"]


def test_thought_and_text_of_one_id_are_one_message_and_another_role_is_another() -> None:
    conversion = convert(
        chunk("hm", "agent_thought_chunk", messageId="m"), chunk("yes", messageId="m"), whole("user_message", "m", "hi")
    )
    one, two = of(conversion, Message)
    assert [b["type"] for b in one.to_wire()["content"]] == ["reasoning", "text"]
    assert (one.message_id, two.message_id, two.role) == ("m", "m#2", "user")
    assert [(m.what, m.value) for m in conversion.report.made_up][-1:] == [("messageId", "m#2")]


def test_a_state_is_a_record_and_idle_ends_the_turn() -> None:
    conversion = convert(
        prompt(1, "hi"), accepted(1), whole("user_message", "u", "hi"), state("running"), state("requires_action"),
        chunk("yes", messageId="a"), state("idle", stopReason="end_turn", usage={"totalTokens": 5}), chunk("late", messageId="b"),
    )  # fmt: skip
    assert [(s.state, s.reason) for s in of(conversion, State)] == [
        ("running", None), ("requires_action", None), ("idle", "end_turn"),
    ]  # fmt: skip
    assert [m.turn_id for m in of(conversion, Message)] == ["1", "1", None]
    assert [u.total_tokens for u in of(conversion, Usage)] == [5]


def test_a_prompt_in_the_middle_of_the_work_belongs_to_its_turn() -> None:
    """A prompt starts or contributes to foreground work, which goes on until the agent is idle."""
    conversion = convert(
        prompt(1, "one"), accepted(1), whole("user_message", "u1", "one"), prompt(2, "two"), accepted(2),
        whole("user_message", "u2", "two"), chunk("yes", messageId="a"), state("idle"), prompt(3, "three"), accepted(3),
        whole("user_message", "u3", "three"),
    )  # fmt: skip
    assert [m.turn_id for m in of(conversion, Message)] == ["1", "1", "1", "3"]


def test_null_takes_back_a_member_of_a_call_and_omission_does_not() -> None:
    conversion = convert(
        update("tool_call_update", toolCallId="c", title="T", kind="read", rawInput={"a": 1}),
        update("tool_call_update", toolCallId="c", title=None, status="in_progress"),
        update("tool_call_update", toolCallId="c", rawOutput={"x": 1}, content=[item("a")]),
        update("tool_call_update", toolCallId="c", rawOutput=None, content=None, status="completed"),
    )
    calls = of(conversion, ToolCall)
    assert [(c.title, c.kind, c.arguments, c.status) for c in calls] == [
        ("T", "read", {"a": 1}, None),
        (None, "read", {"a": 1}, "in_progress"),
        (None, "read", {"a": 1}, "completed"),
    ]
    assert [(r.outcome, r.structured, r.text) for r in of(conversion, ToolResult)] == [
        (None, {"x": 1}, "a"), ("success", None, ""),
    ]  # fmt: skip


def test_items_are_added_to_a_call_and_later_content_replaces_them() -> None:
    def add(said_: str) -> dict[str, Any]:
        return update("tool_call_content_chunk", toolCallId="c", content=item(said_))

    first = update("tool_call_update", toolCallId="c", title="T", status="in_progress")
    end = update("tool_call_update", toolCallId="c", status="completed")
    joined = convert(first, add("a"), add("b"), end, add("c"), state("idle"))
    assert [(r.text, r.outcome) for r in of(joined, ToolResult)] == [("ab", "success"), ("abc", "success")]
    assert joined.report.merged == {6: 8, 7: 8}
    replaced = convert(
        first, add("a"), update("tool_call_update", toolCallId="c", status="failed", content=[item("z")])
    )
    assert [(r.text, r.outcome) for r in of(replaced, ToolResult)] == [("a", None), ("z", "error")]
    assert kept(convert(add("a"))) == {"session/update/tool_call_content_chunk": 1}


def test_a_diff_of_files_is_kept_as_it_is() -> None:
    diff = {
        "type": "diff",
        "changes": [{"operation": "delete", "path": "/a"}],
        "patch": {"format": "git_patch", "text": "x"},
    }
    conversion = convert(update("tool_call_update", toolCallId="c", title="T", status="completed", content=[diff]))
    assert of(conversion, ToolResult)[0].to_wire()["content"] == [
        {"type": "native_block", "harness": "acp", "value": diff}
    ]


def test_a_permission_has_a_title_and_a_subject() -> None:
    conversion = convert(
        call("p", "session/request_permission", title="Run?", description="It runs.", options=OPTIONS,
             subject={"type": "tool_call", "toolCall": {"toolCallId": "c", "title": "T"}}),
        call("q", "session/request_permission", title="Run?", options=OPTIONS,
             subject={"type": "command", "command": "ls", "cwd": "/work", "toolCallId": "c"}),
        call("r", "session/request_permission", title="Go on?", options=OPTIONS),
        call("s", "session/request_permission", title="Go on?", options=[{"name": "no ID"}]),
        client(id="s", result={"outcome": {"outcome": "selected", "optionId": "x"}}),
    )  # fmt: skip
    asked = of(conversion, PermissionRequest)
    assert [(r.permission_id, r.title, r.description, r.call_id) for r in asked] == [
        ("p", "Run?", "It runs.", "c"), ("q", "Run?", None, "c"), ("r", "Go on?", None, None),
    ]  # fmt: skip
    assert [c.title for c in of(conversion, ToolCall)] == ["T"]
    # the subject of the second has members that no record has; the options of the last are none
    assert kept(conversion) == {"session/request_permission": 2, "session/request_permission response": 1}


def test_plans_have_ids_and_other_forms_are_kept() -> None:
    conversion = convert(
        update("plan_update", plan={"type": "items", "planId": "p", "entries": [{"content": "a", "_meta": None}]}),
        update("plan_update", plan={"type": "markdown", "id": "q", "content": "# Steps"}),
        update("plan_update", plan={"type": "items", "entries": []}),
        update("plan_removed", planId="p"),
        update("plan_update", plan={"type": "items", "planId": "r", "entries": [{"no": "content"}]}),
    )
    assert [(p.plan_id, None if p.entries is None else [e.content for e in p.entries]) for p in of(conversion, Plan)] == [
        ("p", ["a"]), ("q", None),
    ]  # fmt: skip
    assert kept(conversion) == {"session/update/plan_update": 3, "session/update/plan_removed": 1}


def test_bytes_of_a_terminal_are_joined_before_they_are_read() -> None:
    """Pieces may split a character; each is base64 of its own (RFD "v2 Terminal Output")."""
    tick = "✓".encode()
    conversion = convert(
        update("terminal_update", terminalId="t", command="make", cwd="/work"),
        update("terminal_output_chunk", terminalId="t", data=b64(b"ok " + tick[:1])),
        update("terminal_output_chunk", terminalId="t", data=b64(tick[1:])),
        update("terminal_update", terminalId="t", exitStatus={"exitCode": 0, "signal": None}),
        update("terminal_update", terminalId="t", exitStatus={"exitCode": 0, "signal": None}),
    )
    made, ended = of(conversion, Terminal)
    assert (made.command, made.cwd and made.cwd.path, made.output) == ("make", "/work", None)
    assert (ended.output, ended.exit_status and ended.exit_status.exit_code) == ("ok ✓", 0)
    assert conversion.report.merged == {6: 8, 7: 8}
    assert len(conversion.report.not_converted) == 1


def test_bytes_that_are_no_text_are_all_there() -> None:
    conversion = convert(update("terminal_output_chunk", terminalId="t", data=b64(b"a\xff")))
    (terminal,) = of(conversion, Terminal)
    assert terminal.output == "a\ufffd"
    assert base64.b64decode(terminal.to_wire()["data"]) == b"a\xff"
    assert terminal.capture is not None
    assert terminal.capture["output"].state == "unknown"


def test_a_snapshot_replaces_what_was_printed_and_loses_none_of_it() -> None:
    conversion = convert(
        update("terminal_output_chunk", terminalId="t", data=b64(b"one")),
        update("terminal_update", terminalId="t", output={"data": b64(b"two"), "truncated": True}),
        update("terminal_output_chunk", terminalId="t", data=b64(b"!")),
        update("terminal_update", terminalId="t", output={"data": b64(b"two!"), "truncated": False}),
        update("terminal_update", terminalId="t", output={"data": "no base64"}, command=None),
        update("terminal_output_chunk", terminalId="t", data="?"),
    )
    terminals = of(conversion, Terminal)
    assert [t.output for t in terminals] == ["one", "two", "two!"]
    assert [bool(t.capture) for t in terminals] == [False, True, False]
    assert kept(conversion) == {"session/update/terminal_update": 1, "session/update/terminal_output_chunk": 1}


def test_what_stays_without_a_name_is_kept() -> None:
    lines = [
        update("terminal_update", command="x"),
        update("compaction_update", status="completed"),
        update("state_update"),
        update("user_message", content=[]),
        update("tool_call_update", title="x"),
        update("usage_update"),
        update("agent_message_chunk", content="text"),
        update("notice", severity="info", title="x"),
        ask(1, "session/prompt", sessionId="s1", prompt="text"),
    ]
    conversion = convert(*lines)
    assert sum(kept(conversion).values()) == len(lines)
    assert conversion.report.unknown == {}
