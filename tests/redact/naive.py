"""A search for a secret that shares nothing with the one under test: decode everything that decodes, look, and go on."""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any
from urllib.parse import unquote

_RUN = re.compile(r"[A-Za-z0-9+/_-]{4,}")
_ESCAPED = re.compile(r'\\(u[0-9a-fA-F]{4}|["\\/bfnrt])')


def texts(value: Any) -> Iterator[str]:
    """Names, strings and numbers of a JSON value, and the texts of lists of blocks or strings joined."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, member in value.items():
            yield name
            yield from texts(member)
    elif isinstance(value, list):
        for item in value:
            yield from texts(item)
        yield "".join(v for v in value if isinstance(v, str))
        yield "".join(v["text"] for v in value if isinstance(v, dict) and isinstance(v.get("text"), str))
    elif value is not None and not isinstance(value, bool):
        yield json.dumps(value)


def decodings(text: str) -> Iterator[str]:
    """What a text may stand for."""
    with suppress(ValueError, RecursionError):
        yield from texts(json.loads(text))
    if "\\" in text:
        units = _ESCAPED.sub(lambda m: json.loads(f'"{m[0]}"'), text)
        yield units.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if "%" in text:
        yield unquote(text, errors="replace")
    if "&" in text:
        yield html.unescape(text)
    for run in {*_RUN.findall(text), *_RUN.findall(re.sub(r"\s*\n\s*", "", text))}:
        for skip in range(4):
            body = run[skip:].replace("-", "+").replace("_", "/")
            body = body[: len(body) - (len(body) % 4 == 1)]
            if body:
                yield base64.b64decode(body + "=" * (-len(body) % 4)).decode("utf-8", "replace")


def is_in(secret: str, text: str, depth: int = 8) -> bool:
    """Whether a secret is in a text, in any form that this search knows."""
    seen: set[str] = set()
    level = {text}
    for _ in range(depth):
        if any(secret in t for t in level):
            return True
        seen |= level
        level = {d for t in level for d in decodings(t) if len(d) >= len(secret)} - seen
    return any(secret in t for t in level)


def is_in_stream(secret: str, stream: bytes) -> bool:
    """Whether a secret is in any line of a stream, or in its bytes as they are."""
    if secret.encode() in stream:
        return True
    return any(is_in(secret, line) for line in stream.decode("utf-8", "replace").split("\n"))
