"""The records of a session, made from the events of its runs in their order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final

from sessionrecord.asm import InvalidEvent, RunError, RunEvent
from sessionrecord.asm import payloads as p
from sessionrecord.convert.asm.blocks import block, result_content, text_of
from sessionrecord.convert.asm.held import kept, moment, unused
from sessionrecord.convert.asm.streamed import OpenMessage, united
from sessionrecord.convert.native import BLANK, is_count, same, sound
from sessionrecord.convert.report import ConversionReport, Loss, MadeUp, Unconverted
from sessionrecord.diagnostics import excerpt
from sessionrecord.records import Block, Cost, Producer, Record, Root, SessionHeader
from sessionrecord.stream.authoring import FORMAT_VERSION, RecordList

__all__ = ["HARNESS", "SessionBuilder"]

HARNESS: Final = "asm"
"""The harness that kept events name."""
SNAPSHOT: Final = "cursor_final_snapshot"
"""Mark of a full message whose text the deltas before it have already given."""
STREAMED: Final = frozenset({"assistant_delta", "thinking", "cost_update", "stderr", "raw"})
"""Kinds that leave the message that is being streamed open."""
_COUNTS: Final = ("input_tokens", "output_tokens", "total_tokens")
_EXPLANATION: Final = "no record has a member for it"
_MAPPED: Final = {
    "run_started": {"cwd"},
    "assistant_delta": {"content"},
    "assistant_message": {"content", "role"},
    "user_message": {"content", "role"},
    "thinking": {"content", "signature"},
    "tool_use": {"tool_name", "tool_call_id", "input"},
    "tool_result": {"tool_call_id", "content", "is_error"},
    "approval_requested": {"approval_id", "subject", "details"},
    "approval_resolved": {"approval_id", "decision", "reason"},
    "cost_update": {"input_tokens", "output_tokens", "total_tokens", "cost_usd"},
    "result": {"stop_reason", "output", "object"},
    "error": {"message", "code", "severity"},
    "run_completed": {"status"},
}
"""Kind to the members of its payload that have a place in a record, or for whose sake the event is kept whole."""
_ENVELOPE: Final = frozenset({"id", "kind", "run_id", "session_id", "timestamp", "payload", "provider", "metadata"})
"""Members of an event that have a place, or are looked at by themselves."""


class SessionBuilder:
    """Makes the records of one session; the header names the agent and the session of the first event."""

    def __init__(self, first: RunEvent, source: str | None) -> None:
        self._report = ConversionReport(source=source)
        self._losses: Counter[str] = Counter()
        self._out = RecordList()
        self._open: OpenMessage | None = None
        self._calls: dict[str, tuple[str, Any]] = {}
        self._runs: set[str] = set()
        self._used: dict[str, int] = {}
        self._used_calls: dict[str, int] = {}
        self._session_id = first.session_id
        self._line = 1
        self._provider = first.provider
        self._roots: list[Root] | None = None
        if first.provider is None:
            self._made_up(1, "agent", "unknown", "no event before the first record names a provider")
        self._out.session(
            agent=first.provider or "unknown",
            session_id=first.session_id,
            producer=Producer(method="converter", name="sessionrecord", version=_version()),
            format_version=FORMAT_VERSION,
        )
        self._handlers: dict[str, Callable[[int, RunEvent, Any], None]] = {
            "run_started": self._run_started,
            "assistant_delta": self._delta,
            "assistant_message": self._assistant_message,
            "user_message": self._user_message,
            "thinking": self._thinking,
            "tool_use": self._tool_use,
            "tool_result": self._tool_result,
            "approval_requested": self._approval_requested,
            "approval_resolved": self._approval_resolved,
            "cost_update": self._cost_update,
            "result": self._result,
            "error": self._error,
            "run_completed": self._run_completed,
        }

    def add(self, number: int, event: RunEvent | InvalidEvent) -> None:
        """Take the next event; `number` is its line."""
        self._line = number
        if isinstance(event, InvalidEvent):
            self._flush()
            label = sound(event.kind) if event.kind is not None else "(no kind)"
            reason = "; ".join(f"{d.code}: {d.message}" for d in event.diagnostics)
            source = {"line": number, "nativeType": label}
            value = kept(event.raw)
            self._out.unknown("native_line", harness=HARNESS, nativeType=label, value=value, source=source)
            self._report.kept[label] += 1
            self._report.kept_reasons.append(Unconverted(number, label, reason))
            return
        # a full message may complete the one that was streamed
        if event.kind not in STREAMED and event.kind != "assistant_message":
            self._flush()
        self._surroundings(number, event)
        handler = self._handlers.get(event.kind)
        if handler is not None:
            handler(number, event, event.payload)
            return
        tally = self._report.kept if event.kind in p.PAYLOADS else self._report.unknown
        tally[event.kind] += 1
        self._keep(event)

    def blank(self, number: int) -> None:
        """Count a line that holds nothing."""
        self._report.not_converted.append(Unconverted(number, BLANK, "blank line"))

    def finish(self, count: int) -> tuple[list[Record], ConversionReport]:
        """The records and the report, once the last of `count` lines is taken."""
        self._flush()
        report, records = self._report, self._out.records
        report.lines_read = report.units_read = count
        report.lost = [Loss("member_dropped", member, n, _EXPLANATION) for member, n in self._losses.items()]
        header = records[0]
        assert isinstance(header, SessionHeader)
        losses = [
            {"kind": "member_dropped", "stage": "normalization", "field": m, "count": n, "explanation": _EXPLANATION}
            for m, n in self._losses.items()
        ]
        records[0] = header.replace(losses=losses or None, roots=self._roots)
        report.records = Counter(r.type for r in records)
        return records, report

    def _surroundings(self, number: int, event: RunEvent) -> None:
        """What an event says beside its kind's own: counted where no record has a place for it."""
        if event.run_id not in self._runs:
            self._runs.add(event.run_id)
            if len(self._runs) > 1:
                self._report.note(number, "other-run", f"the run {excerpt(event.run_id)} begins; each run is a turn")
        if event.session_id != self._session_id:
            self._report.note(
                number,
                "other-session",
                f"the event is of session {excerpt(event.session_id)}; it is taken into this one",
            )
            self._losses["session_id"] += 1
        if event.provider not in (None, self._provider):
            self._losses["provider"] += 1
        if moment(event) != event.timestamp_utc:
            self._losses["timestamp"] += 1
            self._report.note(
                number,
                "timestamp-cut",
                "a record's timestamp has a year of 4 digits and at most 9 digits of a fraction",
            )
        wire = event.to_wire()
        for name, value in wire.items():
            if name not in _ENVELOPE and value is not None:
                self._losses[name] += 1
        for name in event.metadata:
            self._losses[f"metadata.{name}"] += 1
        payload, mapped = wire.get("payload"), _MAPPED.get(event.kind)
        if mapped is not None and isinstance(payload, dict):
            for name, value in payload.items():
                if name not in mapped and value not in (None, {}, []):
                    self._losses[f"{event.kind}.{name}"] += 1

    def _envelope(self, event: RunEvent, line: int | None = None) -> dict[str, Any]:
        source: dict[str, Any] = {"line": line or self._line, "nativeType": event.kind}
        if event.id is not None:
            source["nativeId"] = event.id
        return {"timestamp": moment(event), "turn_id": event.run_id, "source": source}

    def _converted(self, event: RunEvent) -> None:
        self._report.converted[event.kind] += 1

    def _keep(self, event: RunEvent) -> None:
        value = kept(event.to_line())
        self._out.unknown("native_line", harness=HARNESS, nativeType=event.kind, value=value, **self._envelope(event))

    def _made_up(self, number: int, what: str, value: str, why: str) -> None:
        self._report.made_up.append(MadeUp(number, what, value, why))

    def _name(self, number: int, what: str, given: str | None) -> str:
        """An ID that nothing else in the session has."""
        name = unused(given or f"event-{number}", self._used)
        if name != given:
            why = "the ID is of another message already" if given else "the event has no ID"
            self._made_up(number, what, name, why)
        return name

    # messages

    def _delta(self, number: int, event: RunEvent, payload: p.AssistantDeltaPayload) -> None:
        if payload.content:
            self._converted(event)
            self._opened(number, event).add("text", payload.content)
        else:
            self._says_nothing(number, event)

    def _thinking(self, number: int, event: RunEvent, payload: p.ThinkingPayload) -> None:
        wire: Any = event.to_wire().get("payload") or {}
        # as it was written: the typed view has lost its margins
        content = wire.get("content") or ""
        if content or payload.signature:
            self._converted(event)
            self._opened(number, event).add("reasoning", content, payload.signature)
        else:
            self._says_nothing(number, event)

    def _says_nothing(self, number: int, event: RunEvent) -> None:
        self._report.not_converted.append(Unconverted(number, event.kind, "it says nothing"))

    def _opened(self, number: int, event: RunEvent) -> OpenMessage:
        if self._open is None:
            self._open = OpenMessage(number, event)
        self._open.lines.append(number)
        return self._open

    def _flush(self) -> None:
        if self._open is not None:
            done, self._open = self._open, None
            self._message(done.number, done.event, "assistant", done.blocks(), done.lines)

    def _message(
        self, number: int, event: RunEvent, role: str, content: list[Block], lines: Sequence[int] = ()
    ) -> None:  # fmt: skip
        """A message that an event begins, and that `lines` are part of."""
        message_id = self._name(number, "messageId", event.id)
        self._report.merged.update((line, number) for line in lines if line != number)
        self._out.message(message_id=message_id, role=role, content=content, **self._envelope(event, number))

    def _assistant_message(self, number: int, event: RunEvent, payload: p.AssistantMessagePayload) -> None:
        """A full message: the end of the one that was streamed, if it says the same, else one of its own."""
        streamed, text = self._open, text_of(payload.content)
        if streamed is not None and streamed.text and streamed.text == text:
            self._open = None
            self._converted(event)
            self._report.note(
                number, "text-repeated", f"the full message repeats {len(text)} characters that came in pieces"
            )
            content = united(streamed.blocks(), self._blocks(number, event, payload.content))
            self._message(streamed.number, streamed.event, "assistant", content, [*streamed.lines, number])
            return
        if payload.metadata.get("source") == SNAPSHOT:
            self._flush()
            self._report.kept[event.kind] += 1
            self._report.kept_reasons.append(
                Unconverted(number, event.kind, "a snapshot of text that earlier events gave")
            )
            self._keep(event)
            return
        thoughts: list[Block] = []
        lines: list[int] = []
        if streamed is not None and not streamed.text:
            self._open, thoughts, lines = None, streamed.blocks(), streamed.lines
        self._flush()
        self._converted(event)
        content = united(thoughts, self._blocks(number, event, payload.content))
        self._message(number, event, "assistant", content, lines)

    def _user_message(self, number: int, event: RunEvent, payload: p.UserMessagePayload) -> None:
        self._converted(event)
        self._message(number, event, "user", self._blocks(number, event, payload.content))

    def _blocks(self, number: int, event: RunEvent, content: list[Any]) -> list[Block]:
        """The content items as blocks; where one is none, the event is kept whole too."""
        found = [block(item) for item in content]
        if None in found:
            self._keep(event)
            self._report.note(
                number, "content-kept", "an item of the content is no block; the event is kept whole beside the message"
            )
        return [b for b in found if b is not None]

    # tools

    def _tool_use(self, number: int, event: RunEvent, payload: p.ToolUsePayload) -> None:
        native, invocation = payload.tool_call_id or None, (payload.tool_name, payload.input)
        known = None if native is None else self._calls.get(native)
        if known is not None and known[1] is not None and same(known[1], invocation):
            self._report.not_converted.append(Unconverted(number, event.kind, f"repeats the call {excerpt(native)}"))
            return
        self._converted(event)
        answered = known is not None and known[1] is None  # a result came before its call
        call_id = known[0] if known is not None and answered else self._call_id(number, native)
        if native is not None:
            self._calls[native] = call_id, invocation
        self._out.tool_call(
            call_id=call_id,
            call_id_source="native" if call_id == native else "synthetic",
            name=payload.tool_name or None,
            arguments=payload.input,
            **self._envelope(event),
        )

    def _call_id(self, number: int, native: str | None) -> str:
        """An ID that no other call has."""
        call_id = unused(native or f"event-{number}", self._used_calls)
        if call_id != native:
            why = "the call has no ID" if native is None else "the ID is of another call already"
            self._made_up(number, "callId", call_id, why)
        return call_id

    def _tool_result(self, number: int, event: RunEvent, payload: p.ToolResultPayload) -> None:
        native = payload.tool_call_id or None
        if native is None:
            self._report.kept[event.kind] += 1
            self._report.kept_reasons.append(Unconverted(number, event.kind, "it does not say which call it answers"))
            self._keep(event)
            return
        self._converted(event)
        if native not in self._calls:
            self._calls[native] = self._call_id(number, native), None
        self._out.tool_result(
            call_id=self._calls[native][0],
            outcome="error" if payload.is_error else "success",
            **result_content(payload.content),
            **self._envelope(event),
        )

    # approvals

    def _approval_requested(self, number: int, event: RunEvent, payload: p.ApprovalRequestedPayload) -> None:
        self._converted(event)
        if payload.details:
            self._keep(event)
        self._out.permission_request(
            permission_id=self._permission(number, payload.approval_id),
            title=payload.subject or None,
            **self._envelope(event),
        )

    def _approval_resolved(self, number: int, event: RunEvent, payload: p.ApprovalResolvedPayload) -> None:
        self._converted(event)
        allowed = payload.decision is True or payload.decision in ("allow", "approved")
        expired = not allowed and payload.reason == "timeout"
        self._out.permission_decision(
            permission_id=self._permission(number, payload.approval_id),
            outcome="expired" if expired else "selected",
            kind="allow_once" if allowed else "reject_once",
            reason=payload.reason or None,
            **self._envelope(event),
        )

    def _permission(self, number: int, given: str | None) -> str:
        # approvals without an ID share one, as in the fold of events
        if not given:
            self._made_up(number, "permissionId", "unnamed", "the approval has no ID; all such share this one")
        return given or "unnamed"

    # the run

    def _run_started(self, number: int, event: RunEvent, payload: p.RunStartedPayload) -> None:
        self._converted(event)
        if payload.cwd:
            if self._roots is None:
                self._roots = [Root(id="cwd", path=payload.cwd)]
                self._made_up(number, "roots[].id", "cwd", "the event does not name the directory")
            elif self._roots[0].path != payload.cwd:
                self._losses["run_started.cwd"] += 1
        self._out.state(state="running", **self._envelope(event))

    def _cost_update(self, number: int, event: RunEvent, payload: p.CostUpdatePayload) -> None:
        self._converted(event)
        wire: Any = event.to_wire().get("payload") or {}
        # a null reads as 0, but says nothing
        given = [name for name in _COUNTS if wire.get(name) is not None]
        counts = {name: wire[name] for name in given if is_count(wire[name])}
        if len(counts) < len(given):
            self._keep(event)
            self._report.note(number, "count-kept", "a count is too large for a record; the event is kept whole")
        cost = None if wire.get("cost_usd") is None else Cost(amount=payload.cost_usd, currency="USD")
        self._out.usage(scope="turn", counter="delta", cost=cost, **counts, **self._envelope(event))

    def _result(self, number: int, event: RunEvent, payload: p.ResultPayload) -> None:
        self._converted(event)
        if payload.output is not None or payload.object is not None:
            self._keep(event)
        reason = payload.stop_reason if isinstance(payload.stop_reason, str) else None
        self._out.state(state="idle", reason=reason or None, **self._envelope(event))

    def _run_completed(self, number: int, event: RunEvent, payload: p.RunCompletedPayload) -> None:
        self._converted(event)
        reason = payload.status if isinstance(payload.status, str) else None
        self._out.state(state="idle", reason=reason or None, **self._envelope(event))

    def _error(self, number: int, event: RunEvent, payload: p.ErrorPayload) -> None:
        self._converted(event)
        self._out.error(
            message=payload.message,
            code=payload.code or None,
            severity=payload.severity,
            retryable=RunError.of(payload).retryable,
            **self._envelope(event),
        )


def _version() -> str | None:
    try:
        return version("sessionrecord")
    except PackageNotFoundError:
        return None
