"""Sessions as OpenTelemetry traces: OTLP JSON with spans of the semantic conventions for generative AI, v0.1.0.

One trace a session: `invoke_agent` for the session, `chat` for each model call, `execute_tool` for each tool call; all
other records are events of these. Rewound and branched records are in the trace too, marked as not on the path.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from sessionrecord import ijson
from sessionrecord.export.atif import prompt_tokens
from sessionrecord.export.exported import Exported
from sessionrecord.export.material import Item, Material, gather, rest, session_reference
from sessionrecord.export.otlp_encoding import (
    CLIENT,
    INTERNAL,
    Attributes,
    Span,
    attributes,
    duration,
    nanoseconds,
    span_id,
    trace_id,
)
from sessionrecord.export.otlp_messages import input_message, json_text, output_message, response
from sessionrecord.export.report import LossReport
from sessionrecord.records import Compaction, Message, ModelCall, Record, RecordedError, ToolCall, ToolResult, Usage
from sessionrecord.refs import SessionReference
from sessionrecord.session import Session

__all__ = ["to_otlp"]

_FINISH: Final = {
    "end_turn": "stop",
    "max_tokens": "length",
    "tool_use": "tool_call",
    "refusal": "content_filter",
}
"""Stop reasons in the words of the conventions; all others stay as they are."""
_FAILED: Final = ("failed", "error")


def to_otlp(session: Session, *, at: int | None = None, content: bool = False) -> Exported:
    """A session, or what there was of it at a `seq`, as an `ExportTraceServiceRequest` in JSON.

    With `content` what was said, the arguments and results of tools, and all members without an attribute of their own are in
    the attributes too; the conventions have them opt-in, since they may hold secrets.
    """
    report = LossReport("otlp")
    material = gather(session, at, report)
    trace = _Trace(material, report, content)
    trace.build(session, at)
    header = material.header
    resource: Attributes = {}
    if header is not None:
        resource = {"service.name": header.agent, "service.version": header.agent_version}
    spans = [span.wire(trace.id) for span in (trace.root, *sorted(trace.spans, key=lambda span: span.start))]
    scope = {"scope": {"name": "sessionrecord"}, "spans": spans}
    request = {"resourceSpans": [{"resource": {"attributes": attributes(resource)}, "scopeSpans": [scope]}]}
    return Exported(request, report)


@dataclass(slots=True)
class _Call:
    """A model call and what is recorded about it."""

    model_call: ModelCall | None = None
    usage: Usage | None = None
    outputs: list[Message | ToolCall] = field(default_factory=list)
    given: list[dict[str, Any]] = field(default_factory=list)
    on_path: bool | None = None
    compacted: bool | None = None
    carried: int | None = None
    """The last time known before it."""

    @property
    def records(self) -> list[Record]:
        """All its records."""
        audit = [r for r in (self.model_call, self.usage) if r is not None]
        return [*self.outputs, *audit]


@dataclass(slots=True)
class _Tool:
    """A tool call and its result."""

    call_id: str
    call: ToolCall | None = None
    result: ToolResult | None = None
    on_path: bool = True
    carried: int | None = None

    @property
    def records(self) -> list[Record]:
        """Its records."""
        return [r for r in (self.call, self.result) if r is not None]


class _Trace:
    """The spans of a session."""

    def __init__(self, material: Material, report: LossReport, content: bool) -> None:
        self._report = report
        self._content = content
        self._header = material.header
        self._session = session_reference(material.header) or ""
        self.id = trace_id(self._session)
        agent = self._header.agent if self._header is not None else ""
        self.root = Span(f"invoke_agent {agent}".rstrip(), INTERNAL, span_id(self._session))
        self.spans: list[Span] = []
        self._path = {item.order for item in material.path}
        self._items = sorted((*material.path, *material.off_path, *material.audit), key=lambda item: item.order)
        self._calls: dict[str, _Call] = {}
        self._tools: dict[str, _Tool] = {}
        self._others: list[tuple[Item, int | None]] = []
        self._now: int | None = None

    def build(self, session: Session, at: int | None) -> None:
        """Sort the records into spans and events, and make these."""
        self._report.add("id_derived", "traceId, spanId", None, kept=True)
        times = self._sort()
        if times:
            self.root.start, self.root.end = min(times), max(times)
        else:
            self._report.add("time_unknown", "startTimeUnixNano", None)
        self._describe_session(session, at)
        of_call = {key: self._chat(key, call) for key, call in self._calls.items()}
        of_tool = {key: self._tool_span(tool) for key, tool in self._tools.items()}
        for tool in self._tools.values():
            parent = tool.call.parent_call_id if tool.call is not None else None
            span = of_tool[tool.call_id]
            span.parent = of_tool[parent].id if parent in of_tool and parent != tool.call_id else self.root.id
        for item, carried in self._others:
            call_id = getattr(item.record, "call_id", None)
            model_call_id = getattr(item.record, "model_call_id", None)
            span = self.root
            if isinstance(call_id, str) and call_id in of_tool:
                span = of_tool[call_id]
            elif isinstance(model_call_id, str) and f"call {model_call_id}" in of_call:
                span = of_call[f"call {model_call_id}"]
            self._event(span, item, carried)

    def _sort(self) -> list[int]:
        """Find what belongs together; returns all moments recorded."""
        times = []
        waiting: list[dict[str, Any]] = []
        compacted = False
        if self._header is not None and (moment := nanoseconds(self._header.timestamp)) is not None:
            times.append(moment)
            self._now = moment
        for item in self._items:
            record, on_path = item.record, item.order in self._path
            if record.timestamp is not None:
                moment = nanoseconds(record.timestamp)
                if moment is None:
                    self._report.add("timestamp_not_readable", "timestamp", record, "/timestamp")
                else:
                    times.append(moment)
                    self._now = moment
            if isinstance(record, ToolCall):
                tool = self._tools.setdefault(record.call_id, _Tool(record.call_id, carried=self._now))
                tool.call, tool.on_path = record, on_path
            elif isinstance(record, ToolResult):
                tool = self._tools.setdefault(record.call_id, _Tool(record.call_id, on_path=on_path, carried=self._now))
                tool.result = record
            call = self._call_of(record)
            if call is not None:
                if isinstance(record, Message | ToolCall):
                    if not call.outputs:
                        call.given, waiting = waiting, []
                        call.compacted = compacted if on_path else None
                    call.outputs.append(record)
                    call.on_path = bool(call.on_path) or on_path
                continue
            if self._content and (message := input_message(record)) is not None:
                waiting.append(message)
            if isinstance(record, Compaction) and on_path and record.status in (None, "completed"):
                compacted = True
            if not isinstance(record, ToolCall | ToolResult):
                self._others.append((item, self._now))
        return times

    def _call_of(self, record: Record) -> _Call | None:
        """The model call that a record is of, its own part taken in."""
        if isinstance(record, ModelCall):
            call = self._calls.setdefault(f"call {record.model_call_id}", _Call())
            call.model_call = record
        elif isinstance(record, Usage):
            single = record.scope in (None, "model_call") and record.counter in (None, "delta")
            if record.model_call_id is None or not single:
                return None
            call = self._calls.setdefault(f"call {record.model_call_id}", _Call())
            call.usage = record
        elif isinstance(record, ToolCall) or (isinstance(record, Message) and record.role == "assistant"):
            if record.model_call_id is not None:
                call = self._calls.setdefault(f"call {record.model_call_id}", _Call())
            elif isinstance(record, Message):
                call = self._calls.setdefault(f"message {record.message_id}", _Call())
            else:
                return None
        else:
            return None
        if call.carried is None:
            call.carried = self._now
        return call

    def _describe_session(self, session: Session, at: int | None) -> None:
        header, usage = self._header, session.usage(at)
        prompt, unknown = prompt_tokens(usage.total)
        if unknown:
            self._report.add("tokens_partly_known", ", ".join(unknown), None)
        self.root.attributes = {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": header and header.agent,
            "gen_ai.conversation.id": header and header.session_id,
            "gen_ai.usage.input_tokens": prompt,
            "gen_ai.usage.output_tokens": usage.total.output_tokens,
            "sessionrecord.session": self._session or None,
            "sessionrecord.costs": json_text(usage.costs) if usage.costs else None,
            "sessionrecord.record.ids": [header.id] if header is not None else None,
        }
        if usage.total.missing or usage.incomplete:
            self._report.add("totals_incomplete", "gen_ai.usage", None)
        if header is not None:
            self._remainder(self.root, [(header, ("agent", "sessionId", "namespace", "agentVersion", "timestamp"))])

    def _remainder(self, span: Span, records: list[tuple[Record, tuple[str, ...]]]) -> None:
        """The members that no attribute holds: as JSON texts in an attribute where content is wanted, else reported."""
        left = []
        for record, used in records:
            members = rest(record, used)
            if members.keys() <= {"type", "seq", "id"}:
                continue
            if self._content:
                left.append(json_text(members))
            else:
                self._off(record, members)
        if left:
            span.attributes["sessionrecord.records"] = left

    def _off(self, record: Record, members: dict[str, Any]) -> None:
        names = [name for name in members if name not in ("type", "seq", "id")]
        if names:
            self._report.add("content_off", ", ".join(names), record, ijson.pointer(names[0]))

    def _common(self, records: list[Record], on_path: bool | None) -> Attributes:
        turns = dict.fromkeys(r.turn_id for r in records if r.turn_id is not None)
        return {
            "gen_ai.conversation.id": self._header and self._header.session_id,
            "sessionrecord.record.ids": [r.id for r in records],
            "sessionrecord.turn.id": next(iter(turns)) if len(turns) == 1 else None,
            "sessionrecord.on_path": False if on_path is False else None,
        }

    def _new_span(self, name: str, kind: int, what: str, key: str) -> Span:
        span = Span(name, kind, span_id(self._session, what, key), self.root.id)
        self.spans.append(span)
        return span

    def _chat(self, key: str, call: _Call) -> Span:
        records = call.records
        models = (r.model for r in records[::-1] if isinstance(r, Message | ModelCall | Usage))
        model = next((m for m in models if m is not None), None)
        span = self._new_span("chat" if model is None else f"chat {model}", CLIENT, "chat", key)
        about = call.model_call
        stops = [r.stop_reason for r in (about, *call.outputs) if isinstance(r, Message | ModelCall) and r.stop_reason]
        provider = about.provider if about is not None else None
        if provider is None:
            self._report.add("provider_unknown", "gen_ai.provider.name", records[0], "/provider")
        first = about.time_to_first_token_ms if about is not None else None
        span.attributes = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": provider,
            "gen_ai.request.model": model,
            "gen_ai.response.finish_reasons": [_FINISH.get(stops[0], stops[0])] if stops else None,
            "gen_ai.response.time_to_first_chunk": None if first is None else float(first) / 1000,
            "gen_ai.conversation.compacted": call.compacted or None,
            **self._common(records, call.on_path),
            "sessionrecord.request.id": about.request_id if about is not None else None,
        }
        if call.usage is not None:
            self._usage(span, call.usage)
        self._chat_time(span, call)
        if about is not None:
            self._fail(span, about.status in _FAILED or about.error is not None, about.error)
        if self._content:
            if call.given:
                span.attributes["gen_ai.input.messages"] = json_text(call.given)
                self._report.add("input_partial", "gen_ai.input.messages", records[0], "/predecessor")
            if call.outputs:
                span.attributes["gen_ai.output.messages"] = json_text([output_message(call.outputs)])
        message = ("modelCallId", "role", "turnId", "timestamp", "model", *(("content",) if self._content else ()))
        used: list[tuple[Record, tuple[str, ...]]] = [(r, message) for r in call.outputs if isinstance(r, Message)]
        if about is not None:
            fields = ("model", "provider", "requestId", "status", "durationMs", "timeToFirstTokenMs")
            used.append((about, ("modelCallId", "turnId", "timestamp", "stopReason", *fields)))
        if call.usage is not None:
            simple = call.usage.cost is None or not call.usage.cost.model_extra
            used.append((call.usage, (*_USAGE, *(("cost",) if simple else ()))))
        self._remainder(span, used)
        return span

    def _usage(self, span: Span, usage: Usage) -> None:
        prompt, unknown = prompt_tokens(usage)
        if unknown:
            self._report.add("tokens_partly_known", ", ".join(unknown), usage, "/inputTokens")
        span.attributes |= {
            "gen_ai.usage.input_tokens": prompt,
            "gen_ai.usage.output_tokens": usage.output_tokens,
            "gen_ai.usage.cache_read.input_tokens": usage.cache_read_tokens,
            "gen_ai.usage.cache_write.input_tokens": usage.cache_write_tokens,
            "gen_ai.usage.reasoning.output_tokens": usage.reasoning_tokens,
        }
        if usage.cost is not None:
            span.attributes["sessionrecord.cost.amount"] = json_text(usage.cost.amount)
            span.attributes["sessionrecord.cost.currency"] = usage.cost.currency

    def _chat_time(self, span: Span, call: _Call) -> None:
        records = [*call.outputs, *([call.model_call] if call.model_call else [])] or call.records
        moments = [t for r in records if (t := nanoseconds(r.timestamp)) is not None]
        took = duration(call.model_call.duration_ms) if call.model_call is not None else None
        if not moments:
            self._unknown_time(span, records[0], call.carried, took)
            return
        span.start, span.end = min(moments), max(moments)
        if took is not None:
            if span.end - took < span.start:
                span.start = max(span.end - took, 0)
                self._derived(span, records[0])
        elif span.start == span.end:
            self._end_unknown(span, records[0])
        else:
            self._report.add("bounds_unknown", "chat", records[0], "/timestamp")

    def _unknown_time(self, span: Span, record: Record, carried: int | None, took: int | None) -> None:
        self._report.add("time_unknown", "timestamp", record, "/timestamp")
        span.attributes["sessionrecord.time_unknown"] = True
        span.start = self.root.start if carried is None else carried
        span.end = min(span.start + (took or 0), _LATEST)
        if took is None:
            self._end_unknown(span, record)

    def _end_unknown(self, span: Span, record: Record) -> None:
        self._report.add("end_unknown", span.name.partition(" ")[0], record, "/timestamp")
        span.attributes["sessionrecord.end_unknown"] = True

    def _derived(self, span: Span, record: Record) -> None:
        self._report.add("time_derived", span.name.partition(" ")[0], record, "/durationMs")
        span.attributes["sessionrecord.time_derived"] = True

    def _fail(self, span: Span, failed: bool, error: RecordedError | None) -> None:
        if not failed:
            return
        span.failed = True
        span.message = error.message if error is not None and self._content else None
        span.attributes["error.type"] = (error.code if error is not None else None) or "_OTHER"

    def _tool_span(self, tool: _Tool) -> Span:
        call, result = tool.call, tool.result
        records = tool.records
        name = call.name if call is not None else None
        if name is None:
            self._report.add("name_absent", "gen_ai.tool.name", records[0], "/name")
        span_name = "execute_tool" if name is None else f"execute_tool {name}"
        span = self._new_span(span_name, INTERNAL, "execute_tool", tool.call_id)
        span.attributes = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": name,
            "gen_ai.tool.call.id": tool.call_id,
            **self._common(records, tool.on_path),
        }
        used: list[tuple[Record, tuple[str, ...]]] = []
        if call is not None:
            self._tool_call(span, call, used)
        if result is not None:
            self._tool_result(span, result, used)
        self._tool_time(span, tool)
        self._remainder(span, used)
        return span

    def _tool_call(self, span: Span, call: ToolCall, used: list[tuple[Record, tuple[str, ...]]]) -> None:
        span.attributes["sessionrecord.tool.kind"] = call.kind
        names = ("callId", "name", "turnId", "timestamp", "kind", "modelCallId", "parentCallId", "childSession")
        if self._content and "arguments" in call.model_fields_set:
            span.attributes["gen_ai.tool.call.arguments"] = json_text(call.arguments)
            names += ("arguments",)
        if call.child_session is not None:
            child = str(SessionReference(SessionReference.parse(call.child_session).key))
            span.links.append({"traceId": trace_id(child), "spanId": span_id(child)})
            span.attributes["sessionrecord.child_session"] = call.child_session
            self._report.add("child_session", "childSession", call, "/childSession", kept=True)
        used.append((call, names))

    def _tool_result(self, span: Span, result: ToolResult, used: list[tuple[Record, tuple[str, ...]]]) -> None:
        span.attributes["sessionrecord.tool.outcome"] = result.outcome
        span.attributes["sessionrecord.tool.exit_code"] = result.exit_code
        names = ("callId", "turnId", "timestamp", "outcome", "exitCode", "durationMs")
        if self._content and (result.content is not None or "structured" in result.model_fields_set):
            span.attributes["gen_ai.tool.call.result"] = json_text(response(result))
            names += ("content",) if result.content is not None else ("structured",)
        self._fail(span, result.outcome == "error", result.error)
        used.append((result, names))

    def _tool_time(self, span: Span, tool: _Tool) -> None:
        start = nanoseconds(tool.call.timestamp) if tool.call is not None else None
        end = nanoseconds(tool.result.timestamp) if tool.result is not None else None
        took = duration(tool.result.duration_ms) if tool.result is not None else None
        record = tool.records[0]
        if start is not None and end is not None:
            span.start, span.end = start, max(start, end)
            if end < start:
                self._report.add("end_before_start", "timestamp", record, "/timestamp")
        elif start is not None:
            span.start = span.end = start
            if took is None:
                self._end_unknown(span, record)
            else:
                span.end = min(start + took, _LATEST)
                self._derived(span, record)
        elif end is not None:
            span.start, span.end = max(end - (took or 0), 0), end
            if took is None:
                self._report.add("start_unknown", "execute_tool", record, "/timestamp")
                span.attributes["sessionrecord.start_unknown"] = True
            else:
                self._derived(span, record)
        else:
            self._unknown_time(span, record, tool.carried, took)

    def _event(self, span: Span, item: Item, carried: int | None) -> None:
        record = item.record
        moment = nanoseconds(record.timestamp)
        values: Attributes = {
            "sessionrecord.record.id": record.id,
            "sessionrecord.record.seq": record.seq,
            "sessionrecord.role": record.role if isinstance(record, Message) else None,
            "sessionrecord.turn.id": record.turn_id,
        }
        if isinstance(record, Message | Compaction) and item.order not in self._path:
            values["sessionrecord.on_path"] = False
        if moment is None:
            self._report.add("time_unknown", "timestamp", record, "/timestamp")
            values["sessionrecord.time_unknown"] = True
            moment = self.root.start if carried is None else carried
        members = rest(record, ("timestamp", "turnId", *(("role",) if isinstance(record, Message) else ())))
        if self._content:
            values["sessionrecord.record"] = json_text(members)
        else:
            self._off(record, members)
        span.event(f"sessionrecord.{record.type}", moment, values)


_LATEST: Final = (1 << 64) - 1
_USAGE: Final = (
    "modelCallId turnId timestamp model scope counter inputTokens outputTokens cacheReadTokens cacheWriteTokens reasoningTokens"
).split()
