"""Where on the horizontal axis something is: in time, with idle stretches cut out, or by `seq` where there are no timestamps."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from sessionrecord.display.plots.canvas import PALE
from sessionrecord.scalars import TIMESTAMP_PATTERN

__all__ = ["Clock", "Moment", "moment"]

_WHOLE: Final = re.compile(TIMESTAMP_PATTERN.removesuffix("$") + r"\Z")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_LAST: Final = 253402300799.0
"""The last whole second of the year 9999."""
_IDLE: Final = 600.0
"""Seconds without anything after which a stretch may be cut."""
_SHARE: Final = 0.05
"""Share of all seconds that a stretch has at least to be cut, and share of what is left that it is drawn as."""
_STEPS: Final = (
    0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0, 900.0,
    1800.0, 3600.0, 7200.0, 10800.0, 21600.0, 43200.0, 86400.0, 172800.0, 604800.0, 2592000.0, 31536000.0, 315360000.0, 3153600000.0,
)  # fmt: skip
_TICKS: Final = 8


@dataclass(frozen=True, slots=True)
class Moment:
    """When something happened."""

    seq: int
    """Where in the stream."""
    seconds: float | None
    """Seconds since 1970; None where no timestamp says it."""

    def after(self, milliseconds: float, seq: int) -> Moment:
        """The moment of a record, so long after this one; not known where it would be after the year 9999."""
        seconds = None if self.seconds is None else self.seconds + milliseconds / 1000
        return Moment(seq, None if seconds is None or seconds > _LAST else seconds)


def moment(seq: int, timestamp: str | None) -> Moment:
    """The moment of a record."""
    return Moment(seq, None if timestamp is None else _seconds(timestamp))


def _seconds(text: str) -> float | None:
    if _WHOLE.match(text) is None or text.startswith("0000"):
        return None
    whole = datetime.fromisoformat(f"{text[:17]}00+00:00")
    return (whole - _EPOCH).total_seconds() + float(text[17:-1])


class Clock:
    """The horizontal axis of some stretches: each has a begin, and an end or None."""

    def __init__(self, stretches: Iterable[tuple[Moment, Moment | None]]) -> None:
        stretches = list(stretches)
        timed = [
            (a.seconds, a.seconds if b is None or b.seconds is None else b.seconds)
            for a, b in stretches
            if a.seconds is not None
        ]
        self.by_time = len({s for pair in timed for s in pair}) > 1
        """Whether the axis is time; else it is `seq`."""
        self.untimed = len(stretches) - len(timed) if self.by_time else 0
        """How many cannot be placed, since they have no timestamp."""
        spans = _active([(min(a, b), max(a, b)) for a, b in timed]) if self.by_time else []
        self._from, self._to = _positions(spans)
        """Seconds where a stretch of activity begins or ends, and where on the axis that is."""

    @property
    def cuts(self) -> int:
        """How many idle stretches are cut out."""
        return max(0, len(self._from) // 2 - 1)

    def __call__(self, when: Moment) -> float | None:
        """The place of a moment on the axis; None where it has none."""
        if not self.by_time:
            return float(when.seq)
        return None if when.seconds is None else self._place(when.seconds)

    def _place(self, seconds: float) -> float:
        i = min(max(bisect_right(self._from, seconds), 1), len(self._from) - 1)
        (a, b), (x, y) = self._from[i - 1 : i + 1], self._to[i - 1 : i + 1]
        return x if b == a else x + (seconds - a) * (y - x) / (b - a)

    def draw(self, axes: Any) -> None:
        """Ticks, the name of the axis, and marks where something is cut out."""
        if not self.by_time:
            axes.set_xlabel("position in the stream (seq): the records have no timestamps to place them by")
            axes.xaxis.get_major_locator().set_params(integer=True)
            return
        ticks = self._ticks()
        axes.set_xticks([self._place(s) for s, _ in ticks], [text for _, text in ticks])
        axes.set_xlabel(
            "time (UTC)" + ("; grey bands stand for idle stretches, which are cut short" if self.cuts else "")
        )
        for i in range(1, len(self._to) - 1, 2):
            axes.axvspan(
                self._to[i], self._to[i + 1], facecolor=PALE, edgecolor="white", hatch="///", linewidth=0, zorder=0
            )

    def _ticks(self) -> list[tuple[float, str]]:
        active = list(zip(self._from[::2], self._from[1::2], strict=True))
        total = sum(b - a for a, b in active)
        step = next((s for s in _STEPS if total / s <= _TICKS), _STEPS[-1])
        wanted: list[float] = []
        for a, b in active:
            first = a - a % step + (step if a % step else 0)
            inside = [first + k * step for k in range(int((b - first) // step) + 1)] if first <= b else []
            wanted += inside or [a]
        width = self._to[-1] / 14
        kept: list[float] = []
        for s in wanted:
            if not kept or self._place(s) - self._place(kept[-1]) >= width:
                kept.append(s)
        return _labelled(kept, step)


def _labelled(ticks: list[float], step: float) -> list[tuple[float, str]]:
    labelled = []
    day = ""
    for s in ticks:
        when = _EPOCH + timedelta(seconds=min(s, _LAST))
        text = f"{when:%H:%M}" if step >= 60 else f"{when:%H:%M:%S}" if step >= 1 else f"{when:%H:%M:%S.%f}"[:-3]
        date = when.date().isoformat()
        labelled.append((s, text if date == day else f"{text}\n{date}"))
        day = date
    return labelled


def _active(spans: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """The stretches in which something happens; what lies between two is idle for long."""
    spans.sort()
    end, idle = spans[0][1], 0.0
    for a, b in spans:
        idle += max(0.0, a - end - _IDLE)
        end = max(end, b)
    least = max(_IDLE, _SHARE * (end - spans[0][0] - idle))
    merged = [spans[0]]
    for a, b in spans[1:]:
        last = merged[-1]
        if a - last[1] > least:
            merged.append((a, b))
        else:
            merged[-1] = last[0], max(last[1], b)
    return merged


def _positions(spans: list[tuple[float, float]]) -> tuple[list[float], list[float]]:
    gap = _SHARE / 2 * sum(b - a for a, b in spans) or 1.0
    seconds: list[float] = []
    places: list[float] = []
    at = 0.0
    for a, b in spans:
        seconds += [a, b]
        places += [at, at + (b - a)]
        at = places[-1] + gap
    return seconds, places
