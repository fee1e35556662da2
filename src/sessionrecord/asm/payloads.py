"""The payload models, one a kind of event. A member that is absent, or null where it has a default, reads as the default.

The margins of names and one-line texts do not count; those of text that an agent streams do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Final, Literal, Self, TypeAlias, cast

from pydantic import Field, model_validator

from sessionrecord.asm.scalars import BooleanOrNull, Count, JsonObject, NullAs, Trimmed
from sessionrecord.scalars import Amount
from sessionrecord.wire import WireModel

__all__ = [
    "CORE_KINDS",
    "NATIVE_KINDS",
    "PAYLOADS",
    "ApprovalRequestedPayload",
    "ApprovalResolvedPayload",
    "AssistantDeltaPayload",
    "AssistantMessagePayload",
    "CostUpdatePayload",
    "ErrorPayload",
    "HostToolRequestPayload",
    "HostToolResponsePayload",
    "PayloadModel",
    "RawPayload",
    "ResultPayload",
    "RunCompletedPayload",
    "RunStartedPayload",
    "SessionPayload",
    "Severity",
    "StderrPayload",
    "ThinkingPayload",
    "ToolResultPayload",
    "ToolUsePayload",
    "UserMessagePayload",
    "typed_payload",
]

Severity: TypeAlias = Literal["info", "warning", "error", "fatal"]
"""How bad an error is. Every one of them ends the run."""

_Text: TypeAlias = Annotated[str, NullAs(str, "type-invalid", "must be a string or null")]
_TrimmedText: TypeAlias = Annotated[Trimmed, NullAs(str, "type-invalid", "must be a string or null")]
_Tokens: TypeAlias = Annotated[Count, NullAs(int, "integer-invalid", "must be an integer from 0, or null")]
_Usd: TypeAlias = Annotated[Amount, NullAs(int, "amount-invalid", "must be a non-negative decimal amount, or null")]
_Blocks: TypeAlias = Annotated[list[Any], NullAs(list, "type-invalid", "must be an array or null")]
_Words: TypeAlias = Annotated[list[Trimmed], NullAs(list, "type-invalid", "must be an array of strings, or null")]
_CallId: TypeAlias = str | int


class PayloadModel(WireModel):
    """What the payloads share: unknown members are kept."""

    @property
    def extra(self) -> dict[str, Any]:
        """The members that the kind does not define, as they came."""
        return self.model_extra or {}


class _CorePayload(PayloadModel):
    metadata: JsonObject = Field(default_factory=dict)
    """Free data about the payload. It does not join the metadata of the run."""


class RunStartedPayload(_CorePayload):
    """`run_started`: how the provider's program was started."""

    provider_session_id: Trimmed | None = None
    """The provider's session. The reducer reads the one of the envelope."""
    command: Trimmed | None = None
    """The program."""
    args: _Words = Field(default_factory=list)
    """Its arguments."""
    cwd: Trimmed | None = None
    """Its working directory."""


class AssistantDeltaPayload(_CorePayload):
    """`assistant_delta`: a piece of what the agent says, to the last space."""

    content: _Text = ""
    """The piece."""
    index: Count | None = None
    """Index of the content block it belongs to."""
    format: Annotated[Any, NullAs(lambda: "text", "value-invalid", "must be a JSON value")] = "text"
    """Form of the piece."""


class AssistantMessagePayload(_CorePayload):
    """`assistant_message`: a whole message of the agent."""

    content: _Blocks = Field(default_factory=list)
    """Content blocks as the provider gave them."""
    role: Annotated[
        Literal["assistant"], NullAs(lambda: "assistant", "value-invalid", 'must be "assistant" or null')
    ] = "assistant"
    """Always `assistant`."""
    model: Trimmed | None = None
    """The model that wrote it."""


class UserMessagePayload(_CorePayload):
    """`user_message`: what the user, or a tool in the user's name, said."""

    content: _Blocks = Field(default_factory=list)
    """Content blocks as the provider gave them."""
    role: Annotated[Literal["user"], NullAs(lambda: "user", "value-invalid", 'must be "user" or null')] = "user"
    """Always `user`."""


class ThinkingPayload(_CorePayload):
    """`thinking`: what the agent thought."""

    content: _TrimmedText = ""
    """The thought."""
    signature: Trimmed | None = None
    """The provider's proof of it."""


class ToolUsePayload(_CorePayload):
    """`tool_use`: the agent calls a tool."""

    tool_name: Trimmed | None = None
    """The tool."""
    tool_call_id: Trimmed | None = None
    """The call."""
    input: JsonObject = Field(default_factory=dict)
    """The arguments."""


class ToolResultPayload(_CorePayload):
    """`tool_result`: what a tool gave back."""

    tool_call_id: Trimmed | None = None
    """The call it answers."""
    content: Any = None
    """What came back, any JSON value."""
    is_error: BooleanOrNull = False
    """Whether the call failed."""


class ApprovalRequestedPayload(_CorePayload):
    """`approval_requested`: the agent waits for leave to do something."""

    approval_id: Trimmed | None = None
    """The request."""
    subject: Trimmed | None = None
    """What leave is asked for: the name of the tool."""
    details: JsonObject = Field(default_factory=dict)
    """More about it; `tool_input` holds the tool's arguments."""


class ApprovalResolvedPayload(_CorePayload):
    """`approval_resolved`: leave was given or refused."""

    approval_id: Trimmed | None = None
    """The request it answers."""
    decision: Any = None
    """`allow`, `approved` and true give leave, all else refuses it."""
    reason: Trimmed | None = None
    """Why."""


