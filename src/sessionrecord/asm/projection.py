"""From payloads to messages and control values."""

from __future__ import annotations

from typing import Any, Final

from sessionrecord.asm import payloads as p
from sessionrecord.asm.content import project_block
from sessionrecord.asm.control import ApprovalRequest, ApprovalResolution, Control, CostUpdate, RunLifecycle
from sessionrecord.asm.errors import error_kind
from sessionrecord.asm.event import RunEvent
from sessionrecord.asm.messages import (
    AssistantMessage,
    ErrorMessage,
    Message,
    PartialMessage,
    RawMessage,
    ResultMessage,
    StderrMessage,
    ThinkingMessage,
    ToolResultMessage,
    ToolUseMessage,
    UserMessage,
)

__all__ = ["approval_request", "project", "project_message"]

_ALLOWED: Final = ("allow", "approved")


def project(event: RunEvent) -> Message | Control | Any:
    """What an event says as a message or a control value; its payload where the kind has neither."""
    payload = event.payload
    if isinstance(payload, p.ApprovalRequestedPayload):
        return approval_request(payload)
    if isinstance(payload, p.ApprovalResolvedPayload):
        allowed = payload.decision is True or (isinstance(payload.decision, str) and payload.decision in _ALLOWED)
        return ApprovalResolution(
            approval_id=payload.approval_id or "", decision="allow" if allowed else "deny", reason=payload.reason
        )
    if isinstance(payload, p.CostUpdatePayload):
        return CostUpdate(
            input_tokens=payload.input_tokens, output_tokens=payload.output_tokens, cost_usd=payload.cost_usd
        )
    if isinstance(payload, p.RunCompletedPayload):
        return RunLifecycle(status="failed" if payload.status == "failed" else "completed", summary=payload.to_wire())
    message = project_message(payload)
    return payload if message is None else message


def approval_request(payload: p.ApprovalRequestedPayload) -> ApprovalRequest:
    """What is asked: the subject names the tool, `details.tool_input` holds its arguments."""
    given = payload.details.get("tool_input")
    return ApprovalRequest(
        approval_id=payload.approval_id or "",
        tool_name=payload.subject or "",
        tool_input={} if given is None else given,
    )


def project_message(payload: Any) -> Message | None:
    """The message that a payload is, or None where it is none."""
    match payload:
        case p.AssistantDeltaPayload():
            return PartialMessage(delta=payload.content)
        case p.AssistantMessagePayload():
            return AssistantMessage(content=_blocks(payload.content), model=payload.model, metadata=payload.metadata)
        case p.UserMessagePayload():
            return UserMessage(content=_blocks(payload.content))
        case p.ThinkingPayload():
            return ThinkingMessage(thinking=payload.content, signature=payload.signature)
        case p.ToolUsePayload():
            return ToolUseMessage(
                tool_name=payload.tool_name or "", tool_id=payload.tool_call_id or "", input=payload.input
            )
        case p.ToolResultPayload():
            return ToolResultMessage(
                tool_id=payload.tool_call_id or "", content=payload.content, is_error=payload.is_error
            )
        case p.ResultPayload():
            return _result(payload)
        case p.ErrorPayload():
            severity = "warning" if payload.severity == "info" else payload.severity
            return ErrorMessage(severity=severity, message=payload.message, kind=error_kind(payload.code))
        case p.StderrPayload():
            return StderrMessage(content=payload.content, metadata=payload.metadata)
        case p.RawPayload():
            return RawMessage(stream=payload.stream, content=payload.content, metadata=payload.metadata)
    return None


def _blocks(content: list[Any]) -> tuple[Any, ...]:
    return tuple(map(project_block, content))


def _result(payload: p.ResultPayload) -> ResultMessage:
    output = payload.output if isinstance(payload.output, dict) else {}
    usage = output.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    return ResultMessage(
        stop_reason=payload.stop_reason,
        object=payload.object,
        usage={name: usage.get(name) or 0 for name in ("input_tokens", "output_tokens")},
        duration_ms=output.get("duration_ms"),
        metadata=payload.metadata,
    )
