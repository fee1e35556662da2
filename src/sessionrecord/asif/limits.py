"""How much of a document is read: the limits of the reference checker, each an argument."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from sessionrecord.asif.assembly import MAX_STREAM_BYTES
from sessionrecord.asif.resources import MAX_RESOURCE_BYTES, MAX_TOTAL_BYTES

__all__ = ["Limits"]


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of size and number; None means no limit. Passing one is an error of the code `limit-exceeded`."""

    document_bytes: int | None = 16 * 2**20
    """Bytes of a document, and of JSON assembled from a stream."""
    depth: int | None = 128
    """Levels of nesting of a document; 254 are the most that are read without a limit."""
    nodes: int | None = 2_000_000
    """JSON values in a document."""
    records: int | None = 20_000
    """Objects in one collection, segments in one stream."""
    resource_bytes: int | None = MAX_RESOURCE_BYTES
    """Decoded bytes of one resource."""
    stream_bytes: int | None = MAX_STREAM_BYTES
    """Bytes of one assembled stream."""
    total_bytes: int | None = MAX_TOTAL_BYTES
    """Decoded bytes of all embedded resources together, and bytes of all streams that a check assembles."""

    @classmethod
    def off(cls) -> Self:
        """No limit at all: for documents that one trusts."""
        return cls(None, None, None, None, None, None, None)
