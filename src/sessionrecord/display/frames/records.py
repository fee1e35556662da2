"""The frame of records: one row a record, read from the line without typing it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from sessionrecord.display.frames.columns import FLAG, INTEGER, STRING, TEXT, Column, Frame, Rows, moment_column
from sessionrecord.display.frames.place import Places
from sessionrecord.ijson import MAX_SAFE_INTEGER
from sessionrecord.records import PARTICIPATING_TYPES
from sessionrecord.refs import ENTITY_KEY_OF_TYPE, ENTITY_KEYS
from sessionrecord.session.core import Core
from sessionrecord.session.index import entity_key

__all__ = ["RECORDS", "records"]

EXCERPT: Final = 200
"""Characters of the column `text`."""
_OF_MODELS: Final = frozenset({"message", "model_call", "usage"})
_TEXT_IN: Final = {"message": "content", "tool_result": "content", "compaction": "summary"}
"""Record type to the member that holds its text."""

RECORDS: Final = Frame(
    "records",
    "a record",
    (
        Column("line", INTEGER, "line in the stream, from 1"),
        Column("seq", INTEGER, "the record's `seq`; null where it is not a valid one"),
        Column("at", INTEGER, "the `seq` that it counts with in every view: its own, or the highest before it if that is not lower"),
        Column("id", STRING, "record ID"),
        Column("type", STRING, "record type; null where none can be read"),
        Column("turn_id", STRING, "the turn it belongs to"),
        *moment_column("timestamp", "when it happened, as the source says; it orders nothing"),
        Column("participant", STRING, "ID of the participant who caused it"),
        Column("conversation", STRING, "ID of its conversation"),
        Column("entity", STRING, "ref of the entity that it describes"),
        Column("revision", INTEGER, "which of the entity's records this is, from 1"),
        Column("latest", FLAG, "whether it is the entity's latest revision"),
        Column("on_path", FLAG, "whether its entity is on the active path; null for types that take no part in the context"),
        Column("in_context", FLAG, "whether its entity is in the context view; null for types that take no part in the context"),
        Column("role", STRING, "who speaks: messages"),
        Column("model", STRING, "the model: messages, model calls, usage"),
        Column("name", STRING, "the tool's name: tool calls"),
        Column("outcome", STRING, "how the call ended: tool results"),
        Column("text", TEXT, f"the first {EXCERPT} characters of the text of a message, a tool result or a compaction's summary"),
        Column("bytes", INTEGER, "size of the line in bytes, its end not counted"),
    ),
)  # fmt: skip


def records(core: Core, at: int | None) -> Rows:
    """The rows of the records up to `at`, in file order."""
    log = core.log
    end = log.end(at)
    rows = RECORDS.empty()
    rows["line"] = [log.line_number(i) for i in range(end)]
    rows["at"] = [seq if seq >= 0 else None for seq in log.seqs[:end]]
    rows["type"] = [log.types[code] or log.type(i) for i, code in enumerate(log.type_codes[:end])]
    for batch, lines, members in core.read(0, end):
        for name, values in _read(rows["type"][batch.start : batch.stop], lines, members).items():
            rows[name] += values
    first = core.index.first[:end]
    _count_revisions(rows, first)
    _place(rows, first, Places(core, at))
    return rows


def _read(types: list[str | None], lines: list[bytes], members: list[dict[str, Any]]) -> Rows:
    """What the lines themselves say."""
    both = list(zip(types, members, strict=True))
    return {
        "seq": [
            v if type(v := m.get("seq")) is int and 0 <= v <= MAX_SAFE_INTEGER else None for m in members
        ],
        "id": [v if type(v := m.get("id")) is str else None for m in members],
        "turn_id": [v if type(v := m.get("turnId")) is str else None for m in members],
        "timestamp": [v if type(v := m.get("timestamp")) is str else None for m in members],
        "participant": [v if type(v := m.get("participant")) is str else None for m in members],
        "conversation": [v if type(v := m.get("conversation")) is str else None for m in members],
        "entity": [_ref(t, m) for t, m in both],
        "role": [v if t == "message" and type(v := m.get("role")) is str else None for t, m in both],
        "model": [v if t in _OF_MODELS and type(v := m.get("model")) is str else None for t, m in both],
        "name": [v if t == "tool_call" and type(v := m.get("name")) is str else None for t, m in both],
        "outcome": [v if t == "tool_result" and type(v := m.get("outcome")) is str else None for t, m in both],
        "text": [_excerpt(m.get(_TEXT_IN[t])) if t in _TEXT_IN else None for t, m in both],
        "bytes": list(map(len, lines)),
    }  # fmt: skip


def _ref(record_type: str | None, members: dict[str, Any]) -> str | None:
    """The ref of the entity that a record would be the first of, as `Index.ref` gives it."""
    key = entity_key(record_type, members)
    if key is not None and record_type is not None:
        name = ENTITY_KEY_OF_TYPE[record_type]
        if ENTITY_KEYS[name] == record_type:
            return f"{name}={key}"
    record_id = members.get("id")
    return record_id if type(record_id) is str else None


def _count_revisions(rows: Rows, first: Sequence[int]) -> None:
    refs, revisions, latest = rows["entity"], [1] * len(first), [True] * len(first)
    last_of = dict[int, int]()
    for i, entity in enumerate(first):
        if entity != i:
            before = last_of.get(entity, entity)
            refs[i] = refs[entity]
            revisions[i] = revisions[before] + 1
            latest[before] = False
            last_of[entity] = i
    rows["revision"], rows["latest"] = revisions, latest


def _place(rows: Rows, first: Sequence[int], places: Places) -> None:
    for name, there in (("on_path", places.path), ("in_context", places.context)):
        rows[name] = [
            e in there if t in PARTICIPATING_TYPES else None for e, t in zip(first, rows["type"], strict=True)
        ]


def _excerpt(blocks: Any) -> str | None:
    if type(blocks) is not list:
        return None
    text = ""
    for block in blocks:
        if type(block) is dict and block.get("type") == "text" and type(block.get("text")) is str:
            text += block["text"][:EXCERPT]
            if len(text) >= EXCERPT:
                break
    return text[:EXCERPT]
