"""What is said: prompts, and messages that come whole or in pieces. One message is one record, written when it is complete.

A message is complete where something else begins that takes part in the context. What is added to a message that was written
already is a revision, at the end of the turn.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sessionrecord.convert.acp.blocks import Content, continues
from sessionrecord.convert.acp.pen import Pen
from sessionrecord.convert.acp.source import Frame

__all__ = ["Messages"]


@dataclass(slots=True, eq=False)
class _Prompt:
    frame: Frame
    place: dict[str, Any]
    blocks: list[dict[str, Any]]
    is_accepted: bool = False
    """Whether the agent has answered the request."""


@dataclass(slots=True, eq=False)
class _Message:
    native_id: str | None
    role: str
    is_thought: bool
    line: int
    place: dict[str, Any]
    content: Content
    message_id: str | None = None
    """Its entity key, once it is written."""
    waiting: list[Frame] = field(default_factory=list)
    """Pieces that are not counted yet: they may repeat the prompt."""
    lines: list[int] = field(default_factory=list)
    """Lines of the pieces that no record has yet."""

    @property
    def is_replayed(self) -> bool:
        return "extra" in self.place

    def is_more_of(self, role: str, is_thought: bool) -> bool:
        return self.native_id is None and self.role == role and self.is_thought == is_thought


class Messages:
    """The messages of one session."""

    def __init__(self, pen: Pen) -> None:
        self._pen = pen
        self._open: _Message | None = None
        self._known: dict[tuple[str, str], _Message] = {}
        self._changed: dict[str, _Message] = {}
        self._held: list[_Prompt] = []
        self._echo: tuple[int, list[dict[str, Any]]] | None = None
        self._count = 0

    @property
    def any(self) -> bool:
        """Whether anything was said."""
        return self._count > 0 or self._open is not None

    # prompts

    def prompt(self, frame: Frame, blocks: list[dict[str, Any]], *, hold: bool) -> None:
        """What the client asks. In protocol version 2 it is held until the agent says where in the history it stands."""
        prompt = _Prompt(frame, self._pen.place(frame), blocks)
        if hold:
            self._held.append(prompt)
        else:
            self.settle()
            self._say(prompt)

    def answered(self, key: bytes, *, accepted: bool) -> None:
        """The agent answered a prompt; one that it refused is no part of the history."""
        for prompt in self._held:
            if prompt.frame.key == key:
                prompt.is_accepted = True
                if not accepted:
                    self._held.remove(prompt)
                    self._pen.keep(prompt.frame, reason="the agent did not take the prompt")
                return

    def release(self) -> None:
        """Write the prompts that the agent took and has not told of: what follows answers them."""
        taken = [p for p in self._held if p.is_accepted]
        self._held = [p for p in self._held if not p.is_accepted]
        for prompt in taken:
            self._say(prompt)

    def _say(self, prompt: _Prompt) -> None:
        message_id = self._made(prompt.frame.number)
        self._count += 1
        self._pen.write("message", prompt.place, message_id=message_id, role="user", content=prompt.blocks)
        self._pen.converted(prompt.frame)
        self._echo = prompt.frame.number, prompt.blocks

    def _made(self, line: int) -> str:
        message_id = self._pen.name(f"line-{line}")
        self._pen.made_up(line, "messageId", message_id, "the message has no ID")
        return message_id

    # messages

    def chunk(self, frame: Frame, role: str, native_id: str | None, block: dict[str, Any], *, thought: bool) -> None:
        """A piece of a message."""
        known = None if native_id is None else self._known.get((role, native_id))
        if known is None and native_id is None and self._open is not None and self._open.is_more_of(role, thought):
            known = self._open
        if known is None:
            known = self._begin(frame, role, native_id, Content(), thought)
        known.content.add(block)
        self._count_piece(frame, known)

    def whole(
        self, frame: Frame, role: str, native_id: str, blocks: list[dict[str, Any]], *, thought: bool
    ) -> None:  # fmt: skip
        """A message with all its content, in place of what it had."""
        known = self._known.get((role, native_id))
        if known is None:
            known = self._begin(frame, role, native_id, Content(blocks), thought)
            self._count_piece(frame, known)
            return
        begins, equal = continues(known.content.blocks(), blocks)
        if equal:
            self._pen.repeats(frame, f"repeats the message of line {known.line}")
            return
        if not begins:
            self._save(known)
        known.content = Content(blocks)
        self._count_piece(frame, known)

    def _begin(self, frame: Frame, role: str, native_id: str | None, content: Content, thought: bool) -> _Message:
        self.flush()
        if role == "assistant":
            self.release()
        message = _Message(native_id, role, thought, frame.number, self._pen.place(frame), content)
        self._open = message
        if native_id is not None:
            self._known[role, native_id] = message
        return message

    def _count_piece(self, frame: Frame, message: _Message) -> None:
        message.lines.append(frame.number)
        if message.message_id is not None:
            self._changed[message.message_id] = message
            message.place = {**self._pen.place(frame), "turn_id": message.place["turn_id"]}
        elif message.role == "user":
            message.waiting.append(frame)
            return
        self._pen.converted(frame)

    def flush(self) -> None:
        """Write the message that is open: something else begins."""
        message, self._open = self._open, None
        if message is not None and not self._is_echo(message):
            self._write(message)

    def settle(self) -> None:
        """Write all that changed: a turn ends, or another begins."""
        self.flush()
        changed, self._changed = self._changed, {}
        for message in changed.values():
            self._write(message)

    def finish(self) -> None:
        """Write everything: nothing follows."""
        self.settle()
        for prompt in self._held:
            self._pen.report.note(
                prompt.frame.number, "prompt-not-told", "the agent does not tell of this prompt in its history"
            )
            prompt.is_accepted = True
        self.release()

    def _save(self, message: _Message) -> None:
        """Write what is about to be replaced."""
        if message is self._open:
            self.flush()
        elif self._changed.pop(message.message_id or "", None) is not None:
            self._write(message)

    def _write(self, message: _Message) -> None:
        if message.message_id is None:
            self._count += 1
            if message.native_id is None:
                message.message_id = self._made(message.line)
            else:
                message.message_id = self._pen.name(message.native_id)
                if message.message_id != message.native_id:
                    self._pen.made_up(message.line, "messageId", message.message_id, "another message has the ID")
        self._pen.write(
            "message",
            message.place,
            message_id=message.message_id,
            role=message.role,
            content=message.content.blocks(),
        )
        for frame in message.waiting:
            self._pen.converted(frame)
        self._pen.join(message.lines, message.place)
        message.waiting, message.lines = [], []

    def _is_echo(self, message: _Message) -> bool:
        """Whether a message of the user is a prompt told anew: that prompt is then counted here, and the message if need be."""
        if message.role != "user" or message.is_replayed:
            return False
        blocks = message.content.blocks()
        equal = [p for p in self._held if continues(p.blocks, blocks)[1]]
        taken = equal or [p for p in self._held if p.is_accepted]
        if taken:
            prompt = taken[0]
            self._held.remove(prompt)
            message.place["turn_id"] = prompt.place["turn_id"]
            self._write(message)
            if equal:
                self._pen.join([prompt.frame.number], message.place)
                self._pen.converted(prompt.frame)
            else:
                self._pen.keep(prompt.frame, reason=f"the agent tells it in other words in line {message.line}")
            return True
        if self._echo is None or not continues(self._echo[1], blocks)[1]:
            return False
        line, self._echo = self._echo[0], None
        for frame in message.waiting:
            if message.native_id is None:
                self._pen.repeats(frame, f"repeats the prompt of line {line}")
            else:
                self._pen.keep(frame, reason=f"repeats the prompt of line {line}, which had no ID")
        if message.native_id is not None:
            del self._known[message.role, message.native_id]
        return True
