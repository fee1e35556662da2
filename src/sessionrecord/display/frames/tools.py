"""The frame of tools: one row a tool call, with what is recorded about it."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

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
    moment_column,
    number,
)
from sessionrecord.display.frames.place import Places
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
        Column("error", TEXT, "what went wrong, as the result says"),
        Column("error_code", STRING, "the source's code for it"),
        Column("result_text", TEXT, "the result's text blocks, joined as they stand; null where it has no content member"),
        Column("result_bytes", INTEGER, "size of that text in bytes of UTF-8"),
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


def tools(core: Core, at: int | None) -> Rows:
    """The rows of the calls up to `at`, in the order in which calls, or results without one, were first recorded."""
    log, index = core.log, core.index
    places = Places(core, at)
    uses = tool_calls(core, at)
    asked = Counter(use.call.model_call_id for use in uses if use.call is not None)
    rows = TOOLS.empty()
    for use in uses:
        first = index.of_key("tool_call" if use.call is not None else "tool_result", use.call_id)
        assert first is not None  # a typed record of this key is in the stream
        row = {
            "call_id": use.call_id,
            "line": log.line_number(first),
            "seq": log.seqs[first],
            "on_path": first in places.path,
            "in_context": first in places.context,
            "has_call": use.call is not None,
            "results": len(use.results),
            **_asked(core, use, first, asked),
            **_answered(use),
        }
        if use.request is not None:
            row["permission_id"] = use.request.permission_id
        if use.decision is not None:
            row |= {
                "permission": use.decision.outcome,
                "permission_kind": use.decision.kind,
                "decided_by": use.decision.decided_by,
            }
        for name, values in rows.items():
            values.append(row.get(name))
    return rows


def _asked(core: Core, use: ToolUse, first: int, asked: Counter[str | None]) -> dict[str, Any]:
    call = use.call
    if call is None:
        return {}
    revised = len(core.index.revisions(first, len(core.log))) > 1
    began = core.log.value(first).get("timestamp") if revised else call.timestamp
    return {
        "turn_id": call.turn_id,
        "name": call.name,
        "title": call.title,
        "kind": call.kind,
        "server": call.server,
        "arguments": ijson.dumps(call.arguments).decode() if "arguments" in call.model_fields_set else None,
        "arguments_status": call.arguments_status,
        "status": call.status,
        "started": began if isinstance(began, str) else None,
        "model_call_id": call.model_call_id,
        "parallel": asked[call.model_call_id] if call.model_call_id is not None else None,
        "parent_call_id": call.parent_call_id,
        "child_session": call.child_session,
        "participant": call.participant,
    }


def _answered(use: ToolUse) -> dict[str, Any]:
    result = use.result
    if result is None:
        return {}
    text = None if result.content is None else result.text
    return {
        "outcome": result.outcome,
        "finished": result.timestamp,
        "duration_ms": number(result.duration_ms),
        "exit_code": result.exit_code,
        "signal": result.signal,
        "error": None if result.error is None else result.error.message,
        "error_code": None if result.error is None else result.error.code,
        "result_text": text,
        "result_bytes": None if text is None else len(text.encode()),
    }
