"""Events: order, actors, causes, supersession, parts, and the rules of each kind (ASIF 0.4, events)."""

from __future__ import annotations

from collections.abc import Sequence

from sessionrecord.asif.check.calls import check_call, check_request
from sessionrecord.asif.check.core import Core
from sessionrecord.asif.check.resources import check_provenance
from sessionrecord.asif.models import (
    DecisionOption,
    DecisionRequest,
    DecisionResolution,
    Event,
    ExecutionTransition,
    Extension,
    Message,
    Note,
    ResourceChange,
    TaskUpdate,
    ToolCall,
    ToolResult,
    UnknownEvent,
)
from sessionrecord.diagnostics import excerpt

__all__ = ["check_events", "check_options", "check_sequence"]


def check_sequence(core: Core) -> None:
    """Sequence numbers ascend in the array, so they are unique."""
    highest: int | None = None
    for place, event in core.document.events.placed():
        if highest is not None and event.sequence <= highest:
            message = f"event {excerpt(event.id)} has sequence {event.sequence} after {highest}"
            core.report("sequence-not-ascending", message, "events", place, "sequence", about=event.id)
        highest = event.sequence if highest is None else max(highest, event.sequence)


def check_events(core: Core) -> None:
    """Each event on its own and against the ones before; then what nothing in the document answers to."""
    executions = core.ids_of("executions")
    for place, event in core.document.events.placed():
        _check_envelope(core, event, executions, place)
        _check_supersession(core, event, place)
        _check_data(core, event, place)
    for place, event in core.document.events.placed():
        _check_orphan(core, event, place)


def _check_envelope(core: Core, event: Event, executions: set[str] | None, place: int) -> None:
    if isinstance(event, UnknownEvent):
        message = f"no event is of kind {excerpt(event.kind)}"
        core.report("kind-unknown", message, "events", place, "kind", about=event.id)
    if not core.document.participants.declares(event.actor_id):
        message = f"{excerpt(event.actor_id)} is not a participant"
        core.report("actor-undeclared", message, "events", place, "actor_id", about=event.id)
    if event.execution_id is not None and executions is not None and event.execution_id not in executions:
        message = f"no execution {excerpt(event.execution_id)} is declared"
        core.report("execution-undeclared", message, "events", place, "execution_id", about=event.id)
    check_provenance(core, event.provenance, event.id, "events", place, "provenance")
    seen: set[tuple[str, str | None, str | None]] = set()
    for i, cause in enumerate(event.causes):
        core.check_reference(cause, event.id, "events", place, "causes", i)
        identity = cause.event_id, cause.session_id, cause.capture_id
        if identity in seen:
            message = f"event {excerpt(cause.event_id)} is named before"
            core.report("cause-repeated", message, "events", place, "causes", i, about=event.id)
        seen.add(identity)
        source = core.document.events.find(cause.event_id) if cause.local else None
        if source is not None and source.sequence >= event.sequence:
            message = f"event {excerpt(cause.event_id)} is not earlier than {excerpt(event.id)}"
            core.report("cause-not-earlier", message, "events", place, "causes", i, about=event.id)


def _check_supersession(core: Core, event: Event, place: int) -> None:
    reference = event.supersedes
    if reference is None:
        return
    where = ("events", place, "supersedes")
    core.check_reference(reference, event.id, *where)
    if isinstance(event, TaskUpdate):
        message = "a task update does not supersede; previous_revision names what was before"
        core.report("supersession-invalid", message, *where, about=event.id)
        return
    before = core.document.events.find(reference.event_id) if reference.local else None
    if before is None:
        return
    if before.kind != event.kind:
        message = f"event {excerpt(before.id)} is a {excerpt(before.kind)}, not a {excerpt(event.kind)}"
        core.report("supersession-invalid", message, *where, about=event.id)
    elif before.sequence >= event.sequence:
        message = f"event {excerpt(before.id)} is not earlier than {excerpt(event.id)}"
        core.report("supersession-invalid", message, *where, about=event.id)


def _check_data(core: Core, event: Event, place: int) -> None:
    where = ("events", place, "data")
    if isinstance(event, Message | Note | TaskUpdate | ToolResult | ExecutionTransition):
        core.check_parts(event.data.parts, event.id, *where, "parts")
    if isinstance(event, ToolCall):
        check_call(core, event, place)
    elif isinstance(event, ToolResult):
        if not event.data.terminal and event.data.outcome != "unknown":
            message = f"a result that is not terminal has the outcome unknown, not {event.data.outcome}"
            core.report("result-outcome", message, *where, "outcome", about=event.id)
    elif isinstance(event, DecisionRequest):
        check_request(core, event, place)
        core.check_parts(event.data.prompt, event.id, *where, "prompt")
        check_options(core, event.data.options, event.id, *where, "options")
        if (event.data.task_id is None) != (event.data.task_revision is None):
            message = "task_id and task_revision come together or not at all"
            core.report("task-reference-incomplete", message, *where, about=event.id)
    elif isinstance(event, DecisionResolution):
        core.check_parts(event.data.answer, event.id, *where, "answer")
    elif isinstance(event, TaskUpdate):
        _check_dependencies(core, event, place)
    elif isinstance(event, ResourceChange):
        core.check_resource(event.data.resource_id, event.id, *where, "resource_id")
        if event.data.previous_resource_id is not None:
            core.check_resource(event.data.previous_resource_id, event.id, *where, "previous_resource_id")
    elif (
        isinstance(event, Extension)
        and event.data.interpretation_required
        and event.data.type not in core.document.required_features
    ):
        message = f"{excerpt(event.data.type)} must be interpreted, but is no required feature"
        core.report("extension-undeclared", message, *where, "type", about=event.id)


def check_options(core: Core, options: Sequence[DecisionOption], about: str, *place: str | int) -> None:
    """Option IDs are unique in their request."""
    seen: set[str] = set()
    for i, option in enumerate(options):
        if option.id in seen:
            core.report("option-repeated", f"option {excerpt(option.id)} is there before", *place, i, "id", about=about)
        seen.add(option.id)


def _check_dependencies(core: Core, event: TaskUpdate, place: int) -> None:
    seen: set[str] = set()
    for i, task in enumerate(event.data.dependencies or ()):
        if task in seen:
            message = f"task {excerpt(task)} is named before"
            core.report("task-dependency-repeated", message, "events", place, "data", "dependencies", i, about=event.id)
        seen.add(task)


def _check_orphan(core: Core, event: Event, place: int) -> None:
    if isinstance(event, ToolResult) and not core.call_known(event.data.call_id):
        message = f"call {excerpt(event.data.call_id)} is neither local nor bound as external"
        core.report("result-orphan", message, "events", place, "data", "call_id", about=event.id)
        core.orphans.add(event.id)
    elif isinstance(event, DecisionResolution) and not core.request_known(event.data.request_id):
        message = f"request {excerpt(event.data.request_id)} is neither local nor bound as external"
        core.report("resolution-orphan", message, "events", place, "data", "request_id", about=event.id)
        core.orphans.add(event.id)
