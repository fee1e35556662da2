"""The records of one session, made from its messages in the order in which they pass."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from sessionrecord.convert.accounting import Held, anything, is_string
from sessionrecord.convert.acp.asks import answer_of, decision_of, options_of, question_of
from sessionrecord.convert.acp.blocks import block_of
from sessionrecord.convert.acp.calls import Calls
from sessionrecord.convert.acp.compactions import Compactions
from sessionrecord.convert.acp.messages import Messages
from sessionrecord.convert.acp.pairing import Request
from sessionrecord.convert.acp.pen import Pen
from sessionrecord.convert.acp.protocol import CLIENT_METHODS, KNOWN_METHODS, UPDATES
from sessionrecord.convert.acp.source import Frame, others
from sessionrecord.convert.acp.terminals import Terminals
from sessionrecord.convert.acp.usage import UNCLEAR, session_usage, turn_usage
from sessionrecord.convert.native import members, same, text
from sessionrecord.errors import InvalidRecordError

__all__ = ["SessionBuilder"]

_ROLES: Final = {"user_message": "user", "agent_message": "assistant", "agent_thought": "assistant"}
_HISTORY: Final = frozenset(
    """user_message_chunk agent_message_chunk agent_thought_chunk user_message agent_message agent_thought tool_call
    tool_call_update tool_call_content_chunk plan plan_update plan_removed compaction_update compaction_summary_chunk
    terminal_update terminal_output_chunk""".split()
)
"""Updates that tell what happened, and so may tell it anew."""
_ASIDE: Final = frozenset(
    """usage_update available_commands_update current_mode_update config_option_update session_info_update notice
    terminal_update terminal_output_chunk compaction_summary_chunk tool_call_update tool_call_content_chunk""".split()
)
"""Updates that may come in the middle of a message, beside its pieces."""
_KIND: Final[dict[str, Held]] = {"sessionUpdate": is_string}
_MESSAGE: Final[dict[str, Held]] = {**_KIND, "messageId": text, "content": anything}
_PLAN_V1: Final[dict[str, Held]] = {**_KIND, "entries": anything}
_PLAN_OTHER: Final[dict[str, Held]] = {**_KIND, "plan": {"planId": text, "id": text}}
_PLAN_ITEMS: Final[dict[str, Held]] = {
    **_KIND,
    "plan": {"planId": text, "id": text, "type": anything, "entries": anything},
}
_INFO: Final[dict[str, Held]] = {**_KIND, "title": is_string}
_STATE: Final[dict[str, Held]] = {**_KIND, "state": text, "stopReason": text, "usage": anything}
_ERROR: Final[dict[str, Held]] = {"message": is_string, "code": lambda code: type(code) is int or text(code)}
_PERMISSION: Final[dict[str, Held]] = {"sessionId": text, "options": anything, "title": text, "description": text}
_TERMINAL_RESULTS: Final = frozenset({"terminal/output", "terminal/wait_for_exit"})
_PLAN: Final = "plan"
"""ID of the one plan that a session of protocol version 1 has."""


class SessionBuilder:
    """Makes the records of one session."""

    def __init__(self, pen: Pen) -> None:
        self.pen = pen
        self._messages = Messages(pen)
        self._calls = Calls(pen, self._before)
        self._terminals = Terminals(pen)
        self._compactions = Compactions(pen, self._compaction_begins)
        self._plans: dict[str, dict[str, Any]] = {}
        self._usage: dict[str, Any] | None = None
        self._unclear = False
        self._turns: set[str] = set()
        self._asked: dict[Frame, str] = {}
        self._replay: Frame | None = None
        self._told_twice = False
        self._updates: dict[str, Callable[[Frame, dict[str, Any]], None]] = {
            "tool_call": self._calls.update,
            "tool_call_update": self._calls.update,
            "tool_call_content_chunk": self._calls.chunk,
            "terminal_update": self._terminals.update,
            "terminal_output_chunk": self._terminals.chunk,
            "compaction_update": self._compactions.update,
            "compaction_summary_chunk": self._compactions.chunk,
            "plan": self._plan,
            "plan_update": self._plan_update,
            "usage_update": self._usage_update,
            "session_info_update": self._info,
            "state_update": self._state,
        }

    def take(self, frame: Frame, request: Request | None) -> None:
        """Take a message; `request` is what it answers. What no record can say is kept whole."""
        self.pen.is_replay = self._replay is not None and request is None and _kind(frame) in _HISTORY
        try:
            if request is not None:
                self._response(frame, request)
            elif frame.method == "session/update":
                self._update(frame)
            else:
                self._request(frame)
        except InvalidRecordError as e:
            self.pen.keep(frame, reason=str(e))
        finally:
            self.pen.is_replay = False

    def begin_replay(self, request: Frame) -> None:
        """The client asked for the history: what the agent tells until it answers is that."""
        self._messages.settle()
        self._replay = request
        self._told_twice = self._messages.any or self._calls.any or self._compactions.any

    def end_replay(self, request: Frame) -> None:
        """The client's request was answered: what follows is new."""
        if self._replay is request:
            self._settle()
            self._replay = None

    def leave(self) -> None:
        """The connection is over; another may go on with the session."""
        self._settle()
        self.pen.turn = None
        self._replay = None

    def finish(self) -> None:
        """Write what is open: nothing follows."""
        self._messages.finish()
        self._calls.finish()
        self._terminals.finish()
        self._compactions.settle()

    def _before(self) -> None:
        """Something takes its place in the context."""
        self._messages.flush()
        self._messages.release()

    def _compaction_begins(self) -> None:
        self._messages.flush()

    def _settle(self) -> None:
        self._messages.settle()
        self._calls.settle()
        self._compactions.settle()

    # requests of either side

    def _request(self, frame: Frame) -> None:
        method, params = frame.method or "", frame.params
        if method in CLIENT_METHODS:
            self._messages.flush()
        if method == "session/prompt" and frame.has_id:
            self._prompt(frame, params)
        elif method == "session/request_permission" and frame.has_id:
            self._permission(frame, params)
        elif method in ("elicitation/create", "session/elicitation") and frame.has_id:
            self._question(frame, params)
        else:
            self.pen.keep(frame, known=method in KNOWN_METHODS)

    def _prompt(self, frame: Frame, params: dict[str, Any]) -> None:
        prompt = params.get("prompt")
        if not isinstance(prompt, list):
            self.pen.keep(frame, reason="a prompt that is no list of blocks")
            return
        if self._replay is not None:  # its answer is missing: a client does not ask before it has it
            self.end_replay(self._replay)
        frame.beside += others(params, {"sessionId": text, "prompt": anything}, "params.")
        if self.pen.version != 2 or self.pen.turn is None:
            self._settle()
            self.pen.turn = self._turn(frame)
        self._messages.prompt(frame, [block_of(b) for b in prompt], hold=self.pen.version == 2)

    def _turn(self, frame: Frame) -> str | None:
        """The turn that a prompt begins: it has the ID of its request, unless another turn has that."""
        turn = frame.native_id
        if turn is None or turn in self._turns:
            self.pen.report.note(
                frame.number, "turn-without-id", "the request's ID is that of an earlier turn, or none"
            )
            return None
        self._turns.add(turn)
        return turn

    def _permission(self, frame: Frame, params: dict[str, Any]) -> None:
        options = options_of(params)
        if options is None:
            self.pen.keep(frame, reason="its options are none")
            return
        subject = members(params.get("subject"))
        call = members(params.get("toolCall")) or members(subject.get("toolCall"))
        call_id = call.get("toolCallId") or subject.get("toolCallId")

        def is_taken(value: Any) -> bool:  # what it says of the call is told where the call takes it
            return value == {} or (text(call.get("toolCallId")) is not None and same(value, call))

        known: dict[str, Held] = {**_PERMISSION, "toolCall": is_taken}
        if subject.get("type") == "tool_call":
            known["subject"] = {"type": anything, "toolCall": is_taken}
        frame.beside += others(params, known, "params.")
        if text(call.get("toolCallId")):
            self._calls.update(frame, call, count=False)
        permission_id = self._own(frame, "permissionId")
        self.pen.write(
            "permission_request",
            self.pen.place(frame),
            permission_id=permission_id,
            call_id=self._calls.call_id(call_id),
            title=text(params.get("title")),
            description=text(params.get("description")),
            options=options,
        )
        self.pen.converted(frame)

    def _question(self, frame: Frame, params: dict[str, Any]) -> None:
        question, refused = question_of(params)
        frame.beside += refused
        question_id = self._own(frame, "questionId")
        call_id = self._calls.call_id(params.get("toolCallId"))
        self.pen.write("question", self.pen.place(frame), question_id=question_id, call_id=call_id, **question)
        self.pen.converted(frame)

    def _own(self, frame: Frame, what: str) -> str:
        """The ID of what a request asks: that of the request, or what the agent calls it."""
        native = text(frame.params.get("elicitationId")) or frame.native_id
        name = self.pen.name(f"{what}/{native or frame.number}")
        own = name.removeprefix(f"{what}/")
        if own != native:
            self.pen.made_up(frame.number, what, own, "the request has no ID of its own, or that of an earlier one")
        self._asked[frame] = own
        return own

    # responses

    def _response(self, frame: Frame, request: Request) -> None:
        method, result = request.method, frame.value.get("result")
        if "error" in frame.value:
            self._failed(frame, request)
        elif method == "session/prompt":
            self._prompted(frame, request, members(result))
        elif method == "session/request_permission" and request.frame in self._asked:
            self._decided(frame, request, members(result))
        elif method in ("elicitation/create", "session/elicitation") and request.frame in self._asked:
            self._answered(frame, request, members(result))
        elif method == "terminal/create":
            self._terminals.created(frame, request.frame.params, members(result))
        elif method in _TERMINAL_RESULTS:
            self._terminals.printed(frame, request.frame.params, members(result))
        elif method == "fs/write_text_file" and isinstance(request.frame.params.get("path"), str):
            frame.beside += others({"result": result}, {"result": {}})
            self.pen.write("file_change", self.pen.place(frame), path=request.frame.params["path"])
            self.pen.converted(frame)
        else:
            self.pen.keep(frame, known=method in KNOWN_METHODS)

    def _failed(self, frame: Frame, request: Request) -> None:
        error = members(frame.value["error"])
        said, code = error.get("message"), error.get("code")
        if request.method == "session/prompt":
            self._messages.answered(request.frame.key, accepted=False)
            self._settle()
            self._end_turn(request)
        if not isinstance(said, str):
            self.pen.keep(frame, reason="an error without a message")
            return
        frame.beside += others(error, _ERROR, "error.")
        written = str(code) if type(code) is int else text(code)
        self.pen.write("error", self.pen.place(frame), message=said, code=written, severity="error")
        self.pen.converted(frame)

    def _prompted(self, frame: Frame, request: Request, result: dict[str, Any]) -> None:
        self._messages.answered(request.frame.key, accepted=True)
        reason = text(result.get("stopReason"))
        if reason is None:
            self.pen.keep(frame, reason=None if not result else "it does not say why the turn ended")
            return
        self._settle()
        self._messages.release()
        frame.beside += others(result, {"stopReason": text, "usage": anything}, "result.")
        self._turn_usage(frame, result.get("usage"))
        self.pen.write("state", self.pen.place(frame), state="idle", reason=reason)
        self.pen.converted(frame)
        self._end_turn(request)

    def _end_turn(self, request: Request) -> None:
        # in version 2 a turn ends when the agent is idle; a refused prompt there may be one beside it
        if request.frame.native_id == self.pen.turn:
            self.pen.turn = None

    def _turn_usage(self, frame: Frame, native: Any) -> None:
        if native is None:
            return
        usage, refused = turn_usage(members(native))
        if not isinstance(native, dict) or usage.keys() == {"scope", "counter", "capture"}:
            frame.beside.append("usage")
            return
        frame.beside += refused
        if not self._unclear:
            self._unclear = True
            self.pen.report.note(frame.number, "usage-unclear", UNCLEAR)
        capture = usage.pop("capture")
        self.pen.write("usage", {**self.pen.place(frame), "capture": capture}, **usage)

    def _decided(self, frame: Frame, request: Request, result: dict[str, Any]) -> None:
        found = decision_of(result, request.frame.params)
        if found is None:
            self.pen.keep(frame, reason="no decision: it has no outcome")
            return
        decision, refused = found
        frame.beside += refused
        if decision["option_id"] is not None and "kind" not in decision:
            self.pen.report.note(
                frame.number, "option-unknown", "the option chosen is none of those that were offered, or several"
            )
        permission_id = self._asked[request.frame]
        self.pen.write("permission_decision", self.pen.place(frame), permission_id=permission_id, **decision)
        self.pen.converted(frame)

    def _answered(self, frame: Frame, request: Request, result: dict[str, Any]) -> None:
        found = answer_of(result, request.frame.params)
        if found is None:
            self.pen.keep(frame, reason="no answer: it has no action")
            return
        answer, refused = found
        frame.beside += refused
        question_id = self._asked[request.frame]
        self.pen.write("answer", self.pen.place(frame), question_id=question_id, **answer)
        self.pen.converted(frame)

    # updates

    def _update(self, frame: Frame) -> None:
        update, kind = members(frame.params.get("update")), _kind(frame)
        if kind not in UPDATES:
            self.pen.keep(frame, known=False)
            return
        if self._replay is not None and self._told_twice and kind in _HISTORY:
            self.pen.keep(frame, reason=f"told anew for the request of line {self._replay.number}: the session has it")
            return
        frame.beside += others(frame.params, {"sessionId": text, "update": anything}, "params.")
        stem = kind.removesuffix("_chunk")
        if stem not in _ROLES and kind not in _ASIDE:
            self._messages.flush()
        if stem in _ROLES:
            self._message(frame, update, kind, stem)
        elif kind in self._updates:
            self._updates[kind](frame, update)
        else:
            self.pen.keep(frame)

    def _message(self, frame: Frame, update: dict[str, Any], kind: str, stem: str) -> None:
        native_id, content = text(update.get("messageId")), update.get("content")
        frame.beside += others(update, _MESSAGE)
        thought = stem == "agent_thought"
        if kind != stem:
            if not isinstance(content, dict):
                self.pen.keep(frame, reason="a piece of a message without content")
                return
            self._messages.chunk(frame, _ROLES[stem], native_id, block_of(content, thought=thought), thought=thought)
        elif native_id is None or not isinstance(content, list | None):
            self.pen.keep(frame, reason="it does not name the message, or its content is no list")
        elif "content" not in update:
            self.pen.keep(frame, reason="it leaves the message as it was")
        else:
            blocks = [block_of(b, thought=thought) for b in content or ()]
            self._messages.whole(frame, _ROLES[stem], native_id, blocks, thought=thought)

    def _plan(self, frame: Frame, update: dict[str, Any]) -> None:
        if _PLAN not in self._plans:
            self.pen.made_up(frame.number, "planId", _PLAN, "the plan has no ID: the session has one")
        frame.beside += others(update, _PLAN_V1)
        self._write_plan(frame, _PLAN, update)

    def _plan_update(self, frame: Frame, update: dict[str, Any]) -> None:
        plan = members(update.get("plan"))
        plan_id = text(plan.get("planId")) or text(plan.get("id"))
        if plan_id is None:
            self.pen.keep(frame, reason="it does not name the plan")
            return
        frame.beside += others(update, _PLAN_ITEMS if plan.get("type") == "items" else _PLAN_OTHER)
        self._write_plan(frame, plan_id, plan)

    def _write_plan(self, frame: Frame, plan_id: str, plan: dict[str, Any]) -> None:
        entries = plan.get("entries")
        said: dict[str, Any] = {}
        if isinstance(entries, list) and all(isinstance(e, dict) for e in entries):
            said["entries"] = [{n: v for n, v in e.items() if v is not None} for e in entries]
        elif entries is not None:
            frame.beside.append("entries")
        if plan_id in self._plans and same(self._plans[plan_id], said) and not frame.beside:
            self.pen.repeats(frame, "repeats the plan")
            return
        self.pen.write("plan", self.pen.place(frame), plan_id=plan_id, **said)
        self._plans[plan_id] = said
        self.pen.converted(frame)

    def _usage_update(self, frame: Frame, update: dict[str, Any]) -> None:
        usage, refused = session_usage(update)
        if usage.keys() == {"scope", "counter"}:
            self.pen.keep(frame, reason="it counts nothing")
            return
        frame.beside += refused
        if self._usage is not None and same(self._usage, usage):
            self.pen.repeats(frame, "repeats the usage told before")
            return
        self.pen.write("usage", self.pen.place(frame), **usage)
        self._usage = usage
        self.pen.converted(frame)

    def _info(self, frame: Frame, update: dict[str, Any]) -> None:
        if not isinstance(update.get("title"), str | None) or "title" not in update:
            self.pen.keep(frame, reason="it does not tell the title")
            return
        frame.beside += others(update, _INFO)
        self.pen.write("session_info", self.pen.place(frame), title=update["title"])
        self.pen.converted(frame)

    def _state(self, frame: Frame, update: dict[str, Any]) -> None:
        state = text(update.get("state"))
        if state is None:
            self.pen.keep(frame, reason="it does not say which state")
            return
        reason = update.get("stopReason")
        frame.beside += others(update, _STATE)
        if state == "idle":
            self._settle()
            self._messages.release()
        self._turn_usage(frame, update.get("usage"))
        self.pen.write("state", self.pen.place(frame), state=state, reason=text(reason))
        self.pen.converted(frame)
        if state == "idle":
            self.pen.turn = None


def _kind(frame: Frame) -> str:
    """The kind of an update; empty for what is none."""
    return text(members(frame.params.get("update")).get("sessionUpdate")) or ""
