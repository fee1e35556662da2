"""Records, and the other objects of the wire."""

from __future__ import annotations

from typing import Any, Final

from sessionrecord.display.html.blocks import blocks
from sessionrecord.display.html.build import Child, Element, el
from sessionrecord.display.html.findings import findings
from sessionrecord.display.html.parts import fold, members, number, one_line, passage, phrase, table, tag, value
from sessionrecord.display.html.room import Room
from sessionrecord.display.summary import json_text, kind, summary
from sessionrecord.records import (
    Commit,
    Compaction,
    ErrorRecord,
    FileChange,
    InvalidRecord,
    MemoryWrite,
    Message,
    ModelCall,
    PermissionDecision,
    PermissionRequest,
    Plan,
    Question,
    Record,
    Rewind,
    SessionHeader,
    SessionInfo,
    State,
    Terminal,
    ToolCall,
    ToolResult,
    Usage,
)
from sessionrecord.records.envelope import Envelope

__all__ = ["body", "card", "entry", "said", "wire_object"]

_IN_HEAD: Final = frozenset({"type", "seq", "id"})
_ENVELOPE_MEMBERS: Final = frozenset(field.alias or name for name, field in Envelope.model_fields.items())
_HUES: Final = {
    "user": "user",
    "assistant": "assistant",
    "call": "call",
    "result": "result",
    "compaction": "mark",
    "rewind": "mark",
    "error": "error",
}
"""Kind to the colour of its name."""


def said(record: Record | InvalidRecord) -> str:
    """What a record says, in short."""
    if isinstance(record, ToolCall):
        return record.title or ("" if record.arguments is None else json_text(record.arguments))
    if isinstance(record, Rewind):
        return f"back to {record.to}" if record.to is not None else "back to the beginning"
    if isinstance(record, FileChange):
        return f"{record.operation or 'change'} {record.path}"
    if isinstance(record, Commit):
        return f"{record.revision} {record.message or ''}"
    if isinstance(record, ErrorRecord):
        return record.message
    if isinstance(record, State):
        return record.state
    if isinstance(record, SessionHeader):
        return f"{record.agent} {record.session_id}"
    if isinstance(record, SessionInfo):
        return record.title or record.summary or ""
    if isinstance(record, Usage):
        return _usage(record)
    if isinstance(record, ModelCall):
        return " ".join(filter(None, [record.model, record.status, record.stop_reason]))
    if isinstance(record, PermissionRequest):
        return record.title or record.description or ""
    if isinstance(record, PermissionDecision):
        return " ".join(filter(None, [record.outcome, record.kind, record.decided_by]))
    if isinstance(record, Terminal):
        return " ".join([record.command or "", *(record.args or ())])
    if isinstance(record, Plan):
        return "; ".join(entry.content for entry in record.entries or ())
    if isinstance(record, Message | ToolResult | Compaction | InvalidRecord):
        return summary(record)
    return json_text({k: v for k, v in record.to_wire().items() if k not in _ENVELOPE_MEMBERS})


def _usage(record: Usage) -> str:
    counts = {
        "in": record.input_tokens,
        "out": record.output_tokens,
        "cache read": record.cache_read_tokens,
        "cache write": record.cache_write_tokens,
        "total": record.total_tokens,
    }
    found = [f"{n:,} {name}" for name, n in counts.items() if n is not None]
    if record.cost is not None:
        found.append(f"{record.cost.amount} {record.cost.currency}")
    return ", ".join(found)


def _head(record: Record | InvalidRecord, room: Room) -> Child:
    """What a record is, where it stands, when it was, and what marks it."""
    name = "result" if isinstance(record, ToolResult) else kind(record)
    hue = "error" if isinstance(record, InvalidRecord) else _HUES.get(name, "other")
    timestamp = getattr(record, "timestamp", None)
    return [
        el("strong", el("bdi", one_line(name)), cls=f"kind {hue}"),
        " ",
        [el("code", el("bdi", one_line(record.name or "(no name)"))), " "] if isinstance(record, ToolCall) else None,
        el("span", "no seq" if record.seq is None else f"seq {record.seq:,}", cls="dim"),
        [" ", el("span", one_line(timestamp), cls="dim")] if isinstance(timestamp, str) else None,
        [[" ", mark] for mark in _marks(record, room)],
    ]


def _marks(record: Record | InvalidRecord, room: Room) -> list[Element]:
    marks = []
    if isinstance(record, ToolResult):
        good = {"success": "good", "error": "error"}
        outcome = record.outcome
        marks.append(
            tag("outcome not told" if outcome is None else one_line(outcome), good.get(outcome or "", "warning"))
        )
        if record.exit_code is not None:
            marks.append(tag(f"exit code {record.exit_code}"))
        if record.duration_ms is not None:
            marks.append(tag(one_line(f"{record.duration_ms} ms")))
    if isinstance(record, ToolCall | ModelCall | Compaction) and record.status is not None:
        marks.append(tag(one_line(record.status), "warning" if record.status in ("failed", "cancelled") else "note"))
    if isinstance(record, Compaction):
        marks.append(tag("replaces what came before it", "warning"))
        for label, tokens in (("before", record.tokens_before), ("after", record.tokens_after)):
            if tokens is not None:
                marks.append(tag(f"{tokens:,} tokens {label}"))
    if isinstance(record, Rewind):
        marks.append(tag("moves the head", "warning"))
    if isinstance(record, InvalidRecord):
        return [tag("not valid", "error")]
    for name, state in list((record.capture or {}).items())[: room.limits.rows]:
        if state.state != "complete":
            told = "perhaps not complete" if state.state == "unknown" else state.state
            marks.append(tag(one_line(f"{name} {told}"), "warning"))
    return marks


