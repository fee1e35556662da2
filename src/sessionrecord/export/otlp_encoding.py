"""OTLP as JSON: identifiers in hex, 64-bit integers and times as strings, enums as numbers."""

from __future__ import annotations

import sys
from calendar import timegm
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from hashlib import sha256
from typing import Any, Final, TypeAlias

__all__ = [
    "CLIENT", "ERROR", "INTERNAL", "LARGEST", "LATEST", "Attributes", "Span", "attributes", "duration", "nanoseconds", "seconds", "span_id",
    "trace_id",
]  # fmt: skip

INTERNAL: Final = 1
"""Span kind: work within the process."""
CLIENT: Final = 3
"""Span kind: a request to another."""
ERROR: Final = 2
"""Status code: the operation failed."""
LATEST: Final = (1 << 64) - 1
"""The last moment that OTLP holds, in nanoseconds since 1970."""
LARGEST: Final = (1 << 63) - 1
"""The largest integer of an attribute."""
_PER_MS: Final = 1_000_000

Attributes: TypeAlias = dict[str, Any]
"""Names to strings, booleans, integers, doubles and lists of strings; None is left out."""


def trace_id(session: str) -> str:
    """The trace of a session, from its reference: 16 bytes of a SHA-256."""
    return sha256(f"sessionrecord trace\0{session}".encode("utf-8", "backslashreplace")).hexdigest()[:32]


def span_id(session: str, *parts: str) -> str:
    """A span of a session, from what names it there: 8 bytes of a SHA-256."""
    text = "\0".join(("sessionrecord span", session, *parts))
    return sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:16]


def nanoseconds(timestamp: str | None) -> int | None:
    """A timestamp as nanoseconds since 1970; None without one, and for a moment that OTLP cannot hold.

    A leap second is the second after it, as POSIX counts.
    """
    if timestamp is None:
        return None
    whole, _, fraction = timestamp[:-1].partition(".")
    leap = whole.endswith(":60")
    try:
        moment = datetime.fromisoformat(f"{whole[:-2]}59" if leap else whole)
    except ValueError:
        return None
    value = (timegm(moment.timetuple()) + leap) * 10**9 + int(f"{fraction:0<9}")
    return value if 0 <= value <= LATEST else None


def duration(milliseconds: float | Decimal | None) -> int | None:
    """A duration in nanoseconds; None without one, and for one that OTLP cannot hold."""
    if milliseconds is None:
        return None
    if not milliseconds or milliseconds > LATEST:  # before any arithmetic, which not every exponent goes through
        return None if milliseconds else 0
    exact = milliseconds if isinstance(milliseconds, Decimal) else Decimal(str(milliseconds))
    value = int(exact * _PER_MS)
    return value if value <= LATEST else None


def seconds(milliseconds: float | Decimal | None) -> float | None:
    """A duration in seconds as a double; None without one, and for one beyond the largest double."""
    if milliseconds is None or milliseconds > sys.float_info.max:
        return None
    return float(milliseconds) / 1000


def attributes(values: Attributes) -> list[dict[str, Any]]:
    """Attributes as OTLP writes them."""
    return [{"key": name, "value": _value(value)} for name, value in values.items() if value is not None]


def _value(value: Any) -> dict[str, Any]:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    if isinstance(value, list):
        return {"arrayValue": {"values": [_value(v) for v in value]}}
    return {"stringValue": value}


@dataclass(slots=True)
class Span:
    """A span while it grows; times are nanoseconds since 1970, 0 where there is none."""

    name: str
    kind: int
    id: str
    parent: str | None = None
    start: int = 0
    end: int = 0
    attributes: Attributes = field(default_factory=dict)
    events: list[dict[str, Any]] = field(default_factory=list)
    links: list[dict[str, Any]] = field(default_factory=list)
    failed: bool = False
    message: str | None = None

    def event(self, name: str, time: int, values: Attributes) -> None:
        """Add an event."""
        self.events.append({"timeUnixNano": str(time), "name": name, "attributes": attributes(values)})

    def wire(self, trace: str) -> dict[str, Any]:
        """The span as OTLP writes it."""
        span: dict[str, Any] = {"traceId": trace, "spanId": self.id}
        if self.parent is not None:
            span["parentSpanId"] = self.parent
        span |= {
            "name": self.name,
            "kind": self.kind,
            "startTimeUnixNano": str(self.start),
            "endTimeUnixNano": str(self.end),
            "attributes": attributes(self.attributes),
        }
        if self.events:
            span["events"] = self.events
        if self.links:
            span["links"] = self.links
        if self.failed:
            span["status"] = {"code": ERROR, **({} if self.message is None else {"message": self.message})}
        return span
