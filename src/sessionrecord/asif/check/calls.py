"""Identities of calls and requests, and how a call progresses through amendments (ASIF 0.4, tool-call progression)."""

from __future__ import annotations

from sessionrecord.asif.check.core import Core
from sessionrecord.asif.models import DecisionRequest, ToolCall
from sessionrecord.diagnostics import excerpt

__all__ = ["check_call", "check_request"]


def check_call(core: Core, event: ToolCall, place: int) -> None:
    """A call, or an amendment of one: identity, predecessor, what may not change, retry, tool."""
    data, reference = event.data, event.supersedes
    where = ("events", place, "data")
    before = len(core.found)
    if data.call_id in core.document.bindings.calls:
        message = f"call {excerpt(data.call_id)} is bound as external and cannot be local too"
        core.report("call-identity-duplicate", message, *where, "call_id", about=event.id)
    elif reference is not None:
        _check_amendment(core, event, place)
    elif data.call_id in core.calls:
        message = (
            f"call {excerpt(data.call_id)} is event {excerpt(core.calls[data.call_id].id)}; an amendment supersedes it"
        )
        core.report("call-identity-duplicate", message, *where, "call_id", about=event.id)
    if data.retry_of == data.call_id:
        message = f"a retry of call {excerpt(data.call_id)} is another call"
        core.report("retry-of-itself", message, *where, "retry_of", about=event.id)
    core.check_tool(data.tool_id, event.id, *where, "tool_id")
    core.calls.setdefault(data.call_id, event)
    if len(core.found) > before:
        core.suspect_calls.add(data.call_id)


def _check_amendment(core: Core, event: ToolCall, place: int) -> None:
    reference = event.supersedes
    assert reference is not None
    where = ("events", place)
    if not reference.local:
        message = f"event {excerpt(reference.event_id)} is of another capture; an amendment needs its predecessor here"
        core.report("amendment-predecessor-external", message, *where, "supersedes", about=event.id)
        core.suspect_calls.add(event.data.call_id)
        return
    before = core.document.events.find(reference.event_id)
    if not isinstance(before, ToolCall) or before.sequence >= event.sequence:
        core.suspect_calls.add(event.data.call_id)
        return  # said of the reference or the supersession
    new, old = event.data, before.data
    if (new.call_id, new.tool_id) != (old.call_id, old.tool_id):
        message = (
            f"event {excerpt(event.id)} is call {excerpt(new.call_id)} of tool {excerpt(new.tool_id)}, event {excerpt(before.id)} "
            f"is call {excerpt(old.call_id)} of tool {excerpt(old.tool_id)}"
        )
        core.report("amendment-changed-invocation", message, *where, "data", about=event.id)
        core.suspect_calls.add(old.call_id)
        return
    if new.retry_of != old.retry_of:
        message = f"retry_of is {excerpt(new.retry_of)}, in event {excerpt(before.id)} it is {excerpt(old.retry_of)}"
        core.report("amendment-changed-retry", message, *where, "data", "retry_of", about=event.id)
    if (event.actor_id, event.execution_id) != (before.actor_id, before.execution_id):
        message = f"actor and execution are those of event {excerpt(before.id)}, absent or not"
        core.report("amendment-changed-actor", message, *where, about=event.id)
    if old.arguments_status == "complete":
        message = f"the arguments of event {excerpt(before.id)} are complete; a retry is another call"
        core.report("amendment-of-complete", message, *where, "supersedes", about=event.id)
    elif old.arguments_status == "partial" and new.arguments_status == "unknown":
        message = f"the arguments of event {excerpt(before.id)} are known in part, here they are unknown"
        core.report("amendment-regressed", message, *where, "data", "arguments_status", about=event.id)


def check_request(core: Core, event: DecisionRequest, place: int) -> None:
    """The identity of a decision request."""
    request_id = event.data.request_id
    if request_id in core.document.bindings.requests:
        message = f"request {excerpt(request_id)} is bound as external and cannot be local too"
    elif request_id in core.requests:
        message = f"request {excerpt(request_id)} is event {excerpt(core.requests[request_id].id)}"
    else:
        core.requests[request_id] = event
        return
    core.report("request-identity-duplicate", message, "events", place, "data", "request_id", about=event.id)
    core.requests.setdefault(request_id, event)
