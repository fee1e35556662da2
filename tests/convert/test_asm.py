"""The events of runs to records. The rules are those of the ruling on ASM into ASR: what completes a message, what ends it, what is kept."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessionrecord import Session
from sessionrecord.asm import RunEvent, reduce_run
from sessionrecord.convert import Conversion, asm
from sessionrecord.errors import ConversionError, SourceError
from sessionrecord.records import (
    ErrorRecord,
    Message,
    PermissionDecision,
    PermissionRequest,
    ReasoningBlock,
    State,
    TextBlock,
    ToolCall,
    ToolResult,
    UnknownBlock,
    Usage,
)

KINDS = [
    "run_started", "assistant_delta", "assistant_message", "user_message", "thinking", "tool_use", "tool_result", "approval_requested",
    "approval_resolved", "cost_update", "result", "error", "stderr", "raw", "run_completed", "host_tool_requested", "session_resumed", "novel",
]  # fmt: skip


def event(kind: str, payload: Any = None, **members: Any) -> RunEvent:
    wire = {"kind": kind, "run_id": "run-1", "session_id": "s-1", "provider": "claude"} | members
    return RunEvent.parse(wire if payload is None else wire | {"payload": payload})


def delta(text: str) -> RunEvent:
    return event("assistant_delta", {"content": text})


def full(*texts: str, **metadata: Any) -> RunEvent:
    return event("assistant_message", {"content": [{"type": "text", "text": t} for t in texts], "metadata": metadata})


def convert(*events: RunEvent) -> Conversion:
    return asm.convert(events)


def of(cls: type[Any], conversion: Conversion) -> list[Any]:
    return [r for r in conversion.main if isinstance(r, cls)]


def texts(conversion: Conversion) -> list[str]:
    return [m.text for m in of(Message, conversion)]


def accounted(conversion: Conversion) -> int:
    report = conversion.report
    return report.converted.total() + report.kept.total() + report.unknown.total() + len(report.not_converted)


def test_the_deltas_of_a_message_become_one_record_when_it_ends() -> None:
    """Never a growing revision for each delta."""
    conversion = convert(
        delta("Hel"), delta("lo"), event("tool_use", {"tool_name": "ls", "tool_call_id": "c"}), delta("Bye")
    )
    assert [r.type for r in conversion.main] == ["session", "message", "tool_call", "message"]
    assert texts(conversion) == ["Hello", "Bye"]


@pytest.mark.parametrize("payload", [{}, {"content": ""}, {"type": "text", "text": None}])
@pytest.mark.parametrize("kind", ["assistant_delta", "thinking"])
def test_a_piece_that_says_nothing_is_not_counted_as_converted(kind: str, payload: dict[str, Any]) -> None:
    """Each line counts once, as what became of it; an empty piece is in no record."""
    conversion = convert(delta("a"), event(kind, payload), delta("b"))
    assert texts(conversion) == ["ab"]
    assert [(u.line, u.label, u.reason) for u in conversion.report.not_converted] == [(2, kind, "it says nothing")]
    assert accounted(conversion) == 3


@pytest.mark.parametrize(
    ("between", "messages"),
    [("thinking", 1), ("cost_update", 1), ("stderr", 1), ("raw", 1)]
    + [
        (k, 2)
        for k in KINDS
        if k not in ("assistant_delta", "assistant_message", "thinking", "cost_update", "stderr", "raw", "user_message")
    ],
)
def test_every_event_but_the_streamed_kinds_ends_the_message(between: str, messages: int) -> None:
    conversion = convert(delta("a"), event(between), delta("b"))
    assert "".join(texts(conversion)) == "ab"
    assert len(texts(conversion)) == messages


def test_a_full_message_that_repeats_the_deltas_completes_their_record() -> None:
    conversion = convert(delta("Hel"), delta("lo"), full("Hel", "lo"))
    assert texts(conversion) == ["Hello"]
    assert [n.code for n in conversion.report.notes] == ["text-repeated"]
    assert accounted(conversion) == 3


def test_a_full_message_that_says_something_else_is_another_record() -> None:
    assert texts(convert(delta("Hel"), full("Hello"))) == ["Hel", "Hello"]
    assert texts(convert(full("one"), full("one"))) == ["one", "one"]
    assert texts(convert(delta("Hello"), event("run_completed"), full("Hello"))) == ["Hello", "Hello"]


def test_a_snapshot_of_what_was_streamed_is_kept_but_is_no_second_message() -> None:
    conversion = convert(
        delta("a"), event("tool_use", {"tool_call_id": "c"}), delta("b"), full("ab", source="cursor_final_snapshot")
    )
    assert texts(conversion) == ["a", "b"]
    assert conversion.report.kept == {"assistant_message": 1}
    assert texts(convert(delta("ab"), full("ab", source="cursor_final_snapshot"))) == ["ab"]


def test_thoughts_stand_in_the_message_they_came_with_and_only_once() -> None:
    thought = event("thinking", {"content": " hm ", "signature": "sig"})
    (message,) = of(Message, convert(thought, delta("a"), thought, delta("b")))
    assert [type(b) for b in message.content] == [ReasoningBlock, TextBlock, ReasoningBlock, TextBlock]
    assert (message.content[0].text, message.content[0].signature) == (" hm ", "sig")
    again = event(
        "assistant_message", {"content": [{"type": "thinking", "thinking": " hm "}, {"type": "text", "text": "a"}]}
    )
    (message,) = of(Message, convert(thought, delta("a"), again))
    assert [type(b) for b in message.content] == [ReasoningBlock, TextBlock]
    (message,) = of(Message, convert(thought, full("a")))
    assert [type(b) for b in message.content] == [ReasoningBlock, TextBlock]


def test_content_that_is_no_block_is_kept_with_its_event() -> None:
    items = ["bare", {"type": "image", "source": {"data": "x"}}, {"type": "odd", "n": None}, 7, {"no": "type"}]
    conversion = convert(event("user_message", {"content": items}))
    (message,) = of(Message, conversion)
    assert (message.role, message.text) == ("user", "bare")
    assert [b.to_wire() for b in message.content if isinstance(b, UnknownBlock)] == [{"type": "odd", "n": None}]
    (kept,) = [r.to_wire() for r in conversion.main if r.type == "native_line"]
    assert kept["value"]["payload"]["content"] == items


def test_calls_and_results_pair_by_their_id() -> None:
    call = {"tool_name": "ls", "tool_call_id": "c", "input": {"path": "."}}
    conversion = convert(
        event("tool_use", call), event("tool_result", {"tool_call_id": "c", "content": "x", "is_error": True})
    )
    (use,) = Session.from_records(conversion.main).tool_calls()
    assert isinstance(use.call, ToolCall)
    assert (use.call.name, use.call.arguments) == ("ls", {"path": "."})
    assert [(r.outcome, r.text) for r in of(ToolResult, conversion)] == [("error", "x")]


@pytest.mark.parametrize(
    ("content", "members"),
    [
        (None, {}),
        ("x", {"content": [{"type": "text", "text": "x"}]}),
        ([{"type": "text", "text": "x"}], {"content": [{"type": "text", "text": "x"}]}),
        ({"a": 1}, {"structured": {"a": 1}}),
        ([1, "x"], {"structured": [1, "x"]}),
        ([], {"structured": []}),
        (0, {"structured": 0}),
    ],
)
def test_what_a_tool_gave_is_kept_as_it_is(content: Any, members: dict[str, Any]) -> None:
    (result,) = of(ToolResult, convert(event("tool_result", {"tool_call_id": "c", "content": content})))
    assert {k: v for k, v in result.to_wire().items() if k in ("content", "structured")} == members


def test_calls_without_an_id_of_their_own_get_one_that_is_marked() -> None:
    """Ruling on call IDs: one that is reused for another call is told apart; what is made up is marked and reported."""
    conversion = convert(
        event("tool_use", {"tool_name": "a"}),
        event("tool_use", {"tool_name": "b", "tool_call_id": "c"}),
        event("tool_use", {"tool_name": "d", "tool_call_id": "c"}),
        event("tool_use", {"tool_name": "d", "tool_call_id": "c"}),
        event("tool_result", {"tool_call_id": "c", "content": "of d"}),
        event("tool_result", {"content": "of none"}),
    )
    calls = of(ToolCall, conversion)
    assert [(c.name, c.call_id, c.call_id_source) for c in calls] == [
        ("a", "event-1", "synthetic"),
        ("b", "c", "native"),
        ("d", "c#2", "synthetic"),
    ]
    assert [r.call_id for r in of(ToolResult, conversion)] == ["c#2"]
    assert [(m.what, m.value) for m in conversion.report.made_up] == [("callId", "event-1"), ("callId", "c#2")]
    assert [u.line for u in conversion.report.not_converted] == [4]
    assert conversion.report.kept == {"tool_result": 1}


@pytest.mark.parametrize(
    ("one", "other"), [(1, True), (0, False), (1, 1.0), ([1], [True]), ({"a": 0}, {"a": False}), ("1", 1)]
)
def test_calls_whose_arguments_only_python_takes_for_equal_are_two(one: Any, other: Any) -> None:
    """Only an exact repeat makes no record."""
    calls = [event("tool_use", {"tool_call_id": "c", "input": {"x": value}}) for value in (one, other, one)]
    conversion = convert(*calls)
    assert [r.to_wire()["arguments"]["x"] for r in of(ToolCall, conversion)][:2] == [one, other]
    assert [repr(r.to_wire()["arguments"]["x"]) for r in of(ToolCall, conversion)][:2] == [repr(one), repr(other)]


def test_a_result_answers_the_call_of_its_native_id_and_never_one_whose_id_was_made_up() -> None:
    def call(name: str | None) -> RunEvent:
        return event("tool_use", {"tool_call_id": name, "tool_name": "x"})

    def answer(name: str) -> RunEvent:
        return event("tool_result", {"tool_call_id": name, "content": name})

    def ids(*events: RunEvent) -> list[str]:
        return [r.to_wire()["callId"] for r in convert(*events).main[1:]]

    assert ids(call(None), answer("event-1"), answer("event-1")) == ["event-1", "event-1#2", "event-1#2"]
    assert ids(answer("event-2"), call(None), call("event-2")) == ["event-2", "event-2#2", "event-2"]
    assert ids(answer("a"), call("a"), answer("a"), call("a")) == ["a", "a", "a"]


@pytest.mark.parametrize("kind", ["tool_use", "user_message"])
def test_no_two_calls_and_no_two_messages_have_one_id_however_their_events_are_named(kind: str) -> None:
    def named(name: str | None, i: int) -> RunEvent:
        if kind == "tool_use":
            return event(kind, {"tool_call_id": name, "input": {"n": i}})
        return event(kind, {"content": [str(i)]}, id=name)

    names = [None, "event-1", "a", "a", "a#2", "a", "a#2", "event-8", None, "event-9", "a#2#2"]
    conversion = convert(*(named(name, i) for i, name in enumerate(names)))
    wires = [r.to_wire() for r in conversion.main[1:]]
    ids = [w["callId" if kind == "tool_use" else "messageId"] for w in wires]
    assert ids == [
        "event-1",
        "event-1#2",
        "a",
        "a#2",
        "a#2#2",
        "a#3",
        "a#2#3",
        "event-8",
        "event-9",
        "event-9#2",
        "a#2#2#2",
    ]
    assert [m.value for m in conversion.report.made_up] == [i for i, name in zip(ids, names, strict=True) if i != name]


@pytest.mark.parametrize("kind", ["tool_use", "user_message"])
def test_many_events_of_one_name_take_time_and_room_in_proportion(kind: str) -> None:
    count = 5_000
    payloads = (
        {"tool_call_id": "c", "input": {"n": i}} if kind == "tool_use" else {"content": ["x"]} for i in range(count)
    )
    conversion = convert(*(event(kind, payload, id="e") for payload in payloads))
    assert len(conversion.main) == count + 1
    assert max(len(r.to_line()) for r in conversion.main) < 400


def test_approvals_become_requests_and_decisions() -> None:
    conversion = convert(
        event("approval_requested", {"approval_id": "p", "subject": "rm", "details": {"tool_input": {"f": 1}}}),
        event("approval_resolved", {"approval_id": "p", "decision": "approved"}),
        event("approval_requested", {"approval_id": "q"}),
        event("approval_resolved", {"approval_id": "q", "decision": "deny", "reason": "timeout"}),
        event("approval_resolved", {"decision": False, "reason": "no"}),
    )
    assert [(r.permission_id, r.title) for r in of(PermissionRequest, conversion)] == [("p", "rm"), ("q", None)]
    decisions = [(d.permission_id, d.outcome, d.kind, d.reason) for d in of(PermissionDecision, conversion)]
    assert decisions == [
        ("p", "selected", "allow_once", None),
        ("q", "expired", "reject_once", "timeout"),
        ("unnamed", "selected", "reject_once", "no"),
    ]
    (kept,) = [r.to_wire() for r in conversion.main if r.type == "native_line"]
    assert kept["value"]["payload"]["details"] == {"tool_input": {"f": 1}}


def test_usage_and_cost_add_up_to_those_of_the_run() -> None:
    """ASR-047; a count that the event does not give is not written as zero."""
    events = [event("cost_update", {"input_tokens": 3, "cost_usd": 0.1}) for _ in range(3)]
    conversion = convert(*events, event("cost_update", {"output_tokens": 2}))
    usage = Session.from_records(conversion.main).usage()
    cost = reduce_run([*events, event("cost_update", {"output_tokens": 2})]).cost
    assert (usage.total.input_tokens, usage.total.output_tokens) == (cost.input_tokens, cost.output_tokens) == (9, 2)
    assert usage.costs == {"USD": Decimal("0.3")}
    assert [u.output_tokens for u in of(Usage, conversion)] == [None, None, None, 2]


def test_errors_and_the_states_of_the_run_are_audit_facts() -> None:
    conversion = convert(
        event("run_started", {"cwd": "/srv/app", "command": "claude"}),
        event("error", {"message": "slow down", "code": "rate_limit", "severity": "warning",
                        "metadata": {"recovery": {"retryable?": True}}}),
        event("result", {"stop_reason": "end_turn", "object": {"x": 1}}),
        event("run_completed", {"status": "completed"}),
    )  # fmt: skip
    assert [(s.state, s.reason) for s in of(State, conversion)] == [
        ("running", None),
        ("idle", "end_turn"),
        ("idle", "completed"),
    ]
    (error,) = of(ErrorRecord, conversion)
    assert (error.message, error.code, error.severity, error.retryable) == ("slow down", "rate_limit", "warning", True)
    header = conversion.main[0].to_wire()
    assert header["roots"] == [{"id": "cwd", "path": "/srv/app"}]
    lost = {loss.field: loss.count for loss in conversion.report.lost}
    assert lost == {"run_started.command": 1, "error.metadata": 1}
    assert {loss["field"] for loss in header["losses"]} == set(lost)


def test_what_the_envelope_says_and_no_record_can_is_reported() -> None:
    conversion = convert(
        event("run_started", provider_session_id="p-1", sequence=4, metadata={"lane": "sdk"}, novel=1),
        event("run_started", metadata={"lane": "sdk"}, run_id="run-2", session_id="s-2", provider="codex"),
    )
    lost = {loss.field: loss.count for loss in conversion.report.lost}
    assert lost == {
        "provider_session_id": 1,
        "sequence": 1,
        "novel": 1,
        "metadata.lane": 2,
        "session_id": 1,
        "provider": 1,
    }
    assert [n.code for n in conversion.report.notes] == ["other-run", "other-session"]
    assert [r.turn_id for r in conversion.main[1:]] == ["run-1", "run-2"]


def test_times_and_native_ids_are_where_the_event_had_them() -> None:
    conversion = convert(event("stderr", {"content": "x"}, id="e-1", timestamp="2026-01-02T03:04:05.123456789+02:00"))
    record = conversion.main[1]
    assert record.timestamp == "2026-01-02T01:04:05.123456789Z"
    assert record.source is not None
    assert (record.source.native_type, record.source.native_id) == ("stderr", "e-1")


def test_unknown_kinds_and_broken_lines_are_kept_whole_and_named(tmp_path: Path) -> None:
    novel = {"kind": "novel", "run_id": "r", "session_id": "s", "payload": {"x": 10**30}}
    path = tmp_path / "events.jsonl"
    path.write_bytes(b"oops\n" + json.dumps(novel).encode() + b'\n{"kind":"result","payload":3}\n')
    conversion = asm.convert(path)
    assert conversion.report.unknown == {"novel": 1}
    assert conversion.report.kept == {"(no kind)": 1, "result": 1}
    assert [(u.line, u.label) for u in conversion.report.kept_reasons] == [(1, "(no kind)"), (3, "result")]
    values = [r.to_wire()["value"] for r in conversion.main[1:]]
    assert values == ["oops", novel, {"kind": "result", "payload": 3}]
    assert accounted(conversion) == conversion.report.lines_read == 3
    assert asm.convert(path.read_bytes()).main == conversion.main
    with path.open("rb") as file:
        assert asm.convert(file).main == conversion.main


def deep(levels: int) -> bytes:
    return b"[" * levels + b"]" * levels


@pytest.mark.parametrize(
    ("line", "label", "value"),
    [
        (rb'{"kind":"raw","payload":{"content":"\ud800"}}', "raw", None),
        (rb'{"kind":"\udc00","run_id":"r"}', "\ufffd", None),
        (b'{"kind":"raw","run_id":"r","session_id":"s","payload":{"content":-1e400}}', "raw", None),
        (b'{"kind":"raw","run_id":"r","session_id":"s","run_id":"q"}', "raw", None),
        (b'{"kind":"raw","run_id":"r","x":' + deep(253) + b"}", "raw", None),
        (b'{"kind":"raw","run_id":"r","session_id":"s","x":' + deep(253) + b"}", "raw", None),
        (b'{"kind":"novel","run_id":"r","session_id":"s","x":' + deep(253) + b"}", "novel", None),
        (b'{"kind":"raw","run_id":"r","x":' + deep(200) + b"}", "raw", json.loads(b'{"kind":"raw","run_id":"r","x":' + deep(200) + b"}")),
        (b"\xff{", "(no kind)", {"base64": "/3s="}),
        (b"null", "(no kind)", None),
        (b"[1.0]", "(no kind)", [1.0]),
    ],
)  # fmt: skip
def test_a_line_is_kept_whole_whatever_it_holds_and_the_others_are_converted(
    line: bytes, label: str, value: Any
) -> None:
    """Its value where a record can hold it and it says all that the line says; else its text."""
    conversion = asm.convert(delta("a").to_line() + b"\n" + line + b"\n" + delta("b").to_line() + b"\n")
    kept = next(r.to_wire() for r in conversion.main if r.type == "native_line")
    assert (kept["nativeType"], kept["value"]) == (label, line.decode() if value is None else value)
    assert "".join(texts(conversion)) == "ab"
    assert accounted(conversion) == 3
    assert [d for d in Session.from_records(conversion.main).diagnostics if d.severity == "error"] == []


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("2026-01-01T00:00:00.1234567891Z", "2026-01-01T00:00:00.123456789Z"),
        ("2026-01-01t02:00:00.12345678912345+01:00", "2026-01-01T01:00:00.123456789Z"),
        ("9999-12-31T23:59:59-00:01", None),
        ("0000-01-01T00:00:00.5+00:01", None),
    ],
)
def test_a_moment_that_no_record_can_name_is_cut_or_left_out_and_reported(given: str, kept: str | None) -> None:
    """ASR-044: 9 digits of a fraction and a year of 4 digits in UTC; an event's timestamp has any fraction and offset."""
    conversion = convert(event("user_message", {"content": ["a"]}, timestamp=given))
    assert conversion.main[1].timestamp == kept
    assert [(loss.field, loss.count) for loss in conversion.report.lost] == [("timestamp", 1)]
    assert [note.code for note in conversion.report.notes] == ["timestamp-cut"]


