"""Which native members become part of a record; the others are counted as lost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from sessionrecord.convert.accounting import left
from sessionrecord.convert.codex.blocks import TEXT_TYPES, convert_block
from sessionrecord.convert.codex.source import CodexLine
from sessionrecord.convert.native import members

__all__ = ["dropped"]

_LINE: Final = frozenset({"timestamp", "type", "payload"})
_ITEM: Final = {
    "message": frozenset("type id role content".split()),
    "reasoning": frozenset("type id summary content encrypted_content".split()),
    "function_call": frozenset("type name arguments call_id".split()),
    "custom_tool_call": frozenset("type status call_id name input".split()),
    "local_shell_call": frozenset("type call_id status action".split()),
    "web_search_call": frozenset("type id status action".split()),
    "function_call_output": frozenset("type call_id output".split()),
    "custom_tool_call_output": frozenset("type call_id output".split()),
}
_EVENT: Final = {
    "token_count": frozenset("type info rate_limits".split()),
    "error": frozenset("type message codex_error_info".split()),
    "stream_error": frozenset("type message codex_error_info".split()),
    "warning": frozenset({"type", "message"}),
    "thread_name_updated": frozenset("type thread_id thread_name".split()),
    "thread_rolled_back": frozenset({"type", "num_turns"}),
}


def dropped(line: CodexLine) -> Iterator[str]:
    """The native members of a converted line that no record holds; nulls are no loss."""
    if line.is_bare:
        yield from _of_item("", {k: v for k, v in line.payload.items() if k != "timestamp"})
        return
    yield from left("", line.value, _LINE)
    if line.type == "response_item":
        yield from _of_item("payload.", line.payload)
    elif line.type == "event_msg":
        yield from left("payload.", line.payload, _EVENT[line.kind or ""] | {"turn_id"})


def _of_item(place: str, item: dict[str, Any]) -> Iterator[str]:
    kind = item["type"]
    yield from left(place, item, _ITEM[kind])
    held = item.get("output" if kind.endswith("_output") else "content")
    for part in held if isinstance(held, list) and kind != "reasoning" else ():
        inner = members(part).get("type")
        if inner == "input_image" and convert_block(part)["type"] == "image":
            yield from left(f"{place}content.{inner}.", part, ("type", "image_url"))
        elif isinstance(inner, str) and inner in TEXT_TYPES and isinstance(part.get("text"), str):
            yield from left(f"{place}content.{inner}.", part, ("type", "text"))
