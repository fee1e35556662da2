"""The frame of tools: one row a tool call, with what is recorded about it."""

from __future__ import annotations

from collections import Counter
from typing import Final

import orjson

from sessionrecord import ijson
from sessionrecord.display.frames.columns import (
    FLAG,
    INTEGER,
    NUMBER,
    STRING,
    TEXT,
    Column,
    Frame,
    Rows,
    joined,
    members,
    moment_column,
    number,
)
from sessionrecord.display.frames.place import Places, seq_of
from sessionrecord.records import ToolCall
from sessionrecord.session.calls import ToolUse, tool_calls
from sessionrecord.session.core import Core

__all__ = ["TOOLS", "tools"]

TOOLS: Final = Frame(
    "tools",
    "a tool call, or a result whose call is not in the stream",
    (
        Column("call_id", STRING, "the entity key that a call and its results share"),
        Column("line", INTEGER, "line of the first record of the call, from 1; of the result where there is no call"),
        Column("seq", INTEGER, "the `seq` that this record counts with"),
        Column("turn_id", STRING, "the turn that the call belongs to"),
        Column("name", STRING, "the tool's name"),
        Column("title", STRING, "what the call does, for people"),
        Column("kind", STRING, "what the tool does"),
        Column("server", STRING, "the server that offers the tool"),
        Column("arguments", TEXT, "the arguments as JSON"),
        Column("arguments_status", STRING, "whether the arguments are whole"),
        Column("status", STRING, "how far the call is, as its latest revision says"),
        Column("outcome", STRING, "how it ended, as the result says; null is unknown, not failure"),
        *moment_column("started", "timestamp of the call's first record"),
        *moment_column("finished", "timestamp of the result's latest revision"),
        Column("duration_ms", NUMBER, "how long it took in milliseconds, as the result says: never worked out from the timestamps"),
        Column("exit_code", INTEGER, "exit code of the process"),
        Column("signal", STRING, "signal that ended the process"),
        Column("error_message", TEXT, "what went wrong, as the result says"),
        Column("error_code", STRING, "the source's code for it"),
        Column("result_text", TEXT, "the result's text blocks, joined as they stand; null where it has no content member"),
        Column("result_bytes", INTEGER, "size of that text in bytes of UTF-8"),
        Column("result_seq", INTEGER, "the `seq` of the result's latest revision"),
        Column("has_call", FLAG, "whether the call is in the stream; false is an orphaned result"),
        Column("results", INTEGER, "records of the result; 0 is a call whose end is not recorded"),
        Column("model_call_id", STRING, "the model call that asked for it"),
        Column("parallel", INTEGER, "how many calls that model call asked for, this one counted"),
        Column("parent_call_id", STRING, "the call that it was made in"),
        Column("child_session", STRING, "session reference of the session it started"),
        Column("participant", STRING, "ID of the participant who made the call"),
        Column("permission_id", STRING, "the request for permission"),
        Column("permission", STRING, "the decision's outcome: selected, cancelled, expired"),
        Column("permission_kind", STRING, "what was decided: allow_once, reject_once and such"),
        Column("decided_by", STRING, "who decided: human, policy, agent, hook"),
        Column("on_path", FLAG, "whether the call is on the active path; of a result without a call, the result"),
        Column("in_context", FLAG, "whether it is in the context view"),
    ),
)  # fmt: skip

_OF_CALL: Final = (
    "turn_id", "name", "title", "kind", "server", "arguments_status", "status", "model_call_id", "parent_call_id",
    "child_session", "participant",
)  # fmt: skip
_OF_RESULT: Final = ("outcome", "exit_code", "signal")


def tools(core: Core, at: int | None) -> Rows:
    """The rows of the calls up to `at`, in the order in which calls, or results without one, were first recorded."""
    log = core.log
    places = Places(core, at)
    uses = tool_calls(core, at)
    firsts = [_first(core, use) for use in uses]
    calls = [use.call for use in uses]
    results = [use.result for use in uses]
    contents = [None if result is None else result.content for result in results]
    texts = [None if content is None else joined(content) for content in contents]
    asked = Counter(call.model_call_id for call in calls if call is not None)
    return {
        "call_id": [use.call_id for use in uses],
        "line": [log.line_number(i) for i in firsts],
        "seq": [seq_of(core, i) for i in firsts],
        **{name: members(calls, name) for name in _OF_CALL},
        "arguments": [None if call is None else _arguments(call) for call in calls],
        "started": [None if call is None else _began(core, call, i) for call, i in zip(calls, firsts, strict=True)],
        "parallel": [
            None if call is None or call.model_call_id is None else asked[call.model_call_id] for call in calls
        ],
        **{name: members(results, name) for name in _OF_RESULT},
        "finished": members(results, "timestamp"),
        "duration_ms": [None if result is None else number(result.duration_ms) for result in results],
        "error_message": [
            None if result is None or result.error is None else result.error.message for result in results
        ],
        "error_code": [None if result is None or result.error is None else result.error.code for result in results],
        "result_text": texts,
        "result_bytes": [
            None if text is None else len(text) if text.isascii() else len(text.encode()) for text in texts
        ],
        "result_seq": members(results, "seq"),
        "has_call": [call is not None for call in calls],
        "results": [len(use.results) for use in uses],
        "permission_id": [None if use.request is None else use.request.permission_id for use in uses],
        "permission": [None if use.decision is None else use.decision.outcome for use in uses],
        "permission_kind": [None if use.decision is None else use.decision.kind for use in uses],
        "decided_by": [None if use.decision is None else use.decision.decided_by for use in uses],
        "on_path": [i in places.path for i in firsts],
        "in_context": [i in places.context for i in firsts],
    }


def _first(core: Core, use: ToolUse) -> int:
    first = core.index.of_key("tool_call" if use.call is not None else "tool_result", use.call_id)
    assert first is not None  # a record of this key is in the stream
    return first


def _began(core: Core, call: ToolCall, first: int) -> str | None:
    """The timestamp of the call's first record."""
    if core.index.latest(first, len(core.log)) == first:
        return call.timestamp
    began = core.log.value(first).get("timestamp")
    return began if isinstance(began, str) else None


def _arguments(call: ToolCall) -> str | None:
    if "arguments" not in call.model_fields_set:
        return None
    try:
        return orjson.dumps(call.arguments).decode()
    except TypeError:  # a number that only the exact form holds
        return ijson.dumps(call.arguments).decode()
