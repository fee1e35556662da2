"""Sessions as Markdown: what happened, in order, for people to read and to put under version control.

Stream text stands in fenced code blocks and inline code only, so nothing in it is read as markup.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from sessionrecord import ijson
from sessionrecord.display.visible import visible
from sessionrecord.export.exported import Exported
from sessionrecord.export.material import Item, Material, gather, opened, rest, session_reference
from sessionrecord.export.plain import code, fence, json_text
from sessionrecord.export.report import LossReport
from sessionrecord.records import (
    AudioBlock,
    Block,
    Blocks,
    Compaction,
    Declaration,
    DiffBlock,
    FileBlock,
    ImageBlock,
    Message,
    ModelCall,
    ReasoningBlock,
    Record,
    Rewind,
    SessionInfo,
    TextBlock,
    ToolCall,
    ToolResult,
    Usage,
)
from sessionrecord.session import ModelUsage, Session, SessionAt
from sessionrecord.session.session import Views

__all__ = ["to_markdown"]

_ROLES: Final = {"user": "User", "assistant": "Assistant", "system": "System", "developer": "Developer"}
_GONE: Final = {
    "rewound": "taken back by a rewind",
    "other-branch": "on another branch",
    "compacted": "no longer in context at the end: replaced by a compaction",
    "not-applied": "not applied",
}
_COUNTS: Final = {
    "input": "input_tokens",
    "output": "output_tokens",
    "cache read": "cache_read_tokens",
    "cache write": "cache_write_tokens",
    "reasoning": "reasoning_tokens",
    "total": "total_tokens",
}
_META: Final = ("timestamp", "turnId", "participant", "conversation", "source")


def to_markdown(session: Session | SessionAt, *, at: int | None = None) -> Exported:
    """A session, or what there was of it at a `seq`, as CommonMark with one table of GitHub's kind."""
    report = LossReport("markdown")
    views, at = opened(session, at, "to_markdown")
    material = gather(views, at, report)
    page = _Page(report)
    parts = [
        *page.session(views, at, material),
        *page.history(material),
        *page.off_path(material),
        *page.usage(views, at, material),
        *page.details(material),
    ]
    return Exported("\n\n".join(parts) + "\n", report)


