"""Audit facts about model calls: the calls themselves, and what they used (spec sections 4 and 8)."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, TypeAlias

from sessionrecord.records.base import WireModel
from sessionrecord.records.envelope import EnvelopeModel
from sessionrecord.records.message import StopReason
from sessionrecord.records.tool import CallStatus, RecordedError
from sessionrecord.scalars import Amount, DurationMs, Omittable, OpenEnum, SafeInt

__all__ = ["Cost", "ModelCall", "Usage", "UsageCounter", "UsageScope"]

UsageScope: TypeAlias = Annotated[Literal["model_call", "turn", "session"] | str, OpenEnum]
"""What a usage record counts over. Our table, section 4."""
UsageCounter: TypeAlias = Annotated[Literal["delta", "cumulative"] | str, OpenEnum]
"""Whether counts add up or replace earlier ones; absent means delta. Our table, section 4."""


class Cost(WireModel):
    """What something cost, as the source reported it. [S] ASR-047."""

    amount: Amount
    """The amount, in `currency`, with no more digits than the source gave."""
    currency: str
    """The currency, such as `USD`."""


class ModelCall(EnvelopeModel):
    """A request to a model and its end. [S] "Entity", members ours."""

    type: Literal["model_call"] = "model_call"
    """The record type."""
    model_call_id: str
    """The entity key."""
    model: Omittable[str] = None
    """The model."""
    provider: Omittable[str] = None
    """Who ran it."""
    request_id: Omittable[str] = None
    """The provider's ID of the request."""
    status: Omittable[CallStatus] = None
    """How far the call is."""
    stop_reason: Omittable[StopReason] = None
    """Why the model stopped."""
    duration_ms: Omittable[DurationMs] = None
    """How long it took, in milliseconds."""
    time_to_first_token_ms: Omittable[DurationMs] = None
    """Time to the first token, in milliseconds."""
    error: Omittable[RecordedError] = None
    """What went wrong."""


class Usage(EnvelopeModel):
    """Tokens used and what they cost. [S] "Audit-only record", members ours."""

    null_members: ClassVar[frozenset[str]] = frozenset({"includes_children"})

    type: Literal["usage"] = "usage"
    """The record type."""
    model_call_id: Omittable[str] = None
    """The model call counted; the entity key, unless the counter is cumulative or the scope another."""
    scope: Omittable[UsageScope] = None
    """What is counted over."""
    counter: Omittable[UsageCounter] = None
    """Whether counts add up; absent means delta."""
    input_tokens: Omittable[SafeInt] = None
    """Input tokens, without cached ones."""
    output_tokens: Omittable[SafeInt] = None
    """Output tokens, reasoning included."""
    cache_read_tokens: Omittable[SafeInt] = None
    """Input tokens read from a cache."""
    cache_write_tokens: Omittable[SafeInt] = None
    """Input tokens written to a cache."""
    reasoning_tokens: Omittable[SafeInt] = None
    """Output tokens spent on reasoning; part of `output_tokens`."""
    total_tokens: Omittable[SafeInt] = None
    """All tokens, as the source counts them."""
    context_tokens: Omittable[SafeInt] = None
    """Tokens in context after the call."""
    context_window: Omittable[SafeInt] = None
    """Tokens that fit in the model's context."""
    model: Omittable[str] = None
    """The model."""
    cost: Omittable[Cost] = None
    """What it cost."""
    includes_children: bool | None = None
    """Whether child sessions are counted in; null means that this is not known. [S] ASR-043."""
