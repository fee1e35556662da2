"""What one native line says, as records that have no place yet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from sessionrecord.convert.accounting import Held, anything, is_string, left
from sessionrecord.convert.codex.blocks import blocks_of, content_of, reasoning_block
from sessionrecord.convert.codex.calls import CALLS, OUTPUTS, Calls, arguments_of, details, output_of
from sessionrecord.convert.codex.compaction import Entry, replacement
from sessionrecord.convert.codex.echoes import Echoes
from sessionrecord.convert.codex.source import HARNESS, ITEM_TYPES, LINE_TYPES, CodexLine
from sessionrecord.convert.codex.usage import Counter as TokenCounter
from sessionrecord.convert.native import members, native_value, same, text
from sessionrecord.records import (
    Compaction,
    ErrorRecord,
    Message,
    Rewind,
    SessionInfo,
    ToolCall,
    ToolResult,
    UnknownRecord,
    Usage,
)
from sessionrecord.records.envelope import EnvelopeModel

__all__ = ["Draft", "Drafter", "Plan"]

_KNOWN_ITEMS: Final = frozenset(
    """ghost_snapshot compaction compaction_summary compaction_trigger context_compaction image_generation_call
    tool_search_call tool_search_output agent_message additional_tools other""".split()
)
_KNOWN_EVENTS: Final = frozenset(
    """user_message agent_message agent_reasoning agent_reasoning_raw_content token_count error stream_error warning
    thread_name_updated thread_rolled_back context_compacted entered_review_mode exited_review_mode undo_completed
    turn_aborted turn_started task_started turn_complete task_complete item_completed patch_apply_begin patch_apply_end
    exec_command_begin exec_command_end mcp_tool_call_begin mcp_tool_call_end web_search_begin web_search_end
    image_generation_end view_image_tool_call background_event plan_update turn_diff session_configured
    thread_goal_updated thread_settings_applied sub_agent_activity exec_approval_request apply_patch_approval_request
    request_user_input dynamic_tool_call_request dynamic_tool_call_response collab_agent_spawn_begin
    collab_agent_spawn_end collab_agent_interaction_begin collab_agent_interaction_end collab_waiting_begin
    collab_waiting_end collab_close_begin collab_close_end collab_resume_begin collab_resume_end deprecation_notice
    model_reroute guardian_assessment hook_started hook_completed realtime_conversation_closed shutdown_complete""".split()
)
_COMPACTED: Final[dict[str, Held]] = {"message": is_string, "replacement_history": anything, "turn_id": text}
_SEVERITIES: Final = {"error": "error", "stream_error": "warning", "warning": "warning"}

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
    item: dict[str, Any] | None = None
    """The native item that it is made from."""


@dataclass(slots=True)
class Plan:
    """What becomes of a line."""

    outcome: Literal["converted", "kept", "unknown"]
    """How the report counts it."""
    drafts: list[Draft] = field(default_factory=list)
    """Its records in their order."""
    reason: str | None = None
    """Why it is kept, where its type is one that would be converted."""
    repeats: int | None = None
    """The line that says all of this; then there are no records."""
    lost: list[str] = field(default_factory=list)
    """Native members that no record holds, found while it was read."""


@dataclass(slots=True)
class Thread:
    """The state of the conversation while its lines are read."""

    context: list[Entry] = field(default_factory=list)
    """The entities in context, in their order."""
    turns: list[str | None] = field(default_factory=list)
    """For each message of the user that is in effect: ref of the head before it."""


class Drafter:
    """Turns the lines of a rollout into plans, in file order."""

    def __init__(
        self, meta: CodexLine | None, echoes: Echoes, models: list[str], thread: Thread, note: NoteFn, made_up: MadeUpFn
    ) -> None:
        self.repeated_counts = 0
        """Token counts that say what the one before said."""
        self._meta = meta
        self._echoes = echoes
        self._model = models[0] if len(models) == 1 else None
        self._models = len(models)
        self._turn_model: str | None = None
        self._thread = thread
        self._note = note
        self._made_up = made_up
        self._calls = Calls()
        self._counter = TokenCounter()
        self._limits: Any = None

    def plan(self, line: CodexLine) -> Plan:
        """What becomes of a line that holds a value."""
        if line.fault is not None:
            return Plan("kept", [Draft(UnknownRecord, native_value(HARNESS, None, line.kept))], reason=line.fault)
        if line.type not in LINE_TYPES:
            return self._whole(line, "kept" if "record_type" in line.value else "unknown")
        if line.type not in ("world_state", "inter_agent_communication") and not line.payload:
            return self._whole(line, "kept", "no payload object")
        if line.type == "response_item":
            return self._item(line)
        if line.type == "event_msg":
            return self._event(line)
        if line.type == "compacted":
            return self._compaction(line)
        plan = self._whole(line, "kept")
        if line.type == "session_meta":
            if line is self._meta:
                plan.outcome = "converted"
            else:
                plan.reason = "the header tells of the first session_meta"
        if line.type == "turn_context":
            self._turn_model = text(line.payload.get("model"))
        return plan

    def _whole(
        self, line: CodexLine, outcome: Literal["converted", "kept", "unknown"], reason: str | None = None
    ) -> Plan:
        native_type = line.label if isinstance(line.value.get("type"), str) else None
        return Plan(outcome, [Draft(UnknownRecord, native_value(HARNESS, native_type, line.kept))], reason=reason)

    def _own(self, line: CodexLine) -> str:
        return f"line-{line.number}" + (f".{line.index}" if "glued" in line.salvaged else "")

    def _item(self, line: CodexLine) -> Plan:
        item, kind = line.payload, line.kind
        if kind not in ITEM_TYPES:
            return self._whole(line, "kept" if kind in _KNOWN_ITEMS else "unknown")
        if kind == "message":
            if text(item.get("role")) is None or not isinstance(item.get("content"), str | list):
                return self._whole(line, "kept", "a message without role or content")
            return Plan("converted", [self._message(line, item, self._own(line))])
        if kind == "reasoning":
            return Plan("converted", [self._reasoning(line, item, self._own(line))])
        if kind in OUTPUTS:
            return self._output(line, item)
        return self._call(line, item)

    def _message(self, line: CodexLine, item: dict[str, Any], own: str, origin: str | None = None) -> Draft:
        self._name_unknown_blocks(line, item["content"])
        message_id = self._message_id(line, item, own)
        role = item["role"]
        drafted = {
            "message_id": message_id,
            "role": role,
            "content": content_of(item["content"]),
            "model": self._turn_model if role == "assistant" else None,
            "origin": "user" if line.index in self._echoes.typed and origin is None else origin,
        }
        return Draft(Message, drafted, ("message", message_id), item)

    def _reasoning(self, line: CodexLine, item: dict[str, Any], own: str, origin: str | None = None) -> Draft:
        message_id = self._message_id(line, item, own)
        drafted = {
            "message_id": message_id,
            "role": "assistant",
            "content": [reasoning_block(item)],
            "model": self._turn_model,
            "origin": origin,
        }
        return Draft(Message, drafted, ("message", message_id), item)

    def _message_id(self, line: CodexLine, item: dict[str, Any], own: str) -> str:
        native_id = text(item.get("id"))
        if native_id is None:
            self._made_up(line.number, "messageId", own, "the log gives messages and reasoning no ID")
        return native_id or own

    def _name_unknown_blocks(self, line: CodexLine, content: Any) -> None:
        kinds: Counter[str] = Counter()
        for part, block in zip(content, blocks_of(content), strict=True) if isinstance(content, list) else ():
            if block["type"] not in ("text", "image"):
                kind = members(part).get("type")
                kinds[kind if isinstance(kind, str) else type(part).__name__] += 1
        for name, count in kinds.items():
            self._note(
                line.number,
                "block-kept",
                f"{count} content block{'s' if count > 1 else ''} of type {name!r} kept as recorded",
            )

    def _call(self, line: CodexLine, item: dict[str, Any]) -> Plan:
        kind = line.kind or ""
        given = item.get(CALLS[kind])
        asked = arguments_of(kind, given)
        native_id = text(item.get("call_id"))
        if native_id is None and kind in ("web_search_call", "local_shell_call"):
            native_id = text(item.get("id"))
        # the type of a call that the provider offers is the name of its tool
        name = text(item.get("name")) or (
            kind.removesuffix("_call") if kind in ("web_search_call", "local_shell_call") else None
        )
        use = self._calls.use(native_id or self._own(line), kind, name, asked)
        if native_id is None:
            self._made_up(line.number, "callId", use.call_id, "the log gives the call no ID")
        elif use.call_id != native_id:
            self._made_up(line.number, "callId", use.call_id, "another call has the ID already")
            self._note(line.number, "call-id-reused", f"the call ID {native_id!r} is used for another call")
        drafted = {
            "call_id": use.call_id,
            "call_id_source": "native" if use.call_id == native_id else "synthetic",
            "name": name,
            "arguments": asked,
            "arguments_status": None if asked is None else "complete",
            "status": text(item.get("status")),
            **details(name, asked),
        }
        return Plan("converted", [Draft(ToolCall, drafted, ("tool_call", use.call_id), item)])

    def _output(self, line: CodexLine, item: dict[str, Any]) -> Plan:
        native_id = text(item.get("call_id"))
        if native_id is None:
            return self._whole(line, "kept", "an output that names no call")
        use = self._calls.answered(native_id)
        if use is None:
            self._note(line.number, "result-without-call", f"no call has the ID {native_id!r} that an output names")
        call_id = use.call_id if use else native_id
        drafted = {"call_id": call_id, **output_of(use.name if use else None, item.get("output"))}
        return Plan("converted", [Draft(ToolResult, drafted, ("tool_result", call_id), item)])

    def _event(self, line: CodexLine) -> Plan:
        payload, kind = line.payload, line.kind
        if line.index in self._echoes.of:
            more = self._echoes.says_more(line)
            if not more:
                return Plan("converted", repeats=self._echoes.of[line.index].number)
            return self._whole(line, "kept", f"its item does not have its {', '.join(more)}")
        if kind in _SEVERITIES and isinstance(payload.get("message"), str):
            return self._error(line)
        if kind == "thread_name_updated" and isinstance(payload.get("thread_name"), str):
            return Plan("converted", [Draft(SessionInfo, {"title": payload["thread_name"]})])
        if kind == "token_count" and members(payload.get("info")):
            return self._usage(line)
        if kind == "thread_rolled_back":
            return self._rewind(line)
        if kind in ("user_message", "agent_message", "agent_reasoning", "agent_reasoning_raw_content"):
            return self._whole(line, "kept", "no item has its text")
        return self._whole(line, "kept" if kind in _KNOWN_EVENTS else "unknown")

    def _error(self, line: CodexLine) -> Plan:
        payload = line.payload
        info = payload.get("codex_error_info")
        code = text(info) or (next(iter(info), None) if isinstance(info, dict) and len(info) == 1 else None)
        drafted = {"message": payload["message"], "code": code, "severity": _SEVERITIES[line.kind or ""]}
        lost = ["payload.codex_error_info"] if info is not None and not same(info, code) else []
        return Plan("converted", [Draft(ErrorRecord, drafted)], lost=lost)

    def _usage(self, line: CodexLine) -> Plan:
        counted = self._counter.count(line.payload["info"])
        for code, message in counted.notes:
            self._note(line.number, code, message)
        self.repeated_counts += counted.is_repeat
        if self._models > 1 and not counted.is_repeat:
            self._note(
                line.number, "usage-of-models", "several models were used, and the counter does not tell them apart"
            )
        drafted = {"scope": "session", "counter": "cumulative", "model": self._model, **counted.members}
        plan = Plan("converted", [Draft(Usage, drafted)], lost=counted.lost)
        limits = line.payload.get("rate_limits")
        if limits != self._limits and _says_something(limits):
            plan.drafts.append(Draft(UnknownRecord, native_value(HARNESS, "rate_limits", limits)))
        self._limits = limits
        return plan

    def _rewind(self, line: CodexLine) -> Plan:
        turns, count = self._thread.turns, line.payload.get("num_turns")
        if type(count) is not int or not 0 < count <= len(turns):
            self._note(line.number, "rollback-unclear", "the messages that the rollback takes back are not in the log")
            return self._whole(line, "kept", "it takes back more turns than the log has")
        return Plan("converted", [Draft(Rewind, {"to": turns[-count], "reason": "thread_rolled_back"})])

    def _compaction(self, line: CodexLine) -> Plan:
        own = self._own(line)
        found = replacement(line.payload, self._thread.context)
        self._made_up(line.number, "compactionId", own, "the log gives compactions no ID")
        drafted = {"compaction_id": own, "summary": found.summary or None, "kept_from": found.kept_from}
        plan = Plan("converted", [Draft(Compaction, drafted)])
        left_out = found.left_out.copy()
        for i, item in found.replayed:
            if item["type"] == "reasoning":
                plan.drafts.append(self._reasoning(line, {**item, "id": None}, f"{own}/{i}", "injected"))
            elif text(item.get("role")) and isinstance(item.get("content"), str | list):
                plan.drafts.append(self._message(line, {**item, "id": None}, f"{own}/{i}", "injected"))
            else:
                left_out["message"] += 1
                continue
            plan.drafts[-1].item = item
        if len(plan.drafts) > 1:
            self._note(line.number, "replayed", "what the compaction kept follows it again, as messages of their own")
        more = [*left("", line.payload, _COMPACTED), *dict.fromkeys(found.lost)]
        if left_out or more or not isinstance(line.payload.get("replacement_history", []), list | None):
            named = [f"{name} {n}" for name, n in left_out.items()] + more
            self._note(
                line.number, "compacted-kept", f"the line is kept as recorded too: {', '.join(named) or 'no list'}"
            )
            plan.drafts += self._whole(line, "kept").drafts
        return plan


def _says_something(value: Any) -> bool:
    """Whether anything in a value is not null."""
    level = [value]
    while level:
        item = level.pop()
        if isinstance(item, dict | list):
            level.extend(item.values() if isinstance(item, dict) else item)
        elif item is not None:
            return True
    return False
