"""Content of messages and results as blocks."""

from __future__ import annotations

from typing import Any

from sessionrecord.records import Block, ReasoningBlock, TextBlock, UnknownBlock
from sessionrecord.records.content import KNOWN_BLOCK_TYPES

__all__ = ["block", "result_content", "text_of"]


def block(item: Any) -> Block | None:
    """The block that a provider's content item is; None for an item that is no text and no object with a type."""
    if isinstance(item, str):
        return TextBlock(text=item)
    kind = item.get("type") if isinstance(item, dict) else None
    if not isinstance(kind, str):
        return None
    if kind == "text" and isinstance(item.get("text"), str):
        return TextBlock(text=item["text"])
    if kind == "thinking" and isinstance(item.get("thinking"), str):
        signature = item.get("signature")
        return ReasoningBlock(text=item["thinking"], signature=signature if isinstance(signature, str) else None)
    return None if kind in KNOWN_BLOCK_TYPES else UnknownBlock(**item)


def text_of(content: list[Any]) -> str:
    """The text of the items, joined with nothing between them."""
    return "".join(b.text for b in map(block, content) if isinstance(b, TextBlock))


def result_content(content: Any) -> dict[str, Any]:
    """The members of a tool result: blocks where the content is text or blocks, else the value as it is."""
    if content is None:
        return {}
    if isinstance(content, str):
        return {"content": [TextBlock(text=content)]}
    blocks = [block(item) for item in content] if isinstance(content, list) and content else [None]
    return {"structured": content} if None in blocks else {"content": blocks}
