"""The members that every record has (spec section 2), and the capture states they carry (section 6)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, ClassVar, Literal, TypeAlias

from sessionrecord import ijson
from sessionrecord.records.base import WireModel
from sessionrecord.scalars import ByteSpan, NonEmptyStr, Omittable, OpenEnum, SafeInt, Timestamp

__all__ = [
    "CaptureBlob",
    "CaptureState",
    "CaptureStateName",
    "Envelope",
    "EnvelopeModel",
    "ParticipatingModel",
    "Source",
]

CaptureStateName: TypeAlias = Annotated[
    Literal["complete", "truncated", "redacted", "omitted", "unavailable", "unknown"] | str, OpenEnum
]
"""How completely a member holds what the source captured. [S] "Capture state", values ours, section 6."""


class CaptureBlob(WireModel):
    """Where the original of a member lies: a blob of a bundle. Our table, section 6."""

    sha256: str
    """SHA-256 of the blob, lower-case hex."""
    bytes: SafeInt
    """Size of the blob in bytes."""
    path: Omittable[str] = None
    """Path in the bundle."""


class CaptureState(WireModel):
    """How completely one content-bearing member holds what the source captured. [S] "Capture state", members ours, section 6."""

    lenient_members: ClassVar[frozenset[str]] = frozenset({"bytes", "sha256", "blob", "reason"})

    state: CaptureStateName
    """How completely."""
    bytes: Omittable[SafeInt] = None
    """Size of the original in bytes."""
    sha256: Omittable[str] = None
    """SHA-256 of the original, lower-case hex."""
    blob: Omittable[CaptureBlob] = None
    """Where the original lies."""
    reason: Omittable[str] = None
    """Why it is not complete, in words."""


class Source(WireModel):
    """Where a converter read a record. Our table, section 2."""

    lenient_members: ClassVar[frozenset[str]] = frozenset({"path", "line", "span", "nativeType", "nativeId"})

    path: Omittable[str] = None
    """Path of the native file."""
    line: Omittable[SafeInt] = None
    """Line in it, from 1."""
    span: Omittable[ByteSpan] = None
    """Bytes in it."""
    native_type: Omittable[str] = None
    """The source's own name for this kind of line."""
    native_id: Omittable[str] = None
    """The source's own ID, verbatim."""


class EnvelopeModel(WireModel):
    """The envelope: what every record has, known or not. Spec section 2."""

    lenient_members: ClassVar[frozenset[str]] = frozenset({"timestamp", "participant", "conversation", "source"})

    type: str
    """The record type: the discriminator. [S] "Record"."""
    seq: SafeInt
    """Position in the stream, strictly increasing, gaps allowed; the header's is the smallest. [S] name, our order."""
    id: NonEmptyStr
    """Record ID: opaque, unique in the stream. [S] "Record"."""
    turn_id: Omittable[str] = None
    """The turn it belongs to. [S] "Turn"."""
    timestamp: Omittable[Timestamp] = None
    """When it happened, as the source says; it orders nothing. Our table, section 2; form [S] ASR-044."""
    participant: Omittable[str] = None
    """ID of the declared participant who caused it. Our table, section 2."""
    conversation: Omittable[str] = None
    """ID of a declared conversation. Our table, section 2."""
    capture: Omittable[dict[str, CaptureState]] = None
    """Member name to its capture state. [S] "Capture state", place ours, section 6."""
    source: Omittable[Source] = None
    """Where a converter read it. Our table, section 2."""

    def _shown(self) -> Iterator[tuple[str, object]]:
        members = list(super()._shown())
        later = EnvelopeModel.model_fields.keys() - {"type", "seq", "id"}
        yield from (m for m in members if m[0] not in later)
        yield from (m for m in members if m[0] in later)

    def to_line(self) -> bytes:
        """The record's line, without the newline. Parsing it gives an equal record.

        Raises `IJsonError` if a free-form member holds what JSON cannot.
        """
        return ijson.dumps(self.to_wire())


class ParticipatingModel(EnvelopeModel):
    """The envelope of a record that forms the conversation structure. [S] "Context-participating record"."""

    lenient_members: ClassVar[frozenset[str]] = EnvelopeModel.lenient_members | {"predecessor"}

    predecessor: Omittable[NonEmptyStr] = None
    """Ref of the entity it follows; absent means the head. [S] idea, our name, section 2."""


class Envelope(EnvelopeModel):
    """The envelope of a record whose other members broke a rule, as far as it can be read."""
