"""Which native members become part of a record, and on what condition; the others are counted as lost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from sessionrecord.convert.accounting import Held, Items, anything, is_string, left, only
from sessionrecord.convert.codex.blocks import TEXT_TYPES, is_whole
from sessionrecord.convert.codex.source import CodexLine
from sessionrecord.convert.native import text, timestamp

__all__ = ["dropped", "left_of_replayed", "left_of_summary"]

Members = Mapping[str, Held]

_PART: Final[Members] = {"type": anything, "text": is_string}
_PARTS: Final[Mapping[str, Members]] = dict.fromkeys(TEXT_TYPES, _PART)
_CONTENT: Final = Items({**_PARTS, "input_image": {"type": anything, "image_url": is_string}}, is_whole)
_OWN: Final[Members] = {"type": anything, "id": text, "turn_id": text}
_CALL: Final[Members] = {**_OWN, "call_id": text, "name": text, "status": text}
# an output that is an object is kept whole
_OUTPUTS: Final[Mapping[bool, Members]] = {
    is_object: {**_OWN, "call_id": text, "output": anything if is_object else _CONTENT} for is_object in (False, True)
}
_ITEM: Final[Mapping[str, Members]] = {
    "message": {**_OWN, "role": text, "content": _CONTENT},
    "reasoning": {**_OWN, "summary": anything, "content": anything, "encrypted_content": is_string},
    "function_call": {**_CALL, "arguments": anything},
    "custom_tool_call": {**_CALL, "input": anything},
    "local_shell_call": {**_CALL, "action": anything},
    "web_search_call": {**_CALL, "action": anything},
}
# what of `info` and `codex_error_info` is held depends on what was told before and beside: the drafts tell
_EVENT: Final[Mapping[str, Members]] = {
    "token_count": {"type": anything, "turn_id": text, "info": anything, "rate_limits": anything},
    "error": {**_OWN, "message": is_string, "codex_error_info": anything},
    "stream_error": {**_OWN, "message": is_string, "codex_error_info": anything},
    "warning": {**_OWN, "message": is_string},
    "thread_name_updated": {**_OWN, "thread_name": is_string},
    "thread_rolled_back": {**_OWN, "num_turns": anything},
}
_SUMMARY: Final[Members] = {
    "type": anything,
    "role": only("user"),
    "content": Items(_PARTS, lambda part: False),
}


def dropped(line: CodexLine, session_id: str) -> Iterator[str]:
    """The native members of a converted line that no record holds; nulls are no loss."""
    payload = _of_payload(line, session_id)
    if line.is_bare:
        yield from left("", line.payload, {**payload, "timestamp": timestamp} if isinstance(payload, Mapping) else {})
    else:
        yield from left("", line.value, {"timestamp": timestamp, "type": anything, "payload": payload})


def _of_payload(line: CodexLine, session_id: str) -> Held:
    kind = line.kind or ""
    if line.type == "response_item":
        return _of_item(kind, line.payload)
    if line.type != "event_msg":
        return anything  # the compaction tells of its own
    return {**_EVENT[kind], "thread_id": only(session_id)} if kind == "thread_name_updated" else _EVENT[kind]


def _of_item(kind: str, item: dict[str, Any]) -> Members:
    return _OUTPUTS[isinstance(item.get("output"), dict)] if kind.endswith("_output") else _ITEM[kind]


def left_of_replayed(item: dict[str, Any]) -> Iterator[str]:
    """The members that no record holds of an item that is replayed after a compaction: there it has another ID."""
    held = {name: how for name, how in _ITEM[item["type"]].items() if name not in ("id", "turn_id")}
    yield from left(f"replacement_history.{item['type']}.", item, held)


def left_of_summary(item: dict[str, Any]) -> Iterator[str]:
    """The members that no record holds of an item that says what the summary of a compaction says."""
    yield from left("replacement_history.message.", item, _SUMMARY)
