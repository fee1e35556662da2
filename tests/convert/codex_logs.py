"""Native lines and logs for the tests of the Codex converter."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sessionrecord.convert import Conversion, codex

DATA = Path(__file__).parents[1] / "data" / "codex"
SAMPLE = Path(__file__).parents[2] / "examples" / "data" / "codex-sample.jsonl"
SESSION = "0195a3c2-0000-7000-8000-000000000000"


def line(kind: str, payload: Any, **more: Any) -> dict[str, Any]:
    return {"timestamp": "2026-03-02T09:00:00.000Z", "type": kind, "payload": payload} | more


def meta(**more: Any) -> dict[str, Any]:
    return line("session_meta", {"id": SESSION, "cwd": "/home/ada", "cli_version": "0.98.0"} | more)


def item(kind: str, **more: Any) -> dict[str, Any]:
    return line("response_item", {"type": kind} | more)


def event(kind: str, **more: Any) -> dict[str, Any]:
    return line("event_msg", {"type": kind} | more)


def message(role: str, text: str, **more: Any) -> dict[str, Any]:
    part = {"type": "output_text" if role == "assistant" else "input_text", "text": text}
    return item("message", role=role, content=[part], **more)


def user(text: str) -> list[dict[str, Any]]:
    """What the user sent: the item, and the event that repeats it."""
    return [message("user", text), event("user_message", message=text, images=[], local_images=[])]


def call(call_id: str, arguments: str = "{}", name: str = "exec_command") -> dict[str, Any]:
    return item("function_call", name=name, arguments=arguments, call_id=call_id)


def output(call_id: str, said: Any = "done") -> dict[str, Any]:
    return item("function_call_output", call_id=call_id, output=said)


def tokens(counts: tuple[int, int, int, int, int], **more: Any) -> dict[str, Any]:
    """A token count: input, cached input, output, reasoning, total."""
    names = ("input_tokens", "cached_input_tokens", "output_tokens", "reasoning_output_tokens", "total_tokens")
    return event("token_count", info={"total_token_usage": dict(zip(names, counts, strict=True))} | more)


def convert(*lines: Any) -> Conversion:
    """The conversion of the lines, with a session_meta before them."""
    return codex.convert(log(meta(), *lines))


def log(*lines: Any) -> bytes:
    return b"".join(
        given if isinstance(given, bytes) else json.dumps(given).encode() + b"\n" for given in lines
    )  # fmt: skip
