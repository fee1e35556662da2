"""Usage totals: the fold of usage records (spec section 8).

Per model and member the model calls' own records count if any has it, else those of turns, else the session's.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from typing import Final

from sessionrecord.diagnostics import excerpt
from sessionrecord.records import ModelCall, ToolCall, Usage
from sessionrecord.session.core import Core

__all__ = ["EXACT", "TOKEN_MEMBERS", "Fold", "ModelUsage", "UsageTotals", "fold", "level_of", "usage"]

TOKEN_MEMBERS: Final = (
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "reasoning_tokens",
    "total_tokens",
)
"""The members that are summed."""
_TOLD: Final = {
    "input_tokens": "input",
    "cache_read_tokens": "cached",
    "output_tokens": "output",
    "total_tokens": "total",
}
"""What a `repr` tells."""
_LEVELS: Final = ("model_call", "turn", "session")


EXACT: Final = Context(prec=2000, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])
"""Digits enough for sums of doubles: those span 10^308 to 10^-324, with 17 digits more."""


@dataclass(frozen=True, slots=True)
class ModelUsage:
    """Tokens of one model, or of all. None: no record has the member; that is unknown, not zero."""

    input_tokens: int | None = None
    """Input tokens, without cached ones."""
    output_tokens: int | None = None
    """Output tokens, reasoning included."""
    cache_read_tokens: int | None = None
    """Input tokens read from a cache."""
    cache_write_tokens: int | None = None
    """Input tokens written to a cache."""
    reasoning_tokens: int | None = None
    """Output tokens spent on reasoning; part of `output_tokens`."""
    total_tokens: int | None = None
    """All tokens, as the source counts them."""
    missing: dict[str, int] = field(default_factory=dict)
    """Member to the number of model calls, or of the records summed, that lack it; members that nothing lacks are left out."""


@dataclass(frozen=True, slots=True, repr=False)
class UsageTotals:
    """What a session used, its child sessions excluded."""

    by_model: dict[str | None, ModelUsage]
    """Model to its tokens; None stands for records that name no model."""
    total: ModelUsage
    """All models together."""
    costs: dict[str, Decimal]
    """Currency to the sum, exact for amounts that a double can hold."""
    costs_missing: int
    """Model calls, or of other levels the records summed, of which no cost is known while others have one: `costs` are at least that."""
    calls: int
    """Model calls that are known of."""
    incomplete: int
    """Usage records counted whose capture state says that a count is not complete."""
    children: list[str]
    """Session references of child sessions that tool calls name; their usage is not in here, unless a record says so."""
    includes_children: bool | None
    """Whether a record counted says that child sessions are in its counts; None: at least one says that it is not known."""

    def __repr__(self) -> str:
        models = len(self.by_model)
        told = [
            f"{models:,} model{'' if models == 1 else 's'}",
            *([f"{self.calls:,} calls"] if self.calls else []),
            *(f"{name} {n:,}" for m, name in _TOLD.items() if (n := getattr(self.total, m)) is not None),
            *([f"{self.incomplete:,} incomplete"] if self.incomplete else []),
            *(f"{excerpt(amount, 20)} {excerpt(name, 8)}" for name, amount in list(self.costs.items())[:1]),
            *([f"{self.costs_missing:,} without a cost"] if self.costs_missing else []),
        ]
        return f"<UsageTotals: {', '.join(told)}>"

    def _repr_html_(self) -> str:
        from sessionrecord.display.html import usage_html  # displays rest on sessions

        return usage_html(self)


@dataclass(slots=True)
class _Series:
    """The records of one level and model."""

    deltas: list[Usage] = field(default_factory=list)
    cumulative: dict[tuple[str | None, str | None], list[Usage]] = field(default_factory=dict)

    def add(self, record: Usage, level: str) -> None:
        """Take in the next record."""
        if record.counter != "cumulative":
            self.deltas.append(record)
            return
        key = record.model_call_id if level == "model_call" else None, record.turn_id if level == "turn" else None
        self.cumulative.setdefault(key, []).append(record)

    def counted(self, member: str) -> list[Usage]:
        """The records whose values add up to the member's total: deltas, and of a counter the last of each run."""
        found = [u for u in self.deltas if getattr(u, member) is not None]
        for counter in self.cumulative.values():
            last: tuple[Usage, int | Decimal] | None = None
            for u in counter:
                value = _value(u, member)
                if value is None:
                    continue
                if last is not None and value < last[1]:
                    found.append(last[0])  # the counter fell: a new run began
                last = u, value
            if last is not None:
                found.append(last[0])
        return found

    def values(self, member: str) -> list[int | Decimal]:
        """What adds up to the member's total."""
        return [v for u in self.counted(member) if (v := _value(u, member)) is not None]

    def lacking(self, member: str) -> int:
        """How many of its records lack the member."""
        records = [*self.deltas, *(c[-1] for c in self.cumulative.values())]
        return sum(_value(u, member) is None for u in records)


