"""The result of a run: what is left when its events are folded."""

from __future__ import annotations

from collections.abc import AsyncIterable, Awaitable, Iterable
from dataclasses import dataclass
from typing import Any, overload

from sessionrecord.asm.cost import Cost
from sessionrecord.asm.errors import RunError
from sessionrecord.asm.event import RunEvent
from sessionrecord.asm.log import MessageLog
from sessionrecord.asm.parse import InvalidEvent
from sessionrecord.asm.reducer import RunReducer, reduce_run
from sessionrecord.asm.state import RunState, RunStatus
from sessionrecord.errors import EmptyRunError

__all__ = ["RunResult", "final_result", "to_result"]


@dataclass(frozen=True, slots=True)
class RunResult:
    """What a run came to. A run whose events stop before its end has a result too: `terminal` tells them apart."""

    run_id: str
    """The run."""
    session_id: str
    """The session that the run belongs to."""
    status: RunStatus
    """Where the run is."""
    terminal: bool
    """Whether it has ended."""
    interrupted: bool
    """Whether the user stopped it."""
    text: str
    """What the agent said."""
    object: Any
    """The structured object of the last result event; None where it had none. It is never made from the text."""
    messages: MessageLog
    """The messages, in order."""
    cost: Cost
    """Totals over the cost updates."""
    error: RunError | None
    """The last error, also where the run was completed after it."""
    duration_ms: int | None
    """Whole milliseconds from the first event to the end."""
    stop_reason: Any
    """Why the provider stopped, as the last result event says."""
    session_id_from_cli: Any
    """The provider's session."""
    metadata: dict[str, Any]
    """The events' metadata, united."""

    def to_wire(self) -> dict[str, Any]:
        """All members as a JSON object."""
        return {
            "run_id": self.run_id,
            "session_id": self.session_id,
            "status": self.status,
            "terminal": self.terminal,
            "interrupted": self.interrupted,
            "text": self.text,
            "object": self.object,
            "messages": [m.to_wire() for m in self.messages],
            "cost": self.cost.to_wire(),
            "error": None if self.error is None else self.error.to_wire(),
            "duration_ms": self.duration_ms,
            "stop_reason": self.stop_reason,
            "session_id_from_cli": self.session_id_from_cli,
            "metadata": self.metadata,
        }


def to_result(state: RunState) -> RunResult:
    """The result that a state comes to. Raises `EmptyRunError` before the first event."""
    if state.run_id is None or state.session_id is None:
        raise EmptyRunError("there is no event of the run, so there is no result")
    return RunResult(
        run_id=state.run_id,
        session_id=state.session_id,
        status=state.status,
        terminal=state.terminal,
        interrupted=state.interrupted,
        text=state.text,
        object=None if state.result is None else state.result.object,
        messages=state.messages,
        cost=state.cost,
        error=state.error,
        duration_ms=state.duration_ms,
        stop_reason=None if state.result is None else state.result.stop_reason,
        session_id_from_cli=state.session_id_from_cli,
        metadata=dict(state.metadata),
    )


@overload
def final_result(
    events: Iterable[RunEvent | InvalidEvent], *, run_id: str | None = None, deduplicate: bool = False
) -> RunResult: ...
@overload
def final_result(
    events: AsyncIterable[RunEvent | InvalidEvent], *, run_id: str | None = None, deduplicate: bool = False
) -> Awaitable[RunResult]: ...
def final_result(
    events: Iterable[RunEvent | InvalidEvent] | AsyncIterable[RunEvent | InvalidEvent],
    *,
    run_id: str | None = None,
    deduplicate: bool = False,
) -> RunResult | Awaitable[RunResult]:
    """The result of a run's events; of an asynchronous iterable, to be awaited. The options are those of `RunReducer`.

    Raises `EmptyRunError` where no event counts, and what `RunReducer.apply` raises.
    """
    if isinstance(events, AsyncIterable):
        return _awaited_result(events, RunReducer(run_id=run_id, deduplicate=deduplicate))
    return to_result(reduce_run(events, run_id=run_id, deduplicate=deduplicate))


async def _awaited_result(events: AsyncIterable[RunEvent | InvalidEvent], reducer: RunReducer) -> RunResult:
    async for event in events:
        reducer.extend((event,))
    return to_result(reducer.state)
