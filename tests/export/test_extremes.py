"""Values at the edge of what records may hold: JSON numbers of any size, empty strings, escapes of unpaired surrogates.

Every line is JSON; a record in it is valid or becomes an `InvalidRecord`. An export fails for none of them, and a value that the
target cannot hold is left out and listed (docs/export.md).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import atif
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessionrecord import ijson
from sessionrecord.export import Exported, to_atif, to_html, to_markdown, to_otlp
from sessionrecord.records import InvalidRecord
from sessionrecord.session import Session
from tests.export.represented import spans
from tests.export.sessions import Wire, agent, call, kinds, result, session, session_lines, usage, user
from tests.export.test_accounting import found, lost_whole, with_content
from tests.export.test_otlp import parsed

EXPORTERS: list[Callable[..., Exported]] = [to_atif, to_otlp, with_content, to_markdown, to_html]
HUGE = 10**400
NUMBERS = [
    b"1" + b"0" * 400, b"1" + b"0" * 5000, b"9007199254740991", b"9007199254740992", b"18446744073709551616", b"1e15", b"1e300",
    b"1.7976931348623157e308", b"1e400", b"0e99999999999999999999", b"0e999999999", b"1e-400", b"1e-99999999999999999999",
    b"0." + b"1" * 400, b"-0", b"-1", b"0", b"4.5",
]  # fmt: skip
STRINGS = [b'""', b'"\\ud800"', b'"\\udc00x"', b'"\\u0000"', b'"a\\u0000b"']
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?')


@st.composite
def extreme_lines(draw: st.DrawFn) -> bytes:
    """The lines of a stream in which numbers and strings are replaced, `type`, `seq` and most `id`s aside."""
    numbers, strings = draw(st.integers(0, 3)), draw(st.integers(0, 3))
    choices = draw(st.randoms(use_true_random=False))

    def other(match: re.Match[bytes]) -> bytes:
        token, before = match.group(), match.string[: match.start()]
        if before.endswith((b'"type":', b'"seq":')) or match.string[match.end() : match.end() + 1] == b":":
            return token
        if not token.startswith(b'"'):
            return choices.choice(NUMBERS) if choices.random() * 3 < numbers else token
        rare = before.endswith(b'"id":')
        return choices.choice(STRINGS) if choices.random() * (60 if rare else 6) < strings else token

    return b"\n".join(_TOKEN.sub(other, line) for line in draw(session_lines()).split(b"\n"))


@pytest.mark.parametrize("export", EXPORTERS)
@given(extreme_lines())
def test_no_value_of_a_record_ends_an_export(export: Callable[..., Exported], lines: bytes) -> None:
    exported = export(Session.read(lines))
    assert exported.text.encode()
    report = exported.report
    assert ijson.loads(ijson.dumps(report.to_dict()))
    assert str(report)
    assert report._repr_html_()
    assert report.represented + report.folded + report.left_out == report.records


@given(extreme_lines())
def test_what_is_written_is_what_readers_of_the_targets_take(lines: bytes) -> None:
    """protobuf's reader of OTLP, and the public models of ATIF, to which a number is one of Python's where it can read it."""
    made = Session.read(lines)
    assert parsed(to_otlp(made))
    assert parsed(with_content(made))
    read = json.loads(to_atif(made).text, parse_int=lambda text: int(text) if len(text) < 4000 else HUGE)
    atif.Trajectory.model_validate(read)


@pytest.mark.parametrize("export", EXPORTERS[:-1])
@given(extreme_lines())
def test_each_record_is_still_in_the_export_or_listed(export: Callable[..., Exported], lines: bytes) -> None:
    made = Session.read(lines)
    valid = {r.seq: r for r in made.records if not isinstance(r, InvalidRecord)}
    if any(r.id != f"r{seq}" for seq, r in valid.items()):
        return
    exported = export(made)
    lost = {seq for seq in lost_whole(exported.report) if seq in valid}
    there = found(exported)
    assert there.isdisjoint(lost)
    assert there | lost == valid.keys()


def losses(exported: Exported, kind: str) -> list[tuple[str, int | None, str | None, bool]]:
    return [(x.what, x.seq, x.pointer, x.kept) for x in exported.report.losses if x.kind == kind]


def model_call(**members: Any) -> Wire:
    return {"type": "model_call", "modelCallId": "m", **members}


@pytest.mark.parametrize("milliseconds", [HUGE, Decimal("1" + "0" * 5000), 2**1024])
def test_a_time_beyond_a_double_is_left_out_and_listed(milliseconds: int | Decimal) -> None:
    """`gen_ai.response.time_to_first_chunk` is a double."""
    made = session(model_call(timeToFirstTokenMs=milliseconds))
    for content in (False, True):
        exported = to_otlp(made, content=content)
        (span,) = spans(exported.data)[1:]
        assert "gen_ai.response.time_to_first_chunk" not in span["attributes"]
        assert losses(exported, "out_of_range") == [("timeToFirstTokenMs", 2, "/timeToFirstTokenMs", content)]
        digits = ijson.dumps(milliseconds).decode()
        assert (f'"timeToFirstTokenMs":{digits}' in str(span["attributes"].get("sessionrecord.records"))) is content
    largest = to_otlp(session(model_call(timeToFirstTokenMs=1.7976931348623157e308)))
    assert spans(largest.data)[1]["attributes"]["gen_ai.response.time_to_first_chunk"] == 1.7976931348623157e305
    assert losses(largest, "out_of_range") == []


LATEST_MS = 18_446_744_073_709  # the last whole millisecond of an unsigned 64-bit count of nanoseconds
AT = "2026-01-01T00:00:00Z"
AT_MS = 1_767_225_600_000


@pytest.mark.parametrize(
    ("took", "start", "end", "reported"),
    [
        (LATEST_MS - AT_MS, AT, None, False),
        (LATEST_MS - AT_MS + 1, AT, None, True),
        (AT_MS, None, AT, False),
        (AT_MS + 1, None, AT, True),
        (HUGE, AT, None, True),
        (HUGE, None, AT, True),
        (HUGE, None, None, True),
        (1e300, None, None, True),
        (LATEST_MS, None, None, False),
    ],
)
def test_a_duration_that_leads_beyond_what_otlp_holds_is_no_time_of_a_span(
    took: float, start: str | None, end: str | None, reported: bool
) -> None:
    """Moments of OTLP are nanoseconds since 1970 in 64 bits; the duration itself stands there as text all the same."""

    def timed(record: Wire, timestamp: str | None) -> Wire:
        return record if timestamp is None else {**record, "timestamp": timestamp}

    tool = to_otlp(session(timed(call("c"), start), timed(result("c", durationMs=took), end)))
    assert parsed(tool)
    (span,) = spans(tool.data)[1:]
    assert (int(span["endTimeUnixNano"]) == int(span["startTimeUnixNano"])) is reported
    assert losses(tool, "out_of_range") == [("durationMs", 3, "/durationMs", True)] * reported
    assert span["attributes"]["sessionrecord.duration_ms"] == ijson.dumps(took).decode()
    if start is None:
        chat = to_otlp(session(timed(model_call(durationMs=took), end)))
        (span,) = spans(chat.data)[1:]
        assert (int(span["endTimeUnixNano"]) == int(span["startTimeUnixNano"])) is reported
        assert losses(chat, "out_of_range") == [("durationMs", 2, "/durationMs", True)] * reported


def test_a_zero_with_any_exponent_is_zero() -> None:
    """The exponent of JSON has no limit, that of Python's `Decimal` does."""
    header = session().records[0].to_line()
    line = b'{"type":"model_call","seq":2,"id":"r2","modelCallId":"c","durationMs":0e99999999999999999999}'
    exported = to_otlp(Session.read(header + b"\n" + line + b"\n"))
    assert losses(exported, "out_of_range") == []
    assert spans(exported.data)[1]["attributes"]["sessionrecord.duration_ms"] == "0e99999999999999999999"


