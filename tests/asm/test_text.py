"""The text helpers, and what is asynchronous."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from typing import Any

from hypothesis import given

from sessionrecord.asm import (
    AssistantMessage,
    PartialMessage,
    RunEvent,
    RunState,
    TextBlock,
    final_result,
    final_text,
    reduce_run,
    text_content,
    text_deltas,
    watch,
)

from .samples import event, runs

EVENTS = [
    event("assistant_delta", {"content": "Hel"}),
    event("assistant_delta", {"content": ""}),
    event("thinking"),
    event(
        "assistant_message", {"content": ["Hello", {"type": "image"}], "metadata": {"source": "cursor_final_snapshot"}}
    ),
    event("assistant_message", {"content": []}),
    event("assistant_message", {"content": ["!"]}),
]


async def live(events: Iterable[Any]) -> AsyncIterator[Any]:
    for e in events:
        await asyncio.sleep(0)
        yield e


def test_pieces_whole_messages_and_all_of_it() -> None:
    """The helpers ignore the snapshot mark, unlike the reducer, as in the original."""
    assert list(text_deltas(EVENTS)) == ["Hel", ""]
    assert list(text_content(EVENTS)) == ["Hel", "", "Hello", "", "!"]
    assert final_text(EVENTS) == "HelHello!"
    assert reduce_run(EVENTS).text == "Hel!"


def test_messages_give_their_text_too_and_other_things_are_passed_over() -> None:
    items = [
        PartialMessage(delta="a"), PartialMessage(content_type="thinking", delta="b"), AssistantMessage(content=(TextBlock(text="c"), 5)),
        "d", None, {"content": "e"},
    ]  # fmt: skip
    assert list(text_content(items)) == ["a", "c"]
    assert list(text_deltas(items)) == []


@given(runs)
def test_what_is_awaited_is_what_is_not(events: list[RunEvent]) -> None:
    async def all_of_it() -> tuple[list[str], list[str], str]:
        pieces = [p async for p in text_deltas(live(events))]
        return pieces, [p async for p in text_content(live(events))], await final_text(live(events))

    assert asyncio.run(all_of_it()) == (list(text_deltas(events)), list(text_content(events)), final_text(events))
    if events:

        async def result() -> Any:
            return await final_result(live(events))

        assert asyncio.run(result()) == final_result(events)


@given(runs)
def test_watching_gives_the_state_after_each_event_that_counts(events: list[RunEvent]) -> None:
    async def states(**options: Any) -> list[RunState]:
        return [s async for s in watch(live(events), **options)]

    assert asyncio.run(states()) == [reduce_run(events[: i + 1]) for i in range(len(events))]
    counted = [i for i, e in enumerate(events) if e.run_id == "q"]
    assert asyncio.run(states(run_id="q")) == [reduce_run(events[: i + 1], run_id="q") for i in counted]
    half = reduce_run(events[:3])
    assert asyncio.run(states(state=half))[3:] == [reduce_run(events[: i + 1], half) for i in range(3, len(events))]
