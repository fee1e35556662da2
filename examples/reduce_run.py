"""Follow a run while its events come in, keep its state, go on from it, and read its result from a file."""

from __future__ import annotations

from pathlib import Path

from sessionrecord.asm import EventReader, EventWriter, RunEvent, RunReducer, RunState, final_result

PATH = Path("run.jsonl")


def event(kind: str, second: int, **payload: object) -> RunEvent:
    """An event of the run, at a second of its first minute."""
    timestamp = f"2026-01-01T00:00:{second:02}.000Z"
    return RunEvent.new(
        kind, run_id="run-1", session_id="session-1", provider="codex", timestamp=timestamp, payload=payload
    )


EVENTS = [
    event("run_started", 0, command="codex"),
    event("assistant_delta", 1, content="Two files: "),
    event("approval_requested", 2, approval_id="a1", subject="bash", details={"tool_input": {"cmd": "ls"}}),
    event("approval_resolved", 3, approval_id="a1", decision="allow"),
    event("assistant_delta", 4, content="a.py and b.py."),
    event("cost_update", 5, input_tokens=812, output_tokens=36, cost_usd=0.1),
    event("cost_update", 6, input_tokens=40, output_tokens=5, cost_usd=0.2),
    event("result", 7, stop_reason="end_turn"),
]


def main() -> None:
    """Write the events, following them, then fold the file."""
    reducer = RunReducer()
    with EventWriter(PATH) as writer:
        for e in EVENTS[:5]:
            change = reducer.apply(writer.write(e))
            if change.text:
                print(f"text: {change.text!r}")
            if change.approval_opened:
                print(f"waiting for leave: {change.approval_opened.tool_name}")
            if change.approval_closed:
                print("no longer waiting")
        kept = reducer.state.to_json()
        reducer = RunReducer(RunState.from_json(kept))
        for e in EVENTS[5:]:
            reducer.apply(writer.write(e))

    result = final_result(EventReader(PATH, strict=True))
    assert result.text == reducer.state.text
    print(f"{result.status} after {result.duration_ms} ms, ${result.cost.cost_usd}: {result.text}")


if __name__ == "__main__":
    main()
