"""The context view: the recorded evidence of what the model's context contained (spec section 7)."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal, TypeAlias

from sessionrecord.diagnostics import Diagnostic, excerpt
from sessionrecord.records import Compaction, InvalidRecord, Message, Record, ToolCall, ToolResult
from sessionrecord.session.core import Core
from sessionrecord.session.entity import Entity, LazySequence
from sessionrecord.session.said import said
from sessionrecord.session.structure import NONE

__all__ = ["Absent", "AbsentReason", "ActivePath", "ContextItem", "ContextView", "Flag", "active_path", "context_view"]

EVIDENCE: Final = "This is evidence of what the context contained, not proof of the exact request."

AbsentReason: TypeAlias = Literal["rewound", "compacted", "other-branch", "not-applied"]
"""Why an entity is not in a context view; `not-applied` is a compaction on the path that is not completed."""


@dataclass(frozen=True, slots=True)
class Flag:
    """Something about an item that a reader of the view should know."""

    code: Literal["result-without-call", "call-without-result", "capture-incomplete"]
    """What: a result whose call is gone, a call without a result, a member that is not complete."""
    ref: str
    """The item's entity."""
    message: str
    """The same in words."""


@dataclass(frozen=True, slots=True)
class Absent:
    """An entity that is not in the view."""

    entity: Entity
    """What is not there."""
    reason: AbsentReason
    """Why."""
    by: str | None
    """The ref of the compaction, or the ID of the rewind, that took it out."""


@dataclass(frozen=True, slots=True)
class ActivePath:
    """The entities from a head back to the root, root first. [S] "Active path"."""

    entities: LazySequence[Entity]
    """Root first."""
    diagnostics: list[Diagnostic]
    """Why the walk back ended before a root, if it did."""

    def __len__(self) -> int:
        return len(self.entities)


class ContextItem:
    """One entity of a context view, in its latest revision at that `seq`."""

    __slots__ = ("_core", "first", "index")

    def __init__(self, core: Core, first: int, index: int) -> None:
        self._core = core
        self.first = first
        """Index of the entity's first record in the session's records."""
        self.index = index
        """Index of the latest revision."""

    @property
    def entity(self) -> Entity:
        """The entity."""
        return Entity(self._core, self.first)

    @property
    def record(self) -> Record | InvalidRecord:
        """Its latest revision at the view's `seq`."""
        return self._core.record(self.index)

    @property
    def line(self) -> bytes:
        """The line of its latest revision."""
        return self._core.log.line(self.index)

    @property
    def flags(self) -> list[Flag]:
        """Members of this record that have a capture state other than complete."""
        line = self.line
        return _capture_flags(self._core, self.first, self.index) if b'"capture"' in line else []

    def __repr__(self) -> str:
        return f"<ContextItem {excerpt(self.entity.ref, 80)}>"

    def _repr_html_(self) -> str:
        return self.record._repr_html_()