def _value(record: Usage, member: str) -> int | Decimal | None:
    if member != "cost":
        found: int | None = getattr(record, member)
        return found
    if record.cost is None:
        return None
    amount = record.cost.amount
    return amount if isinstance(amount, Decimal) else Decimal(str(amount))


@dataclass(frozen=True, slots=True)
class Fold:
    """What the totals are made of: the latest revisions, by model and level."""

    records: list[tuple[int, Usage]]
    """The usage records, each with its index."""
    calls: list[tuple[int, ModelCall]]
    """The model calls that have a record, each with its index."""
    children: list[str]
    """Session references of child sessions that tool calls name."""
    series: dict[str | None, dict[str, _Series]]
    """Model to level to the usage records."""
    costs: dict[tuple[str | None, str], dict[str, _Series]]
    """Model and currency to level to the usage records with a cost in it."""
    call_ids: dict[str | None, set[str]]
    """Model to the model calls that are known of."""

    def counted(self, member: str) -> list[Usage]:
        """The records whose values of a token member, or whose `cost`, add up to the totals."""
        found = list[Usage]()
        for levels in (self.costs if member == "cost" else self.series).values():
            found += next((u for level in _LEVELS if level in levels and (u := levels[level].counted(member))), [])
        return found


def level_of(record: Usage) -> str:
    """What a usage record counts over: its scope, or what its other members tell."""
    return record.scope or (
        "model_call" if record.counter != "cumulative" or record.model_call_id is not None else "session"
    )


def fold(core: Core, at: int | None) -> Fold:
    """The usage records and model calls up to `at`, sorted by what they count for."""
    records, calls, children = _latest(core, core.log.end(at))
    model_of = {c.model_call_id: c.model for _, c in calls}
    series: dict[str | None, dict[str, _Series]] = {}
    costs: dict[tuple[str | None, str], dict[str, _Series]] = {}
    call_ids: dict[str | None, set[str]] = {}
    for _, call in calls:
        call_ids.setdefault(call.model, set()).add(call.model_call_id)
    for _, u in records:
        model = u.model
        if model is None and u.model_call_id is not None:
            model = model_of.get(u.model_call_id)
        level = level_of(u)
        series.setdefault(model, {}).setdefault(level, _Series()).add(u, level)
        if u.cost is not None:
            costs.setdefault((model, u.cost.currency), {}).setdefault(level, _Series()).add(u, level)
        if level == "model_call" and u.model_call_id is not None and u.model_call_id not in model_of:
            call_ids.setdefault(model, set()).add(u.model_call_id)
    return Fold(records, calls, children, series, costs, call_ids)


