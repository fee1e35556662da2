"""The messages of a run: what was said, thought, called, returned, and how it ended."""

from __future__ import annotations

from typing import Any, Final, Literal, TypeAlias

from pydantic import Field, ValidationError

from sessionrecord.asm.content import TextBlock, load_block
from sessionrecord.asm.errors import RunErrorKind
from sessionrecord.asm.projected import Projected
from sessionrecord.wire import invalid

__all__ = [
    "AssistantMessage",
    "ErrorMessage",
    "Message",
    "PartialMessage",
    "RawMessage",
    "ResultMessage",
    "StderrMessage",
    "ThinkingMessage",
    "ToolResultMessage",
    "ToolUseMessage",
    "UserMessage",
    "load_message",
]


class PartialMessage(Projected):
    """A piece of a message, as it was streamed."""

    type: Literal["partial"] = "partial"
    content_type: Literal["text", "thinking"] = "text"
    """What it is a piece of; the reducer makes pieces of text only."""
    delta: str
    """The piece."""


class AssistantMessage(Projected):
    """A whole message of the agent."""

    type: Literal["assistant"] = "assistant"
    content: tuple[Any, ...] = ()
    """Its blocks: `ContentBlock`, or the plain value where the block has no known form."""
    model: str | None = None
    """The model that wrote it."""
    metadata: dict[str, Any] = Field(default_factory=dict)
    """The metadata of its payload."""

    @property
    def text(self) -> str:
        """Its text blocks, joined."""
        return "".join(b.text for b in self.content if isinstance(b, TextBlock))


class UserMessage(Projected):
    """A whole message of the user."""

    type: Literal["user"] = "user"
    content: tuple[Any, ...] = ()
    """Its blocks: `ContentBlock`, or the plain value where the block has no known form."""


class ThinkingMessage(Projected):
    """What the agent thought."""

    type: Literal["thinking"] = "thinking"
    thinking: str
    """The thought."""
    signature: str | None = None
    """The provider's proof of it."""


class ToolUseMessage(Projected):
    """A call of a tool."""

    type: Literal["tool_use"] = "tool_use"
    tool_name: str = ""
    """The tool; empty where none is named."""
    tool_id: str = ""
    """The call; empty where none is named."""
    input: dict[str, Any] = Field(default_factory=dict)
    """The arguments."""


class ToolResultMessage(Projected):
    """The result of a tool's call."""

    type: Literal["tool_result"] = "tool_result"
    tool_id: str = ""
    """The call; empty where none is named."""
    content: Any = None
    """What came back, any JSON value."""
    is_error: bool = False
    """Whether the call failed."""


class ResultMessage(Projected):
    """The provider's result."""

    type: Literal["result"] = "result"
    stop_reason: Any = None
    """Why it stopped."""
    object: Any = None
    """The structured object; None where the provider returned none."""
    usage: dict[str, Any] = Field(default_factory=dict)
    """`input_tokens` and `output_tokens`, 0 where the provider named none. It is not part of the run's cost."""
    duration_ms: Any = None
    """The provider's own figure, in milliseconds."""
    metadata: dict[str, Any] = Field(default_factory=dict)
    """The metadata of its payload."""


class ErrorMessage(Projected):
    """An error that ended the run."""

    type: Literal["error"] = "error"
    severity: Literal["fatal", "error", "warning"]
    """How bad the provider finds it."""
    message: str
    """What happened."""
    kind: RunErrorKind
    """What kind of error."""


class StderrMessage(Projected):
    """What the provider's program wrote to its standard error."""

    type: Literal["stderr"] = "stderr"
    content: str = ""
    """The text."""
    metadata: dict[str, Any] = Field(default_factory=dict)
    """The metadata of its payload."""


class RawMessage(Projected):
    """Something of the provider's that has no kind of its own."""

    type: Literal["raw"] = "raw"
    stream: Any = "stdout"
    """Where it came from."""
    content: Any = None
    """What came, any JSON value."""
    metadata: dict[str, Any] = Field(default_factory=dict)
    """The metadata of its payload."""


Message: TypeAlias = (
    PartialMessage
    | AssistantMessage
    | UserMessage
    | ThinkingMessage
    | ToolUseMessage
    | ToolResultMessage
    | ResultMessage
    | ErrorMessage
    | StderrMessage
    | RawMessage
)
"""A message of a run."""

_MESSAGES: Final[dict[Any, type[Message]]] = {
    "partial": PartialMessage,
    "assistant": AssistantMessage,
    "user": UserMessage,
    "thinking": ThinkingMessage,
    "tool_use": ToolUseMessage,
    "tool_result": ToolResultMessage,
    "result": ResultMessage,
    "error": ErrorMessage,
    "stderr": StderrMessage,
    "raw": RawMessage,
}


def load_message(value: dict[str, Any]) -> Message:
    """The message that `to_wire` has written. Raises `InvalidRecordError`."""
    tag = value.get("type")
    cls = _MESSAGES.get(tag if isinstance(tag, str) else None, PartialMessage)
    content = value.get("content")
    if cls in (AssistantMessage, UserMessage) and isinstance(content, list):
        value = {**value, "content": tuple(load_block(block) for block in content)}
    try:
        return cls.model_validate(value)
    except ValidationError as e:
        raise invalid(e) from None
