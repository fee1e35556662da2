"""From the bytes of a log to its native lines, whatever the bytes are; and how their members are looked at."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final, TypeGuard, TypeVar

from sessionrecord import ijson
from sessionrecord.lines import BOM
from sessionrecord.scalars import TIMESTAMP_PATTERN

__all__ = [
    "BLANK",
    "MAX_DEPTH",
    "MENDABLE",
    "NO_TYPE",
    "Unit",
    "depth",
    "is_count",
    "is_duration",
    "kept_text",
    "members",
    "native_value",
    "same",
    "sound",
    "text",
    "timestamp",
    "units",
]

BLANK: Final = "(blank)"
NO_TYPE: Final = "(no type)"
NOT_JSON: Final = "(not JSON)"
NOT_AN_OBJECT: Final = "(not an object)"

MAX_DEPTH: Final = ijson.MAX_DEPTH - 4
"""Levels that a native value may have: it is kept deeper than it stood, and must still be writable."""
MENDABLE: Final = frozenset({"lone-surrogate", "duplicate-member"})
"""Codes of what is mended in a line: it is read all the same."""
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_TIMESTAMP: Final = re.compile(TIMESTAMP_PATTERN.removeprefix("^").removesuffix("$"))


def text(value: object) -> str | None:
    """A native member that names something: a string of at least one character, else None."""
    return value if isinstance(value, str) and value else None


def members(value: object) -> dict[str, Any]:
    """A native member that is an object; anything else has no members."""
    return value if isinstance(value, dict) else {}


def timestamp(value: object) -> str | None:
    """A native timestamp that is valid (ASR-044), else None."""
    return value if isinstance(value, str) and _TIMESTAMP.fullmatch(value) else None


def is_count(value: object) -> TypeGuard[int]:
    """Whether a native member is an integer of ASR-042."""
    return type(value) is int and 0 <= value <= ijson.MAX_SAFE_INTEGER


def is_duration(value: object) -> bool:
    """Whether a native member is a number that a duration may be (ASR-045)."""
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return False
    return value >= 0 and not (isinstance(value, Decimal) and value.is_signed()) and value != float("inf")


def same(a: Any, b: Any) -> bool:
    """Whether two values are the same JSON; Python takes 1 and true for equal."""
    return bool(a == b) and ijson.dumps(a) == ijson.dumps(b)


def native_value(harness: str, native_type: str | None, value: Any) -> dict[str, Any]:
    """The members of a `native_line` record, which keeps a native value whole."""
    extra = {"harness": harness, "nativeType": native_type, "value": value}
    if native_type is None:
        del extra["nativeType"]
    return {"type": "native_line", "extra": extra}


@dataclass(slots=True, eq=False)
class Unit:
    """One JSON object of a log, or a line that is none."""

    index: int
    """Position among the units of the file, from 0; unique."""
    number: int
    """Line in the file, from 1."""
    value: dict[str, Any]
    """The object; empty for a line that is none."""
    kept: Any
    """What a `native_line` record keeps: the object, the value, or the text."""
    label: str
    """What the report counts the line as."""
    fault: str | None = None
    """Why the line is no object, in words."""
    salvaged: tuple[str, ...] = ()
    """Codes of what was mended to read it."""


U = TypeVar("U", bound=Unit)


def units(data: bytes, cls: type[U], label_of: Callable[[dict[str, Any]], str]) -> list[U]:
    """The units of a log in file order, labelled by `label_of`. Only LF ends a line; never raises."""
    found: list[U] = []
    lines = data.split(b"\n")
    torn = lines.pop() if lines[-1] == b"" else None
    for number, line in enumerate(lines, 1):
        last = number == len(lines) and torn is None
        if number == 1:
            line = line.removeprefix(BOM)
        bare = line.removesuffix(b"\r").strip(b"\0")
        if not bare.strip():
            found.append(cls(len(found), number, {}, None, BLANK, "blank line"))
            continue
        for value, codes, fault in _values(bare, last):
            if fault is not None:
                made = cls(len(found), number, {}, value, NOT_JSON, fault)
            elif isinstance(value, dict):
                made = cls(len(found), number, value, value, label_of(value), None, codes)
            else:
                made = cls(len(found), number, {}, value, NOT_AN_OBJECT, "JSON, but not an object", codes)
            found.append(made)
    return found


def _values(line: bytes, last: bool) -> Iterator[tuple[Any, tuple[str, ...], str | None]]:
    value, codes = _value(line)
    if codes is not None:
        yield value, codes, None
        return
    glued = list(_glued(line))
    for piece, more in glued:
        yield piece, (*more, "glued"), None
    if not glued:
        reason = "torn at the end of the file" if last else "not JSON"
        if value is not None:
            reason = f"nested deeper than {MAX_DEPTH} levels"
        yield kept_text(line), (), reason


def _value(line: bytes) -> tuple[Any, tuple[str, ...] | None]:
    """The value of a line and what had to be mended; None in place of the codes where it cannot be used."""
    value, findings = ijson.examine(line)
    errors = sorted({f.code for f in findings if f.is_error})
    if not MENDABLE.issuperset(errors):
        return None, None
    if line.count(b"[") + line.count(b"{") > MAX_DEPTH and depth(value) > MAX_DEPTH:
        return value, None
    if "lone-surrogate" in errors:
        value = _mended(value)
    return value, tuple(errors)


def depth(value: Any) -> int:
    """Levels of nesting of a value: 0 for a scalar."""
    levels, level = 0, [value]
    while level:
        levels += 1
        level = [
            v
            for item in level
            if isinstance(item, dict | list)
            for v in (item.values() if isinstance(item, dict) else item)
        ]
    return levels - 1


def _mended(value: Any) -> Any:
    """The value with U+FFFD for unpaired surrogates; containers are changed in place, since nobody else has them."""
    holder = [value]
    stack: list[Any] = [holder]
    while stack:
        item = stack.pop()
        if isinstance(item, list):
            item[:] = [sound(v) for v in item]
            stack.extend(item)
        elif isinstance(item, dict):
            pairs = list(item.items())
            item.clear()
            item.update((sound(name), sound(v)) for name, v in pairs)
            stack.extend(item.values())
    return holder[0]


def sound(value: Any) -> Any:
    """A string with U+FFFD for unpaired surrogates; anything else as it is."""
    return _SURROGATE.sub("\ufffd", value) if isinstance(value, str) else value


def _glued(line: bytes) -> Iterator[tuple[dict[str, Any], tuple[str, ...]]]:
    """The objects of a line that holds nothing but several of them; nothing for any other line."""
    pieces: list[tuple[dict[str, Any], tuple[str, ...]]] = []
    try:
        rest = line.decode("utf-8")
        decoder, at = json.JSONDecoder(), 0
        while at < len(rest):
            end = decoder.raw_decode(rest, at)[1]
            value, codes = _value(rest[at:end].encode())
            if codes is None or not isinstance(value, dict):
                return
            pieces.append((value, codes))
            at = end
            while at < len(rest) and rest[at] in " \t\r\0":
                at += 1
    except (ValueError, RecursionError):
        return
    yield from pieces


def kept_text(line: bytes) -> Any:
    """A line that is no JSON, as a JSON value: its text, or `{"base64": …}` where it is not UTF-8."""
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(line).decode()}
