"""Audit facts about asking people: permissions and questions (spec section 4)."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from sessionrecord.records.base import WireModel
from sessionrecord.records.content import Blocks
from sessionrecord.records.envelope import EnvelopeModel
from sessionrecord.scalars import Omittable, OpenEnum

__all__ = [
    "Answer",
    "AnswerOutcome",
    "DecidedBy",
    "DecisionOutcome",
    "PermissionDecision",
    "PermissionKind",
    "PermissionOption",
    "PermissionRequest",
    "Question",
    "QuestionOption",
]

PermissionKind: TypeAlias = Annotated[
    Literal["allow_once", "allow_always", "reject_once", "reject_always"] | str, OpenEnum
]
"""What an option means. [S] `allow_once`, the others ours."""
DecisionOutcome: TypeAlias = Annotated[Literal["selected", "cancelled", "expired"] | str, OpenEnum]
"""How a permission request ended. Our table, section 4."""
DecidedBy: TypeAlias = Annotated[Literal["human", "policy", "agent", "hook"] | str, OpenEnum]
"""Who decided. Our table, section 4."""
AnswerOutcome: TypeAlias = Annotated[Literal["answered", "declined", "cancelled", "expired"] | str, OpenEnum]
"""How a question ended. Our table, section 4."""


class PermissionOption(WireModel):
    """One way to decide a permission request. Our table, section 4."""

    option_id: str
    """What decisions name it by."""
    name: Omittable[str] = None
    """What people read."""
    kind: Omittable[PermissionKind] = None
    """What it means."""


class PermissionRequest(EnvelopeModel):
    """A request for permission. [S] "Entity", members ours."""

    type: Literal["permission_request"] = "permission_request"
    """The record type."""
    permission_id: str
    """The entity key."""
    call_id: Omittable[str] = None
    """The tool call it is about."""
    title: Omittable[str] = None
    """What is asked, in short."""
    description: Omittable[str] = None
    """What is asked, at length."""
    options: Omittable[list[PermissionOption]] = None
    """Ways to decide."""


class PermissionDecision(EnvelopeModel):
    """The decision on a permission request. Our table, section 4."""

    type: Literal["permission_decision"] = "permission_decision"
    """The record type."""
    permission_id: str
    """The entity key: the request it decides."""
    outcome: Omittable[DecisionOutcome] = None
    """How the request ended."""
    option_id: Omittable[str] = None
    """The option chosen."""
    kind: Omittable[PermissionKind] = None
    """What the choice means."""
    decided_by: Omittable[DecidedBy] = None
    """Who decided."""
    reason: Omittable[str] = None
    """Why."""
    updated_arguments: Any = None
    """Arguments that replace the call's: any JSON."""


class QuestionOption(WireModel):
    """One answer to choose. Our table, section 4."""

    option_id: str
    """What answers name it by."""
    label: Omittable[str] = None
    """What people read."""
    description: Omittable[str] = None
    """What it means."""


class Question(EnvelopeModel):
    """A question to the user. [S] "Entity", members ours."""

    type: Literal["question"] = "question"
    """The record type."""
    question_id: str
    """The entity key."""
    call_id: Omittable[str] = None
    """The tool call that asks."""
    prompt: Omittable[Blocks] = None
    """What is asked."""
    options: Omittable[list[QuestionOption]] = None
    """Answers to choose from."""
    multiple: Omittable[bool] = None
    """Whether several may be chosen."""
    allow_other: Omittable[bool] = None
    """Whether a free text may be given."""


class Answer(EnvelopeModel):
    """The answer to a question. Our table, section 4."""

    type: Literal["answer"] = "answer"
    """The record type."""
    question_id: str
    """The entity key: the question it answers."""
    outcome: Omittable[AnswerOutcome] = None
    """How the question ended."""
    selected: Omittable[list[str]] = None
    """IDs of the options chosen."""
    text: Omittable[str] = None
    """A free text."""
