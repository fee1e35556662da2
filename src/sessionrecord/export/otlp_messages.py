"""Messages as the semantic conventions for generative AI write them into span attributes: JSON text of roles and parts."""

from __future__ import annotations

from typing import Any

from sessionrecord import ijson
from sessionrecord.export.material import holdable
from sessionrecord.records import (
    AudioBlock,
    Block,
    Blocks,
    Compaction,
    FileBlock,
    ImageBlock,
    Message,
    ReasoningBlock,
    Record,
    TextBlock,
    ToolCall,
    ToolResult,
)

__all__ = ["input_message", "json_text", "output_message", "response"]


def json_text(value: Any) -> str:
    """A JSON value as text, every number with the digits it was recorded with."""
    return ijson.dumps(value).decode()


def input_message(record: Record) -> dict[str, Any] | None:
    """What a record adds to the input of a model call; None for a record that adds nothing."""
    if isinstance(record, Message):
        return {"role": "system" if record.role == "developer" else record.role, "parts": _parts(record.content)}
    if isinstance(record, Compaction):
        return {"role": "user", "parts": _parts(record.summary)}
    if isinstance(record, ToolResult):
        part = {"type": "tool_call_response", "id": record.call_id, "response": holdable(response(record))[0]}
        return {"role": "tool", "parts": [part]}
    return None


def output_message(records: list[Message | ToolCall]) -> dict[str, Any]:
    """What a model call gave, as its one message."""
    parts: list[dict[str, Any]] = []
    for record in records:
        if isinstance(record, Message):
            parts += _parts(record.content)
        else:
            call: dict[str, Any] = {"type": "tool_call", "id": record.call_id, "name": record.name or ""}
            if "arguments" in record.model_fields_set:
                call["arguments"] = holdable(record.arguments)[0]
            parts.append(call)
    return {"role": "assistant", "parts": parts}


def response(record: ToolResult) -> Any:
    """What a tool gave: the text where that is all, else the parts, else the data."""
    if record.content is None:
        return record.structured
    parts = _parts(record.content)
    if len(parts) == 1 and parts[0].keys() == {"type", "content"} and parts[0]["type"] == "text":
        return parts[0]["content"]
    return parts


def _parts(blocks: Blocks | None) -> list[dict[str, Any]]:
    return [_part(block) for block in blocks or ()]


def _part(block: Block) -> dict[str, Any]:
    part = _described(block)
    return {name: holdable(value)[0] for name, value in part.items()}


def _described(block: Block) -> dict[str, Any]:
    wire = block.to_wire()
    if isinstance(block, TextBlock | ReasoningBlock):
        text = wire.pop("text", "")
        return {**wire, "content": text}
    if isinstance(block, ImageBlock | AudioBlock | FileBlock):
        modality = "document" if isinstance(block, FileBlock) else block.type
        part = {**wire, "modality": modality, "mime_type": wire["mimeType"]}
        del part["mimeType"]
        if block.data is not None:
            del part["data"]
            return {**part, "type": "blob", "content": block.data}
        if block.uri is not None:
            return {**part, "type": "uri"}
        return part
    return wire
