"""The timeline: turns, messages, model calls, tool calls with how they ended, compactions and rewinds."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from sessionrecord.display.extra import need
from sessionrecord.display.frames.columns import Rows
from sessionrecord.display.frames.make import rows_of
from sessionrecord.display.plots.canvas import COLOURS, INK, finish, label, new_figure, session_name, strip
from sessionrecord.display.plots.clock import Clock, Moment, moment
from sessionrecord.display.plots.lanes import STYLES, Item, Lane, draw_lane
from sessionrecord.display.plots.marks import Mark, draw_marks, mark_legend, marks_of
from sessionrecord.session.core import Core

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["plot_timeline"]

_TOOLS: Final = 12
"""Lanes of tools; the rarer ones share one more."""
_EACH: Final = 400
"""Things in a lane that are drawn one by one; of more, their number is."""


@dataclass(frozen=True, slots=True)
class _Thing:
    lane: str
    begin: Moment
    end: Moment | None
    kind: str


def plot_timeline(core: Core, at: int | None) -> Figure:
    """What happened when, a lane a kind. Raises `MissingExtraError`."""
    need("matplotlib", "plots")
    records, tools = rows_of(core, "records", at), rows_of(core, "tools", at)
    usage = rows_of(core, "usage", at)
    things = [*_turns(records), *_messages(records), *_model_calls(records, usage), *_tool_calls(tools)]
    marks = marks_of(core, at)
    clock = Clock(chain(((t.begin, t.end) for t in things), ((m.when, None) for m in marks)))
    lanes = _lanes(things, clock, Counter(tools["name"]))
    return _draw(core, lanes, marks, clock, tools)


def _turns(records: Rows) -> list[_Thing]:
    spans: dict[str, list[Moment]] = {}
    for turn, seq, time in zip(records["turn_id"], records["at"], records["timestamp"], strict=True):
        if turn is not None and seq is not None:
            spans.setdefault(turn, []).append(moment(seq, time))
    things = []
    for when in spans.values():
        timed = [m for m in when if m.seconds is not None]
        first = min(timed, key=lambda m: m.seconds or 0.0, default=when[0])
        last = max(timed, key=lambda m: m.seconds or 0.0, default=when[-1])
        things.append(_Thing("turns", Moment(when[0].seq, first.seconds), Moment(when[-1].seq, last.seconds), "turn"))
    return things


def _messages(records: Rows) -> list[_Thing]:
    return [
        _Thing("messages", moment(seq, time), None, role if role in ("user", "assistant") else "role")
        for kind, seq, time, role, revision in zip(
            *(records[name] for name in ("type", "at", "timestamp", "role", "revision")), strict=True
        )
        if kind == "message" and revision == 1 and seq is not None
    ]


def _model_calls(records: Rows, usage: Rows) -> list[_Thing]:
    """A bar where a call has a record for its begin and one for its end, else a mark."""
    spans: dict[str, list[Moment]] = {}
    for kind, seq, time, entity in zip(*(records[n] for n in ("type", "at", "timestamp", "entity")), strict=True):
        if kind == "model_call" and entity is not None and seq is not None:
            spans.setdefault(entity, []).append(moment(seq, time))
    things = []
    for scope, call, seq, time, status in zip(
        *(usage[name] for name in ("scope", "model_call_id", "seq", "timestamp", "status")), strict=True
    ):
        if scope != "model_call":
            continue
        when = spans.get(f"modelCallId={call}", [moment(seq or 0, time)])
        ended = when[-1] if len(when) > 1 else None
        things.append(
            _Thing("model calls", when[0], ended, "call-failed" if status in ("failed", "cancelled") else "call")
        )
    return things


def _tool_calls(tools: Rows) -> list[_Thing]:
    names = ("name", "seq", "started", "finished", "duration_ms", "outcome", "has_call", "results", "result_seq")
    things = []
    for name, seq, started, finished, duration, outcome, has_call, results, result_seq in zip(
        *(tools[n] for n in names), strict=True
    ):
        begin = moment(seq or 0, started if has_call else finished)
        end = None if result_seq is None or not has_call else moment(result_seq, finished)
        if end is not None and end.seconds is None and duration is not None:
            end = begin.after(duration, end.seq)
        kind = "open" if not results else outcome if outcome in ("success", "error", "cancelled") else "unknown"
        things.append(_Thing(_TOOL + (name or "(no name)"), begin, end, kind))
    return things


_TOOL: Final = "tool "


def _lanes(things: list[_Thing], clock: Clock, names: Counter[str | None]) -> list[Lane]:
    common = [f"{_TOOL}{name or '(no name)'}" for name, _ in names.most_common()]
    shown = common if len(common) <= _TOOLS + 1 else common[:_TOOLS]
    lanes = {name: Lane("") for name in ("turns", "messages", "model calls", *shown, "")}
    for thing in things:
        begin = clock(thing.begin)
        if begin is None:
            continue
        end = None if thing.end is None else clock(thing.end)
        lane = lanes.get(thing.lane, lanes[""])
        lane.items.append(Item(begin, end if end is None or end >= begin else None, thing.kind))
    for name, lane in lanes.items():
        of = label(name.removeprefix(_TOOL), 24) if name else f"{len(common) - len(shown)} other tools"
        lane.label = f"{of} ({len(lane.items):,})"
    return [lane for lane in lanes.values() if lane.items]


def _draw(core: Core, lanes: list[Lane], marks: list[Mark], clock: Clock, tools: Rows) -> Figure:
    figure = new_figure(11, 2.2 + 0.42 * len(lanes))
    axes = figure.add_subplot()
    figure.suptitle(_title(core, tools), x=0.01, ha="left", fontsize=11)
    strip(axes)
    placed = [(x, mark) for mark in marks if (x := clock(mark.when)) is not None]
    ends = [x for lane in lanes for item in lane.items for x in (item.begin, item.end) if x is not None]
    ends += [x for x, _ in placed]
    if not ends:
        axes.set_axis_off()
        axes.text(0.5, 0.5, "nothing to show: no turns, messages, calls, compactions or rewinds", ha="center")
        return finish(figure)
    low, high = min(ends), max(ends)
    room = (high - low or 1.0) * 0.015
    axes.set_xlim(low - room, high + room)
    axes.set_ylim(len(lanes) - 0.4, -0.9)
    counted = [lane for lane in lanes if len(lane.items) > _EACH]
    for y, lane in enumerate(lanes):
        axes.axhline(y, color="#EEEEEE", linewidth=0.6, zorder=0)
        draw_lane(axes, y, lane, high - low or 1.0, lane in counted)
    axes.set_yticks(range(len(lanes)), [lane.label for lane in lanes])
    axes.tick_params(axis="y", length=0)
    draw_marks(axes, placed)
    clock.draw(axes)
    notes = []
    if counted:
        notes.append(f"a lane of more than {_EACH} shows how many began in each stretch, up to its own most")
    if clock.untimed:
        notes.append(f"{clock.untimed:,} without a timestamp are not shown")
    if notes:
        axes.set_title("; ".join(notes), loc="left", fontsize=8, color=INK)
    _legend(figure, lanes, counted, placed)
    return finish(figure)


def _title(core: Core, tools: Rows) -> str:
    open_ends, errors = sum(n == 0 for n in tools["results"]), sum(o == "error" for o in tools["outcome"])
    calls = len(tools["call_id"])
    parts = [f"{calls:,} tool call{'' if calls == 1 else 's'}"]
    parts += [f"{errors:,} with an error"] if errors else []
    parts += [f"{open_ends:,} without a result"] if open_ends else []
    return f"{session_name(core)}: {', '.join(parts)}"


def _legend(figure: Figure, lanes: list[Lane], counted: list[Lane], marks: list[tuple[float, Mark]]) -> None:
    lines, patches = need("matplotlib.lines", "plots"), need("matplotlib.patches", "plots")
    kinds, filled = set[str](), set[str]()
    for lane in lanes:
        all_filled = lane in counted
        kinds |= {item.kind for item in lane.items} - {"turn"}
        filled |= {item.kind for item in lane.items if all_filled or item.end is not None}
    handles: list[Any] = []
    for kind in (kind for kind in STYLES if kind in kinds):
        style = STYLES[kind]
        if kind in filled:
            handles.append(patches.Patch(facecolor=COLOURS[style.colour], edgecolor=INK, linewidth=0.5,
                                         hatch=style.hatch or None, label=style.label))  # fmt: skip
        else:
            face = "none" if style.hollow else COLOURS[style.colour]
            handles.append(lines.Line2D([], [], linestyle="none", marker=style.marker, markerfacecolor=face,
                                        markeredgecolor=INK, markersize=6, label=style.label))  # fmt: skip
    handles += mark_legend(marks)
    if handles:
        figure.legend(handles=handles, loc="outside lower left", ncols=4, fontsize=8, frameon=False)
