"""Following a run while it happens."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator

from sessionrecord.asm.event import RunEvent
from sessionrecord.asm.parse import InvalidEvent
from sessionrecord.asm.reducer import RunReducer
from sessionrecord.asm.state import RunState

__all__ = ["watch"]


async def watch(
    events: AsyncIterable[RunEvent | InvalidEvent],
    state: RunState | None = None,
    *,
    run_id: str | None = None,
    deduplicate: bool = False,
) -> AsyncIterator[RunState]:
    """The state after each event that counts, from the beginning or going on from `state`. The options are those of `RunReducer`.

    For what each event changed, apply the events to a `RunReducer` of your own.
    """
    reducer = RunReducer(state, run_id=run_id, deduplicate=deduplicate)
    async for event in events:
        if reducer.apply(event).applied:
            yield reducer.state
