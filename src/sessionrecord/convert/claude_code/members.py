"""Which native members become part of a record; the others are counted as lost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from sessionrecord.convert.accounting import left
from sessionrecord.convert.claude_code.source import NativeLine
from sessionrecord.convert.native import members

__all__ = ["USAGE", "dropped"]

USAGE: Final = {
    "input_tokens": "input_tokens",
    "output_tokens": "output_tokens",
    "cache_read_input_tokens": "cache_read_tokens",
    "cache_creation_input_tokens": "cache_write_tokens",
}
"""Native member of a usage object to ours."""

_COMMON: Final = frozenset(
    """type uuid parentUuid isSidechain agentId sessionId timestamp cwd gitBranch version promptId forkedFrom""".split()
)
_LINE: Final = {
    "user": _COMMON | frozenset("message permissionMode isMeta toolUseResult sourceToolAssistantUUID".split()),
    "summary line": _COMMON | frozenset("message isCompactSummary isVisibleInTranscriptOnly".split()),
    "assistant": _COMMON | frozenset("message requestId".split()),
    "api error message": _COMMON | frozenset("message isApiErrorMessage error apiErrorStatus".split()),
    "system/api_error": _COMMON | frozenset("subtype content cause error isMeta".split()),
    "system/compact_boundary": _COMMON | frozenset("subtype logicalParentUuid compactMetadata isMeta".split()),
    "summary": frozenset({"type", "summary", "leafUuid", "sessionId"}),
    "custom-title": frozenset({"type", "customTitle", "sessionId"}),
    "ai-title": frozenset({"type", "aiTitle", "sessionId"}),
}
_MESSAGE: Final = {
    "user": frozenset({"role", "content"}),
    "summary line": frozenset({"role", "content"}),
    "assistant": frozenset("id type role model content stop_reason usage".split()),
    # what the harness puts around the text has no meaning: no model was asked
    "api error message": frozenset("id type role model content stop_reason stop_sequence usage container".split()),
}
_COMPACTION: Final = frozenset("trigger preTokens postTokens preservedSegment preservedMessages".split())
_BLOCK: Final = {
    "text": frozenset({"type", "text"}),
    "thinking": frozenset({"type", "thinking", "signature"}),
    "redacted_thinking": frozenset({"type", "data"}),
    "image": frozenset({"type", "source", "title"}),
    "document": frozenset({"type", "source", "title"}),
    "tool_use": frozenset({"type", "id", "name", "input"}),
    "tool_result": frozenset({"type", "tool_use_id", "content", "is_error"}),
}


def dropped(line: NativeLine, role: str) -> Iterator[str]:
    """The native members of a converted line that no record holds; nulls are no loss. `role` is how it was converted."""
    yield from left("", line.value, _LINE[role])
    if role in _MESSAGE:
        yield from left("message.", line.message, _MESSAGE[role])
        content = line.message.get("content")
        yield from _in_blocks("message.content", content)
    if role == "assistant":
        yield from left("message.usage.", members(line.message.get("usage")), USAGE)
    if role == "system/compact_boundary":
        yield from left("compactMetadata.", members(line.value.get("compactMetadata")), _COMPACTION)


def _in_blocks(place: str, content: Any) -> Iterator[str]:
    for block in content if isinstance(content, list) else ():
        kind = members(block).get("type")
        if isinstance(kind, str) and kind in _BLOCK:
            yield from left(f"{place}.{kind}.", block, _BLOCK[kind])
            if kind == "tool_result":
                inner = block.get("content")
                for inside in inner if isinstance(inner, list) else ():
                    inside_kind = members(inside).get("type")
                    if isinstance(inside_kind, str) and inside_kind in _BLOCK and not inside_kind.startswith("tool_"):
                        yield from left(f"{place}.tool_result.content.{inside_kind}.", inside, _BLOCK[inside_kind])
