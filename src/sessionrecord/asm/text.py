"""The text of a run, straight from its events. Unlike the reducer these helpers take a repeated whole message at its word."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterable, Iterator
from typing import Any, overload

from sessionrecord.asm.content import text_of
from sessionrecord.asm.event import RunEvent
from sessionrecord.asm.messages import AssistantMessage, PartialMessage
from sessionrecord.asm.payloads import AssistantDeltaPayload, AssistantMessagePayload

__all__ = ["assistant_text", "final_text", "text_content", "text_delta", "text_deltas"]


def text_delta(event: Any) -> str | None:
    """The piece of text of an `assistant_delta`; None for anything else."""
    payload = event.payload if isinstance(event, RunEvent) else None
    return payload.content if isinstance(payload, AssistantDeltaPayload) else None


def assistant_text(event: Any) -> str | None:
    """The text of an `assistant_delta`, of an `assistant_message`, or of one of their messages; None for anything else."""
    if isinstance(event, PartialMessage):
        return event.delta if event.content_type == "text" else None
    if isinstance(event, AssistantMessage):
        return event.text
    if isinstance(event, RunEvent) and isinstance(event.payload, AssistantMessagePayload):
        return text_of(event.payload.content)
    return text_delta(event)


@overload
def text_deltas(events: Iterable[Any]) -> Iterator[str]: ...
@overload
def text_deltas(events: AsyncIterable[Any]) -> AsyncIterator[str]: ...
def text_deltas(events: Iterable[Any] | AsyncIterable[Any]) -> Iterator[str] | AsyncIterator[str]:
    """The streamed pieces of text, one by one. What is none is passed over."""
    return _each(events, text_delta)


@overload
def text_content(events: Iterable[Any]) -> Iterator[str]: ...
@overload
def text_content(events: AsyncIterable[Any]) -> AsyncIterator[str]: ...
def text_content(events: Iterable[Any] | AsyncIterable[Any]) -> Iterator[str] | AsyncIterator[str]:
    """The streamed pieces and the texts of whole messages, one by one. What is none is passed over."""
    return _each(events, assistant_text)


@overload
def final_text(events: Iterable[Any]) -> str: ...
@overload
def final_text(events: AsyncIterable[Any]) -> Awaitable[str]: ...
def final_text(events: Iterable[Any] | AsyncIterable[Any]) -> str | Awaitable[str]:
    """All of `text_content`, joined; of an asynchronous iterable, to be awaited."""
    if isinstance(events, AsyncIterable):
        return _joined(events)
    return "".join(text_content(events))


def _each(
    events: Iterable[Any] | AsyncIterable[Any], text: Callable[[Any], str | None]
) -> Iterator[str] | AsyncIterator[str]:
    if isinstance(events, AsyncIterable):
        return _each_awaited(events, text)
    return (found for event in events if (found := text(event)) is not None)


async def _each_awaited(events: AsyncIterable[Any], text: Callable[[Any], str | None]) -> AsyncIterator[str]:
    async for event in events:
        found = text(event)
        if found is not None:
            yield found


async def _joined(events: AsyncIterable[Any]) -> str:
    return "".join([piece async for piece in text_content(events)])
