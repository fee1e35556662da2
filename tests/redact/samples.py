"""Streams for the tests of redaction."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from sessionrecord import Session
from sessionrecord.redact import Redacted, RedactionRules, redact

HEADER: dict[str, Any] = {
    "type": "session", "agent": "toy", "sessionId": "s", "producer": {"method": "native"},
}  # fmt: skip


def line(value: Any) -> bytes:
    """A value as one canonical line."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


def numbered(*records: dict[str, Any]) -> list[dict[str, Any]]:
    """A header and records, each with `seq` and `id`."""
    return [{"type": r["type"], "seq": n, "id": f"r{n}", **r} for n, r in enumerate((HEADER, *records), 1)]


def stream(*records: dict[str, Any]) -> bytes:
    """A header and records as lines."""
    return b"".join(map(line, numbered(*records)))


def message(*content: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A message of some blocks."""
    return {"type": "message", "messageId": "m1", "role": "user", "content": list(content), **more}


def text(value: str) -> dict[str, Any]:
    """A block of text."""
    return {"type": "text", "text": value}


def source_of(session: Session) -> bytes:
    """The stream as it is written, byte for byte."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "stream")
        session.write(path)
        return path.read_bytes()


def redacted(source: bytes, rules: RedactionRules) -> tuple[bytes, Redacted]:
    """The stream after redaction, and the result."""
    made = redact(Session.read(source), rules)
    return source_of(made.session), made
