"""What a compaction left in context, from the replacement history that Codex records with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from sessionrecord.convert.codex.blocks import texts_of
from sessionrecord.convert.codex.members import left_of_replayed, left_of_summary
from sessionrecord.convert.native import members, same, text

__all__ = ["Entry", "Replacement", "replacement"]

_ENCRYPTED: Final = frozenset({"compaction", "compaction_summary", "context_compaction"})


@dataclass(frozen=True, slots=True)
class Entry:
    """An entity in context."""

    ref: str
    """Its ref."""
    item: dict[str, Any] | None = None
    """The native item it was made from."""


@dataclass(slots=True)
class Replacement:
    """What stands in context after a compaction."""

    summary: list[dict[str, Any]] = field(default_factory=list)
    """Blocks in place of what was compacted; what only the provider can read is kept as recorded."""
    kept_from: str | None = None
    """Ref of the first entity that stays, where what stays is the end of the context."""
    replayed: list[tuple[int, dict[str, Any]]] = field(default_factory=list)
    """Position and item of the messages that stay otherwise: they follow the compaction as messages of their own."""
    left_out: Counter[str] = field(default_factory=Counter)
    """Type of the items that can be neither, to their number."""
    lost: list[str] = field(default_factory=list)
    """Native members that no record holds."""


def replacement(payload: dict[str, Any], context: Sequence[Entry]) -> Replacement:
    """What a `compacted` line says, where `context` is what stood in context before it."""
    found = Replacement()
    said = text(payload.get("message"))
    if said is not None:
        found.summary.append({"type": "text", "text": said})
    history = payload.get("replacement_history")
    stays: list[tuple[int, Any]] = []
    for i, item in enumerate(history if isinstance(history, list) else ()):
        kind = members(item).get("type")
        if isinstance(kind, str) and kind in _ENCRYPTED:
            found.summary.append(item)
        elif said is None or kind != "message" or "".join(texts_of(item.get("content"))) != said:
            stays.append((i, item))
        else:
            found.lost += left_of_summary(item)
    tail = context[-len(stays) :] if 0 < len(stays) <= len(context) else ()
    if tail and all(e.item is not None and same(e.item, item) for e, (_, item) in zip(tail, stays, strict=True)):
        found.kept_from = tail[0].ref
        return found
    for i, item in stays:
        kind = members(item).get("type")
        if kind in ("message", "reasoning"):
            found.replayed.append((i, item))
            found.lost += left_of_replayed(item)
        else:
            found.left_out[kind if isinstance(kind, str) else type(item).__name__] += 1
    return found