def test_a_total_beyond_64_bits_is_no_attribute() -> None:
    """1,025 counts of 2^53-1 are more than 2^63-1, the largest `intValue`."""
    count = 2**53 - 1
    fits = to_otlp(session(*(usage(inputTokens=count, outputTokens=1) for _ in range(1024))))
    assert spans(fits.data)[0]["attributes"]["gen_ai.usage.input_tokens"] == 1024 * count
    exported = to_otlp(session(*(usage(inputTokens=count, outputTokens=1) for _ in range(1025))))
    assert parsed(exported)
    root = spans(exported.data)[0]["attributes"]
    assert "gen_ai.usage.input_tokens" not in root
    assert root["gen_ai.usage.output_tokens"] == 1025
    assert losses(exported, "out_of_range") == [("gen_ai.usage.input_tokens", None, None, False)]


def test_a_cost_beyond_a_double_stands_in_extra() -> None:
    """`cost_usd` is a double to readers of ATIF."""
    dear = usage(modelCallId="m", inputTokens=1, cost={"amount": HUGE, "currency": "USD"})
    exported = to_atif(session(agent("a", modelCallId="m"), dear, agentVersion="1"))
    (step,) = exported.data["steps"]
    assert "cost_usd" not in step["metrics"]
    assert step["metrics"]["extra"]["asr"]["cost"] == {"amount": HUGE, "currency": "USD"}
    assert "total_cost_usd" not in exported.data["final_metrics"]
    assert exported.data["final_metrics"]["extra"]["costs"] == {"USD": HUGE}
    assert losses(exported, "out_of_range") == [
        ("cost", 3, "/cost/amount", True),
        ("total_cost_usd", None, None, True),
    ]
    atif.Trajectory.model_validate(json.loads(exported.text))


