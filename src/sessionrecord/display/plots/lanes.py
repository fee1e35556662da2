"""Lanes of a timeline: what happened, one kind a lane; each thing drawn alone, or, where they are many, counted by stretch."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from sessionrecord.display.extra import need
from sessionrecord.display.plots.canvas import COLOURS, INK

__all__ = ["STYLES", "Item", "Lane", "Style", "draw_lane"]

_HEIGHT: Final = 0.72
_ROWS: Final = 4
"""Things of one lane that happen at once are drawn side by side, up to this many."""
_COLUMNS: Final = 240
"""Stretches in which many things are counted."""


@dataclass(frozen=True, slots=True)
class Style:
    """How a kind of thing is drawn: told by its shape or hatch, not by its colour alone."""

    label: str
    """What the legend calls it."""
    colour: str
    """A key of `COLOURS`."""
    marker: str
    """Of one without an end."""
    hatch: str = ""
    """Of one with an end."""
    hollow: bool = False
    """Whether the marker is an outline: its end is not known."""


STYLES: Final = {
    "success": Style("success", "green", "o"),
    "error": Style("error", "vermilion", "X", "////"),
    "cancelled": Style("cancelled", "yellow", "s", "xxxx"),
    "unknown": Style("result that does not say how it ended", "grey", "D", "...."),
    "open": Style("no result recorded: its end is not known", "black", ">", "", hollow=True),
    "user": Style("message of a user", "blue", "o"),
    "assistant": Style("message of the assistant", "sky", "s"),
    "role": Style("message of another role", "orange", "^"),
    "call": Style("model call", "purple", "d"),
    "call-failed": Style("model call that failed or was cancelled", "vermilion", "X", "////"),
    "turn": Style("turn", "sky", "|"),
}
"""Kind of thing to its style."""


@dataclass(frozen=True, slots=True)
class Item:
    """A thing in a lane."""

    begin: float
    """Where on the axis."""
    end: float | None
    """Where it ends; None for a moment, or where that is not known."""
    kind: str
    """A key of `STYLES`."""


@dataclass(slots=True)
class Lane:
    """A row of the timeline."""

    label: str
    """Its name and how many things are in it."""
    items: list[Item] = field(default_factory=list)
    """What is in it."""


def draw_lane(axes: Any, y: float, lane: Lane, width: float, counted: bool) -> None:
    """Draw a lane at a height; `counted` draws how many there were by stretch."""
    if counted:
        _draw_counts(axes, y, lane.items, axes.get_xlim())
    else:
        _draw_each(axes, y, lane.items, width)


def _draw_each(axes: Any, y: float, items: list[Item], width: float) -> None:
    least = width / 400
    rows = _rows(items, least)
    height = _HEIGHT / max(1, min(_ROWS, 1 + max(rows, default=0)))
    bars: dict[str, list[list[tuple[float, float]]]] = defaultdict(list)
    marks: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for item, row in zip(items, rows, strict=True):
        bottom = y - _HEIGHT / 2 + (row % _ROWS) * height
        if item.end is None:
            marks[item.kind].append((item.begin, bottom + height / 2))
            continue
        right = max(item.end, item.begin + least)
        bars[item.kind].append(_box(item.begin, right, bottom, bottom + 0.88 * height))
        if STYLES[item.kind].hatch:  # a thin bar does not show its hatch
            marks[item.kind].append((item.begin, bottom + 0.44 * height))
    for kind, boxes in bars.items():
        _add(axes, boxes, STYLES[kind])
    for kind, points in marks.items():
        style = STYLES[kind]
        xs, ys = zip(*points, strict=True)
        axes.scatter(
            xs, ys, s=26, marker=style.marker, linewidths=0.9, zorder=3, edgecolors=INK,
            facecolors="none" if style.hollow else COLOURS[style.colour],
        )  # fmt: skip


def _rows(items: list[Item], least: float) -> list[int]:
    """For each thing the row that is free when it begins."""
    ends: list[float] = []
    rows = [0] * len(items)
    for i in sorted(range(len(items)), key=lambda i: items[i].begin):
        item = items[i]
        end = max(item.end if item.end is not None else item.begin, item.begin + least)
        row = next((r for r, free in enumerate(ends[:_ROWS]) if free <= item.begin), len(ends))
        if row == len(ends) and row < _ROWS:
            ends.append(end)
        elif row >= _ROWS:
            row = min(range(_ROWS), key=ends.__getitem__)
        ends[row] = max(ends[row], end)
        rows[i] = row
    return rows


def _draw_counts(axes: Any, y: float, items: list[Item], limits: tuple[float, float]) -> None:
    """Columns whose height is the number of things that began there, the kinds on top of each other."""
    numpy = need("numpy", "plots")
    kinds = [kind for kind in reversed(STYLES) if any(item.kind == kind for item in items)]
    edges = numpy.linspace(*limits, _COLUMNS + 1)
    counts = numpy.array([numpy.histogram([i.begin for i in items if i.kind == kind], edges)[0] for kind in kinds])
    scale = _HEIGHT / counts.sum(axis=0).max()
    bottom = numpy.full(_COLUMNS, y + _HEIGHT / 2)  # the axis points down
    for kind, count in zip(kinds, counts, strict=True):
        top = bottom - count * scale
        boxes = [_box(edges[c], edges[c + 1], bottom[c], top[c]) for c in numpy.flatnonzero(count)]
        _add(axes, boxes, STYLES[kind], line=0.0)
        bottom = top


def _box(left: float, right: float, bottom: float, top: float) -> list[tuple[float, float]]:
    return [(left, bottom), (right, bottom), (right, top), (left, top)]


def _add(axes: Any, boxes: Iterable[list[tuple[float, float]]], style: Style, line: float = 0.5) -> None:
    collections = need("matplotlib.collections", "plots")
    axes.add_collection(
        collections.PolyCollection(boxes, facecolors=COLOURS[style.colour], edgecolors=INK, linewidths=line, hatch=style.hatch or None, zorder=2),
        autolim=False,
    )  # fmt: skip
