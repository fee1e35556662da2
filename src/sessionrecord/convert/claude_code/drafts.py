"""What one native line says, as records that have no place yet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from sessionrecord.convert.claude_code.blocks import HARNESS, as_code, blocks_of, content_of
from sessionrecord.convert.claude_code.calls import Calls, details
from sessionrecord.convert.claude_code.members import USAGE
from sessionrecord.convert.claude_code.source import NativeLine
from sessionrecord.convert.claude_code.structure import Made
from sessionrecord.convert.claude_code.tree import ApiMessage, SessionIndex
from sessionrecord.convert.native import NO_TYPE, is_count, is_duration, members, native_value, text
from sessionrecord.records import (
    Compaction,
    ErrorRecord,
    Message,
    ModelCall,
    SessionInfo,
    ToolCall,
    ToolResult,
    UnknownRecord,
    Usage,
)
from sessionrecord.records.envelope import EnvelopeModel

__all__ = ["Draft", "Drafter", "Plan", "model_call", "native_line"]

_KNOWN_TYPES: Final = frozenset(
    """user assistant system summary custom-title ai-title queue-operation permission-mode file-history-snapshot progress
    attachment last-prompt pr-link agent-name""".split()
)
_KNOWN_SUBTYPES: Final = frozenset(
    """compact_boundary microcompact_boundary api_error local_command informational turn_duration stop_hook_summary
    away_summary agents_killed model_refusal_fallback""".split()
)

MadeUpFn = Callable[[int, str, str, str], None]
NoteFn = Callable[[int, str, str], None]


@dataclass(slots=True)
class Draft:
    """A record without its envelope."""

    cls: type[EnvelopeModel]
    """Its model."""
    members: dict[str, Any]
    """Its members by attribute name; nested ones as on the wire."""
    key: tuple[str, ...] | None = None
    """What makes two drafts tell of the same thing; None where nothing does."""
    participates: bool = False
    """Whether it forms the conversation structure."""
    made: Made | None = None
    """What it became part of, once it is a record of the structure."""


@dataclass(slots=True)
class Plan:
    """What becomes of a line."""

    outcome: Literal["converted", "kept", "unknown"]
    """How the report counts it."""
    drafts: list[Draft] = field(default_factory=list)
    """Its records in their order."""
    group: str | None = None
    """The group of its entities."""
    role: str | None = None
    """How it was converted, for counting what was lost; None where the whole line is kept."""
    reason: str | None = None
    """Why it is kept, where its type is one that would be converted."""
    merged: NativeLine | None = None
    """The line whose entity it is a part of."""


def native_line(native_type: str | None, value: Any, key: tuple[str, ...] | None = None) -> Draft:
    """A record that keeps a native value whole."""
    return Draft(UnknownRecord, native_value(HARNESS, native_type, value), key)


def model_call(message_id: str, message: ApiMessage) -> tuple[list[Draft], list[str]]:
    """The model call behind an API message, and its usage: the last that was recorded. Also the members that are no counts."""
    call: dict[str, Any] = {
        "model_call_id": message_id,
        "model": message.model,
        "request_id": message.request_id,
        "stop_reason": message.stop_reason,
        "status": "completed" if message.stop_reason else None,
    }
    if message.usage is None:
        call["capture"] = {"usage": {"state": "unavailable"}}
        return [Draft(ModelCall, call)], []
    usage: dict[str, Any] = {"model_call_id": message_id, "scope": "model_call", "model": message.model}
    refused: list[str] = []
    for native, ours in USAGE.items():
        count = message.usage.get(native)
        if is_count(count):
            usage[ours] = count
        elif count is not None:
            refused.append(native)
    if message.stop_reason is None:
        reason = "no stop_reason recorded: the count may be that of the start of the answer"
        usage["capture"] = {"outputTokens": {"state": "unknown", "reason": reason}}
    return [Draft(ModelCall, call), Draft(Usage, usage)], refused


class Drafter:
    """Turns the lines of one session into plans, in file order."""

    def __init__(
        self, index: SessionIndex, child_session: Callable[[str], str | None], note: NoteFn, made_up: MadeUpFn
    ) -> None:
        self._index = index
        self._child_session = child_session
        self._note = note
        self._made_up = made_up
        self._calls = Calls()
        self._has_title = False

    def plan(self, line: NativeLine) -> Plan:
        """What becomes of a line that holds a value."""
        if line.fault is not None:
            return Plan("kept", [native_line(None, line.kept)], reason=line.fault)
        if line.type is None or line.label == NO_TYPE or line.type not in _KNOWN_TYPES:
            return self._whole(line, "unknown")
        if line.type == "system":
            return self._system(line)
        if line.type in ("summary", "custom-title", "ai-title"):
            return self._info(line)
        if not line.is_conversation:
            return self._whole(line, "kept")
        content = line.message.get("content")
        if not isinstance(content, str | list):
            return self._whole(line, "kept", "no message with content" if line.message else "no message object")
        if line.is_api_error:
            return self._api_error(line)
        if line.is_summary:
            return self._summary(line)
        self._name_unknown_blocks(line, content)
        return self._user(line, content) if line.type == "user" else self._assistant(line, content)

    def _whole(self, line: NativeLine, outcome: Literal["kept", "unknown"], reason: str | None = None) -> Plan:
        key = (line.uuid, "line") if line.uuid else None
        return Plan(outcome, [native_line(line.type, line.kept, key)], reason=reason)

    def _name_unknown_blocks(self, line: NativeLine, content: str | list[Any]) -> None:
        own = {"user": "tool_result", "assistant": "tool_use"}[line.type or ""]
        kinds: Counter[str] = Counter()
        stack = list(content) if isinstance(content, list) else []
        while stack:
            block = stack.pop(0)
            kind = members(block).get("type")
            if kind == own:
                inner = block.get("content") if own == "tool_result" else None
                stack.extend(inner if isinstance(inner, list) else ())
                continue
            ours = blocks_of([block])[0]["type"]
            if ours == "native_block" or ours == kind not in ("text", "image"):
                kinds[kind if isinstance(kind, str) else type(block).__name__] += 1
        for name, count in kinds.items():
            self._note(
                line.number,
                "block-kept",
                f"{count} content block{'s' if count > 1 else ''} of type {name!r} kept as recorded",
            )

    def _id(self, line: NativeLine) -> str:
        return line.uuid or f"line-{line.number}" + (f".{line.index}" if "glued" in line.salvaged else "")

    def _message(self, line: NativeLine, message_id: str, blocks: list[dict[str, Any]], **more: Any) -> Draft:
        if line.uuid is None:
            self._made_up(line.number, "messageId", message_id, "the line has no uuid")
        role = line.message.get("role")
        drafted = {
            "message_id": message_id,
            "role": role if isinstance(role, str) else line.type,
            "content": blocks,
            **more,
        }
        return Draft(Message, drafted, ("message", message_id), True)

    def _user(self, line: NativeLine, content: str | list[Any]) -> Plan:
        plan = Plan("converted", role="user")
        others: list[dict[str, Any]] = []
        for block in content if isinstance(content, list) else content_of(content):
            native_id = text(members(block).get("tool_use_id"))
            if members(block).get("type") == "tool_result" and native_id:
                self._result(line, block, native_id, plan)
            else:
                others.extend(blocks_of([block]))
        if others or not plan.drafts:
            origin = "injected" if line.value.get("isMeta") is True else None
            plan.drafts.append(self._message(line, self._id(line), others, origin=origin))
        return plan

    def _result(self, line: NativeLine, block: dict[str, Any], native_id: str, plan: Plan) -> None:
        use = self._calls.answered(native_id, line.value.get("sourceToolAssistantUUID"))
        if use is None:
            self._note(line.number, "result-without-call", f"no tool use has the ID {native_id!r} that a result names")
        elif plan.group is None:
            plan.group = use.message
        call_id = use.call_id if use else native_id
        drafted: dict[str, Any] = {"call_id": call_id, "outcome": self._outcome(line, block)}
        if block.get("content") is not None:
            drafted["content"] = content_of(block["content"])
        structured = line.value.get("toolUseResult")
        if structured is not None and not plan.drafts:
            drafted["structured"] = structured
            given = members(structured)
            drafted["duration_ms"] = next(
                (given[m] for m in ("durationMs", "totalDurationMs") if is_duration(given.get(m))), None
            )
        elif structured is not None:
            self._note(line.number, "structured-shared", "several results share one toolUseResult; the first has it")
        plan.drafts.append(Draft(ToolResult, drafted, ("tool_result", call_id), True))

    def _outcome(self, line: NativeLine, block: dict[str, Any]) -> str:
        is_error = block.get("is_error")
        if is_error is True:
            return "error"
        if is_error is not None and is_error is not False:
            self._note(line.number, "outcome-unknown", "is_error is neither true nor false")
            return "unknown"
        return "cancelled" if members(line.value.get("toolUseResult")).get("interrupted") is True else "success"

    def _assistant(self, line: NativeLine, content: str | list[Any]) -> Plan:
        message = line.message
        message_id = line.api_message_id
        if message_id is None and message.get("model") != "<synthetic>":
            self._note(
                line.number,
                "message-without-id",
                "the API message has no ID: no model call and no usage can be told of it",
            )
        plan = Plan("converted", group=text(message.get("id")), role="assistant")
        more = {
            "model": text(message.get("model")),
            "model_call_id": message_id,
            "stop_reason": text(message.get("stop_reason")),
        }
        runs = 0
        run: list[dict[str, Any]] = []

        def end_run() -> None:
            nonlocal runs
            runs += 1
            own = self._id(line)
            if runs > 1:
                own = f"{own}#{runs}"
                self._made_up(line.number, "messageId", own, "the line holds several messages, between tool uses")
            plan.drafts.append(self._message(line, own, list(run), **more))
            run.clear()

        for i, block in enumerate(content if isinstance(content, list) else content_of(content)):
            if members(block).get("type") != "tool_use":
                run.extend(blocks_of([block]))
                continue
            if run:
                end_run()
            plan.drafts.append(self._call(line, i, block, message_id))
        if run or not plan.drafts:
            end_run()
        return plan

    def _call(self, line: NativeLine, position: int, block: dict[str, Any], message_id: str | None) -> Draft:
        native_id, name, asked = text(block.get("id")), text(block.get("name")), block.get("input")
        use, is_made = self._calls.use(
            native_id or f"{self._id(line)}/{position}", line, text(line.message.get("id")), (name, asked)
        )
        if native_id is None:
            self._made_up(line.number, "callId", use.call_id, "the tool use has no ID")
        elif is_made:
            self._made_up(line.number, "callId", use.call_id, "another call has the ID already")
            self._note(line.number, "call-id-reused", f"the tool use ID {native_id!r} is used for another call")
        drafted = {
            "call_id": use.call_id,
            "call_id_source": "synthetic" if is_made or native_id is None else "native",
            "name": name,
            "arguments": asked,
            "arguments_status": None if asked is None else "complete",
            "model_call_id": message_id,
            "child_session": self._child_session(native_id) if native_id else None,
            **details(name, asked),
        }
        return Draft(ToolCall, drafted, ("tool_call", use.call_id), True)

    def _system(self, line: NativeLine) -> Plan:
        subtype = line.value.get("subtype")
        if subtype == "compact_boundary":
            return self._compaction(line, self._index.summary_of.get(line.index))
        if subtype == "api_error":
            return self._request_error(line)
        return self._whole(line, "kept" if isinstance(subtype, str) and subtype in _KNOWN_SUBTYPES else "unknown")

    def _summary(self, line: NativeLine) -> Plan:
        boundary = self._index.boundary_of.get(line.index)
        if boundary is None and line.uuid is not None:
            first = self._index.first[line.uuid]
            boundary = self._index.boundary_of.get(first.index)
        if boundary is not None:
            return Plan("converted", role="summary line", merged=boundary)
        plan = self._compaction(line, line)
        plan.role = "summary line"
        return plan

    def _compaction(self, line: NativeLine, summary: NativeLine | None) -> Plan:
        metadata = members(line.value.get("compactMetadata"))
        own = line.uuid or f"line-{line.number}"
        if line.uuid is None:
            self._made_up(line.number, "compactionId", own, "the line has no uuid")
        if summary is None and line.uuid is not None:
            summary = self._index.summary_of.get(self._index.first[line.uuid].index)
        drafted: dict[str, Any] = {"compaction_id": own, "trigger": text(metadata.get("trigger"))}
        if summary is not None:
            drafted["summary"] = content_of(summary.message["content"])
        for native, ours in (("preTokens", "tokens_before"), ("postTokens", "tokens_after")):
            drafted[ours] = metadata[native] if is_count(metadata.get(native)) else None
        draft = Draft(Compaction, drafted, ("compaction", own), True)
        return Plan("converted", [draft], role="system/compact_boundary")

    def _info(self, line: NativeLine) -> Plan:
        native, ours = {
            "summary": ("summary", "summary"),
            "custom-title": ("customTitle", "title"),
            "ai-title": ("aiTitle", "title"),
        }[line.type or ""]
        value = line.value.get(native)
        if not isinstance(value, str):
            return self._whole(line, "kept", f"{native} is not a string")
        if line.type == "summary" and text(line.value.get("leafUuid")) not in self._index.first:
            return self._whole(line, "kept", "it names a conversation in another file")
        if line.type == "ai-title" and self._has_title:
            return self._whole(line, "kept", "the user gave a title already")
        self._has_title |= line.type == "custom-title"
        return Plan("converted", [Draft(SessionInfo, {ours: value})], role=line.type)

    def _api_error(self, line: NativeLine) -> Plan:
        status = line.value.get("apiErrorStatus")
        said = "".join(b["text"] for b in content_of(line.message["content"]) if b["type"] == "text")
        drafted = {"message": said, "code": text(line.value.get("error")) or as_code(status), "severity": "error"}
        return Plan("converted", [Draft(ErrorRecord, drafted, self._line_key(line))], role="api error message")

    def _request_error(self, line: NativeLine) -> Plan:
        value = line.value
        error, cause = members(value.get("error")), members(value.get("cause"))
        inner = members(error.get("error"))
        said = next(filter(None, map(text, _words(value, error, inner, cause))), None)
        if said is None:
            said = "API error"
            self._made_up(line.number, "message", said, "the line says nothing of the error")
        attempt, limit = value.get("retryAttempt"), value.get("maxRetries")
        more_to_come = is_count(attempt) and is_count(limit) and attempt < limit
        drafted = {
            "message": said,
            "code": as_code(error.get("status")) or as_code(cause.get("code")),
            "severity": "warning" if more_to_come else "error",
            "retryable": True if is_duration(value.get("retryInMs")) else None,
        }
        return Plan("converted", [Draft(ErrorRecord, drafted, self._line_key(line))], role="system/api_error")

    def _line_key(self, line: NativeLine) -> tuple[str, ...] | None:
        return (line.uuid, "error") if line.uuid else None


def _words(value: dict[str, Any], error: dict[str, Any], inner: dict[str, Any], cause: dict[str, Any]) -> Iterator[Any]:
    yield error.get("message")
    yield members(inner.get("error")).get("message")
    yield inner.get("message")
    yield cause.get("code")
    yield value.get("content")
