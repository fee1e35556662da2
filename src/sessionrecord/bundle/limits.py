"""How much an archive may hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["RATIO_FROM", "Limits"]

RATIO_FROM: Final = 1 << 20
"""Bytes up to which no ratio is too high: a short file of one letter is no bomb."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What is read of an archive before it counts as a bomb. Our figures; the specification gives none."""

    members: int = 100_000
    """Most files and directories, of a directory too."""
    total_bytes: int = 8 << 30
    """Most bytes that the files of an archive may have in all."""
    ratio: int = 200
    """Most bytes that one byte of an archive may stand for, in a file and in all. Text of logs rarely exceeds 50."""
    manifest_bytes: int = 32 << 20
    """Most bytes of `bundle.json`."""
