"""Content blocks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sessionrecord.display.html.build import Child, el
from sessionrecord.display.html.media import data_uri, decoded, is_raster
from sessionrecord.display.html.parts import fold, link, members, more, number, passage, phrase, tag, value
from sessionrecord.display.html.room import Room
from sessionrecord.display.summary import json_text
from sessionrecord.records import (
    AudioBlock,
    Block,
    DiffBlock,
    FileBlock,
    ImageBlock,
    ReasoningBlock,
    ResourceLinkBlock,
    TerminalBlock,
    TextBlock,
    UnknownBlock,
)

__all__ = ["BLOCKS", "block_parts", "blocks", "change"]

BLOCKS: Final = (
    TextBlock, ReasoningBlock, ImageBlock, AudioBlock, FileBlock, ResourceLinkBlock, DiffBlock, TerminalBlock, UnknownBlock,
)  # fmt: skip
"""The models of content blocks."""
_CONTEXT: Final = 3
"""Lines shown around a change."""
_FOLDED: Final = 30
"""Changed lines from which on a change is folded."""


def blocks(content: Sequence[Block], room: Room) -> Child:
    """Blocks in their order."""
    shown: list[Child] = []
    for block in content[: room.limits.blocks]:
        if room.is_full:
            break
        shown.append(el("div", block_parts(block, room), cls="block"))
    left = len(content) - len(shown)
    if left:
        room.omit("blocks", left, "there are many, or all texts together are long")
        shown.append(more(room, left, "block"))
    return shown


def block_parts(block: Block, room: Room) -> Child:
    """What a block says, and whatever else it has."""
    return [_said(block, room), None if isinstance(block, UnknownBlock) else _others(block, room)]


def _said(block: Block, room: Room) -> Child:
    if isinstance(block, TextBlock):
        return passage(block.text, room)
    if isinstance(block, ReasoningBlock):
        return _reasoning(block, room)
    if isinstance(block, ImageBlock | AudioBlock | FileBlock):
        return _media(block, room)
    if isinstance(block, ResourceLinkBlock):
        size = "" if block.size is None else f" {number(block.size, 'byte')}"
        name = None if block.name is None else [value(block.name, room), " "]
        kind = None if block.mime_type is None else [" ", phrase(block.mime_type, room)]
        return el("div", tag("link"), " ", name, link(block.uri, room), kind, size)
    if isinstance(block, DiffBlock):
        return [el("div", tag("diff"), " ", value(block.path, room)), change(block.old_text, block.new_text, room)]
    if isinstance(block, TerminalBlock):
        return el("div", tag("terminal"), " ", value(block.terminal_id, room))
    return [
        el("div", tag("unknown block"), " ", phrase(block.type, room)),
        passage(json_text(block.to_wire(), indent=True), room, mono=True),
    ]


def _others(block: Block, room: Room) -> Child:
    extra = block.model_extra
    return fold("other members", members(extra, room)) if extra else None


def _reasoning(block: ReasoningBlock, room: Room) -> Child:
    parts: list[Child] = []
    if block.text is not None:
        parts.append(passage(block.text, room, label="reasoning"))
    for what, held in (("encrypted", block.encrypted), ("signature", block.signature)):
        if held is not None:
            room.omit("encrypted", len(held), "only the provider can read it")
            parts.append(el("div", tag("reasoning"), f" {what}, {number(len(held), 'character')}", cls="dim"))
    return parts or el("div", tag("reasoning"), " without text", cls="dim")


def _media(block: ImageBlock | AudioBlock | FileBlock, room: Room) -> Child:
    mime_type, data, uri = block.mime_type, block.data, block.uri
    if data is None and uri is not None and uri[:5].lower() == "data:":
        head, comma, rest = uri.partition(",")
        if comma and head.lower().endswith(";base64"):
            mime_type, data, uri = head[5:-7] or mime_type, rest, None
    said: list[Child] = [tag(block.type), " ", phrase(mime_type, room)]
    if block.name is not None:
        said += [" ", value(block.name, room)]
    if block.blob is not None:
        room.omit("bytes", block.blob.bytes, "the bytes are a blob outside the stream")
        said += [f" {number(block.blob.bytes, 'byte')} outside the stream, blob ", phrase(block.blob.sha256, room)]
    if uri is not None:
        said += [" ", link(uri, room)]
    note, shown = ("", None) if data is None else _bytes(block, mime_type, data, room)
    return el("div", el("div", said, note), shown, cls="media")


def _bytes(block: ImageBlock | AudioBlock | FileBlock, mime_type: str, data: str, room: Room) -> tuple[str, Child]:
    """What is to say of the bytes, and the bytes as people can look at them."""
    kind = "image" if isinstance(block, ImageBlock) else "bytes"
    expected = len(data) * 3 // 4 - data[-2:].count("=")
    if expected > room.limits.image:
        room.omit(kind, expected, "the bytes are too many")
        return f" {number(len(data), 'character')} of base64, too many to be shown", None
    content = decoded(data)
    if content is None:
        room.omit(kind, len(data), "the data is not base64")
        return f" {number(len(data), 'character')} that are not base64", None
    size = f" {number(len(content), 'byte')}"
    if mime_type.lower().startswith(("text/", "image/svg+xml")):
        return size, passage(content.decode("utf-8", "backslashreplace"), room, mono=True, label="source")
    if not isinstance(block, ImageBlock):
        room.omit(kind, len(content), "the bytes are neither text nor an image")
        return size, None
    if not is_raster(mime_type, content):
        room.omit(kind, len(content), "the bytes are no image of their media type that is shown")
        return f"{size}, not shown: they are no PNG, JPEG, GIF or WebP of that type", None
    if not room.has_image(len(content)):
        room.omit(kind, len(content), "all images together are large")
        return f"{size}, no room for it", None
    return size, el("img", alt=f"{mime_type} image of{size}", src=data_uri(mime_type, content))


def change(old: str | None, new: str | None, room: Room) -> Child:
    """A change of a text, line by line. Of the lines that both have at the beginning and the end only the nearest are shown."""
    if old is None and new is None:
        return el("div", "no text recorded", cls="dim")
    before = [] if old is None else old.split("\n")
    after = [] if new is None else new.split("\n")
    start, end = _common(before, after)
    first, last = max(start - _CONTEXT, 0), len(after) - end + min(_CONTEXT, end)
    parts = [
        _same(before[:first], room),
        _lines(" ", "same", before[first:start], room),
        _lines("-", "minus", before[start : len(before) - end], room),
        _lines("+", "plus", after[start : len(after) - end], room),
        _lines(" ", "same", after[len(after) - end : last], room),
        _same(after[last:], room),
    ]
    body = el("div", parts, cls="text mono", dir="auto")
    if old == new:
        return [el("div", "nothing differs", cls="dim"), body]
    return fold("changed lines", body) if len(before) + len(after) - 2 * (start + end) > _FOLDED else body


def _common(before: list[str], after: list[str]) -> tuple[int, int]:
    """How many lines two texts share at the beginning, and how many of the others at the end."""
    shorter = min(len(before), len(after))
    start = 0
    while start < shorter and before[start] == after[start]:
        start += 1
    end = 0
    while end < shorter - start and before[-1 - end] == after[-1 - end]:
        end += 1
    return start, end


def _lines(mark: str, kind: str, lines: list[str], room: Room) -> Child:
    if not lines:
        return None
    shown, left = room.cut("\n".join(f"{mark} {line}" for line in lines))
    return [
        el("span", shown, "\n", cls=kind),
        el("span", f"… {number(left, 'more character')}\n", cls="dim") if left else None,
    ]


def _same(lines: list[str], room: Room) -> Child:
    if not lines:
        return None
    room.omit("text", sum(map(len, lines)) + len(lines), "lines that a change leaves as they are")
    return el("span", f"… {number(len(lines), 'line')} the same\n", cls="dim")
