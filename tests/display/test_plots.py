"""Pictures of a session: every call is in them, in shapes as well as colours, and what is not known is not drawn as known."""

from __future__ import annotations

import io
import subprocess
import sys
from collections import Counter, defaultdict
from itertools import pairwise
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib import colors
from matplotlib.collections import LineCollection, PathCollection, PolyCollection
from matplotlib.figure import Figure
from matplotlib.text import Text

from sessionrecord import Session, ijson
from sessionrecord.display.plots.canvas import COLOURS, label, short
from sessionrecord.display.plots.clock import Clock, Moment, moment
from sessionrecord.display.plots.lanes import STYLES, Item, Lane
from sessionrecord.display.plots.marks import _STYLES as MARKS
from tests.display.streams import HEADER, calls, numbered, session_of, usages
from tests.session.streams import streams

MONDAY = "examples/data/sessions/monday.asr.jsonl"


def drawn(figure: Any) -> list[str]:
    """Draw it, warnings being errors, and give its texts."""
    figure.savefig(io.BytesIO(), format="png", dpi=40)
    return [t.get_text() for t in figure.findobj(Text) if t.get_text() and t.get_visible()]


def pictures(session: Session) -> list[Any]:
    return [session.plot_timeline(), session.plot_context(), session.plot_usage()]


def bars(figure: Any) -> Counter[str]:
    """Bars by the name of their colour, in all lanes."""
    names = {tuple(round(c, 3) for c in colors.to_rgba(colour)): name for name, colour in COLOURS.items()}
    found: Counter[str] = Counter()
    for collection in figure.axes[0].collections:
        if isinstance(collection, PolyCollection):
            face: Any = collection.get_facecolor()
            found[names[tuple(round(float(c), 3) for c in face[0])]] += len(collection.get_paths())
    return found


@pytest.mark.parametrize("count", [10, 10_000])
def test_a_timeline_shows_every_call_and_stays_small(count: int) -> None:
    figure: Any = session_of(calls(count, open_every=5)).plot_timeline()
    texts = drawn(figure)
    assert f"Run ({count:,})" in texts
    assert any(t.startswith(f"a a: {count:,} tool calls") or f": {count:,} tool calls" in t for t in texts)
    assert f"turns ({count // 10:,})" in texts
    assert len(figure.axes[0].collections) + len(figure.axes[0].lines) + len(figure.axes[0].patches) < 40
    assert {"success", "error", "no result recorded: its end is not known"} <= set(texts)
    assert "time (UTC)" in texts


def test_many_calls_are_counted_exactly_by_stretch_and_outcome() -> None:
    """The heights of the columns are in proportion to the counts, so errors keep their share of the area."""
    records = calls(10_000, error_every=7, open_every=0)
    errors = sum(r.get("outcome") == "error" for r in records)
    figure: Any = session_of(records).plot_timeline()
    area: defaultdict[str, float] = defaultdict(float)
    for collection in figure.axes[0].collections:
        if isinstance(collection, PolyCollection) and len(collection.get_paths()) > 50:
            for path in collection.get_paths():
                box = path.get_extents()
                area[str(collection.get_hatch())] += box.height
    assert area["////"] / (area["////"] + area["None"] - _turn_area(figure)) == pytest.approx(errors / 10_000, rel=1e-6)


def _turn_area(figure: Any) -> float:
    """The area of the lane of turns, the uppermost."""
    lanes = [c for c in figure.axes[0].collections if isinstance(c, PolyCollection)]
    return float(sum(p.get_extents().height for p in lanes[0].get_paths()))


def test_a_call_without_a_result_is_an_open_mark_and_never_a_bar() -> None:
    figure: Any = session_of(calls(10, open_every=2)).plot_timeline()
    drawn(figure)
    marks = [c for c in figure.axes[0].collections if isinstance(c, PathCollection)]
    hollow: list[Any] = [c for c in marks if not np.size(c.get_facecolor())]
    assert [len(c.get_offsets()) for c in hollow] == [5]
    assert bars(figure)["green"] + bars(figure)["vermilion"] == 5


