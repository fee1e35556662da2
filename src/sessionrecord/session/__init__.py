"""`Session` turns records into revision chains and context views."""

from __future__ import annotations

from sessionrecord.session.calls import ToolUse, Turn
from sessionrecord.session.context import Absent, ActivePath, ContextItem, ContextView, Flag
from sessionrecord.session.declared import Declared, Info
from sessionrecord.session.entity import Entity, RevisionChain
from sessionrecord.session.findings import Findings
from sessionrecord.session.session import Session, SessionAt
from sessionrecord.session.usage import ModelUsage, UsageTotals

__all__ = [
    "Absent",
    "ActivePath",
    "ContextItem",
    "ContextView",
    "Declared",
    "Entity",
    "Findings",
    "Flag",
    "Info",
    "ModelUsage",
    "RevisionChain",
    "Session",
    "SessionAt",
    "ToolUse",
    "Turn",
    "UsageTotals",
]
