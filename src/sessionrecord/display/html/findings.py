"""Diagnostics, as a list of them and as reports that rest on them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from sessionrecord.diagnostics import Diagnostic, Severity
from sessionrecord.display.html.build import Child, Element, el
from sessionrecord.display.html.parts import facts, more, number, phrase, table, tag
from sessionrecord.display.html.room import Room
from sessionrecord.validate import RepairReport, ValidationReport

__all__ = ["findings", "repair", "tally", "validation"]

_HUES: dict[Severity, str] = {"error": "error", "warning": "warning", "info": "note"}


def tally(diagnostics: Sequence[Diagnostic]) -> Child:
    """How many findings there are of each severity."""
    found = Counter(d.severity for d in diagnostics)
    if not found:
        return tag("nothing to report", "good")
    return [[tag(number(found[s], s), hue), " "] for s, hue in _HUES.items() if found[s]]


def findings(diagnostics: Sequence[Diagnostic], room: Room) -> Child:
    """A row for each finding."""
    if not diagnostics:
        return el("div", tag("nothing to report", "good"))
    shown = diagnostics[: room.limits.rows]
    rows = [
        [
            d.code,
            tag(d.severity, _HUES[d.severity]),
            "" if d.line is None else f"{d.line:,}",
            phrase(d.pointer or "", room),
            phrase(d.message, room, 400),
            d.requirement or "",
        ]
        for d in shown
    ]
    left = len(diagnostics) - len(shown)
    if left:
        room.omit("rows", left, "there are many findings")
    return [
        table(["code", "severity", "line", "member", "what is wrong", "rule"], rows),
        [_rest(diagnostics), more(room, left, "finding")] if left else None,
    ]


def _rest(diagnostics: Sequence[Diagnostic]) -> Child:
    counts = Counter(d.code for d in diagnostics)
    return el("div", "of each code: ", ", ".join(f"{code} {n:,}" for code, n in counts.most_common()))


def validation(report: ValidationReport, room: Room) -> list[Element | Child]:
    """What a validation found."""
    name = "stream" if report.source is None else report.source
    return [
        el("h1", "Validation of ", phrase(name, room)),
        el("div", tag("valid", "good") if report.ok else tag("not valid", "error"), " ", tally(report.diagnostics)),
        facts([("checked as", report.level), ("records", f"{report.records:,}")]),
        findings(report.diagnostics, room) if report.diagnostics else None,
    ]


def repair(report: RepairReport, room: Room) -> list[Element | Child]:
    """What a repair did."""
    shown = report.actions[: room.limits.rows]
    rows = [[f"{a.line:,}", a.action, phrase(a.message, room, 400)] for a in shown]
    left = len(report.actions) - len(shown)
    if left:
        room.omit("rows", left, "there are many actions")
    return [
        el("h1", "Repair of ", phrase(report.source or "a stream", room)),
        facts(
            [
                ("written to", phrase(report.target, room)),
                ("side file", None if report.rest is None else phrase(report.rest, room)),
                ("records", f"{report.records:,}"),
                ("lines put aside", f"{report.aside:,}"),
            ]
        ),
        table(["line", "action", "what was done"], rows) if rows else el("div", tag("nothing to mend", "good")),
        more(room, left, "action") if left else None,
        findings(report.diagnostics, room) if report.diagnostics else None,
    ]
