"""Audit facts about the work: files, commits, terminals, plans, memory (spec section 4)."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from sessionrecord.records.base import WireModel
from sessionrecord.records.content import Blocks
from sessionrecord.records.envelope import EnvelopeModel
from sessionrecord.scalars import Omittable, OpenEnum, SafeInt, SignedInt

__all__ = [
    "Commit",
    "Cwd",
    "ExitStatus",
    "FileChange",
    "FileOperation",
    "FileState",
    "MemoryOperation",
    "MemoryWrite",
    "Plan",
    "PlanEntry",
    "PlanPriority",
    "PlanStatus",
    "Terminal",
]

MemoryOperation: TypeAlias = Annotated[Literal["create", "update", "upsert", "delete"] | str, OpenEnum]
"""What a memory write does. Our table, section 4."""
FileOperation: TypeAlias = Annotated[Literal["add", "modify", "delete", "move", "copy"] | str, OpenEnum]
"""What happened to a file. Our table, section 4."""
PlanStatus: TypeAlias = Annotated[Literal["pending", "in_progress", "completed", "cancelled"] | str, OpenEnum]
"""How far a plan entry is. Our table, section 4."""
PlanPriority: TypeAlias = Annotated[Literal["high", "medium", "low"] | str, OpenEnum]
"""How urgent a plan entry is. Our table, section 4."""


class MemoryWrite(EnvelopeModel):
    """A write to what the agent remembers. [S] "Audit-only record", members ours."""

    type: Literal["memory_write"] = "memory_write"
    """The record type."""
    memory_id: Omittable[str] = None
    """The entity key."""
    operation: Omittable[MemoryOperation] = None
    """What it does."""
    store: Omittable[str] = None
    """The store written to."""
    scope: Omittable[str] = None
    """Whom the memory is for."""
    key: Omittable[str] = None
    """The key in the store."""
    content: Omittable[Blocks] = None
    """What is remembered."""
    call_id: Omittable[str] = None
    """The tool call that wrote."""


class FileState(WireModel):
    """A file's content at one moment. Our table, section 4."""

    sha256: Omittable[str] = None
    """SHA-256 of the content, lower-case hex."""
    bytes: Omittable[SafeInt] = None
    """Size in bytes."""


class FileChange(EnvelopeModel):
    """A change of a file. [S] "Audit-only record", members ours."""

    type: Literal["file_change"] = "file_change"
    """The record type."""
    root: Omittable[str] = None
    """ID of the root that the path is relative to."""
    path: str
    """The file."""
    operation: Omittable[FileOperation] = None
    """What happened to it."""
    old_path: Omittable[str] = None
    """Where it was, for a move or copy."""
    patch: Omittable[str] = None
    """The change as a unified diff."""
    before: Omittable[FileState] = None
    """The content before."""
    after: Omittable[FileState] = None
    """The content after."""
    lines_added: Omittable[SafeInt] = None
    """Lines added."""
    lines_removed: Omittable[SafeInt] = None
    """Lines removed."""
    call_id: Omittable[str] = None
    """The tool call that changed it."""


class Commit(EnvelopeModel):
    """A commit made. [S] "Audit-only record", members ours."""

    type: Literal["commit"] = "commit"
    """The record type."""
    root: Omittable[str] = None
    """ID of the root it was made in."""
    revision: str
    """The commit's own name."""
    vcs: Omittable[str] = None
    """The version control system."""
    branch: Omittable[str] = None
    """The branch."""
    parents: Omittable[list[str]] = None
    """Names of the parent commits."""
    message: Omittable[str] = None
    """The commit message."""
    call_id: Omittable[str] = None
    """The tool call that made it."""


class Cwd(WireModel):
    """A working directory. Our table, section 4."""

    root: Omittable[str] = None
    """ID of the root that the path is relative to."""
    path: Omittable[str] = None
    """The directory."""


class ExitStatus(WireModel):
    """How a process ended. Our table, section 4."""

    exit_code: Omittable[SignedInt] = None
    """Exit code; negatives allowed."""
    signal: Omittable[str] = None
    """Signal that ended it."""


class Terminal(EnvelopeModel):
    """A terminal and what ran in it. [S] "Entity", members ours."""

    type: Literal["terminal"] = "terminal"
    """The record type."""
    terminal_id: str
    """The entity key."""
    call_id: Omittable[str] = None
    """The tool call that opened it."""
    command: Omittable[str] = None
    """The command."""
    args: Omittable[list[str]] = None
    """Its arguments."""
    cwd: Omittable[Cwd] = None
    """Where it ran."""
    output: Omittable[str] = None
    """What it printed."""
    exit_status: Omittable[ExitStatus] = None
    """How it ended."""


class PlanEntry(WireModel):
    """One step of a plan. Our table, section 4."""

    id: Omittable[str] = None
    """What it is named by."""
    content: str
    """What is to be done."""
    status: Omittable[PlanStatus] = None
    """How far it is."""
    priority: Omittable[PlanPriority] = None
    """How urgent it is."""


class Plan(EnvelopeModel):
    """The agent's plan, whole each time. [S] "Entity", members ours."""

    type: Literal["plan"] = "plan"
    """The record type."""
    plan_id: str
    """The entity key."""
    entries: Omittable[list[PlanEntry]] = None
    """The steps in their order."""