def usage(core: Core, at: int | None) -> UsageTotals:
    """The totals of the records up to `at`: latest revisions only, deltas added, a cumulative counter counted once."""
    folded = fold(core, at)
    series, call_ids, records = folded.series, folded.call_ids, [u for _, u in folded.records]
    by_model = {m: _totals(series.get(m, {}), len(call_ids.get(m, ()))) for m in {**series, **call_ids}}
    flags = [u.includes_children for u in records if "includes_children" in u.model_fields_set]
    return UsageTotals(
        by_model=by_model,
        total=_sum(by_model.values()),
        costs=_costs(folded.costs),
        costs_missing=sum(_uncosted(series.get(m, {}), len(call_ids.get(m, ()))) for m in by_model)
        if folded.costs
        else 0,
        calls=sum(map(len, call_ids.values())),
        incomplete=sum(_incomplete(u) for u in records),
        children=folded.children,
        includes_children=None if None in flags else any(flags),
    )


def _latest(core: Core, end: int) -> tuple[list[tuple[int, Usage]], list[tuple[int, ModelCall]], list[str]]:
    records: list[tuple[int, Usage]] = []
    calls: list[tuple[int, ModelCall]] = []
    children: dict[str, None] = {}
    found: list[int] = []
    for i in core.log.of_types(("usage", "model_call", "tool_call"), end):
        if core.index.first[i] != i:
            continue
        latest = core.index.latest(i, end)
        if core.log.type(i) != "tool_call" or b'"childSession"' in core.log.line(latest):
            found.append(latest)
    for latest, record in zip(found, core.records(found), strict=True):
        if isinstance(record, Usage):
            records.append((latest, record))
        elif isinstance(record, ModelCall):
            calls.append((latest, record))
        elif isinstance(record, ToolCall) and record.child_session is not None:
            children[record.child_session] = None
    return records, calls, list(children)


def _chosen(levels: dict[str, _Series], member: str) -> tuple[str, list[int | Decimal]] | None:
    for level in _LEVELS:
        values = levels[level].values(member) if level in levels else []
        if values:
            return level, values
    return None


def _totals(levels: dict[str, _Series], calls: int) -> ModelUsage:
    sums: dict[str, int] = {}
    missing: dict[str, int] = {}
    for member in TOKEN_MEMBERS:
        chosen = _chosen(levels, member)
        if chosen is None:
            if calls:
                missing[member] = calls
            continue
        level, values = chosen
        sums[member] = sum(int(v) for v in values)
        lacking = _lacking(levels, level, member, calls - len(values))
        if lacking:
            missing[member] = lacking
    return ModelUsage(**sums, missing=missing)


def _lacking(levels: dict[str, _Series], level: str, member: str, untold: int) -> int:
    """How many of what a level counts lack a member; `untold` model calls have no value of it."""
    lacking = levels[level].lacking(member)
    return max(untold, lacking) if level == "model_call" else lacking


def _uncosted(levels: dict[str, _Series], calls: int) -> int:
    chosen = _chosen(levels, "cost")
    if chosen is not None:
        return _lacking(levels, chosen[0], "cost", calls - len(chosen[1]))
    level = next((level for level in _LEVELS if level in levels), None)
    return calls if level is None else _lacking(levels, level, "cost", calls)


def _sum(models: Iterable[ModelUsage]) -> ModelUsage:
    models = list(models)
    sums = {m: sum(vs) for m in TOKEN_MEMBERS if (vs := [v for u in models if (v := getattr(u, m)) is not None])}
    missing = {m: n for m in TOKEN_MEMBERS if (n := sum(u.missing.get(m, 0) for u in models))}
    return ModelUsage(**sums, missing=missing)


def _costs(series: dict[tuple[str | None, str], dict[str, _Series]]) -> dict[str, Decimal]:
    costs: dict[str, Decimal] = {}
    for (_, currency), levels in series.items():
        chosen = _chosen(levels, "cost")
        for value in chosen[1] if chosen is not None else ():
            costs[currency] = EXACT.add(costs.get(currency, Decimal(0)), value)
    return dict(sorted(costs.items()))


def _incomplete(record: Usage) -> bool:
    return any(state.state != "complete" for state in (record.capture or {}).values())