def test_an_empty_id_is_an_id_and_an_absent_one_names_nothing() -> None:
    """A record that names no model call or parent is of none, though one of them has the empty string for its ID."""
    counted = session(agent("a", modelCallId="", model="EMPTY"), usage(inputTokens=7), agentVersion="1")
    (step,) = to_atif(counted).data["steps"]
    assert "metrics" not in step
    assert "no_step" not in kinds(to_atif(counted))
    assert to_atif(counted).data["notes"]
    named = session(agent("a", modelCallId="", model="EMPTY"), usage(modelCallId="", inputTokens=7), agentVersion="1")
    assert to_atif(named).data["steps"][0]["metrics"]["prompt_tokens"] == 7
    assert "notes" not in to_atif(named).data
    elsewhere = session(user("a"), usage(modelCallId="", inputTokens=7), agentVersion="1")
    assert kinds(to_atif(elsewhere))["no_step"] == 1
    root, one, two, three = spans(to_otlp(session(call(""), call("c"), call("d", parentCallId=""))).data)
    assert [s["parentSpanId"] for s in (one, two, three)] == [root["spanId"], root["spanId"], one["spanId"]]
    chats = spans(to_otlp(session(agent("a", modelCallId=""), agent("b"), usage(inputTokens=7))).data)[1:3]
    assert [s["attributes"].get("sessionrecord.model_call.id") for s in chats] == ["", None]
    assert all("gen_ai.usage.input_tokens" not in s["attributes"] for s in chats)


def test_an_empty_text_is_written_where_an_absent_one_is_not() -> None:
    """A stop reason and a name that are empty were recorded; those that are absent were not."""
    reasons = [
        spans(to_otlp(session(model_call(**members))).data)[1]["attributes"].get("gen_ai.response.finish_reasons")
        for members in ({"stopReason": ""}, {})
    ]
    assert reasons == [[""], None]
    page = to_markdown(session(call("c", name=""), {"type": "tool_call", "callId": "d"})).text
    assert '### 1. Tool call `""`\n' in page
    assert "### 2. Tool call without a name\n" in page


def test_the_id_of_a_broken_line_is_told_as_a_report_can_hold_it() -> None:
    lines = session().records[0].to_line() + b'\n{"type":"message","seq":2,"id":"r\\ud800\\u00e9","messageId":"m"}\n'
    for export in EXPORTERS[:-1]:
        (loss,) = [x for x in export(Session.read(lines)).report.losses if x.kind == "invalid_line"]
        assert loss.record_id == "r\\ud800\u00e9"


def test_where_some_calls_have_no_cost_each_export_says_so() -> None:
    """A sum over some of the calls must not look like what the session cost."""
    costs = [{"cost": {"amount": 1, "currency": "USD"}}, {}, {}]
    tokens = dict.fromkeys(
        ("inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens", "reasoningTokens", "totalTokens"), 1
    )
    parts = [usage(modelCallId=f"m{n}", **tokens, **cost) for n, cost in enumerate(costs)]
    partly, wholly = session(*parts), session(parts[0])
    atif, otlp, markdown = to_atif(partly), to_otlp(partly), to_markdown(partly)
    assert atif.data["final_metrics"]["extra"]["costs_missing"] == 2
    assert '"sessionrecord.costs_missing"' in otlp.text
    assert "- without a cost, so it was at least that much: 2" in markdown.text
    assert all(exported.report.counts["totals_incomplete"] == 1 for exported in (atif, otlp))
    for exported in (to_atif(wholly), to_otlp(wholly), to_markdown(wholly)):
        assert "costs_missing" not in exported.text
        assert "without a cost" not in exported.text
        assert "totals_incomplete" not in exported.report.counts
