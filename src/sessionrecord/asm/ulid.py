"""IDs for events that are made here: ULIDs, 26 characters that sort by time."""

from __future__ import annotations

import os
import time
from typing import Final

__all__ = ["new_ulid"]

_ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def new_ulid() -> str:
    """48 bits of milliseconds since 1970 and 80 random bits, in Crockford's base 32."""
    number = (time.time_ns() // 1_000_000 & (1 << 48) - 1) << 80 | int.from_bytes(os.urandom(10))
    return "".join(_ALPHABET[number >> shift & 31] for shift in range(125, -1, -5))
