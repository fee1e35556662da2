"""The union of all record types, open to unknown ones."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from sessionrecord.records.audit_ask import Answer, PermissionDecision, PermissionRequest, Question
from sessionrecord.records.audit_model import ModelCall, Usage
from sessionrecord.records.audit_session import Delivery, ErrorRecord, State
from sessionrecord.records.audit_work import Commit, FileChange, MemoryWrite, Plan, Terminal
from sessionrecord.records.compaction import Compaction, Rewind
from sessionrecord.records.header import Declaration, SessionHeader, SessionInfo
from sessionrecord.records.message import Message
from sessionrecord.records.tool import ToolCall, ToolResult
from sessionrecord.records.unknown import UnknownRecord
from sessionrecord.wire import OpenUnion

__all__ = ["KnownRecord", "Record"]

KnownRecord: TypeAlias = (
    SessionHeader
    | Declaration
    | SessionInfo
    | Message
    | ToolCall
    | ToolResult
    | Compaction
    | Rewind
    | ModelCall
    | Usage
    | PermissionRequest
    | PermissionDecision
    | Question
    | Answer
    | MemoryWrite
    | Delivery
    | FileChange
    | Commit
    | State
    | Terminal
    | Plan
    | ErrorRecord
)
"""Any record of a known type: a bare union, for introspection."""

Record: TypeAlias = Annotated[
    SessionHeader
    | Declaration
    | SessionInfo
    | Message
    | ToolCall
    | ToolResult
    | Compaction
    | Rewind
    | ModelCall
    | Usage
    | PermissionRequest
    | PermissionDecision
    | Question
    | Answer
    | MemoryWrite
    | Delivery
    | FileChange
    | Commit
    | State
    | Terminal
    | Plan
    | ErrorRecord
    | UnknownRecord,
    OpenUnion(),
]
"""Any record: `type` chooses the model, an unknown one gives `UnknownRecord`. [S] unknown types are preserved."""
