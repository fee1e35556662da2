"""Structure and context views against a direct reading of spec section 7."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessionrecord import Entity, RefNotFoundError, Session, parse_record
from tests.session import naive
from tests.session.streams import HEADER, streams


def session_of(records: list[dict[str, Any]]) -> Session:
    return Session.read(b"".join(orjson.dumps(r) + b"\n" for r in records))


def same(entity: Entity) -> naive.Identity:
    return naive.identity(orjson.loads(entity.latest.to_line()))


@given(streams(), st.data())
def test_heads_paths_and_views_agree_with_the_rules_read_directly(
    records: list[dict[str, Any]], data: st.DataObject
) -> None:
    session = session_of(records)
    at = data.draw(st.one_of(st.none(), st.integers(0, 30)))
    counted = naive.counting(records, at)
    head, predecessor = naive.fold(counted)
    current = session.head(at)
    assert (None if current is None else same(current)) == head
    followed = set(predecessor.values())
    leaves = [e for e in predecessor if e not in followed and e != head]
    assert [same(e) for e in session.heads(at)] == [*([head] if head else []), *leaves]
    for start in session.heads(at):
        assert [same(e) for e in session.active_path(start, at).entities] == naive.path(same(start), predecessor)
        view = session.context_view(start, at)
        items = [same(i.entity) for i in view.items]
        assert items == naive.view(counted, same(start))
        # what is there and what is not are together every entity that joined, each once
        absent = [same(a.entity) for a in view.absent]
        assert sorted([*items, *absent]) == sorted(predecessor)
        for item in view.items:
            latest = [r for r in counted if naive.identity(r) == same(item.entity)][-1]
            assert orjson.loads(item.record.to_line()) == latest


@given(streams())
def test_a_view_at_a_seq_is_the_view_of_the_stream_cut_there(records: list[dict[str, Any]]) -> None:
    whole = session_of(records)
    for at in {r["seq"] for r in records}:
        cut = session_of(naive.counting(records, at))
        assert [same(e) for e in whole.at(at).heads()] == [same(e) for e in cut.heads()]
        there, then = whole.context_view(at=at), cut.context_view()
        assert [i.record for i in there.items] == [i.record for i in then.items]
        assert [(same(a.entity), a.reason, a.by) for a in there.absent] == [
            (same(a.entity), a.reason, a.by) for a in then.absent
        ]
        assert [(f.code, f.ref) for f in there.flags] == [(f.code, f.ref) for f in then.flags]
        assert whole.usage(at) == cut.usage()
        assert whole.counts(at) == cut.counts()


@given(streams(), st.data())
def test_a_session_grown_by_append_equals_one_read_at_once_at_every_prefix(
    records: list[dict[str, Any]], data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(records)))
    grown = session_of(records[:start])
    for n in range(start, len(records) + 1):
        if n > start:
            grown.append(parse_record(orjson.dumps(records[n - 1])))
        read = session_of(records[:n])
        assert [r.to_line() for r in grown.records] == [r.to_line() for r in read.records]
        assert [same(e) for e in grown.heads()] == [same(e) for e in read.heads()]
        assert [i.record for i in grown.context_view().items] == [i.record for i in read.context_view().items]
        assert [e.ref for e in grown.entities] == [e.ref for e in read.entities]
        assert grown.diagnostics == read.diagnostics


def stream(*records: dict[str, Any]) -> Session:
    """A session of a header and records numbered in order."""
    return session_of([HEADER, *({"seq": n, "id": f"r{n}", **r} for n, r in enumerate(records, 2))])


def message(key: str, **more: Any) -> dict[str, Any]:
    return {"type": "message", "messageId": key, "role": "user", **more}


def refs(session: Session, **where: Any) -> list[str]:
    return [i.entity.ref for i in session.context_view(**where).items]


def test_a_rewind_takes_entities_out_of_the_context_but_not_out_of_the_session() -> None:
    """Spec section 7, rule 2: nothing is deleted."""
    session = stream(message("a"), message("b"), {"type": "rewind", "to": "messageId=a"}, message("c"))
    assert refs(session) == ["messageId=a", "messageId=c"]
    assert refs(session, at=3) == ["messageId=a", "messageId=b"]
    assert [(a.entity.ref, a.reason, a.by) for a in session.context_view().absent] == [("messageId=b", "rewound", "r4")]
    assert session.resolve("messageId=b").latest.id == "r3"
    assert [e.ref for e in session.heads()] == ["messageId=c", "messageId=b"]


def test_chained_compactions_keep_what_was_kept_before() -> None:
    """Spec section 7, rule 4: kept messages are not lost at the second compaction."""
    session = stream(
        message("a"),
        message("b"),
        {"type": "compaction", "compactionId": "k1", "keptFrom": "messageId=b"},
        message("c"),
        {"type": "compaction", "compactionId": "k2", "keptFrom": "messageId=b"},
        message("d"),
    )
    assert refs(session) == ["compactionId=k2", "messageId=b", "messageId=c", "messageId=d"]
    absent = [(a.entity.ref, a.reason, a.by) for a in session.context_view().absent]
    assert absent == [
        ("messageId=a", "compacted", "compactionId=k1"),
        ("compactionId=k1", "compacted", "compactionId=k2"),
    ]


def test_a_rewind_to_before_a_compaction_undoes_it() -> None:
    """Spec section 7, rule 4."""
    session = stream(
        message("a"), message("b"), {"type": "compaction", "compactionId": "k"}, {"type": "rewind", "to": "messageId=b"}
    )
    assert refs(session, at=4) == ["compactionId=k"]
    assert refs(session) == ["messageId=a", "messageId=b"]


def test_a_compaction_applies_only_once_its_latest_revision_is_completed() -> None:
    """Spec section 7, rule 4; until then it stays on the path, not in the view."""
    session = stream(
        message("a"),
        {"type": "compaction", "compactionId": "k", "status": "in_progress"},
        message("b"),
        {"type": "compaction", "compactionId": "k", "status": "completed"},
    )
    assert refs(session, at=4) == ["messageId=a", "messageId=b"]
    assert session.context_view(at=4).absent[0].reason == "not-applied"
    assert refs(session) == ["compactionId=k", "messageId=b"]


@pytest.mark.parametrize(
    ("records", "code"),
    [
        ([message("a", predecessor="messageId=zz")], "predecessor-missing"),
        ([message("a", predecessor="messageId=b"), message("b", predecessor="messageId=a")], "predecessor-later"),
        ([message("a", predecessor="messageId=a")], "predecessor-cycle"),
        ([message("a", predecessor="r2")], "predecessor-cycle"),
        ([message("a", predecessor="r1")], "predecessor-audit-only"),
        ([message("a"), message("b"), message("b", predecessor="messageId=b")], "predecessor-changed"),
        ([{"type": "rewind", "to": "messageId=zz"}], "rewind-target"),
        ([{"type": "rewind", "to": "r1"}], "rewind-target"),
        ([message("a"), {"type": "compaction", "compactionId": "k", "keptFrom": "messageId=zz"}], "kept-from-missing"),
        ([{"type": "state", "state": "idle", "predecessor": "r1"}], "predecessor-misplaced"),
        (
            [
                {"type": "tool_call", "callId": "c", "name": "A"},
                {"type": "tool_result", "callId": "c"},
                {"type": "tool_call", "callId": "c", "name": "B"},
            ],
            "key-reused",
        ),
        ([message("a", participant="nobody")], "participant-undeclared"),
        ([message("a", conversation="nowhere")], "conversation-undeclared"),
        ([{"type": "delivery", "of": "messageId=zz"}], "ref-unresolved"),
        ([HEADER | {"seq": 2, "id": "r2"}], "header-repeated"),
        ([message("a"), message("b") | {"id": "r2"}], "id-duplicate"),
        ([message("a"), message("b") | {"seq": 2}], "seq-not-increasing"),
    ],
)
def test_what_only_the_whole_stream_shows_is_found_with_its_line(records: list[dict[str, Any]], code: str) -> None:
    """Spec sections 2, 3, 4 and 7; never an exception, never an endless loop."""
    session = stream(*records)
    found = [d for d in session.diagnostics if d.code == code]
    assert len(found) == 1, session.diagnostics
    assert found[0].line is not None
    assert found[0].record_id is not None
    list(session.context_view().items)


def test_a_head_that_is_not_there_yet_is_said_so() -> None:
    """A head that joined after `at` is no head of that moment."""
    session = stream(message("a"), message("b"))
    with pytest.raises(RefNotFoundError, match="not there yet"):
        session.context_view("messageId=b", at=2)
    with pytest.raises(RefNotFoundError, match="names nothing"):
        session.context_view("messageId=zz")
    with pytest.raises(RefNotFoundError, match="no part in the context"):
        session.context_view("r1")


def test_results_pair_by_call_id_and_what_lacks_its_counterpart_is_flagged() -> None:
    """Spec section 7, rules 5 and 6: results may come in any order."""
    session = stream(
        {"type": "tool_call", "callId": "a"},
        {"type": "tool_call", "callId": "b"},
        {"type": "tool_result", "callId": "b", "outcome": "success"},
        {"type": "tool_result", "callId": "a", "outcome": "error", "capture": {"content": {"state": "truncated"}}},
        {"type": "tool_call", "callId": "c"},
        {"type": "tool_result", "callId": "d"},
    )
    assert [(f.code, f.ref) for f in session.context_view().flags] == [
        ("capture-incomplete", "r5"),
        ("call-without-result", "callId=c"),
        ("result-without-call", "r7"),
    ]
    uses = {u.call_id: u for u in session.tool_calls()}
    assert [uses[k].outcome for k in "abcd"] == ["error", "success", None, None]
    assert uses["d"].call is None


def test_messages_of_a_view_are_plain_and_in_order() -> None:
    session = stream(
        message("a", content=[{"type": "text", "text": "hi"}]),
        {"type": "tool_call", "callId": "c", "name": "Bash", "arguments": {"x": None}},
        {"type": "tool_result", "callId": "c", "outcome": "success", "content": [{"type": "text", "text": "ok"}]},
    )
    assert session.context_view().to_messages() == [
        {"role": "user", "content": [{"type": "text", "text": "hi"}]},
        {
            "role": "assistant",
            "content": [{"type": "tool_call", "callId": "c", "name": "Bash", "arguments": {"x": None}}],
        },
        {
            "role": "tool",
            "content": [
                {
                    "type": "tool_result",
                    "callId": "c",
                    "outcome": "success",
                    "content": [{"type": "text", "text": "ok"}],
                }
            ],
        },
    ]
    assert "not proof" in str(session.context_view())


def test_many_rewinds_over_a_long_path_take_one_walk() -> None:
    """Design, decision 12: views are linear in what they walk. With a walk for each rewind this would be 10^9 steps."""
    n = 30_000
    records: list[dict[str, Any]] = [HEADER]
    for i in range(2, n):
        records.append({"type": "message", "seq": i, "id": f"r{i}", "messageId": f"m{i}", "role": "user"})
    for i in range(n, 3 * n, 2):
        records.append({"type": "rewind", "seq": i, "id": f"r{i}", "to": None})
        records.append({"type": "rewind", "seq": i + 1, "id": f"r{i + 1}", "to": f"messageId=m{n - 1}"})
    records.append({"type": "rewind", "seq": 3 * n, "id": "last", "to": None})
    absent = Session.read(b"\n".join(map(orjson.dumps, records))).context_view().absent
    assert len(absent) == n - 2
    assert {(a.reason, a.by) for a in absent} == {("rewound", "last")}
