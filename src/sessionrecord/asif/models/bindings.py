"""External bindings: calls and requests of earlier captures that this document answers (feature `asif.external-bindings/0.1`)."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, TypeAlias

from sessionrecord.asif.models.base import AsifModel, Identified
from sessionrecord.asif.models.parts import Part
from sessionrecord.scalars import NonEmptyStr

__all__ = [
    "ArgumentsStatus",
    "BindingSource",
    "CallBinding",
    "CallDescriptor",
    "DecisionKind",
    "DecisionOption",
    "ExternalBinding",
    "RequestBinding",
    "RequestDescriptor",
]

ArgumentsStatus: TypeAlias = Literal["complete", "partial", "unknown"]
"""How much of a call's arguments is known."""
DecisionKind: TypeAlias = Literal["approval", "question", "plan_review"]
"""What a decision is about."""


class BindingSource(AsifModel):
    """The event of another capture that a binding stands for. It stays external; nothing is made up for it."""

    session_id: NonEmptyStr
    """The session."""
    capture_id: NonEmptyStr
    """The capture."""
    event_id: NonEmptyStr
    """The event."""


class DecisionOption(Identified):
    """A choice that a request offers; its ID is unique in the request."""

    label: str
    """The choice, for people."""


class CallDescriptor(AsifModel):
    """What is known of an external call."""

    null_members: ClassVar[frozenset[str]] = frozenset(("arguments",))

    tool_id: NonEmptyStr
    """The tool, declared in this document."""
    arguments: Any
    """The arguments as recorded: any JSON. To act on a call, take a `CompleteCall` from a report."""
    arguments_status: ArgumentsStatus
    """Whether they are whole."""


class RequestDescriptor(AsifModel):
    """What is known of an external decision request."""

    decision_kind: DecisionKind
    """What it is about."""
    prompt: list[Part]
    """What was asked."""
    options: list[DecisionOption]
    """The choices."""


class CallBinding(Identified):
    """A call outside the included history; `id` is its call ID."""

    kind: Literal["call"] = "call"
    """The kind of binding."""
    source: BindingSource
    """The event it stands for."""
    descriptor: CallDescriptor
    """The call."""


class RequestBinding(Identified):
    """A decision request outside the included history; `id` is its request ID."""

    kind: Literal["request"] = "request"
    """The kind of binding."""
    source: BindingSource
    """The event it stands for."""
    descriptor: RequestDescriptor
    """The request."""


ExternalBinding: TypeAlias = CallBinding | RequestBinding
"""Any binding; a closed union."""
