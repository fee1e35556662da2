"""Everything found in a session: what each record's own rules say, and what only the whole stream shows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from sessionrecord import ijson
from sessionrecord.diagnostics import Diagnostic, excerpt
from sessionrecord.records import (
    PARTICIPATING_TYPES,
    Declaration,
    InvalidRecord,
    Record,
    SessionHeader,
    ToolCall,
    ToolResult,
)
from sessionrecord.session.context import context_view, located
from sessionrecord.session.core import Core

__all__ = ["check"]

_LINKS: Final = {"delivery": "of"}
_PROFILES: Final = {
    "usage": ("model_call", "modelCallId", "usage"),
    "tool_results": ("tool_call", "callId", "tool_result"),
    "permissions": ("permission_request", "permissionId", "permission_decision"),
    "questions": ("question", "questionId", "answer"),
}
"""Profile to the event's record type, its entity key, and the record type promised for it (spec section 6)."""


def check(core: Core) -> list[Diagnostic]:
    """All findings in the order of the lines; those of the whole file first, promises unmet last."""
    log = core.log
    if not len(log):
        return [*(d for _, d in log.findings), Diagnostic.of("stream-empty", "the stream holds no record")]
    placed: list[tuple[int, Diagnostic]] = list(log.findings)
    placed += [(i, located(core, i, d)) for i, d in (*core.index.findings, *core.structure.findings)]
    placed += [(e, located(core, e, d)) for e in core.structure.broken if (d := core.structure.finding(e)) is not None]
    checks = _StreamChecks(core)
    torn = {i for i, d in log.findings if d.code == "line-torn"}
    for i in range(len(log)):
        record, found = log.read_at(i)
        if i in torn:
            found = [d for d in found if d.code not in ijson.UNREADABLE or d.code == "nul-bytes"]
        placed += [(i, located(core, i, d)) for d in found]
        placed += [(i, located(core, i, d)) for d in checks.look(i, record)]
    placed += [
        (len(log), d)
        for d in context_view(core, core.structure.head(len(log)), None).diagnostics
        if d.code == "kept-from-missing"
    ]
    placed += [(len(log), d) for d in _profiles(core, checks.profiles)]
    order = sorted(range(len(placed)), key=lambda k: placed[k][0])
    return _without_repeats([placed[k][1] for k in order])


def _without_repeats(found: list[Diagnostic]) -> list[Diagnostic]:
    # a broken predecessor can be seen by its record's rules and by the structure
    return list(dict.fromkeys(found))


class _StreamChecks:
    """What depends on earlier records: declarations in force, calls already answered."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self.profiles: list[str] = []
        self._participants: set[str] = set()
        self._conversations: set[str] = set()
        self._calls: dict[str, tuple[Any, Any]] = {}
        self._answered: set[str] = set()

    def look(self, index: int, record: Record | InvalidRecord) -> Iterator[Diagnostic]:
        """The findings of one record, which joins what later ones depend on."""
        if isinstance(record, InvalidRecord):
            return
        if isinstance(record, SessionHeader | Declaration):
            self._declare(record)
        if record.participant is not None and record.participant not in self._participants:
            yield Diagnostic.of(
                "participant-undeclared", f"{excerpt(record.participant)} is not declared", pointer="/participant"
            )
        if record.conversation is not None and record.conversation not in self._conversations:
            yield Diagnostic.of(
                "conversation-undeclared", f"{excerpt(record.conversation)} is not declared", pointer="/conversation"
            )
        if record.type not in PARTICIPATING_TYPES and "predecessor" in (record.model_extra or {}):
            yield Diagnostic.of(
                "predecessor-misplaced",
                f"a {excerpt(record.type)} takes no part in the context",
                pointer="/predecessor",
            )
        link = _LINKS.get(record.type)
        if link is not None and self._core.index.find(getattr(record, link)) is None:
            yield Diagnostic.of(
                "ref-unresolved", f"{excerpt(getattr(record, link))} names nothing in the stream", pointer=f"/{link}"
            )
        if isinstance(record, ToolResult):
            self._answered.add(record.call_id)
        elif isinstance(record, ToolCall):
            yield from self._reuse(record.call_id, (record.name, record.arguments))

    def _declare(self, record: SessionHeader | Declaration) -> None:
        if record.profiles is not None:
            self.profiles = record.profiles
        if record.participants is not None:
            self._participants = {p.id for p in record.participants}
        if record.conversations is not None:
            self._conversations = {c.id for c in record.conversations}

    def _reuse(self, call_id: str, call: tuple[Any, Any]) -> Iterator[Diagnostic]:
        before = self._calls.setdefault(call_id, call)
        if before != call and call_id in self._answered:
            yield Diagnostic.of(
                "key-reused", f"{excerpt(call_id)} was another call, and it has a result", pointer="/callId"
            )
        self._calls[call_id] = call


def _profiles(core: Core, promised: list[str]) -> Iterator[Diagnostic]:
    for profile in promised:
        if profile in _PROFILES:
            yield from _unmet(core, profile, *_PROFILES[profile])
        elif profile == "deliveries":
            yield from _undelivered(core)


def _unmet(core: Core, profile: str, event: str, key: str, promised: str) -> Iterator[Diagnostic]:
    log, index, end = core.log, core.index, len(core.log)
    for first in log.of_types((event,), end):
        if index.first[first] != first:
            continue
        latest = index.latest(first, end)
        members = log.value(latest)
        if event == "model_call" and members.get("status") not in (None, "completed"):
            continue
        value = members.get(key)
        if _accounted(members, promised) or (isinstance(value, str) and index.of_key(promised, value) is not None):
            continue
        yield located(
            core, latest, Diagnostic.of("profile-unmet", f"profile {profile}: {key} {excerpt(value)} has no {promised}")
        )


def _undelivered(core: Core) -> Iterator[Diagnostic]:
    log, index, end = core.log, core.index, len(core.log)
    delivered = {
        index.find(of) for i in log.of_types(("delivery",), end) if isinstance(of := log.value(i).get("of"), str)
    }
    opened: set[str] = set()
    for first in log.of_types(("message",), end):
        if index.first[first] != first:
            continue
        members = log.value(index.latest(first, end))
        conversation = members.get("conversation")
        if not isinstance(conversation, str):
            continue
        if conversation in opened and first not in delivered and not _accounted(members, "delivery"):
            yield located(
                core,
                first,
                Diagnostic.of(
                    "profile-unmet",
                    f"profile deliveries: the message {excerpt(members.get('messageId'))} has no delivery",
                ),
            )
        opened.add(conversation)


def _accounted(members: dict[str, Any], promised: str) -> bool:
    capture = members.get("capture")
    return isinstance(capture, dict) and promised in capture
