"""What each native line of a rollout becomes. Values are those in the logs."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessionrecord.convert import codex
from sessionrecord.errors import ConversionError
from sessionrecord.records import (
    Compaction,
    Declaration,
    ErrorRecord,
    Message,
    Rewind,
    SessionHeader,
    SessionInfo,
    ToolCall,
    ToolResult,
    Usage,
)
from sessionrecord.records.envelope import ParticipatingModel
from sessionrecord.session import Session
from sessionrecord.stream.authoring import ref_of
from tests.convert.codex_logs import (
    DATA,
    SAMPLE,
    SESSION,
    call,
    convert,
    event,
    item,
    line,
    log,
    message,
    meta,
    output,
    tokens,
    user,
)
from tests.convert.logs import accounted, codes, natives, of


def contents(session: Session, **at: Any) -> list[str]:
    return [ref_of(i.record) for i in session.context_view(**at).items if isinstance(i.record, ParticipatingModel)]


def test_the_sample_becomes_the_records_it_was_written_for() -> None:
    """The numbers are of what was put into the sample: 7 messages, 3 reasoning items, 5 calls of which 4 have an output."""
    conversion = codex.convert(SAMPLE)
    native = [json.loads(row) for row in SAMPLE.read_bytes().splitlines()]
    report = conversion.report
    assert accounted(report) == len(native) == 53
    assert report.unknown == {"hologram": 1}
    messages = of(Message, conversion.main)
    reasoning = [m for m in messages if m.content[0].type == "reasoning"]
    assert [b.encrypted for m in reasoning for b in m.content] == [
        row["payload"]["encrypted_content"] for row in native if row["payload"].get("type") == "reasoning"
    ]
    assert len(messages) - len(reasoning) == 7 + 1  # one stays in context after the compaction
    calls, results = of(ToolCall, conversion.main), of(ToolResult, conversion.main)
    assert [c.call_id for c in calls if c.call_id_source == "native"] == [f"call_sample000{i}" for i in (1, 2, 3, 4)]
    assert {r.call_id: r.exit_code for r in results} == {
        "call_sample0001": 1, "call_sample0002": 0, "call_sample0003": 0, "call_sample0004": 0,
    }  # fmt: skip
    assert [e.code for e in of(ErrorRecord, conversion.main)] == [
        "response_stream_disconnected",
        "usage_limit_exceeded",
    ]
    session = Session.from_records(conversion.main)
    assert session.diagnostics == []
    used = [row["payload"]["info"] for row in native if row["payload"].get("info")][-1]["total_token_usage"]
    total = session.usage().total
    assert total.input_tokens == used["input_tokens"] - used["cached_input_tokens"]
    assert (total.cache_read_tokens, total.output_tokens) == (used["cached_input_tokens"], used["output_tokens"])
    assert (total.reasoning_tokens, total.total_tokens) == (used["reasoning_output_tokens"], used["total_tokens"])


def test_the_header_tells_what_session_meta_says_and_the_rest_of_it_is_kept() -> None:
    git = {"commit_hash": "abc", "branch": "main", "repository_url": "https://example.org/r.git"}
    native = meta(git=git, originator="codex_exec", base_instructions={"text": "Be brief."}, forked_from_id="older")
    conversion = codex.convert(log(native, message("user", "hi")))
    header = conversion.main[0]
    assert isinstance(header, SessionHeader)
    assert (header.agent, header.session_id, header.agent_version) == ("codex", SESSION, "0.98.0")
    assert header.client is not None
    assert header.client.name == "codex_exec"
    assert header.roots is not None
    assert header.roots[0].to_wire() == {
        "id": "cwd",
        "path": "/home/ada",
        "vcs": {"kind": "git", "revision": "abc", "branch": "main", "remote": "https://example.org/r.git"},
    }
    assert header.fork_of is not None
    assert header.fork_of.session == "asr:codex//older"
    assert natives(conversion.main)[0]["value"] == native


def test_a_spawned_thread_names_the_session_that_started_it() -> None:
    source = {"subagent": {"thread_spawn": {"parent_thread_id": "above", "depth": 1}}}
    header = codex.convert(log(meta(source=source), message("user", "hi"))).main[0]
    assert isinstance(header, SessionHeader)
    assert header.parent == "asr:codex//above"


def test_lines_of_older_rollouts_have_no_envelope() -> None:
    conversion = codex.convert(DATA / "older.jsonl")
    assert accounted(conversion.report) == 7
    assert [r.type for r in conversion.main] == [
        "session", "native_line", "native_line", "message", "message", "tool_call", "tool_result", "message",
    ]  # fmt: skip
    header = conversion.main[0].to_wire()
    assert (header["sessionId"], header["timestamp"]) == (
        "6f1b7c2e-0c53-4e5e-9d0a-2f6d4c1a7b90",
        "2025-07-01T10:00:00.000Z",
    )
    assert [m.message_id for m in of(Message, conversion.main)] == ["line-3", "rs_1", "msg_1"]
    (result,) = of(ToolResult, conversion.main)
    assert (result.exit_code, result.duration_ms, result.outcome) == (0, 200, "success")


@given(st.text(), st.text(min_size=1), st.lists(st.text(), min_size=2, max_size=3))
def test_a_reasoning_item_is_a_message_of_one_block_that_loses_nothing(
    encrypted: str, summary: str, raw: list[str]
) -> None:
    """Ruling 17."""

    def mended(said: str) -> str:
        return said.encode("utf-16", "surrogatepass").decode("utf-16", "replace")

    parts = [{"type": "reasoning_text", "text": mended(text)} for text in raw]
    shown = [{"type": "summary_text", "text": mended(summary)}]
    conversion = convert(
        item("reasoning", summary=shown, content=None, encrypted_content=mended(encrypted)),
        item("reasoning", summary=shown, content=parts, encrypted_content=None),
    )
    (first,), (second,) = (m.content for m in of(Message, conversion.main))
    assert first.to_wire() == {"type": "reasoning", "text": mended(summary), "encrypted": mended(encrypted)}
    assert second.to_wire() == {
        "type": "reasoning",
        "text": "\n\n".join(map(mended, raw)),
        "summary": shown,
        "content": parts,
    }


def test_what_is_written_for_the_screen_too_is_no_second_message() -> None:
    conversion = convert(
        *user("Hello"),
        event("agent_reasoning", text="Thinking"),
        item("reasoning", summary=[{"type": "summary_text", "text": "Thinking"}], encrypted_content="x"),
        event("agent_message", message="Hi", phase="final"),
        message("assistant", "Hi", phase="final"),
        event("agent_message", message="Hi"),
    )
    assert [(u.line, u.reason) for u in conversion.report.not_converted] == [
        (3, "repeats line 2"), (4, "repeats line 5"), (6, "repeats line 7"),
    ]  # fmt: skip
    assert [(u.line, u.reason) for u in conversion.report.kept_reasons] == [(8, "no item has its text")]
    assert [m.origin for m in of(Message, conversion.main)] == ["user", None, None]


def test_an_event_that_says_more_than_its_item_is_kept() -> None:
    picture = "data:image/png;base64,aGk="
    content = [{"type": "input_text", "text": "See"}, {"type": "input_image", "image_url": picture}]
    conversion = convert(
        item("message", role="user", content=content),
        event("user_message", message="See", images=[picture]),
        item("message", role="user", content=content),
        event("user_message", message="See", images=[], local_images=["/home/ada/a.png"]),
    )
    assert [(u.line, u.reason) for u in conversion.report.not_converted] == [(3, "repeats line 2")]
    assert [(u.line, u.reason) for u in conversion.report.kept_reasons] == [
        (5, "its item does not have its local_images")
    ]
    assert [b.to_wire() for b in of(Message, conversion.main)[0].content] == [
        {"type": "text", "text": "See"},
        {"type": "image", "mimeType": "image/png", "data": "aGk="},
    ]


@given(st.permutations([f"c{i}" for i in range(5)]))
def test_parallel_outputs_pair_with_their_calls_in_any_order(order: list[str]) -> None:
    """Spec section 7, rule 6: by callId, never by adjacency."""
    calls = [call(f"c{i}", f'{{"cmd":"run {i}"}}') for i in range(5)]
    conversion = convert(*calls, *(output(c, f"said {c}") for c in order))
    session = Session.from_records(conversion.main)
    assert session.diagnostics == []
    assert [(p.call.call_id, [r.text for r in p.results]) for p in session.tool_calls() if p.call] == [
        (f"c{i}", [f"said c{i}"]) for i in range(5)
    ]


def test_calls_of_every_kind_keep_their_arguments() -> None:
    action = {"type": "exec", "command": ["ls"]}
    patch = "*** Begin Patch\n*** Update File: a.py\n*** Add File: b.py\n*** End Patch"
    conversion = convert(
        call("c1", '{"cmd": "ls", "n": 12345678901234567890123}'),
        call("c2", "not JSON"),
        call("c3", "{}", name="mcp__files__read"),
        item("custom_tool_call", status="completed", call_id="c4", name="apply_patch", input=patch),
        item("local_shell_call", call_id="c5", status="completed", action=action),
        item("web_search_call", id="ws_1", status="completed", action={"type": "search", "query": "q"}),
        item("web_search_call", status="completed", action={"type": "search", "query": "q"}),
    )
    calls = of(ToolCall, conversion.main)
    assert [(c.call_id, c.call_id_source, c.name, c.kind) for c in calls] == [
        ("c1", "native", "exec_command", "execute"),
        ("c2", "native", "exec_command", "execute"),
        ("c3", "native", "mcp__files__read", None),
        ("c4", "native", "apply_patch", "edit"),
        ("c5", "native", "local_shell", "execute"),
        ("ws_1", "native", "web_search", "fetch"),
        ("line-8", "synthetic", "web_search", "fetch"),
    ]
    assert [c.arguments for c in calls[:2]] == [{"cmd": "ls", "n": 12345678901234567890123}, "not JSON"]
    assert (calls[2].server, calls[3].arguments, calls[4].arguments) == ("files", patch, action)
    assert [place.path for place in calls[3].locations] == ["a.py", "b.py"]
    assert ("callId", "line-8") in [(m.what, m.value) for m in conversion.report.made_up]


@pytest.mark.parametrize(
    ("name", "said", "told"),
    [
        (
            "exec_command",
            "Chunk ID: a1\nWall time: 0.0512 seconds\nProcess exited with code 12\nOutput:\n",
            (12, 51.2, "error"),
        ),
        ("exec_command", "Wall time: 2 seconds\nProcess running with session ID 7\nOutput:\n", (None, 2000, None)),
        ("shell", "Exit code: 0\nWall time: 0.1 seconds\nOutput:\nok", (0, 100, "success")),
        ("apply_patch", '{"output":"","metadata":{"exit_code":-1,"duration_seconds":1.5}}', (-1, 1500, "error")),
        ("apply_patch", '{"output":', (None, None, None)),
        ("shell", '{"output":"","metadata":{"exit_code":"0","duration_seconds":-1}}', (None, None, None)),
        ("shell", "plain", (None, None, None)),
        ("read_file", "Exit code: 1\nWall time: 1 seconds\n", (None, None, None)),
        ("shell", '{"output":"","metadata":{"exit_code":0,"duration_seconds":1e300}}', (0, None, "success")),
        ("exec_command", "Output:\nProcess exited with code 1\n", (None, None, None)),
        ("other", {"content": "no", "success": False}, (None, None, "error")),
        ("other", {"success": "maybe"}, (None, None, None)),
        ("other", None, (None, None, None)),
    ],
)
def test_how_a_call_ended_is_only_what_the_harness_wrote(name: str, said: Any, told: tuple[Any, Any, Any]) -> None:
    """Absent is unknown: text of the command itself and of other tools says nothing."""
    (result,) = of(ToolResult, convert(call("c", name=name), output("c", said)).main)
    assert (result.exit_code, result.duration_ms, result.outcome) == told
    assert result.text == (said if isinstance(said, str) else (said or {}).get("content", ""))


def test_a_reused_call_id_gets_an_id_of_its_own_and_its_own_output() -> None:
    """Ruling 17."""
    conversion = convert(call("c", '{"n":1}'), output("c", "one"), call("c", '{"n":2}'), output("c", "two"))
    first, second = of(ToolCall, conversion.main)
    assert (second.call_id, second.call_id_source) == (f"{first.call_id}#2", "synthetic")
    assert [(r.call_id, r.text) for r in of(ToolResult, conversion.main)] == [("c", "one"), ("c#2", "two")]
    assert (4, "call-id-reused") in codes(conversion.report)


def test_lines_told_again_are_repeats_or_revisions() -> None:
    conversion = convert(call("c"), output("c", "one"), call("c"), output("c", "one"), output("c", "two"), output("d"))
    assert [(u.line, u.reason) for u in conversion.report.not_converted] == [
        (4, "repeats line 2"),
        (5, "repeats line 3"),
    ]
    assert codes(conversion.report) == [(6, "revised"), (7, "result-without-call")]
    view = Session.from_records(conversion.main).context_view()
    assert [i.record.text for i in view.items if isinstance(i.record, ToolResult)] == ["two", "done"]


def test_unknown_lines_and_parts_are_kept_whole_and_named() -> None:
    native = line("hologram", {"depth": 123456789012345678901234567890, "nothing": None})
    conversion = convert(
        message("user", "hi"),
        native,
        item("telepathy", thought=1),
        event("new_event"),
        item("ghost_snapshot", ghost_commit={}),
        line("response_item", "text"),
        item("message", role="user"),
        item("function_call_output", output="whose?"),
        item("message", role="user", content=[{"type": "scent"}, {"type": "text"}, 1]),
    )
    assert conversion.report.unknown == {"hologram": 1, "response_item/telepathy": 1, "event_msg/new_event": 1}
    assert natives(conversion.main)[1]["value"] == native
    assert [(u.line, u.reason) for u in conversion.report.kept_reasons] == [
        (7, "no payload object"), (8, "a message without role or content"), (9, "an output that names no call"),
    ]  # fmt: skip
    assert [b.type for b in of(Message, conversion.main)[1].content] == ["scent", "native_block", "native_block"]
    assert codes(conversion.report) == [(10, "block-kept")] * 3


def test_turns_directories_models_and_titles_are_those_of_the_log() -> None:
    conversion = convert(
        event("task_started", turn_id="t1"),
        line("turn_context", {"turn_id": "t1", "cwd": "/home/ada/b", "model": "m1"}),
        message("assistant", "a"),
        event("task_complete", turn_id="t1"),
        message("assistant", "b"),
        event("thread_name_updated", thread_id="x", thread_name="A title"),
    )
    assert [(m.turn_id, m.model) for m in of(Message, conversion.main)] == [("t1", "m1"), (None, "m1")]
    assert [d.roots[0].path for d in of(Declaration, conversion.main)] == ["/home/ada/b"]
    assert [i.title for i in of(SessionInfo, conversion.main)] == ["A title"]


def test_a_compaction_is_the_summary_and_what_it_kept() -> None:
    """The view after it is the replacement history, and no more: neither is what was replaced still there, nor what was kept gone."""
    first, typed = user("One")
    kept, summary = first["payload"], message("user", "Summary")["payload"]
    conversion = convert(
        first,
        typed,
        message("assistant", "Two"),
        line("compacted", {"message": "Summary", "replacement_history": [kept, summary]}),
        message("user", "Three"),
        line("compacted", {"message": "Again", "replacement_history": [kept, message("user", "Three")["payload"]]}),
    )
    session = Session.from_records(conversion.main)
    assert session.diagnostics == []
    first_compaction, second = of(Compaction, conversion.main)
    assert (first_compaction.text, first_compaction.kept_from) == ("Summary", None)
    # the kept message and the one after it are the end of the context, so they stay as they are
    assert (second.text, second.kept_from) == ("Again", "messageId=line-5/0")
    assert contents(session) == ["compactionId=line-7", "messageId=line-5/0", "messageId=line-6"]
    assert [m.origin for m in of(Message, conversion.main)] == ["user", None, "injected", None]
    assert {m.value for m in conversion.report.made_up if m.what == "compactionId"} == {"line-5", "line-7"}


def test_what_a_replacement_history_cannot_say_as_messages_is_kept_with_it() -> None:
    sealed = {"type": "compaction", "encrypted_content": "gAAAA=="}
    thought = item("reasoning", summary=[], encrypted_content="x")["payload"]
    odd: list[Any] = [sealed, thought, call("c")["payload"], {"type": "message", "role": "user"}, 7]
    native = line("compacted", {"message": "", "replacement_history": odd})
    conversion = convert(
        message("user", "hi"),
        native,
        line("compacted", {"message": "S", "replacement_history": 1}),
        line("compacted", {"message": "S", "window": 2}),
    )
    compaction, other, third = of(Compaction, conversion.main)
    assert [b.to_wire() for b in compaction.summary] == [sealed]
    assert natives(conversion.main)[1]["value"] == native
    assert other.text == third.text == "S"
    assert codes(conversion.report) == [
        (3, "replayed"),
        (3, "compacted-kept"),
        (4, "compacted-kept"),
        (5, "compacted-kept"),
    ]


def test_a_rollback_takes_back_the_turns_it_says() -> None:
    conversion = convert(
        *user("One"),
        message("assistant", "Two"),
        *user("Three"),
        message("assistant", "Four"),
        event("thread_rolled_back", num_turns=1),
        *user("Five"),
        event("thread_rolled_back", num_turns=2),
        event("thread_rolled_back", num_turns=1),
    )
    assert [r.to for r in of(Rewind, conversion.main)] == ["messageId=line-4", None]
    assert (12, "rollback-unclear") in codes(conversion.report)
    session = Session.from_records(conversion.main)
    assert contents(session) == []
    before = next(r.seq for r in of(Rewind, conversion.main)[1:]) - 1
    assert contents(session, at=before) == ["messageId=line-2", "messageId=line-4", "messageId=line-9"]


def counters() -> st.SearchStrategy[list[list[tuple[int, int, int, int]]]]:
    """Runs of steps: input, cached part, output, reasoning part."""
    step = st.tuples(st.integers(1, 50), st.integers(0, 1), st.integers(1, 50), st.integers(1, 50))
    return st.lists(st.lists(step, min_size=1, max_size=4), min_size=1, max_size=3)


@given(counters(), st.data())
def test_usage_is_the_sum_of_the_steps_however_often_a_count_is_repeated(
    runs: list[list[tuple[int, int, int, int]]], data: st.DataObject
) -> None:
    """Ruling 6: a cumulative counter counts once, and a drop starts a new run."""
    lines: list[Any] = [message("user", "hi"), line("turn_context", {"model": "m"})]
    expected = [0, 0, 0, 0]
    before = [0] * 4
    for run in runs:
        total = [0] * 4
        first = True
        for fresh, cached, out, thought in run:
            # a run that begins below the last one, as a counter that was reset does
            if first and lines[2:]:
                fresh, cached, out, thought = 1, 1, 1, 1
                if any(b <= 1 for b in before):
                    break
            first = False
            total = [t + s for t, s in zip(total, (fresh, cached, out, thought), strict=True)]
            count = tokens((total[0] + total[1], total[1], total[2], total[3], sum(total[:3])))
            lines += [count] * data.draw(st.integers(1, 3))
        if not first:
            expected = [e + t for e, t in zip(expected, total, strict=True)]
            before = total
    session = Session.from_records(convert(*lines).main)
    used = session.usage().by_model["m"]
    assert [used.input_tokens, used.cache_read_tokens, used.output_tokens, used.reasoning_tokens] == expected
    assert used.total_tokens == sum(expected[:3])


def test_a_counter_of_several_models_names_none() -> None:
    """It does not tell them apart: to name one would count the other's tokens for it."""
    contexts = [line("turn_context", {"model": m}) for m in ("a", "b")]
    conversion = convert(
        message("user", "hi"), contexts[0], tokens((5, 1, 2, 1, 7)), contexts[1], tokens((9, 2, 4, 2, 13))
    )
    assert [u.model for u in of(Usage, conversion.main)] == [None, None]
    assert Session.from_records(conversion.main).usage().total.total_tokens == 13
    assert (4, "usage-of-models") in codes(conversion.report)


