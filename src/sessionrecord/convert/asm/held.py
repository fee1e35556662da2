"""What a record can hold of an event: its line, its moment, its names."""

from __future__ import annotations

from typing import Any

from sessionrecord import ijson
from sessionrecord.asm import RunEvent
from sessionrecord.convert.native import MAX_DEPTH, depth, kept_text, timestamp
from sessionrecord.errors import IJsonError

__all__ = ["kept", "moment", "unused"]


def kept(line: bytes) -> Any:
    """What a `native_line` record keeps of a line: its value, or its text where the value cannot be written or says less."""
    try:
        value = ijson.loads(line)
    except IJsonError:
        return kept_text(line)
    # null would be no value at all
    return kept_text(line) if value is None or (_brackets(line) > MAX_DEPTH and depth(value) > MAX_DEPTH) else value


def unused(name: str, used: dict[str, int]) -> str:
    """The name, or the first of `name#2`, `name#3` … that nothing else has. `used` is each name with the last such number."""
    number = used.get(name, 0)
    free = name
    while free in used:
        number += 1
        free = f"{name}#{number}"
    used[name], used[free] = number or 1, 1
    return free


def _brackets(line: bytes) -> int:
    return line.count(b"[") + line.count(b"{")


def moment(event: RunEvent) -> str | None:
    """The timestamp as a record can have it; None where it can have none."""
    utc = event.timestamp_utc
    if utc is None:
        return None
    whole, _, fraction = utc.rstrip("Z").partition(".")
    return timestamp(f"{whole}.{fraction[:9]}Z" if fraction else utc)
