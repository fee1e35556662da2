"""Refs of the structure that a writer is given: they name something that the stream has, or nothing is written.

Readers warn of what names nothing (spec section 7) and go on without it, so that the author's structure would be lost.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessionrecord import Producer, Session, StreamWriter, WriterError
from sessionrecord.records import Compaction, Message
from sessionrecord.stream import RecordList

LINK_CODES = {
    "predecessor-missing", "predecessor-later", "predecessor-cycle", "predecessor-audit-only", "rewind-target"
}  # fmt: skip
NAMES = [
    "messageId=a",
    "messageId=b",
    "callId=c",
    "callId=d",
    "compactionId=k",
    "planId=p",
    "r0",
    "r2",
    "r3",
    "r4",
    "none",
]


def begun(path: Path) -> StreamWriter:
    writer = StreamWriter(path)
    writer.session(agent="toy", session_id="s1", producer=Producer(method="native"))
    return writer


@pytest.mark.parametrize("ref", ["messageId=b", "r9", "planId=p", "r2", "callId=a", "a", "messageId=a ", "messageId"])
def test_a_link_that_names_nothing_before_it_is_refused_and_nothing_is_written(ref: str, tmp_path: Path) -> None:
    """Nor does a plan, which takes no part in the conversation: neither by its key nor by its record ID."""
    with begun(tmp_path / "s") as writer:
        writer.plan(plan_id="p", entries=[])
        a = writer.message(message_id="a", role="user")
        before = (tmp_path / "s").read_bytes()
        for call in (
            lambda: writer.message(message_id="b", role="user", predecessor=ref),
            lambda: writer.tool_call(call_id="c", predecessor=ref),
            lambda: writer.tool_result(call_id="c", predecessor=ref),
            lambda: writer.compaction(compaction_id="k", predecessor=ref),
            lambda: writer.compaction(compaction_id="k", kept_from=ref),
            lambda: writer.rewind(to=ref),
        ):
            with pytest.raises(WriterError, match=r"names no message, call, result or compaction before it"):
                call()
        assert (tmp_path / "s").read_bytes() == before
        assert writer.message(message_id="c", role="user", predecessor=a).seq == a.seq + 1


def test_what_is_there_can_be_named_by_its_key_its_id_and_itself(tmp_path: Path) -> None:
    with begun(tmp_path / "s") as writer:
        a = writer.message(message_id="a", role="user")
        c = writer.tool_call(call_id="c", predecessor=a)
        d = writer.tool_result(call_id="c", predecessor="callId=c")
        writer.compaction(compaction_id="k", kept_from=c.id, predecessor=d)
        writer.rewind(to="compactionId=k")
        writer.rewind(to=d.id)
        writer.rewind(to=None)
        # a compaction that failed changes nothing, whatever was planned
        writer.compaction(compaction_id="l", kept_from="messageId=zz", status="failed")
    assert not [d.code for d in Session.read(tmp_path / "s").diagnostics]


def test_a_writer_that_resumes_knows_what_the_stream_has(tmp_path: Path) -> None:
    """Also what lies in a record that is broken elsewhere: structure rests on index members only (ruling 4)."""
    begun(tmp_path / "s").close()
    broken = b'{"type":"message","seq":7,"id":"x7","messageId":"m7","role":5}\n{"type":"plan","seq":8,"id":"x8","planId":1}\n'
    result = b'{"type":"tool_result","seq":9,"id":"x9","callId":"c9","outcome":1}\n'
    (tmp_path / "s").write_bytes((tmp_path / "s").read_bytes() + broken + result)
    with StreamWriter(tmp_path / "s", resume=True) as writer:
        for ref in ("messageId=m7", "x7", "x9"):
            writer.rewind(to=ref)
        for ref in ("planId=1", "x8", "callId=c9"):
            with pytest.raises(WriterError):
                writer.rewind(to=ref)
    codes = {d.code for d in Session.read(tmp_path / "s").diagnostics}
    assert not codes & LINK_CODES


@given(
    st.lists(st.tuples(st.sampled_from("makdrcx"), st.sampled_from([None, *NAMES])), max_size=12), st.integers(0, 12)
)
def test_a_stream_has_no_broken_link_and_none_that_is_sound_is_refused(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, str | None]], stop: int
) -> None:
    """A list of records takes each link as it is: the one that is refused is the one that a session finds broken."""
    path = tmp_path_factory.mktemp("links") / "s"
    writer = begun(path)
    for n, (kind, ref) in enumerate(steps):
        if n == stop:
            writer.close()
            writer = StreamWriter(path, resume=True)
        before = path.read_bytes()
        taken = RecordList()
        for record in Session.read(before).records:
            taken.write(record)  # type: ignore[type-var]
        write(taken, kind, ref)
        found = Session.from_records(taken.records).diagnostics
        codes = {d.code for d in found}
        try:
            write(writer, kind, ref)
        except WriterError:
            assert path.read_bytes() == before
            # a revision keeps its place; that it names another one, or nothing, is a finding too
            assert codes & {*LINK_CODES, "predecessor-changed"}
        else:
            assert not codes & LINK_CODES
    writer.close()


def write(author: Any, kind: str, ref: str | None) -> None:
    linked = {} if ref is None else {"predecessor": ref}
    if kind in "ma":
        author.message(message_id="a" if kind == "a" else "b", role="user", **linked)
    elif kind == "c":
        author.tool_call(call_id="c", **linked)
    elif kind == "d":
        author.tool_result(call_id="d", **linked)
    elif kind == "k":
        author.compaction(compaction_id="k", **linked)
    elif kind == "r":
        author.rewind(to=ref)
    else:
        author.plan(plan_id="p", entries=[])


def test_a_record_that_was_recorded_elsewhere_is_written_as_it_is() -> None:
    """A copy of a stream has the links that the stream has, and a converter writes a missing parent as recorded (ruling 2)."""
    target = io.BytesIO()
    writer = StreamWriter(target)
    writer.session(agent="toy", session_id="s1", producer=Producer(method="native"))
    writer.write(Message(seq=5, id="x", message_id="m", role="user", predecessor="messageId=lost"))
    writer.write(Compaction(seq=6, id="y", compaction_id="k", kept_from="messageId=lost"))
    assert [r.id for r in Session.read(target.getvalue()).records][1:] == ["x", "y"]
    assert writer.rewind(to="messageId=m").to == "messageId=m"
