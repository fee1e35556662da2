"""Control values: what steers a run, beside what is said in it."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from pydantic import Field

from sessionrecord.asm.projected import Projected

__all__ = ["ApprovalRequest", "ApprovalResolution", "Control", "CostUpdate", "RunLifecycle"]


class ApprovalRequest(Projected):
    """The agent waits for leave to call a tool."""

    approval_id: str = ""
    """The request; empty where it has no name."""
    tool_name: str = ""
    """The tool; empty where none is named."""
    tool_input: Any = Field(default_factory=dict)
    """The tool's arguments."""


class ApprovalResolution(Projected):
    """Leave was given or refused."""

    approval_id: str = ""
    """The request; empty where it has no name."""
    decision: Literal["allow", "deny"]
    """Whether leave was given. What is not clearly a yes is a no."""
    reason: str | None = None
    """Why."""


class CostUpdate(Projected):
    """What was used since the update before it."""

    input_tokens: int
    """Tokens read."""
    output_tokens: int
    """Tokens written."""
    cost_usd: Any
    """Cost in US dollars, the number as reported."""


class RunLifecycle(Projected):
    """The run's life has ended."""

    status: Literal["completed", "failed"]
    """The sender's word for the end, as far as it is one of these; else `completed`."""
    summary: dict[str, Any]
    """All that the sender said of it."""


Control: TypeAlias = ApprovalRequest | ApprovalResolution | CostUpdate | RunLifecycle
"""A control value."""
