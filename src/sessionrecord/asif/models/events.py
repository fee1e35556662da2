"""Events: one envelope, and the data of each of the twelve kinds."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Final, Literal, TypeAlias

from sessionrecord.asif.models.base import AsifModel, Count, EventReference, Identified, KindUnion, Number, UnknownKind
from sessionrecord.asif.models.bindings import ArgumentsStatus, DecisionKind, DecisionOption
from sessionrecord.asif.models.parts import Part
from sessionrecord.asif.models.resource import Provenance
from sessionrecord.scalars import NonEmptyStr, Omittable

__all__ = [
    "EVENT_KINDS",
    "ConfigurationChange",
    "ConfigurationChangeData",
    "ContextCheckpoint",
    "ContextCheckpointData",
    "DecisionRequest",
    "DecisionRequestData",
    "DecisionResolution",
    "DecisionResolutionData",
    "Event",
    "EventEnvelope",
    "ExecutionTransition",
    "ExecutionTransitionData",
    "Extension",
    "ExtensionData",
    "KnownEvent",
    "Message",
    "MessageData",
    "Note",
    "NoteData",
    "ResourceChange",
    "ResourceChangeData",
    "TaskUpdate",
    "TaskUpdateData",
    "ToolCall",
    "ToolCallData",
    "ToolResult",
    "ToolResultData",
    "UnknownEvent",
]


class EventEnvelope(Identified):
    """What every event has."""

    sequence: Number
    """Unique in the capture and ascending; neither time nor cause."""
    actor_id: NonEmptyStr
    """The participant that acted."""
    causes: list[EventReference]
    """The events that led to it; local ones are earlier."""
    provenance: Provenance
    """How it is known."""
    time: Omittable[NonEmptyStr] = None
    """When it happened, as written; orders nothing."""
    execution_id: Omittable[NonEmptyStr] = None
    """The execution it is part of."""
    supersedes: Omittable[EventReference] = None
    """The event of the same kind that it replaces; on a tool call, the version that it amends."""
    extensions: Omittable[dict[str, Any]] = None
    """Members of extensions."""


class MessageData(AsifModel):
    """A message."""

    role: Literal["user", "assistant", "system", "developer", "tool", "unknown"]
    """Who speaks."""
    parts: list[Part]
    """What is said."""


class ToolCallData(AsifModel):
    """One version of a tool call."""

    null_members: ClassVar[frozenset[str]] = frozenset(("arguments",))

    call_id: NonEmptyStr
    """The invocation; amendments share it."""
    tool_id: NonEmptyStr
    """The tool, declared in this document."""
    arguments: Any
    """The arguments of this version as recorded: any JSON. To act on a call, take a `CompleteCall` from a report."""
    arguments_status: ArgumentsStatus
    """Whether they are whole."""
    retry_of: Omittable[NonEmptyStr] = None
    """The call that this one tries again; need not be in this document."""


class ToolResultData(AsifModel):
    """One result of a tool call."""

    call_id: NonEmptyStr
    """The call: local, or bound as external."""
    result_index: Count
    """Ascending in the call; gaps are allowed."""
    terminal: bool
    """Whether it closes the call."""
    outcome: Literal["success", "error", "cancelled", "unknown"]
    """How the call ended; `unknown` unless terminal."""
    parts: list[Part]
    """What came back."""


class DecisionRequestData(AsifModel):
    """A request for a decision."""

    request_id: NonEmptyStr
    """The request."""
    decision_kind: DecisionKind
    """What it is about."""
    prompt: list[Part]
    """What is asked."""
    options: list[DecisionOption]
    """The choices."""
    call_id: Omittable[NonEmptyStr] = None
    """The call it is about."""
    task_id: Omittable[NonEmptyStr] = None
    """The task it is about; goes with `task_revision`."""
    task_revision: Omittable[Number] = None
    """The revision of the task."""


class DecisionResolutionData(AsifModel):
    """The answer to a request."""

    request_id: NonEmptyStr
    """The request: local, or bound as external."""
    outcome: Literal["allowed", "denied", "answered", "cancelled", "expired", "unknown"]
    """How it was decided."""
    answer: list[Part]
    """The answer."""
    selected_option_id: Omittable[NonEmptyStr] = None
    """The option chosen."""


class TaskUpdateData(AsifModel):
    """A revision of a task."""

    task_id: NonEmptyStr
    """The task."""
    revision: Number
    """The revision."""
    status: Literal["proposed", "pending", "in_progress", "completed", "failed", "cancelled", "superseded", "unknown"]
    """How far it is."""
    parts: list[Part]
    """What it is."""
    previous_revision: Omittable[Number] = None
    """The revision before."""
    dependencies: Omittable[list[NonEmptyStr]] = None
    """Tasks that it waits for."""
    reopen_reason: Omittable[str] = None
    """Why it is open again."""


class ContextCheckpointData(AsifModel):
    """A context that was fixed."""

    context_id: NonEmptyStr
    """The context."""
    reason: Literal["initial", "request", "compaction", "manual", "unknown"]
    """Why."""
    replaced_context_id: Omittable[NonEmptyStr] = None
    """The context it replaces."""


class ConfigurationChangeData(AsifModel):
    """A change of configuration."""

    configuration_id: NonEmptyStr
    """The configuration from here on."""


class ExecutionTransitionData(AsifModel):
    """A change of an execution's status."""

    execution_id: NonEmptyStr
    """The execution."""
    status: Literal["running", "completed", "failed", "cancelled", "interrupted", "unknown"]
    """The status from here on."""
    error: Any = None
    """What went wrong."""
    parts: Omittable[list[Part]] = None
    """More about it."""


