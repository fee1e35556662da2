"""The document's other objects: capture, session, participants, tools, branches, checkpoints, coverage."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, TypeAlias

from sessionrecord.asif.models.base import AsifModel, Identified, Number
from sessionrecord.asif.models.parts import Part
from sessionrecord.scalars import NonEmptyStr, Omittable

__all__ = [
    "Branch",
    "Capture",
    "Checkpoint",
    "CoverageEntry",
    "CoverageScope",
    "CoverageStatus",
    "LineageEntry",
    "NativeId",
    "OpenCall",
    "OpenDecision",
    "OpenTask",
    "Participant",
    "Producer",
    "Session",
    "Tool",
]


class Producer(AsifModel):
    """The program that made the capture."""

    name: NonEmptyStr
    """Its name."""
    version: NonEmptyStr
    """Its version."""


class Capture(Identified):
    """The capture that the document is; immutable. To correct or continue it is to make another."""

    producer: Producer
    """Who made it."""
    consistency: Literal["consistent", "partial", "unknown"]
    """Whether its parts belong to one moment."""
    boundary: NonEmptyStr
    """What is inside and what is not, for people."""
    started_at: Omittable[NonEmptyStr] = None
    """When it began, as written."""
    ended_at: Omittable[NonEmptyStr] = None
    """When it ended, as written."""


class NativeId(AsifModel):
    """What another program calls the session."""

    provider: NonEmptyStr
    """The program."""
    namespace: NonEmptyStr
    """Where the value is unique."""
    value: NonEmptyStr
    """The ID."""


class LineageEntry(AsifModel):
    """A session or capture that this one comes from. `fork` and `translation` need `event_id` and `inclusive`."""

    relation: Literal["continuation", "fork", "translation", "copy"]
    """How it comes from it."""
    session_id: NonEmptyStr
    """The session."""
    capture_id: NonEmptyStr
    """The capture."""
    event_id: Omittable[NonEmptyStr] = None
    """The last event taken over."""
    inclusive: Omittable[bool] = None
    """Whether that event is taken over too."""


class Session(Identified):
    """The session that was captured; its ID stays from capture to capture, unless it is a fork."""

    native_ids: list[NativeId]
    """What other programs call it."""
    lineage: list[LineageEntry]
    """Where it comes from."""
    title: Omittable[str] = None
    """A title for people."""
    objective: Omittable[list[Part]] = None
    """What it is for."""


class Participant(Identified):
    """Somebody or something that acts."""

    kind: Omittable[str] = None
    """What it is, such as `human`, `agent` or `tool`."""


class Tool(Identified):
    """A tool as it was offered."""

    name: NonEmptyStr
    """Its name."""
    description: str
    """What it does."""
    input_schema: dict[str, Any] | bool
    """JSON Schema (2020-12) of its arguments."""
    output_schema: Any = None
    """JSON Schema of its results."""
    revision: Any = None
    """Its revision."""
    resource_ids: Omittable[list[NonEmptyStr]] = None
    """Resources that belong to it."""


class Branch(Identified):
    """A selected history: some of the events, in their order."""

    null_members: ClassVar[frozenset[str]] = frozenset(("head_event_id",))

    event_ids: list[NonEmptyStr]
    """The events, each once."""
    head_event_id: NonEmptyStr | None
    """The last event; null if there is none."""
    fork: Any = None
    """Where it leaves another branch."""


class OpenCall(AsifModel):
    """A call without a terminal result."""

    call_id: NonEmptyStr
    """The call."""
    state: Literal["pending", "outcome_unknown"]
    """What is known of it."""


class OpenDecision(AsifModel):
    """A request without a resolution."""

    request_id: NonEmptyStr
    """The request."""
    state: NonEmptyStr
    """What is known of it."""


class OpenTask(AsifModel):
    """A task at a checkpoint."""

    task_id: NonEmptyStr
    """The task."""
    revision: Number
    """Its revision."""


class Checkpoint(Identified):
    """What is open at an event of a branch. Each branch has exactly one at its head."""

    null_members: ClassVar[frozenset[str]] = frozenset(
        (
            "at_event_id",
            "configuration_id",
        )
    )

    branch_id: NonEmptyStr
    """The branch."""
    at_event_id: NonEmptyStr | None
    """The event; null before the first."""
    knowledge: Literal["observed", "derived", "unknown"]
    """How the state is known."""
    status: Literal["idle", "active", "waiting", "stopped", "ended", "unknown"]
    """What the session does."""
    context_id: NonEmptyStr
    """The context."""
    configuration_id: NonEmptyStr | None
    """The configuration; null if there is none."""
    open_calls: list[OpenCall]
    """Calls without a terminal result."""
    open_decisions: list[OpenDecision]
    """Requests without a resolution."""
    tasks: list[OpenTask]
    """Tasks."""
    requirements: list[Any]
    """What it needs to go on."""


CoverageScope: TypeAlias = Literal[
    "participants",
    "conversation",
    "branches",
    "executions",
    "contexts",
    "configuration",
    "tools",
    "decisions",
    "tasks",
    "resources",
    "environment",
    "native",
    "usage",
]
"""What coverage is told of; each scope once."""
CoverageStatus: TypeAlias = Literal[
    "complete", "partial", "known_empty", "unavailable", "excluded", "not_inspected", "not_applicable"
]
"""How much of a scope is in the document."""


class CoverageEntry(AsifModel):
    """How much of a scope is in the document."""

    scope: CoverageScope
    """The scope."""
    status: CoverageStatus
    """How much."""
    detail: NonEmptyStr
    """Why, for people."""
