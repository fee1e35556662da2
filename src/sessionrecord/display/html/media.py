"""Which bytes are shown as an image: raster images that are what they say they are. Nothing is fetched."""

from __future__ import annotations

import base64
import binascii
import re
from typing import Final

__all__ = ["data_uri", "decoded", "is_raster"]

_MAGIC: Final = {
    "image/png": re.compile(rb"\x89PNG\r\n\x1a\n"),
    "image/jpeg": re.compile(rb"\xff\xd8\xff"),
    "image/jpg": re.compile(rb"\xff\xd8\xff"),
    "image/gif": re.compile(rb"GIF8[79]a"),
    "image/webp": re.compile(rb"RIFF.{4}WEBP", re.DOTALL),
}
"""Media type to how such a file begins. SVG is markup and is never shown as an image."""


def decoded(data: str) -> bytes | None:
    """The bytes of a base64 text, or None where it is not one."""
    try:
        return base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return None


def is_raster(mime_type: str, content: bytes) -> bool:
    """Whether the bytes begin as a raster image of that media type does."""
    magic = _MAGIC.get(mime_type.lower())
    return magic is not None and magic.match(content) is not None


def data_uri(mime_type: str, content: bytes) -> str:
    """The image as a URI that holds it, for a media type that `is_raster` knows."""
    kind = mime_type.lower().replace("image/jpg", "image/jpeg")
    return f"data:{kind};base64,{base64.b64encode(content).decode('ascii')}"
