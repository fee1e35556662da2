"""Remove secrets from a session before it is shared: known forms, a value from the environment, and a form of one's own."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from sessionrecord import Producer, Session, StreamWriter, TextBlock
from sessionrecord.redact import KNOWN_PATTERNS, Pattern, RedactionRules, redact

SOURCE = Path("with-secrets.asr.jsonl")
TARGET = Path(sys.argv[1] if len(sys.argv) > 1 else "shared.asr.jsonl")
PASSWORD = os.environ.get("DEMO_PASSWORD", "correct horse battery")


def record() -> None:
    """Write a session in which secrets stand in several places and forms."""
    with StreamWriter(SOURCE) as writer:
        writer.session(agent="demo", session_id="1", producer=Producer(method="native"))
        writer.message(message_id="m1", role="user", content=[TextBlock(text=f"The password is {PASSWORD}.")])
        body = json.dumps({"user": "me", "password": PASSWORD})
        writer.tool_call(call_id="c1", name="http", arguments={"body": body, "ticket": "TCK-00012345"})
        writer.tool_result(call_id="c1", content=[TextBlock(text="AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE")])


def main() -> None:
    """Write the session, redact it, and say what was removed."""
    record()
    rules = RedactionRules(
        {"demo-password": PASSWORD},
        [*KNOWN_PATTERNS, Pattern("ticket", r"TCK-[0-9]{8}")],
    )
    made = redact(Session.read(SOURCE), rules)
    made.session.write(TARGET)
    for line in made.report.lines():
        print(line)
    assert PASSWORD not in TARGET.read_text("utf-8")
    assert made.session.diagnostics == []


if __name__ == "__main__":
    main()
