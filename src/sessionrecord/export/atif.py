"""Sessions as trajectories of ATIF 1.8: the active path as steps, compactions included, and totals.

What a record holds beyond ATIF's members stands in `extra` under `asr`, under the names of the record.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any, Final

from sessionrecord import ijson
from sessionrecord.export.atif_content import Content
from sessionrecord.export.exported import Exported
from sessionrecord.export.material import Item, Material, gather, holdable, opened, rest, session_reference
from sessionrecord.export.report import LossReport
from sessionrecord.export.tokens import prompt_tokens
from sessionrecord.records import (
    Compaction,
    Declaration,
    Message,
    ModelCall,
    Record,
    SessionHeader,
    SessionInfo,
    ToolCall,
    ToolResult,
    Usage,
)
from sessionrecord.refs import SessionReference
from sessionrecord.session import Session, SessionAt
from sessionrecord.session.session import Views

__all__ = ["SCHEMA_VERSION", "to_atif"]

SCHEMA_VERSION: Final = "ATIF-v1.8"
"""The version of the format, as trajectories name it."""

_LARGEST: Final = Decimal(sys.float_info.max)
"""The largest cost: readers take costs for doubles."""
_SOURCES: Final = {"user": "user", "assistant": "agent", "system": "system", "developer": "system"}


def to_atif(session: Session | SessionAt, *, at: int | None = None) -> Exported:
    """A session, or what there was of it at a `seq`, as a trajectory. Its report lists what a trajectory cannot hold."""
    report = LossReport("atif")
    views, at = opened(session, at, "to_atif")
    material = gather(views, at, report)
    steps = _Steps(report)
    for item in material.path:
        steps.add(item.record)
    steps.attach(material.audit)
    trajectory: dict[str, Any] = {"schema_version": SCHEMA_VERSION}
    reference = session_reference(material.header)
    if material.header is not None and reference is not None:
        trajectory |= {"session_id": material.header.session_id, "trajectory_id": reference}
    trajectory["agent"] = _agent(material, report)
    trajectory["steps"] = [step.wire(number) for number, step in enumerate(steps.steps, 1)]
    trajectory |= _totals(views, at, material, steps, report)
    trajectory |= _extra(views, at, material, report)
    for item in material.off_path:
        report.add("not_on_path", item.record.type, item.record)
    return Exported(trajectory, report)


def _agent(material: Material, report: LossReport) -> dict[str, Any]:
    header = material.header
    agent: dict[str, Any] = {"name": "", "version": ""}
    if header is None:
        report.add("name_absent", "agent", None)
        report.add("name_absent", "agentVersion", None)
    else:
        agent["name"] = header.agent
        if header.agent_version is None:
            report.add("name_absent", "agentVersion", header, "/agentVersion")
        else:
            agent["version"] = header.agent_version
    records = (item.record for item in (*material.path, *material.audit))
    models = {r.model for r in records if isinstance(r, Message | ModelCall | Usage)} - {None}
    if len(models) == 1:
        agent["model_name"] = models.pop()
    return agent


@dataclass(slots=True)
class _Step:
    """A step while it grows."""

    source: str
    content: Content = field(default_factory=Content)
    timestamp: str | None = None
    model: str | None = None
    model_call_id: str | None = None
    calls: dict[str, dict[str, Any]] = field(default_factory=dict)
    results: list[dict[str, Any]] = field(default_factory=list)
    metrics: dict[str, Any] | None = None
    extra: dict[str, Any] = field(default_factory=dict)
    records: list[dict[str, Any]] = field(default_factory=list)
    answered: bool = False
    begins: bool = False  # whether it is the first step of its model call

    def wire(self, number: int) -> dict[str, Any]:
        """The step as ATIF writes it; members that it does not have are left out."""
        members = {
            "step_id": number,
            "timestamp": self.timestamp,
            "source": self.source,
            "model_name": self.model,
            "message": self.content.message(),
            "reasoning_content": self.content.reasoning_content,
            "tool_calls": list(self.calls.values()) or None,
            "observation": {"results": self.results} if self.results else None,
            "metrics": self.metrics,
            "llm_call_count": 1 if self.begins else None,
            "extra": {**self.extra, **({"asr": self.records} if self.records else {})} or None,
        }
        return {name: value for name, value in members.items() if value is not None}


class _Steps:
    """The steps of a path."""

    def __init__(self, report: LossReport) -> None:
        self.steps: list[_Step] = []
        self._report = report
        self._of_call: dict[str, _Step] = {}
        self._of_model_call: dict[str, _Step] = {}
        self._started: dict[str, dict[str, Any]] = {}  # by call, the result that names a child session
        self.metered: set[str] = set()

    def add(self, record: Record) -> None:
        """The next record of the path."""
        if isinstance(record, Message):
            self._message(record)
        elif isinstance(record, ToolCall):
            self._call(record)
        elif isinstance(record, ToolResult):
            self._result(record)
        elif isinstance(record, Compaction):
            self._compaction(record)

    def _new(self, source: str) -> _Step:
        step = _Step(source)
        self.steps.append(step)
        return step

    def _agent_step(self, record: Message | ToolCall) -> _Step:
        """The step of the model call that a record comes from.

        Records that name no model call are of one step until a result stands between them.
        """
        last = self.steps[-1] if self.steps else None
        if (
            last is not None
            and last.source == "agent"
            and last.model_call_id == record.model_call_id
            and (record.model_call_id is not None or not last.answered)
        ):
            return last
        step = self._new("agent")
        step.model_call_id = record.model_call_id
        if record.model_call_id is not None:
            step.begins = self._of_model_call.setdefault(record.model_call_id, step) is step
        return step

    def _timed(self, step: _Step, record: Record, members: dict[str, Any]) -> dict[str, Any]:
        """The members of a record without its timestamp, where the step takes that for its own."""
        if record.timestamp is None or step.timestamp is not None:
            return members
        if not _readable(record.timestamp):
            self._report.add("timestamp_not_readable", "timestamp", record, "/timestamp", kept=True)
            return members
        step.timestamp = record.timestamp
        return {name: value for name, value in members.items() if name != "timestamp"}

    def _message(self, record: Message) -> None:
        source = _SOURCES.get(record.role)
        used = ["content"]
        if source is None or record.role == "developer":
            self._report.add("role_mapped", "role", record, "/role", kept=True)
        else:
            used.append("role")
        step = self._agent_step(record) if source == "agent" else self._new(source or "system")
        if step.source == "agent" and record.model is not None and step.model in (None, record.model):
            step.model = record.model
            used.append("model")
        if record.content is None or (not record.content and source != "agent"):
            self._report.add("content_absent", "content", record, "/content")
        first = len(step.content.parts)
        left = step.content.add(record, record.content, "content", self._report, reasons=step.source == "agent")
        members = self._timed(step, record, rest(record, used))
        if left:
            members["content"] = left
        if 0 < first < len(step.content.parts):
            members["firstPart"] = first  # where its parts begin among those of the step
        step.records.append(self._holdable(record, members))

    def _holdable(self, record: Record, members: dict[str, Any]) -> dict[str, Any]:
        if any(state.state != "complete" for state in (record.capture or {}).values()):
            self._report.add("capture_state", "capture", record, "/capture", kept=True)
        held = {}
        for name, value in members.items():
            held[name], exact = holdable(value)
            if not exact:
                self._report.add("nesting_too_deep", name, record, ijson.pointer(name), kept=True)
        return held

    def _call(self, record: ToolCall) -> None:
        step = self._agent_step(record)
        used = ["callId", "name", "arguments"]
        if record.name is None:
            self._report.add("name_absent", "name", record, "/name")
        members = self._timed(step, record, rest(record, used))
        step.calls[record.call_id] = {
            "tool_call_id": record.call_id,
            "function_name": record.name or "",
            "arguments": self._arguments(record, members),
            "extra": {"asr": self._holdable(record, members)},
        }
        self._of_call[record.call_id] = step
        if record.child_session is not None:
            self._report.add("child_session", "childSession", record, "/childSession", kept=True)
            self._child(step, record.call_id, record.child_session)

    def _arguments(self, record: ToolCall, members: dict[str, Any]) -> Any:
        """The arguments as an object; `members` gets the mark that they were none."""
        if "arguments" not in record.model_fields_set:
            self._report.add("arguments_absent", "arguments", record, "/arguments")
            members["argumentsAbsent"] = True
            return {}
        value, exact = holdable(record.arguments)
        if not exact:
            self._report.add("nesting_too_deep", "arguments", record, "/arguments", kept=True)
        if isinstance(value, dict):
            return value
        self._report.add("arguments_wrapped", "arguments", record, "/arguments", kept=True)
        members["argumentsWrapped"] = True
        return {"value": value}

    def _child(self, step: _Step, call_id: str, session: str) -> None:
        key = SessionReference.parse(session).key
        child = {"trajectory_path": session, "session_id": key.session_id}
        result = {"source_call_id": call_id, "subagent_trajectory_ref": [child]}
        self._started[call_id] = result
        step.results.append(result)

    def _result(self, record: ToolResult) -> None:
        step = self._of_call.get(record.call_id)
        content = Content()
        left = content.add(record, record.content, "content", self._report, reasons=False)
        result = self._started.get(record.call_id, {})
        used = ["content"]
        if step is None:
            self._report.add("result_without_call", "callId", record, "/callId", kept=True)
            step = self._new("agent")
            members = self._timed(step, record, rest(record, used))
        else:
            if step is not self.steps[-1]:
                self._report.add("result_moved", record.type, record, "/seq", kept=True)
            used.append("callId")
            result["source_call_id"] = record.call_id
            members = rest(record, used)
        step.answered = True
        if record.content:
            result["content"] = content.message()
        if left:
            members["content"] = left
        result["extra"] = {"asr": self._holdable(record, members)}
        if record.call_id not in self._started:
            step.results.append(result)

    def _compaction(self, record: Compaction) -> None:
        step = self._new("system")
        used = ["summary"]
        if record.status in (None, "completed"):
            change: dict[str, Any] = {"type": "compaction", "boundary": "replace"}
            if record.tokens_before is not None:
                change["tokens_before"] = record.tokens_before
            if record.tokens_after is not None:
                change["tokens_after"] = record.tokens_after
            used += ["tokensBefore", "tokensAfter"]
            step.extra["context_management"] = change
        if not record.summary:
            self._report.add("content_absent", "summary", record, "/summary")
        left = step.content.add(record, record.summary, "summary", self._report, reasons=False)
        members = self._timed(step, record, rest(record, used))
        if left:
            members["summary"] = left
        step.records.append(self._holdable(record, members))

    def attach(self, audit: list[Item]) -> None:
        """Put model calls and usage with the steps they are of; the audit records that no step holds are reported."""
        for item in audit:
            record = item.record
            if isinstance(record, ModelCall):
                self._model_call(record)
            elif isinstance(record, Usage):
                self._usage(record)
            elif isinstance(record, Declaration | SessionInfo):
                self._report.add("folded", record.type, record, kept=True)
            else:
                self._report.add("no_place", record.type, record)

    def _model_call(self, record: ModelCall) -> None:
        step = self._of_model_call.get(record.model_call_id)
        if step is None:
            self._report.add("no_step", record.type, record)
            return
        used = []
        if record.model is not None and step.model in (None, record.model):
            step.model = record.model
            used.append("model")
        step.records.append(self._holdable(record, rest(record, used)))

    def _usage(self, record: Usage) -> None:
        single = record.scope in (None, "model_call") and record.counter in (None, "delta")
        named = record.model_call_id
        step = self._of_model_call.get(named) if single and named is not None else None
        if step is None or named is None:
            counted = record.scope in (None, "model_call", "turn", "session")
            kind = "no_step" if single and named is not None else "folded" if counted else "no_place"
            self._report.add(kind, record.type, record)
            return
        if record.model is not None and step.model is None:
            step.model = record.model
        step.metrics = self._metrics(record)
        self.metered.add(named)

    def _metrics(self, record: Usage) -> dict[str, Any]:
        used = ["outputTokens", "cacheReadTokens"]
        prompt, unknown = prompt_tokens(record)
        if unknown:
            self._report.add("tokens_partly_known", ", ".join(unknown), record, "/inputTokens", kept=True)
        cost = None
        if record.cost is not None and record.cost.currency == "USD" and record.cost.amount > _LARGEST:
            self._report.add("out_of_range", "cost", record, "/cost/amount", kept=True)
        elif record.cost is not None and record.cost.currency == "USD":
            cost = record.cost.amount
            if not record.cost.model_extra:
                used.append("cost")
        elif record.cost is not None:
            self._report.add("currency", record.cost.currency, record, "/cost", kept=True)
        metrics = {
            "prompt_tokens": prompt,
            "completion_tokens": record.output_tokens,
            "cached_tokens": record.cache_read_tokens,
            "cost_usd": cost,
            "extra": {"asr": self._holdable(record, rest(record, used))},
        }
        return {name: value for name, value in metrics.items() if value is not None}


def _totals(session: Views, at: int | None, material: Material, steps: _Steps, report: LossReport) -> dict[str, Any]:
    usage = session.usage(at)
    prompt, unknown = prompt_tokens(usage.total)
    if unknown:
        report.add("tokens_partly_known", ", ".join(unknown), None)
    if usage.total.missing or usage.incomplete or usage.costs_missing:
        report.add("totals_incomplete", "final_metrics", None, kept=True)
    costs: dict[str, Decimal] = dict(usage.costs)
    dollars = costs.pop("USD", None)
    for currency in costs:
        report.add("currency", currency, None, kept=True)
    if dollars is not None and dollars > _LARGEST:
        report.add("out_of_range", "total_cost_usd", None, kept=True)
        costs["USD"], dollars = dollars, None
    totals: dict[str, Any] = {
        "total_prompt_tokens": prompt,
        "total_completion_tokens": usage.total.output_tokens,
        "total_cached_tokens": usage.total.cache_read_tokens,
        "total_cost_usd": dollars,
        "total_steps": len(steps.steps),
    }
    extra: dict[str, Any] = {
        "input_tokens_without_cache": usage.total.input_tokens,
        "cache_write_tokens": usage.total.cache_write_tokens,
        "reasoning_tokens": usage.total.reasoning_tokens,
        "total_tokens": usage.total.total_tokens,
        "costs": costs or None,
        "costs_missing": usage.costs_missing or None,
        "missing": usage.total.missing or None,
        "incomplete_usage_records": usage.incomplete or None,
        "includes_children": usage.includes_children if usage.by_model else None,
    }
    counted = [i.record for i in material.audit if isinstance(i.record, Usage)]
    members: dict[str, Any] = {}
    if any(record.model_call_id not in steps.metered for record in counted):
        report.add("totals_wider", "final_metrics", None)
        members["notes"] = "final_metrics counts the usage of the whole session, also what belongs to no step."
    extra = {name: value for name, value in extra.items() if value is not None}
    members["final_metrics"] = {name: value for name, value in totals.items() if value is not None} | {"extra": extra}
    return members


def _extra(session: Views, at: int | None, material: Material, report: LossReport) -> dict[str, Any]:
    """What a session is, beyond what trajectories have members for."""
    asr: dict[str, Any] = {}
    types = Counter(item.record.type for item in material.audit)
    if material.header is not None:
        asr["header"] = _deep(material.header, rest(material.header, ("agent", "agentVersion", "sessionId")), report)
    if types["declaration"]:
        declared = session.declared(None if at is None else at + 1)  # those at `at` itself count
        asr["declared"] = {
            name: holdable(_plain(value))[0]
            for name in declared.__dataclass_fields__
            if (value := getattr(declared, name)) is not None
        }
    if types["session_info"]:
        info = session.info(at)
        asr["info"] = {name: value for name in info.__dataclass_fields__ if (value := getattr(info, name)) is not None}
    return {"extra": {"asr": asr}} if asr else {}


def _deep(header: SessionHeader, members: dict[str, Any], report: LossReport) -> dict[str, Any]:
    held = {}
    for name, value in members.items():
        held[name], exact = holdable(value)
        if not exact:
            report.add("nesting_too_deep", name, header, ijson.pointer(name), kept=True)
    return held


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(v) for v in value]
    return value.to_wire() if hasattr(value, "to_wire") else value


def _readable(timestamp: str) -> bool:
    """Whether readers of ISO 8601 know the moment; they know no leap second and no year 0."""
    try:
        datetime.fromisoformat(timestamp.replace("Z", "+00:00"))
    except ValueError:
        return False
    return True
