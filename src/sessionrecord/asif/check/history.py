"""The selected history of a branch, folded once from its first event to its head (ASIF 0.4, tool-call progression).

A history begins with the external calls and requests. An event that another selected event supersedes does not count, except
that no version of a call is dropped: a result may answer an earlier one. What a checkpoint says is compared where it stands,
with what was selected up to there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Final, Literal, TypeAlias

from sessionrecord.asif.check.branches import Positions
from sessionrecord.asif.check.core import Core
from sessionrecord.asif.models import (
    Branch,
    Checkpoint,
    DecisionRequest,
    DecisionResolution,
    ToolCall,
    ToolResult,
)
from sessionrecord.diagnostics import excerpt

__all__ = ["History", "fold"]

_Sort: TypeAlias = Literal["own", "chain"]
_SORTS: Final[tuple[_Sort, ...]] = ("own", "chain")
"""Whether a finding is of an event by itself, or depends on the answer before it."""
_SAMPLE: Final = 64
"""How many open calls beyond those listed are looked at for one to name."""


class _Answer:
    """A result or a resolution in the chain of those that answer one call or request."""

    __slots__ = ("after", "before", "event", "orphan", "position")

    def __init__(self, event: ToolResult | DecisionResolution, position: int, before: _Answer | None) -> None:
        self.event, self.position = event, position
        self.before, self.after = before, None
        self.orphan = False
        if before is not None:
            before.after = self

    before: _Answer | None
    after: _Answer | None


class _Chains:
    """The effective answers to each call or request, in the order of the history."""

    def __init__(self) -> None:
        self.last: dict[str, _Answer] = {}
        self.closing: dict[str, int] = {}
        """How many answers close each call or request."""

    def append(self, identity: str, event: ToolResult | DecisionResolution, position: int) -> _Answer:
        answer = self.last[identity] = _Answer(event, position, self.last.get(identity))
        self.closing[identity] = self.closing.get(identity, 0) + _closes(event)
        return answer

    def remove(self, identity: str, answer: _Answer) -> None:
        if answer.before is not None:
            answer.before.after = answer.after
        if answer.after is not None:
            answer.after.before = answer.before
        elif answer.before is not None:
            self.last[identity] = answer.before
        else:
            del self.last[identity]
        self.closing[identity] -= _closes(answer.event)

    def closed(self, identity: str) -> bool:
        return self.closing.get(identity, 0) > 0


def _closes(event: ToolResult | DecisionResolution) -> bool:
    return not isinstance(event, ToolResult) or event.data.terminal


class History:
    """A branch as far as it is folded."""

    def __init__(self, core: Core, branch: Branch, place: int) -> None:
        self.branch = branch
        self.versions: dict[str, ToolCall] = {}
        """The version of each call that was selected last."""
        self.suspects: set[str] = set()
        """Calls that something is wrong with in this history."""
        self.results, self.resolutions = _Chains(), _Chains()
        self._core, self._place = core, place
        self._external = core.document.bindings
        self._requests: dict[str, DecisionRequest] = {}
        self._superseded: set[str] = set()
        self._answers: dict[str, tuple[_Chains, str, _Answer]] = {}
        self._pending: dict[tuple[str, _Sort], tuple[int, str, str]] = {}
        self._open_calls: dict[str, None] = {}
        self._open_requests: dict[str, None] = {}
        self._closed_external = {"call": 0, "request": 0}
        self._options: dict[str, set[str]] = {}
        # what cannot be read could be anything that seems to be missing
        self._certain = core.identities_certain and all(
            core.document.events.find(e) is not None for e in branch.event_ids
        )

    def outcome(self, call_id: str) -> ToolResult | None:
        """The result that closes a call, None if it is open."""
        answer = self.results.last.get(call_id) if self.results.closed(call_id) else None
        while answer is not None and not _closes(answer.event):
            answer = answer.before
        return answer.event if answer is not None and isinstance(answer.event, ToolResult) else None

    def run(self, checkpoints: dict[int, list[tuple[int, Checkpoint]]]) -> None:
        """Fold all events; at each checkpoint report what is wrong up to there, at the head the rest."""
        self._stop(checkpoints.get(0, ()))
        seen: set[str] = set()
        for position, event_id in enumerate(self.branch.event_ids):
            if event_id not in seen:
                seen.add(event_id)
                self._select(event_id, position)
            if position + 1 in checkpoints:
                self._stop(checkpoints[position + 1])
        self._stop(())

    def _select(self, event_id: str, position: int) -> None:
        event = self._core.document.events.find(event_id)
        if event is None:
            return
        if event.supersedes is not None and event.supersedes.local:
            self._supersede(event.supersedes.event_id)
        if isinstance(event, ToolCall):
            self._call(event, position)
        elif event_id in self._superseded:
            return
        elif isinstance(event, ToolResult):
            self._result(event, position)
        elif isinstance(event, DecisionRequest):
            self._request(event, position)
        elif isinstance(event, DecisionResolution):
            self._resolution(event, position)

    def _supersede(self, event_id: str) -> None:
        self._superseded.add(event_id)
        for sort in _SORTS:
            self._pending.pop((event_id, sort), None)
        if event_id in self._answers:
            chains, identity, answer = self._answers.pop(event_id)
            chains.remove(identity, answer)
            if _closes(answer.event) and not chains.closed(identity):
                self._reopen(chains, identity)
            if answer.after is not None:
                self._judge(answer.after)
            return
        event = self._core.document.events.find(event_id)
        if isinstance(event, DecisionRequest) and self._requests.get(event.data.request_id) is event:
            request_id = event.data.request_id
            del self._requests[request_id]
            self._open_requests.pop(request_id, None)
            answer_left = self.resolutions.last.get(request_id)
            while answer_left is not None and request_id not in self._external.requests:
                for sort in _SORTS:
                    self._pending.pop((answer_left.event.id, sort), None)
                self._orphan(answer_left, "resolution-orphan", "request", request_id)
                answer_left = answer_left.before

    def _call(self, event: ToolCall, position: int) -> None:
        call_id, before = event.data.call_id, self.versions.get(event.data.call_id)
        reference = event.supersedes
        if before is not None and not (reference is not None and reference.local and reference.event_id == before.id):
            message = (
                f"event {excerpt(event.id)} does not amend event {excerpt(before.id)}, "
                f"the version of call {excerpt(call_id)} selected before"
            )
            self._pending[event.id, "own"] = position, "call-versions-conflict", message
            self.suspects.add(call_id)
        self.versions[call_id] = event
        if before is None and call_id not in self._external.calls and not self.results.closed(call_id):
            self._open_calls[call_id] = None

    def _result(self, event: ToolResult, position: int) -> None:
        call_id = event.data.call_id
        known = call_id in self.versions or call_id in self._external.calls
        answer = self.results.append(call_id, event, position)
        self._answers[event.id] = self.results, call_id, answer
        if event.data.terminal and self.results.closing[call_id] == 1:
            self._open_calls.pop(call_id, None)
            self._closed_external["call"] += call_id in self._external.calls
        if known:
            self._judge(answer)
        else:
            self._orphan(answer, "result-orphan", "call", call_id)
            self.suspects.add(call_id)

    def _request(self, event: DecisionRequest, position: int) -> None:
        request_id, call_id = event.data.request_id, event.data.call_id
        self._requests.setdefault(request_id, event)
        if request_id not in self._external.requests and not self.resolutions.closed(request_id):
            self._open_requests[request_id] = None
        if call_id is not None and not (call_id in self.versions or call_id in self._external.calls) and self._certain:
            message = f"call {excerpt(call_id)} is not in the history of branch {excerpt(self.branch.id)}"
            self._pending[event.id, "own"] = position, "decision-call-missing", message

    def _resolution(self, event: DecisionResolution, position: int) -> None:
        request_id, selected = event.data.request_id, event.data.selected_option_id
        known = request_id in self._requests or request_id in self._external.requests
        answer = self.resolutions.append(request_id, event, position)
        self._answers[event.id] = self.resolutions, request_id, answer
        if self.resolutions.closing[request_id] == 1:
            self._open_requests.pop(request_id, None)
            self._closed_external["request"] += request_id in self._external.requests
        if not known:
            self._orphan(answer, "resolution-orphan", "request", request_id)
            return
        self._judge(answer)
        options = self._options_of(request_id)
        if selected is not None and options is not None and selected not in options:
            message = f"{excerpt(selected)} is no option of request {excerpt(request_id)}"
            self._pending[event.id, "own"] = position, "decision-option-unknown", message

    def _options_of(self, request_id: str) -> set[str] | None:
        options = self._options.get(request_id)
        if options is None:
            local, bound = self._requests.get(request_id), self._external.request(request_id)
            offered = (
                local.data.options if local is not None else bound.descriptor.options if bound is not None else None
            )
            if offered is None:
                return None
            options = self._options[request_id] = {option.id for option in offered}
        return options

    def _reopen(self, chains: _Chains, identity: str) -> None:
        if chains is self.results:
            if identity in self._external.calls:
                self._closed_external["call"] -= 1
            elif identity in self.versions:
                self._open_calls[identity] = None
        elif identity in self._external.requests:
            self._closed_external["request"] -= 1
        elif identity in self._requests:
            self._open_requests[identity] = None

    def _judge(self, answer: _Answer) -> None:
        """What is wrong with an answer after the one before it; asked again when that one is superseded."""
        event, before = answer.event, answer.before
        self._pending.pop((event.id, "chain"), None)
        if before is None or answer.orphan:
            return
        if isinstance(event, DecisionResolution):
            code = "resolution-contradiction"
            message = f"request {excerpt(event.data.request_id)} is resolved by event {excerpt(before.event.id)}"
        elif isinstance(before.event, ToolResult) and before.event.data.terminal:
            code = "result-after-terminal"
            message = f"event {excerpt(before.event.id)} has closed call {excerpt(event.data.call_id)}"
        elif isinstance(before.event, ToolResult) and event.data.result_index <= before.event.data.result_index:
            code, index = "result-order", event.data.result_index
            last = before.event.data.result_index
            message = f"result {index} of call {excerpt(event.data.call_id)} comes after result {last}"
        else:
            return
        self._pending[event.id, "chain"] = answer.position, code, message

    def _orphan(self, answer: _Answer, code: str, what: str, identity: str) -> None:
        answer.orphan = True
        if self._certain and answer.event.id not in self._core.orphans:
            message = f"{what} {excerpt(identity)} is not in the history of branch {excerpt(self.branch.id)}"
            self._pending[answer.event.id, "own"] = answer.position, code, message

    def _stop(self, checkpoints: Sequence[tuple[int, Checkpoint]]) -> None:
        for (event_id, _), (position, code, message) in self._pending.items():
            self._core.report(code, message, "branches", self._place, "event_ids", position, about=event_id)
            event = self._core.document.events.find(event_id)
            if isinstance(event, ToolCall | ToolResult):
                self.suspects.add(event.data.call_id)
        self._pending.clear()
        if self._certain:
            for place, checkpoint in checkpoints:
                self._compare(place, checkpoint)

    def _compare(self, place: int, checkpoint: Checkpoint) -> None:
        calls = [call.call_id for call in checkpoint.open_calls]
        decisions = [decision.request_id for decision in checkpoint.open_decisions]
        for i, call_id in enumerate(calls):
            if self.results.closed(call_id) or not (call_id in self.versions or call_id in self._external.calls):
                why = "closed" if self.results.closed(call_id) else "not in the history"
                self._core.report(
                    "checkpoint-call-not-open", f"call {excerpt(call_id)} is {why}",
                    "checkpoints", place, "open_calls", i, "call_id", about=checkpoint.id,
                )  # fmt: skip
        for i, request_id in enumerate(decisions):
            known = request_id in self._requests or request_id in self._external.requests
            if self.resolutions.closed(request_id) or not known:
                why = "resolved" if known else "not in the history"
                self._core.report(
                    "checkpoint-decision-not-open", f"request {excerpt(request_id)} is {why}",
                    "checkpoints", place, "open_decisions", i, "request_id", about=checkpoint.id,
                )  # fmt: skip
        if checkpoint.knowledge == "unknown":
            return
        coverage = self._core.coverage
        if coverage.get("tools") == "complete":
            self._account("call", set(calls), place, checkpoint)
        if coverage.get("decisions") == "complete":
            self._account("decision", set(decisions), place, checkpoint)

    def _account(self, what: str, listed: set[str], place: int, checkpoint: Checkpoint) -> None:
        calls = what == "call"
        local = self._open_calls if calls else self._open_requests
        external: Mapping[str, object] = self._external.calls if calls else self._external.requests
        chains = self.results if calls else self.resolutions
        number = len(local) + len(external) - self._closed_external["call" if calls else "request"]
        open_listed = sum(
            1 for identity in listed if identity in local or (identity in external and not chains.closed(identity))
        )
        if open_listed == number:
            return
        # not all are looked at: many checkpoints may each leave out many
        some = len(listed) + _SAMPLE
        left_out = next((c for c in islice(local, some) if c not in listed), None) or next(
            (c for c in islice(external, some) if c not in listed and not chains.closed(c)), None
        )
        name = f", among them {excerpt(left_out)}" if left_out is not None else ""
        self._core.report(
            "open-call-unaccounted" if calls else "open-decision-unaccounted", f"{number - open_listed} open {what}s are left out{name}",
            "checkpoints", place, f"open_{what}s", about=checkpoint.id,
        )  # fmt: skip


def fold(core: Core, positions: Positions) -> dict[str, History]:
    """The history of each branch, the first of each ID."""
    histories: dict[str, History] = {}
    for place, branch in core.document.branches.placed():
        if branch.id not in histories:
            history = histories[branch.id] = History(core, branch, place)
            history.run(positions.get(branch.id, {}))
    return histories
