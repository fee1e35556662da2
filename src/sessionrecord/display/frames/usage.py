"""The frame of usage: one row a usage record, and one a model call of which none tells. The columns add up to the totals."""

from __future__ import annotations

from operator import itemgetter
from typing import Final

from sessionrecord.display.frames.columns import (
    FLAG,
    INTEGER,
    NUMBER,
    STRING,
    Column,
    Frame,
    Rows,
    amount_column,
    incomplete,
    members,
    moment_column,
    number,
)
from sessionrecord.display.frames.place import seq_of
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

_OF_CALL: Final = ("provider", "status", "stop_reason")
_TIMES_OF_CALL: Final = ("duration_ms", "time_to_first_token_ms")
_OF_USAGE: Final = ("context_tokens", "context_window", "includes_children")


def usage_rows(core: Core, at: int | None) -> Rows:
    """The rows up to `at`, in the order of the records."""
    log = core.log
    folded = fold(core, at)
    calls = {call.model_call_id: call for _, call in folded.calls}
    counted = {name: {id(u) for u in folded.counted(name)} for name in (*TOKEN_MEMBERS, "cost")}
    told = {u.model_call_id for _, u in folded.records if level_of(u) == "model_call"}
    # each row: index, usage record, model call; one of the latter two may be None
    rows: list[tuple[int, Usage | None, ModelCall | None]] = [
        *((i, u, None if u.model_call_id is None else calls.get(u.model_call_id)) for i, u in folded.records),
        *((i, None, call) for i, call in folded.calls if call.model_call_id not in told),
    ]
    rows.sort(key=itemgetter(0))
    used = [u for _, u, _ in rows]
    called = [call for _, _, call in rows]
    about = [u if u is not None else call for _, u, call in rows]
    reported = {name: members(used, name) for name in TOKEN_MEMBERS}
    costs = [u.cost if u is not None else None for u in used]
    return {
        "source": ["model_call" if u is None else "usage" for u in used],
        "line": [log.line_number(i) for i, _, _ in rows],
        "seq": [seq_of(core, i) for i, _, _ in rows],
        **{name: members(about, name) for name in ("id", "turn_id", "timestamp", "model_call_id")},
        "scope": ["model_call" if u is None else level_of(u) for u in used],
        "counter": [None if u is None else u.counter or "delta" for u in used],
        "model": [
            u.model if u is not None and u.model is not None else None if call is None else call.model
            for u, call in zip(used, called, strict=True)
        ],
        **{name: members(called, name) for name in _OF_CALL},
        **{name: list(map(number, members(called, name))) for name in _TIMES_OF_CALL},
        **{
            name: [value if id(u) in counted[name] else None for u, value in zip(used, reported[name], strict=True)]
            for name in TOKEN_MEMBERS
        },
        "cost": [
            cost.amount if cost is not None and id(u) in counted["cost"] else None
            for u, cost in zip(used, costs, strict=True)
        ],
        "currency": [cost.currency if cost is not None else None for cost in costs],
        **{f"reported_{name}": values for name, values in reported.items()},
        "reported_cost": [cost.amount if cost is not None else None for cost in costs],
        **{name: members(used, name) for name in _OF_USAGE},
        "incomplete": [incomplete(u) if u is not None else None for u in used],
    }  # fmt: skip
