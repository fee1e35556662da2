"""The frame of usage: one row a usage record, and one a model call of which none tells. The columns add up to the totals."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Final

from sessionrecord.display.frames.columns import (
    FLAG,
    INTEGER,
    NUMBER,
    STRING,
    Column,
    Frame,
    Rows,
    amount_column,
    moment_column,
    number,
)
from sessionrecord.records import ModelCall, Usage
from sessionrecord.session.core import Core
from sessionrecord.session.usage import TOKEN_MEMBERS, fold, level_of

__all__ = ["USAGE", "usage_rows"]

_TOKENS: Final = {
    "input_tokens": "input tokens, without cached ones",
    "output_tokens": "output tokens, reasoning included",
    "cache_read_tokens": "input tokens read from a cache",
    "cache_write_tokens": "input tokens written to a cache",
    "reasoning_tokens": "output tokens spent on reasoning, part of `output_tokens`",
    "total_tokens": "all tokens, as the source counts them",
}

USAGE: Final = Frame(
    "usage",
    "a usage record in its latest revision, or a model call of which no usage record tells",
    (
        Column("source", STRING, "the type of the record that the row is about: `usage`, or `model_call` where none tells what it used"),
        Column("line", INTEGER, "line of that record, from 1"),
        Column("seq", INTEGER, "the `seq` that it counts with"),
        Column("id", STRING, "its record ID"),
        Column("turn_id", STRING, "the turn it belongs to"),
        *moment_column("timestamp", "when it was recorded, as the source says"),
        Column("scope", STRING, "what is counted over: model_call, turn, session"),
        Column("counter", STRING, "delta, or cumulative: a count that includes the earlier ones"),
        Column("model", STRING, "the model: the record's, else that of its model call"),
        Column("model_call_id", STRING, "the model call"),
        Column("provider", STRING, "who ran the call, as its record says"),
        Column("status", STRING, "how far the call is, as its record says"),
        Column("stop_reason", STRING, "why the model stopped, as the call's record says"),
        Column("duration_ms", NUMBER, "how long the call took in milliseconds, as its record says"),
        Column("time_to_first_token_ms", NUMBER, "time to the first token in milliseconds, as its record says"),
        *(Column(name, INTEGER, f"{meaning}: what this row adds to the total") for name, meaning in _TOKENS.items()),
        *amount_column("cost", "what this row adds to the total cost in its currency"),
        Column("currency", STRING, "the currency of both costs"),
        *(Column(f"reported_{name}", INTEGER, f"`{name}` as the record says, whether or not it adds to the total") for name in _TOKENS),
        *amount_column("reported_cost", "the cost as the record says, whether or not it adds to the total"),
        Column("context_tokens", INTEGER, "tokens in context after the call"),
        Column("context_window", INTEGER, "tokens that fit in the model's context"),
        Column("includes_children", FLAG, "whether child sessions are counted in; null: not said, or not known"),
        Column("incomplete", FLAG, "whether a capture state says that a count is not complete"),
    ),
)  # fmt: skip


def usage_rows(core: Core, at: int | None) -> Rows:
    """The rows up to `at`, in the order of the records."""
    log = core.log
    folded = fold(core, at)
    calls = {call.model_call_id: call for _, call in folded.calls}
    currencies = {u.cost.currency for _, u in folded.records if u.cost is not None}
    counted = {name: {id(u) for u in folded.counted(name)} for name in {*TOKEN_MEMBERS, *currencies}}
    told = {u.model_call_id for _, u in folded.records if level_of(u) == "model_call"}
    found = [(i, _used(u, calls.get(u.model_call_id or ""), counted)) for i, u in folded.records]
    found += [(i, _called(call)) for i, call in folded.calls if call.model_call_id not in told]
    rows = USAGE.empty()
    for i, row in sorted(found, key=lambda pair: pair[0]):
        row |= {"line": log.line_number(i), "seq": log.seqs[i]}
        for name, values in rows.items():
            values.append(row.get(name))
    return rows


def _used(u: Usage, call: ModelCall | None, counted: dict[str, set[int]]) -> dict[str, Any]:
    reported = {name: getattr(u, name) for name in TOKEN_MEMBERS}
    row = {} if call is None else _called(call)
    row |= {
        "source": "usage",
        "id": u.id,
        "turn_id": u.turn_id,
        "timestamp": u.timestamp,
        "scope": level_of(u),
        "counter": u.counter or "delta",
        "model": u.model if u.model is not None or call is None else call.model,
        "model_call_id": u.model_call_id,
        **{name: value for name, value in reported.items() if id(u) in counted[name]},
        **{f"reported_{name}": value for name, value in reported.items()},
        "context_tokens": u.context_tokens,
        "context_window": u.context_window,
        "includes_children": u.includes_children,
        "incomplete": any(state.state != "complete" for state in (u.capture or {}).values()),
    }
    if u.cost is not None:
        amount: int | float | Decimal = u.cost.amount
        row |= {"reported_cost": amount, "currency": u.cost.currency}
        if id(u) in counted[u.cost.currency]:
            row["cost"] = amount
    return row


def _called(call: ModelCall) -> dict[str, Any]:
    return {
        "source": "model_call",
        "id": call.id,
        "turn_id": call.turn_id,
        "timestamp": call.timestamp,
        "scope": "model_call",
        "model": call.model,
        "model_call_id": call.model_call_id,
        "provider": call.provider,
        "status": call.status,
        "stop_reason": call.stop_reason,
        "duration_ms": number(call.duration_ms),
        "time_to_first_token_ms": number(call.time_to_first_token_ms),
    }
