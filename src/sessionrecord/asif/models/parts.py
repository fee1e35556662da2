"""Parts: what messages, results, prompts and answers are made of."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Final, Literal, TypeAlias

from pydantic import Field

from sessionrecord.asif.models.base import AsifModel, KindUnion, UnknownKind
from sessionrecord.scalars import NonEmptyStr, Omittable

__all__ = ["OpaquePart", "Part", "ResourcePart", "StructuredPart", "TextPart", "UnknownPart"]


class TextPart(AsifModel):
    """Text."""

    kind: Literal["text"] = "text"
    """The kind of part."""
    text: str
    """The text; may be empty."""
    media_type: Omittable[NonEmptyStr] = None
    """Its media type."""


class ResourcePart(AsifModel):
    """A resource of the document."""

    kind: Literal["resource"] = "resource"
    """The kind of part."""
    resource_id: NonEmptyStr
    """The resource."""
    description: Omittable[str] = None
    """What it is, for people."""


class StructuredPart(AsifModel):
    """A JSON value of a named schema."""

    null_members: ClassVar[frozenset[str]] = frozenset(
        (
            "schema_",
            "value",
        )
    )

    kind: Literal["structured"] = "structured"
    """The kind of part."""
    schema_: Any = Field(alias="schema")
    """The member `schema`: what describes the value."""
    value: Any
    """Any JSON value, null included."""


class OpaquePart(AsifModel):
    """A resource whose content the format does not interpret."""

    kind: Literal["opaque"] = "opaque"
    """The kind of part."""
    resource_id: NonEmptyStr
    """The resource."""
    semantic_type: NonEmptyStr
    """What it stands for."""
    reason: NonEmptyStr
    """Why it is opaque."""


KNOWN_PARTS: Final = frozenset(("text", "resource", "structured", "opaque"))
"""The kinds of part that have a model."""


class UnknownPart(AsifModel):
    """A part of a kind that ASIF 0.4 does not define: kept whole, and a finding."""

    kind: Annotated[str, UnknownKind(KNOWN_PARTS)]
    """The kind of part."""


Part: TypeAlias = Annotated[TextPart | ResourcePart | StructuredPart | OpaquePart | UnknownPart, KindUnion()]
"""Any part: `kind` chooses the model."""
