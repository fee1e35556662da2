"""What ours does where the guide is silent: one test a ruling that has none beside its subject."""

from __future__ import annotations

from typing import Any

import pytest

from sessionrecord.asm import (
    ApprovalRequest,
    ApprovalResolution,
    AssistantMessage,
    CostUpdate,
    RunEvent,
    RunLifecycle,
    TextBlock,
    final_result,
    project,
    reduce_run,
)

from .samples import FULL, event


def test_a_kind_that_is_not_known_is_kept_and_counts_for_number_and_metadata_only() -> None:
    """Ruling on unknown kinds; known ones compare case-sensitively."""
    odd = RunEvent.parse(
        '{"kind":"Result","run_id":"r","session_id":"s","payload":{"stop_reason":"x"},"metadata":{"m":1}}'
    )
    assert odd.payload == {"stop_reason": "x"}
    state = reduce_run([odd])
    assert (state.sequence, dict(state.metadata), state.status, len(state.messages)) == (1, {"m": 1}, "initializing", 0)


def test_a_run_that_the_user_stopped_is_failed_and_says_that_it_was_interrupted() -> None:
    """Ruling on interruption."""
    result = final_result(
        [event("run_started"), event("error", {"message": "Run interrupted", "code": "user_cancelled"})]
    )
    assert (result.status, result.interrupted, result.terminal) == ("failed", True, True)
    assert str(result.error) == "[runtime/user_cancelled] Run interrupted"
    failed = reduce_run([event("error", {"code": "timeout"})])
    assert (failed.status, failed.interrupted) == ("failed", False)


def test_the_session_of_an_envelope_stands_over_the_one_of_metadata() -> None:
    """Ruling on provider_session_id: one key; the last `run_started` that has one wins."""

    def session(*events: RunEvent) -> Any:
        return final_result(events).session_id_from_cli

    meta = event("thinking", metadata={"provider_session_id": "M"})
    other = event("thinking", metadata={"provider_session_id": "N"})
    a, b = (event("run_started", provider_session_id=p) for p in "AB")
    assert session(meta) == "M"
    assert session(meta, other) == "N"
    assert session(meta, a) == session(a, meta) == session(a, meta, other) == "A"
    assert session(a, meta, b, other, event("run_started")) == "B"
    assert session(event("thinking", provider_session_id="T")) is None
    assert session(event("run_started", provider_session_id=" "), meta) == ""


def test_a_block_that_is_not_known_stays_in_the_message_and_gives_no_text() -> None:
    """Ruling on unknown content blocks."""
    odd: list[Any] = [{"type": "image", "data": "x"}, {"type": "text", "text": 5}, {"type": "text"}, 7, None, [1], {"no": "type"},
                      {"type": "tool_use", "name": 5}, {"type": "thinking", "thinking": None}, {"type": ["text"]}]  # fmt: skip
    state = reduce_run([event("assistant_message", {"content": [*odd, "a", {"type": "text", "text": "b"}]})])
    message = state.messages[0]
    assert isinstance(message, AssistantMessage)
    assert message.content == (*odd, TextBlock(text="a"), TextBlock(text="b"))
    assert state.text == message.text == "ab"
    assert type(state).from_json(state.to_json()).messages == state.messages


def test_a_final_snapshot_is_a_message_without_text() -> None:
    """Ruling on the snapshot mark: `payload.metadata.source`, and nothing else."""
    delta = event("assistant_delta", {"content": "Hello"})
    whole = {"content": ["Hello"]}
    marked = event("assistant_message", {**whole, "metadata": {"source": "cursor_final_snapshot"}})
    assert final_result([delta, marked]).text == "Hello"
    assert len(final_result([delta, marked]).messages) == 2
    for not_marked in (
        event("assistant_message", {**whole, "metadata": {"source": "cursor_partial"}}),
        event("assistant_message", whole, metadata={"source": "cursor_final_snapshot"}),
        event("assistant_message", whole),
    ):
        assert final_result([delta, not_marked]).text == "HelloHello"


