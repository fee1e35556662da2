"""Messages and logs for the tests of the recorder of ACP connections."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar

from sessionrecord.convert import Conversion, acp
from sessionrecord.records import Record
from sessionrecord.records.envelope import EnvelopeModel

SAMPLE = Path(__file__).parents[2] / "examples" / "data" / "acp-sample.jsonl"
SESSION = "s1"
AT = "2026-03-02T09:00:00.000Z"
OPTIONS = [
    {"optionId": "once", "name": "Allow once", "kind": "allow_once"},
    {"optionId": "no", "name": "Reject", "kind": "reject_once"},
]
UNKNOWN = json.dumps(
    {
        "direction": "agent_to_client",
        "message": {"jsonrpc": "2.0", "method": "_kit/new", "params": {"m": "kit-marker-7f3a"}},
    }
).encode()
"""A message that nobody knows, with the kit's marker in it."""

R = TypeVar("R", bound=EnvelopeModel)
Line = dict[str, Any]


def client(at: str | None = AT, **message: Any) -> Line:
    return _line("client_to_agent", at, message)


def agent(at: str | None = AT, **message: Any) -> Line:
    return _line("agent_to_client", at, message)


def _line(direction: str, at: str | None, message: dict[str, Any]) -> Line:
    head = {"direction": direction} | ({} if at is None else {"timestamp": at})
    return {**head, "message": {"jsonrpc": "2.0", **message}}


def ask(number: Any, method: str, **params: Any) -> Line:
    """A request of the client."""
    return client(id=number, method=method, params=params)


def call(number: Any, method: str, session: str = SESSION, **params: Any) -> Line:
    """A request of the agent."""
    return agent(id=number, method=method, params={"sessionId": session, **params})


def update(kind: str, /, session: str = SESSION, **members: Any) -> Line:
    return agent(method="session/update", params={"sessionId": session, "update": {"sessionUpdate": kind, **members}})


def text(said: str) -> dict[str, Any]:
    return {"type": "text", "text": said}


def item(said: str) -> dict[str, Any]:
    return {"type": "content", "content": text(said)}


def chunk(said: str, kind: str = "agent_message_chunk", **more: Any) -> Line:
    return update(kind, content=text(said), **more)


def prompt(number: Any, said: str, session: str = SESSION, **more: Any) -> Line:
    return ask(number, "session/prompt", sessionId=session, prompt=[text(said)], **more)


def done(number: Any, reason: str = "end_turn", **more: Any) -> Line:
    return agent(id=number, result={"stopReason": reason, **more})


def opened(version: int = 1, session: str = SESSION) -> list[Line]:
    """A connection with a session: five lines."""
    names = ("clientInfo", "agentInfo") if version == 1 else ("info", "info")
    return [
        ask("i", "initialize", protocolVersion=version, **{names[0]: {"name": "editor", "version": "1"}}),
        agent(id="i", result={"protocolVersion": version, names[1]: {"name": "agent", "version": "2"}}),
        ask("n", "session/new", cwd="/work", mcpServers=[]),
        agent(id="n", result={"sessionId": session}),
    ]


def log(lines: Iterable[Any]) -> bytes:
    return b"".join(json.dumps(line, ensure_ascii=False).encode() + b"\n" for line in lines)


def convert(*lines: Line, version: int = 1) -> Conversion:
    """The conversion of the lines, after those of `opened`."""
    return acp.convert(log([*opened(version), *lines]))


def record_live(lines: Iterable[Line]) -> acp.AcpRecorder:
    """The lines, recorded as they pass."""
    recorder = acp.AcpRecorder()
    for line in lines:
        recorder.observe(line["message"], line["direction"], line.get("timestamp"))
    recorder.finish()
    return recorder


def of(conversion: Conversion, cls: type[R]) -> list[R]:
    return [r for r in conversion.main if isinstance(r, cls)]


def said(records: Iterable[Record]) -> list[tuple[str, str]]:
    """Role and text of each message; a thought's role is `thought`."""
    found = []
    for record in records:
        if record.type == "message":
            wire = record.to_wire()
            kinds = {b["type"] for b in wire["content"]}
            role = "thought" if kinds == {"reasoning"} else wire["role"]
            found.append((role, "".join(b.get("text", "") for b in wire["content"])))
    return found


def kept(conversion: Conversion) -> Counter[str]:
    """Native type of what was kept whole, after the four lines that open the connection."""
    found = Counter(r.to_wire().get("nativeType", "") for r in conversion.main if r.type == "native_line")
    return found - Counter(["initialize", "initialize response", "session/new", "session/new response"])
