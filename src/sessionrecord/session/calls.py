"""Tool calls with their results and decisions, and turns. Paired by `callId`, never by adjacency or name (spec section 7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from sessionrecord.diagnostics import excerpt
from sessionrecord.records import InvalidRecord, PermissionDecision, PermissionRequest, Record, ToolCall, ToolResult
from sessionrecord.session.core import Core
from sessionrecord.session.entity import LazySequence

__all__ = ["ToolUse", "Turn", "tool_calls", "turns"]


@dataclass(frozen=True, slots=True, repr=False)
class ToolUse:
    """A tool call with what is recorded about it."""

    call_id: str
    """The entity key that all parts share."""
    call: ToolCall | None
    """The latest revision of the call; None for a result whose call is not in the stream."""
    results: list[ToolResult]
    """The revisions of the result, in order; empty means unknown, never failure."""
    request: PermissionRequest | None
    """The request for permission, if one was recorded."""
    decision: PermissionDecision | None
    """The decision on it, if one was recorded."""

    @property
    def result(self) -> ToolResult | None:
        """The latest revision of the result."""
        return self.results[-1] if self.results else None

    @property
    def outcome(self) -> str | None:
        """How the call ended, as the result says; None where it does not say."""
        return self.result.outcome if self.result else None

    @property
    def duration_ms(self) -> int | float | Decimal | None:
        """How long it took in milliseconds, as the result says; never worked out from timestamps."""
        return self.result.duration_ms if self.result else None

    def __repr__(self) -> str:
        name = "no call" if self.call is None else excerpt(self.call.name, 20)
        ended = "no result" if self.result is None else f"outcome {excerpt(self.outcome, 20)}"
        return f"<ToolUse {excerpt(self.call_id)}: {name}, {ended}>"

    def _repr_html_(self) -> str:
        from sessionrecord.display.html import tool_use_html  # displays rest on sessions

        return tool_use_html(self)


@dataclass(frozen=True, slots=True, repr=False)
class Turn:
    """The records of one turn. [S] "Turn"."""

    turn_id: str
    """What the records name it by."""
    records: Sequence[Record | InvalidRecord]
    """Its records in file order."""

    def __repr__(self) -> str:
        return f"<Turn {excerpt(self.turn_id, 80)}: {len(self.records):,} records>"

    def _repr_html_(self) -> str:
        from sessionrecord.display.html import turn_html  # displays rest on sessions

        return turn_html(self)


def tool_calls(core: Core, at: int | None) -> list[ToolUse]:
    """Every call in the order in which calls, or results without one, were first recorded."""
    end = core.log.end(at)
    calls: dict[str, ToolCall | None] = {}
    results: dict[str, list[ToolResult]] = {}
    requests: dict[str, PermissionRequest] = {}
    decisions: dict[str, PermissionDecision] = {}
    parts = list(core.log.of_types(("tool_call", "tool_result", "permission_request", "permission_decision"), end))
    for record in core.records(parts):
        if isinstance(record, ToolCall):
            calls[record.call_id] = record
        elif isinstance(record, ToolResult):
            calls.setdefault(record.call_id, None)
            results.setdefault(record.call_id, []).append(record)
        elif isinstance(record, PermissionRequest) and record.call_id is not None:
            requests[record.call_id] = record
        elif isinstance(record, PermissionDecision):
            decisions[record.permission_id] = record
    uses = []
    for call_id, call in calls.items():
        request = requests.get(call_id)
        decision = decisions.get(request.permission_id) if request else None
        uses.append(ToolUse(call_id, call, results.get(call_id, []), request, decision))
    return uses


def turns(core: Core, at: int | None) -> list[Turn]:
    """The turns in the order of their first records; records without a `turnId` belong to none."""
    found: dict[str, list[int]] = {}
    for i in range(core.log.end(at)):
        if b'"turnId"' in core.log.line(i):
            turn_id = core.log.value(i).get("turnId")
            if isinstance(turn_id, str):
                found.setdefault(turn_id, []).append(i)
    return [Turn(turn_id, LazySequence(indexes, core.record)) for turn_id, indexes in found.items()]
