"""Frames of a session, its opening counted in, beside reading the same file typed."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Final

from benchmarks.measure import Row, best
from sessionrecord import Session, StreamReader
from sessionrecord.display.frames import FRAMES, FrameName

NAMES: Final[tuple[FrameName, ...]] = ("records", "messages", "tools", "usage")


def rows(path: Path, count: int, rounds: int) -> Iterator[Row]:
    """Each frame alone, and all four of one session."""
    Session.read(b"").to_frame()  # imports

    def typed() -> None:
        deque(StreamReader(path), maxlen=0)

    def kept() -> None:
        list(StreamReader(path))

    def frames(*names: FrameName) -> None:
        session = Session.read(path)
        for name in names:
            assert session.to_arrow(name).num_columns == len(FRAMES[name][0].columns)

    works = [partial(frames, name) for name in NAMES]
    base, base_kept, opened, every, *each = best(rounds, typed, kept, frames, partial(frames, *NAMES), *works)
    size = f"{count:,} canonical"
    for name, taken in zip(NAMES, each, strict=True):
        yield Row(
            f"open and make the frame {name} / read typed, time",
            size,
            f"{taken:.2f} s",
            f"{base:.2f} s",
            taken / base,
            "<= 2",
        )
    yield Row("  the opening alone", size, f"{opened:.2f} s", f"{base:.2f} s", opened / base)
    yield Row("  the same, all four frames", size, f"{every:.2f} s", f"{base:.2f} s", every / base)
    yield Row(
        "  the same, the peer keeps its records",
        size,
        f"{every:.2f} s",
        f"{base_kept:.2f} s",
        every / base_kept,
        "<= 2",
    )
