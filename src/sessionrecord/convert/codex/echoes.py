"""Events that only repeat what an item says: Codex writes messages and reasoning twice, once for the model and once for the screen."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any, Final

from sessionrecord.convert.codex.blocks import texts_of
from sessionrecord.convert.codex.source import CodexLine
from sessionrecord.convert.native import members, same

__all__ = ["Echoes"]

_TEXT: Final = {
    "user_message": "message",
    "agent_message": "message",
    "agent_reasoning": "text",
    "agent_reasoning_raw_content": "text",
}
"""Type of an event that may repeat an item to its member with the text."""
_ROLES: Final = {"user": "user_message", "assistant": "agent_message"}


class Echoes:
    """Which event repeats which item: each part of an item is repeated once at most."""

    def __init__(self, lines: Sequence[CodexLine]) -> None:
        self.of: dict[int, CodexLine] = {}
        """Index of an event to the item whose text it has."""
        self.typed: set[int] = set()
        """Indexes of the messages that an event says the user sent."""
        said: dict[tuple[str, str], deque[tuple[CodexLine, int]]] = {}
        for line in lines:
            for key, part in _said(line):
                said.setdefault(key, deque()).append((line, part))
        taken: set[tuple[int, int]] = set()
        for line in lines:
            heard = line.payload.get(_TEXT.get(line.kind or "", "")) if line.type == "event_msg" else None
            waiting = said.get((line.kind or "", heard)) if isinstance(heard, str) else None
            while waiting:
                item, part = waiting.popleft()
                if (item.index, part) in taken:
                    continue
                taken.add((item.index, part))
                self.of[line.index] = item
                if line.kind == "user_message":
                    self.typed.add(item.index)
                break

    def says_more(self, line: CodexLine) -> list[str]:
        """The members of an event that its item has not; empty ones say nothing."""
        item = self.of[line.index].payload
        content = item.get("content")
        shown = (members(part).get("image_url") for part in (content if isinstance(content, list) else ()))
        pictures = {url for url in shown if isinstance(url, str)}
        return [
            name
            for name, value in line.payload.items()
            if name not in ("type", _TEXT[line.kind or ""])
            and not (name in ("kind", "turn_id") and isinstance(value, str))
            and value not in (None, [], {}, "")
            and not (name in item and same(item[name], value))
            and not (
                name == "images"
                and isinstance(value, list)
                and all(isinstance(v, str) and v in pictures for v in value)
            )
        ]


def _said(line: CodexLine) -> Iterable[tuple[tuple[str, str], int]]:
    """What an event may repeat of an item: kind of event and text; with the part of the item that is then taken."""
    if line.type != "response_item":
        return
    item: dict[str, Any] = line.payload
    if line.kind == "reasoning":
        for i, text in enumerate(texts_of(item.get("summary"))):
            yield ("agent_reasoning", text), i
        for i, text in enumerate(texts_of(item.get("content"))):
            yield ("agent_reasoning_raw_content", text), -1 - i
    role = item.get("role")
    if line.kind == "message" and isinstance(role, str) and role in _ROLES:
        texts = texts_of(item.get("content"))
        for text in dict.fromkeys(["".join(texts), *texts]):
            yield (_ROLES[role], text), 0
