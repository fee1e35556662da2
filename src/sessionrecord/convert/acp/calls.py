"""Tool calls: each change is a revision of the call, and how it ended is its result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from sessionrecord.convert.accounting import Held, anything, is_string
from sessionrecord.convert.acp.blocks import Content, continues, item_of
from sessionrecord.convert.acp.pen import Pen
from sessionrecord.convert.acp.source import Frame, others
from sessionrecord.convert.native import is_count, same, text

__all__ = ["Calls"]

_OUTCOMES: Final = {"completed": "success", "failed": "error"}
"""Status of a call that ended to the outcome of its result."""
_MEMBERS: Final = {
    "title": "title",
    "kind": "kind",
    "status": "status",
    "rawInput": "arguments",
    "locations": "locations",
}
_KNOWN: Final[dict[str, Held]] = {
    **dict.fromkeys(_MEMBERS, anything),  # whether they are taken is told where they are
    "sessionUpdate": is_string,
    "toolCallId": text,
    "content": anything,
    "rawOutput": anything,
}
_PIECE: Final[dict[str, Held]] = {"sessionUpdate": is_string, "toolCallId": text, "content": anything}


@dataclass(slots=True, eq=False)
class _Call:
    call_id: str
    is_native: bool
    line: int
    place: dict[str, Any]
    said: dict[str, Any] = field(default_factory=dict)
    """The call's members, by attribute name."""
    content: Content | None = None
    output: Any = None
    is_unsaved: bool = False
    """Whether content or output came that no record has."""
    lines: list[int] = field(default_factory=list)
    """Lines whose content or output no record has yet."""
    result: dict[str, Any] | None = None
    """The result as it was written last."""

    @property
    def outcome(self) -> str | None:
        """How it ended; None while that is not known."""
        return _OUTCOMES.get(self.said.get("status", ""))


