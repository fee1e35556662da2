"""ASM: the events of one run of an agent, the fold over them, and what a run comes to.

The vocabulary is that of the guide "Event Model And Result Projection"; what it leaves open is settled in the package's
documentation. `RunEvent` is one event, `RunReducer` folds events into a `RunState`, `final_result` gives the `RunResult`.
"""

from sessionrecord.asm.change import RunChange
from sessionrecord.asm.content import ContentBlock, TextBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock
from sessionrecord.asm.control import ApprovalRequest, ApprovalResolution, Control, CostUpdate, RunLifecycle
from sessionrecord.asm.cost import Cost
from sessionrecord.asm.errors import RunError, RunErrorDomain, RunErrorKind
from sessionrecord.asm.event import RunEvent
from sessionrecord.asm.log import MessageLog
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
from sessionrecord.asm.metadata import PROTECTED_KEYS
from sessionrecord.asm.parse import InvalidEvent, parse_event, read_event
from sessionrecord.asm.payloads import (
    CORE_KINDS,
    NATIVE_KINDS,
    PAYLOADS,
    ApprovalRequestedPayload,
    ApprovalResolvedPayload,
    AssistantDeltaPayload,
    AssistantMessagePayload,
    CostUpdatePayload,
    ErrorPayload,
    HostToolRequestPayload,
    HostToolResponsePayload,
    PayloadModel,
    RawPayload,
    ResultPayload,
    RunCompletedPayload,
    RunStartedPayload,
    SessionPayload,
    StderrPayload,
    ThinkingPayload,
    ToolResultPayload,
    ToolUsePayload,
    UserMessagePayload,
)
from sessionrecord.asm.projection import project
from sessionrecord.asm.reader import EventReader
from sessionrecord.asm.reducer import RunReducer, reduce_run
from sessionrecord.asm.result import RunResult, final_result, to_result
from sessionrecord.asm.scalars import KNOWN_PROVIDERS
from sessionrecord.asm.state import ResultSnapshot, RunState, RunStatus
from sessionrecord.asm.text import assistant_text, final_text, text_content, text_delta, text_deltas
from sessionrecord.asm.watch import watch
from sessionrecord.asm.writer import EventWriter
from sessionrecord.errors import EmptyRunError

__all__ = [
    "CORE_KINDS",
    "KNOWN_PROVIDERS",
    "NATIVE_KINDS",
    "PAYLOADS",
    "PROTECTED_KEYS",
    "ApprovalRequest",
    "ApprovalRequestedPayload",
    "ApprovalResolution",
    "ApprovalResolvedPayload",
    "AssistantDeltaPayload",
    "AssistantMessage",
    "AssistantMessagePayload",
    "ContentBlock",
    "Control",
    "Cost",
    "CostUpdate",
    "CostUpdatePayload",
    "EmptyRunError",
    "ErrorMessage",
    "ErrorPayload",
    "EventReader",
    "EventWriter",
    "HostToolRequestPayload",
    "HostToolResponsePayload",
    "InvalidEvent",
    "Message",
    "MessageLog",
    "PartialMessage",
    "PayloadModel",
    "RawMessage",
    "RawPayload",
    "ResultMessage",
    "ResultPayload",
    "ResultSnapshot",
    "RunChange",
    "RunCompletedPayload",
    "RunError",
    "RunErrorDomain",
    "RunErrorKind",
    "RunEvent",
    "RunLifecycle",
    "RunReducer",
    "RunResult",
    "RunStartedPayload",
    "RunState",
    "RunStatus",
    "SessionPayload",
    "StderrMessage",
    "StderrPayload",
    "TextBlock",
    "ThinkingBlock",
    "ThinkingMessage",
    "ThinkingPayload",
    "ToolResultBlock",
    "ToolResultMessage",
    "ToolResultPayload",
    "ToolUseBlock",
    "ToolUseMessage",
    "ToolUsePayload",
    "UserMessage",
    "UserMessagePayload",
    "assistant_text",
    "final_result",
    "final_text",
    "parse_event",
    "project",
    "read_event",
    "reduce_run",
    "text_content",
    "text_delta",
    "text_deltas",
    "to_result",
    "watch",
]