class _Page:
    """Writes the parts of a page: each is a paragraph, a heading, a list, a table or a fenced block."""

    def __init__(self, report: LossReport) -> None:
        self._report = report
        self._names: dict[str, str | None] = {}

    def session(self, session: Views, at: int | None, material: Material) -> Iterator[str]:
        """What the session is."""
        header, info = material.header, session.info(at)
        yield f"# Session {code(info.title)}" if info.title else "# Session"
        facts = []
        if header is not None:
            reference = session_reference(header) or ""
            facts = [f"- agent: {code(header.agent)}"]
            if header.agent_version is not None:
                facts.append(f"- agent version: {code(header.agent_version)}")
            facts += [f"- session: {code(header.session_id)}", f"- reference: {code(reference)}"]
        if at is not None:
            facts.append(f"- as it was at seq {at}")
        declared = session.declared(None if at is None else at + 1)  # those at `at` itself count
        if declared.content_level is not None:
            facts.append(f"- content level: {code(declared.content_level)}")
        if declared.losses:
            facts.append(f"- kinds of losses on the way here: {len(declared.losses)}, listed at the end")
        if facts:
            yield "\n".join(facts)
        if info.summary:
            yield "Summary:"
            yield fence(visible(info.summary))

    def history(self, material: Material) -> Iterator[str]:
        """What happened: the active path, and between its entities what else was recorded."""
        yield "## History"
        items = [*material.path, *(i for i in material.audit if not _counted(i.record) and not _detail(i.record))]
        items.sort(key=lambda item: item.order)
        self._names = {i.record.call_id: i.record.name for i in material.path if isinstance(i.record, ToolCall)}
        if not items:
            yield "Nothing is recorded."
        for number, item in enumerate(items, 1):
            yield from self._entry(number, item)
        for item in material.audit:
            if _counted(item.record):
                self._report.add("folded", item.record.type, item.record)

    def details(self, material: Material) -> Iterator[str]:
        """What describes the session and its source rather than what happened: at the end, so that a reader meets what happened first."""
        details = [item for item in material.audit if _detail(item.record)]
        if details:
            yield "## Details"
        for item in details:
            yield f"### Record {code(item.record.type)}"
            yield self._facts(item, [])
            yield from self._more(item.record, ())
        if material.header is not None:
            yield "## Header"
            yield _json(rest(material.header, ("agent", "agentVersion", "sessionId")))

    def _entry(self, number: int, item: Item) -> Iterator[str]:
        record = item.record
        if isinstance(record, Message):
            role = _ROLES.get(record.role) or code(record.role)
            yield f"### {number}. {role}"
            yield self._facts(
                item,
                [
                    ("message", record.message_id),
                    ("model call", record.model_call_id),
                    ("model", record.model),
                    ("stop reason", record.stop_reason),
                    ("origin", record.origin),
                ],
            )
            yield from self._blocks(record, "content", record.content)
            yield from self._more(
                record, ("role", "messageId", "content", "model", "stopReason", "origin", "modelCallId")
            )
        elif isinstance(record, ToolCall):
            yield f"### {number}. Tool call {'without a name' if record.name is None else code(record.name)}"
            child = record.child_session
            yield self._facts(
                item,
                [
                    ("call", record.call_id),
                    ("model call", record.model_call_id),
                    ("status", record.status),
                    ("child session", child),
                ],
            )
            if child is not None:
                self._report.add("child_session", "childSession", record, "/childSession", kept=True)
            if "arguments" in record.model_fields_set:
                yield "Arguments:"
                yield _json(record.arguments)
            yield from self._more(record, ("callId", "name", "status", "childSession", "arguments", "modelCallId"))
        elif isinstance(record, ToolResult):
            name = self._names.get(record.call_id)
            yield f"### {number}. Result{'' if name is None else f' of {code(name)}'}"
            if record.call_id not in self._names:
                yield "The call of this result is not on the path."
            exit_code = None if record.exit_code is None else str(record.exit_code)
            yield self._facts(item, [("call", record.call_id), ("outcome", record.outcome), ("exit code", exit_code)])
            yield from self._blocks(record, "content", record.content)
            yield from self._more(record, ("callId", "outcome", "exitCode", "content"))
        elif isinstance(record, Compaction):
            yield f"### {number}. Compaction"
            yield _compaction(record)
            yield self._facts(
                item, [("compaction", record.compaction_id), ("status", record.status), ("kept from", record.kept_from)]
            )
            yield from self._blocks(record, "summary", record.summary)
            yield from self._more(record, ("compactionId", "status", "keptFrom", "summary"))
        elif isinstance(record, Rewind):
            yield f"### {number}. Rewind"
            to = "the start" if record.to is None else code(record.to)
            yield f"The conversation went back to {to}; what came after it is not on the path."
            yield self._facts(item, [])
            yield from self._more(record, ("to",))
        else:
            yield f"### {number}. Record {code(record.type)}"
            yield self._facts(item, [])
            yield from self._more(record, ())

    def _facts(self, item: Item, named: list[tuple[str, str | None]]) -> str:
        """A list of what names the record and says when it happened; what `named` has as None is left out."""
        record = item.record
        lines = [f"- record: {code(record.id)}, seq {record.seq}"]
        if record.timestamp is not None:
            lines.append(f"- time: {record.timestamp}")
        pairs = [("turn", record.turn_id), ("participant", record.participant), ("conversation", record.conversation)]
        lines += [f"- {name}: {code(value)}" for name, value in (*pairs, *named) if value is not None]
        if item.absent in _GONE:
            by = "" if item.by is None else f" ({code(item.by)})"
            lines.append(f"- {_GONE[item.absent]}{by}")
        if record.source is not None:
            self._report.add("member_left_out", "source", record, "/source")
        return "\n".join(lines)

    def _more(self, record: Record, used: tuple[str, ...]) -> Iterator[str]:
        """The members that are not shown in another way."""
        members = {k: v for k, v in rest(record, (*_META, *used)).items() if k not in ("type", "seq", "id")}
        if members:
            yield "Also recorded:" if used else "Members:"
            yield _json(members)

    def _blocks(self, record: Record, member: str, blocks: Blocks | None) -> Iterator[str]:
        if blocks is None:
            yield "No content is recorded."
        for index, block in enumerate(blocks or ()):
            yield from self._block(record, block, ijson.pointer(member, index))

    def _block(self, record: Record, block: Block, place: str) -> Iterator[str]:
        wire = {name: value for name, value in block.to_wire().items() if name != "type"}
        if isinstance(block, TextBlock):
            yield self._text(record, wire.pop("text"), place)
        elif isinstance(block, ReasoningBlock):
            yield "Reasoning:"
            if block.text is not None:
                yield self._text(record, wire.pop("text"), place)
            for name in ("signature", "encrypted"):
                if name in wire:
                    hidden = wire.pop(name)
                    yield f"- {name}: {len(hidden)} characters, not shown"
                    self._report.add("binary_left_out", name, record, f"{place}/{name}")
        elif isinstance(block, ImageBlock | AudioBlock | FileBlock):
            yield f"Of type {block.type}, {code(wire.pop('mimeType'))}:"
            if block.data is not None:
                size = len(wire.pop("data")) * 3 // 4
                yield f"- about {size} bytes, not included"
                self._report.add("binary_left_out", block.type, record, f"{place}/data")
        elif isinstance(block, DiffBlock):
            yield f"Change of {code(wire.pop('path'))}:"
            for name, title in (("oldText", "before"), ("newText", "after")):
                if name in wire:
                    yield f"Text {title}:"
                    yield self._text(record, wire.pop(name), f"{place}/{name}")
        else:
            yield f"Of type {code(block.type)}:"
        if wire:
            yield _json(wire)

    def _text(self, record: Record, text: str, place: str) -> str:
        shown = visible(text)
        if shown != text:
            self._report.add("characters_escaped", record.type, record, place)
        return fence(shown)

    def off_path(self, material: Material) -> Iterator[str]:
        """What is recorded and not part of the history."""
        if not material.off_path:
            return
        yield "## Not on the path"
        lines = []
        for item in material.off_path:
            by = "" if item.by is None else f" ({code(item.by)})"
            why = _GONE.get(item.absent or "", "")
            lines.append(f"- {item.record.type} {code(item.ref)}, seq {item.record.seq}: {why}{by}")
            self._report.add("not_on_path", item.record.type, item.record)
        yield "\n".join(lines)

    def usage(self, session: Views, at: int | None, material: Material) -> Iterator[str]:
        """Tokens and costs of the whole session."""
        usage = session.usage(at)
        if not usage.by_model:
            return
        yield "## Usage"
        names = [n for n, a in _COUNTS.items() if any(getattr(u, a) is not None for u in usage.by_model.values())]
        rows = [
            f"| {'no model named' if model is None else code(model)} | {' | '.join(_count(u, _COUNTS[n]) for n in names)} |"
            for model, u in usage.by_model.items()
        ]
        if names:
            head = f"| model | {' | '.join(names)} |"
            yield "\n".join([head, f"| --- | {' | '.join('---:' for _ in names)} |", *rows])
            yield "Tokens. A number with + is of those model calls that recorded it."
        notes = [f"- cost: {amount} {code(currency)}" for currency, amount in usage.costs.items()]
        if usage.costs_missing:
            notes.append(f"- without a cost, so it was at least that much: {usage.costs_missing}")
        if usage.incomplete:
            notes.append(f"- usage records that say that a count is not complete: {usage.incomplete}")
        notes += [f"- child session: {code(child)}" for child in usage.children]
        if notes:
            yield "\n".join(notes)


def _json(value: Any) -> str:
    return fence(json_text(value), "json")


def _counted(record: Record) -> bool:
    """Whether the table of usage is all that is told of a record: a model call that failed is part of what happened."""
    if isinstance(record, ModelCall):
        return record.status != "failed" and record.error is None
    return isinstance(record, Usage)


def _detail(record: Record) -> bool:
    """Whether a record describes the session, or keeps a line of its source that no record is meant for."""
    return isinstance(record, Declaration | SessionInfo) or record.type == "native_line"


def _compaction(record: Compaction) -> str:
    if record.status not in (None, "completed"):
        return "It was not completed, and the context stayed as it was."
    kept = "" if record.kept_from is None else f", up to {code(record.kept_from)}"
    return f"From here on the model saw this summary in place of what came before{kept}."


def _count(usage: ModelUsage, attribute: str) -> str:
    value = getattr(usage, attribute)
    if value is None:
        return "unknown"
    return f"{value}{'+' if usage.missing.get(attribute) else ''}"
