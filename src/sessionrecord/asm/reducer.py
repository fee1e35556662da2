"""The fold of a run's events into its state. Every event counts, before and after an end; the last writer decides the status.

The same events always give an equal state, whatever was looked at on the way. Time and memory grow with the events and
with what the result holds; the events themselves are not kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final, NoReturn, TypeAlias

from sessionrecord.asm.change import RunChange
from sessionrecord.asm.content import text_of
from sessionrecord.asm.control import ApprovalRequest
from sessionrecord.asm.cost import Cost
from sessionrecord.asm.errors import RunError
from sessionrecord.asm.event import RunEvent
from sessionrecord.asm.log import Entry, MessageLog
from sessionrecord.asm.metadata import PROTECTED_KEYS
from sessionrecord.asm.parse import InvalidEvent
from sessionrecord.asm.projection import approval_request
from sessionrecord.asm.reader import to_fold
from sessionrecord.asm.state import IdLog, ResultSnapshot, RunState, RunStatus, TextLog
from sessionrecord.errors import InvalidRecordError

__all__ = ["RunReducer", "reduce_run"]

Members: TypeAlias = Mapping[str, Any]
"""The members of an event, by name; absent ones may be missing."""

_SNAPSHOT_SOURCE: Final = "cursor_final_snapshot"
"""`payload.metadata.source` of a whole message that repeats what was streamed: it adds no text."""
_COST_KEY: Final = "cost"
"""Metadata key of the totals."""
_SESSION_KEY: Final = "provider_session_id"
"""Metadata key of the provider's session: what a `run_started` says stands over what metadata says."""


