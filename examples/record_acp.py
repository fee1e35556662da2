"""A client and an agent talk over the Agent Client Protocol, and what they say is recorded as it passes.

    python examples/record_acp.py [FOLDER]

The agent is a stand-in. What matters is where the client calls the recorder: for each message that it sends and each that comes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sessionrecord import Session, StreamWriter
from sessionrecord.convert.acp import AcpRecorder, Direction

Message = dict[str, Any]
SESSION = "sess-1"


def agent(message: Message) -> Iterator[Message]:
    """What the stand-in sends back."""

    def update(**members: Any) -> Message:
        params = {"sessionId": SESSION, "update": members}
        return {"method": "session/update", "params": params}

    method = message.get("method")
    if method == "initialize":
        yield {
            "id": message["id"],
            "result": {"protocolVersion": 1, "agentInfo": {"name": "stand-in", "version": "0.1"}},
        }
    elif method == "session/new":
        yield {"id": message["id"], "result": {"sessionId": SESSION}}
    elif method == "session/prompt":
        for piece in ("I will ", "run the ", "tests."):
            yield update(sessionUpdate="agent_message_chunk", content={"type": "text", "text": piece})
        yield update(
            sessionUpdate="tool_call", toolCallId="call-1", title="pytest -q", kind="execute", status="pending"
        )
        options = [{"optionId": "once", "name": "Allow once", "kind": "allow_once"}]
        asked = {"sessionId": SESSION, "toolCall": {"toolCallId": "call-1"}, "options": options}
        yield {"id": 0, "method": "session/request_permission", "params": asked}
    elif "outcome" in message.get("result", {}):
        output = [{"type": "content", "content": {"type": "text", "text": "13 passed"}}]
        yield update(sessionUpdate="tool_call_update", toolCallId="call-1", status="completed", content=output)
        yield update(sessionUpdate="agent_message_chunk", content={"type": "text", "text": "All pass."})
        yield update(sessionUpdate="usage_update", used=2210, size=200000, cost={"amount": 0.0105, "currency": "USD"})
        yield {"id": 2, "result": {"stopReason": "end_turn"}}


def run(folder: Path) -> Path:
    """The client: a question, and a permission given. Gives the stream."""
    path = folder / f"{quote(SESSION, safe='')}.asr.jsonl"
    with StreamWriter(path) as writer:
        recorder = AcpRecorder(lambda session_id: writer)  # one session on this connection, so one file

        def passes(message: Message, direction: Direction) -> Message:
            whole = {"jsonrpc": "2.0", **message}
            now = datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
            for session_id, record in recorder.observe(whole, direction, now):
                print(f"{session_id} {record.seq:2} {record.type}")
            return whole

        def send(message: Message) -> None:
            for answer in agent(passes(message, "client_to_agent")):
                passes(answer, "agent_to_client")
                if answer.get("method") == "session/request_permission":
                    send({"id": answer["id"], "result": {"outcome": {"outcome": "selected", "optionId": "once"}}})

        client = {"name": "tiny-client", "version": "0.1"}
        send({"id": 0, "method": "initialize", "params": {"protocolVersion": 1, "clientInfo": client}})
        send({"id": 1, "method": "session/new", "params": {"cwd": "/srv/app", "mcpServers": []}})
        prompt = [{"type": "text", "text": "Do the tests pass?"}]
        send({"id": 2, "method": "session/prompt", "params": {"sessionId": SESSION, "prompt": prompt}})
        print(recorder.finish())
    return path


if __name__ == "__main__":
    stream = run(Path(sys.argv[1]) if len(sys.argv) > 1 else Path())
    session = Session.read(stream)
    print(session.context_view())
    print("cost:", session.usage().costs)