def test_counts_that_cannot_be_are_left_out_and_reported() -> None:
    conversion = convert(
        message("user", "hi"),
        tokens((5, 9, 2, 1, 7)),
        event("token_count", info={"total_token_usage": {"output_tokens": "3", "total_tokens": 8, "x": 1}, "y": 1}),
        event("token_count", info=None),
        tokens((9, 9, 9, 9, 9), model_context_window=-1, last_token_usage={"total_tokens": 4}),
        tokens((1, 1, 9, 9, 2), model_context_window=100),
    )
    assert [u.input_tokens for u in of(Usage, conversion.main)] == [None, None, 0, 0]
    assert [u.context_tokens for u in of(Usage, conversion.main)] == [None, None, 4, None]
    assert codes(conversion.report) == [
        (3, "usage-unclear"), (4, "usage-invalid"), (7, "usage-restarted"), (7, "usage-run-unclear"),
    ]  # fmt: skip
    assert {loss.field for loss in conversion.report.lost} == {
        "payload.info.total_token_usage.input_tokens",
        "payload.info.total_token_usage.output_tokens",
        "payload.info.total_token_usage.x",
        "payload.info.y",
        "payload.info.model_context_window",
        "payload.info.last_token_usage",
    }


def test_limits_are_kept_when_they_change() -> None:
    limits: list[Any] = [{"primary": None}, {"primary": {"used_percent": 1}}, {"primary": {"used_percent": 1}}, {}]
    lines = [line("event_msg", tokens((1, 0, 1, 0, 2))["payload"] | {"rate_limits": limit}) for limit in limits]
    conversion = convert(message("user", "hi"), *lines)
    assert [n["value"] for n in natives(conversion.main) if n["nativeType"] == "rate_limits"] == [limits[1]]