class ContextView:
    """The active path with rewinds and compactions applied. [S] "Context view". Evidence, not proof of the exact request."""

    def __init__(self, core: Core, head: int, at: int | None) -> None:
        end = core.log.end(at)
        self._core = core
        self._end = end
        self.at = at
        """Only records up to this `seq` count; None: all."""
        self.head: Entity | None = None if head == NONE else Entity(core, head)
        """The head it starts from."""
        self.diagnostics: list[Diagnostic] = [
            located(core, i, d) for i in core.log.untyped(end) for d in _first_error(core.record(i))
        ]
        """Lines that no record could be read from, and what was found on the way."""
        self._path = core.structure.path(head)
        self._compacted: dict[int, int] = {}
        self._not_applied: list[int] = []
        if self._path:
            finding = core.structure.finding(self._path[0], end)
            if finding is not None:
                self.diagnostics.append(located(core, self._path[0], finding))
        self._items = self._fold()

    def _fold(self) -> list[int]:
        core, index = self._core, self._core.index
        compactions = set(core.log.of_types(("compaction",), self._end))
        if compactions.isdisjoint(self._path):
            return self._path
        view: deque[int] = deque()
        there: set[int] = set()
        for entity in self._path:
            if entity not in compactions:
                view.append(entity)
                there.add(entity)
                continue
            latest = index.latest(entity, self._end)
            members = core.log.value(latest)
            if members.get("status") not in (None, "completed"):
                self._not_applied.append(entity)
                continue
            kept = self._kept_from(members, latest, there)
            while view and view[0] != kept:
                gone = view.popleft()
                there.discard(gone)
                self._compacted[gone] = entity
            view.appendleft(entity)
            there.add(entity)
        return list(view)

    def _kept_from(self, members: dict[str, Any], latest: int, there: set[int]) -> int:
        ref = members.get("keptFrom")
        if ref is None:
            return NONE
        kept = self._core.index.find(ref, self._end) if isinstance(ref, str) else None
        if kept is not None and kept in there:
            return kept
        finding = Diagnostic.of(
            "kept-from-missing", f"keptFrom {excerpt(ref)} is not in the context; nothing is kept", pointer="/keptFrom"
        )
        self.diagnostics.append(located(self._core, latest, finding))
        return NONE

    @cached_property
    def items(self) -> LazySequence[ContextItem]:
        """What the context contained, in its order."""
        return LazySequence(self._items, self.item)

    def item(self, first: int) -> ContextItem:
        """An entity, by the index of its first record, in its latest revision at the view's `seq`."""
        return ContextItem(self._core, first, self._core.index.latest(first, self._end))

    @cached_property
    def absent(self) -> list[Absent]:
        """Every participating entity that is not there, in file order, and why."""
        core = self._core
        there, on_path, skipped = set(self._items), set(self._path), set(self._not_applied)
        rewound = core.structure.dropped(self._end)
        compactions = {c: core.index.ref(c) for c in set(self._compacted.values())}
        rewinds = {r: core.log.value(r).get("id") for r in set(rewound.values())}
        absent = []
        for e in core.structure.joined(self._end):
            if e in there:
                continue
            if e in skipped:
                absent.append(Absent(Entity(core, e), "not-applied", None))
            elif e in on_path:
                absent.append(Absent(Entity(core, e), "compacted", compactions[self._compacted[e]]))
            elif e in rewound:
                absent.append(Absent(Entity(core, e), "rewound", rewinds[rewound[e]]))
            else:
                absent.append(Absent(Entity(core, e), "other-branch", None))
        return absent

    @property
    def compacted(self) -> dict[int, int]:
        """Entities that a compaction took out of the view to the compaction, each by the index of its first record."""
        return dict(self._compacted)

    @cached_property
    def flags(self) -> list[Flag]:
        """What a reader should know of the items, in their order."""
        core, end, there = self._core, self._end, set(self._items)
        flags = []
        for first in self._items:
            record_type = core.log.type(first)
            if record_type in ("tool_call", "tool_result"):
                call_id = core.log.value(first).get("callId")
                other = (
                    core.index.of_key("tool_result" if record_type == "tool_call" else "tool_call", call_id)
                    if isinstance(call_id, str)
                    else None
                )
                if other not in there:
                    ref = core.index.ref(first)
                    if record_type == "tool_call":
                        flags.append(
                            Flag(
                                "call-without-result", ref, f"the call {excerpt(call_id)} has no result in the context"
                            )
                        )
                    else:
                        flags.append(
                            Flag(
                                "result-without-call",
                                ref,
                                f"the call {excerpt(call_id)} of this result is not in the context",
                            )
                        )
            latest = core.index.latest(first, end)
            if b'"capture"' in core.log.line(latest):
                flags += _capture_flags(core, first, latest)
        return flags

    def to_messages(self) -> list[dict[str, Any]]:
        """The items as plain messages: `role` and `content`, with tool calls and results as blocks of their own.

        A reading aid, not a provider's request.
        """
        return [_as_message(item.record) for item in self.items]

    def __len__(self) -> int:
        return len(self._items)

    def __str__(self) -> str:
        lines = [
            f"{len(self):,} {'entity' if len(self) == 1 else 'entities'} in context, {len(self.absent):,} not there"
        ]
        lines += [f"  {item.entity.seq:>6}  {item.entity.type:<11} {said(item.record)}" for item in self.items]
        return "\n".join([*lines, EVIDENCE])

    def __repr__(self) -> str:
        return f"<ContextView of {len(self)} entities at {'the end' if self.at is None else f'seq {self.at}'}>"

    def _repr_html_(self) -> str:
        from sessionrecord.display.html import context_html  # displays rest on sessions

        return context_html(self)


def _capture_flags(core: Core, first: int, latest: int) -> list[Flag]:
    capture = core.log.value(latest).get("capture")
    if not isinstance(capture, dict):
        return []
    ref = core.index.ref(first)
    return [
        Flag("capture-incomplete", ref, f"{excerpt(name)} is {excerpt(state.get('state'))}")
        for name, state in capture.items()
        if isinstance(state, dict) and state.get("state") != "complete"
    ]


def _as_message(record: Record | InvalidRecord) -> dict[str, Any]:
    if isinstance(record, Message):
        return {"role": record.role, "content": [b.to_wire() for b in record.content or ()]}
    if isinstance(record, ToolCall):
        call = {"type": "tool_call", "callId": record.call_id, "name": record.name, "arguments": record.arguments}
        return {"role": "assistant", "content": [call]}
    if isinstance(record, ToolResult):
        result = {"type": "tool_result", "callId": record.call_id, "outcome": record.outcome}
        return {"role": "tool", "content": [{**result, "content": [b.to_wire() for b in record.content or ()]}]}
    if isinstance(record, Compaction):
        return {"role": "user", "content": [b.to_wire() for b in record.summary or ()]}
    return {"role": "unknown", "content": [], "id": record.id}


def _first_error(record: Record | InvalidRecord) -> list[Diagnostic]:
    found = record.diagnostics if isinstance(record, InvalidRecord) else ()
    return [d for d in found if d.severity == "error"][:1]


def located(core: Core, index: int, finding: Diagnostic) -> Diagnostic:
    """A finding with the place of its record."""
    record_id = finding.record_id or core.log.value(index).get("id")
    return Diagnostic(
        finding.code,
        finding.severity,
        finding.message,
        core.log.line_number(index),
        core.log.offset(index),
        finding.pointer,
        record_id if isinstance(record_id, str) else None,
        finding.requirement,
    )


def active_path(core: Core, head: int, at: int | None) -> ActivePath:
    """The active path from a head at a `seq`."""
    path = core.structure.path(head)
    finding = core.structure.finding(path[0], core.log.end(at)) if path else None
    found = [] if finding is None else [located(core, path[0], finding)]
    return ActivePath(LazySequence(path, lambda first: Entity(core, first)), found)


def context_view(core: Core, head: int, at: int | None) -> ContextView:
    """The context view from a head at a `seq`."""
    return ContextView(core, head, at)
