"""Records that no model of ours describes: of an unknown type, or broken. Both are kept whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final

from sessionrecord.diagnostics import Diagnostic, excerpt
from sessionrecord.records.content import UnknownTag
from sessionrecord.records.envelope import Envelope, EnvelopeModel

__all__ = ["KNOWN_TYPES", "InvalidRecord", "UnknownRecord"]

KNOWN_TYPES: Final = frozenset(
    """session declaration session_info message tool_call tool_result compaction rewind model_call usage permission_request
    permission_decision question answer memory_write delivery file_change commit state terminal plan error""".split()
)
"""The record types that have a model (spec section 4)."""


class UnknownRecord(EnvelopeModel):
    """A record of a type that this version does not know: the envelope typed, all members kept in `model_extra`. [S] "Audit-only record"."""

    if not TYPE_CHECKING:
        __pydantic_extra__: dict[str, Any]

    type: Annotated[str, UnknownTag(KNOWN_TYPES)]
    """The record type."""


@dataclass(frozen=True, slots=True, repr=False)
class InvalidRecord:
    """A line that is not a valid record. It stays in the session and is written back as it was (design, decision 6)."""

    raw: bytes
    """The line without its newline, byte for byte."""
    type: str | None
    """The `type`, where one could be read."""
    seq: int | None
    """The `seq`, where a valid one could be read."""
    id: str | None
    """The `id`, where one could be read."""
    envelope: Envelope | None
    """The envelope as far as it is valid; None where `type`, `seq` or `id` is not."""
    value: Any
    """The plain JSON value, where the line is JSON; else None."""
    diagnostics: tuple[Diagnostic, ...]
    """What is wrong with it."""

    def to_line(self) -> bytes:
        """The line as it was, without the newline."""
        return self.raw

    def __repr__(self) -> str:
        place = f"type {excerpt(self.type, 20)}, seq {excerpt(self.seq)}, id {excerpt(self.id, 20)}"
        codes = dict.fromkeys(d.code for d in self.diagnostics)
        return f"<InvalidRecord {place}, {len(self.raw):,} bytes: {next(iter(codes), 'no finding')}{' …' if len(codes) > 1 else ''}>"

    def _repr_html_(self) -> str:
        from sessionrecord.display.html import model_html  # displays rest on records

        return model_html(self)