def test_runs_and_duplicates_are_told_apart_on_request_only() -> None:
    """Ruling on duplicate IDs and several runs in one stream."""
    events = [
        event("assistant_delta", {"content": "a"}, id="1"),
        event("assistant_delta", {"content": "b"}, id="2", run_id="q"),
        event("assistant_delta", {"content": "a"}, id="1"),
        event("assistant_delta", {"content": "c"}),
        event("assistant_delta", {"content": "c"}),
        event("assistant_delta", {"content": "d"}, id=""),
        event("assistant_delta", {"content": "d"}, id=""),
    ]
    assert reduce_run(events).text == "abaccdd"
    assert reduce_run(events, deduplicate=True).text == "abccdd"
    assert reduce_run(events, deduplicate=True).event_ids == {"1", "2"}
    assert reduce_run(events).event_ids == set()
    assert reduce_run(events, run_id="q").text == "b"
    assert reduce_run(events, run_id="q").run_id == "q"


def test_a_stream_without_an_end_has_a_result_that_says_so() -> None:
    """Ruling on missing ends."""
    started = final_result([event("run_started"), event("assistant_delta", {"content": "so far"})])
    assert (started.terminal, started.status, started.text, started.duration_ms, started.error, started.stop_reason) == (
        False, "running", "so far", None, None, None,
    )  # fmt: skip
    assert final_result([event("thinking")]).status == "initializing"


def test_durations_are_whole_milliseconds_and_never_negative() -> None:
    """Both moments are cut to milliseconds first; what is absent is unknown."""

    def duration(start: str | None, end: str | None) -> int | None:
        return final_result([event("run_started", timestamp=start), event("result", timestamp=end)]).duration_ms

    assert duration("2026-01-01T00:00:00.0019Z", "2026-01-01T00:00:00.002Z") == 1
    assert duration("2026-01-01T02:00:00+02:00", "2026-01-01T00:00:01Z") == 1000
    assert duration("2026-01-01T00:00:01Z", "2026-01-01T00:00:00Z") == 0
    assert duration(None, "2026-01-01T00:00:00Z") is None
    assert duration("2026-01-01T00:00:00Z", None) is None


def test_an_approval_without_an_id_has_the_empty_one() -> None:
    state = reduce_run([event("approval_requested", {"subject": "x"}), event("approval_requested", {"subject": "y"})])
    assert state.pending_approvals == {"": ApprovalRequest(approval_id="", tool_name="y")}
    assert reduce_run([event("approval_resolved", {})], state).pending_approvals == {}


@pytest.mark.parametrize(
    ("advice", "retryable"),
    [(True, True), ("true", True), ("TRUE", True), (1, True), ("1", True), ("True", False), (1.0, False), (False, False), (None, False)],
)  # fmt: skip
def test_an_error_is_retryable_where_the_advice_is_a_yes(advice: Any, retryable: bool) -> None:
    payload = {"metadata": {"runtime_failure": {"recovery": {"retryable?": advice}}}}
    error = reduce_run([event("error", payload)]).error
    assert error is not None
    assert error.retryable is retryable
    assert error.recovery == {"retryable?": advice}
    for silent in ({"recovery": "try again"}, {"runtime_failure": "x"}, {}):
        error = reduce_run([event("error", {"metadata": silent})]).error
        assert error is not None
        assert error.retryable is None


@pytest.mark.parametrize(
    ("decision", "read"),
    [("allow", "allow"), ("approved", "allow"), (True, "allow"), (1, "deny"), ("yes", "deny"), ("deny", "deny"), (None, "deny"), ([], "deny")],
)  # fmt: skip
def test_what_is_not_clearly_a_yes_is_a_no(decision: Any, read: str) -> None:
    resolution = project(event("approval_resolved", {"approval_id": "a", "decision": decision}))
    assert isinstance(resolution, ApprovalResolution)
    assert resolution.decision == read


def test_control_events_are_projected_to_control_values_and_the_rest_to_their_payload() -> None:
    assert project(event("cost_update")) == CostUpdate(input_tokens=3, output_tokens=4, cost_usd=0.1)
    assert project(event("approval_requested")) == ApprovalRequest(
        approval_id="a1", tool_name="bash", tool_input={"cmd": "rm"}
    )
    lifecycle = project(event("run_completed", {"status": "failed", "why": 1}))
    assert lifecycle == RunLifecycle(status="failed", summary={"status": "failed", "why": 1})
    assert project(event("run_completed", {"status": "odd"})) == RunLifecycle(
        status="completed", summary={"status": "odd"}
    )
    assert project(event("session_resumed")) == event("session_resumed").payload
    assert project(event("from_the_future")) == FULL["from_the_future"]