def test_outcomes_and_marks_are_told_by_shape_as_well_as_by_colour() -> None:
    """For people who do not tell colours apart: no two kinds of one lane share a shape and a hatch; colours are of one palette."""
    for kinds in (
        ("success", "error", "cancelled", "unknown", "open"),
        ("user", "assistant", "role"),
        ("call", "call-failed"),
    ):
        assert len({STYLES[k].marker for k in kinds}) == len(kinds)
        assert len({(STYLES[k].hatch, STYLES[k].hollow) for k in kinds}) == len(kinds) or kinds[0] == "user"
    assert (
        len({marker for _, _, marker, _ in MARKS.values()}) == len({line for *_, line in MARKS.values()}) == len(MARKS)
    )


def luminance(colour: str) -> float:
    red, green, blue = colors.to_rgb(colour)
    return float(0.2126 * red**2.2 + 0.7152 * green**2.2 + 0.0722 * blue**2.2)


def test_success_and_error_differ_also_without_any_colour() -> None:
    assert STYLES["success"].hatch == ""
    assert STYLES["error"].hatch != ""
    assert abs(luminance(COLOURS[STYLES["success"].colour]) - luminance(COLOURS[STYLES["cancelled"].colour])) > 0.3


def test_without_timestamps_the_axis_is_the_place_in_the_stream_and_says_so() -> None:
    for figure in pictures(session_of(calls(10, timed=False)))[:2]:
        assert "position in the stream (seq): the records have no timestamps to place them by" in drawn(figure)


def test_things_without_a_timestamp_are_counted_where_others_have_one() -> None:
    records = calls(10)
    for record in records[3:7]:
        record.pop("timestamp")
    texts = drawn(session_of(records).plot_timeline())
    assert "2 without a timestamp are not shown" in texts


def test_idle_stretches_are_cut_and_marked() -> None:
    """A night between two turns must not squash both of them."""
    day = [
        {"type": "message", "messageId": f"m{n}", "role": "user", "timestamp": f"2026-01-0{1 + n // 5}T09:00:0{n}Z"}
        for n in range(10)
    ]
    texts = drawn(session_of(numbered(*day)).plot_timeline())
    assert "time (UTC); grey bands stand for idle stretches, which are cut short" in texts
    dates = [t for t in texts if "2026-01-01" in t or "2026-01-02" in t]
    assert len(dates) == 2


def test_compactions_and_rewinds_are_marked_and_one_not_completed_is_another_mark() -> None:
    records = numbered(
        {"type": "message", "messageId": "m", "role": "user"},
        {"type": "compaction", "compactionId": "k", "tokensBefore": 900, "tokensAfter": 90},
        {"type": "compaction", "compactionId": "l", "status": "failed"},
        {"type": "rewind", "to": "messageId=m"},
    )
    for figure in pictures(session_of(records))[:2]:
        assert {"compaction", "compaction that is not completed", "rewind"} <= set(drawn(figure))
        lines = [c for c in figure.axes[0].collections if isinstance(c, LineCollection)]
        assert len(lines) >= 3


def test_a_compaction_is_drawn_as_the_drop_that_it_says() -> None:
    records = numbered(
        {"type": "usage", "modelCallId": "k", "contextTokens": 1000, "contextWindow": 2000},
        {"type": "compaction", "compactionId": "k", "tokensBefore": 1000, "tokensAfter": 90},
        {"type": "usage", "modelCallId": "l", "contextTokens": 190},
    )
    figure: Any = session_of(records).plot_context()
    texts = drawn(figure)
    assert {"tokens before and after a compaction, as it says", "the model's context window: 2k"} <= set(texts)
    (drop,) = [c for c in figure.axes[0].collections if isinstance(c, LineCollection) and c.get_label() in texts]
    assert [p[1] for p in drop.get_segments()[0]] == [90, 1000]
    line = figure.axes[0].lines[0]
    assert [y for y in line.get_ydata() if y == y] == [1000, 190]
    assert any(y != y for y in line.get_ydata()), "no slope is drawn through a compaction"


