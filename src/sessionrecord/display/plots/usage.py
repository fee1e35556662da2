"""Tokens and costs by model. What is not known is said, never drawn as zero."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from sessionrecord.display.extra import need
from sessionrecord.display.frames.make import rows_of
from sessionrecord.display.plots.canvas import (
    COLOURS,
    INK,
    finish,
    label,
    new_figure,
    nothing,
    session_name,
    short,
    strip,
)
from sessionrecord.session.core import Core
from sessionrecord.session.usage import EXACT, ModelUsage, UsageTotals, usage

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["plot_usage"]

_MODELS: Final = 12
"""Models shown; the others together take one more row."""
_MOST: Final = 1e300
"""The longest bar that can be drawn."""
_LONG: Final = 10**12
"""Amounts from here on are written in short."""
_CURRENCIES: Final = 3
"""Currencies shown."""
_TOKENS: Final = {
    "input_tokens": ("input tokens", "blue"),
    "cache_read_tokens": ("read from cache", "sky"),
    "cache_write_tokens": ("written to cache", "orange"),
    "output_tokens": ("output tokens", "green"),
    "total_tokens": ("all tokens", "grey"),
}
"""Member to the panel's title and colour."""


@dataclass(frozen=True, slots=True)
class _Bar:
    value: float | None
    """None: not known."""
    text: str
    part: float | None = None
    """The hatched part of it."""


@dataclass(frozen=True, slots=True)
class _Panel:
    title: str
    colour: str
    bars: list[_Bar]


def plot_usage(core: Core, at: int | None) -> Figure:
    """What each model used and cost. Raises `MissingExtraError`."""
    need("matplotlib", "plots")
    totals, costs = usage(core, at), _costs(core, at)
    most: dict[str | None, Decimal] = {}
    for (_, model), cost in costs.items():
        most[model] = max(cost, most.get(model, cost))
    models = sorted(
        totals.by_model, key=lambda m: (most.get(m, Decimal(0)), *_weight(m, totals.by_model[m])), reverse=True
    )
    groups = [[m] for m in models[:_MODELS]] + ([models[_MODELS:]] if models[_MODELS:] else [])
    panels = _panels(groups, totals.by_model, costs)
    figure = new_figure(max(6.0, 2.4 * len(panels) + 2), 1.8 + 0.42 * len(groups))
    figure.suptitle(f"{session_name(core)}: what models used", x=0.01, ha="left", fontsize=11)
    if not panels:
        return nothing(figure, "no record tells what a model used")
    names = [_name(group) if len(group) == 1 else f"{len(group)} other models" for group in groups]
    for axes, panel in zip(figure.subplots(1, len(panels), sharey=True, squeeze=False)[0], panels, strict=True):
        _draw(axes, panel)
        axes.set_yticks(range(len(names)), names)
        axes.set_ylim(len(names) - 0.4, -0.6)
    _notes(figure, panels, len({currency for currency, _ in costs}), totals)
    return finish(figure)


def _costs(core: Core, at: int | None) -> dict[tuple[str, str | None], Decimal]:
    """Currency and model to the sum."""
    rows = rows_of(core, "usage", at)
    found: dict[tuple[str, str | None], Decimal] = {}
    for model, cost, currency in zip(rows["model"], rows["cost"], rows["currency"], strict=True):
        if cost is not None:
            key = (currency, model)
            found[key] = EXACT.add(
                found.get(key, Decimal(0)), cost if isinstance(cost, Decimal) else Decimal(str(cost))
            )
    return found


def _weight(model: str | None, used: ModelUsage) -> tuple[int, str]:
    return sum(getattr(used, name) or 0 for name in _TOKENS), model or ""


def _name(group: list[str | None]) -> str:
    return "no model named" if group[0] is None else label(group[0], 28) or "(empty name)"


def _panels(
    groups: list[list[str | None]], used: dict[str | None, ModelUsage], costs: dict[tuple[str, str | None], Decimal]
) -> list[_Panel]:
    panels: list[_Panel] = []
    for member, (title, colour) in _TOKENS.items():
        if member == "total_tokens" and panels:
            continue  # it says again what the others say
        bars = [_tokens([used[m] for m in group], member) for group in groups]
        if any(bar.value is not None for bar in bars):
            panels.append(_Panel(title, colour, bars))
    money: dict[str, dict[str | None, Decimal]] = defaultdict(dict)
    for (currency, model), amount in costs.items():
        money[currency][model] = amount
    for currency in sorted(money, key=lambda c: len(money[c]), reverse=True)[:_CURRENCIES]:
        panels.append(
            _Panel(f"cost in {label(currency, 12)}", "purple", [_money(group, money[currency]) for group in groups])
        )
    return panels


def _tokens(models: list[ModelUsage], member: str) -> _Bar:
    values = [v for used in models if (v := getattr(used, member)) is not None]
    if not values:
        return _Bar(None, "not known")
    lacking = sum(used.missing.get(member, 0) for used in models)
    reasoning = [v for used in models if (v := used.reasoning_tokens) is not None] if member == "output_tokens" else []
    text = f"{short(sum(values))}{' + ?' if lacking else ''}"
    return _Bar(float(sum(values)), text, float(sum(reasoning)) if reasoning else None)


def _money(group: list[str | None], amounts: dict[str | None, Decimal]) -> _Bar:
    known = [amounts[model] for model in group if model in amounts]
    if not known:
        return _Bar(None, "not known")
    total = sum(known, Decimal(0))
    text = f"{total:,.2f}" if 1 <= total < _LONG else f"{total:.3g}"
    return _Bar(max(-_MOST, min(float(total), _MOST)), text)


def _draw(axes: Any, panel: _Panel) -> None:
    strip(axes)
    most = max((bar.value or 0 for bar in panel.bars), default=0) or 1
    for y, bar in enumerate(panel.bars):
        if bar.value is not None:
            axes.barh(y, bar.value, height=0.62, color=COLOURS[panel.colour], edgecolor=INK, linewidth=0.5)
        if bar.part is not None:
            axes.barh(y, bar.part, height=0.62, color="none", edgecolor=INK, linewidth=0.5, hatch="////")
        axes.annotate(bar.text, (bar.value or 0, y), xytext=(3, 0), textcoords="offset points", va="center", fontsize=8,
                      style="normal" if bar.value is not None else "italic")  # fmt: skip
    axes.set_xlim(0, most * 1.45)
    axes.set_title(panel.title, fontsize=9)
    axes.tick_params(axis="y", length=0)
    axes.xaxis.set_major_locator(need("matplotlib.ticker", "plots").MaxNLocator(3))
    axes.xaxis.set_major_formatter(lambda value, _: short(value))


def _notes(figure: Figure, panels: list[_Panel], currencies: int, totals: UsageTotals) -> None:
    bars = [bar for panel in panels for bar in panel.bars]
    notes = ["child sessions are not counted in"]
    if any(bar.part is not None for bar in bars):
        notes.append("hatched: spent on reasoning")
    if any(bar.text.endswith("?") for bar in bars):
        notes.append("+ ?: some calls do not tell")
    if totals.incomplete:
        notes.append(
            f"{totals.incomplete:,} {'record has' if totals.incomplete == 1 else 'records have'} incomplete counts"
        )
    if totals.costs_missing:
        notes.append(f"of {totals.costs_missing:,} no cost is known")
    if currencies > _CURRENCIES:
        notes.append(f"{currencies - _CURRENCIES} more currencies are not shown")
    figure.supxlabel("; ".join(notes), x=0.01, ha="left", fontsize=8, color=INK)
