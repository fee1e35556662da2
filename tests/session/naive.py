"""A direct reading of the structure rules (spec section 7), with no index: what the session must agree with."""

from __future__ import annotations

from typing import Any

KEYS = {"message": "messageId", "tool_call": "callId", "tool_result": "callId", "compaction": "compactionId"}
NAMED = {"messageId": "message", "callId": "tool_call", "compactionId": "compaction"}

Identity = tuple[str, str]


def identity(record: dict[str, Any]) -> Identity:
    """An entity is its record type and the value of its entity key; without one, its record ID."""
    kind = record["type"]
    return (kind, record[KEYS[kind]]) if kind in KEYS else ("record", record["id"])


def named_by(ref: str, records: list[dict[str, Any]]) -> Identity | None:
    """What a ref names among these records."""
    key, equals, value = ref.partition("=")
    if equals and key in NAMED:
        wanted = (NAMED[key], value)
        return wanted if any(identity(r) == wanted for r in records) else None
    return next((identity(r) for r in records if r["id"] == ref), None)


def counting(records: list[dict[str, Any]], at: int | None) -> list[dict[str, Any]]:
    """The records that count at a seq; one whose seq is not above all earlier ones counts with the highest before it."""
    if at is None:
        return records
    out, top = [], -1
    for r in records:
        top = max(top, r["seq"])
        if top <= at:
            out.append(r)
    return out


def fold(records: list[dict[str, Any]]) -> tuple[Identity | None, dict[Identity, Identity | None]]:
    """The head after these records, and every joined entity's predecessor."""
    head: Identity | None = None
    predecessor: dict[Identity, Identity | None] = {}
    for n, r in enumerate(records):
        me = identity(r)
        if r["type"] == "rewind":
            to = r["to"]
            target = None if to is None else named_by(to, records[:n])
            if to is None or target in predecessor:
                head = target
        elif r["type"] in KEYS and me not in predecessor:
            if "predecessor" in r:
                before = named_by(r["predecessor"], records[:n])
                predecessor[me] = before if before in predecessor else None
            else:
                predecessor[me] = head
            head = me
    return head, predecessor


def path(head: Identity | None, predecessor: dict[Identity, Identity | None]) -> list[Identity]:
    """Predecessors followed back, root first."""
    out: list[Identity] = []
    while head is not None:
        out.insert(0, head)
        head = predecessor[head]
    return out


def view(records: list[dict[str, Any]], head: Identity | None) -> list[Identity]:
    """The context view from a head over these records."""
    _, predecessor = fold(records)
    out: list[Identity] = []
    for entity in path(head, predecessor):
        if entity[0] != "compaction":
            out = [*out, entity]
            continue
        latest = [r for r in records if identity(r) == entity][-1]
        if latest.get("status", "completed") != "completed":
            continue
        kept = named_by(latest["keptFrom"], records) if "keptFrom" in latest else None
        out = [entity, *(out[out.index(kept) :] if kept in out else [])]
    return out
