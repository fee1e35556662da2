"""Sessions and records that the displays are tried on."""

from __future__ import annotations

import base64
import struct
import zlib
from pathlib import Path
from typing import Any

from sessionrecord import InvalidRecord, Record, Session, ijson, read_record
from sessionrecord.convert import claude_code
from sessionrecord.records import RECORD_TYPES

DATA = Path(__file__).parents[3] / "examples" / "data"
HEADER: dict[str, Any] = {
    "type": "session", "seq": 1, "id": "r1", "agent": "a", "sessionId": "s", "producer": {"method": "native"},
}  # fmt: skip


def png(width: int = 2, height: int = 2, colour: tuple[int, int, int] = (255, 0, 0)) -> bytes:
    """A PNG of one colour."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    rows = b"".join(b"\0" + bytes(colour) * width for _ in range(height))
    size = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", size) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def base64_of(content: bytes) -> str:
    return base64.b64encode(content).decode()


def record(**members: Any) -> Record | InvalidRecord:
    """A record, or a broken one, as reading its line gives it."""
    return read_record(ijson.dumps({"seq": 2, "id": "r2", **members}))[0]


def message(*blocks: dict[str, Any], **more: Any) -> Record | InvalidRecord:
    return record(type="message", messageId="m", role="assistant", content=list(blocks), **more)


def stream(*records: dict[str, Any], **header: Any) -> Session:
    """A session of a header and records numbered in order."""
    lines = [HEADER | header, *({"seq": n, "id": f"r{n}", **r} for n, r in enumerate(records, 2))]
    return Session.read(b"".join(ijson.dumps(r) + b"\n" for r in lines))


def sample() -> Session:
    """The session of the examples: tools, errors, reasoning, a compaction, a child session."""
    return Session.from_records(claude_code.convert(DATA / "claude-code-sample.jsonl").main)


def rewound() -> Session:
    """A session with a rewind, revisions, a broken line, a call without a result, and an image."""
    image = {"type": "image", "mimeType": "image/png", "data": base64_of(png(48, 32))}
    session = stream(
        {"type": "message", "messageId": "m1", "role": "user", "content": [{"type": "text", "text": "Look at it."}, image]},
        {"type": "tool_call", "callId": "c1", "name": "look", "status": "pending", "arguments": {"at": "it"}},
        {"type": "tool_call", "callId": "c1", "name": "look", "status": "completed", "arguments": {"at": "it", "deep": True}},
        {"type": "tool_result", "callId": "c1", "outcome": "error", "exitCode": 2, "durationMs": 12.5,
         "error": {"code": "E", "message": "cannot look"}, "content": [{"type": "text", "text": "nothing seen"}],
         "capture": {"content": {"state": "truncated"}}},
        {"type": "rewind", "to": "messageId=m1"},
        {"type": "tool_call", "callId": "c2", "name": "ask"},
        {"type": "state", "state": "idle"},
        title="t",
    )  # fmt: skip
    return Session.read(
        b"".join(session_lines(session))
        + b'{"type":"message","seq":99,"id":"r99","messageId":7,"role":"user"}\n{"torn\n'
    )


def session_lines(session: Session) -> list[bytes]:
    return [r.to_line() + b"\n" for r in session.records]


def hostile_records(text: str) -> list[Record | InvalidRecord]:
    """Records of every kind with a text wherever one can stand: in members, names of members, and values of any shape."""
    blob = {"sha256": text, "bytes": 5, "path": text}
    media = [
        {"type": kind, "mimeType": mime, "name": text, **where}
        for kind, mime in (
            ("image", text),
            ("image", "image/png"),
            ("image", "image/svg+xml"),
            ("audio", text),
            ("file", "text/html"),
        )
        for where in (
            {"data": text},
            {"data": base64_of(text.encode("utf-8", "replace"))},
            {"data": base64_of(b"\x89PNG\r\n\x1a\n" + text.encode("utf-8", "replace"))},
            {"uri": text},
            {"uri": f"https://e.example/{text}"},
            {"uri": f"data:image/png;base64,{text}"},
            {"uri": f"data:text/html,{text}"},
            {"blob": blob},
        )
    ]
    blocks = [
        {"type": "text", "text": text, text: text},
        {"type": "reasoning", "text": text, "signature": text, "encrypted": text},
        *media,
        {"type": "resource_link", "uri": text, "name": text, "mimeType": text},
        {"type": "diff", "path": text, "oldText": text, "newText": f"{text}\n{text}"},
        {"type": "terminal", "terminalId": text},
        {"type": "x" + text, text: {text: [text]}},
    ]
    odd = {text: text, "nested": {text: [text, {text: text}]}, "_repr_html_": text, "_repr_javascript_": text}
    key = f"k{text}"
    more: dict[str, Any] = {
        "turnId": text, "participant": text, "capture": {text: {"state": key, "reason": text}},
        "source": {"path": text, "nativeType": text}, **odd,
    }  # fmt: skip
    wires: list[dict[str, Any]] = [
        {"type": "session", "agent": text, "sessionId": text, "namespace": key, "producer": {"method": key, "name": text},
         "formatVersion": text, "agentVersion": text, "roots": [{"id": text, "path": text}], "profiles": [text],
         "losses": [{"kind": text, "explanation": text}], "environment": {"os": text, text: text}},
        {"type": "declaration", "client": {"name": text}},
        {"type": "session_info", "title": text, "summary": text, "tags": [text]},
        {"type": "message", "messageId": text, "role": key, "content": blocks, "model": text},
        {"type": "tool_call", "callId": text, "name": text, "title": text, "status": key, "arguments": {text: [text]}},
        {"type": "tool_call", "callId": key, "name": text, "arguments": text},
        {"type": "tool_result", "callId": text, "outcome": key, "content": blocks[:3], "structured": {text: text},
         "error": {"code": text, "message": text}, "signal": text},
        {"type": "compaction", "compactionId": text, "status": key, "summary": blocks[:1], "error": {"message": text}},
        {"type": "rewind", "to": key, "reason": text},
        {"type": "model_call", "modelCallId": text, "model": text, "provider": text, "stopReason": key},
        {"type": "usage", "model": text, "inputTokens": 5, "cost": {"amount": 1.5, "currency": text}},
        {"type": "permission_request", "permissionId": text, "title": text, "options": [{"optionId": text, "name": text}]},
        {"type": "permission_decision", "permissionId": text, "outcome": key, "reason": text, "updatedArguments": text},
        {"type": "question", "questionId": text, "prompt": blocks[:1], "options": [{"optionId": text, "label": text}]},
        {"type": "answer", "questionId": text, "selected": [text], "text": text},
        {"type": "memory_write", "memoryId": text, "content": blocks[:1], "key": text},
        {"type": "delivery", "of": key, "recipients": [text]},
        {"type": "file_change", "path": text, "patch": text, "operation": key},
        {"type": "commit", "revision": text, "message": text, "branch": text},
        {"type": "state", "state": key, "reason": text},
        {"type": "terminal", "terminalId": text, "command": text, "args": [text], "output": text},
        {"type": "plan", "planId": text, "entries": [{"content": text, "status": key, "priority": key}]},
        {"type": "error", "message": text, "code": text, "severity": key},
        {"type": key, text: text},
    ]  # fmt: skip
    assert {w["type"] for w in wires} > set(RECORD_TYPES)
    found = []
    for n, w in enumerate(wires, 1):
        line = ijson.dumps({**{k: v for k, v in more.items() if k not in w}, "seq": n, "id": f"r{n}{text}", **w})
        found.append(read_record(line)[0])
    broken = ijson.dumps({"type": "message", "seq": 50, "id": text, "messageId": 1, "role": text, text: text})
    found += [
        read_record(broken)[0],
        read_record(broken[:-1])[0],
        read_record(text.encode("utf-8", "surrogatepass"))[0],
    ]
    return found
