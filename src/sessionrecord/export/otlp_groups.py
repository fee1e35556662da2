"""Which records are of one model call, and which of one tool call: what a span is made from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from sessionrecord.export.material import Item, Material
from sessionrecord.export.otlp_encoding import nanoseconds
from sessionrecord.export.otlp_messages import input_message
from sessionrecord.export.report import LossReport
from sessionrecord.records import Compaction, Message, ModelCall, Record, ToolCall, ToolResult, Usage

__all__ = ["Execution", "Groups", "Inference"]


@dataclass(slots=True)
class Inference:
    """A model call and what is recorded about it."""

    model_call: ModelCall | None = None
    usage: Usage | None = None
    outputs: list[Message | ToolCall] = field(default_factory=list)
    """What the model gave, in order."""
    given: list[dict[str, Any]] = field(default_factory=list)
    """What was new in its input: messages since the model call before."""
    on_path: bool | None = None
    """Whether any output is on the active path; None without outputs."""
    compacted: bool = False
    """Whether a compaction was applied before it on the active path."""
    carried: int | None = None
    """The last time known when it first appears, in nanoseconds."""

    @property
    def records(self) -> list[Record]:
        """All its records."""
        return [*self.outputs, *(r for r in (self.model_call, self.usage) if r is not None)]


@dataclass(slots=True)
class Execution:
    """A tool call and its result."""

    call_id: str
    call: ToolCall | None = None
    result: ToolResult | None = None
    on_path: bool = True
    """Whether the call, or a result without one, is on the active path."""
    carried: int | None = None
    """The last time known when it first appears, in nanoseconds."""

    @property
    def records(self) -> list[Record]:
        """Its records."""
        return [r for r in (self.call, self.result) if r is not None]


class Groups:
    """The records of a session as model calls, tool calls and the others, in one pass in file order."""

    def __init__(self, material: Material, report: LossReport, *, content: bool) -> None:
        self.inferences: dict[str, Inference] = {}
        """Model calls by what names them: `call` and the model call's ID, or `message` and the ID of a message that names none."""
        self.executions: dict[str, Execution] = {}
        """Tool calls by call ID, in the order in which they first appear."""
        self.others: list[tuple[Item, int | None]] = []
        """All other records, each with the last time known then."""
        self.moments: list[int] = []
        """Every moment recorded, in nanoseconds."""
        self._report = report
        self._content = content
        self._now: int | None = None
        self._waiting: list[dict[str, Any]] = []
        self._compacted = False
        if material.header is not None:
            self._tick(material.header)
        path = {item.order for item in material.path}
        items: Iterable[Item] = (*material.path, *material.off_path, *material.audit)
        for item in sorted(items, key=lambda item: item.order):
            self._add(item, item.order in path)

    def _tick(self, record: Record) -> None:
        moment = nanoseconds(record.timestamp)
        if moment is not None:
            self.moments.append(moment)
            self._now = moment
        elif record.timestamp is not None:
            self._report.add("timestamp_not_readable", "timestamp", record, "/timestamp")

    def _add(self, item: Item, on_path: bool) -> None:
        record = item.record
        self._tick(record)
        if isinstance(record, ToolCall | ToolResult):
            self._execution(record, on_path)
        key = _inference_key(record)
        if key is not None:
            self._inference(key, record, on_path)
            return
        if self._content and (message := input_message(record)) is not None:
            self._waiting.append(message)
        if isinstance(record, Compaction) and on_path and record.status in (None, "completed"):
            self._compacted = True
        if not isinstance(record, ToolCall | ToolResult):
            self.others.append((item, self._now))

    def _execution(self, record: ToolCall | ToolResult, on_path: bool) -> None:
        made = Execution(record.call_id, on_path=on_path, carried=self._now)
        execution = self.executions.setdefault(record.call_id, made)
        if isinstance(record, ToolCall):
            execution.call, execution.on_path = record, on_path
        else:
            execution.result = record

    def _inference(self, key: str, record: Record, on_path: bool) -> None:
        inference = self.inferences.setdefault(key, Inference(carried=self._now))
        if isinstance(record, ModelCall):
            inference.model_call = record
        elif isinstance(record, Usage):
            inference.usage = record
        elif isinstance(record, Message | ToolCall):
            if not inference.outputs:
                inference.given, self._waiting = self._waiting, []
                inference.compacted = self._compacted and on_path
            inference.outputs.append(record)
            inference.on_path = bool(inference.on_path) or on_path


def _inference_key(record: Record) -> str | None:
    """What names the model call that a record is of; None where it is of none."""
    if isinstance(record, ModelCall):
        return f"call {record.model_call_id}"
    if isinstance(record, Usage):
        single = record.scope in (None, "model_call") and record.counter in (None, "delta")
        return f"call {record.model_call_id}" if single and record.model_call_id is not None else None
    if isinstance(record, ToolCall):
        return None if record.model_call_id is None else f"call {record.model_call_id}"
    if isinstance(record, Message) and record.role == "assistant":
        return f"message {record.message_id}" if record.model_call_id is None else f"call {record.model_call_id}"
    return None
