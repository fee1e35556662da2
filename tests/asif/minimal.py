"""A small document that breaks no rule, for tests that add to it."""

from __future__ import annotations

from typing import Any

Wire = dict[str, Any]

SCOPES = (
    "participants", "conversation", "branches", "executions", "contexts", "configuration", "tools", "decisions", "tasks",
    "resources", "environment", "native", "usage",
)  # fmt: skip
PROVENANCE = {"mode": "observed", "producer": "test"}
CAPTURE = {
    "id": "capture-1",
    "producer": {"name": "test", "version": "1"},
    "consistency": "consistent",
    "boundary": "all",
}


def event(event_id: str, sequence: int, kind: str, actor_id: str, data: Wire) -> Wire:
    return {
        "id": event_id, "sequence": sequence, "actor_id": actor_id, "kind": kind, "causes": [], "provenance": PROVENANCE, "data": data,
    }  # fmt: skip


def checkpoint(event_id: str, open_calls: tuple[str, ...] = (), open_decisions: tuple[str, ...] = ()) -> Wire:
    """A checkpoint at an event of the branch `main`."""
    return {
        "id": f"at-{event_id}", "branch_id": "main", "at_event_id": event_id, "knowledge": "observed", "status": "idle",
        "context_id": "context-1", "configuration_id": None, "tasks": [], "requirements": [],
        "open_calls": [{"call_id": c, "state": "outcome_unknown"} for c in open_calls],
        "open_decisions": [{"request_id": r, "state": "outcome_unknown"} for r in open_decisions],
    }  # fmt: skip


def minimal() -> Wire:
    """One message on one branch, a tool that was not called, and coverage that claims nothing."""
    return {
        "asif_version": "0.4",
        "capture": CAPTURE,
        "session": {"id": "session-1", "native_ids": [], "lineage": []},
        "participants": [{"id": "user", "kind": "human"}, {"id": "agent", "kind": "agent"}],
        "events": [event("e1", 0, "message", "user", {"role": "user", "parts": [{"kind": "text", "text": "Hello."}]})],
        "branches": [{"id": "main", "event_ids": ["e1"], "head_event_id": "e1"}],
        "executions": [],
        "contexts": [
            {
                "id": "context-1", "branch_id": "main", "at_event_id": "e1", "purpose": "continuation",
                "fidelity": "partial", "inputs": [], "tool_ids": [],
            }
        ],
        "configurations": [],
        "tools": [{"id": "tool-1", "name": "read", "description": "Read a file.", "input_schema": True}],
        "resources": [],
        "environments": [],
        "checkpoints": [checkpoint("e1")],
        "coverage": [{"scope": scope, "status": "partial", "detail": "as far as it goes"} for scope in SCOPES],
        "losses": [],
        "required_features": [],
    }  # fmt: skip
