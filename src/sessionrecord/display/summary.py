"""A record in a line, and its content as text for people."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from sessionrecord import ijson
from sessionrecord.errors import IJsonError
from sessionrecord.records import (
    AudioBlock,
    Block,
    Compaction,
    DiffBlock,
    FileBlock,
    ImageBlock,
    InvalidRecord,
    Message,
    ReasoningBlock,
    Record,
    ResourceLinkBlock,
    TerminalBlock,
    TextBlock,
    ToolCall,
    ToolResult,
)

__all__ = ["block_text", "json_text", "kind", "summary"]

LENGTH: Final = 120
"""Characters of a summary; `show` gives all of it."""


def json_text(value: Any, indent: bool = False) -> str:
    """A JSON value as text; what JSON cannot hold as Python shows it."""
    try:
        return ijson.dumps(value, indent=indent).decode()
    except IJsonError:
        return repr(value)


def kind(record: Record | InvalidRecord) -> str:
    """What a record is, in a word or two."""
    if isinstance(record, Message):
        return record.role
    if isinstance(record, ToolResult):
        return "result" if record.outcome in (None, "success") else f"result: {record.outcome}"
    if isinstance(record, ToolCall):
        return "call"
    if isinstance(record, InvalidRecord):
        return f"invalid {record.type or 'line'}"
    return record.type


def summary(record: Record | InvalidRecord) -> str:
    """The first line of what a record says, at most `LENGTH` characters."""
    if isinstance(record, InvalidRecord):
        return _first_line([record.raw[: 8 * LENGTH].decode("utf-8", "backslashreplace")])
    if isinstance(record, ToolCall):
        arguments = "" if record.arguments is None else json_text(record.arguments)
        return _first_line([f"{record.name or record.title or '(no name)'} {arguments}"])
    if isinstance(record, Message | ToolResult):
        return _first_line(block_text(b) for b in record.content or ())
    if isinstance(record, Compaction):
        return _first_line(block_text(b) for b in record.summary or ())
    return _first_line([json_text(record.to_wire())])


def _first_line(texts: Iterable[str]) -> str:
    for text in texts:
        for line in text[: 50 * LENGTH].split("\n"):
            words = " ".join(line[: 10 * LENGTH].split())
            if words:
                return words if len(words) <= LENGTH else f"{words[: LENGTH - 1]}…"
    return ""


def block_text(block: Block) -> str:
    """A content block as text; of bytes only what they are and how many."""
    if isinstance(block, TextBlock):
        return block.text
    if isinstance(block, ReasoningBlock):
        hidden = "" if block.encrypted is None else f" (encrypted, {len(block.encrypted):,} characters)"
        return f"[reasoning{hidden}] {block.text or ''}"
    if isinstance(block, ImageBlock | AudioBlock | FileBlock):
        place = f" {block.uri}" if block.uri is not None else ""
        if block.blob is not None:
            place = f" {block.blob.bytes:,} bytes, blob {block.blob.sha256}"
        elif block.data is not None:
            place = f" {len(block.data) * 3 // 4 - block.data[-2:].count('='):,} bytes"
        return f"[{block.type} {block.mime_type}{place}] {block.name or ''}"
    if isinstance(block, ResourceLinkBlock):
        return f"[link] {block.name or ''} {block.uri}"
    if isinstance(block, DiffBlock):
        old = "".join(f"\n- {line}" for line in (block.old_text or "").split("\n") if block.old_text is not None)
        new = "".join(f"\n+ {line}" for line in (block.new_text or "").split("\n") if block.new_text is not None)
        return f"[diff] {block.path}{old}{new}"
    if isinstance(block, TerminalBlock):
        return f"[terminal {block.terminal_id}]"
    return f"[{block.type}] {json_text(block.to_wire())}"
