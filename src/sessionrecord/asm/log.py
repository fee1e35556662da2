"""The messages of a run as a list that grows, and views of what it held at one moment, which cost nothing to take."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeAlias, cast, overload

from sessionrecord.asm.messages import Message, PartialMessage
from sessionrecord.asm.payloads import PayloadModel
from sessionrecord.asm.projected import Projected
from sessionrecord.asm.projection import project_message

__all__ = ["Entry", "MessageLog"]

Entry: TypeAlias = str | PayloadModel | Message
"""What a message is made from when it is looked at: a streamed piece of text, a payload, or the message itself."""


class MessageLog(Sequence[Message]):
    """The first `length` messages of a list to which others may be added. A message is made when it is looked at."""

    __slots__ = ("_entries", "_length")

    def __init__(self, entries: list[Entry], length: int) -> None:
        self._entries = entries
        self._length = length

    @classmethod
    def of(cls, messages: Iterable[Message]) -> MessageLog:
        """The messages given."""
        entries: list[Entry] = list(messages)
        return cls(entries, len(entries))

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> Message: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Message, ...]: ...
    def __getitem__(self, index: int | slice) -> Message | tuple[Message, ...]:
        places = range(self._length)[index]
        if isinstance(places, int):
            return message_of(self._entries[places])
        return tuple(message_of(self._entries[i]) for i in places)

    def __iter__(self) -> Iterator[Message]:
        return map(message_of, islice(self._entries, self._length))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MessageLog | list | tuple):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    def __repr__(self) -> str:
        return f"<MessageLog of {self._length} messages>"

    def entries(self) -> list[Entry]:
        """A copy of the list, for a run that goes on from here."""
        return self._entries[: self._length]


def message_of(entry: Entry) -> Message:
    """The message that an entry stands for."""
    if isinstance(entry, str):
        return PartialMessage(delta=entry)
    return cast("Message", entry if isinstance(entry, Projected) else project_message(entry))
