"""Streams (feature `asif.streams/0.1`): what they bind, what their segments give, and that it is what the event says."""

from __future__ import annotations

from dataclasses import dataclass

from sessionrecord import ijson
from sessionrecord.asif.assembly import AssembledStream, assemble
from sessionrecord.asif.check.core import Core
from sessionrecord.asif.equality import first_difference
from sessionrecord.asif.items import moved
from sessionrecord.asif.models import Event, Stream, TextPart, ToolCall, ToolResult
from sessionrecord.asif.report import StreamReport
from sessionrecord.asif.resources import ResourceBytes
from sessionrecord.diagnostics import Diagnostic, excerpt
from sessionrecord.errors import AssemblyError

__all__ = ["StreamEvidence", "check_streams"]

_UNREADABLE = ResourceBytes(findings=(Diagnostic.of("type-invalid", "the resource is not valid", pointer=""),))


@dataclass(slots=True)
class StreamEvidence:
    """What streams say of the arguments of one version of a call."""

    whole: bool = True
    """Whether every stream is complete and agrees."""
    prefix: bytes = b""
    """The longest known beginning of the arguments' text."""


def check_streams(core: Core) -> tuple[dict[str, StreamReport], dict[str, StreamEvidence]]:
    """The streams by ID, and what they say of calls by event ID."""
    reports: dict[str, StreamReport] = {}
    evidence: dict[str, StreamEvidence] = {}
    repeated = dict(core.document.streams.repeated)
    budget = core.limits.total_bytes
    for place, stream in core.document.streams.placed():
        before = len(core.found)
        if place in repeated:
            message = f"stream {excerpt(stream.id)} is there before"
            core.report("id-duplicate", message, "streams", place, "id", about=stream.id)
        event = _bound_event(core, stream, place)
        assembled, usable = _assembled(core, stream, place, budget)
        budget = None if budget is None else budget - len(assembled.data)
        if usable and _check_status(core, stream, place, assembled) and event is not None:
            _check_content(core, stream, place, event, assembled)
        ok = usable and not any(d.severity == "error" for d in core.found[before:])
        reports.setdefault(
            stream.id,
            StreamReport(
                stream.id, stream.kind, stream.event_id, assembled.status, len(assembled.data), assembled.missing_indexes, ok
            ),
        )  # fmt: skip
        if stream.kind == "tool_arguments":
            said = evidence.setdefault(stream.event_id, StreamEvidence())
            said.whole = said.whole and ok and assembled.complete
            said.prefix = max(said.prefix, assembled.data, key=len)
    for item in core.document.streams.invalid:
        # a stream that cannot be read may contradict the call
        event_id = item.value.get("event_id") if isinstance(item.value, dict) else None
        if isinstance(event_id, str):
            evidence.setdefault(event_id, StreamEvidence()).whole = False
    return reports, evidence


def _bound_event(core: Core, stream: Stream, place: int) -> Event | None:
    """The event that a stream binds, None if it is another or cannot be read."""
    event = core.document.events.find(stream.event_id)
    if stream.kind == "tool_result_text" and stream.result_index is None:
        message = "result_index: the member is required for tool_result_text"
        core.report("member-missing", message, "streams", place, "result_index", about=stream.id)
    if event is None:
        if not core.document.events.declares(stream.event_id):
            message = f"event {excerpt(stream.event_id)} is not in the document"
            core.report("stream-event-undeclared", message, "streams", place, "event_id", about=stream.id)
        return None
    call_id = getattr(event.data, "call_id", None)
    if call_id != stream.call_id:
        message = f"event {excerpt(event.id)} is of call {excerpt(call_id)}, not {excerpt(stream.call_id)}"
        core.report("stream-call-mismatch", message, "streams", place, "call_id", about=stream.id)
        return None
    if stream.kind == "tool_result_text" and stream.result_index is not None:
        if not isinstance(event, ToolResult):
            message = f"event {excerpt(event.id)} is a {excerpt(event.kind)}, not a tool_result"
            core.report("stream-result-mismatch", message, "streams", place, "event_id", about=stream.id)
            return None
        if event.data.result_index != stream.result_index:
            message = f"event {excerpt(event.id)} is result {event.data.result_index}, not {stream.result_index}"
            core.report("stream-result-mismatch", message, "streams", place, "result_index", about=stream.id)
            return None
    return event


