"""The native lines of a Claude Code log."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sessionrecord.convert.native import NO_TYPE, Unit, members, text, units

__all__ = ["NativeLine", "agent_files", "label_of", "native_lines"]


@dataclass(slots=True, eq=False)
class NativeLine(Unit):
    """One JSON object of a log, or a line that is none."""

    session: str | None = None
    """Key of the sidechain it belongs to; None for the main session."""

    type: str | None = field(init=False)
    """The member `type`, where it is a string."""
    uuid: str | None = field(init=False)
    """The member `uuid`."""
    parent: str | None = field(init=False)
    """`parentUuid`; for a compaction boundary without one, `logicalParentUuid`."""
    message: dict[str, Any] = field(init=False)
    """The member `message`."""

    def __post_init__(self) -> None:
        value = self.value
        kind = value.get("type")
        self.type = kind if isinstance(kind, str) else None
        self.uuid = text(value.get("uuid"))
        self.message = members(value.get("message"))
        self.parent = text(value.get("parentUuid"))
        if self.parent is None and self.is_boundary:
            self.parent = text(value.get("logicalParentUuid"))

    @property
    def is_sidechain(self) -> bool:
        """Whether a sub-agent wrote it."""
        return self.value.get("isSidechain") is True

    @property
    def is_conversation(self) -> bool:
        """Whether it is of a type that holds messages."""
        return self.type in ("user", "assistant")

    @property
    def is_boundary(self) -> bool:
        """Whether it says that the context was compacted."""
        return self.type == "system" and self.value.get("subtype") == "compact_boundary"

    @property
    def is_summary(self) -> bool:
        """Whether it holds the summary that a compaction left."""
        return self.type == "user" and self.value.get("isCompactSummary") is True and "content" in self.message

    @property
    def is_api_error(self) -> bool:
        """Whether it tells of a failed request in the form of a message."""
        return self.type == "assistant" and self.value.get("isApiErrorMessage") is True

    @property
    def may_participate(self) -> bool:
        """Whether it may become part of the conversation structure."""
        return self.is_boundary or (self.is_conversation and bool(self.message) and not self.is_api_error)

    @property
    def api_message_id(self) -> str | None:
        """ID of the API message that the line is a part of; None where no model wrote it."""
        if self.type != "assistant" or self.is_api_error or self.message.get("model") == "<synthetic>":
            return None
        return text(self.message.get("id"))

    def blocks(self, kind: str) -> Iterator[tuple[int, dict[str, Any]]]:
        """The content blocks of a native type, with their positions."""
        content = self.message.get("content")
        for i, block in enumerate(content if isinstance(content, list) else ()):
            if isinstance(block, dict) and block.get("type") == kind:
                yield i, block


def agent_files(log: Path, session_id: str) -> list[Path]:
    """The agent files that belong to a log: those in its directory, and older ones beside it that name its session."""
    found = sorted((log.parent / log.stem / "subagents").glob("**/agent-*.jsonl"))
    for path in sorted(log.parent.glob("agent-*.jsonl")):
        if path.name != log.name and _first_session_id(path) == session_id:
            found.append(path)
    return found


def _first_session_id(path: Path) -> str | None:
    try:
        with path.open("rb") as file:
            for line in native_lines(file.readline()):
                return text(line.value.get("sessionId"))
    except OSError:
        return None
    return None


def native_lines(data: bytes) -> list[NativeLine]:
    """The units of a log in file order. Only LF ends a line; never raises."""
    return units(data, NativeLine, label_of)


def label_of(value: dict[str, Any]) -> str:
    """What the report counts an object as."""
    kind = value.get("type")
    if kind == "system":
        subtype = value.get("subtype")
        return f"system/{subtype}" if isinstance(subtype, str) else "system/(no subtype)"
    return kind if isinstance(kind, str) else NO_TYPE
