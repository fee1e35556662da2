"""The frame of records: one row a record, read from the line without typing it."""

from __future__ import annotations

from typing import Any, Final

from sessionrecord.display.frames.columns import FLAG, INTEGER, STRING, TEXT, Column, Frame, Rows, moment_column
from sessionrecord.display.frames.place import Places
from sessionrecord.ijson import MAX_SAFE_INTEGER
from sessionrecord.records import PARTICIPATING_TYPES
from sessionrecord.session.core import Core

__all__ = ["RECORDS", "records"]

EXCERPT: Final = 200
"""Characters of the column `text`."""

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
    log, first = core.log, core.index.first
    end = log.end(at)
    places = Places(core, at)
    refs = list[str]()
    revisions = list[int]()
    latest = list[bool]()
    rows = RECORDS.empty()
    rows["line"] = [log.line_number(i) for i in range(end)]
    rows["at"] = list(log.seqs[:end])
    add = {name: values.append for name, values in rows.items()}
    seq, record_id, record_type = add["seq"], add["id"], add["type"]
    turn_id, timestamp, participant, conversation = (
        add["turn_id"], add["timestamp"], add["participant"], add["conversation"],
    )  # fmt: skip
    on_path, in_context, role, model = add["on_path"], add["in_context"], add["role"], add["model"]
    name, outcome, text, size = add["name"], add["outcome"], add["text"], add["bytes"]
    last_of = dict[int, int]()
    for i in range(end):
        members, kind, entity = log.value(i), log.type(i), first[i]
        get = members.get
        own = get("seq")
        seq(own if type(own) is int and 0 <= own <= MAX_SAFE_INTEGER else None)
        record_id(_string(get("id")))
        record_type(kind)
        turn_id(_string(get("turnId")))
        timestamp(_string(get("timestamp")))
        participant(_string(get("participant")))
        conversation(_string(get("conversation")))
        if entity == i:
            refs.append(core.index.ref(i))
            revisions.append(1)
        else:
            before = last_of.get(entity, entity)
            refs.append(refs[entity])
            revisions.append(revisions[before] + 1)
            latest[before] = False
            last_of[entity] = i
        latest.append(True)
        takes_part = kind in PARTICIPATING_TYPES
        on_path(entity in places.path if takes_part else None)
        in_context(entity in places.context if takes_part else None)
        role(_string(get("role")) if kind == "message" else None)
        model(_string(get("model")) if kind in ("message", "model_call", "usage") else None)
        name(_string(get("name")) if kind == "tool_call" else None)
        outcome(_string(get("outcome")) if kind == "tool_result" else None)
        text(_excerpt(get("summary" if kind == "compaction" else "content")) if takes_part else None)
        size(len(log.line(i)))
    return {**rows, "entity": refs, "revision": revisions, "latest": latest}


def _string(value: Any) -> str | None:
    return value if type(value) is str else None


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