def test_members_that_no_record_holds_are_counted_as_lost() -> None:
    conversion = convert(
        line("response_item", {"type": "message", "role": "user", "phase": "p", "content": []}, ordinal=1),
        item("message", role="user", content=[{"type": "input_text", "text": "a", "annotations": []}]),
        item(
            "message", role="user", content=[{"type": "input_image", "image_url": "data:a/b;base64,", "detail": "high"}]
        ),
        line("response_item", {"type": "message", "role": "user", "content": []}, timestamp="yesterday"),
        event("error", message="no", codex_error_info={"a": {"b": 1}}),
    )
    assert {loss.field: loss.count for loss in conversion.report.lost} == {
        "ordinal": 1, "payload.phase": 1, "payload.content.input_text.annotations": 1,
        "payload.content.input_image.detail": 1, "timestamp": 1, "payload.codex_error_info": 1,
    }  # fmt: skip
    assert conversion.main[0].to_wire()["losses"][0]["kind"] == "member_dropped"


def test_members_of_another_type_are_counted_as_lost() -> None:
    """Absent would be read as never told."""
    conversion = convert(
        message("user", "hi", id=7),
        item("reasoning", encrypted_content={"x": 1}),
        item("function_call", name=["x"], status={}, arguments="{}", call_id="c"),
        item("function_call_output", call_id="c", output=[{"type": "input_text", "text": "a", "zz": 1}]),
        event("thread_name_updated", thread_name="n", thread_id="another"),
        event("token_count", info={"total_token_usage": [1]}),
    )
    assert {loss.field: loss.count for loss in conversion.report.lost} == {
        "payload.id": 1, "payload.encrypted_content": 1, "payload.name": 1, "payload.status": 1,
        "payload.output.input_text.zz": 1, "payload.thread_id": 1, "payload.info.total_token_usage": 1,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("payload", "named"),
    [
        ({"message": ["x"]}, "message"),
        ({"message": "s", "replacement_history": [message("tool", "s")["payload"]]}, "replacement_history.message.role"),
        ({"message": "s", "replacement_history": [message("user", "s", id="m")["payload"]]}, "replacement_history.message.id"),
        ({"replacement_history": [message("user", "new", zz=1)["payload"]]}, "replacement_history.message.zz"),
        ({"replacement_history": [item("reasoning", summary=[], id="r")["payload"]]}, "replacement_history.reasoning.id"),
    ],
)  # fmt: skip
def test_a_compaction_that_says_more_than_its_records_is_kept_beside_them(payload: dict[str, Any], named: str) -> None:
    conversion = convert(message("user", "hi"), line("compacted", payload))
    assert [n["value"]["payload"] for n in natives(conversion.main)][-1] == payload
    (note,) = [n.message for n in conversion.report.notes if n.code == "compacted-kept"]
    assert note == f"the line is kept as recorded too: {named}"


