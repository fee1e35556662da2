"""Content blocks for the common cases (spec section 5)."""

from __future__ import annotations

from base64 import b64encode

from sessionrecord.records import (
    AudioBlock,
    DiffBlock,
    FileBlock,
    ImageBlock,
    ReasoningBlock,
    ResourceLinkBlock,
    TextBlock,
)

__all__ = ["audio_from_bytes", "diff", "file_from_bytes", "image_from_bytes", "reasoning", "resource_link", "text"]


def text(content: str) -> TextBlock:
    """Text."""
    return TextBlock(text=content)


def reasoning(
    content: str | None = None, *, signature: str | None = None, encrypted: str | None = None
) -> ReasoningBlock:
    """What the model thought; `signature` and `encrypted` are kept byte for byte."""
    return ReasoningBlock(text=content, signature=signature, encrypted=encrypted)


def image_from_bytes(data: bytes, mime_type: str, *, name: str | None = None) -> ImageBlock:
    """A picture, included as base64; `mime_type` such as `image/png`."""
    return ImageBlock(data=b64encode(data).decode(), mime_type=mime_type, name=name)


def audio_from_bytes(data: bytes, mime_type: str, *, name: str | None = None) -> AudioBlock:
    """Sound, included as base64; `mime_type` such as `audio/wav`."""
    return AudioBlock(data=b64encode(data).decode(), mime_type=mime_type, name=name)


def file_from_bytes(data: bytes, mime_type: str, *, name: str | None = None) -> FileBlock:
    """A file, included as base64; `mime_type` such as `application/pdf`."""
    return FileBlock(data=b64encode(data).decode(), mime_type=mime_type, name=name)


def resource_link(
    uri: str, *, name: str | None = None, mime_type: str | None = None, size: int | None = None
) -> ResourceLinkBlock:
    """A link to something that is not included; `size` in bytes."""
    return ResourceLinkBlock(uri=uri, name=name, mime_type=mime_type, size=size)


def diff(path: str, old_text: str | None, new_text: str | None) -> DiffBlock:
    """A change of a file's text: without `old_text` the file is new, without `new_text` it was deleted."""
    return DiffBlock(path=path, old_text=old_text, new_text=new_text)
