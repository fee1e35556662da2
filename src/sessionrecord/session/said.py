"""A record in a few words, for a line of text: never a control code, and never long."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

from sessionrecord import ijson
from sessionrecord.diagnostics import excerpt
from sessionrecord.errors import IJsonError
from sessionrecord.records import (
    Block,
    Compaction,
    InvalidRecord,
    Message,
    ReasoningBlock,
    Record,
    ToolCall,
    ToolResult,
)

if TYPE_CHECKING:
    from sessionrecord.session.differences import Change

__all__ = ["SHOWN", "changed", "plain", "said", "wire"]

SHOWN: Final = 20
"""How many of each kind a comparison names unless it is asked for more."""
LENGTH: Final = 60
"""Characters of what is quoted."""
_BLOCKS: Final = 3
_ENVELOPE: Final = frozenset({"type", "seq", "id", "turnId", "timestamp", "source"})


def plain(text: str, limit: int = LENGTH) -> str:
    """`text` without quotes, on one line, with controls escaped, cut to `limit` characters."""
    piece = text[:limit]
    piece = piece if piece.isprintable() else repr(piece)[1:-1]
    return f"{piece[:limit]}…" if len(text) > limit or len(piece) > limit else piece


def said(record: Record | InvalidRecord) -> str:
    """The first words of what a record says; of content without text, what it is made of; of other types the members."""
    if isinstance(record, ToolCall):
        return excerpt(record.name or record.title or "")
    if isinstance(record, ToolResult) and not record.content and record.outcome is not None:
        return plain(record.outcome)
    if isinstance(record, Message | ToolResult):
        return _content(record.text, record.content)
    if isinstance(record, Compaction):
        return _content(record.text, record.summary)
    if isinstance(record, InvalidRecord):
        return "not valid"
    members = {name: value for name, value in record.to_wire().items() if name not in _ENVELOPE}
    return plain(ijson.dumps(members).decode()) if members else ""


def _content(text: str, content: list[Block] | None) -> str:
    if text or not content:
        return excerpt(text, LENGTH)
    more = f" and {len(content) - _BLOCKS} more" if len(content) > _BLOCKS else ""
    return " ".join(map(_block, content[:_BLOCKS])) + more


def _block(block: Block) -> str:
    if isinstance(block, ReasoningBlock) and block.text:
        return f"[reasoning] {excerpt(block.text, LENGTH)}"
    return f"[{plain(block.type)}]"


def wire(record: Record | InvalidRecord) -> Any:
    """A record as plain JSON; of a line that is none, its text."""
    if isinstance(record, InvalidRecord):
        return record.raw.decode("utf-8", "backslashreplace") if record.value is None else record.value
    return record.to_wire()


def changed(changes: Iterable[Change]) -> Iterator[str]:
    """A line for each change, with the two values where they differ."""
    for change in changes:
        place = plain(change.pointer, 200) or "the line"
        if change.kind == "changed":
            old, new = _apart(change.old, change.new)
            yield f"{place}: {old} → {new}"
        else:
            mark, value = ("-", change.old) if change.kind == "removed" else ("+", change.new)
            yield f"{mark} {place}: {_value(value)}"


def _apart(old: Any, new: Any) -> tuple[str, str]:
    """Two values in few words that show where they differ."""
    if isinstance(old, str) and isinstance(new, str):
        if old == new:
            return excerpt(old, LENGTH), "names something else"
        start = next((n for n, (x, y) in enumerate(zip(old, new, strict=False)) if x != y), min(len(old), len(new)))
        if start > 30:
            return f"…{excerpt(old[start - 10 :], LENGTH)}", f"…{excerpt(new[start - 10 :], LENGTH)}"
    return _value(old), _value(new)


def _value(value: Any) -> str:
    if isinstance(value, dict | list):
        with contextlib.suppress(IJsonError):  # a value with an unpaired surrogate
            return plain(ijson.dumps(value).decode())
    return excerpt(value, LENGTH)