def test_the_size_in_entities_is_that_of_the_context_view() -> None:
    session = Session.read(MONDAY)
    figure: Any = session.plot_context()
    line = figure.axes[1].lines[0]
    joined = [r.seq or 0 for r in session.records if r.type in ("message", "tool_call", "tool_result", "compaction")]
    smaller = [r.seq or 0 for r in session.records if r.type in ("compaction", "rewind")]
    seqs = sorted({*joined, *smaller, *(s - 1 for s in smaller)})
    assert list(line.get_ydata()) == [len(session.context_view(at=s)) for s in seqs]


def test_a_number_that_is_not_known_is_said_and_not_drawn() -> None:
    records = numbered(
        {
            "type": "usage",
            "modelCallId": "k",
            "model": "a",
            "inputTokens": 5,
            "cost": {"amount": 0.25, "currency": "USD"},
        },
        {"type": "usage", "modelCallId": "l", "model": "b", "outputTokens": 7, "reasoningTokens": 3},
        {"type": "usage", "modelCallId": "m", "model": "b"},
    )
    figure: Any = session_of(records).plot_usage()
    texts = drawn(figure)
    assert [axes.get_title() for axes in figure.axes] == ["input tokens", "output tokens", "cost in USD"]
    assert texts.count("not known") == 3
    assert {"0.25", "5", "7 + ?"} <= set(texts)
    assert any("+ ?: some calls do not tell" in t and "hatched: spent on reasoning" in t for t in texts)
    widths = [sorted(p.get_width() for p in axes.patches) for axes in figure.axes]
    assert widths == [[5], [3, 7], [0.25]]


@settings(max_examples=12)
@given(usages())
def test_the_bars_of_usage_are_the_totals(records: list[dict[str, Any]]) -> None:
    session = session_of(records)
    figure: Any = session.plot_usage()
    used = session.usage()
    shown = {
        axes.get_title(): sum(p.get_width() for p in axes.patches if p.get_hatch() is None) for axes in figure.axes
    }
    for member, title in (("input_tokens", "input tokens"), ("output_tokens", "output tokens")):
        assert shown.get(title) == getattr(used.total, member)
    for currency, cost in used.costs.items():
        assert shown[f"cost in {currency}"] == pytest.approx(float(cost))


@pytest.mark.parametrize(
    ("incomplete", "said"), [(0, None), (1, "1 record has incomplete counts"), (2, "2 records have incomplete counts")]
)
def test_incomplete_counts_are_noted(incomplete: int, said: str | None) -> None:
    """What is not known is said: a capture state other than complete means that the number is not all."""
    state = {"capture": {"outputTokens": {"state": "partial"}}}
    records = [{"type": "usage", "outputTokens": 5, **(state if n < incomplete else {})} for n in range(3)]
    texts = " ".join(drawn(session_of(numbered(*records)).plot_usage()))
    assert said in texts if said else "incomplete" not in texts


def test_many_models_and_currencies_are_put_together_and_counted() -> None:
    records = [
        {
            "type": "usage",
            "modelCallId": f"k{n}",
            "model": f"m{n}",
            "inputTokens": n + 1,
            "cost": {"amount": n, "currency": f"C{n % 5}"},
        }
        for n in range(30)
    ]
    texts = drawn(session_of(numbered(*records)).plot_usage())
    assert "18 other models" in texts
    assert any("2 more currencies are not shown" in t for t in texts)


HOSTILE = [
    "$x_{1}$",
    "\\$",
    "$",
    "a$b",
    "検索",
    "🙂",
    "\u202eevil",
    "\x1b[31m",
    "line\nbreak",
    "x" * 500,
    "",
    "\ud7ff",
    "\\frac{1}{2}",
    "%",
    "é",
]


