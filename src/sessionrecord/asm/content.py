"""Content blocks of whole messages: what the provider gave, as blocks of known form where it has one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, Literal, TypeAlias

from pydantic import ValidationError

from sessionrecord.asm.projected import Projected

__all__ = [
    "ContentBlock",
    "TextBlock",
    "ThinkingBlock",
    "ToolResultBlock",
    "ToolUseBlock",
    "load_block",
    "project_block",
    "text_of",
]


class TextBlock(Projected):
    """Text of a message. A bare string among the blocks is one, too."""

    type: Literal["text"] = "text"
    text: str
    """The text."""


class ThinkingBlock(Projected):
    """A thought within a message."""

    type: Literal["thinking"] = "thinking"
    thinking: str
    """The thought."""
    signature: str | None = None
    """The provider's proof of it."""


class ToolUseBlock(Projected):
    """A call of a tool within a message."""

    type: Literal["tool_use"] = "tool_use"
    tool_name: str
    """The tool; empty where none is named."""
    tool_id: str
    """The call; empty where none is named."""
    input: dict[str, Any]
    """The arguments."""


class ToolResultBlock(Projected):
    """The result of a tool's call within a message."""

    type: Literal["tool_result"] = "tool_result"
    tool_id: str
    """The call; empty where none is named."""
    content: Any = None
    """What came back, any JSON value."""
    is_error: bool | None = False
    """Whether the call failed; None where the provider wrote null."""


ContentBlock: TypeAlias = TextBlock | ThinkingBlock | ToolUseBlock | ToolResultBlock
"""A block of known form. Any other stays the plain JSON value that it is, and gives no text."""

_BLOCKS: Final[dict[str, type[ContentBlock]]] = {
    "text": TextBlock,
    "thinking": ThinkingBlock,
    "tool_use": ToolUseBlock,
    "tool_result": ToolResultBlock,
}


def project_block(raw: Any) -> Any:
    """The block that a provider's content item is: a `ContentBlock`, or the item itself where it has no known form."""
    if isinstance(raw, str):
        return TextBlock(text=raw)
    if not isinstance(raw, dict):
        return raw
    kind = raw.get("type")
    try:
        if kind == "text":
            return TextBlock(text=raw["text"])
        if kind == "thinking":
            return ThinkingBlock(thinking=raw["thinking"], signature=raw.get("signature"))
        if kind == "tool_use":
            given = raw.get("input")
            return ToolUseBlock(
                tool_name=raw.get("name") or "",
                tool_id=raw.get("id") or "",
                input=given if isinstance(given, dict) else {},
            )
        if kind == "tool_result":
            return ToolResultBlock(
                tool_id=raw.get("tool_use_id") or raw.get("id") or "",
                content=raw.get("content"),
                is_error=raw.get("is_error", False),
            )
    except (KeyError, ValidationError):
        return raw
    return raw


def load_block(value: Any) -> Any:
    """The block that `to_wire` has written."""
    cls = _BLOCKS.get(value["type"]) if isinstance(value, dict) and isinstance(value.get("type"), str) else None
    try:
        return value if cls is None else cls.model_validate(value)
    except ValidationError:
        return value


def text_of(content: Iterable[Any]) -> str:
    """The text of provider's content items: the text blocks joined with nothing between them."""
    return "".join(
        item if isinstance(item, str) else item["text"]
        for item in content
        if isinstance(item, str)
        or (isinstance(item, dict) and item.get("type") == "text" and isinstance(item.get("text"), str))
    )
