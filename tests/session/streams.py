"""Random streams for the session's tests: branches, revisions, rewinds, compactions, broken refs."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

HEADER = {"type": "session", "seq": 1, "id": "r1", "agent": "a", "sessionId": "s", "producer": {"method": "native"}}


def reference(record: dict[str, Any]) -> str:
    """The ref of the entity that a participating record describes."""
    kind = record["type"]
    if kind == "message":
        return f"messageId={record['messageId']}"
    if kind == "tool_call":
        return f"callId={record['callId']}"
    if kind == "compaction":
        return f"compactionId={record['compactionId']}"
    return str(record["id"])


@st.composite
def streams(draw: st.DrawFn, max_size: int = 24) -> list[dict[str, Any]]:
    """Records of a stream as plain JSON. Refs name earlier, later, audit-only and missing things."""
    records: list[dict[str, Any]] = [HEADER]
    seq = 1
    for n in range(draw(st.integers(0, max_size))):
        seq += draw(st.sampled_from([1, 1, 1, 2, 0, -1]))
        record: dict[str, Any] = {"seq": max(seq, 0), "id": f"r{n + 2}"}
        key = draw(st.integers(0, 6))
        refs = [reference(r) for r in records if r["type"] in ("message", "tool_call", "tool_result", "compaction")]
        odd = [f"messageId=m{key}", f"callId=c{key}", "r1", f"r{n + 4}", "nowhere", record["id"]]
        some_ref = st.sampled_from([*refs * 3, *odd])
        kind = draw(
            st.sampled_from(
                ["message"] * 4 + ["tool_call", "tool_result", "compaction", "compaction", "rewind", "usage"]
            )
        )
        record["type"] = kind
        if kind == "message":
            record |= {"messageId": f"m{key}", "role": "user"}
        elif kind in ("tool_call", "tool_result"):
            record |= {"callId": f"c{key}"}
        elif kind == "compaction":
            record |= {"compactionId": f"k{key}"}
            status = draw(st.sampled_from([None, None, "completed", "in_progress", "failed"]))
            if status is not None:
                record["status"] = status
            if draw(st.booleans()):
                record["keptFrom"] = draw(some_ref)
        elif kind == "rewind":
            record["to"] = draw(st.one_of(st.none(), some_ref))
        if kind not in ("rewind", "usage") and draw(st.integers(0, 3)) == 0:
            record["predecessor"] = draw(some_ref)
        records.append(record)
    return records