def test_text_of_a_session_is_shown_and_never_interpreted() -> None:
    """No mathematics, no control, no warning of a glyph that no font has, no label without end."""
    records: list[dict[str, Any]] = []
    for n, text in enumerate(HOSTILE):
        records.append({"type": "tool_call", "callId": f"c{n}", "name": text})
        records.append(
            {
                "type": "usage",
                "modelCallId": f"k{n}",
                "model": text,
                "inputTokens": 1,
                "cost": {"amount": 1, "currency": text or "$$"},
            }
        )
    made = numbered(*records)
    made[0] = {**made[0], "agent": "$\\bad{$ 検", "sessionId": "s" * 1000}
    for figure in pictures(session_of(made)):
        for text in drawn(figure):
            assert len(text) < 160
            assert not any(c in text for c in "\x1b\u202e")


def test_a_label_is_what_the_text_says_without_mathematics() -> None:
    figure = Figure()
    shown: Any = figure.text(0, 0, label("a $b$ \\$c"))
    figure.canvas.draw_idle()
    assert shown._preprocess_math(shown.get_text()) == ("a $b$ \\$c", False)


@given(st.text(max_size=60), st.integers(2, 40))
def test_a_label_has_a_bounded_length(text: str, length: int) -> None:
    assert len(label(text, length).replace("\\$", "$")) <= 2 * length


def test_nothing_global_is_touched() -> None:
    before = dict(mpl.rcParams)
    for figure in pictures(Session.read(MONDAY)):
        drawn(figure)
    assert dict(mpl.rcParams) == before
    code = (
        "import sys; from sessionrecord import Session\n"
        f"s = Session.read({MONDAY!r}); [f.savefig('/dev/null', format='svg') for f in (s.plot_timeline(), s.plot_context(), s.plot_usage())]\n"
        "print('matplotlib.pyplot' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("False\n", "")


def test_a_style_that_hands_all_text_to_tex_does_not_break_the_pictures() -> None:
    with mpl.rc_context({"text.usetex": True}):
        figures = pictures(Session.read(MONDAY))
    for figure in figures:
        assert not any(t.get_usetex() for t in figure.findobj(Text))


def test_sizes_that_no_record_tells_have_no_scale() -> None:
    figure: Any = session_of(numbered({"type": "message", "messageId": "m", "role": "user"})).plot_context()
    assert "no record tells the size in tokens" in drawn(figure)
    assert list(figure.axes[0].get_yticks()) == []


@pytest.mark.parametrize(
    "source",
    [b"", b"{", b'{"type":"session","seq":1,"id":"a","agent":"a","sessionId":"s","producer":{"method":"x"}}\n'],
)
def test_a_session_of_nothing_makes_pictures_that_say_so(source: bytes) -> None:
    said = [drawn(figure) for figure in pictures(Session.read(source))]
    assert any(t.startswith("nothing to show") for t in said[0])
    assert "nothing takes part in the context" in said[1]
    assert "no record tells what a model used" in said[2]


@pytest.mark.parametrize(
    "line",
    [
        b'{"type":"message","seq":"x","id":"a","messageId":"m","role":"user"}', b'{"type":"tool_call","id":"a","callId":"c"}',
        b'{"type":"usage","seq":null,"id":"a","contextTokens":5}', b'{"type":"compaction","id":"a","tokensBefore":"x","tokensAfter":-1}',
        b'{"type":"rewind","to":7,"timestamp":9}', b'{"type":"session","agent":5,"sessionId":[]}', b"\x00",
    ],
)  # fmt: skip
def test_broken_records_make_pictures(line: bytes) -> None:
    whole = b'{"type":"tool_call","seq":5,"id":"b","callId":"d"}\n'
    for source in (line, line + b"\n" + whole, whole + line):
        for figure in pictures(Session.read(source)):
            figure.draw_without_rendering()


EDGES = [
    "0001-01-01T00:00:00Z",
    "1969-12-31T23:59:59.999999999Z",
    "9999-12-31T23:59:60Z",
    "9999-12-31T23:59:59.999999999Z",
    None,
]
SIZES = [b"0", b"1e15", b"1e300", b"1e-300", b"1" + b"0" * 400, b"9007199254740991", b"-1e300"]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(EDGES), st.sampled_from(SIZES)), min_size=1, max_size=4))
def test_times_durations_and_amounts_at_the_ends_of_what_a_record_can_hold_make_pictures(
    parts: list[tuple[str | None, bytes]],
) -> None:
    lines = [ijson.dumps(HEADER)]
    for n, (time, size) in enumerate(parts):
        at = b"" if time is None else b',"timestamp":"%s"' % time.encode()
        call = b'"callId":"c%d"' % n
        lines += [
            b'{"type":"tool_call","seq":%d,"id":"a%d",%s,"name":"Run"%s}' % (4 * n + 2, n, call, at),
            b'{"type":"tool_result","seq":%d,"id":"b%d",%s,"durationMs":%s}' % (4 * n + 3, n, call, size),
            b'{"type":"usage","seq":%d,"id":"d%d","inputTokens":9007199254740991,"cost":{"amount":%s,"currency":"USD"}%s}'
            % (4 * n + 4, n, size, at),
            b'{"type":"message","seq":%d,"id":"e%d","messageId":"m%d","role":"user"%s}' % (4 * n + 5, n, n, at),
        ]
    for figure in pictures(Session.read(b"\n".join(lines))):
        figure.draw_without_rendering()