def body(record: Record | InvalidRecord, room: Room) -> Child:
    """All that a record says."""
    if isinstance(record, InvalidRecord):
        raw = record.raw[: room.limits.text * 4].decode("utf-8", "backslashreplace")
        left = len(record.raw) - room.limits.text * 4
        if left > 0:
            room.omit("text", left, "the line is long")
        return [
            findings(record.diagnostics, room),
            passage(raw, room, mono=True, label="the line as it is"),
            el("div", f"… {number(left, 'more byte')} not shown: ", el("code", f"{room.place}.raw"), cls="more")
            if left > 0
            else None,
        ]
    shown, parts = _content(record, room)
    rest = {name: v for name, v in record.to_wire().items() if name not in shown and name not in _IN_HEAD}
    foot = [el("div", "record id ", phrase(record.id, room), cls="dim"), members(rest, room)]
    return [
        parts,
        fold(el("span", f"record id and {number(len(rest), 'other member')}", cls="dim"), foot)
        if parts and rest
        else foot,
    ]


def _content(record: Record, room: Room) -> tuple[set[str], list[Child]]:
    """The members that have a display of their own, and that."""
    if isinstance(record, Message) and record.content is not None:
        return {"content", *_told(role=record.role)}, [blocks(record.content, room)]
    if isinstance(record, ToolCall):
        return _call(record, room)
    if isinstance(record, ToolResult):
        return _result(record, room)
    if isinstance(record, Compaction) and record.summary is not None:
        return {"summary"}, [el("div", "What the model sees instead:", cls="dim"), blocks(record.summary, room)]
    if isinstance(record, MemoryWrite) and record.content is not None:
        return {"content"}, [blocks(record.content, room)]
    if isinstance(record, Question) and record.prompt is not None:
        return {"prompt"}, [blocks(record.prompt, room)]
    if isinstance(record, Terminal) and record.output is not None:
        return {"output"}, [passage(record.output, room, mono=True)]
    if isinstance(record, FileChange) and record.patch is not None:
        return {"patch"}, [passage(record.patch, room, mono=True)]
    if isinstance(record, Plan) and record.entries and len(record.entries) <= room.limits.rows:
        rows = [
            [value(e.content, room), phrase(e.status or "not told", room), phrase(e.priority or "", room)]
            for e in record.entries
        ]
        if not any(set(e.to_wire()) - {"content", "status", "priority"} for e in record.entries):
            return {"entries"}, [table(["entry", "status", "priority"], rows)]
    return set(), []


def _told(**members: object) -> set[str]:
    """The members that the head tells whole."""
    return {name for name, v in members.items() if v is not None and one_line(str(v)) == str(v)}


def _call(record: ToolCall, room: Room) -> tuple[set[str], list[Child]]:
    parts: list[Child] = []
    if record.title is not None:
        parts.append(el("div", value(record.title, room)))
    if "arguments" in record.model_fields_set:
        arguments = record.arguments
        text = arguments if isinstance(arguments, str) else json_text(arguments, indent=True)
        parts.append(passage(text, room, mono=True))
    return {"title", "arguments", *_told(name=record.name, status=record.status)}, parts


def _result(record: ToolResult, room: Room) -> tuple[set[str], list[Child]]:
    shown = {"exitCode", *_told(outcome=record.outcome, durationMs=record.duration_ms)}
    parts: list[Child] = []
    if record.error is not None and not record.error.model_extra:
        shown.add("error")
        error = record.error
        said = [None if t is None else [value(t, room), " "] for t in (error.code, error.message)]
        parts.append(el("div", tag("error", "error"), " ", said))
    if record.content is not None:
        shown.add("content")
        parts.append(blocks(record.content, room))
    if "structured" in record.model_fields_set:
        shown.add("structured")
        parts.append(passage(json_text(record.structured, indent=True), room, mono=True, label="structured"))
    return shown, parts


def card(record: Record | InvalidRecord, room: Room, marks: Child = None) -> Element:
    """A record, opened."""
    return el(
        "section",
        el("div", _head(record, room), marks, cls="line"),
        el("div", body(record, room), cls="body"),
        cls="card",
    )


def entry(record: Record | InvalidRecord, room: Room, marks: Child = None) -> Element:
    """A record in a list of them: a line that opens. What people and models say is open from the start."""
    opened = isinstance(record, Message | Compaction)
    line = el("span", el("bdi", one_line(said(record))), cls="said")
    return fold(
        [_head(record, room), marks, None if isinstance(record, Message | Compaction) else [" ", line]],
        el("div", body(record, room), cls="body"),
        is_open=opened,
        cls="entry",
    )


def wire_object(wire: dict[str, Any], name: str, room: Room) -> Element:
    """Any other object of the wire."""
    return el("section", el("div", el("strong", name, cls="kind other"), cls="line"), members(wire, room), cls="card")
