"""The pieces that every display is made of: phrases, passages, tables, folded parts, links."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from sessionrecord.display.html.build import Child, Element, el
from sessionrecord.display.html.room import Room
from sessionrecord.display.summary import json_text

__all__ = [
    "facts", "fold", "in_order", "link", "members", "more", "number", "one_line", "passage", "phrase", "sample", "table", "tag", "value",
]  # fmt: skip

_SHORT: Final = 200
"""Characters up to which a text stands in a line."""
_OPEN: Final = 1_500
"""Characters up to which a passage is not folded."""
_OPEN_LINES: Final = 20
_URI: Final = re.compile(r"(?:https?://|mailto:)[A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=%-]+", re.IGNORECASE)
"""An address in the characters of RFC 3986."""


def number(count: int, noun: str) -> str:
    """A count with its noun."""
    several = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{count:,} {noun if count == 1 else several}"


def phrase(text: str, room: Room, limit: int = _SHORT) -> Child:
    """A short text within a line, apart from the direction of what stands around it."""
    shown, left = room.cut(text, limit)
    return el("bdi", shown, el("span", f"… {number(left, 'more character')}", cls="dim") if left else None)


def one_line(text: str, limit: int = 120) -> str:
    """The beginning of a text that stands in full elsewhere, on one line."""
    most = limit * 5
    words = " ".join(text[:most].split())
    return words if len(words) <= limit and len(text) <= most else f"{words[: limit - 1]}…"


def more(room: Room, count: int, noun: str) -> Child:
    """That something is not shown, and where it is."""
    return el("div", f"… {number(count, noun)} not shown: ", el("code", room.place), cls="more")


def passage(text: str, room: Room, *, mono: bool = False, label: str | None = None) -> Child:
    """A text with its own lines: folded if it is long, cut if there is no room for all of it. `label` names it and folds it."""
    shown, left = room.cut(text)
    tail = more(room, left, "more character") if left else None
    body = el("div", shown, cls="text mono" if mono else "text", dir="auto") if shown or not left else None
    if label is None and len(text) <= _OPEN and text.count("\n") <= _OPEN_LINES:
        return [body, tail]
    size = f" {number(len(text), 'character')}"
    head = el("strong", label) if label is not None else el("bdi", one_line(shown))
    return fold([head, el("span", size, cls="dim")], body, tail)


def fold(summary: Child, *children: Child, is_open: bool = False, cls: str = "fold") -> Element:
    """A part that opens and closes without any script, by keyboard too."""
    return el("details", el("summary", summary), *children, cls=cls, open="" if is_open else None)


def tag(text: str, kind: str = "note") -> Element:
    """A word that marks something; its colour says nothing that the word does not."""
    return el("span", text, cls=f"tag {kind}")


def table(head: Sequence[str], rows: Iterable[Sequence[Child]], *, caption: str = "", right: int = 0) -> Element:
    """A table whose first column names the rows. The last `right` columns are numbers."""
    first = len(head) - right
    return el(
        "div",
        el(
            "table",
            el("caption", caption) if caption else None,
            el("thead", el("tr", (el("th", h, scope="col", cls=_side(i, first)) for i, h in enumerate(head)))),
            el("tbody", (_row(row, first) for row in rows)),
        ),
        cls="scroll",
    )


def _row(row: Sequence[Child], first: int) -> Element:
    return el(
        "tr",
        el("th", row[0], scope="row"),
        (el("td", cell, cls=_side(i, first)) for i, cell in enumerate(row[1:], 1)),
    )


def _side(column: int, first: int) -> str:
    return "right" if column >= first else ""


def facts(rows: Iterable[tuple[str, Child]]) -> Child:
    """Names and what they stand for; those that stand for nothing are left out."""
    kept = [(name, child) for name, child in rows if child not in (None, "", [])]
    if not kept:
        return None
    body = (el("tr", el("th", name, scope="row"), el("td", child)) for name, child in kept)
    return el("div", el("table", el("tbody", body), cls="facts"), cls="scroll")


def members(wire: dict[str, Any], room: Room) -> Child:
    """Members of a JSON object by name."""
    rows: list[Element] = []
    for name, v in list(wire.items())[: room.limits.rows]:
        if room.is_full:
            break
        rows.append(el("tr", el("th", phrase(name, room), scope="row"), el("td", value(v, room))))
    left = len(wire) - len(rows)
    if left:
        room.omit("rows", left, "there are many members")
    return [
        el("div", el("table", el("tbody", rows), cls="facts"), cls="scroll") if rows else None,
        more(room, left, "member") if left else None,
    ]


def value(v: Any, room: Room) -> Child:
    """A JSON value: a string as its text, anything else as JSON."""
    if isinstance(v, str):
        return phrase(v, room) if len(v) <= _SHORT and "\n" not in v else passage(v, room)
    text = json_text(v)
    if len(text) <= _SHORT:
        return el("code", phrase(text, room))
    return passage(json_text(v, indent=True), room, mono=True)


def in_order(size: int, noun: str, room: Room, place: str, show: Callable[[int], Child]) -> list[Child]:
    """What `show` gives for each of `size` things at a place: of many the first and the last, and how many are between."""
    first, last = sample(size, room.limits.items)
    shown: list[Child] = []
    for i in [*first, *last]:
        if last and i == last.start:
            left = last.start - first.stop
            with room.at(f"{place}[{first.stop}:{last.start}]"):
                room.omit(f"{noun}s", left, f"there are many {noun}s")
                shown.append(more(room, left, noun))
        with room.at(f"{place}[{i}]"):
            shown.append(show(i))
    return shown


def sample(size: int, limit: int) -> tuple[range, range]:
    """Which of `size` things are shown where `limit` have room: the first ones and the last ones."""
    if size <= limit:
        return range(size), range(0)
    last = limit // 2
    return range(limit - last), range(size - last, size)


def link(uri: str, room: Room) -> Child:
    """A place: a link where it is an ordinary address on the web or of mail and plain ASCII, otherwise its text."""
    if len(uri) <= _SHORT and _URI.fullmatch(uri):
        return el("a", uri, href=uri, rel="noopener noreferrer")
    return value(uri, room)
