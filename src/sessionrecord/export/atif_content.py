"""Content blocks as ATIF has them: text, image and audio parts, and reasoning apart from them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from sessionrecord import ijson
from sessionrecord.export.report import LossReport
from sessionrecord.records import AudioBlock, Block, Blocks, ImageBlock, ReasoningBlock, Record, TextBlock

__all__ = ["Content"]

_IMAGES: Final = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"})
_AUDIO: Final = frozenset("audio/wav audio/mpeg audio/mp4 audio/aac audio/ogg audio/flac audio/webm audio/aiff".split())


@dataclass(slots=True)
class Content:
    """What several records say, in the parts of ATIF."""

    parts: list[dict[str, Any]] = field(default_factory=list)
    """Content parts in their order."""
    reasoning: list[str] = field(default_factory=list)
    """Readable reasoning in its order."""

    def add(
        self, record: Record, blocks: Blocks | None, member: str, report: LossReport, *, reasons: bool
    ) -> list[dict[str, Any]]:
        """Take in the blocks of a member; returns what has no part of its own, each with its index.

        `reasons`: whether there is a place for reasoning.
        """
        left: list[dict[str, Any]] = []
        for index, block in enumerate(blocks or ()):
            place = ijson.pointer(member, index)
            remains = self._take(record, block, place, report, reasons)
            if remains:
                left.append({"index": index, "block": remains})
        return left

    def _take(self, record: Record, block: Block, place: str, report: LossReport, reasons: bool) -> dict[str, Any]:
        wire = block.to_wire()
        if isinstance(block, TextBlock):
            self.parts.append({"type": "text", "text": block.text})
            return _without(wire, ("text",))
        if isinstance(block, ReasoningBlock) and reasons:
            if block.text is not None:
                if self.parts:
                    report.add("order_changed", block.type, record, place)
                if self.reasoning:
                    report.add("text_joined", block.type, record, place)
                self.reasoning.append(block.text)
            return _without(wire, ("text",))
        if isinstance(block, ImageBlock | AudioBlock):
            known = _IMAGES if isinstance(block, ImageBlock) else _AUDIO
            path = _path(block)
            if block.mime_type in known and path is not None:
                source = {"media_type": block.mime_type, "path": path[0]}
                self.parts.append({"type": block.type, "source": source})
                return _without(wire, ("mimeType", *path[1]))
        report.add("block_elsewhere", block.type, record, place, kept=True)
        return wire

    def message(self) -> str | list[dict[str, Any]]:
        """The parts as `message` or `content` has them: a string where one text is all there is."""
        if not self.parts:
            return ""
        if len(self.parts) == 1 and self.parts[0]["type"] == "text":
            text: str = self.parts[0]["text"]
            return text
        return self.parts

    @property
    def reasoning_content(self) -> str | None:
        """The reasoning as one text; None where there is none."""
        return "\n\n".join(self.reasoning) if self.reasoning else None


def _path(block: ImageBlock | AudioBlock) -> tuple[str, tuple[str, ...]] | None:
    """Where the bytes of a block are, as a path or URL, and the members that this says all of."""
    if block.uri is not None:
        return block.uri, ("uri",)
    if block.blob is not None and block.blob.path is not None:
        return block.blob.path, ()
    if block.data is not None:
        return f"data:{block.mime_type};base64,{block.data}", ("data",)
    return None


def _without(wire: dict[str, Any], used: Iterable[str]) -> dict[str, Any]:
    """What is left of a block; nothing where only its type is."""
    left = {name: value for name, value in wire.items() if name not in used}
    return {} if left.keys() == {"type"} else left
