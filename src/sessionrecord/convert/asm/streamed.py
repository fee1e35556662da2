"""The message of the agent that deltas make, and the full message that may complete it."""

from __future__ import annotations

from sessionrecord.asm import RunEvent
from sessionrecord.records import Block, ReasoningBlock, TextBlock

__all__ = ["OpenMessage", "united"]


class OpenMessage:
    """The message of the agent that the deltas since the last boundary make."""

    def __init__(self, number: int, event: RunEvent) -> None:
        self.number = number
        """The line it began on."""
        self.event = event
        """The event it began with."""
        self.lines: list[int] = []
        """The lines that belong to it."""
        self.pieces: list[tuple[str, list[str], str | None]] = []

    def add(self, kind: str, piece: str, signature: str | None = None) -> None:
        """Add a piece of text, or a thought."""
        if kind == "text" and self.pieces and self.pieces[-1][0] == "text":
            self.pieces[-1][1].append(piece)
        else:
            self.pieces.append((kind, [piece], signature))

    @property
    def text(self) -> str:
        """What was said, without the thoughts."""
        return "".join(part for kind, parts, _ in self.pieces for part in parts if kind == "text")

    def blocks(self) -> list[Block]:
        """The content: pieces of text that follow each other are one block."""
        return [
            TextBlock(text="".join(parts))
            if kind == "text"
            else ReasoningBlock(text="".join(parts), signature=signature)
            for kind, parts, signature in self.pieces
        ]


def united(streamed: list[Block], full: list[Block]) -> list[Block]:
    """The blocks of the full message, with the streamed thoughts that it does not repeat before them."""
    said = {b.text for b in full if isinstance(b, ReasoningBlock)}
    return [*(b for b in streamed if isinstance(b, ReasoningBlock) and b.text not in said), *full]
