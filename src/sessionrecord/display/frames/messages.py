"""The frame of messages: one row a message, in its latest revision."""

from __future__ import annotations

from typing import Final

from sessionrecord.display.frames.columns import FLAG, INTEGER, STRING, TEXT, Column, Frame, Rows, moment_column
from sessionrecord.display.frames.place import Places
from sessionrecord.records import (
    AudioBlock,
    FileBlock,
    ImageBlock,
    InvalidRecord,
    Message,
    ReasoningBlock,
    Record,
    TextBlock,
)
from sessionrecord.session.core import Core

__all__ = ["MESSAGES", "messages"]

MESSAGES: Final = Frame(
    "messages",
    "a message, in its latest revision",
    (
        Column("message_id", STRING, "the entity key"),
        Column("line", INTEGER, "line of its first record, from 1"),
        Column("seq", INTEGER, "the `seq` that its first record counts with: where it joined the conversation"),
        Column("last_seq", INTEGER, "the `seq` that its latest revision counts with"),
        Column("revisions", INTEGER, "how many records describe it"),
        Column("valid", FLAG, "whether its latest revision keeps the rules; where it does not, what that says is null"),
        Column("turn_id", STRING, "the turn it belongs to"),
        *moment_column("timestamp", "when its latest revision was written, as the source says"),
        Column("role", STRING, "who speaks"),
        Column("origin", STRING, "where an input came from"),
        Column("participant", STRING, "ID of the participant who wrote it"),
        Column("conversation", STRING, "ID of its conversation"),
        Column("model", STRING, "the model that wrote it"),
        Column("model_call_id", STRING, "the model call that it came from"),
        Column("stop_reason", STRING, "why the model stopped"),
        Column("text", TEXT, "its text blocks, joined as they stand; null where it has no content member"),
        Column("reasoning", TEXT, "the readable text of its reasoning blocks, joined as it stands; null where there is none"),
        Column("blocks", INTEGER, "content blocks"),
        Column("text_blocks", INTEGER, "text blocks"),
        Column("reasoning_blocks", INTEGER, "reasoning blocks"),
        Column("media_blocks", INTEGER, "image, audio and file blocks"),
        Column("incomplete", FLAG, "whether a capture state says that a member is not complete"),
        Column("on_path", FLAG, "whether it is on the active path"),
        Column("in_context", FLAG, "whether it is in the context view"),
        Column("absent", STRING, "why it is not in the context view: rewound, compacted, other-branch"),
        Column("absent_by", STRING, "ref of the compaction, or ID of the rewind, that took it out"),
    ),
)  # fmt: skip


def messages(core: Core, at: int | None) -> Rows:
    """The rows of the messages that are there at `at`, in the order of their first records."""
    log, index = core.log, core.index
    end = log.end(at)
    places = Places(core, at)
    rows = MESSAGES.empty()
    for first in log.of_types(("message",), end):
        if index.first[first] != first:
            continue
        chain = index.revisions(first, end)
        record = core.record(chain[-1])
        absent, by = places.absent.get(first, (None, None))
        row = {
            "message_id": _message_id(core, record, first),
            "line": log.line_number(first),
            "seq": log.seqs[first],
            "last_seq": log.seqs[chain[-1]],
            "revisions": len(chain),
            "on_path": first in places.path,
            "in_context": first in places.context,
            "absent": absent,
            "absent_by": by,
            **_said(record),
        }
        for name, values in rows.items():
            values.append(row.get(name))
    return rows


def _message_id(core: Core, record: Record | InvalidRecord, first: int) -> str | None:
    if isinstance(record, Message):
        return record.message_id
    key = core.log.value(first).get("messageId")
    return key if isinstance(key, str) else None


def _said(record: Record | InvalidRecord) -> dict[str, object]:
    if not isinstance(record, Message):
        return {"valid": False}
    blocks = record.content
    said: dict[str, object] = {
        "valid": True,
        "turn_id": record.turn_id,
        "timestamp": record.timestamp,
        "role": record.role,
        "origin": record.origin,
        "participant": record.participant,
        "conversation": record.conversation,
        "model": record.model,
        "model_call_id": record.model_call_id,
        "stop_reason": record.stop_reason,
        "incomplete": any(state.state != "complete" for state in (record.capture or {}).values()),
    }
    if blocks is None:
        return said
    reasoning = [b.text for b in blocks if isinstance(b, ReasoningBlock) and b.text is not None]
    return said | {
        "text": record.text,
        "reasoning": "".join(reasoning) if reasoning else None,
        "blocks": len(blocks),
        "text_blocks": sum(isinstance(b, TextBlock) for b in blocks),
        "reasoning_blocks": sum(isinstance(b, ReasoningBlock) for b in blocks),
        "media_blocks": sum(isinstance(b, ImageBlock | AudioBlock | FileBlock) for b in blocks),
    }
