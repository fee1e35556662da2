"""The native lines of a Codex rollout: an object with `timestamp`, `type` and `payload`, or an older line without them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from sessionrecord.convert.native import NO_TYPE, Unit, members, text, units

__all__ = ["HARNESS", "ITEM_TYPES", "LINE_TYPES", "CodexLine", "label_of", "native_lines"]

HARNESS: Final = "codex"
"""What native values are marked with, and the agent of the header."""

LINE_TYPES: Final = frozenset(
    "session_meta response_item event_msg turn_context compacted world_state inter_agent_communication".split()
)
"""Types of lines that this version knows."""

ITEM_TYPES: Final = frozenset(
    """message reasoning function_call function_call_output custom_tool_call custom_tool_call_output local_shell_call
    web_search_call""".split()
)
"""Types of items that become records of the conversation."""


@dataclass(slots=True, eq=False)
class CodexLine(Unit):
    """One JSON object of a rollout, or a line that is none."""

    type: str | None = field(init=False)
    """What kind of line: `session_meta`, `response_item`, `event_msg` and so on. Older lines get the one they stand for."""
    payload: dict[str, Any] = field(init=False)
    """The member `payload`; an older line is its own."""
    kind: str | None = field(init=False)
    """The payload's `type`."""
    is_bare: bool = field(init=False)
    """Whether it is an older line, without an envelope."""

    def __post_init__(self) -> None:
        value = self.value
        kind = value.get("type")
        self.type = kind if isinstance(kind, str) else None
        self.is_bare = "payload" not in value and (self.type in ITEM_TYPES or _is_bare_meta(value))
        if self.is_bare:
            self.payload = value
            self.type = "response_item" if self.type in ITEM_TYPES else "session_meta"
        else:
            self.payload = members(value.get("payload"))
        kind = self.payload.get("type")
        self.kind = kind if isinstance(kind, str) else None


def _is_bare_meta(value: dict[str, Any]) -> bool:
    return (
        "type" not in value and text(value.get("id")) is not None and "timestamp" in value and "instructions" in value
    )


def native_lines(data: bytes) -> list[CodexLine]:
    """The units of a rollout in file order. Only LF ends a line; never raises."""
    return units(data, CodexLine, label_of)


def label_of(value: dict[str, Any]) -> str:
    """What the report counts an object as: its type, with that of its payload."""
    kind = value.get("type")
    if not isinstance(kind, str):
        return NO_TYPE
    inner = members(value.get("payload")).get("type")
    return f"{kind}/{inner}" if isinstance(inner, str) else kind
