"""The fold: what each kind changes, before and after an end, and that nothing else does."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessionrecord.asm import (
    PAYLOADS,
    PROTECTED_KEYS,
    InvalidEvent,
    MessageLog,
    RunEvent,
    RunReducer,
    RunState,
    final_result,
    project,
    read_event,
    reduce_run,
)
from sessionrecord.errors import EmptyRunError, InvalidRecordError

from .samples import FULL, event, runs

STARTS: dict[str, list[tuple[str, Any]]] = {
    "fresh": [("run_started", {})],
    "with result": [("run_started", {}), ("approval_requested", None), ("result", {"stop_reason": "first", "object": {"o": 1}})],
    "with error": [("run_started", {}), ("approval_requested", None), ("error", {"message": "m", "code": "auth_error"})],
    "completed": [("run_started", {}), ("approval_requested", None), ("run_completed", {})],
}  # fmt: skip
FINISHED = "2026-01-01T00:00:30.000Z"

# Guide, "Terminal Semantics", and the reference's rules: kind to the parts of the state that it sets, whatever came before.
# `sequence` is set by each of them. A message is named by its type.
CHANGES: dict[str, dict[str, Any]] = {
    "run_started": {"status": "running"},
    "assistant_delta": {"message": "partial", "text": " Hel"},
    "assistant_message": {"message": "assistant", "text": "Hello"},
    "user_message": {"message": "user"},
    "thinking": {"message": "thinking"},
    "tool_use": {"message": "tool_use"},
    "tool_result": {"message": "tool_result"},
    "approval_requested": {"pending_approvals": {"a1": {"approval_id": "a1", "tool_name": "bash", "tool_input": {"cmd": "rm"}}}},
    "approval_resolved": {"pending_approvals": {}},
    "cost_update": {"cost": {"input_tokens": 3, "output_tokens": 4, "cost_usd": 0.1},
                    "metadata": {"cost": {"input_tokens": 3, "output_tokens": 4, "cost_usd": 0.1}}},
    "result": {"status": "completed", "finished_at": FINISHED, "message": "result",
               "result": {"object": {"n": 1}, "stop_reason": "end_turn", "duration_ms": 12}},
    "error": {"status": "failed", "finished_at": FINISHED, "message": "error",
              "error": {"kind": "timeout", "domain": "runtime", "message": "late", "cause": None, "provider": None, "exit_code": None,
                        "retryable": None, "recovery": None}},
    "stderr": {"message": "stderr"},
    "raw": {"message": "raw"},
    "run_completed": {"status": "completed", "finished_at": FINISHED},
    "host_tool_requested": {},
    "host_tool_completed": {},
    "host_tool_failed": {},
    "host_tool_denied": {},
    "session_checkpoint": {},
    "session_resumed": {},
    "from_the_future": {},
}  # fmt: skip


def started(start: str) -> RunReducer:
    reducer = RunReducer()
    for second, (kind, payload) in enumerate(STARTS[start]):
        reducer.apply(event(kind, payload, second=second))
    return reducer


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("kind", FULL)
def test_a_kind_changes_these_parts_of_the_state_and_no_other(kind: str, start: str) -> None:
    reducer = started(start)
    before = reducer.state.to_wire()
    change = reducer.apply(event(kind, second=30))
    after = reducer.state.to_wire()
    sets = dict(CHANGES[kind])
    expected = {**before, "sequence": before["sequence"] + 1}
    message = sets.pop("message", None)
    if message is not None:
        added = after["messages"][-1]
        assert added["type"] == message
        expected["messages"] = [*before["messages"], added]
    expected["text"] = before["text"] + sets.pop("text", "")
    expected |= sets
    assert after == expected

    # and the change that `apply` returns says the same
    assert change.applied
    assert change.sequence == after["sequence"]
    assert before["text"] + change.text == after["text"]
    assert (change.status or before["status"]) == after["status"]
    assert (change.status is None) == (before["status"] == after["status"])
    assert (None if change.message is None else change.message.to_wire()) == (
        after["messages"][-1] if message else None
    )
    assert (before["cost"] if change.cost is None else change.cost.to_wire()) == after["cost"]
    assert (before["error"] if change.error is None else change.error.to_wire()) == after["error"]
    assert (before["result"] if change.result is None else change.result.to_wire()) == after["result"]
    assert (change.finished_at or before["finished_at"]) == after["finished_at"]
    assert set(change.metadata_keys) == {
        k for k in after["metadata"] if k not in before["metadata"] or after["metadata"][k] != before["metadata"][k]
    }
    pending = {**before["pending_approvals"]}
    if change.approval_opened is not None:
        pending[change.approval_opened.approval_id] = change.approval_opened.to_wire()
    if change.approval_closed is not None:
        del pending[change.approval_closed.approval_id]
    assert pending == after["pending_approvals"]
    assert (change.approval_opened is not None) == (kind == "approval_requested")
    assert (change.approval_closed is not None) == (kind == "approval_resolved" and start != "fresh")


@pytest.mark.parametrize("kind", FULL)
def test_any_kind_may_come_first_and_gives_the_run_its_identity_and_start(kind: str) -> None:
    state = reduce_run(
        [event(kind, provider="codex"), event("thinking", run_id="q", session_id="t", provider="amp", second=1)]
    )
    assert (state.run_id, state.session_id, state.provider, state.started_at) == (
        "r",
        "s",
        "codex",
        "2026-01-01T00:00:00.000Z",
    )


@pytest.mark.parametrize("kind", FULL)
def test_metadata_of_an_event_of_any_kind_joins_the_run_and_metadata_of_its_payload_does_not(kind: str) -> None:
    payload = {**FULL[kind], "metadata": {"inner": 1}}
    state = reduce_run([event(kind, payload, metadata={"outer": 2})])
    assert {k: v for k, v in state.metadata.items() if k != "cost"} == {"outer": 2}


def test_the_rule_of_an_end_is_the_last_writer() -> None:
    """Result then error, error then result, a start after an end: the table above holds, the rest stays."""
    events = [
        event("result", {"stop_reason": "a", "object": 1}),
        event("error", {"code": "timeout"}),
        event("result", {}),
    ]
    result = final_result(events)
    assert (result.status, result.error and result.error.kind, result.stop_reason, result.object) == (
        "completed", "timeout", None, None,
    )  # fmt: skip
    reopened = final_result([*events, event("run_started")])
    assert (reopened.status, reopened.terminal, reopened.duration_ms) == ("running", False, 0)


# properties


def text_of(events: list[RunEvent]) -> str:
    """Naive: piece by piece, from the plain JSON."""
    text = ""
    for e in events:
        wire = e.to_wire()
        payload = wire.get("payload") or {}
        if e.kind == "assistant_delta":
            text += payload.get("content") or ""
        if e.kind == "assistant_message" and payload.get("metadata", {}).get("source") != "cursor_final_snapshot":
            for item in payload.get("content") or []:
                text += (
                    item
                    if isinstance(item, str)
                    else item["text"]
                    if isinstance(item, dict) and item["type"] == "text"
                    else ""
                )
    return text


@given(runs)
def test_the_state_is_what_a_naive_reading_gives(events: list[RunEvent]) -> None:
    state = reduce_run(events)
    assert state.text == text_of(events)
    wires = [e.to_wire() for e in events]
    money = sum((Fraction(str(w["payload"]["cost_usd"])) for w in wires if w["kind"] == "cost_update"), Fraction())
    assert Fraction(state.cost.cost_usd) == money
    assert state.cost.input_tokens == sum(
        w["payload"].get("input_tokens", 0) for w in wires if w["kind"] == "cost_update"
    )
    messages = [m for e in events if (m := project(e)) is not e.payload and type(m).__name__.endswith("Message")]
    assert list(state.messages) == messages
    number = 0
    for w in wires:
        number = max(number + 1, w.get("sequence", 0))
    assert state.sequence == number
    ends = [w for w in wires if w["kind"] in ("result", "error", "run_completed")]
    assert state.finished_at == (ends[-1]["timestamp"] if ends else None)


@given(runs, st.data())
def test_a_fold_may_stop_anywhere_and_go_on_also_from_its_written_state(
    events: list[RunEvent], data: st.DataObject
) -> None:
    whole = reduce_run(events)
    at = data.draw(st.integers(0, len(events)))
    options: dict[str, Any] = data.draw(st.sampled_from([{}, {"deduplicate": True}, {"run_id": "q"}]))
    whole = reduce_run(events, **options)
    first = reduce_run(events[:at], **options)
    copied = RunState.from_json(first.to_json())
    assert copied == first
    assert copied.to_json() == first.to_json()
    for state in (first, copied):
        held = state.to_json()
        gone_on = reduce_run(events[at:], state, **options)
        assert gone_on == whole
        assert gone_on.to_json() == whole.to_json()
        assert state.to_json() == held  # going on leaves the state as it was


@given(runs)
def test_a_snapshot_stays_as_it_was_and_changes_nothing(events: list[RunEvent]) -> None:
    reducer = RunReducer()
    held = [(reducer.state, reducer.state.to_json())]
    for e in events:
        reducer.apply(e)
        held.append((reducer.state, reducer.state.to_json()))
    assert all(state.to_json() == written for state, written in held)
    assert reducer.state == reduce_run(events)
    assert reducer.state is reducer.state


@given(
    st.lists(
        st.dictionaries(st.sampled_from([*sorted(PROTECTED_KEYS)[:4], "x", "cost", "runtime"]), st.sampled_from([None, 1, True, "a"])),
        max_size=6,
    )
)  # fmt: skip
def test_a_protected_key_keeps_its_first_value_and_any_other_its_last(metadata: list[dict[str, Any]]) -> None:
    state = reduce_run([event("thinking", metadata=m) for m in metadata])
    expected: dict[str, Any] = {}
    for key in {k for m in metadata for k in m}:
        values = [m[key] for m in metadata if key in m]
        expected[key] = values[0] if key in PROTECTED_KEYS else values[-1]
    assert {k: (type(v), v) for k, v in state.metadata.items()} == {k: (type(v), v) for k, v in expected.items()}


_odd_json = st.sampled_from(
    [
        0,
        1,
        1.0,
        True,
        False,
        None,
        "1",
        [],
        [1],
        [True],
        [1, 2],
        {},
        {"a": 1},
        {"a": True},
        {"a": 1, "b": []},
        {"b": [], "a": 1},
    ]
)


@given(st.lists(st.tuples(st.dictionaries(st.sampled_from(["lane", "x", "cost", "provider_session_id"]), _odd_json, max_size=3),
                          st.sampled_from(["raw", "run_started", "cost_update"])), min_size=1, max_size=5))  # fmt: skip
def test_the_metadata_keys_of_a_change_are_those_whose_json_value_is_another(steps: list[tuple[Any, str]]) -> None:
    """True is not 1, but the order of members does not count."""
    reducer = RunReducer()

    def texts() -> dict[str, str]:
        return {key: json.dumps(value, sort_keys=True) for key, value in reducer.state.metadata.items()}

    for metadata, kind in steps:
        before = texts()
        change = reducer.apply(event(kind, metadata=metadata, provider_session_id="p"))
        after = texts()
        assert set(change.metadata_keys) == {key for key in after if after[key] != before.get(key)}


def test_there_are_28_protected_keys() -> None:
    assert len(PROTECTED_KEYS) == 28
    assert not PROTECTED_KEYS & {"runtime", "cost", "provider_session_id", "run_id", "session_id"}


@given(
    st.lists(
        st.floats(0, 1e300) | st.integers(0, 2**53) | st.decimals(0, 10**9, allow_nan=False, allow_infinity=False),
        max_size=6,
    )
)
def test_cost_is_the_exact_sum_of_the_numbers_as_written(amounts: list[Any]) -> None:
    state = reduce_run([event("cost_update", {"cost_usd": a}) for a in amounts])
    assert Fraction(state.cost.cost_usd) == sum((Fraction(str(a)) for a in amounts), Fraction())
    assert Fraction(RunState.from_json(state.to_json()).cost.cost_usd) == Fraction(state.cost.cost_usd)


def test_ten_times_a_tenth_is_one() -> None:
    """Ruling on cost: sums are decimal, given as `Decimal` and as JSON number."""
    state = reduce_run([event("cost_update", {"cost_usd": 0.1})] * 10)
    assert state.cost.cost_usd == Decimal(1)
    assert b'"cost_usd":1.0' in state.to_json()


@pytest.mark.parametrize(
    "amount", ["1.7976931348623157e308", "1e308", "9" * 308, "1.79769313486231575e308", "0." + "3" * 1500, "4e-324"]
)
def test_any_number_of_any_amounts_gives_a_state_that_can_be_written(amount: str) -> None:
    """Each amount is valid by itself, so the fold may not fail over their sum: it ends at the largest JSON number."""
    line = b'{"kind":"cost_update","run_id":"r","session_id":"s","payload":{"cost_usd":%s}}' % amount.encode()
    for times in (1, 2, 20):
        state = reduce_run([RunEvent.parse(line)] * times)
        assert state.cost.cost_usd == pytest.approx(min(Decimal(amount) * times, Decimal("1.7976931348623157e308")))
        assert RunState.from_json(state.to_json()) == state
        assert final_result([RunEvent.parse(line)] * times).to_wire()["cost"] == state.metadata["cost"]


def test_an_event_that_is_none_is_refused_and_what_came_before_stays() -> None:
    reducer = RunReducer()
    reducer.apply(event("thinking"))
    broken, _ = read_event(b'{"kind":"thinking","run_id":"r"}')
    assert isinstance(broken, InvalidEvent)
    with pytest.raises(InvalidRecordError, match="session_id: the member is required"):
        reducer.apply(broken)
    with pytest.raises(InvalidRecordError):
        reducer.extend([event("thinking"), broken])
    with pytest.raises(TypeError, match="not of dict"):
        reducer.apply({})  # type: ignore[arg-type]
    assert reducer.state.sequence == 2


MEMBERS = {"kind": "user_message", "run_id": "r", "session_id": "s", "payload": {"content": []}}


@pytest.mark.parametrize("none", [{}, MEMBERS, b"{}", "{}", None, 1])
def test_only_events_can_be_folded_however_they_come(none: Any) -> None:
    """What a fold reads of a file are plain members, but from a caller they are nothing that was validated."""
    for fold in (RunReducer().extend, reduce_run, final_result, lambda events: RunReducer().apply(events[0])):
        with pytest.raises(TypeError, match="made of RunEvents, not of"):
            fold([none])

    async def one() -> AsyncIterator[Any]:
        yield none

    async def result() -> None:
        await final_result(one())

    with pytest.raises(TypeError, match="made of RunEvents, not of"):
        asyncio.run(result())


@pytest.mark.parametrize("kind", FULL)
@pytest.mark.parametrize("value", [{"a": 1}, [1], None, "a1", 3])
def test_members_that_a_kind_does_not_define_change_nothing(kind: str, value: Any) -> None:
    """Ruling on payloads: unknown members are kept in `extra`; also those that another kind defines, of whatever type."""
    others = {name: value for payload in FULL.values() for name in payload} | {"novel": value}
    defined = set() if kind not in PAYLOADS else {f.alias or n for n, f in PAYLOADS[kind].model_fields.items()}
    more = event(kind, FULL[kind] | {n: v for n, v in others.items() if n not in defined | FULL[kind].keys()})
    plain = event(kind)
    before = [event("run_started"), event("approval_requested")]
    reducer, other = RunReducer(), RunReducer()
    for e in before:
        reducer.apply(e)
        other.apply(e)
    change, expected = reducer.apply(more), other.apply(plain)
    assert (change.message, change.approval_opened, change.approval_closed, change.metadata_keys) == (
        expected.message, expected.approval_opened, expected.approval_closed, expected.metadata_keys,
    )  # fmt: skip
    assert reducer.state == other.state == reduce_run([*before, more])


def test_no_event_is_no_result() -> None:
    """Ruling on empty streams."""
    with pytest.raises(EmptyRunError, match="no event"):
        final_result([])
    with pytest.raises(EmptyRunError):
        final_result([event("result")], run_id="another")
    assert (RunReducer().state.run_id, RunReducer().state.status) == (None, "initializing")


@pytest.mark.parametrize(
    "wrong",
    [
        5,
        {},
        {"status": "lost"},
        {"messages": [{"type": "partial"}]},
        {"messages": [{"type": "new"}]},
        {"cost": {"input_tokens": -1, "output_tokens": 0, "cost_usd": 0}},
        {"extra": 1},
    ],
    ids=str,
)
def test_what_is_no_written_state_is_refused(wrong: Any) -> None:
    value = {**reduce_run([event("thinking")]).to_wire(), **wrong} if isinstance(wrong, dict) and wrong else wrong
    with pytest.raises(InvalidRecordError):
        RunState.from_wire(value)


def test_messages_are_a_sequence() -> None:
    messages = reduce_run([event("assistant_delta"), event("thinking"), event("raw")]).messages
    assert [m.type for m in messages] == ["partial", "thinking", "raw"]
    assert messages[-1] == messages[2]
    assert messages[1:] == tuple(messages)[1:]
    assert messages == list(messages) == MessageLog.of(messages)
    assert messages != list(messages)[:2]
    assert messages != "partial"
    assert repr(messages) == "<MessageLog of 3 messages>"
    with pytest.raises(IndexError):
        messages[3]
    with pytest.raises(TypeError):
        hash(messages)


def test_events_that_each_have_a_metadata_key_of_their_own_take_time_in_proportion() -> None:
    """Ruling on state: the fold is linear in the number of events."""

    def seconds(count: int) -> float:
        events = [event("raw", metadata={"lane": "sdk", f"k{i}": i}) for i in range(count)]
        started = time.process_time()
        state = reduce_run(events)
        taken = time.process_time() - started
        assert len(state.metadata) == count + 1
        return taken

    assert seconds(16_000) < 40 * max(seconds(1_000), 0.005)


def test_a_snapshot_after_each_event_does_not_copy_what_was_said() -> None:
    """Linear: the states of a long run share one list; only the text that is asked for is joined."""
    deltas = [event("assistant_delta", {"content": "x"})] * 20_000
    reducer = RunReducer()
    states = []
    for e in deltas:
        reducer.apply(e)
        states.append(reducer.state)
    assert len({id(s.messages._entries) for s in states}) == 1
    assert [len(s.text) for s in states[::5000]] == [1, 5001, 10001, 15001]
