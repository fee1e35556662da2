"""Compactions and rewinds, marked across a picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from sessionrecord.display.extra import need
from sessionrecord.display.plots.canvas import COLOURS, INK
from sessionrecord.display.plots.clock import Moment, moment
from sessionrecord.session.core import Core

__all__ = ["Mark", "draw_marks", "mark_legend", "marks_of"]

_STYLES: Final = {
    "compaction": ("compaction", "black", "v", "-"),
    "not-applied": ("compaction that is not completed", "grey", "1", ":"),
    "rewind": ("rewind", "purple", "<", "--"),
}
"""Kind to what the legend calls it, colour, marker and line."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A compaction or a rewind."""

    when: Moment
    """When it was first recorded."""
    kind: str
    """compaction, not-applied or rewind."""
    tokens: tuple[int | None, int | None] = (None, None)
    """Tokens in context before and after it, as a compaction says."""


def marks_of(core: Core, at: int | None) -> list[Mark]:
    """The compactions and rewinds up to `at`, in file order."""
    log, index = core.log, core.index
    end = log.end(at)
    found = []
    for i in log.of_types(("compaction", "rewind"), end):
        if index.first[i] != i:
            continue
        timestamp = log.value(i).get("timestamp")
        when = moment(max(log.seqs[i], 0), timestamp if isinstance(timestamp, str) else None)
        if log.type(i) == "rewind":
            found.append(Mark(when, "rewind"))
            continue
        latest = log.value(index.latest(i, end))
        applied = latest.get("status") in (None, "completed")
        tokens = _count(latest.get("tokensBefore")), _count(latest.get("tokensAfter"))
        found.append(Mark(when, "compaction" if applied else "not-applied", tokens))
    return found


def _count(value: Any) -> int | None:
    return value if type(value) is int and value >= 0 else None


def draw_marks(axes: Any, marks: list[tuple[float, Mark]], *, markers: bool = True) -> None:
    """Lines across the picture, with markers at the top."""
    for kind, (_, colour, marker, line) in _STYLES.items():
        xs = [x for x, mark in marks if mark.kind == kind]
        if not xs:
            continue
        across = axes.get_xaxis_transform()
        axes.vlines(xs, 0, 1, transform=across, colors=COLOURS[colour], linestyles=line, linewidth=0.9, zorder=1)
        if not markers:
            continue
        axes.plot(xs, [1.0] * len(xs), marker, transform=across, color=COLOURS[colour], markeredgecolor=INK,
                  markersize=6, clip_on=False, zorder=4)  # fmt: skip


def mark_legend(marks: list[tuple[float, Mark]]) -> list[Any]:
    """What the legend says of them."""
    lines = need("matplotlib.lines", "plots")
    kinds = {mark.kind for _, mark in marks}
    return [
        lines.Line2D([], [], color=COLOURS[colour], linestyle=line, linewidth=0.9, marker=marker, markeredgecolor=INK,
                     markersize=6, label=name)
        for kind, (name, colour, marker, line) in _STYLES.items()
        if kind in kinds
    ]  # fmt: skip
