"""Resources and provenance: the bytes of a document, and where a thing comes from."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import StringConstraints

from sessionrecord.asif.models.base import AsifModel, Count, EventReference, Identified
from sessionrecord.scalars import NonEmptyStr, Omittable

__all__ = ["Locator", "Provenance", "ProvenanceSource", "Resource"]


class Locator(AsifModel):
    """A place in a resource: `bytes` by `offset` and `length`, `json_pointer` by `value`."""

    syntax: NonEmptyStr
    """How the place is written."""
    value: Any = None
    """The place, where the syntax has it as one value."""
    offset: Omittable[Count] = None
    """Index of the first byte, from 0."""
    length: Omittable[Count] = None
    """Number of bytes."""


class ProvenanceSource(AsifModel):
    """A resource that a thing was made from."""

    resource_id: NonEmptyStr
    """The resource."""
    locator: Omittable[Locator] = None
    """The place in it."""


class Provenance(AsifModel):
    """How a thing is known."""

    mode: Literal["observed", "reported", "derived", "synthetic"]
    """`derived` and `synthetic` need `method` and `inputs`."""
    producer: NonEmptyStr
    """Who made it."""
    sources: Omittable[list[ProvenanceSource]] = None
    """What it was made from."""
    method: Omittable[NonEmptyStr] = None
    """How it was made."""
    inputs: Omittable[list[EventReference]] = None
    """The events it was made from."""


class Resource(Identified):
    """Bytes that the document holds, or says where they are, or why they are not there.

    Embedded: `bytes`, `sha256` and exactly one of `text`, `data`, `path`. Otherwise none of the three, and an `explanation`.
    """

    media_type: NonEmptyStr
    """Media type, such as `application/json`."""
    purpose: NonEmptyStr
    """What it is for."""
    availability: Literal["embedded", "external", "unavailable", "excluded", "redacted", "unknown"]
    """Whether the bytes come with the document."""
    bytes: Omittable[Count] = None
    """Number of decoded bytes."""
    sha256: Omittable[Annotated[str, StringConstraints(strict=True, pattern="^[0-9a-f]{64}$")]] = None
    """SHA-256 of the decoded bytes, lower-case hex."""
    text: Omittable[str] = None
    """The bytes as text, encoded in UTF-8."""
    data: Omittable[str] = None
    """The bytes in base64."""
    path: Omittable[str] = None
    """A file, relative to the document's folder."""
    locator: Omittable[NonEmptyStr] = None
    """Where external bytes are."""
    explanation: Omittable[NonEmptyStr] = None
    """Why the bytes are not there."""
    name: Omittable[str] = None
    """A name for people."""
    provenance: Omittable[Provenance] = None
    """Where it comes from."""
