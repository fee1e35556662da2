"""Sessions: what they are, what is in them, and their records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from sessionrecord.display.html.build import Child, el
from sessionrecord.display.html.context import REASONS
from sessionrecord.display.html.findings import findings, tally
from sessionrecord.display.html.parts import facts, fold, in_order, more, number, one_line, phrase, table, tag, value
from sessionrecord.display.html.records import entry
from sessionrecord.display.html.room import Room
from sessionrecord.display.html.usage import declared, usage
from sessionrecord.records import RECORD_TYPES, SessionHeader
from sessionrecord.session import Declared, Session, SessionAt, ToolUse
from sessionrecord.session.context import AbsentReason
from sessionrecord.session.core import Core

__all__ = ["session", "title"]

_NEAR: Final = 200
"""How many records from an end are looked at for a time."""


@dataclass(frozen=True, slots=True)
class _Opened:
    """A session, or a session at a `seq`, with the log and index that its views share."""

    views: Session | SessionAt
    core: Core
    at: int | None
    size: int

    @classmethod
    def of(cls, views: Session | SessionAt) -> _Opened:
        core, at = views._core, views._limit
        return cls(views, core, at, core.log.end(at))


def title(views: Session | SessionAt) -> str:
    """What people call the session; without a title, the first line of its summary."""
    info = views.info()
    return info.title or one_line((info.summary or "").strip().partition("\n")[0], 120) or "Session"


def session(views: Session | SessionAt, room: Room) -> list[Child]:
    """The head of a session, and its records: the first and the last of them where there are many."""
    of = _Opened.of(views)
    return [*_head(of, room), el("h2", "Records"), *_records(of, room)]


def _head(of: _Opened, room: Room) -> list[Child]:
    counts, info, values = of.views.counts(), of.views.info(), of.views.declared()
    return [
        el("h1", phrase(title(of.views), room, 300), None if of.at is None else f" at seq {of.at:,}"),
        None
        if values.content_level in (None, "full")
        else el("div", tag(f"content level: {one_line(values.content_level, 60)}", "warning")),
        facts([*_header(of, room), *_rows(of, info.summary, info.tags, room)]),
        el(
            "div",
            "No line of it is a record of a session: a log of an agent is converted first, see sessionrecord.convert.",
        )
        if of.size and RECORD_TYPES.keys().isdisjoint(counts)
        else None,
        _findings(of, room),
        fold("declared", declared(values, room)) if values != Declared() else None,
        _counts(counts, room),
        _tools(of, counts, room),
        _usage(of, counts, room),
    ]


def _header(of: _Opened, room: Room) -> Iterable[tuple[str, Child]]:
    header = of.core.record(0) if of.size else None
    if not isinstance(header, SessionHeader):
        yield "header", tag("no valid header", "error")
        return
    producer = header.producer
    yield "agent", [phrase(header.agent, room), " ", phrase(header.agent_version or "", room)]
    yield "session", phrase(header.session_id, room)
    yield "namespace", None if header.namespace is None else phrase(header.namespace, room)
    yield "parent", None if header.parent is None else phrase(header.parent, room)
    yield "forked from", None if header.fork_of is None else phrase(header.fork_of.session, room)
    yield (
        "producer",
        [phrase(" ".join(filter(None, [producer.name, producer.version])), room), " ", tag(producer.method[:40])],
    )
    yield "format", None if header.format_version is None else phrase(header.format_version, room)


def _rows(of: _Opened, summary: str | None, tags: list[str] | None, room: Room) -> Iterable[tuple[str, Child]]:
    yield "summary", None if summary is None else value(summary, room)
    yield "tags", [[phrase(t, room), " "] for t in (tags or ())[: room.limits.rows]]
    first, last = _times(of)
    yield "from", None if first is None else [first, "" if last in (None, first) else f" to {last}"]
    turns = len(of.views.turns())
    yield "turns", f"{turns:,}" if turns else None
    yield "records", f"{of.size:,}"


def _times(of: _Opened) -> tuple[str | None, str | None]:
    """The times of the first and the last record that have one, near the ends."""

    def near(indexes: Iterable[int]) -> str | None:
        times = (getattr(of.core.record(i), "timestamp", None) for i in indexes)
        return next((t for t in times if isinstance(t, str)), None)

    return near(range(min(_NEAR, of.size))), near(range(of.size - 1, max(of.size - 1 - _NEAR, -1), -1))


def _findings(of: _Opened, room: Room) -> Child:
    if not isinstance(of.views, Session):
        return None
    with room.at("session.diagnostics"):
        if of.size > room.limits.whole:
            return _not_counted("Findings", of.size, room)
        found = of.views.diagnostics
        return (
            fold(["Findings: ", tally(found)], findings(found, room))
            if found
            else el("div", "Findings: ", tally(found))
        )


def _not_counted(what: str, size: int, room: Room) -> Child:
    room.omit("not-counted", size, "many records would have to be read")
    return el(
        "div", f"{what}: not counted, since many records would have to be read: ", el("code", room.place), cls="more"
    )


def _counts(counts: dict[str | None, int], room: Room) -> Child:
    most = sorted(counts.items(), key=lambda item: -item[1])
    rows = [["(no type)" if t is None else phrase(t, room), f"{n:,}"] for t, n in most[: room.limits.rows]]
    left = len(most) - len(rows)
    if left:
        room.omit("rows", left, "there are many types")
    return (
        [
            fold(f"{number(len(most), 'type')} of records", table(["type", "records"], rows, right=1)),
            more(room, left, "type") if left else None,
        ]
        if most
        else None
    )


def _tools(of: _Opened, counts: dict[str | None, int], room: Room) -> Child:
    with room.at("session.tool_calls()"):
        calls = sum(counts.get(t, 0) for t in ("tool_call", "tool_result", "permission_request", "permission_decision"))
        if calls > room.limits.whole:
            return _not_counted("Tools", calls, room)
        uses = of.views.tool_calls()
        return _tool_table(uses, room) if uses else None


def _tool_table(uses: list[ToolUse], room: Room) -> Child:
    tools: dict[str, Counter[str]] = {}
    for use in uses:
        tools.setdefault(_name(use), Counter()).update(_ends(use))
    ends = [
        e
        for e in ("success", "error", "cancelled", "other", "not told", "no result")
        if any(t[e] for t in tools.values())
    ]
    most = sorted(tools.items(), key=lambda item: -item[1]["calls"])
    rows = [
        [phrase(name, room), f"{n['calls']:,}", *(f"{n[e]:,}" for e in ends)] for name, n in most[: room.limits.rows]
    ]
    left = len(most) - len(rows)
    if left:
        room.omit("rows", left, "there are many tools")
    return [
        table(["tool", "calls", *ends], rows, caption="Tools", right=1 + len(ends)),
        more(room, left, "tool") if left else None,
    ]


def _name(use: ToolUse) -> str:
    return "(result without call)" if use.call is None else use.call.name or "(no name)"


def _ends(use: ToolUse) -> dict[str, int]:
    if use.result is None:
        end = "no result"
    elif use.outcome is None or use.outcome == "unknown":
        end = "not told"
    else:
        end = use.outcome if use.outcome in ("success", "error", "cancelled") else "other"
    return {"calls": 1, end: 1}


def _usage(of: _Opened, counts: dict[str | None, int], room: Room) -> Child:
    with room.at("session.usage()"):
        calls = sum(counts.get(t, 0) for t in ("usage", "model_call"))
        if calls > room.limits.whole:
            return _not_counted("Usage", calls, room)
        totals = of.views.usage()
        return usage(totals, room) if totals.by_model or totals.costs else None


def _records(of: _Opened, room: Room) -> list[Child]:
    """The records in file order, marked with what became of them."""
    gone: dict[int, AbsentReason] = {a.entity.first: a.reason for a in of.views.context_view().absent}

    def show(i: int) -> Child:
        return entry(of.core.record(i), room, _marks(of, i, gone))

    shown = in_order(of.size, "record", room, "session.records", show)
    return shown or [el("div", "none", cls="dim")]


def _marks(of: _Opened, i: int, gone: dict[int, AbsentReason]) -> Child:
    entity = of.core.index.first[i]
    chain = of.core.index.revisions(entity, of.size)
    reason = gone.get(entity)
    return [
        [" ", tag(f"revision {chain.index(i) + 1:,} of {len(chain):,}")] if len(chain) > 1 else None,
        [" ", tag(REASONS[reason], "warning")] if reason is not None else None,
    ]