def test_an_event_is_no_repeat_where_it_names_its_turn_in_another_way() -> None:
    conversion = convert(message("user", "hi"), event("user_message", message="hi", turn_id=["x"]))
    assert [u.reason for u in conversion.report.kept_reasons] == ["its item does not have its turn_id"]


def test_the_first_session_meta_is_that_of_the_session() -> None:
    conversion = convert(message("user", "hi"), meta(id="copied"))
    assert conversion.main[0].to_wire()["sessionId"] == SESSION
    assert [u.reason for u in conversion.report.kept_reasons] == ["the header tells of the first session_meta"]


def test_a_session_without_session_meta_is_named_by_its_file(tmp_path: Any) -> None:
    path = tmp_path / f"rollout-2026-03-02T09-00-00-{SESSION}.jsonl"
    path.write_bytes(log(message("user", "hi")))
    conversion = codex.convert(path)
    assert conversion.main[0].to_wire()["sessionId"] == SESSION
    assert next((m.what, m.value) for m in conversion.report.made_up) == ("sessionId", SESSION)
    with pytest.raises(ConversionError, match="no line names the session"):
        codex.convert(path.read_bytes())


@pytest.mark.parametrize("lines", [[], [meta()], [meta(), item("ghost_snapshot")], [{"type": "user"}]])
def test_a_log_without_a_message_is_an_error_that_says_what_was_found(lines: list[Any]) -> None:
    with pytest.raises(ConversionError, match=f"no message in {len(lines)} lines?: .*Is it a Codex session log"):
        codex.convert(log(*lines))


def test_durations_are_exact() -> None:
    """Spec section 1: a duration is a JSON number; 0.0512 s is 51.2 ms, not 51.199999999999996."""
    (result,) = of(ToolResult, convert(call("c"), output("c", "Wall time: 0.0512 seconds\n")).main)
    assert Decimal(str(result.duration_ms)) == Decimal("0.0512") * 1000