def test_a_count_that_no_record_can_hold_is_kept_with_its_event() -> None:
    """ASR-042: a record's counts end at 2^53-1; those of events do not."""
    conversion = convert(event("cost_update", {"input_tokens": 2**53, "output_tokens": 2**53 - 1, "cost_usd": 1}))
    kept, usage = conversion.main[1:]
    assert kept.to_wire()["value"]["payload"]["input_tokens"] == 2**53
    assert isinstance(usage, Usage)
    assert (usage.input_tokens, usage.output_tokens) == (None, 2**53 - 1)
    assert [note.code for note in conversion.report.notes] == ["count-kept"]


def test_a_null_in_usage_is_not_made_a_zero() -> None:
    """Usage has what the event gives and no more."""
    [usage] = of(Usage, convert(event("cost_update", {"input_tokens": None, "output_tokens": 0, "cost_usd": None})))
    assert (usage.input_tokens, usage.output_tokens, usage.total_tokens, usage.cost) == (None, 0, None, None)


@pytest.mark.parametrize("content", [b"", b"\n", b"oops\n", b'{"type":"user"}\n'])
def test_what_holds_no_event_is_an_error_that_says_so(content: bytes) -> None:
    with pytest.raises(ConversionError, match="no valid event of a run"):
        asm.convert(content)