class CostUpdatePayload(_CorePayload):
    """`cost_update`: what was used since the update before it. The run's cost is the sum."""

    input_tokens: _Tokens = 0
    """Tokens read."""
    output_tokens: _Tokens = 0
    """Tokens written."""
    total_tokens: _Tokens = 0
    """Both together, as the provider counts. No total is made from it."""
    cost_usd: _Usd = 0
    """Cost in US dollars, as reported."""


class ResultPayload(_CorePayload):
    """`result`: the provider's program is done."""

    status: Any = None
    """The provider's word for the end. It does not decide the status of the run."""
    stop_reason: Any = None
    """Why it stopped."""
    output: Any = None
    """The provider's own result; `usage` and `duration_ms` in it are projected."""
    object: Any = None
    """The structured object that the provider returned; null where it returned none."""


class ErrorPayload(_CorePayload):
    """`error`: the run failed."""

    message: _TrimmedText = ""
    """What happened, in words."""
    code: Trimmed | None = None
    """What kind of error; see `RunErrorKind`."""
    severity: Annotated[
        Severity, NullAs(lambda: "error", "value-invalid", "must be info, warning, error, fatal or null")
    ] = "error"
    """How bad the provider finds it."""


class StderrPayload(_CorePayload):
    """`stderr`: what the provider's program wrote to its standard error."""

    content: _TrimmedText = ""
    """The text."""


class RawPayload(_CorePayload):
    """`raw`: something of the provider's that has no kind of its own."""

    stream: Annotated[Any, NullAs(lambda: "stdout", "value-invalid", "must be a JSON value")] = "stdout"
    """Where it came from."""
    content: Any = None
    """What came, any JSON value."""


class RunCompletedPayload(PayloadModel):
    """`run_completed`: the run's life has ended. The reducer does not read it."""

    status: Any = None
    """The sender's word for the end."""


class HostToolRequestPayload(PayloadModel):
    """`host_tool_requested`: the provider asks the host to run a tool."""

    id: _CallId | None = None
    """The request."""
    session_id: str | None = None
    """The session that asks."""
    run_id: str | None = None
    """The run that asks."""
    provider: str | None = None
    """The provider that asks."""
    provider_session_id: str | None = None
    """The provider's session."""
    provider_turn_id: str | None = None
    """The provider's turn."""
    tool_name: str | None = None
    """The tool."""
    arguments: Any = Field(default_factory=dict)
    """The arguments, any JSON value."""
    raw: Any = None
    """The request as the provider sent it."""
    metadata: JsonObject = Field(default_factory=dict)
    """Free data about the request."""


class HostToolResponsePayload(PayloadModel):
    """`host_tool_completed`, `host_tool_failed`, `host_tool_denied`: what the host answered."""

    request_id: _CallId | None = None
    """The request it answers."""
    success: bool | None = Field(default=None, alias="success?")
    """Whether the tool did its work."""
    output: Any = None
    """What the tool gave, any JSON value."""
    content_items: _Blocks = Field(default_factory=list)
    """The same as content items of the provider."""
    error: Any = None
    """What went wrong."""
    metadata: JsonObject = Field(default_factory=dict)
    """Free data about the response."""

    @model_validator(mode="after")
    def _tell_success_from_an_unknown_member(self) -> Self:
        # pydantic takes an unknown `success` for the attribute of that name, and would write a null for `success?`
        if self.success is None and "success" in self.extra:
            self.model_fields_set.discard("success")
        return self


class SessionPayload(PayloadModel):
    """`session_checkpoint`, `session_resumed`: the guide gives them no members; what is there is in `extra`."""


PAYLOADS: Final[dict[str, type[PayloadModel]]] = {
    "run_started": RunStartedPayload,
    "assistant_delta": AssistantDeltaPayload,
    "assistant_message": AssistantMessagePayload,
    "user_message": UserMessagePayload,
    "thinking": ThinkingPayload,
    "tool_use": ToolUsePayload,
    "tool_result": ToolResultPayload,
    "approval_requested": ApprovalRequestedPayload,
    "approval_resolved": ApprovalResolvedPayload,
    "cost_update": CostUpdatePayload,
    "result": ResultPayload,
    "error": ErrorPayload,
    "stderr": StderrPayload,
    "raw": RawPayload,
    "run_completed": RunCompletedPayload,
    "host_tool_requested": HostToolRequestPayload,
    "host_tool_completed": HostToolResponsePayload,
    "host_tool_failed": HostToolResponsePayload,
    "host_tool_denied": HostToolResponsePayload,
    "session_checkpoint": SessionPayload,
    "session_resumed": SessionPayload,
}
"""Kind of event to the model of its payload."""
CORE_KINDS: Final = tuple(PAYLOADS)[:14]
"""The kinds of the provider runtime."""
NATIVE_KINDS: Final = tuple(PAYLOADS)[14:]
"""The kinds of the session manager itself."""

Validate: TypeAlias = Callable[..., Any]
_validators: dict[str, Validate] = {}


def payload_validator(kind: str) -> Validate | None:
    """The validator of a known kind's payload, built on first use."""
    cls = PAYLOADS.get(kind)
    if cls is None:
        return None
    cls.model_rebuild()
    validate = _validators[kind] = cast("Validate", cls.__pydantic_validator__.validate_python)
    return validate


def typed_payload(kind: str, value: Any) -> Any:
    """The payload of an event of this kind: the kind's model for a known kind, `value` itself for any other.

    Raises `pydantic.ValidationError` for a payload that breaks its kind's model.
    """
    cls = PAYLOADS.get(kind)
    if isinstance(value, PayloadModel):
        if cls is type(value):
            return value
        value = value.to_wire()
    validate = _validators.get(kind) or payload_validator(kind)
    return value if validate is None else validate({} if value is None else value, by_alias=True, by_name=False)
