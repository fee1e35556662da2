"""Which converter a log is for: told by its content, never by its name."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from sessionrecord.convert.acp.protocol import KNOWN_METHODS, SHARED_METHODS
from sessionrecord.convert.acp.source import is_wrapped
from sessionrecord.convert.acp.source import label_of as acp_label
from sessionrecord.convert.claude_code.source import label_of as claude_code_label
from sessionrecord.convert.codex.source import LINE_TYPES, CodexLine
from sessionrecord.convert.codex.source import label_of as codex_label
from sessionrecord.convert.files import read_head
from sessionrecord.convert.native import BLANK, Unit, members, text, units
from sessionrecord.diagnostics import excerpt
from sessionrecord.errors import ConversionError
from sessionrecord.records import RECORD_TYPES

__all__ = ["Detection", "detect"]

_HEAD: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Detection:
    """What a log is."""

    format: str
    """The name of the converter, as the command `convert` takes it: `claude-code`, `codex`, `asm` or `acp`."""
    confidence: float
    """Share of the objects looked at that have the form of its lines: above 0, at most 1."""
    recognized: int
    """Objects that have it."""
    examined: int
    """Objects looked at: those in the first megabyte."""


@dataclass(frozen=True, slots=True)
class _Format:
    name: str
    """The converter."""
    form: str
    """What its lines are known by, in words."""
    recognizes: Callable[[Unit], bool]
    """Whether an object has that form."""


def _is_claude_code(line: Unit) -> bool:
    value = line.value
    if "payload" in value or not isinstance(value.get("type"), str):
        return False
    return text(value.get("sessionId")) is not None or (
        text(value.get("leafUuid")) is not None and value["type"] == "summary"
    )


def _is_codex(line: Unit) -> bool:
    value = line.value
    if "payload" not in value:
        return CodexLine(line.index, line.number, value, value, line.label).is_bare or "record_type" in value
    kind = value.get("type")
    return isinstance(value["payload"], dict) and isinstance(kind, str) and ("timestamp" in value or kind in LINE_TYPES)


def _is_asm(line: Unit) -> bool:
    return all(text(line.value.get(name)) is not None for name in ("kind", "run_id", "session_id"))


def _is_acp(line: Unit) -> bool:
    """Whether it is a message that only this protocol has; others are JSON-RPC too."""
    message = members(line.value.get("message")) if is_wrapped(line.value) else line.value
    method, params, result = message.get("method"), members(message.get("params")), members(message.get("result"))
    if (
        method == "initialize" or "protocolVersion" in result
    ):  # so does the Model Context Protocol, whose version is a date
        return type(params.get("protocolVersion", result.get("protocolVersion"))) is int
    if isinstance(method, str):
        return method in KNOWN_METHODS and (method not in SHARED_METHODS or is_wrapped(line.value))
    return ("id" in message and is_wrapped(line.value) and "direction" in line.value) or any(
        name in result for name in ("stopReason", "sessionId", "outcome", "terminalId")
    )


def _is_record(line: Unit) -> bool:
    value, kind = line.value, text(line.value.get("type"))
    return kind in RECORD_TYPES and type(value.get("seq")) is int and text(value.get("id")) is not None


_FORMATS: Final = (
    _Format("claude-code", "a type with sessionId", _is_claude_code),
    _Format("codex", "a type with timestamp and payload, or an item of an older rollout", _is_codex),
    _Format("asm", "a kind with run_id and session_id", _is_asm),
    _Format("acp", "a JSON-RPC message of the Agent Client Protocol, alone or with its direction", _is_acp),
)


def detect(source: str | os.PathLike[str] | bytes) -> Detection:
    """The converter that a log is for, from its first megabyte.

    Raises `SourceError` where the file cannot be read or unpacked, `ConversionError` where no object has the form of a
    line of a log that this version knows.
    """
    head = read_head(source, _HEAD)
    cut = head.rfind(b"\n") + 1 if len(head) == _HEAD else 0
    lines = [u for u in units(head[:cut] or head, Unit, _label) if u.label != BLANK]
    objects = [u for u in lines if u.fault is None]
    foreign = [u for u in objects if not _is_record(u)]
    counts = {f.name: sum(map(f.recognizes, foreign)) for f in _FORMATS}
    best = max(counts, key=lambda name: counts[name])
    if counts[best]:
        return Detection(best, counts[best] / len(objects), counts[best], len(objects))
    name = "the log" if isinstance(source, bytes | bytearray | memoryview) else excerpt(os.fspath(source), 200)
    if len(foreign) < len(objects):
        raise ConversionError(f"{name} is a session stream already (ASR); nothing is to be converted")
    looked = "; ".join(f"{f.name} ({f.form})" for f in _FORMATS)
    labels = Counter(u.label for u in lines)
    found = ", ".join(f"{excerpt(label)} {n}" for label, n in labels.most_common(5)) or "nothing"
    raise ConversionError(f"{name} is no log of a known format. Looked for: {looked}. Found: {found}")


def _label(value: dict[str, Any]) -> str:
    if "jsonrpc" in value or is_wrapped(value):
        return acp_label(value)
    return codex_label(value) if "payload" in value else claude_code_label(value)