def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SourceError):
        asm.convert(tmp_path / "none")


PAYLOADS = st.one_of(
    st.none(),
    st.fixed_dictionaries({"content": st.sampled_from(["", "a", "b", "ab"])}),
    st.fixed_dictionaries(
        {"content": st.lists(st.sampled_from(["a", "b", {"type": "text", "text": "a"}, 3]), max_size=3)}
    ),
    st.fixed_dictionaries(
        {"tool_call_id": st.sampled_from(["c", "d", "", None]), "tool_name": st.sampled_from(["x", "y"])}
    ),
    st.fixed_dictionaries(
        {"approval_id": st.sampled_from(["p", None]), "decision": st.sampled_from(["allow", "deny", 1])}
    ),
    st.fixed_dictionaries({"input_tokens": st.integers(0, 9), "cost_usd": st.sampled_from([0.1, 1, 0])}),
    st.fixed_dictionaries(
        {"stop_reason": st.sampled_from(["x", None, 4]), "object": st.sampled_from([None, {"a": 1}, False])}
    ),
)


@st.composite
def wires(draw: st.DrawFn) -> dict[str, Any]:
    wire = {
        "kind": draw(st.sampled_from(KINDS)),
        "run_id": draw(st.sampled_from(["r1", "r2"])),
        "session_id": "s",
        "payload": draw(PAYLOADS),
    }
    return wire | draw(
        st.sampled_from([{}, {"id": "e"}, {"metadata": {"lane": 1}}, {"timestamp": "2026-01-01T00:00:00Z"}])
    )


