"""Events to test with: one payload of each kind with a value for every member, and strategies of whole runs."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from sessionrecord.asm import RunEvent

FULL: dict[str, dict[str, Any]] = {
    "run_started": {"provider_session_id": "p", "command": "codex", "args": ["a", "b"], "cwd": "/w"},
    "assistant_delta": {"content": " Hel", "index": 0, "format": "text"},
    "assistant_message": {"content": [{"type": "text", "text": "Hello"}, {"type": "image", "data": "x"}], "role": "assistant", "model": "m"},
    "user_message": {"content": ["hi", {"type": "tool_result", "tool_use_id": "t", "content": 1}], "role": "user"},
    "thinking": {"content": "hm", "signature": "s"},
    "tool_use": {"tool_name": "bash", "tool_call_id": "t1", "input": {"cmd": "ls"}},
    "tool_result": {"tool_call_id": "t1", "content": {"out": [1, 2.5]}, "is_error": True},
    "approval_requested": {"approval_id": "a1", "subject": "bash", "details": {"tool_input": {"cmd": "rm"}}},
    "approval_resolved": {"approval_id": "a1", "decision": "allow", "reason": "fine"},
    "cost_update": {"input_tokens": 3, "output_tokens": 4, "total_tokens": 7, "cost_usd": 0.1},
    "result": {"status": "ok", "stop_reason": "end_turn", "output": {"duration_ms": 12}, "object": {"n": 1}},
    "error": {"message": "late", "code": "timeout", "severity": "error"},
    "stderr": {"content": "warn"},
    "raw": {"stream": "stdout", "content": {"a": 1}},
    "run_completed": {"status": "completed"},
    "host_tool_requested": {"id": "j1", "session_id": "s", "run_id": "r", "provider": "codex", "provider_session_id": "p",
                            "provider_turn_id": "t", "tool_name": "echo", "arguments": {"m": 1}, "raw": [1]},
    "host_tool_completed": {"request_id": 7, "success?": True, "output": "o", "content_items": [{"type": "text"}]},
    "host_tool_failed": {"request_id": "7", "success?": False, "error": "no"},
    "host_tool_denied": {"request_id": "7", "success?": False, "error": {"reason": "unknown"}},
    "session_checkpoint": {"at": 3},
    "session_resumed": {"from": "c"},
    "from_the_future": {"anything": [None]},
}  # fmt: skip


def event(kind: str, payload: Any = None, /, second: int = 0, **members: Any) -> RunEvent:
    """An event of run `r` at a second of one minute."""
    return RunEvent.parse(
        {"kind": kind, "run_id": "r", "session_id": "s", "timestamp": f"2026-01-01T00:00:{second:02}.000Z",
         "payload": FULL.get(kind) if payload is None else payload, **members}
    )  # fmt: skip


_metadata = st.dictionaries(
    st.sampled_from(["lane", "provider", "backend", "cost", "provider_session_id", "x", "y"]),
    st.sampled_from([None, 1, True, 1.5, "a", "b", {"k": [1]}]),
    max_size=3,
)
_money = st.sampled_from([0, 1, 0.1, 0.2, 0.3, 1e-7, 12.34])
_some_payloads: dict[str, st.SearchStrategy[Any]] = {
    "assistant_delta": st.fixed_dictionaries({"content": st.sampled_from(["", " a", "b\n", "ü"])}),
    "assistant_message": st.fixed_dictionaries(
        {"content": st.lists(st.sampled_from(["x", {"type": "text", "text": "y"}, {"type": "image"}, 5]), max_size=2)},
        optional={"metadata": st.sampled_from([{"source": "cursor_final_snapshot"}, {"source": "other"}])},
    ),
    "approval_requested": st.fixed_dictionaries({"approval_id": st.sampled_from(["a", "b", None])}),
    "approval_resolved": st.fixed_dictionaries({"approval_id": st.sampled_from(["a", "b", None])}),
    "cost_update": st.fixed_dictionaries({"input_tokens": st.integers(0, 9), "cost_usd": _money}),
    "error": st.fixed_dictionaries({"code": st.sampled_from(["timeout", "user-cancelled", "?"])}),
    "result": st.fixed_dictionaries({}, optional={"object": st.sampled_from([False, {"a": 1}]), "stop_reason": st.just("end")}),
}  # fmt: skip


@st.composite
def wires(draw: st.DrawFn) -> dict[str, Any]:
    """A valid event as a JSON object, with little variety, so that things meet."""
    kind = draw(st.sampled_from(sorted(FULL)))
    wire: dict[str, Any] = {
        "kind": kind, "run_id": draw(st.sampled_from(["r", "q"])), "session_id": "s",
        "payload": draw(_some_payloads.get(kind, st.just(FULL[kind]))), "metadata": draw(_metadata),
        "timestamp": f"2026-01-01T00:00:{draw(st.integers(0, 59)):02}.{draw(st.integers(0, 999)):03}Z",
    }  # fmt: skip
    for name, values in (
        ("id", ["e1", "e2", "e3", ""]), ("sequence", [0, 3, 9]), ("provider_session_id", ["p1", "p2", ""]), ("provider", ["codex"]),
    ):  # fmt: skip
        if draw(st.booleans()):
            wire[name] = draw(st.sampled_from(values))
    return wire


runs = st.lists(wires().map(RunEvent.parse), max_size=12)
