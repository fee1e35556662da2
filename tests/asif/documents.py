"""Documents to check: a small valid one, and edits that keep it valid or break one rule."""

from __future__ import annotations

import copy
import hashlib
import json
from pathlib import Path
from typing import Any

from sessionrecord.asif import Document, Limits, Report

DATA = Path(__file__).resolve().parent.parent / "data" / "asif"
SCOPES = """participants conversation branches executions contexts configuration tools decisions tasks resources environment
native usage""".split()

Wire = dict[str, Any]


def wire_of(name: str) -> Wire:
    """The JSON value of a stored document."""
    value: Wire = json.loads((DATA / name).read_text("utf-8"))
    return value


def parsed(wire: Wire, limits: Limits | None = None) -> Document:
    return Document.parse(json.dumps(wire).encode(), limits=limits)


def checked(wire: Wire, limits: Limits | None = None) -> Report:
    return parsed(wire, limits).check(limits=limits)


def found(wire: Wire) -> list[tuple[str, str | None]]:
    """Code and pointer of every error."""
    return [(f.code, f.pointer) for f in checked(wire).findings if f.severity == "error"]


def warned(wire: Wire) -> list[tuple[str, str | None]]:
    """Code and pointer of every warning."""
    return [(f.code, f.pointer) for f in checked(wire).findings if f.severity == "warning"]


def edited(wire: Wire, *edits: tuple[str, Any]) -> Wire:
    """A copy with values put at JSON Pointers; `...` removes, an index equal to the length appends."""
    root = copy.deepcopy(wire)
    for pointer, value in copy.deepcopy(edits):
        *path, last = [p.replace("~1", "/").replace("~0", "~") for p in pointer.split("/")[1:]]
        at: Any = root
        for step in path:
            at = at[int(step)] if isinstance(at, list) else at[step]
        if value is ...:
            del at[int(last) if isinstance(at, list) else last]
        elif isinstance(at, list):
            at[int(last) : int(last) + 1] = [value]
        else:
            at[last] = value
    return root


def part(text: str = "hello") -> Wire:
    return {"kind": "text", "text": text}


def event(sequence: int, kind: str, data: Wire, **members: Any) -> Wire:
    return {
        "id": f"e{sequence}",
        "sequence": sequence,
        "actor_id": "agent",
        "kind": kind,
        "causes": [],
        "provenance": {"mode": "observed", "producer": "p"},
        "data": data,
        **members,
    }


def call(
    sequence: int, call_id: str = "k", arguments: Any = None, status: str = "complete", amends: str = "", **members: Any
) -> Wire:
    if amends:
        members["supersedes"] = {"event_id": amends}
    data = {"call_id": call_id, "tool_id": "tool", "arguments": arguments, "arguments_status": status}
    return event(sequence, "tool_call", data, **members)


def result(
    sequence: int, call_id: str = "k", index: int = 0, *, terminal: bool = True, outcome: str = "", **members: Any
) -> Wire:
    data = {
        "call_id": call_id,
        "result_index": index,
        "terminal": terminal,
        "outcome": outcome or ("success" if terminal else "unknown"),
        "parts": [part()],
    }
    return event(sequence, "tool_result", data, **members)


def request(sequence: int, request_id: str = "q", options: str = "ab", **members: Any) -> Wire:
    data: Wire = {
        "request_id": request_id,
        "decision_kind": "approval",
        "prompt": [part()],
        "options": [{"id": o, "label": o} for o in options],
    }
    for name in ("call_id", "task_id", "task_revision"):
        if name in members:
            data[name] = members.pop(name)
    return event(sequence, "decision_request", data, **members)


def resolution(sequence: int, request_id: str = "q", option: str | None = None, **members: Any) -> Wire:
    data: Wire = {"request_id": request_id, "outcome": "allowed", "answer": []}
    if option is not None:
        data["selected_option_id"] = option
    return event(sequence, "decision_resolution", data, **members)


