"""Content of Codex items as content blocks. They are given as they stand on the wire."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

from sessionrecord.convert.codex.source import HARNESS
from sessionrecord.convert.native import members, text
from sessionrecord.records.content import KNOWN_BLOCK_TYPES

__all__ = ["TEXT_TYPES", "blocks_of", "content_of", "convert_block", "is_whole", "reasoning_block", "texts_of"]

TEXT_TYPES: Final = frozenset({"input_text", "output_text", "text", "summary_text", "reasoning_text"})
"""Types of native parts that are text."""
_CONVERTED: Final = TEXT_TYPES | {"input_image"}
_DATA_URL: Final = re.compile(r"data:([^;,\s]+);base64,(.*)", re.DOTALL)


def texts_of(content: Any) -> list[str]:
    """The texts of a native list of parts."""
    parts = content if isinstance(content, list) else ()
    return [
        part["text"]
        for part in map(members, parts)
        if text(part.get("type")) in TEXT_TYPES and isinstance(part.get("text"), str)
    ]


def content_of(content: Any) -> list[dict[str, Any]]:
    """The blocks of a native content: a string is one text block; what is neither string nor list is kept as it is."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return blocks_of(content if isinstance(content, list) else [content])


def blocks_of(content: Iterable[Any]) -> list[dict[str, Any]]:
    """The blocks of a native list, one for one."""
    return [convert_block(part) for part in content]


def convert_block(part: Any) -> dict[str, Any]:
    """One block. A type that is not ours is kept verbatim, anything else that cannot be said in ours inside a `native_block`."""
    native = members(part)
    kind = native.get("type")
    if isinstance(kind, str):
        if kind in TEXT_TYPES and isinstance(native.get("text"), str):
            return {"type": "text", "text": native["text"]}
        if kind == "input_image" and isinstance(native.get("image_url"), str):
            image = _DATA_URL.fullmatch(native["image_url"])
            if image is not None:
                return {"type": "image", "mimeType": image[1], "data": image[2]}
        elif kind not in KNOWN_BLOCK_TYPES and kind not in _CONVERTED:
            return native
    return {"type": "native_block", "harness": HARNESS, "value": part}


def is_whole(part: Any) -> bool:
    """Whether a part is kept just as it is, whatever is in it."""
    converted = convert_block(part)
    return converted is part or converted["type"] == "native_block"


def reasoning_block(item: dict[str, Any]) -> dict[str, Any]:
    """The one block of a reasoning item: the raw text where there is any, else the summary; and what is encrypted.

    Where the text joins several parts, or stands for less than the item holds, the parts are kept beside it as recorded.
    """
    block: dict[str, Any] = {"type": "reasoning"}
    summary, content = item.get("summary"), item.get("content")
    said = texts_of(content) or texts_of(summary)
    if said:
        block["text"] = "\n\n".join(said)
    if isinstance(item.get("encrypted_content"), str):
        block["encrypted"] = item["encrypted_content"]
    for name, parts in (("summary", summary), ("content", content)):
        if parts not in (None, []) and not _says_only(parts, block.get("text")):
            block[name] = parts
    return block


def _says_only(parts: Any, said: str | None) -> bool:
    """Whether a list of parts is one text, and that one."""
    if not isinstance(parts, list) or len(parts) != 1:
        return False
    only = members(parts[0])
    return only.keys() == {"type", "text"} and text(only["type"]) in TEXT_TYPES and only["text"] == said
