"""Content blocks: an open union on `type` (spec section 5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeAlias

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from sessionrecord.records.base import WireModel
from sessionrecord.scalars import Omittable, SafeInt
from sessionrecord.wire import OpenUnion

__all__ = [
    "AudioBlock",
    "Blob",
    "Block",
    "Blocks",
    "DiffBlock",
    "FileBlock",
    "ImageBlock",
    "ReasoningBlock",
    "ResourceLinkBlock",
    "TerminalBlock",
    "TextBlock",
    "UnknownBlock",
    "UnknownTag",
    "text_of",
]


class Blob(WireModel):
    """Bytes kept outside the stream, named by their hash. Our table, section 5."""

    sha256: str
    """SHA-256 of the bytes, lower-case hex."""
    bytes: SafeInt
    """Size in bytes."""
    path: Omittable[str] = None
    """Path in the bundle."""


class TextBlock(WireModel):
    """Text. Our table, section 5."""

    type: Literal["text"] = "text"
    """The block type."""
    text: str
    """The text, as the source wrote it."""


class ReasoningBlock(WireModel):
    """What the model thought. Our table, section 5."""

    type: Literal["reasoning"] = "reasoning"
    """The block type."""
    text: Omittable[str] = None
    """The readable reasoning."""
    signature: Omittable[str] = None
    """The provider's signature, byte for byte."""
    encrypted: Omittable[str] = None
    """Reasoning that only the provider can read, byte for byte."""


class _MediaBlock(WireModel):
    # one of data, blob, uri; that none or several are there is not refused, so that evidence is kept
    mime_type: str
    """Media type, such as `image/png`."""
    data: Omittable[str] = None
    """The bytes in base64."""
    blob: Omittable[Blob] = None
    """The bytes, kept outside the stream."""
    uri: Omittable[str] = None
    """Where the bytes are."""
    name: Omittable[str] = None
    """A name for people."""


class ImageBlock(_MediaBlock):
    """A picture, as one of `data`, `blob` or `uri`. Our table, section 5."""

    type: Literal["image"] = "image"
    """The block type."""


class AudioBlock(_MediaBlock):
    """Sound, as one of `data`, `blob` or `uri`. Our table, section 5."""

    type: Literal["audio"] = "audio"
    """The block type."""


class FileBlock(_MediaBlock):
    """A file, as one of `data`, `blob` or `uri`. Our table, section 5."""

    type: Literal["file"] = "file"
    """The block type."""


class ResourceLinkBlock(WireModel):
    """A link to a resource that is not included. Our table, section 5."""

    type: Literal["resource_link"] = "resource_link"
    """The block type."""
    uri: str
    """The resource."""
    name: Omittable[str] = None
    """A name for people."""
    mime_type: Omittable[str] = None
    """Media type."""
    size: Omittable[SafeInt] = None
    """Size in bytes."""


class DiffBlock(WireModel):
    """A change of a file's text. Our table, section 5."""

    type: Literal["diff"] = "diff"
    """The block type."""
    path: str
    """The file."""
    old_text: Omittable[str] = None
    """The text before; absent for a new file."""
    new_text: Omittable[str] = None
    """The text after; absent for a deleted file."""


class TerminalBlock(WireModel):
    """The output of a terminal. Our table, section 5."""

    type: Literal["terminal"] = "terminal"
    """The block type."""
    terminal_id: str
    """The terminal's entity key."""


_BLOCKS: Final = (
    TextBlock,
    ReasoningBlock,
    ImageBlock,
    AudioBlock,
    FileBlock,
    ResourceLinkBlock,
    DiffBlock,
    TerminalBlock,
)
KNOWN_BLOCK_TYPES: Final = frozenset(str(b.model_fields["type"].default) for b in _BLOCKS)
"""The block types that have a model."""


class UnknownTag:
    """A string that is none of the known tags, so that a known block that fails never becomes an unknown one."""

    def __init__(self, known: frozenset[str]) -> None:
        self.known = known

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self._check, core_schema.str_schema(strict=True))

    def _check(self, tag: str) -> str:
        if tag in self.known:
            raise PydanticCustomError("known-tag", "a known type keeps its own rules")
        return tag


class UnknownBlock(WireModel):
    """A block of a type that this version does not know: kept whole in `model_extra`. [S] unknown types are preserved."""

    if not TYPE_CHECKING:
        __pydantic_extra__: dict[str, Any]

    type: Annotated[str, UnknownTag(KNOWN_BLOCK_TYPES)]
    """The block type."""


Block: TypeAlias = Annotated[
    TextBlock
    | ReasoningBlock
    | ImageBlock
    | AudioBlock
    | FileBlock
    | ResourceLinkBlock
    | DiffBlock
    | TerminalBlock
    | UnknownBlock,
    OpenUnion(),
]
"""Any content block. [S] "Open": unknown types are accepted and preserved."""

Blocks: TypeAlias = list[Block]
"""Content: blocks in their order."""


def text_of(blocks: Blocks | None) -> str:
    """The text of the text blocks, joined as they stand; reasoning and media are not part of it."""
    return "".join(b.text for b in blocks or () if isinstance(b, TextBlock))