def checkpoint(
    at: str | None,
    *,
    branch: str = "main",
    calls: tuple[str, ...] = (),
    decisions: tuple[str, ...] = (),
    knowledge: str = "observed",
) -> Wire:
    return {
        "id": f"at {branch} {at}",
        "branch_id": branch,
        "at_event_id": at,
        "knowledge": knowledge,
        "status": "idle",
        "context_id": "context",
        "configuration_id": None,
        "open_calls": [{"call_id": c, "state": "pending"} for c in calls],
        "open_decisions": [{"request_id": d, "state": "pending"} for d in decisions],
        "tasks": [],
        "requirements": [],
    }


def branch(name: str, events: list[str]) -> Wire:
    return {"id": name, "event_ids": events, "head_event_id": events[-1] if events else None}


def resource(name: str, text: str, **members: Any) -> Wire:
    data = text.encode()
    return {
        "id": name,
        "media_type": "text/plain",
        "purpose": "input",
        "availability": "embedded",
        "text": text,
        "bytes": len(data),
        "sha256": hashlib.sha256(data).hexdigest(),
        **members,
    }


def segment(index: int, resource_id: str, offset: int, length: int, *, terminal: bool = False) -> Wire:
    return {"index": index, "resource_id": resource_id, "offset": offset, "length": length, "terminal": terminal}


def stream(event_id: str, segments: list[Wire], *, status: str = "complete", **members: Any) -> Wire:
    return {
        "id": f"s {event_id}",
        "kind": "tool_arguments",
        "event_id": event_id,
        "call_id": "k",
        "status": status,
        "segments": segments,
        **members,
    }


def bound_call(call_id: str = "x", **descriptor: Any) -> Wire:
    return {
        "kind": "call",
        "id": call_id,
        "source": {"session_id": "session", "capture_id": "earlier", "event_id": "far"},
        "descriptor": {"tool_id": "tool", "arguments": {}, "arguments_status": "complete", **descriptor},
    }


def bound_request(request_id: str = "y", options: str = "ab", **descriptor: Any) -> Wire:
    return {
        "kind": "request",
        "id": request_id,
        "source": {"session_id": "session", "capture_id": "earlier", "event_id": "far"},
        "descriptor": {
            "decision_kind": "question",
            "prompt": [part()],
            "options": [{"id": o, "label": o} for o in options],
            **descriptor,
        },
    }


def document(
    *events: Wire, open_calls: tuple[str, ...] = (), open_decisions: tuple[str, ...] = (), **members: Any
) -> Wire:
    """A valid document of one branch with all events, its head's checkpoint listing what is open."""
    ids = [e["id"] for e in events]
    features = list(members.pop("required_features", []))
    if "streams" in members:
        features.append("asif.streams/0.1")
    if "external_bindings" in members:
        features.append("asif.external-bindings/0.1")
    coverage = {scope: "complete" if scope in ("tools", "decisions") else "partial" for scope in SCOPES}
    return {
        "asif_version": "0.4",
        "capture": {
            "id": "capture",
            "producer": {"name": "p", "version": "1"},
            "consistency": "consistent",
            "boundary": "all of it",
        },
        "session": {"id": "session", "native_ids": [], "lineage": []},
        "participants": [{"id": "agent", "kind": "agent"}],
        "events": list(events),
        "executions": [{"id": "run"}],
        "contexts": [{"id": "context", "inputs": []}],
        "configurations": [],
        "tools": [{"id": "tool", "name": "t", "description": "", "input_schema": True}],
        "resources": [],
        "environments": [],
        "losses": [],
        "branches": [branch("main", ids)],
        "checkpoints": [checkpoint(ids[-1] if ids else None, calls=open_calls, decisions=open_decisions)],
        "coverage": [{"scope": s, "status": coverage[s], "detail": "as said"} for s in SCOPES],
        "required_features": features,
        **members,
    }
