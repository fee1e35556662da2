"""ASIF documents: how a check grows, beside a plain JSON Schema validation of the same document."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from typing import Any

import orjson
from jsonschema import Draft202012Validator

from benchmarks.measure import Row, best
from sessionrecord.asif import Document, Limits

_PROVENANCE = {"mode": "observed", "producer": "bench"}
_SCOPES = (
    "participants conversation branches executions contexts configuration tools decisions tasks resources environment native usage"
).split()
_ID = {"type": "string", "minLength": 1}
_COUNT = {"type": "integer", "minimum": 0}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["asif_version", "capture", "session", "events", "branches", "streams"],
    "properties": {
        "events": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["id", "sequence", "actor_id", "kind", "causes", "provenance", "data"],
                "properties": {
                    "id": _ID, "sequence": _COUNT, "actor_id": _ID, "kind": {"type": "string"},
                    "causes": {"type": "array", "items": _ID},
                    "provenance": {"type": "object", "required": ["mode", "producer"]},
                    "data": {"type": "object"},
                },
            },
        },
        "streams": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["id", "kind", "event_id", "call_id", "status", "segments"],
                "properties": {
                    "segments": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": ["index", "resource_id", "offset", "length", "terminal"],
                            "properties": {
                                "index": _COUNT, "resource_id": _ID, "offset": _COUNT, "length": _COUNT,
                                "terminal": {"type": "boolean"},
                            },
                        },
                    },
                },
            },
        },
    },
}  # fmt: skip
"""The schema of what grows in these documents and no more: a whole one would be slower. It says nothing of streams, histories or bytes."""


def document(events: int, segments: int) -> bytes:
    """A valid document of that many messages, and a call whose arguments came in that many segments."""
    text = b'"' + b"x" * max(0, segments - 2) + b'"'
    call = {
        "call_id": "c", "tool_id": "t", "arguments": text[1:-1].decode(), "arguments_status": "complete",
    }  # fmt: skip
    history = [
        _event(f"e{i}", i, "message", {"role": "user", "parts": [{"kind": "text", "text": "Hello."}]})
        for i in range(events)
    ] + [_event("call", events, "tool_call", call)]
    resource = {
        "id": "r", "media_type": "application/json", "purpose": "content", "encoding": "base64", "availability": "embedded",
        "data": base64.b64encode(text).decode(), "bytes": len(text), "sha256": hashlib.sha256(text).hexdigest(),
    }  # fmt: skip
    pieces = [
        {"index": i, "resource_id": "r", "offset": i, "length": 1, "terminal": i == len(text) - 1}
        for i in range(len(text))
    ]
    return orjson.dumps({
        "asif_version": "0.4",
        "capture": {"id": "k", "producer": {"name": "bench", "version": "1"}, "consistency": "consistent", "boundary": "all"},
        "session": {"id": "s", "native_ids": [], "lineage": []},
        "participants": [{"id": "a", "kind": "agent"}],
        "events": history,
        "branches": [{"id": "main", "event_ids": [e["id"] for e in history], "head_event_id": "call"}],
        "executions": [],
        "contexts": [{"id": "x", "branch_id": "main", "at_event_id": "call", "purpose": "continuation", "fidelity": "partial",
                      "inputs": [], "tool_ids": []}],
        "configurations": [],
        "tools": [{"id": "t", "name": "read", "description": "Read.", "input_schema": True}],
        "resources": [resource],
        "environments": [],
        "checkpoints": [{
            "id": "at", "branch_id": "main", "at_event_id": "call", "knowledge": "observed", "status": "idle", "context_id": "x",
            "configuration_id": None, "tasks": [], "requirements": [],
            "open_calls": [{"call_id": "c", "state": "outcome_unknown"}], "open_decisions": [],
        }],
        "coverage": [{"scope": scope, "status": "partial", "detail": "bench"} for scope in _SCOPES],
        "losses": [],
        "streams": [{"id": "st", "kind": "tool_arguments", "event_id": "call", "call_id": "c", "status": "complete", "segments": pieces}],
        "required_features": ["asif.streams/0.1"],
    })  # fmt: skip


def _event(event_id: str, sequence: int, kind: str, data: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": event_id, "sequence": sequence, "actor_id": "a", "kind": kind, "causes": [], "provenance": _PROVENANCE, "data": data,
    }  # fmt: skip


def rows(rounds: int) -> Iterator[Row]:
    """Parse and check, ours with every rule and plain `orjson.loads` with the schema; and how ours grows tenfold."""
    for name, sizes in (("events", ((10_000, 2), (100_000, 2))), ("segments", ((1, 10_000), (1, 100_000)))):
        times: list[float] = []
        for events, segments in sizes:
            source = document(events, segments)
            validator = Draft202012Validator(SCHEMA)

            def ours(source: bytes = source) -> None:
                report = Document.parse(source, limits=Limits.off()).check(limits=Limits.off())
                assert not report.findings, report.findings[:3]

            def plain(source: bytes = source, validator: Draft202012Validator = validator) -> None:
                validator.validate(orjson.loads(source))

            mine, peer = best(rounds, ours, plain)
            times.append(mine)
            size = f"{max(events, segments):,} {name}"
            yield Row(
                "ASIF check / jsonschema of the same document, time",
                size,
                f"{mine * 1e3:.4g} ms",
                f"{peer * 1e3:.4g} ms",
                mine / peer,
            )
        yield Row(
            "ASIF parse and check, growth", f"10,000 -> 100,000 {name}", f"{times[1] * 1e3:.4g} ms", f"{times[0] * 1e3:.4g} ms",
            times[1] / times[0], "<= 12",
        )  # fmt: skip
