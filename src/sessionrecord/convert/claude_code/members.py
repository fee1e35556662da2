"""Which native members become part of a record, and on what condition; the others are counted as lost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from sessionrecord.convert.accounting import Held, Items, anything, is_flag, is_string, left, only
from sessionrecord.convert.claude_code.blocks import as_code, is_whole
from sessionrecord.convert.claude_code.source import NativeLine
from sessionrecord.convert.native import is_count, members, text, timestamp

__all__ = ["USAGE", "dropped"]

USAGE: Final = {
    "input_tokens": "input_tokens",
    "output_tokens": "output_tokens",
    "cache_read_input_tokens": "cache_read_tokens",
    "cache_creation_input_tokens": "cache_write_tokens",
}
"""Native member of a usage object to ours."""

Members = Mapping[str, Held]


def _is_strings(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(v, str) for v in value)


def _is_whole_for_user(block: Any) -> bool:
    given = members(block)
    return not (given.get("type") == "tool_result" and text(given.get("tool_use_id"))) and is_whole(block)


def _is_whole_for_assistant(block: Any) -> bool:
    return members(block).get("type") != "tool_use" and is_whole(block)


_TEXT: Final[Members] = {"type": anything, "text": is_string}
_MEDIA: Final[Members] = {
    "type": anything,
    "source": {"type": anything, "media_type": is_string, "data": is_string},
    "title": is_string,
}
_BLOCKS: Final[Mapping[str, Members]] = {
    "text": _TEXT,
    "thinking": {"type": anything, "thinking": is_string, "signature": is_string},
    "redacted_thinking": {"type": anything, "data": is_string},
    "image": _MEDIA,
    "document": _MEDIA,
}
_CONTENT: Final = Items(_BLOCKS, is_whole)
_RESULT: Final[Members] = {"type": anything, "tool_use_id": text, "content": _CONTENT, "is_error": is_flag}
_CALL: Final[Members] = {"type": anything, "id": text, "name": text, "input": anything}

_ENVELOPE: Final[Members] = {
    "type": anything,
    "uuid": text,
    "sessionId": text,
    "timestamp": timestamp,
    "promptId": text,
}
_COMMON: Final[Members] = {
    **_ENVELOPE,
    "parentUuid": is_string,
    "isSidechain": is_flag,
    "agentId": text,
    "cwd": is_string,
    "gitBranch": is_string,
    "version": text,
    "forkedFrom": {"sessionId": text, "messageUuid": text},
}


def _user(*, has_result: bool, has_message: bool) -> Members:
    """What is held of a line of the user, by what it became."""
    message: Members = {
        "role": is_string if has_message else only("user"),
        "content": Items({**_BLOCKS, "tool_result": _RESULT}, _is_whole_for_user),
    }
    answered: Members = {"toolUseResult": anything, "sourceToolAssistantUUID": is_string} if has_result else {}
    is_meta = is_flag if has_message else only(False)
    return {**_COMMON, **answered, "message": message, "permissionMode": text, "isMeta": is_meta}


def _assistant(*, has_call: bool, has_message: bool) -> Members:
    """What is held of a line of the assistant: without a model call there is no usage, and without a message less still."""
    message: dict[str, Held] = {
        "type": only("message"),
        "role": is_string if has_message else only("assistant"),
        "content": Items({**_BLOCKS, "tool_use": _CALL}, _is_whole_for_assistant),
    }
    if has_call or has_message:
        message |= {"model": text, "stop_reason": text}
    if not has_call:
        return {**_COMMON, "message": message}
    return {**_COMMON, "requestId": text, "message": {**message, "id": text, "usage": dict.fromkeys(USAGE, is_count)}}


_BOTH: Final = (False, True)
_USER: Final = {(r, m): _user(has_result=r, has_message=m) for r in _BOTH for m in _BOTH}
_ASSISTANT: Final = {(c, m): _assistant(has_call=c, has_message=m) for c in _BOTH for m in _BOTH}
_LINE: Final[Mapping[str, Members]] = {
    "summary line": {
        **_COMMON,
        "message": {"role": only("user"), "content": _CONTENT},
        "permissionMode": text,
        "isCompactSummary": anything,
        "isVisibleInTranscriptOnly": only(True),
    },
    # the harness wrote it in the form of a message; no model was asked
    "api error message": {
        **_COMMON,
        "message": {
            "type": only("message"),
            "role": only("assistant"),
            "model": only("<synthetic>"),
            "content": Items({"text": _TEXT}, is_string),
        },
        "isApiErrorMessage": anything,
    },
    "system/api_error": {**_COMMON, "subtype": anything, "isMeta": only(False)},
    "system/compact_boundary": {
        **_COMMON,
        "subtype": anything,
        "logicalParentUuid": is_string,
        "isMeta": only(False),
        "compactMetadata": {
            "trigger": text,
            "preTokens": is_count,
            "postTokens": is_count,
            "preservedSegment": {"headUuid": text, "tailUuid": text},
            "preservedMessages": {"uuids": _is_strings},
        },
    },
    "summary": {**_ENVELOPE, "summary": is_string},
    "custom-title": {**_ENVELOPE, "customTitle": is_string},
    "ai-title": {**_ENVELOPE, "aiTitle": is_string},
}
"""How a line was converted to what records hold of it."""


def dropped(line: NativeLine, role: str, drafted: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The native members of a converted line that no record holds; nulls are no loss.

    `role` is how it was converted, `drafted` are the members of what it became.
    """
    held = _held(line, role, drafted)
    yield from left("", line.value, held)
    # a branch is told of a directory
    if "gitBranch" in held and text(line.value.get("gitBranch")) and not isinstance(line.value.get("cwd"), str):
        yield "gitBranch"


def _held(line: NativeLine, role: str, drafted: Sequence[Mapping[str, Any]]) -> Members:
    if role == "user":
        return _USER[any("structured" in d for d in drafted), any("message_id" in d for d in drafted)]
    if role == "assistant":
        return _ASSISTANT[line.api_message_id is not None, any("message_id" in d for d in drafted)]
    if role in ("api error message", "system/api_error"):
        return {**_LINE[role], **_of_error(drafted[0], role)}
    return _LINE[role]


def _of_error(error: Mapping[str, Any], role: str) -> Members:
    """The members that say what the error record says: of several that could, it has one."""

    def says(value: Any) -> bool:
        return isinstance(value, str) and value == error["message"]

    def is_code(value: Any) -> bool:
        return as_code(value) is not None and as_code(value) == error["code"]

    if role == "api error message":
        return {"error": is_code, "apiErrorStatus": is_code}
    inner: Members = {"message": says, "error": {"message": says}}
    return {
        "content": says,
        "error": {"message": says, "status": is_code, "error": inner},
        "cause": {"code": lambda value: says(value) or is_code(value)},
    }