class RunReducer:
    """Folds events into the state of a run, one by one, in the order they come.

    ::

        reducer = RunReducer()
        for event in events:
            change = reducer.apply(event)
        reducer.state.text

    Several runs in one stream are folded together under the IDs of the first event, and an event that comes twice counts
    twice. With `run_id` only the events of that run count; with `deduplicate` an event whose ID has come before does not
    (events without an ID always do).

    Given a `state` it goes on from there; the state itself stays as it is.
    """

    def __init__(self, state: RunState | None = None, *, run_id: str | None = None, deduplicate: bool = False) -> None:
        self._only = run_id
        self._deduplicate = deduplicate
        self._selective = deduplicate or run_id is not None
        self._state: RunState | None = state
        self._run_id = state.run_id if state else None
        self._session_id = state.session_id if state else None
        self._provider = state.provider if state else None
        self._status: RunStatus = state.status if state else "initializing"
        self._sequence = state.sequence if state else 0
        self._cost = state.cost if state else Cost()
        self._error: RunError | None = state.error if state else None
        self._result: ResultSnapshot | None = state.result if state else None
        self._pending: dict[str, ApprovalRequest] = dict(state.pending_approvals) if state else {}
        self._metadata: dict[str, Any] = dict(state.metadata) if state else {}
        self._started_at = state.started_at if state else None
        self._finished_at = state.finished_at if state else None
        self._provider_session_id = state.provider_session_id if state else None
        self._chunks: list[str] = [state.text] if state else []
        self._entries: list[Entry] = state.messages.entries() if state else []
        self._ids: list[str] = sorted(state.event_ids) if state else []
        self._seen = set(self._ids)
        # what a snapshot holds is copied before it is written to
        self._pending_held = self._metadata_held = False
        self._first: dict[str, Any] = {}
        self._known_keys = -1

    @property
    def state(self) -> RunState:
        """The state after the events so far. Cheap: only metadata and pending approvals are ever copied, when an event says something of them."""
        if self._state is None:
            self._pending_held = self._metadata_held = True
            self._state = RunState(
                run_id=self._run_id,
                session_id=self._session_id,
                provider=self._provider,
                status=self._status,
                sequence=self._sequence,
                cost=self._cost,
                error=self._error,
                result=self._result,
                pending_approvals=MappingProxyType(self._pending),
                metadata=MappingProxyType(self._metadata),
                started_at=self._started_at,
                finished_at=self._finished_at,
                provider_session_id=self._provider_session_id,
                messages=MessageLog(self._entries, len(self._entries)),
                _ids=IdLog(self._ids, len(self._ids)),
                _text=TextLog(self._chunks, len(self._chunks)),
            )
        return self._state

    def apply(self, event: RunEvent | InvalidEvent) -> RunChange:
        """Folds one event and tells what it changed.

        Raises `InvalidRecordError` for an `InvalidEvent`, `TypeError` for what is no event.
        """
        if not isinstance(event, RunEvent):
            _refuse(event)
        status, cost, error, result = self._status, self._cost, self._error, self._result
        chunks, entries = len(self._chunks), len(self._entries)
        members = event.__dict__
        before = {key: self._metadata.get(key, _ABSENT) for key in (*event.metadata, _COST_KEY, _SESSION_KEY)}
        asked = self._pending.get(_approval_id(event.payload)) if event.kind == "approval_resolved" else None
        if not self._fold(members):
            return RunChange(applied=False, sequence=self._sequence)
        return RunChange(
            applied=True,
            sequence=self._sequence,
            text="".join(self._chunks[chunks:]),
            status=None if self._status == status else self._status,
            cost=None if self._cost is cost else self._cost,
            approval_opened=self._pending[_approval_id(event.payload)] if event.kind == "approval_requested" else None,
            approval_closed=asked,
            error=None if self._error is error else self._error,
            result=None if self._result is result else self._result,
            finished_at=event.timestamp if event.kind in _ENDS else None,
            metadata_keys=tuple(k for k, v in before.items() if not _same(v, self._metadata.get(k, _ABSENT))),
            _entry=self._entries[entries] if len(self._entries) > entries else None,
        )

    def extend(self, events: Iterable[RunEvent | InvalidEvent]) -> None:
        """Folds events without telling what each changed. Raises as `apply` does, with the events before folded.

        An `EventReader`, or its `events()`, is folded without making an event of each line.
        """
        fold, in_file = self._fold, to_fold(events)
        trusted = in_file is not None
        for read in events if in_file is None else in_file:
            if trusted and type(read) is dict:
                fold(read)
            elif isinstance(read, RunEvent):
                fold(read.__dict__)
            else:
                _refuse(read)

    def _fold(self, members: Members) -> bool:
        get = members.get
        if self._selective and not self._wants(members["run_id"], get("id")):
            return False
        self._state = None
        if self._run_id is None:
            self._run_id, self._session_id, self._provider = members["run_id"], members["session_id"], get("provider")
            self._started_at = get("timestamp")
        own, after = get("sequence"), self._sequence + 1
        self._sequence = after if own is None or own < after else own
        incoming = get("metadata")
        if incoming:
            metadata = self._writable_metadata() if self._metadata_held else self._metadata
            if len(metadata) != self._known_keys:
                self._note_first_values(metadata)
            metadata.update(incoming)
            metadata.update(self._first)
        kind: str = members["kind"]
        payload: Any = get("payload")
        if kind == "assistant_delta":
            text = payload.get("content", "") if type(payload) is dict else payload.content
            self._entries.append(text)
            if text:
                self._chunks.append(text)
        elif kind in _RULES:
            _RULES[kind](self, members, payload)
        return True

    def _note_first_values(self, metadata: dict[str, Any]) -> None:
        """Notes the values that stay, when there are keys that were not there before."""
        protected = PROTECTED_KEYS if self._provider_session_id is None else _PROTECTED_AND_SESSION
        # not over the metadata: where each event has a key of its own, that would be quadratic
        self._first = {key: metadata[key] for key in protected if key in metadata}
        self._known_keys = len(metadata)

    def _wants(self, run_id: str, event_id: str | None) -> bool:
        if self._only is not None and run_id != self._only:
            return False
        if self._deduplicate and event_id:
            if event_id in self._seen:
                return False
            self._seen.add(event_id)
            self._ids.append(event_id)
        return True

    def _writable_metadata(self) -> dict[str, Any]:
        if self._metadata_held:
            self._metadata, self._metadata_held = dict(self._metadata), False
        return self._metadata

    def _writable_pending(self) -> dict[str, ApprovalRequest]:
        if self._pending_held:
            self._pending, self._pending_held = dict(self._pending), False
        return self._pending

    def _run_started(self, members: Members, payload: Any) -> None:
        self._status = "running"
        theirs = members.get("provider_session_id")
        if theirs is not None:
            self._provider_session_id = theirs
            self._writable_metadata()[_SESSION_KEY] = theirs
            self._known_keys = -1

    def _assistant_message(self, members: Members, payload: Any) -> None:
        self._entries.append(payload)
        if payload.metadata.get("source") != _SNAPSHOT_SOURCE:
            self._chunks.append(text_of(payload.content))

    def _message(self, members: Members, payload: Any) -> None:
        self._entries.append(payload)

    def _end(self, members: Members, payload: Any) -> None:
        self._status = "completed"
        self._finished_at = members.get("timestamp")

    def _end_with_result(self, members: Members, payload: Any) -> None:
        self._end(members, payload)
        self._entries.append(payload)
        output = payload.output if isinstance(payload.output, dict) else {}
        self._result = ResultSnapshot(
            object=payload.object, stop_reason=payload.stop_reason, duration_ms=output.get("duration_ms")
        )

    def _end_with_error(self, members: Members, payload: Any) -> None:
        self._status = "failed"
        self._finished_at = members.get("timestamp")
        self._entries.append(payload)
        self._error = RunError.of(payload)

    def _approval_requested(self, members: Members, payload: Any) -> None:
        self._writable_pending()[_approval_id(payload)] = approval_request(payload)

    def _approval_resolved(self, members: Members, payload: Any) -> None:
        self._writable_pending().pop(_approval_id(payload), None)

    def _cost_update(self, members: Members, payload: Any) -> None:
        self._cost = self._cost.plus(payload)
        self._writable_metadata()[_COST_KEY] = self._cost.to_wire()