@given(st.lists(wires(), min_size=1, max_size=12))
def test_every_event_is_accounted_for_and_the_stream_is_valid(events: list[dict[str, Any]]) -> None:
    lines = b"".join(json.dumps(e).encode() + b"\n" for e in events)
    try:
        conversion = asm.convert(lines)
    except ConversionError:
        return
    assert accounted(conversion) == conversion.report.lines_read == len(events)
    assert [d for d in Session.from_records(conversion.main).diagnostics if d.severity == "error"] == []


@given(st.lists(st.one_of(st.sampled_from("abc").map(delta), st.lists(st.sampled_from("abc"), max_size=2).map(lambda t: full(*t)),
                          st.sampled_from(KINDS).map(event)), min_size=1, max_size=12))  # fmt: skip
def test_the_text_of_the_run_and_of_the_session_agree(events: list[RunEvent]) -> None:
    """The reducer adds a full message to the deltas it repeats; the converter says each such repeat in its report."""
    conversion = convert(*events)
    repeated = sum(int(n.message.split()[4]) for n in conversion.report.notes if n.code == "text-repeated")
    said = "".join(m.text for m in of(Message, conversion) if m.role == "assistant")
    reduced = reduce_run(events).text
    assert len(said) + repeated == len(reduced)
    if not repeated:
        assert said == reduced