def _assembled(core: Core, stream: Stream, place: int, budget: int | None) -> tuple[AssembledStream, bool]:
    """The bytes, and whether nothing is wrong with segments and resources, so that they can be compared."""
    store, resources = core.document.store(core.limits), core.document.resources
    unreadable = False

    def bytes_of(resource_id: str) -> ResourceBytes | None:
        nonlocal unreadable
        found = store.get(resource_id)
        if found is None and resources.declares(resource_id):
            found = _UNREADABLE
        unreadable = unreadable or (found is not None and bool(found.findings))
        return found

    limit = core.limits.stream_bytes
    if budget is not None and (limit is None or budget < limit):
        limit = budget
    assembled = assemble(stream.id, stream.segments, bytes_of, limit=limit)
    pointer = ijson.pointer("streams", place)
    core.found += [moved(f, pointer, about=stream.id) for f in assembled.findings]
    return assembled, not assembled.findings and not unreadable


def _check_status(core: Core, stream: Stream, place: int, assembled: AssembledStream) -> bool:
    if stream.status == assembled.status:
        return True
    message = f"the stream is called {stream.status}, its segments make it {assembled.status}"
    core.report("stream-status-mismatch", message, "streams", place, "status", about=stream.id)
    return False


def _check_content(core: Core, stream: Stream, place: int, event: Event, assembled: AssembledStream) -> None:
    if stream.kind == "tool_result_text":
        if assembled.complete and isinstance(event, ToolResult):
            _check_text(core, stream, place, event, assembled)
        return
    status = event.data.arguments_status if isinstance(event, ToolCall) else None
    if status != stream.status:
        what = f"a call whose arguments are {status}" if status is not None else f"a {excerpt(event.kind)}"
        code = "stream-final-call-mismatch" if assembled.complete else "stream-partial-call-mismatch"
        message = f"event {excerpt(event.id)} is {what}; the stream is {stream.status}"
        core.report(code, message, "streams", place, "event_id", about=stream.id)
    elif assembled.complete and isinstance(event, ToolCall):
        _check_arguments(core, stream, place, event, assembled)


def _check_arguments(core: Core, stream: Stream, place: int, event: ToolCall, assembled: AssembledStream) -> None:
    limit = core.limits.document_bytes
    if limit is not None and len(assembled.data) > limit:
        message = f"the arguments have more than {limit} bytes"
        core.report("limit-exceeded", message, "streams", place, about=stream.id)
        return
    try:
        arguments = assembled.arguments(limit=None)  # the size is within the limits of the check
    except AssemblyError as e:
        for reason in e.diagnostics:
            message = f"the assembled arguments are not one JSON text: {reason.message}"
            core.report("stream-arguments-invalid", message, "streams", place, about=stream.id)
        return
    difference = first_difference(event.data.arguments, arguments)
    if difference is not None:
        at = f" at {excerpt(difference)}" if difference else ""
        message = f"the assembled arguments are not those of event {excerpt(event.id)}{at}"
        core.report("stream-arguments-mismatch", message, "streams", place, about=stream.id)


def _check_text(core: Core, stream: Stream, place: int, event: ToolResult, assembled: AssembledStream) -> None:
    try:
        text = assembled.text()
    except AssemblyError as e:
        core.report("stream-text-invalid", e.diagnostics[0].message, "streams", place, about=stream.id)
        return
    parts = event.data.parts
    part = parts[0] if len(parts) == 1 else None
    if not isinstance(part, TextPart) or part.text != text:
        message = f"the assembled text is not the single text part of event {excerpt(event.id)}"
        core.report("stream-text-mismatch", message, "streams", place, about=stream.id)
        return
    others = [name for name in part.to_wire() if name not in ("kind", "text")]
    if others:
        message = f"the text part of event {excerpt(event.id)} also has {excerpt(others[0])}"
        core.report("assembled-result-extra-members", message, "streams", place, about=stream.id)