_RULES: Final[dict[str, Callable[[RunReducer, Members, Any], None]]] = {
    "run_started": RunReducer._run_started,
    "assistant_message": RunReducer._assistant_message,
    "user_message": RunReducer._message,
    "thinking": RunReducer._message,
    "tool_use": RunReducer._message,
    "tool_result": RunReducer._message,
    "stderr": RunReducer._message,
    "raw": RunReducer._message,
    "result": RunReducer._end_with_result,
    "error": RunReducer._end_with_error,
    "run_completed": RunReducer._end,
    "approval_requested": RunReducer._approval_requested,
    "approval_resolved": RunReducer._approval_resolved,
    "cost_update": RunReducer._cost_update,
}
# assistant_delta is folded where it is met; host_tool_* and session_* are events of a life beside the run's, and unknown kinds say nothing we know
_PROTECTED_AND_SESSION: Final = PROTECTED_KEYS | {_SESSION_KEY}
_ENDS: Final = ("result", "error", "run_completed")
_ABSENT: Final = object()


def reduce_run(
    events: Iterable[RunEvent | InvalidEvent],
    state: RunState | None = None,
    *,
    run_id: str | None = None,
    deduplicate: bool = False,
) -> RunState:
    """The state after all the events, from the beginning or going on from `state`. The options are those of `RunReducer`."""
    reducer = RunReducer(state, run_id=run_id, deduplicate=deduplicate)
    reducer.extend(events)
    return reducer.state


def _approval_id(payload: Any) -> str:
    return getattr(payload, "approval_id", None) or ""


def _same(one: Any, other: Any) -> bool:
    """Whether two values are the same JSON; Python takes 1 and true for equal."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_same(value, other[name]) for name, value in one.items())
    if isinstance(one, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return bool(one == other)


def _refuse(event: object) -> NoReturn:
    if isinstance(event, InvalidEvent):
        raise InvalidRecordError(event.diagnostics)
    raise TypeError(f"a run is made of RunEvents, not of {type(event).__name__}")
