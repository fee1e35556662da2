"""Messages: what was said (spec section 4)."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from sessionrecord.records.content import Blocks, text_of
from sessionrecord.records.envelope import ParticipatingModel
from sessionrecord.scalars import Omittable, OpenEnum

__all__ = ["Message", "Origin", "Role", "StopReason"]

Role: TypeAlias = Annotated[Literal["user", "assistant", "system", "developer"] | str, OpenEnum]
"""Who speaks. Our table, section 4."""
StopReason: TypeAlias = Annotated[
    Literal["end_turn", "max_tokens", "tool_use", "refusal", "cancelled", "error"] | str, OpenEnum
]
"""Why the model stopped. Our table, section 4."""
Origin: TypeAlias = Annotated[Literal["user", "injected", "scheduled", "mixed"] | str, OpenEnum]
"""Where an input came from. Our table, section 4."""


class Message(ParticipatingModel):
    """A message: takes part in the context. [S] "Entity", "Context-participating record"."""

    type: Literal["message"] = "message"
    """The record type."""
    message_id: str
    """The entity key. [S]."""
    role: Role
    """Who speaks."""
    content: Omittable[Blocks] = None
    """What was said."""
    model: Omittable[str] = None
    """The model that wrote it."""
    stop_reason: Omittable[StopReason] = None
    """Why the model stopped."""
    model_call_id: Omittable[str] = None
    """The model call it came from."""
    origin: Omittable[Origin] = None
    """Where it came from."""

    @property
    def text(self) -> str:
        """The text blocks' text, joined as they stand."""
        return text_of(self.content)
