"""What the commands show, as plain JSON values: `--json` prints them, `render` writes them for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from pydantic.alias_generators import to_camel

from sessionrecord.diagnostics import Diagnostic
from sessionrecord.display.summary import kind, summary
from sessionrecord.records import InvalidRecord, Record, SessionHeader
from sessionrecord.refs import Ref
from sessionrecord.session import Session
from sessionrecord.session.calls import ToolUse
from sessionrecord.session.context import EVIDENCE, ContextView, Flag
from sessionrecord.session.said import wire
from sessionrecord.session.usage import TOKEN_MEMBERS, ModelUsage

__all__ = ["TOKENS", "Shown", "context", "named", "overview"]

TOKENS: Final = {member: to_camel(member) for member in TOKEN_MEMBERS}
"""Attribute to wire name of the counts that usage adds up."""


def _severities(diagnostics: Iterable[Diagnostic]) -> dict[str, int]:
    n = Counter(d.severity for d in diagnostics)
    return {"errors": n["error"], "warnings": n["warning"], "infos": n["info"]}


def overview(session: Session) -> dict[str, Any]:
    """What a session is."""
    header, info, declared = session.header, session.info(), session.declared()
    times = [t for r in session.records if (t := getattr(r, "timestamp", None))]
    times.sort(key=lambda t: t[:-1])  # without Z, a second comes before its fractions
    return {
        "header": wire(header) if isinstance(header, SessionHeader) else None,
        "title": info.title,
        "summary": info.summary,
        "tags": info.tags,
        "roots": [r.to_wire() for r in declared.roots or ()],
        "contentLevel": declared.content_level,
        "profiles": declared.profiles,
        "firstTimestamp": times[0] if times else None,
        "lastTimestamp": times[-1] if times else None,
        "records": len(session.records),
        "counts": dict(sorted(session.counts().items(), key=lambda item: -item[1])),
        "turns": [{"turnId": t.turn_id, "records": len(t.records)} for t in session.turns()],
        "tools": _tools(session.tool_calls()),
        **_usage(session),
        "losses": [loss.to_wire() for loss in declared.losses or ()],
        "heads": [{"ref": h.ref, "type": h.type, "seq": h.seq} for h in session.heads()],
        "findings": _severities(session.diagnostics),
    }


def _tools(uses: Iterable[ToolUse]) -> list[dict[str, Any]]:
    tools: dict[str | None, Counter[str]] = {}
    for use in uses:
        n = tools.setdefault(use.call.name if use.call is not None else None, Counter())
        n["calls"] += use.call is not None
        n["errors"] += use.outcome == "error"
        n["cancelled"] += use.outcome == "cancelled"
        n["notTold"] += bool(use.results) and use.outcome in (None, "unknown")
        n["otherOutcome"] += use.outcome not in (None, "success", "error", "cancelled", "unknown")
        n["noResult"] += not use.results
        n["resultsWithoutCall"] += use.call is None
    names = ("calls", "errors", "cancelled", "otherOutcome", "notTold", "noResult", "resultsWithoutCall")
    rows = [{"name": name, **{k: n[k] for k in names}} for name, n in tools.items()]
    return sorted(rows, key=lambda row: -row["calls"])


def _usage(session: Session) -> dict[str, Any]:
    usage = session.usage()
    return {
        "usage": {
            "byModel": [{"model": model, **_counts(u)} for model, u in usage.by_model.items()],
            "total": _counts(usage.total),
            "calls": usage.calls,
            "incompleteCalls": usage.incomplete,
            "includesChildren": usage.includes_children,
        },
        "childSessions": usage.children,
        "costs": [{"currency": currency, "amount": amount} for currency, amount in usage.costs.items()],
        "costsMissing": usage.costs_missing,
    }


def _counts(usage: ModelUsage) -> dict[str, Any]:
    counts: dict[str, Any] = {name: getattr(usage, attribute) for attribute, name in TOKENS.items()}
    return {**counts, "missing": {TOKENS[k]: n for k, n in usage.missing.items()}}


def context(view: ContextView) -> dict[str, Any]:
    """A context view; items are numbered from 1."""
    absent = Counter((a.reason, a.by) for a in view.absent)
    flags: dict[str, list[dict[str, Any]]] = {}
    for flag in view.flags:
        flags.setdefault(flag.ref, []).append(_flag(flag))
    return {
        "head": None if view.head is None else view.head.ref,
        "at": view.at,
        "items": [
            {
                "number": number,
                "seq": item.record.seq,
                "type": item.entity.type,
                "kind": kind(item.record),
                "ref": item.entity.ref,
                "summary": summary(item.record),
                "flags": flags.get(item.entity.ref, []),
                "record": wire(item.record),
            }
            for number, item in enumerate(view.items, 1)
        ],
        "flags": [_flag(f) for f in view.flags],
        "absent": [{"reason": reason, "by": by, "count": n} for (reason, by), n in absent.items()],
        "absentRefs": [{"ref": a.entity.ref, "reason": a.reason, "by": a.by} for a in view.absent],
        "findings": [d.to_dict() for d in view.diagnostics],
        "note": EVIDENCE,
    }


def _flag(flag: Flag) -> dict[str, Any]:
    return {"code": flag.code, "ref": flag.ref, "message": flag.message}


@dataclass(frozen=True, slots=True)
class Shown:
    """A record that was asked for."""

    record: Record | InvalidRecord
    ref: str
    """The ref of its entity."""
    revision: int
    """Which revision of it, from 1."""
    revisions: int
    """How many there are."""


def named(session: Session, ref: str) -> list[Shown]:
    """The records that a ref names: of an entity all revisions, of a tool call its results too. Raises `RefError`."""
    entity = session.resolve(ref)
    records = list(entity.revisions)
    shown = [Shown(record, entity.ref, i, len(records)) for i, record in enumerate(records, 1)]
    if Ref.parse(ref).key is None and ref != entity.ref:
        return [s for s in shown if s.record.id == ref]
    if entity.type == "tool_call":
        for use in session.tool_calls():
            if use.call_id == entity.key:
                shown += [Shown(result, result.id, i, len(use.results)) for i, result in enumerate(use.results, 1)]
    return shown
