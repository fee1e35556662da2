"""The order of a stream whose author knows what refs name: those of the structure must name something earlier."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from sessionrecord.diagnostics import excerpt
from sessionrecord.errors import WriterError
from sessionrecord.records import PARTICIPATING_TYPES, Compaction, InvalidRecord, Message, Record, ToolCall, ToolResult
from sessionrecord.records.envelope import EnvelopeModel
from sessionrecord.refs import ENTITY_KEY_OF_TYPE, ENTITY_KEYS
from sessionrecord.stream.authoring_base import StreamOrder

__all__ = ["LinkedOrder"]

_LINKS: Final = {
    **dict.fromkeys(PARTICIPATING_TYPES, ("predecessor",)),
    "compaction": ("predecessor", "keptFrom"),
    "rewind": ("to",),
}
"""Record type to the members that name where in the conversation it belongs."""
_KEYS: Final[dict[type[EnvelopeModel], tuple[str, str]]] = {
    Message: ("messageId=", "message_id"),
    ToolCall: ("callId=", "call_id"),
    Compaction: ("compactionId=", "compaction_id"),
    ToolResult: ("", "id"),
}
"""Participating records to how a ref begins that names one by its key, and the attribute; a result is named by its record ID alone."""


class LinkedOrder(StreamOrder):
    """Also what takes part in the conversation. Memory grows by its keys, beside the IDs of all records."""

    def __init__(self) -> None:
        super().__init__()
        self._targets: set[str] = set()

    def check_links(self, data: Mapping[str, Any]) -> None:
        """Raises `WriterError` where a link names no earlier participating entity."""
        for member in _LINKS.get(data["type"], ()):
            ref = data.get(member)
            if type(ref) is str and ref not in self._targets:
                if member == "keptFrom" and data.get("status") not in (None, "completed"):
                    continue  # one that failed changes nothing, whatever was planned
                raise WriterError(
                    f"{member}: {excerpt(ref, 120)} names no message, call, result or compaction before it"
                )

    def accept(self, record: EnvelopeModel) -> None:
        """Counts a record that is now part of the stream."""
        super().accept(record)
        self._add(record)

    def accept_record(self, record: Record | InvalidRecord) -> None:
        """Counts what a stream holds already, also where it is out of order, invalid or without an ID."""
        self.accept_existing(record.seq, record.id)
        if not isinstance(record, InvalidRecord):
            self._add(record)
        elif record.type in PARTICIPATING_TYPES and isinstance(record.value, dict):
            if record.id:
                self._targets.add(record.id)
            key = ENTITY_KEY_OF_TYPE[record.type]
            value = record.value.get(key)
            if ENTITY_KEYS[key] == record.type and isinstance(value, str):
                self._targets.add(f"{key}={value}")

    def _add(self, record: EnvelopeModel) -> None:
        named = _KEYS.get(type(record))
        if named is not None:
            self._targets.add(record.id)
            self._targets.add(named[0] + getattr(record, named[1]))