def test_more_tokens_than_an_integer_of_64_bits_holds_make_a_bar() -> None:
    records = numbered(*({"type": "usage", "inputTokens": 2**53 - 1} for _ in range(1100)))
    figure: Any = session_of(records).plot_usage()
    figure.draw_without_rendering()
    assert any(p.get_width() == float(1100 * (2**53 - 1)) for p in figure.axes[0].patches)


@settings(max_examples=8)
@given(streams())
def test_any_session_makes_pictures(records: list[dict[str, Any]]) -> None:
    session = session_of(records)
    for figure in (session.plot_timeline(), session.plot_context(at=7), session.at(9).plot_timeline()):
        figure.draw_without_rendering()


def test_pictures_are_of_the_session_at_a_seq() -> None:
    session = Session.read(MONDAY)
    assert any(": 3 tool calls" in t for t in drawn(session.plot_timeline(at=14)))
    assert any(": 3 tool calls" in t for t in drawn(session.at(14).plot_timeline()))


def test_a_model_call_with_a_record_for_its_end_is_a_bar_and_one_that_failed_another() -> None:
    records = numbered(
        {"type": "model_call", "modelCallId": "k", "status": "pending", "timestamp": "2026-01-01T00:00:00Z"},
        {"type": "model_call", "modelCallId": "k", "status": "completed", "timestamp": "2026-01-01T00:00:04Z"},
        {"type": "model_call", "modelCallId": "l", "status": "pending", "timestamp": "2026-01-01T00:00:05Z"},
        {"type": "model_call", "modelCallId": "l", "status": "failed", "timestamp": "2026-01-01T00:00:09Z"},
        {"type": "usage", "scope": "session", "inputTokens": 1, "timestamp": "2026-01-01T00:00:09Z"},
    )
    figure: Any = session_of(records).plot_timeline()
    assert {"model calls (2)", "model call", "model call that failed or was cancelled"} <= set(drawn(figure))
    assert bars(figure) == Counter(purple=1, vermilion=1)


def test_a_result_without_a_timestamp_ends_where_its_duration_says() -> None:
    records = numbered(
        {"type": "message", "messageId": "m", "role": "developer", "timestamp": "2026-01-01T00:00:00Z"},
        {"type": "tool_call", "callId": "c", "name": "Run", "timestamp": "2026-01-01T00:00:01Z"},
        {"type": "tool_result", "callId": "c", "outcome": "success", "durationMs": 3000},
    )
    (lane,) = [c for c in session_of(records).plot_timeline().axes[0].collections if isinstance(c, PolyCollection)]
    box = lane.get_paths()[0].get_extents()
    assert (box.x0, box.x1) == (1.0, 4.0)


