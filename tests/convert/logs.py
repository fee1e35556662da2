"""Native lines and logs for the tests of the Claude Code converter."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sessionrecord.convert import Conversion, ConversionReport, claude_code
from sessionrecord.records import Compaction, Message, Record, ToolCall, ToolResult

DATA = Path(__file__).parents[1] / "data" / "claude_code"
SAMPLE = Path(__file__).parents[2] / "examples" / "data" / "claude-code-sample.jsonl"
SESSION = "5e551017-0000-4000-8000-000000000000"


def fixture(name: str) -> Conversion:
    return claude_code.convert(DATA / f"{name}.jsonl")


def user(uuid: str, content: Any, parent: str | None = None, **more: Any) -> dict[str, Any]:
    line = {
        "type": "user",
        "uuid": uuid,
        "parentUuid": parent,
        "sessionId": SESSION,
        "message": {"role": "user", "content": content},
    }
    return line | more


def assistant(
    uuid: str, message_id: str, content: Any, parent: str | None = None, *, stop: str | None = "end_turn", **more: Any
) -> dict[str, Any]:
    message = {
        "id": message_id,
        "role": "assistant",
        "model": "m",
        "content": content,
        "stop_reason": stop,
        "usage": {"input_tokens": 1, "output_tokens": 2},
    }
    return {"type": "assistant", "uuid": uuid, "parentUuid": parent, "sessionId": SESSION, "message": message} | more


def tool_use(call_id: str, name: str = "Bash", **given: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": name, "input": given}


def tool_result(call_id: str, content: Any = "done", **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call_id, "content": content} | more


def log(*lines: Any) -> bytes:
    return b"".join(line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n" for line in lines)


def convert(*lines: Any) -> Conversion:
    return claude_code.convert(log(*lines))


def of(cls: type[Any], records: list[Record]) -> list[Any]:
    return [r for r in records if isinstance(r, cls)]


def natives(records: list[Record]) -> list[dict[str, Any]]:
    return [r.to_wire() for r in records if r.type == "native_line"]


def accounted(report: ConversionReport) -> int:
    return report.converted.total() + report.kept.total() + report.unknown.total() + len(report.not_converted)


def codes(report: ConversionReport) -> list[tuple[int, str]]:
    return [(n.line, n.code) for n in report.notes]


def fold(records: list[Record]) -> tuple[list[str], list[str]]:
    """Heads and active path, read off spec section 7 with no index: entities are named by their first record's ID."""
    first: dict[tuple[str, str], str] = {}
    by_ref: dict[str, str] = {}
    before: dict[str, str | None] = {}
    head: str | None = None
    for r in records:
        if isinstance(r, Message):
            key, ref = ("message", r.message_id), f"messageId={r.message_id}"
        elif isinstance(r, ToolCall):
            key, ref = ("tool_call", r.call_id), f"callId={r.call_id}"
        elif isinstance(r, ToolResult):
            key, ref = ("tool_result", r.call_id), r.id
        elif isinstance(r, Compaction):
            key, ref = ("compaction", r.compaction_id), f"compactionId={r.compaction_id}"
        else:
            continue
        if key in first:
            continue
        before[r.id] = head if r.predecessor is None else by_ref.get(r.predecessor)
        first[key] = by_ref[ref] = head = r.id
    named = set(before.values())
    heads = [e for e in before if e not in named]
    path = []
    while head is not None:
        path.append(head)
        head = before[head]
    return heads, path[::-1]
