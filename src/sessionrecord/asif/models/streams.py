"""Streams: which bytes of which resources arrived in which order (feature `asif.streams/0.1`)."""

from __future__ import annotations

from typing import Literal

from sessionrecord.asif.models.base import AsifModel, Count, Identified
from sessionrecord.scalars import ByteSpan, NonEmptyStr, Omittable

__all__ = ["Segment", "Stream"]


class Segment(AsifModel):
    """A fragment of a stream: a slice of an embedded resource."""

    index: Count
    """Place in the stream, from 0."""
    resource_id: NonEmptyStr
    """The resource that holds the bytes."""
    offset: Count
    """Index of the first byte in the resource, from 0."""
    length: Count
    """Number of bytes; 0 takes an index and adds nothing."""
    terminal: bool
    """Whether the stream ends with this segment. It closes the stream only, not the call."""

    @property
    def span(self) -> ByteSpan:
        """The slice of the resource."""
        return ByteSpan(offset=self.offset, length=self.length)


class Stream(Identified):
    """How the arguments of a call, or the text of a result, arrived. It binds one version of the event, not the call."""

    kind: Literal["tool_arguments", "tool_result_text"]
    """What is streamed."""
    event_id: NonEmptyStr
    """The event that the stream binds."""
    call_id: NonEmptyStr
    """The call of that event."""
    result_index: Omittable[Count] = None
    """The index of the result; required for `tool_result_text`, ignored otherwise."""
    status: Literal["partial", "complete"]
    """As declared; assembly computes its own."""
    segments: list[Segment]
    """The fragments, by ascending index; may be empty."""