class ResourceChangeData(AsifModel):
    """A change of a resource."""

    resource_id: NonEmptyStr
    """The resource."""
    operation: Literal["created", "modified", "deleted", "observed"]
    """What happened to it."""
    previous_resource_id: Omittable[NonEmptyStr] = None
    """What it was before."""


class NoteData(AsifModel):
    """A note."""

    parts: list[Part]
    """What it says."""
    category: NonEmptyStr
    """What sort of note it is."""


class ExtensionData(AsifModel):
    """An event of a type that a feature defines."""

    null_members: ClassVar[frozenset[str]] = frozenset(("value",))

    type: NonEmptyStr
    """The type."""
    value: Any
    """Any JSON value."""
    interpretation_required: bool
    """Whether a reader must know the type; then it is a required feature."""


class Message(EventEnvelope):
    """Somebody says something."""

    kind: Literal["message"] = "message"
    """The kind of event."""
    data: MessageData
    """The message."""


class ToolCall(EventEnvelope):
    """A call of a tool, or with `supersedes` an amendment: a later version of the same call."""

    kind: Literal["tool_call"] = "tool_call"
    """The kind of event."""
    data: ToolCallData
    """The call."""


class ToolResult(EventEnvelope):
    """A result of a call."""

    kind: Literal["tool_result"] = "tool_result"
    """The kind of event."""
    data: ToolResultData
    """The result."""


class DecisionRequest(EventEnvelope):
    """A decision is asked for."""

    kind: Literal["decision_request"] = "decision_request"
    """The kind of event."""
    data: DecisionRequestData
    """The request."""


class DecisionResolution(EventEnvelope):
    """A decision is made."""

    kind: Literal["decision_resolution"] = "decision_resolution"
    """The kind of event."""
    data: DecisionResolutionData
    """The decision."""


class TaskUpdate(EventEnvelope):
    """A task changes."""

    kind: Literal["task_update"] = "task_update"
    """The kind of event."""
    data: TaskUpdateData
    """The task."""


class ContextCheckpoint(EventEnvelope):
    """A context is fixed."""

    kind: Literal["context_checkpoint"] = "context_checkpoint"
    """The kind of event."""
    data: ContextCheckpointData
    """The context."""


class ConfigurationChange(EventEnvelope):
    """The configuration changes."""

    kind: Literal["configuration_change"] = "configuration_change"
    """The kind of event."""
    data: ConfigurationChangeData
    """The configuration."""


class ExecutionTransition(EventEnvelope):
    """An execution changes its status."""

    kind: Literal["execution_transition"] = "execution_transition"
    """The kind of event."""
    data: ExecutionTransitionData
    """The execution."""


class ResourceChange(EventEnvelope):
    """A resource changes."""

    kind: Literal["resource_change"] = "resource_change"
    """The kind of event."""
    data: ResourceChangeData
    """The resource."""


class Note(EventEnvelope):
    """Something is noted."""

    kind: Literal["note"] = "note"
    """The kind of event."""
    data: NoteData
    """The note."""


class Extension(EventEnvelope):
    """An event that a feature defines."""

    kind: Literal["extension"] = "extension"
    """The kind of event."""
    data: ExtensionData
    """The event."""


EVENT_KINDS: Final = frozenset(
    """message tool_call tool_result decision_request decision_resolution task_update context_checkpoint
    configuration_change execution_transition resource_change note extension""".split()
)
"""The kinds of event that have a model."""


class UnknownEvent(EventEnvelope):
    """An event of a kind that ASIF 0.4 does not define: the envelope typed, the data kept as given, and a finding."""

    kind: Annotated[str, UnknownKind(EVENT_KINDS)]
    """The kind of event."""
    data: dict[str, Any]
    """The data as given."""


KnownEvent: TypeAlias = (
    Message
    | ToolCall
    | ToolResult
    | DecisionRequest
    | DecisionResolution
    | TaskUpdate
    | ContextCheckpoint
    | ConfigurationChange
    | ExecutionTransition
    | ResourceChange
    | Note
    | Extension
)
"""An event of any known kind: a bare union, for introspection."""

Event: TypeAlias = Annotated[
    Message
    | ToolCall
    | ToolResult
    | DecisionRequest
    | DecisionResolution
    | TaskUpdate
    | ContextCheckpoint
    | ConfigurationChange
    | ExecutionTransition
    | ResourceChange
    | Note
    | Extension
    | UnknownEvent,
    KindUnion(),
]
"""Any event: `kind` chooses the model, an unknown one gives `UnknownEvent`."""
