"""Streams for the tests of frames and plots: plain records, and lines of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hypothesis import strategies as st

from sessionrecord import Session, ijson

HEADER: dict[str, Any] = {
    "type": "session", "seq": 1, "id": "r1", "agent": "a", "sessionId": "s", "producer": {"method": "native"},
}  # fmt: skip


def session_of(records: Iterable[dict[str, Any]]) -> Session:
    """The session of plain records."""
    return Session.read(b"".join(ijson.dumps(r) + b"\n" for r in records))


def numbered(*records: dict[str, Any]) -> list[dict[str, Any]]:
    """A header and records, with `seq` and `id`."""
    return [HEADER, *({"seq": n, "id": f"r{n}", **r} for n, r in enumerate(records, 2))]


def calls(count: int, *, timed: bool = True, error_every: int = 7, open_every: int = 0) -> list[dict[str, Any]]:
    """A session of that many tool calls of one tool."""
    made: list[dict[str, Any]] = []
    for n in range(count):
        at = {"timestamp": f"2026-01-01T{n // 3600 % 24:02}:{n // 60 % 60:02}:{n % 60:02}Z"} if timed else {}
        made.append({"type": "tool_call", "callId": f"c{n}", "name": "Run", "turnId": f"t{n // 10}", **at})
        if not (open_every and n % open_every == 0):
            outcome = "error" if n % error_every == 3 else "success"
            made.append({"type": "tool_result", "callId": f"c{n}", "outcome": outcome, "turnId": f"t{n // 10}", **at})
    return numbered(*made)


_COUNTS = st.one_of(st.none(), st.integers(0, 50))


@st.composite
def usages(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Streams of usage records and model calls: levels, counters, models, currencies and revisions mixed."""
    made: list[dict[str, Any]] = []
    for _ in range(draw(st.integers(0, 14))):
        record: dict[str, Any] = {"type": draw(st.sampled_from(["usage"] * 4 + ["model_call"]))}
        record["modelCallId"] = draw(st.sampled_from(["k1", "k2", "k3"]))
        record["model"] = draw(st.sampled_from([None, "m1", "m2"]))
        if record["type"] == "usage":
            record["modelCallId"] = draw(st.sampled_from([None, record["modelCallId"]]))
            record["turnId"] = draw(st.sampled_from([None, "t1", "t2"]))
            record["scope"] = draw(st.sampled_from([None, "model_call", "turn", "session", "odd"]))
            record["counter"] = draw(st.sampled_from([None, "delta", "cumulative"]))
            for name in ("inputTokens", "outputTokens", "cacheReadTokens", "reasoningTokens"):
                record[name] = draw(_COUNTS)
            amount = draw(st.one_of(st.none(), st.sampled_from([0.1, 0.2, 3, 1e-7, 0.30000000000000004])))
            if amount is not None:
                record["cost"] = {"amount": amount, "currency": draw(st.sampled_from(["USD", "EUR", "input_tokens"]))}
        made.append({name: value for name, value in record.items() if value is not None})
    return numbered(*made)
