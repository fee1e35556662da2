"""Audit facts about the session itself: its state, errors, deliveries (spec section 4)."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from sessionrecord.records.envelope import EnvelopeModel
from sessionrecord.records.tool import RecordedError
from sessionrecord.scalars import NonEmptyStr, Omittable, OpenEnum

__all__ = ["Delivery", "DeliveryStatus", "ErrorRecord", "ErrorSeverity", "State", "StateName"]

DeliveryStatus: TypeAlias = Annotated[Literal["queued", "sent", "failed"] | str, OpenEnum]
"""How far a delivery is. Our table, section 4."""
StateName: TypeAlias = Annotated[Literal["running", "idle", "requires_action", "ended"] | str, OpenEnum]
"""What the session does. Our table, section 4."""
ErrorSeverity: TypeAlias = Annotated[Literal["warning", "error", "fatal"] | str, OpenEnum]
"""How bad an error is. Our table, section 4."""


class Delivery(EnvelopeModel):
    """A message handed to a conversation; never a second message. [S] "Audit-only record", members ours."""

    type: Literal["delivery"] = "delivery"
    """The record type."""
    delivery_id: Omittable[str] = None
    """The entity key."""
    of: NonEmptyStr
    """Ref of the message delivered."""
    status: Omittable[DeliveryStatus] = None
    """How far it is."""
    recipients: Omittable[list[str]] = None
    """IDs of the participants it went to."""
    native_id: Omittable[str] = None
    """The channel's own ID of it."""
    error: Omittable[RecordedError] = None
    """Why it failed."""


class State(EnvelopeModel):
    """A change of what the session does. [S] "Audit-only record", members ours."""

    type: Literal["state"] = "state"
    """The record type."""
    state: StateName
    """What it does from here on."""
    reason: Omittable[str] = None
    """Why."""


class ErrorRecord(EnvelopeModel):
    """An error that the session met. Our table, section 4."""

    type: Literal["error"] = "error"
    """The record type."""
    message: str
    """What went wrong, in words."""
    code: Omittable[str] = None
    """The source's code for it."""
    severity: Omittable[ErrorSeverity] = None
    """How bad it is."""
    retryable: Omittable[bool] = None
    """Whether trying again may help."""
    model_call_id: Omittable[str] = None
    """The model call that failed."""
    call_id: Omittable[str] = None
    """The tool call that failed."""
