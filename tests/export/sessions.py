"""Sessions to export: drawn ones, whose records share few keys so that they belong together, and small ones by hand."""

from __future__ import annotations

from typing import Any

from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from sessionrecord import ijson
from sessionrecord.records import RECORD_TYPES, SessionHeader, UnknownRecord
from sessionrecord.session import Session
from tests.strategies import wire_objects

Wire = dict[str, Any]

_POOLS: dict[str, list[str]] = {
    "messageId": ["m1", "m2", "m3", "m4"],
    "callId": ["c1", "c2", "c3"],
    "modelCallId": ["mc1", "mc2"],
    "compactionId": ["k1", "k2"],
    "parentCallId": ["c1", "c2", "c3"],
    "predecessor": ["messageId=m1", "callId=c1", "r3", "r4", "nothing"],
    "keptFrom": ["messageId=m1", "callId=c1", "r3"],
    "to": ["messageId=m1", "messageId=m2", "callId=c1", "r2"],
}
_OFTEN = [
    "message",
    "message",
    "message",
    "tool_call",
    "tool_call",
    "tool_result",
    "tool_result",
    "usage",
    "model_call",
]
_ANY = [*_OFTEN, *(t for t in RECORD_TYPES if t != "session"), "x-unknown"]


def _drawn(cls: type[BaseModel], count: int) -> list[Wire]:
    """Some wire objects of a model. Drawing one takes longer than exporting ten, so sessions share these."""
    found: list[Wire] = []

    @settings(max_examples=count, derandomize=True, database=None, phases=[Phase.generate])
    @given(wire_objects(cls))
    def collect(wire: Wire) -> None:
        found.append(wire)

    collect()
    return found


_WIRES = {
    name: _drawn(RECORD_TYPES.get(name, UnknownRecord), 24 if name in _OFTEN else 8) for name in dict.fromkeys(_ANY)
}
_HEADERS = _drawn(SessionHeader, 12)


@st.composite
def _wire(draw: st.DrawFn, seq: int) -> Wire:
    name = draw(st.sampled_from(_ANY))
    wire = dict(draw(st.sampled_from(_WIRES[name])))
    for member, pool in _POOLS.items():
        if member in wire and wire[member] is not None:
            wire[member] = draw(st.sampled_from(pool))
    if name in ("message", "tool_call", "tool_result", "compaction") and draw(st.integers(0, 3)):
        wire.pop("predecessor", None)
    if name == "message" and draw(st.booleans()):
        wire["role"] = draw(st.sampled_from(["user", "assistant", "assistant", "system", "developer"]))
    return {**wire, "type": name, "seq": seq, "id": f"r{seq}"}


@st.composite
def session_lines(draw: st.DrawFn) -> bytes:
    """The lines of a stream: a header, records of every type, and now and then a line that is no record."""
    header = draw(st.sampled_from(_HEADERS))
    wires = [{**header, "type": "session", "seq": 1, "id": "r1"}]
    wires += [draw(_wire(seq)) for seq in range(2, draw(st.integers(2, 12)))]
    lines = [ijson.dumps(wire) for wire in wires]
    if draw(st.integers(0, 4)) == 0:
        broken = draw(st.sampled_from([b'{"type":"message","id":"r99"}', b"{not json", b'"text"']))
        lines.insert(draw(st.integers(1, len(lines))), broken)
    return b"".join(line + b"\n" for line in lines)


def sessions() -> st.SearchStrategy[Session]:
    """Sessions as they are read from lines."""
    return session_lines().map(Session.read)


def session(*records: Wire, **header: Any) -> Session:
    """A session of records: `seq` counts from 1 and `id` is `r<seq>`, unless given."""
    first = {"type": "session", "agent": "toy", "sessionId": "s1", "producer": {"method": "native"}, **header}
    numbered = ({"type": r["type"], "seq": n, "id": f"r{n}", **r} for n, r in enumerate((first, *records), 1))
    return Session.read(b"".join(ijson.dumps(r) + b"\n" for r in numbered))


def text(*texts: str) -> list[Wire]:
    """Content of text blocks."""
    return [{"type": "text", "text": t} for t in texts]


def user(said: str, **members: Any) -> Wire:
    """A message of the user."""
    return {"type": "message", "messageId": f"u-{said}", "role": "user", "content": text(said), **members}


def agent(said: str, **members: Any) -> Wire:
    """A message of the agent."""
    return {"type": "message", "messageId": f"a-{said}", "role": "assistant", "content": text(said), **members}


def call(call_id: str, name: str = "Read", **members: Any) -> Wire:
    """A tool call."""
    return {"type": "tool_call", "callId": call_id, "name": name, "arguments": {"path": "a.py"}, **members}


def result(call_id: str, said: str = "done", **members: Any) -> Wire:
    """The result of a tool call."""
    return {"type": "tool_result", "callId": call_id, "outcome": "success", "content": text(said), **members}


def usage(**members: Any) -> Wire:
    """A usage record."""
    return {"type": "usage", **members}


def kinds(exported: Any) -> dict[str, int]:
    """Kind of loss to how often."""
    counts: dict[str, int] = exported.report.counts
    return counts
