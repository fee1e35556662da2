"""Small streams and the ways to run a command on them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

HEADER: dict[str, Any] = {
    "type": "session",
    "agent": "toy",
    "sessionId": "s1",
    "producer": {"method": "native", "name": "toy", "version": "1"},
    "losses": [{"kind": "member_dropped", "field": "slug", "count": 3, "explanation": "no place for it"}],
}
SESSION: list[dict[str, Any]] = [
    HEADER,
    {
        "type": "message",
        "messageId": "u1",
        "role": "user",
        "content": [{"type": "text", "text": "please\nlook"}],
        "turnId": "t1",
    },
    {"type": "tool_call", "callId": "c1", "name": "Read", "arguments": {"path": "a.py"}, "turnId": "t1"},
    {"type": "tool_call", "callId": "c2", "name": "Bash", "arguments": {"command": "false"}, "turnId": "t1"},
    {"type": "tool_result", "callId": "c2", "outcome": "error", "content": [{"type": "text", "text": "exit 1"}]},
    {"type": "tool_result", "callId": "c1", "content": [{"type": "text", "text": "x = 1"}]},
    {
        "type": "usage",
        "modelCallId": "m1",
        "model": "big",
        "inputTokens": 1200,
        "outputTokens": 30,
        "cost": {"amount": 0.1, "currency": "USD"},
    },
    {
        "type": "usage",
        "modelCallId": "m2",
        "model": "big",
        "inputTokens": 5,
        "cost": {"amount": 0.2, "currency": "USD"},
    },
    {"type": "rewind", "to": "messageId=u1"},
    {
        "type": "message",
        "messageId": "a1",
        "role": "assistant",
        "content": [{"type": "text", "text": "first"}],
        "turnId": "t1",
    },
    {
        "type": "message",
        "messageId": "a1",
        "role": "assistant",
        "content": [{"type": "text", "text": "second"}],
        "turnId": "t1",
    },
]


def stream(records: list[dict[str, Any]] = SESSION) -> bytes:
    """The lines of records; `seq` counts from 1, `id` is `r<seq>`."""
    numbered = ({"type": r["type"], "seq": n, "id": f"r{n}", **r} for n, r in enumerate(records, 1))
    return b"".join(json.dumps(r, ensure_ascii=False, separators=(",", ":")).encode() + b"\n" for r in numbered)


def said(text: str) -> bytes:
    """A stream of one message with a text."""
    return stream(
        [HEADER, {"type": "message", "messageId": "u1", "role": "user", "content": [{"type": "text", "text": text}]}]
    )


def write(path: Path, data: bytes) -> str:
    """Write a file and give its path as an argument."""
    path.write_bytes(data)
    return str(path)


def command(*arguments: str) -> list[str]:
    """The command line of a real process."""
    return [sys.executable, "-m", "sessionrecord", *arguments]


def run(*arguments: str, stdin: bytes = b"", **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Run a real process with pipes."""
    return subprocess.run(
        command(*arguments),
        input=stdin,
        capture_output=True,
        env={**os.environ, **environment},
        timeout=60,
        check=False,
    )
