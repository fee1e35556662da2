"""`Session` turns records into revision chains and context views."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from sessionrecord.session.calls import ToolUse, Turn
from sessionrecord.session.context import Absent, ActivePath, ContextItem, ContextView, Flag
from sessionrecord.session.declared import Declared, Info
from sessionrecord.session.entity import Entity, RevisionChain
from sessionrecord.session.findings import Findings
from sessionrecord.session.session import Session, SessionAt, diff
from sessionrecord.session.usage import ModelUsage, UsageTotals

if TYPE_CHECKING:
    from sessionrecord.session.compare import EntityPair, SessionDiff
    from sessionrecord.session.context_diff import ContextDiff, Gained, Kept, Lost, Replacement
    from sessionrecord.session.differences import Change

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
    "Findings",
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

# What only comparing needs is imported when it is asked for.
_LATER: Final = {
    "Change": "differences",
    "ContextDiff": "context_diff",
    "EntityPair": "compare",
    "Gained": "context_diff",
    "Kept": "context_diff",
    "Lost": "context_diff",
    "Replacement": "context_diff",
    "SessionDiff": "compare",
}


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return getattr(import_module(f"sessionrecord.session.{_LATER[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
