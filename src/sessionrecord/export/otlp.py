"""Sessions as OpenTelemetry traces: OTLP JSON with spans of the semantic conventions for generative AI, v0.1.0.

One trace a session: `invoke_agent` for the session, `chat` for each model call, `execute_tool` for each tool call; all
other records are events of these. Rewound and branched records are in the trace too, marked as not on the path.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Final

from sessionrecord import ijson
from sessionrecord.export.exported import Exported
from sessionrecord.export.material import ENVELOPE, Item, Material, gather, opened, rest, session_reference
from sessionrecord.export.otlp_encoding import (
    CLIENT,
    INTERNAL,
    LARGEST,
    LATEST,
    Attributes,
    Span,
    attributes,
    duration,
    nanoseconds,
    seconds,
    span_id,
    trace_id,
)
from sessionrecord.export.otlp_groups import Execution, Groups, Inference
from sessionrecord.export.otlp_messages import json_text, output_message, response
from sessionrecord.export.report import LossReport
from sessionrecord.export.tokens import prompt_tokens
from sessionrecord.records import Compaction, Message, ModelCall, Record, RecordedError, ToolCall, ToolResult, Usage
from sessionrecord.refs import SessionReference
from sessionrecord.session import Session, SessionAt
from sessionrecord.session.session import Views

__all__ = ["to_otlp"]

_FINISH: Final = {
    "end_turn": "stop",
    "max_tokens": "length",
    "tool_use": "tool_call",
    "refusal": "content_filter",
}
"""Stop reasons in the words of the conventions; all others stay as they are."""
_OF_CALL: Final = (Message, ToolCall, ModelCall, Usage)
_SESSION: Final = ("agent", "sessionId", "namespace", "agentVersion")
_MODEL_CALL: Final = (
    "modelCallId", "turnId", "provider", "requestId", "status", "stopReason", "durationMs",
)  # fmt: skip
_USAGE: Final = (
    "modelCallId", "turnId", "inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens", "reasoningTokens",
)  # fmt: skip
_TOOL_CALL: Final = ("callId", "name", "turnId", "kind", "modelCallId", "parentCallId", "childSession")
_TOOL_RESULT: Final = ("callId", "turnId", "outcome", "exitCode", "durationMs")


def to_otlp(session: Session | SessionAt, *, at: int | None = None, content: bool = False) -> Exported:
    """A session, or what there was of it at a `seq`, as an `ExportTraceServiceRequest` in JSON.

    With `content` what was said, the arguments and results of tools, and all members without an attribute of their own are in
    the attributes too; the conventions have them opt-in, since they may hold secrets.
    """
    report = LossReport("otlp")
    views, at = opened(session, at, "to_otlp")
    material = gather(views, at, report)
    trace = _Trace(material, report, content)
    trace.describe(views, at)
    header = material.header
    resource: Attributes = {}
    if header is not None:
        resource = {"service.name": header.agent, "service.version": header.agent_version}
    spans = sorted(trace.spans, key=lambda span: span.start)
    scope = {"scope": {"name": "sessionrecord"}, "spans": [span.wire(trace.id) for span in (trace.root, *spans)]}
    request = {"resourceSpans": [{"resource": {"attributes": attributes(resource)}, "scopeSpans": [scope]}]}
    return Exported(request, report)


class _Trace:
    """The spans of a session."""

    def __init__(self, material: Material, report: LossReport, content: bool) -> None:
        self._report = report
        self._content = content
        self._header = material.header
        self._session = session_reference(material.header) or ""
        self._path = {item.order for item in material.path}
        self.id = trace_id(self._session)
        agent = self._header.agent if self._header is not None else ""
        self.root = Span(f"invoke_agent {agent}".rstrip(), INTERNAL, span_id(self._session))
        self.spans: list[Span] = []
        report.add("id_derived", "traceId, spanId", None, kept=True)
        groups = Groups(material, report, content=content)
        if groups.moments:
            self.root.start, self.root.end = min(groups.moments), max(groups.moments)
        else:
            report.add("time_unknown", "startTimeUnixNano", None)
        chats = {key: self._chat(key, inference) for key, inference in groups.inferences.items()}
        tools: dict[str, Span] = {}
        for execution in groups.executions.values():
            parent = execution.call.parent_call_id if execution.call is not None else None
            # only an earlier call can be the parent: a circle of parents would be no trace
            above = self.root if parent is None else tools.get(parent, self.root)
            tools[execution.call_id] = self._tool(execution, above.id)
        for item, carried in groups.others:
            self._event(self._place(item.record, chats, tools), item, carried)

    def _place(self, record: Record, chats: dict[str, Span], tools: dict[str, Span]) -> Span:
        """The span that a record is an event of."""
        call_id, model_call_id = getattr(record, "call_id", None), getattr(record, "model_call_id", None)
        if isinstance(call_id, str) and call_id in tools:
            return tools[call_id]
        if isinstance(model_call_id, str) and f"call {model_call_id}" in chats:
            return chats[f"call {model_call_id}"]
        return self.root

    def describe(self, session: Views, at: int | None) -> None:
        """What the whole session is and used, on the root span."""
        header, usage = self._header, session.usage(at)
        prompt, unknown = prompt_tokens(usage.total)
        if unknown:
            self._report.add("tokens_partly_known", ", ".join(unknown), None)
        if usage.total.missing or usage.incomplete or usage.costs_missing:
            self._report.add("totals_incomplete", "gen_ai.usage", None)
        self.root.attributes = {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": header.agent if header is not None else None,
            "gen_ai.conversation.id": header.session_id if header is not None else None,
            "gen_ai.usage.input_tokens": self._total(prompt, "gen_ai.usage.input_tokens"),
            "gen_ai.usage.output_tokens": self._total(usage.total.output_tokens, "gen_ai.usage.output_tokens"),
            "sessionrecord.session": self._session or None,
            "sessionrecord.costs": json_text(usage.costs) if usage.costs else None,
            "sessionrecord.costs_missing": usage.costs_missing or None,
            "sessionrecord.record.ids": [header.id] if header is not None else None,
        }
        if header is not None:
            self._remainder(self.root, [(header, _SESSION)])

    def _total(self, count: int | None, name: str) -> int | None:
        """A total that an attribute can hold; one of many large counts may be beyond that."""
        if count is None or count <= LARGEST:
            return count
        self._report.add("out_of_range", name, None)
        return None

    def _common(self, records: list[Record], on_path: bool | None) -> Attributes:
        turns = dict.fromkeys(r.turn_id for r in records if r.turn_id is not None)
        return {
            "gen_ai.conversation.id": self._header.session_id if self._header is not None else None,
            "sessionrecord.record.ids": [r.id for r in records],
            "sessionrecord.turn.ids": list(turns) or None,
            "sessionrecord.on_path": False if on_path is False else None,
        }

    def _remainder(self, span: Span, records: list[tuple[Record, tuple[str, ...]]]) -> None:
        """The members that no attribute holds: as JSON texts in an attribute where content is wanted, else reported."""
        left = []
        for record, used in records:
            members = rest(record, used)
            if nanoseconds(record.timestamp) in (span.start, span.end):
                del members["timestamp"]
            if "model" in members and members["model"] == span.attributes.get("gen_ai.request.model"):
                del members["model"]
            if self._content and members.keys() > ENVELOPE:
                left.append(json_text(members))
            elif not self._content:
                self._off(record, members)
        if left:
            span.attributes["sessionrecord.records"] = left

    def _off(self, record: Record, members: dict[str, Any]) -> None:
        names = [name for name in members if name not in ENVELOPE]
        if names:
            self._report.add("content_off", ", ".join(names), record, ijson.pointer(names[0]))

    def _chat(self, key: str, inference: Inference) -> Span:
        about, usage, records = inference.model_call, inference.usage, inference.records
        models = (r.model for r in (about, *inference.outputs, usage) if isinstance(r, ModelCall | Message | Usage))
        model = next((m for m in models if m is not None), None)
        span = Span(
            "chat" if model is None else f"chat {model}", CLIENT, span_id(self._session, "chat", key), self.root.id
        )
        self.spans.append(span)
        stops = [
            r.stop_reason
            for r in (about, *inference.outputs)
            if isinstance(r, Message | ModelCall) and r.stop_reason is not None
        ]
        span.attributes = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": about.provider if about is not None else None,
            "gen_ai.request.model": model,
            "gen_ai.response.finish_reasons": [_FINISH.get(stops[0], stops[0])] if stops else None,
            "gen_ai.conversation.compacted": inference.compacted or None,
            **self._common(records, inference.on_path),
            "sessionrecord.model_call.id": next((r.model_call_id for r in records if isinstance(r, _OF_CALL)), None),
        }
        if span.attributes["gen_ai.provider.name"] is None:
            self._report.add("provider_unknown", "gen_ai.provider.name", records[0], "/provider")
        self._chat_time(span, inference)
        left: list[tuple[Record, tuple[str, ...]]] = []
        said = ("content",) if self._content else ()
        left += [(r, ("modelCallId", "role", "turnId", *said)) for r in inference.outputs if isinstance(r, Message)]
        if about is not None:
            left.append((about, self._model_call(span, about)))
        if usage is not None:
            left.append((usage, self._usage(span, usage)))
        if self._content:
            self._messages(span, inference)
        self._remainder(span, left)
        return span

    def _model_call(self, span: Span, record: ModelCall) -> tuple[str, ...]:
        """Put what is said of a model call on its span; returns the members that say no more than it."""
        first = seconds(record.time_to_first_token_ms)
        span.attributes |= {
            "gen_ai.response.time_to_first_chunk": first,
            "sessionrecord.request.id": record.request_id,
            "sessionrecord.status": record.status,
            "sessionrecord.duration_ms": _exact(record.duration_ms),
        }
        if record.status == "failed" or record.error is not None:
            self._fail(span, record.error)
        if first is None and record.time_to_first_token_ms is not None:
            self._report.add("out_of_range", "timeToFirstTokenMs", record, "/timeToFirstTokenMs", kept=self._content)
            return _MODEL_CALL
        return (*_MODEL_CALL, "timeToFirstTokenMs")

    def _usage(self, span: Span, record: Usage) -> tuple[str, ...]:
        """Put usage on a span; returns the members that say no more than it."""
        prompt, unknown = prompt_tokens(record)
        if unknown:
            self._report.add("tokens_partly_known", ", ".join(unknown), record, "/inputTokens")
        span.attributes |= {
            "gen_ai.usage.input_tokens": prompt,
            "gen_ai.usage.output_tokens": record.output_tokens,
            "gen_ai.usage.cache_read.input_tokens": record.cache_read_tokens,
            "gen_ai.usage.cache_write.input_tokens": record.cache_write_tokens,
            "gen_ai.usage.reasoning.output_tokens": record.reasoning_tokens,
        }
        if record.cost is None:
            return _USAGE
        span.attributes["sessionrecord.cost.amount"] = _exact(record.cost.amount)
        span.attributes["sessionrecord.cost.currency"] = record.cost.currency
        return _USAGE if record.cost.model_extra else (*_USAGE, "cost")

    def _messages(self, span: Span, inference: Inference) -> None:
        if inference.given:
            span.attributes["gen_ai.input.messages"] = json_text(inference.given)
        if inference.outputs:
            self._report.add("input_partial", "gen_ai.input.messages", inference.outputs[0], "/predecessor")
            span.attributes["gen_ai.output.messages"] = json_text([output_message(inference.outputs)])

    def _chat_time(self, span: Span, inference: Inference) -> None:
        about = inference.model_call
        records = [*inference.outputs, *([about] if about is not None else [])] or inference.records
        moments = [t for r in records if (t := nanoseconds(r.timestamp)) is not None]
        if not moments:
            start = self.root.start if inference.carried is None else inference.carried
            self._unknown_time(span, records[0], start, self._took(about, after=start))
            return
        span.start, span.end = min(moments), max(moments)
        took = self._took(about, before=span.end)
        if took is not None:
            if span.end - took < span.start:
                span.start = span.end - took
                self._mark(span, "time_derived", records[0], "/durationMs")
        elif span.start == span.end:
            self._mark(span, "end_unknown", records[0])
        else:
            self._mark(span, "bounds_unknown", records[0])

    def _took(self, record: ModelCall | ToolResult | None, *, after: int = 0, before: int = LATEST) -> int | None:
        """How long something took that began at `after` or ended at `before`; None without a duration.

        One that leads to a moment which OTLP cannot hold is reported, and none either.
        """
        if record is None or record.duration_ms is None:
            return None
        took = duration(record.duration_ms)
        if took is None or after + took > LATEST or took > before:
            self._report.add("out_of_range", "durationMs", record, "/durationMs", kept=True)
            return None
        return took

    def _unknown_time(self, span: Span, record: Record, start: int, took: int | None) -> None:
        self._mark(span, "time_unknown", record)
        span.start, span.end = start, start + (took or 0)
        if took is None:
            self._mark(span, "end_unknown", record)

    def _mark(self, span: Span, kind: str, record: Record, pointer: str = "/timestamp") -> None:
        """Say on the span, and in the report, what its times are."""
        self._report.add(kind, span.name.partition(" ")[0], record, pointer)
        span.attributes[f"sessionrecord.{kind}"] = True

    def _fail(self, span: Span, error: RecordedError | None) -> None:
        span.failed = True
        span.attributes["error.type"] = (error.code if error is not None else None) or "_OTHER"
        span.message = error.message if error is not None and self._content else None

    def _tool(self, execution: Execution, parent: str) -> Span:
        call, result, records = execution.call, execution.result, execution.records
        name = call.name if call is not None else None
        if name is None:
            self._report.add("name_absent", "gen_ai.tool.name", records[0], "/name")
        key = span_id(self._session, "execute_tool", execution.call_id)
        span = Span("execute_tool" if name is None else f"execute_tool {name}", INTERNAL, key, parent)
        self.spans.append(span)
        span.attributes = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": name,
            "gen_ai.tool.call.id": execution.call_id,
            **self._common(records, execution.on_path),
        }
        self._tool_time(span, execution)
        left: list[tuple[Record, tuple[str, ...]]] = []
        if call is not None:
            left.append((call, self._tool_call(span, call)))
        if result is not None:
            left.append((result, self._tool_result(span, result)))
        self._remainder(span, left)
        return span

    def _tool_call(self, span: Span, call: ToolCall) -> tuple[str, ...]:
        span.attributes |= {
            "sessionrecord.tool.kind": call.kind,
            "sessionrecord.model_call.id": call.model_call_id,
            "sessionrecord.parent_call.id": call.parent_call_id,
        }
        if call.child_session is not None:
            child = str(SessionReference(SessionReference.parse(call.child_session).key))
            span.links.append({"traceId": trace_id(child), "spanId": span_id(child)})
            span.attributes["sessionrecord.child_session"] = call.child_session
            self._report.add("child_session", "childSession", call, "/childSession", kept=True)
        if self._content and "arguments" in call.model_fields_set:
            span.attributes["gen_ai.tool.call.arguments"] = json_text(call.arguments)
            return (*_TOOL_CALL, "arguments")
        return _TOOL_CALL

    def _tool_result(self, span: Span, result: ToolResult) -> tuple[str, ...]:
        span.attributes |= {
            "sessionrecord.tool.outcome": result.outcome,
            "sessionrecord.tool.exit_code": result.exit_code,
            "sessionrecord.duration_ms": _exact(result.duration_ms),
        }
        if result.outcome == "error":
            self._fail(span, result.error)
        if not self._content or (result.content is None and "structured" not in result.model_fields_set):
            return _TOOL_RESULT
        span.attributes["gen_ai.tool.call.result"] = json_text(response(result))
        return (*_TOOL_RESULT, "content" if result.content is not None else "structured")

    def _tool_time(self, span: Span, execution: Execution) -> None:
        call, result = execution.call, execution.result
        start = nanoseconds(call.timestamp) if call is not None else None
        end = nanoseconds(result.timestamp) if result is not None else None
        record = execution.records[0]
        if start is not None and end is not None:
            span.start, span.end = start, max(start, end)
            if end < start:
                self._mark(span, "end_before_start", record)
        elif start is not None:
            took = self._took(result, after=start)
            span.start, span.end = start, start + (took or 0)
            self._one_end(span, "end_unknown", record, took)
        elif end is not None:
            took = self._took(result, before=end)
            span.start, span.end = end - (took or 0), end
            self._one_end(span, "start_unknown", record, took)
        else:
            start = self.root.start if execution.carried is None else execution.carried
            self._unknown_time(span, record, start, self._took(result, after=start))

    def _one_end(self, span: Span, unknown: str, record: Record, took: int | None) -> None:
        """Say how the other end of a span came about."""
        if took is None:
            self._mark(span, unknown, record)
        else:
            self._mark(span, "time_derived", record, "/durationMs")

    def _event(self, span: Span, item: Item, carried: int | None) -> None:
        record = item.record
        moment = nanoseconds(record.timestamp)
        values: Attributes = {
            "sessionrecord.record.id": record.id,
            "sessionrecord.record.seq": record.seq,
            "sessionrecord.role": record.role if isinstance(record, Message) else None,
            "sessionrecord.turn.ids": [record.turn_id] if record.turn_id is not None else None,
        }
        if isinstance(record, Message | Compaction) and item.order not in self._path:
            values["sessionrecord.on_path"] = False
        used = ["turnId", *(("role",) if isinstance(record, Message) else ())]
        if moment is None:
            self._report.add("time_unknown", "timestamp", record, "/timestamp")
            values["sessionrecord.time_unknown"] = True
            moment = self.root.start if carried is None else carried
        else:
            used.append("timestamp")
        members = rest(record, used)
        if self._content:
            values["sessionrecord.record"] = json_text(members)
        else:
            self._off(record, members)
        span.event(f"sessionrecord.{record.type}", moment, values)


def _exact(number: float | Decimal | None) -> str | None:
    """A number as text, with the digits it was recorded with."""
    return None if number is None else json_text(number)
