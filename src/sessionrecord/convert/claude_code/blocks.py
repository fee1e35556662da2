"""Content blocks, from the API's to ours. They are given as they stand on the wire."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from sessionrecord.convert.native import members, text
from sessionrecord.ijson import MAX_SAFE_INTEGER
from sessionrecord.records.content import KNOWN_BLOCK_TYPES

__all__ = ["HARNESS", "as_code", "content_of", "convert_block", "is_whole"]

HARNESS: Final = "claude-code"
"""What native values are marked with."""

_MEDIA: Final = {"image": "image", "document": "file"}


def content_of(content: Any) -> list[dict[str, Any]]:
    """The blocks of a native content: a string is one text block; what is neither string nor list is kept as it is."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return blocks_of(content if isinstance(content, list) else [content])


def blocks_of(content: Iterable[Any]) -> list[dict[str, Any]]:
    """The blocks of a native list, one for one."""
    return [convert_block(block) for block in content]


def convert_block(block: Any) -> dict[str, Any]:
    """One block. A type that is not ours is kept verbatim, anything else that cannot be said in ours inside a `native_block`."""
    if isinstance(block, str):
        return {"type": "text", "text": block}
    native = members(block)
    kind = native.get("type")
    converted: dict[str, Any] | None = None
    if kind == "text" and isinstance(native.get("text"), str):
        converted = {"type": "text", "text": native["text"]}
    elif kind == "thinking" and isinstance(native.get("thinking"), str):
        converted = {"type": "reasoning", "text": native["thinking"]}
        if isinstance(native.get("signature"), str):
            converted["signature"] = native["signature"]
    elif kind == "redacted_thinking" and isinstance(native.get("data"), str):
        converted = {"type": "reasoning", "encrypted": native["data"]}
    elif isinstance(kind, str) and kind in _MEDIA:
        converted = _media(native, _MEDIA[kind])
    elif isinstance(kind, str) and kind not in KNOWN_BLOCK_TYPES and kind not in _CONVERTED:
        return native
    return converted or {"type": "native_block", "harness": HARNESS, "value": block}


def is_whole(block: Any) -> bool:
    """Whether a block is kept just as it is, whatever is in it."""
    converted = convert_block(block)
    return converted is block or converted["type"] == "native_block" or isinstance(block, str)


def as_code(value: object) -> str | None:
    """A number or a word as the code of an error."""
    return str(value) if type(value) is int and abs(value) <= MAX_SAFE_INTEGER else text(value)


_CONVERTED: Final = frozenset({"thinking", "redacted_thinking"})


def _media(native: dict[str, Any], kind: str) -> dict[str, Any] | None:
    source = members(native.get("source"))
    mime_type, data = source.get("media_type"), source.get("data")
    if source.get("type") != "base64" or not isinstance(mime_type, str) or not isinstance(data, str):
        return None
    converted = {"type": kind, "mimeType": mime_type, "data": data}
    if isinstance(native.get("title"), str):
        converted["name"] = native["title"]
    return converted
