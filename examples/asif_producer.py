"""Capture a streamed tool call whose connection breaks, and complete it in a later capture.

    python examples/asif_producer.py [FOLDER]

Two documents are written. The second holds all evidence of the first, unchanged, and says what became known since.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from sessionrecord.asif import Document, StreamAssembler, compare
from sessionrecord.asif.builder import DocumentBuilder

OBSERVED = {"mode": "observed", "producer": "tiny-harness"}
SCOPES = (
    "participants", "conversation", "branches", "executions", "contexts", "configuration", "tools", "decisions", "tasks",
    "resources", "environment", "native", "usage",
)  # fmt: skip


def capture(capture_id: str, boundary: str) -> dict[str, Any]:
    """A capture of this harness; `boundary` says, for people, what it holds."""
    producer = {"name": "tiny-harness", "version": "0.1"}
    return {"id": capture_id, "producer": producer, "consistency": "consistent", "boundary": boundary}


def checkpoint(event_id: str, open_calls: tuple[str, ...]) -> dict[str, Any]:
    """What is open after an event of the branch `main`."""
    return {
        "id": f"after-{event_id}", "branch_id": "main", "at_event_id": event_id, "knowledge": "observed", "status": "stopped",
        "context_id": "context-1", "configuration_id": None, "open_decisions": [], "tasks": [], "requirements": [],
        "open_calls": [{"call_id": call_id, "state": "outcome_unknown"} for call_id in open_calls],
    }  # fmt: skip


def start() -> DocumentBuilder:
    """A session with one question in it."""
    question = {"role": "user", "parts": [{"kind": "text", "text": "What did we decide on Monday?"}]}
    builder = DocumentBuilder(
        {
            "asif_version": "0.4",
            "capture": capture("capture-1", "From the question to the broken connection."),
            "session": {"id": "session-1", "native_ids": [], "lineage": []},
            "participants": [{"id": "user", "kind": "human"}, {"id": "agent", "kind": "agent"}],
            "events": [],
            "branches": [{"id": "main", "event_ids": [], "head_event_id": None}],
            "executions": [],
            "contexts": [
                {
                    "id": "context-1", "branch_id": "main", "at_event_id": "question", "purpose": "model_request",
                    "fidelity": "partial", "inputs": [], "tool_ids": ["read-notes"],
                }
            ],
            "configurations": [],
            "tools": [{"id": "read-notes", "name": "notes.read", "description": "Read notes.", "input_schema": True}],
            "resources": [],
            "environments": [],
            "checkpoints": [],
            "coverage": [{"scope": s, "status": "partial", "detail": "What the harness saw."} for s in SCOPES],
            "losses": [],
            "required_features": [],
        }
    )  # fmt: skip
    builder.add_event("question", "message", question, actor_id="user", provenance=OBSERVED, branches=["main"])
    return builder


def first_capture() -> Document:
    """Fragments arrive out of order, one never does, and then the connection breaks."""
    live = StreamAssembler("arguments")
    live.add(0, b'{"title":"caf')
    live.add(2, b'\xa9","day"')  # the second half of an é; its first half is in the fragment that is missing
    print(f"{live.contiguous_bytes} bytes are known, segment {live.missing_indexes[0].start} is missing")

    builder = start()
    # no argument is known for certain, so none is claimed
    call = {"call_id": "call-1", "tool_id": "read-notes", "arguments": {}, "arguments_status": "partial"}
    builder.add_event("call", "tool_call", call, actor_id="agent", provenance=OBSERVED, branches=["main"])
    builder.add_argument_stream("arguments", event_id="call", fragments=live.fragments, ended=live.ended)
    builder.add("checkpoints", checkpoint("call", open_calls=("call-1",)))
    return builder.build()


def later_capture(earlier: Document) -> Document:
    """The provider's log has the rest: an amendment says so, and a stream of its own shows how."""
    builder = DocumentBuilder.continuing(earlier, capture("capture-2", "The same, and what the provider's log has."))
    arguments = {"title": "café", "day": "Monday"}
    builder.amend_call("call-whole", amends="call", arguments=arguments, provenance=OBSERVED, branches=["main"])
    builder.add_argument_stream(
        "arguments-whole",
        event_id="call-whole",
        fragments={1: b"\xc3", 3: b':"Monday"}'},
        ended=True,
        continues="arguments",
    )
    builder.add("checkpoints", checkpoint("call-whole", open_calls=("call-1",)))
    return builder.build()


def main() -> None:
    """Write both captures, and show that the later one changed nothing."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    first = first_capture()
    second = later_capture(first)
    for document, name in ((first, "first.asif.json"), (second, "second.asif.json")):
        document.write(folder / name)
        call = document.check().calls["call-1"]
        print(f"{name}: call-1 is {call.arguments_status}, executable: {call.executable}")
    print(f"the later capture changes {len(compare(first, second))} pieces of evidence")


if __name__ == "__main__":
    main()