class Calls:
    """The tool calls of one session, by their native IDs. `before` is told of what takes its place in the context."""

    def __init__(self, pen: Pen, before: Callable[[], None]) -> None:
        self._pen = pen
        self._before = before
        self._calls: dict[str, _Call] = {}
        self._changed: dict[str, _Call] = {}
        self._reuses: Counter[str] = Counter()

    @property
    def any(self) -> bool:
        """Whether there is a call."""
        return bool(self._calls)

    def call_id(self, native_id: Any) -> str | None:
        """The entity key of a call."""
        known = self._calls.get(native_id) if isinstance(native_id, str) else None
        return text(native_id) if known is None else known.call_id

    def update(self, frame: Frame, given: dict[str, Any], *, count: bool = True) -> None:
        """What a message says of a call; members that it does not name stay as they were. `count`: it says nothing else."""
        native_id = text(given.get("toolCallId"))
        if native_id is None:
            self._pen.keep(frame, reason="it does not say of which call")
            return
        call = self._calls.get(native_id)
        said, refused = self._said(given)
        frame.beside += refused
        if call is not None and given.get("sessionUpdate") == "tool_call" and self._is_another(call, said):
            self._pen.report.note(frame.number, "call-id-reused", f"the call ID {native_id!r} is used for another call")
            call = None
        is_new = call is None
        if call is None:
            self._before()
            call = self._begin(frame, native_id)
        place = self._pen.place(frame)
        new = self._take_content(call, given, frame)
        changed = self._apply(call, said) or is_new
        if changed:
            self._write_call(call, place)
        if new:
            call.place, call.is_unsaved = place, True
            call.lines.append(frame.number)
        resulted = new or (call.outcome is not None and (call.result or {}).get("outcome") != call.outcome)
        if call.outcome is not None and (resulted or call.is_unsaved):
            self._write_result(call, place)
        if not count:
            return
        if changed or resulted:
            self._pen.converted(frame)
        else:
            self._pen.repeats(frame, f"repeats what is known of the call of line {call.line}")

    def chunk(self, frame: Frame, given: dict[str, Any]) -> None:
        """One more item of a call's content."""
        native_id = text(given.get("toolCallId"))
        call = None if native_id is None else self._calls.get(native_id)
        if call is None or given.get("content") is None:
            self._pen.keep(frame, reason="it does not say what to add, or to which call")
            return
        frame.beside += others(given, _PIECE)
        if call.content is None:
            call.content = Content()
        call.content.add(item_of(given["content"]))
        call.is_unsaved = True
        call.lines.append(frame.number)
        call.place = self._pen.place(frame)
        if call.result is not None:
            self._changed[call.call_id] = call
        self._pen.converted(frame)

    def settle(self) -> None:
        """Write results that grew after they were written."""
        changed, self._changed = self._changed, {}
        for call in changed.values():
            self._write_result(call, call.place)

    def finish(self) -> None:
        """Write what calls gave that did not end."""
        self.settle()
        for call in self._calls.values():
            if call.is_unsaved:
                self._pen.report.note(
                    call.line, "call-unfinished", "the call did not end; its result is what came until then, no outcome"
                )
                self._write_result(call, call.place)

    def _begin(self, frame: Frame, native_id: str) -> _Call:
        call_id = native_id
        if native_id in self._calls:
            while call_id in self._calls:
                self._reuses[native_id] += 1
                call_id = f"{native_id}#{self._reuses[native_id] + 1}"
            self._calls[call_id] = self._calls[native_id]
            self._pen.made_up(frame.number, "callId", call_id, "another call has the ID already")
        call = _Call(call_id, call_id == native_id, frame.number, self._pen.place(frame))
        self._calls[native_id] = call
        return call

    def _said(self, given: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
        """The members that are given, by attribute name, None where one is taken back; and those that no record holds."""
        said: dict[str, Any] = {}
        refused = others(given, _KNOWN)
        for native, ours in _MEMBERS.items():
            if native not in given:
                continue
            value = given[native]
            if value is None:
                if self._pen.version == 2:
                    said[ours] = None
            elif ours == "locations":
                places = _locations(value)
                if places is None:
                    refused.append(native)
                else:
                    said[ours] = places or None
            elif ours == "arguments" or isinstance(value, str):
                said[ours] = value
            else:
                refused.append(native)
        return said, refused

    def _is_another(self, call: _Call, said: dict[str, Any]) -> bool:
        if call.outcome is None or said.get("status") in _OUTCOMES:
            return False
        return any(name in said and not same(said[name], call.said.get(name)) for name in ("title", "arguments"))

    def _apply(self, call: _Call, said: dict[str, Any]) -> bool:
        changed = False
        for name, value in said.items():
            if not same(call.said.get(name), value):
                call.said[name] = value
                changed = True
        return changed

    def _take_content(self, call: _Call, given: dict[str, Any], frame: Frame) -> bool:
        """Take content and output. What they replace, and do not go on with, is written before. Whether anything is new."""
        new = False
        content, output = given.get("content"), given.get("rawOutput")
        if content is not None and not isinstance(content, list):
            frame.beside.append("content")
        elif content is not None or ("content" in given and self._pen.version == 2):
            blocks = [item_of(item) for item in content or ()]
            begins, equal = continues(call.content.blocks() if call.content is not None else (), blocks)
            if not equal:
                new = True
                self._save(call, unless=begins)
                call.content = Content(blocks)
        is_told = output is not None or ("rawOutput" in given and self._pen.version == 2)
        if is_told and not same(output, call.output):
            new = True
            self._save(call, unless=call.output is None)
            call.output = output
        return new

    def _save(self, call: _Call, *, unless: bool) -> None:
        if call.is_unsaved and not unless:
            self._write_result(call, call.place)

    def _write_call(self, call: _Call, place: dict[str, Any]) -> None:
        source = "native" if call.is_native else "synthetic"
        self._pen.write("tool_call", place, call_id=call.call_id, call_id_source=source, **call.said)

    def _write_result(self, call: _Call, place: dict[str, Any]) -> None:
        call.is_unsaved = False
        self._changed.pop(call.call_id, None)
        if call.result is None:
            self._before()
        blocks = None if call.content is None else call.content.blocks()
        terminal = next((b["terminalId"] for b in blocks or () if b["type"] == "terminal"), None)
        result = {"outcome": call.outcome, "content": blocks, "structured": call.output, "terminal_id": terminal}
        self._pen.write("tool_result", place, call_id=call.call_id, **result)
        self._pen.join(call.lines, place)
        call.lines, call.result = [], result


def _locations(native: Any) -> list[dict[str, Any]] | None:
    """The places in files; None where one is none."""
    found = []
    for item in native if isinstance(native, list) else [None]:
        if not isinstance(item, dict) or not isinstance(item.get("path"), str):
            return None
        place = {name: value for name, value in item.items() if value is not None}
        if not is_count(place.get("line", 0)):
            return None
        found.append(place)
    return found