def test_of_a_long_session_the_context_is_told_for_a_sample_with_both_sides_of_each_drop() -> None:
    """Between samples nothing is known: the line goes straight, where the line of all moments has steps."""
    said = [{"type": "message", "messageId": f"m{n}", "role": "user"} for n in range(1400)]
    said.insert(1000, {"type": "compaction", "compactionId": "k"})
    session = session_of(numbered(*said))
    figure: Any = session.plot_context()
    line = figure.axes[1].lines[0]
    assert line.get_drawstyle() == "default"
    assert len(line.get_xdata()) < 800
    sizes = dict(zip(line.get_xdata(), line.get_ydata(), strict=True))
    assert (sizes[1001], sizes[1002]) == (1000, 1)
    assert all(len(session.context_view(at=int(seq))) == size for seq, size in list(sizes.items())[::50])


def test_what_of_the_context_has_no_timestamp_is_counted() -> None:
    records = calls(4)
    records[2].pop("timestamp")
    assert "1 without a timestamp are not shown" in drawn(session_of(records).plot_context())


def test_a_notebook_shows_the_figure_by_itself() -> None:
    """IPython asks an object for `_repr_png_`; no magic command and no `pyplot` is needed."""
    for figure in pictures(Session.read(MONDAY)):
        assert figure._repr_png_().startswith(b"\x89PNG")


# The axis


@given(st.lists(st.tuples(st.integers(0, 10**7), st.integers(0, 10**5)), min_size=1, max_size=30))
def test_the_axis_keeps_the_order_of_moments(spans: list[tuple[int, int]]) -> None:
    clock = Clock((Moment(0, float(a)), Moment(0, float(a + b))) for a, b in spans)
    moments = sorted({s for a, b in spans for s in (a, a + b)})
    if len(moments) == 1:
        assert not clock.by_time
        return
    places = [clock(Moment(0, float(s))) for s in moments]
    assert all(x is not None and y is not None and x < y for x, y in pairwise(places))
    ticks = clock._ticks()
    assert 1 <= len(ticks) <= 16
    assert all(clock(Moment(0, s)) is not None for s, _ in ticks)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1970-01-01T00:00:00Z", 0.0), ("1970-01-01T00:01:00.5Z", 60.5), ("1972-06-30T23:59:60Z", 78796800.0), ("0000-01-01T00:00:00Z", None),
        ("0001-01-01T00:00:00Z", -62135596800.0), ("9999-12-31T23:59:59.999999999Z", 253402300800.0), ("now", None), ("2026-01-01T00:00:00Z\n", None),
    ],
)  # fmt: skip
def test_a_moment_is_in_seconds_or_has_no_place(text: str, seconds: float | None) -> None:
    assert moment(3, text) == Moment(3, seconds)


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (950, "950"), (12_000, "12k"), (999_999, "1000k"), (3_400_000, "3.4M"), (2e9, "2G"), (5e13, "50T")],
)
def test_a_count_is_short(value: float, text: str) -> None:
    assert short(value) == text


def test_an_item_that_ends_before_it_begins_is_a_mark() -> None:
    """Clocks of two machines: the result's timestamp is before the call's. No bar has a negative width."""
    records = numbered(
        {"type": "tool_call", "callId": "c", "name": "Run", "timestamp": "2026-01-01T00:00:05Z"},
        {"type": "tool_result", "callId": "c", "outcome": "success", "timestamp": "2026-01-01T00:00:01Z"},
    )
    assert bars(session_of(records).plot_timeline()) == Counter()
    assert Lane("x", [Item(1.0, None, "success")]).items[0].end is None
