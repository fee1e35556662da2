"""Compactions: told of when they begin, patched as they go on, with a summary that may come in pieces."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from sessionrecord.convert.accounting import Held, anything, is_string
from sessionrecord.convert.acp.blocks import Content, block_of, continues
from sessionrecord.convert.acp.pen import Pen
from sessionrecord.convert.acp.source import Frame, others
from sessionrecord.convert.native import same, text

__all__ = ["Compactions"]

_NAMED: Final[dict[str, Held]] = {"sessionUpdate": is_string, "compactionId": text}
_KNOWN: Final[dict[str, Held]] = {**_NAMED, **dict.fromkeys(("status", "summary", "error"), anything)}
_PIECE: Final[dict[str, Held]] = {**_NAMED, "content": anything}
_BEGUN: Final = "in_progress"
"""The status of a compaction whose first update names none."""
_KEPT: Final = {"keptFrom": {"state": "unknown", "reason": "the protocol does not say what stays in context"}}


@dataclass(slots=True, eq=False)
class _Compaction:
    line: int
    place: dict[str, Any]
    status: str = _BEGUN
    summary: Content | None = None
    error: str | None = None
    lines: list[int] = field(default_factory=list)
    """Lines of pieces of the summary that no record has yet."""
    written: dict[str, Any] | None = None


class Compactions:
    """The compactions of one session. `before` is told of what takes its place in the context."""

    def __init__(self, pen: Pen, before: Callable[[], None]) -> None:
        self._pen = pen
        self._before = before
        self._compactions: dict[str, _Compaction] = {}

    @property
    def any(self) -> bool:
        """Whether there is a compaction."""
        return bool(self._compactions)

    def update(self, frame: Frame, given: dict[str, Any]) -> None:
        """What the agent says of a compaction; members that it does not name stay as they were."""
        own = text(given.get("compactionId"))
        if own is None:
            self._pen.keep(frame, reason="it does not name the compaction")
            return
        compaction = self._of(own, frame)
        compaction.place = self._pen.place(frame)
        refused = others(given, _KNOWN)
        if "status" in given:
            status = _BEGUN if given["status"] is None else given["status"]
            if isinstance(status, str):
                compaction.status = status
            else:
                refused.append("status")
        if "summary" in given:
            summary: Any = given["summary"]
            if isinstance(summary, list | None):
                blocks = [block_of(b) for b in summary or ()]
                if compaction.lines and compaction.summary and not continues(compaction.summary.blocks(), blocks)[0]:
                    self._write(own, compaction)
                compaction.summary = Content(blocks) if blocks else None
            else:
                refused.append("summary")
        if "error" in given:
            if isinstance(given["error"], str | None):
                compaction.error = given["error"]
            else:
                refused.append("error")
        frame.beside += refused
        if self._write(own, compaction):
            self._pen.converted(frame)
        else:
            self._pen.repeats(frame, f"repeats what is known of the compaction of line {compaction.line}")

    def chunk(self, frame: Frame, given: dict[str, Any]) -> None:
        """A piece of a summary."""
        own = text(given.get("compactionId"))
        if own is None or given.get("content") is None:
            self._pen.keep(frame, reason="it does not say what to add, or to which compaction")
            return
        compaction = self._of(own, frame)
        if compaction.written is None:
            self._write(own, compaction)
        frame.beside += others(given, _PIECE)
        if compaction.summary is None:
            compaction.summary = Content()
        compaction.summary.add(block_of(given["content"]))
        compaction.place = self._pen.place(frame)
        compaction.lines.append(frame.number)
        self._pen.converted(frame)

    def settle(self) -> None:
        """Write summaries that grew."""
        for own, compaction in self._compactions.items():
            if compaction.lines:
                self._write(own, compaction)

    def _of(self, own: str, frame: Frame) -> _Compaction:
        known = self._compactions.get(own)
        if known is None:
            self._before()
            known = self._compactions[own] = _Compaction(frame.number, self._pen.place(frame))
        return known

    def _write(self, own: str, compaction: _Compaction) -> bool:
        """Write a compaction, unless nothing is new."""
        said = {
            "status": compaction.status,
            "summary": None if compaction.summary is None else compaction.summary.blocks(),
            "error": None if compaction.error is None else {"message": compaction.error},
        }
        if compaction.written is not None and same(compaction.written, said):
            return False
        place = compaction.place if compaction.status != "completed" else {**compaction.place, "capture": _KEPT}
        self._pen.write("compaction", place, compaction_id=own, **said)
        self._pen.join(compaction.lines, place)
        compaction.lines, compaction.written = [], said
        return True
