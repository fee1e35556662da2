"""A small agent loop that writes its session as it runs, then reads it back.

    python examples/emit_from_harness.py [FILE]

The model and the tools are stand-ins; what matters is where the loop calls the writer.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sessionrecord import Cost, Producer, Root, Session, StreamWriter
from sessionrecord.stream.builders import text


@dataclass
class Answer:
    """What the stand-in model says."""

    call_id: str
    text: str
    tool: tuple[str, str, dict[str, Any]] | None = None
    tokens: dict[str, int] = field(default_factory=dict)


SCRIPT = [
    Answer(
        "msg_1", "I will run the tests first.", ("toolu_1", "run", {"command": "pytest -q"}), {"in": 812, "out": 31}
    ),
    Answer("msg_2", "One test fails. Let me look.", ("toolu_2", "read", {"path": "parser.py"}), {"in": 911, "out": 24}),
    Answer("msg_3", "`parse` drops the last token: the range ends one too early.", None, {"in": 1204, "out": 18}),
]


def run_tool(name: str, arguments: dict[str, Any]) -> tuple[bool, str]:
    """Whether the tool succeeded, and what it printed."""
    if name == "run":
        return False, f"$ {arguments['command']}\n1 failed, 12 passed"
    return True, "for i in range(len(tokens) - 1): ..."


def now() -> str:
    """The time in the form that a record wants."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def run(path: Path, prompt: str) -> None:
    """The loop: each thing is written when it has happened."""
    with StreamWriter(path) as writer:
        writer.session(
            agent="tiny-harness",
            session_id="demo-1",
            producer=Producer(method="native", name="tiny-harness", version="0.1"),
            profiles=["usage", "tool_results"],
            roots=[Root(id="app", path="/srv/app")],
            timestamp=now(),
        )
        writer.user_message(prompt, turn_id="t1", timestamp=now())
        for answer in SCRIPT:
            writer.assistant_message(
                answer.text,
                model="model-large-1",
                model_call_id=answer.call_id,
                stop_reason="tool_use" if answer.tool else "end_turn",
                turn_id="t1",
                timestamp=now(),
            )
            writer.usage(
                model_call_id=answer.call_id,
                model="model-large-1",
                input_tokens=answer.tokens["in"],
                output_tokens=answer.tokens["out"],
                cost=Cost(amount=0.0021, currency="USD"),
                turn_id="t1",
            )
            if answer.tool:
                call_id, name, arguments = answer.tool
                # the call is on disk before the tool runs: a crash in it leaves a call without a result
                writer.tool_call(
                    call_id=call_id,
                    name=name,
                    arguments=arguments,
                    model_call_id=answer.call_id,
                    turn_id="t1",
                    timestamp=now(),
                )
                succeeded, output = run_tool(name, arguments)
                writer.tool_result(
                    call_id=call_id,
                    outcome="success" if succeeded else "error",
                    content=[text(output)],
                    turn_id="t1",
                    timestamp=now(),
                )


def main() -> None:
    """Write the session, then show what the model saw at the end and what it used."""
    path = Path(sys.argv[1] if len(sys.argv) > 1 else "session.asr.jsonl")
    if path.exists():
        sys.exit(f"{path} exists: name another file")
    run(path, "Why does the parser test fail?")
    print(f"wrote {path}")

    session = Session.read(path)
    view = session.context_view()
    print(view)
    for message in view.to_messages():
        print(f"{message['role']:9} {message['content']}")
    total = session.usage().total
    print(f"{total.input_tokens} input tokens, {total.output_tokens} output tokens, {session.usage().costs['USD']} USD")
    for finding in session.diagnostics:
        print(finding)


if __name__ == "__main__":
    main()
