"""Tool calls and their results (spec section 4)."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from sessionrecord.records.base import WireModel
from sessionrecord.records.content import Blocks, text_of
from sessionrecord.records.envelope import ParticipatingModel
from sessionrecord.refs import SessionReferenceStr
from sessionrecord.scalars import DurationMs, Omittable, OpenEnum, SafeInt, SignedInt

__all__ = [
    "ArgumentsStatus",
    "CallIdSource",
    "CallStatus",
    "Location",
    "RecordedError",
    "ResultOutcome",
    "ToolCall",
    "ToolKind",
    "ToolResult",
]

CallIdSource: TypeAlias = Annotated[Literal["native", "synthetic"] | str, OpenEnum]
"""Whether the source gave the call its ID. [S] name."""
ToolKind: TypeAlias = Annotated[
    Literal["read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other"] | str,
    OpenEnum,
]
"""What a tool does, in ACP's words. Our table, section 4."""
ArgumentsStatus: TypeAlias = Annotated[Literal["complete", "partial", "unknown"] | str, OpenEnum]
"""Whether the arguments are whole. Our table, section 4."""
CallStatus: TypeAlias = Annotated[Literal["pending", "in_progress", "completed", "failed", "cancelled"] | str, OpenEnum]
"""How far a call is. Our table, section 4."""
ResultOutcome: TypeAlias = Annotated[Literal["success", "error", "cancelled", "unknown"] | str, OpenEnum]
"""How a call ended. Our table, section 4."""


class Location(WireModel):
    """A place in a file. Our table, section 4."""

    root: Omittable[str] = None
    """ID of the root that the path is relative to."""
    path: str
    """The file."""
    line: Omittable[SafeInt] = None
    """Line, from 1."""


class RecordedError(WireModel):
    """An error as the source told it. Our table, section 4."""

    message: Omittable[str] = None
    """What went wrong, in words."""
    code: Omittable[str] = None
    """The source's code for it."""


class ToolCall(ParticipatingModel):
    """A tool call: takes part in the context. [S] "Entity", "Context-participating record"."""

    type: Literal["tool_call"] = "tool_call"
    """The record type."""
    call_id: str
    """The entity key. [S]."""
    call_id_source: Omittable[CallIdSource] = None
    """Whether the source gave the ID. [S] name."""
    name: Omittable[str] = None
    """The tool's name."""
    title: Omittable[str] = None
    """What it does, for people."""
    kind: Omittable[ToolKind] = None
    """What the tool does."""
    arguments: Any = None
    """The arguments: any JSON; `model_fields_set` tells a null from none."""
    arguments_status: Omittable[ArgumentsStatus] = None
    """Whether the arguments are whole."""
    status: Omittable[CallStatus] = None
    """How far the call is."""
    locations: Omittable[list[Location]] = None
    """The files it is about."""
    server: Omittable[str] = None
    """The server that offers the tool."""
    model_call_id: Omittable[str] = None
    """The model call that asked for it."""
    parent_call_id: Omittable[str] = None
    """The call that this one was made in."""
    child_session: Omittable[Annotated[str, SessionReferenceStr()]] = None
    """Session reference of the session it started."""


class ToolResult(ParticipatingModel):
    """The result of a tool call: takes part in the context. No result means unknown, never failure. [S] participating, members ours."""

    type: Literal["tool_result"] = "tool_result"
    """The record type."""
    call_id: str
    """The entity key: the call it answers. [S]."""
    outcome: Omittable[ResultOutcome] = None
    """How the call ended."""
    content: Omittable[Blocks] = None
    """What the model was given."""
    structured: Any = None
    """The result as data: any JSON."""
    error: Omittable[RecordedError] = None
    """What went wrong."""
    exit_code: Omittable[SignedInt] = None
    """Exit code of the process; negatives allowed."""
    signal: Omittable[str] = None
    """Signal that ended the process."""
    duration_ms: Omittable[DurationMs] = None
    """How long it took, in milliseconds."""
    terminal_id: Omittable[str] = None
    """The terminal it ran in."""

    @property
    def text(self) -> str:
        """The text blocks' text, joined as they stand."""
        return text_of(self.content)
