"""The frame of messages: one row a message, in its latest revision."""

from __future__ import annotations

from typing import Final

from sessionrecord.display.frames.columns import (
    FLAG,
    INTEGER,
    STRING,
    TEXT,
    Column,
    Frame,
    Rows,
    incomplete,
    joined,
    members,
    moment_column,
)
from sessionrecord.display.frames.place import Places, seq_of
from sessionrecord.records import (
    AudioBlock,
    Blocks,
    FileBlock,
    ImageBlock,
    Message,
    ReasoningBlock,
    TextBlock,
)
from sessionrecord.records.base import WireModel
from sessionrecord.session.core import Core
from sessionrecord.session.index import entity_key

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

_AS_SAID: Final = (
    "turn_id", "timestamp", "role", "origin", "participant", "conversation", "model", "model_call_id", "stop_reason",
)  # fmt: skip
"""Columns that are members of the record."""


def messages(core: Core, at: int | None) -> Rows:
    """The rows of the messages that are there at `at`, in the order of their first records."""
    log, index = core.log, core.index
    end = log.end(at)
    places = Places(core, at)
    firsts = [i for i in log.of_types(("message",), end) if index.first[i] == i]
    chains = [index.revisions(i, end) for i in firsts]
    found = list(core.records([chain[-1] for chain in chains]))
    said = [record if isinstance(record, Message) else None for record in found]
    contents = [None if m is None else m.content for m in said]
    return {
        "message_id": [_key(core, i) if m is None else m.message_id for i, m in zip(firsts, said, strict=True)],
        "line": [log.line_number(i) for i in firsts],
        "seq": [seq_of(core, i) for i in firsts],
        "last_seq": [seq_of(core, chain[-1]) for chain in chains],
        "revisions": [len(chain) for chain in chains],
        "valid": [m is not None for m in said],
        **{name: members(said, name) for name in _AS_SAID},
        "text": [None if blocks is None else joined(blocks) for blocks in contents],
        "reasoning": [None if blocks is None else _reasoning(blocks) for blocks in contents],
        "blocks": [None if blocks is None else len(blocks) for blocks in contents],
        "text_blocks": _count(contents, TextBlock),
        "reasoning_blocks": _count(contents, ReasoningBlock),
        "media_blocks": _count(contents, ImageBlock, AudioBlock, FileBlock),
        "incomplete": [None if m is None else incomplete(m) for m in said],
        "on_path": [i in places.path for i in firsts],
        "in_context": [i in places.context for i in firsts],
        "absent": [places.absent[i].reason if i in places.absent else None for i in firsts],
        "absent_by": [places.absent[i].by if i in places.absent else None for i in firsts],
    }


def _reasoning(blocks: Blocks) -> str | None:
    texts = [b.text for b in blocks if isinstance(b, ReasoningBlock) and b.text is not None]
    return "".join(texts) if texts else None


def _count(contents: list[Blocks | None], *kinds: type[WireModel]) -> list[int | None]:
    return [None if blocks is None else sum(isinstance(b, kinds) for b in blocks) for blocks in contents]


def _key(core: Core, first: int) -> str | None:
    return entity_key("message", core.log.value(first))
