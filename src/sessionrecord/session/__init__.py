"""`Session` turns records into revision chains and context views."""

from __future__ import annotations

from sessionrecord.session.calls import ToolUse, Turn
from sessionrecord.session.compare import EntityPair, SessionDiff
from sessionrecord.session.context import Absent, ActivePath, ContextItem, ContextView, Flag
from sessionrecord.session.context_diff import ContextDiff, Gained, Kept, Lost, Replacement
from sessionrecord.session.declared import Declared, Info
from sessionrecord.session.differences import Change
from sessionrecord.session.entity import Entity, RevisionChain
from sessionrecord.session.session import Session, SessionAt, diff
from sessionrecord.session.usage import ModelUsage, UsageTotals

__all__ = [
    "Absent",
    "ActivePath",
    "Change",
    "ContextDiff",
    "ContextItem",
    "ContextView",
    "Declared",
    "Entity",
    "EntityPair",
    "Flag",
    "Gained",
    "Info",
    "Kept",
    "Lost",
    "ModelUsage",
    "Replacement",
    "RevisionChain",
    "Session",
    "SessionAt",
    "SessionDiff",
    "ToolUse",
    "Turn",
    "UsageTotals",
    "diff",
]
