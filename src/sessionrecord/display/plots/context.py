"""The size of the context over a session: in tokens as far as those are recorded, and in entities of the context view."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from sessionrecord.display.extra import need
from sessionrecord.display.frames.columns import Rows
from sessionrecord.display.frames.make import rows_of
from sessionrecord.display.plots.canvas import COLOURS, INK, finish, new_figure, nothing, session_name, short, strip
from sessionrecord.display.plots.clock import Clock, Moment, moment
from sessionrecord.display.plots.marks import Mark, draw_marks, mark_legend, marks_of
from sessionrecord.records import PARTICIPATING_TYPES
from sessionrecord.session.context import context_view
from sessionrecord.session.core import Core

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["plot_context"]

_SAMPLES: Final = 120
"""Moments at which the context view is counted in a long session, beside compactions and rewinds at more."""
_STEPS: Final = 1_000_000
"""Entities that may be walked in all to count it more often than that."""
_MARKED: Final = 60
"""Points of a line up to which each gets a marker."""
_DENSE: Final = 400
"""Points of a line from which on it is thin."""
_SERIES: Final = {
    "after": ("tokens in context after a call, as the source says", "blue", "o", "-"),
    "read": ("tokens that a call read: input and cached ones, as recorded", "orange", "s", "--"),
}
"""Kind of figure to what the legend calls it, colour, marker and line."""


def plot_context(core: Core, at: int | None) -> Figure:
    """How large the context was when. Raises `MissingExtraError`."""
    need("matplotlib", "plots")
    usage = rows_of(core, "usage", at)
    tokens, marks = _tokens(usage), marks_of(core, at)
    sizes, sampled = _sizes(core, at)
    clock = Clock(
        (when, None) for when in chain((t[1] for t in tokens), (s[0] for s in sizes), (m.when for m in marks))
    )
    figure = new_figure(11, 5.4)
    figure.suptitle(f"{session_name(core)}: size of the context", x=0.01, ha="left", fontsize=11)
    if not (tokens or sizes or marks):
        return nothing(figure, "nothing takes part in the context")
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
    placed = [(x, mark) for mark in marks if (x := clock(mark.when)) is not None]
    _draw_tokens(upper, tokens, placed, clock, [w for w in usage["context_window"] if w is not None])
    _draw_sizes(lower, sizes, clock, sampled)
    for axes in (upper, lower):
        strip(axes)
        axes.margins(x=0.015)
        draw_marks(axes, placed, markers=axes is upper)
        axes.set_ylim(bottom=0)
    upper.tick_params(labelbottom=False)
    clock.draw(lower)
    if clock.untimed:
        upper.set_title(f"{clock.untimed:,} without a timestamp are not shown", loc="left", fontsize=8, color=INK)
    handles = [*upper.get_legend_handles_labels()[0], *lower.get_legend_handles_labels()[0], *mark_legend(placed)]
    if handles:
        figure.legend(handles=handles, loc="outside lower left", ncols=2, fontsize=8, frameon=False)
    return finish(figure)


def _tokens(usage: Rows) -> list[tuple[str, Moment, int]]:
    """The sizes that usage records tell: kind, when, tokens."""
    names = ("seq", "timestamp", "scope", "counter", "context_tokens", "reported_input_tokens",
             "reported_cache_read_tokens", "reported_cache_write_tokens")  # fmt: skip
    found = []
    for seq, time, scope, counter, tokens, *parts in zip(*(usage[name] for name in names), strict=True):
        known = [part for part in parts if part is not None]
        if tokens is not None:
            found.append(("after", moment(seq or 0, time), tokens))
        elif known and scope == "model_call" and counter == "delta":
            found.append(("read", moment(seq or 0, time), sum(known)))
    return found


def _sizes(core: Core, at: int | None) -> tuple[list[tuple[Moment, int]], bool]:
    """How many entities the context view has when, and whether that is told for a sample of all moments only.

    Of a sample are both sides of what made the view smaller.
    """
    log = core.log
    end = log.end(at)
    joined = list(log.of_types(PARTICIPATING_TYPES, end))
    smaller = list(log.of_types(("compaction", "rewind"), end))
    count = max(_SAMPLES, _STEPS // max(1, len(joined)))
    wanted = set(_spread(joined, count))
    for i in _spread(smaller, count // 2):
        wanted |= {i - 1, i} if i else {i}
    found = []
    for i in sorted(wanted):
        seq, time = log.seqs[i], log.value(i).get("timestamp")
        view = context_view(core, core.structure.head(log.end(seq)), seq)
        found.append((moment(max(seq, 0), time if isinstance(time, str) else None), len(view)))
    return found, len(joined) > count


def _spread(indexes: list[int], count: int) -> list[int]:
    if len(indexes) <= count:
        return indexes
    return [indexes[i * (len(indexes) - 1) // (count - 1)] for i in range(count)]


def _draw_tokens(
    axes: Any, tokens: list[tuple[str, Moment, int]], marks: list[tuple[float, Mark]], clock: Clock, windows: list[int]
) -> None:
    for kind, (name, colour, marker, line) in _SERIES.items():
        points = sorted((x, n) for k, when, n in tokens if k == kind and (x := clock(when)) is not None)
        if not points:
            continue
        xs, ys = _broken(points, sorted(x for x, _ in marks))
        few = len(points) <= _MARKED
        axes.plot(xs, ys, line if few else "-", color=COLOURS[colour], marker=marker if few else None, markersize=4,
                  linewidth=1.2 if len(points) < _DENSE else 0.4, label=name)  # fmt: skip
    drops = [(x, *mark.tokens) for x, mark in marks if None not in mark.tokens]
    if drops:
        at, before, after = zip(*drops, strict=True)
        axes.vlines(at, after, before, colors=COLOURS["vermilion"], linewidth=2.4, zorder=3,
                    label="tokens before and after a compaction, as it says")  # fmt: skip
        axes.scatter([*at, *at], [*before, *after], s=40, marker="_", color=COLOURS["vermilion"], zorder=3)
    if windows and tokens:
        axes.axhline(max(windows), color=COLOURS["grey"], linestyle=":", linewidth=1.2,
                     label=f"the model's context window: {short(max(windows))}")  # fmt: skip
    axes.yaxis.set_major_formatter(lambda value, _: short(value))
    axes.set_ylabel("tokens")
    if not tokens:
        axes.set_yticks([])
        axes.text(0.5, 0.5, "no record tells the size in tokens", transform=axes.transAxes, ha="center", color=INK)


def _broken(points: list[tuple[float, int]], at: list[float]) -> tuple[list[float], list[float]]:
    """The points of a line, broken where a compaction or rewind lies between two."""
    xs: list[float] = []
    ys: list[float] = []
    cut = 0
    for x, y in points:
        while cut < len(at) and at[cut] <= x:
            xs.append(at[cut])
            ys.append(float("nan"))
            cut += 1
        xs.append(x)
        ys.append(y)
    return xs, ys


def _draw_sizes(axes: Any, sizes: list[tuple[Moment, int]], clock: Clock, sampled: bool) -> None:
    placed = sorted(((x, n) for when, n in sizes if (x := clock(when)) is not None), key=lambda point: point[0])
    if placed:
        xs, ys = zip(*placed, strict=True)
        # between samples the size is not known; a step would claim that it stayed
        axes.fill_between(xs, ys, step=None if sampled else "post", color=COLOURS["green"], alpha=0.3, linewidth=0)
        axes.plot(xs, ys, drawstyle="default" if sampled else "steps-post", color=COLOURS["green"], linewidth=1.0,
                  label="entities in the context view: recorded evidence, not proof of the exact request")  # fmt: skip
    axes.set_ylabel("entities")
    axes.yaxis.get_major_locator().set_params(integer=True)
