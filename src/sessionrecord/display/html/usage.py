"""What a session used, and what was declared of it."""

from __future__ import annotations

from dataclasses import fields

from sessionrecord.display.html.build import Child, el
from sessionrecord.display.html.parts import facts, more, phrase, table, value
from sessionrecord.display.html.room import Room
from sessionrecord.records import WireModel
from sessionrecord.session import Declared, Info, ModelUsage, UsageTotals
from sessionrecord.session.usage import TOKEN_MEMBERS

__all__ = ["declared", "info", "usage"]

_COUNTED = {True: "counted in", False: "not counted in", None: "perhaps counted in"}


def usage(totals: UsageTotals, room: Room) -> Child:
    """Tokens of each model, costs, and how much of that is not known."""
    used = [m for m in TOKEN_MEMBERS if getattr(totals.total, m) is not None]
    models = list(totals.by_model.items())[: room.limits.rows]
    rows = [[phrase(model or "(no model)", room), *(_count(u, m) for m in used)] for model, u in models]
    left = len(totals.by_model) - len(models)
    if left:
        room.omit("rows", left, "there are many models")
    if len(totals.by_model) > 1:
        rows.append(["all models", *(_count(totals.total, m) for m in used)])
    names = [m.removesuffix("_tokens").replace("_", " ") for m in used]
    partly = any(u.missing.get(m) for u in totals.by_model.values() for m in used)
    costs = list(totals.costs.items())[: room.limits.rows]
    return [
        table(["model", *names], rows, right=len(used), caption="Tokens") if used else None,
        el("div", "+ some calls lack the number: there were at least that many", cls="dim") if partly else None,
        more(room, left, "model") if left else None,
        facts(
            [
                ("cost", [[phrase(f"{amount} {currency}", room), " "] for currency, amount in costs]),
                ("without a cost", f"{totals.costs_missing:,}" if totals.costs_missing else ""),
                ("model calls recorded", f"{totals.calls:,}"),
                ("with incomplete counts", f"{totals.incomplete:,}" if totals.incomplete else ""),
                (
                    "child sessions",
                    f"{len(totals.children):,}, {_COUNTED[totals.includes_children]}" if totals.children else "",
                ),
            ]
        ),
    ]


def _count(counts: ModelUsage, member: str) -> str:
    n = getattr(counts, member)
    return "not told" if n is None else f"{n:,}{'+' if counts.missing.get(member) else ''}"


def declared(values: Declared, room: Room) -> Child:
    """The effective value of each declared property."""
    rows: list[tuple[str, Child]] = []
    for f in fields(Declared):
        found = getattr(values, f.name)
        if found is not None:
            rows.append((f.name.replace("_", " "), _declared(found, room)))
    return facts(rows) or el("div", "nothing declared", cls="dim")


def _declared(found: object, room: Room) -> Child:
    if isinstance(found, WireModel):
        return value(found.to_wire(), room)
    if isinstance(found, list):
        if not found:
            return "none"
        parts = [value(v.to_wire() if isinstance(v, WireModel) else v, room) for v in found[: room.limits.rows]]
        left = len(found) - len(parts)
        if left:
            room.omit("rows", left, "there are many")
        return [[el("div", part) for part in parts], more(room, left, "value") if left else None]
    return value(found, room)


def info(values: Info, room: Room) -> Child:
    """What people call a session."""
    archived = {None: "", True: "put away", False: "not put away"}[values.archived]
    return facts(
        [
            ("title", None if values.title is None else value(values.title, room)),
            ("summary", None if values.summary is None else value(values.summary, room)),
            ("tags", [[phrase(tag, room), " "] for tag in (values.tags or ())[: room.limits.rows]]),
            ("archived", archived),
        ]
    ) or el("div", "no name", cls="dim")
