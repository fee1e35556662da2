"""Some records, entities or items in a row, and what belongs to one tool call."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

from sessionrecord.display.html.build import Child, el
from sessionrecord.display.html.parts import in_order, more, number, phrase, tag
from sessionrecord.display.html.records import card, entry
from sessionrecord.display.html.room import Room
from sessionrecord.records import InvalidRecord, Record
from sessionrecord.records.envelope import EnvelopeModel
from sessionrecord.session import ContextItem, Entity, ToolUse, Turn

__all__ = ["several", "tool_use", "turn"]


def several(items: Sequence[object], room: Room) -> list[Child]:
    """How many items there are, and the items."""
    return [el("h1", number(len(items), "item")), _in_order(items, room)]


def _in_order(items: Sequence[object], room: Room) -> list[Child]:
    shown = in_order(len(items), "item", room, room.place, lambda i: _item(items[i], room))
    return shown or [el("div", "none", cls="dim")]


def _item(item: object, room: Room) -> Child:
    if isinstance(item, Entity):
        chain = item.revisions
        return entry(chain.latest, room, [" ", tag(number(len(chain), "revision"))] if len(chain) > 1 else None)
    if isinstance(item, ContextItem):
        return entry(item.record, room)
    if isinstance(item, EnvelopeModel | InvalidRecord):
        return entry(cast("Record | InvalidRecord", item), room)
    return el("div", phrase(repr(item), room))


def tool_use(use: ToolUse, room: Room) -> list[Child]:
    """The call, the decision on it, and how it ended."""
    parts: Iterable[Record | None] = (use.call, use.request, use.decision, use.result)
    earlier = len(use.results) - 1
    return [
        el("h1", "Tool call ", phrase(use.call_id, room)),
        None if use.call is not None else el("div", tag("the call is not in the stream", "warning")),
        [card(part, room) for part in parts if part is not None],
        None if use.results else el("div", tag("how it ended is not recorded", "warning")),
        more(room, earlier, "earlier revision") if earlier > 0 else None,
    ]


def turn(of: Turn, room: Room) -> list[Child]:
    """The records of a turn."""
    heading = el("h1", "Turn ", phrase(of.turn_id, room), f": {number(len(of.records), 'record')}")
    return [heading, _in_order(of.records, room)]
