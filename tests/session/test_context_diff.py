"""`session.context_diff`: what the model gained and lost between two points."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from sessionrecord import ijson
from tests.session import naive
from tests.session.streams import streams
from tests.session.test_compare import message, numbered, session_of

Wire = dict[str, Any]
points = st.one_of(st.none(), st.integers(0, 30))


def text(words: str) -> list[Wire]:
    return [{"type": "text", "text": words}]


def items(found: Any) -> list[str]:
    return [x.item.entity.ref for x in found]


def firsts(found: Any) -> list[int]:
    return [x.item.entity.first for x in found]


@given(streams(), st.integers(0, 30), points)
def test_lost_and_kept_are_the_first_view_and_gained_and_kept_the_second(
    records: list[Wire], at_a: int, at_b: int | None
) -> None:
    session = session_of(records)
    found = session.context_diff(at_a, at_b)
    before, after = session.context_view(at=at_a), session.context_view(at=at_b)
    kept = [k.after.entity.first for k in found.kept]
    # kept items keep their order, so that taking out what was lost and putting in what was gained explains both views
    there = [i.entity.first for i in before.items]
    now = [i.entity.first for i in after.items]
    assert kept == [e for e in there if e not in set(firsts(found.lost))]
    assert kept == [e for e in now if e not in set(firsts(found.gained))]
    assert sorted([*kept, *firsts(found.lost)]) == sorted(there)
    assert sorted([*kept, *firsts(found.gained)]) == sorted(now)
    assert [k.before.record for k in found.kept] == [i.record for i in before.items if i.entity.first in set(kept)]
    assert [k.after.record for k in found.kept] == [i.record for i in after.items if i.entity.first in set(kept)]
    assert all(k.is_revised == (k.before.record.id != k.after.record.id) for k in found.kept)
    assert all((not k.is_revised) <= (k.changes == ()) for k in found.kept)


@given(streams(), st.integers(0, 30))
def test_between_a_point_and_itself_nothing_happens(records: list[Wire], at: int) -> None:
    found = session_of(records).context_diff(at, at)
    assert found.same
    assert (found.lost, found.gained, found.passed, found.replaced, found.revised) == ((), (), (), (), ())


@given(streams(), st.integers(0, 30), st.integers(0, 30))
def test_the_other_way_round_what_was_gained_is_lost(records: list[Wire], at_a: int, at_b: int) -> None:
    session = session_of(records)
    there, back = session.context_diff(at_a, at_b), session.context_diff(at_b, at_a)
    assert firsts(there.lost) == firsts(back.gained)
    assert firsts(there.gained) == firsts(back.lost)
    assert [k.after.entity for k in there.kept] == [k.after.entity for k in back.kept]


@given(streams(), st.integers(0, 30), points)
def test_why_something_was_lost_is_what_the_second_view_says(records: list[Wire], at_a: int, at_b: int | None) -> None:
    session = session_of(records)
    found = session.context_diff(at_a, at_b)
    absent = {a.entity.first: (a.reason, a.by) for a in session.context_view(at=at_b).absent}
    for lost in found.lost:
        assert (lost.reason, lost.by) == absent.get(lost.item.entity.first, ("not-yet", None))
    by_compactions = [x for x in (*found.lost, *found.passed) if x.reason == "compacted"]
    taken = [x for r in found.replaced for x in (*r.lost, *r.passed)]
    assert sorted(x.item.entity.first for x in taken) == sorted(x.item.entity.first for x in by_compactions)
    for replacement in found.replaced:
        assert {x.by for x in (*replacement.lost, *replacement.passed)} == {replacement.entity.ref}
        assert replacement.in_context == any(k.entity == replacement.entity for k in found.after.items)


@given(streams())
def test_at_a_compaction_all_that_was_in_the_context_is_kept_or_lost_exactly_once(records: list[Wire]) -> None:
    """The answer to what a compaction threw away, against the rules read directly."""
    session = session_of(records)
    for n, record in enumerate(records):
        seq = record["seq"]
        if record["type"] != "compaction" or any(r["seq"] >= seq for r in records[:n]):
            continue
        found = session.context_diff(seq - 1, seq)
        before = naive.view(naive.counting(records, seq - 1), naive.fold(naive.counting(records, seq - 1))[0])
        lost = [naive.identity(ijson.loads(x.item.entity.revisions[0].to_line())) for x in found.lost]
        kept = [naive.identity(ijson.loads(k.before.entity.revisions[0].to_line())) for k in found.kept]
        assert sorted([*lost, *kept]) == sorted(before)


SESSION = numbered(
    message("u1"),
    message("a1"),
    message("u2"),
    message("u3"),
    {
        "type": "compaction",
        "compactionId": "k1",
        "keptFrom": "messageId=u3",
        "summary": text("three said"),
        "tokensBefore": 900,
    },
    message("u3", "other words"),
    message("u4"),
    {"type": "compaction", "compactionId": "k2", "summary": text("all said"), "tokensBefore": 500, "tokensAfter": 20},
    message("u5"),
)


def test_a_compaction_is_named_with_what_it_took_its_summary_and_its_tokens() -> None:
    found = SESSION.context_diff(5, 6)
    (replacement,) = found.replaced
    assert items(replacement.lost) == ["messageId=u1", "messageId=a1", "messageId=u2"]
    assert (replacement.summary, replacement.tokens_before, replacement.tokens_after) == ("three said", 900, None)
    assert replacement.in_context
    assert items(found.gained) == ["compactionId=k1"]
    assert [k.after.entity.ref for k in found.kept] == ["messageId=u3"]
    assert str(found).splitlines() == [
        "Context at seq 5 (4 items), then at seq 6 (2 items)",
        "compactionId=k1 took out 3 items, tokens 900 → unknown",
        "    'three said'",
        "- message messageId=u1, seq 2: 'text of u1' (compacted)",
        "- message messageId=a1, seq 3: 'text of a1' (compacted)",
        "- message messageId=u2, seq 4: 'text of u2' (compacted)",
        "+ compaction compactionId=k1, seq 6: 'three said'",
        "3 lost, 1 gained, 1 kept",
        "This is evidence of what the context contained, not proof of the exact request.",
    ]
    assert repr(found) == "<ContextDiff at seq 5 (4 items), then at seq 6 (2 items): 3 lost, 1 gained, 1 kept>"


def test_of_two_compactions_each_answers_for_its_own() -> None:
    found = SESSION.context_diff(5)
    assert [(r.entity.ref, r.in_context, items(r.lost), items(r.passed)) for r in found.replaced] == [
        ("compactionId=k1", False, ["messageId=u1", "messageId=a1", "messageId=u2"], []),
        ("compactionId=k2", True, ["messageId=u3"], ["compactionId=k1", "messageId=u4"]),
    ]
    assert items(found.passed) == ["compactionId=k1", "messageId=u4"]
    assert "it is gone again itself" in str(found)
    assert "- message messageId=u3, seq 5: 'text of u3' (compacted by compactionId=k2)" in str(found)
    assert "2 more came after the first point and are gone again" in str(found)


def test_a_revision_in_the_context_is_shown_with_its_changes() -> None:
    found = SESSION.context_diff(6, 7)
    (kept,) = found.revised
    assert [c.to_dict() for c in kept.changes] == [
        {"kind": "changed", "pointer": "/content/0/text", "old": "text of u3", "new": "other words"}
    ]
    assert not found.same
    assert "~ message messageId=u3, seq 5: 'other words'\n    /content/0/text: 'text of u3' → 'other words'" in str(
        found
    )


def test_a_later_point_may_be_compared_with_an_earlier_one() -> None:
    back = SESSION.context_diff(6, 5)
    assert [(x.item.entity.ref, x.reason, x.by) for x in back.lost] == [("compactionId=k1", "not-yet", None)]
    assert {(x.item.entity.ref, x.reason) for x in back.gained} == {
        (f"messageId={k}", "compacted") for k in ("u1", "a1", "u2")
    }
    assert "it comes later" in str(back)
    assert "(before: compacted)" in str(back)


def test_what_a_rewind_undid_comes_back_with_the_reason() -> None:
    session = numbered(
        message("u1"),
        {"type": "compaction", "compactionId": "k", "status": "in_progress"},
        {"type": "compaction", "compactionId": "k", "status": "completed"},
        {"type": "rewind", "to": "messageId=u1"},
        message("u2"),
    )
    begun = session.context_diff(3, 4)
    assert [(x.item.entity.ref, x.reason) for x in begun.gained] == [("compactionId=k", "not-applied")]
    assert begun.replaced[0].summary is None
    assert "no summary is recorded" in str(begun)
    assert "(before: a compaction that is not completed)" in str(begun)
    undone = session.context_diff(4)
    assert [(x.item.entity.ref, x.reason) for x in undone.gained] == [
        ("messageId=u1", "compacted"),
        ("messageId=u2", "new"),
    ]
    assert [(x.item.entity.ref, x.reason, x.by) for x in undone.lost] == [("compactionId=k", "rewound", "r5")]
    assert "(rewound by r5)" in str(undone)


def test_flags_of_both_views_are_given() -> None:
    session = numbered({"type": "tool_call", "callId": "c"}, {"type": "tool_result", "callId": "c"})
    found = session.context_diff(2, 3)
    wire = found.to_dict()
    assert [f["code"] for f in wire["before"]["flags"]] == ["call-without-result"]
    assert wire["after"]["flags"] == []
    assert "! before: call-without-result callId=c" in str(found)


def test_a_broken_record_that_was_revised_has_its_changes() -> None:
    session = numbered(message("m"), message("m", content=5))
    assert [c.pointer for c in session.context_diff(2).revised[0].changes] == ["/content"]


def test_an_invalid_compaction_says_nothing_of_its_summary() -> None:
    session = numbered(message("m"), {"type": "compaction", "compactionId": "k", "summary": 5, "tokensBefore": 7})
    (replacement,) = session.context_diff(2).replaced
    assert (replacement.summary, replacement.tokens_before, replacement.tokens_after) == (None, None, None)


@given(streams(), st.integers(0, 30))
def test_a_comparison_is_plain_json(records: list[Wire], at: int) -> None:
    found = session_of(records).context_diff(at)
    wire = json.loads(ijson.dumps(found.to_dict()))
    assert [x["ref"] for x in wire["lost"]] == items(found.lost)
    assert [x["revised"] for x in wire["kept"]] == [k.is_revised for k in found.kept]
    assert wire["after"]["at"] is None


def test_of_each_kind_the_first_are_named_unless_all_are_asked_for() -> None:
    many = [message(f"m{n}") for n in range(25)]
    session = numbered(*many, *(message(f"m{n}", "new") for n in range(25)), {"type": "rewind", "to": None})
    assert "+ … and 5 more gained" in list(session.context_diff(0, 26).lines())
    assert "~ … and 5 more revised" in list(session.context_diff(26, 51).lines())
    assert "- … and 5 more lost" in list(session.context_diff(26).lines())
    assert len([x for x in session.context_diff(26).lines(None) if x.startswith("- ")]) == 25


def test_text_of_a_stream_never_steers_a_terminal() -> None:
    nasty = "\x1b[31m\u202e\n"
    session = numbered(
        message(f"m{nasty}", nasty),
        {"type": "tool_call", "callId": nasty},
        {"type": "compaction", "compactionId": nasty, "summary": text(nasty)},
        message(f"n{nasty}", nasty),
        message(f"n{nasty}", f"{nasty}!"),
    )
    for at_a, at_b in ((3, 4), (4, 6), (5, 6), (6, 2)):
        assert all(line.isprintable() for line in session.context_diff(at_a, at_b).lines())
