"""Content of the protocol as content blocks, which have nearly the same form. They are given as they stand on the wire."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from sessionrecord.convert.acp.protocol import HARNESS
from sessionrecord.convert.native import members, same
from sessionrecord.records import Block
from sessionrecord.records.content import KNOWN_BLOCK_TYPES

__all__ = ["Content", "block_of", "continues", "item_of"]

_PLAIN: Final = frozenset({"type", "text"})
_BLOCK: Final = TypeAdapter[Block](Block)
# ours, which the protocol has not: what has their name there is something else
_FOREIGN: Final = frozenset({"reasoning", "file", "diff", "terminal"})


def block_of(native: Any, *, thought: bool = False) -> dict[str, Any]:
    """The block of a content block; text of a thought is reasoning. What cannot be said in ours is kept in a `native_block`."""
    kind = members(native).get("type")
    if not isinstance(kind, str) or kind in _FOREIGN:
        return _whole(native)
    if kind not in KNOWN_BLOCK_TYPES:
        return _known(native, native)
    block = {name: value for name, value in native.items() if value is not None}
    if thought and kind == "text":
        block["type"] = "reasoning"
    return _known(block, native)


def item_of(native: Any) -> dict[str, Any]:
    """The block of an item of a tool call's content."""
    item = {name: value for name, value in members(native).items() if value is not None}
    if item.get("type") == "content" and item.keys() == {"type", "content"}:
        return block_of(item["content"])
    if item.get("type") in ("diff", "terminal"):
        return _known(item, native)
    return _whole(native)


def _known(block: dict[str, Any], native: Any) -> dict[str, Any]:
    try:
        _BLOCK.validate_python(block)
    except ValidationError:
        return _whole(native)
    return block


def _whole(native: Any) -> dict[str, Any]:
    return {"type": "native_block", "harness": HARNESS, "value": native}


class Content:
    """Blocks that grow: text that comes in pieces is one block."""

    def __init__(self, blocks: Iterable[dict[str, Any]] = ()) -> None:
        self._items: list[dict[str, Any] | tuple[str, list[str]]] = list(blocks)

    def add(self, block: dict[str, Any]) -> None:
        """Append a piece."""
        if block.keys() != _PLAIN:
            self._items.append(block)
            return
        last = self._items[-1] if self._items else None
        if isinstance(last, tuple) and last[0] == block["type"]:
            last[1].append(block["text"])
        else:
            self._items.append((block["type"], [block["text"]]))

    def blocks(self) -> list[dict[str, Any]]:
        """The blocks so far."""
        return [
            {"type": item[0], "text": "".join(item[1])} if isinstance(item, tuple) else item for item in self._items
        ]


def _flat(blocks: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The blocks with neighbouring texts as one, so that pieces and the whole compare equal."""
    content = Content()
    for block in blocks:
        content.add(block)
    return content.blocks()


def continues(old: Iterable[dict[str, Any]], new: Iterable[dict[str, Any]]) -> tuple[bool, bool]:
    """Whether new content begins with all of the old, and whether it says just the same."""
    before, after = _flat(old), _flat(new)
    if same(before, after):
        return True, True
    if not before:
        return True, False
    *head, last = before
    if len(after) < len(before) or not same(head, after[: len(head)]):
        return False, False
    there = after[len(head)]
    if last.keys() == there.keys() == _PLAIN and last["type"] == there["type"]:
        return there["text"].startswith(last["text"]), False
    return same(last, there), False
