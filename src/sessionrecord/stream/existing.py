"""What a stream holds that is to be continued: whose it is, what is taken, and where it was torn."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import BinaryIO, Final

from sessionrecord.diagnostics import Diagnostic
from sessionrecord.errors import WriterError
from sessionrecord.records import InvalidRecord, SessionHeader
from sessionrecord.stream.linked import LinkedOrder
from sessionrecord.stream.reader import StreamReader

__all__ = ["Existing", "read_existing"]

_HEADER_START: Final = b'{"type":"session",'
_COMPRESSED: Final = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"


@dataclass
class Existing:
    """A stream as its next writer finds it."""

    header: SessionHeader | None = None
    """The session header; None where not even that is whole."""
    order: LinkedOrder = field(default_factory=LinkedOrder)
    """The `seq` and the IDs that are taken, and what refs can name."""
    torn_at: int | None = None
    """Offset of a torn last line."""
    diagnostics: list[Diagnostic] = field(default_factory=list)
    """Everything found."""


def read_existing(source: BinaryIO, name: str) -> Existing:
    """Reads a stream from its start. Memory grows by the ID of each record and the keys of the conversation.

    A bad line in the middle is reported and stays. Raises `WriterError` for what is no stream: its first record is no
    valid header, or a piece of something else, or it is compressed.
    """
    existing = Existing()
    if source.read(4).startswith(_COMPRESSED):
        raise WriterError(f"{name} is compressed and cannot be continued: decompress it first")
    source.seek(0)
    reader = StreamReader(source)
    for record in reader:
        if isinstance(record, InvalidRecord):
            torn = next((d for d in record.diagnostics if d.code == "line-torn"), None)
            if torn is not None and (existing.header is not None or _begins_header(record.raw)):
                existing.torn_at = torn.offset
                continue
        if existing.header is None:
            if not isinstance(record, SessionHeader):
                raise WriterError(f"{name} cannot be continued: its first record is not a valid session header")
            existing.header = record
        existing.order.accept_record(record)
    still_to_come = ("stream-empty", "header-missing") if existing.header is None else ()
    existing.diagnostics = [d for d in reader.diagnostics if d.code not in still_to_come]
    return existing


def _begins_header(raw: bytes) -> bool:
    """Whether a file that is one torn line may be what a crash left of a header; zeros are what a power loss leaves."""
    return not raw.strip(b"\0") or raw[: len(_HEADER_START)] == _HEADER_START[: len(raw)]
