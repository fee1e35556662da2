"""`diff`: entities of two sessions aligned, and what was added, removed, revised, moved and renamed. Our rules, docs/compare.md."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sessionrecord
from sessionrecord import EntityPair, Producer, RecordList, Session, SessionDiff, diff, ijson
from sessionrecord.convert.claude_code import convert
from sessionrecord.session.log import Log
from tests.session.streams import HEADER, streams

EXAMPLES = Path(__file__).parents[2] / "examples" / "data"
Wire = dict[str, Any]


def session_of(records: list[Wire]) -> Session:
    return Session.read(b"".join(orjson.dumps(r) + b"\n" for r in records))


def numbered(*records: Wire, **header: Any) -> Session:
    """A session of a header and records, numbered as `StreamWriter` does."""
    return session_of([HEADER | header, *({"seq": n, "id": f"r{n}", **r} for n, r in enumerate(records, 2))])


def message(key: str, text: str = "", **more: Any) -> Wire:
    content = [{"type": "text", "text": text or f"text of {key}"}]
    return {"type": "message", "messageId": key, "role": "user", "content": content, **more}


def refs(entities: Any) -> list[str]:
    return [e.ref for e in entities]


def pairs(found: tuple[EntityPair, ...]) -> list[tuple[str, str, str]]:
    return [(p.a.ref, p.b.ref, p.by) for p in found]


def as_wire(found: tuple[EntityPair, ...], *, swapped: bool) -> list[Any]:
    kinds = {"added": "removed", "removed": "added", "changed": "changed"} if swapped else {}
    a, b = ("b", "a") if swapped else ("a", "b")
    rows = []
    for pair in found:
        wire = pair.to_dict()
        changes = []
        for c in wire["changes"]:
            old, new = (c.get("new"), c.get("old")) if swapped else (c.get("old"), c.get("new"))
            changes.append(orjson.dumps([kinds.get(c["kind"], c["kind"]), old, new]))
        rows.append(
            (wire[a]["ref"], wire[a]["seq"], wire[b]["ref"], wire[b]["seq"], wire["sharedRevisions"], sorted(changes))
        )
    return sorted(rows)


@given(streams())
def test_a_session_does_not_differ_from_itself(records: list[Wire]) -> None:
    found = diff(session_of(records), session_of(records))
    assert found.same
    assert found.unchanged == len(session_of(records).entities)
    assert found.renumbered == 0
    assert str(found) == f"the same; {found.unchanged:,} unchanged"
    assert json.loads(ijson.dumps(found.to_dict()))["same"] is True


@given(streams(), streams())
def test_the_other_way_round_it_is_the_mirror_image(one: list[Wire], other: list[Wire]) -> None:
    a, b = session_of(one), session_of(other)
    there, back = diff(a, b), diff(b, a)
    assert refs(there.added) == refs(back.removed)
    assert refs(there.removed) == refs(back.added)
    for kind in ("revised", "moved", "renamed"):
        assert as_wire(getattr(there, kind), swapped=False) == as_wire(getattr(back, kind), swapped=True)
    assert (there.unchanged, there.renumbered, len(there.header)) == (back.unchanged, back.renumbered, len(back.header))


@given(streams(), streams())
def test_every_entity_of_both_sides_is_counted_once(one: list[Wire], other: list[Wire]) -> None:
    a, b = session_of(one), session_of(other)
    found = diff(a, b)
    differing = {(p.a.first, p.b.first) for kind in (found.revised, found.moved, found.renamed) for p in kind}
    aligned = found.unchanged + len(differing) + bool(found.header)
    assert aligned + len(found.removed) == len(a.entities)
    assert aligned + len(found.added) == len(b.entities)
    assert len({i for i, _ in differing}) == len({j for _, j in differing}) == len(differing)
    assert found.same == (found.counts | {"unchanged": 0, "renumbered": 0} == dict.fromkeys(found.counts, 0))


words = st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from(["x", "y"])), max_size=12)


@given(words, words)
def test_entities_of_one_key_are_aligned_and_their_chains_compared(one: list[Any], other: list[Any]) -> None:
    """Against a naive reading: key to the texts of its revisions."""

    def chains(said: list[Any]) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for key, text in said:
            found.setdefault(key, []).append(text)
        return found

    # texts name the key, so that nothing but the key can align
    a, b = (numbered(*(message(k, f"{k} {t}") for k, t in said)) for said in (one, other))
    left, right = chains(one), chains(other)
    found = diff(a, b)
    assert refs(found.removed) == [f"messageId={k}" for k in left if k not in right]
    assert refs(found.added) == [f"messageId={k}" for k in right if k not in left]
    assert pairs(found.revised) == [
        (f"messageId={k}", f"messageId={k}", "key") for k in left if k in right and left[k] != right[k]
    ]
    for pair in found.revised:
        before, after = left[str(pair.a.key)], right[str(pair.a.key)]
        same = [x == y for x, y in zip(before, after, strict=False)]
        assert pair.shared == (same.index(False) if False in same else len(same))
        assert [len(c) for c in pair.chains] == [len(before), len(after)]
        assert len(pair.changes) == (before[-1] != after[-1])
    both = [k for k in left if k in right], [k for k in right if k in left]
    assert bool(found.moved) == (both[0] != both[1])


def test_a_change_is_named_by_its_pointer_with_both_values() -> None:
    a = numbered(message("m", "one"), message("n", stopReason="error"), agentVersion="1")
    b = numbered(message("m", "two", model="x"), message("n"), agentVersion="2")
    found = diff(a, b)
    assert [c.to_dict() for c in found.header] == [
        {"kind": "changed", "pointer": "/agentVersion", "old": "1", "new": "2"}
    ]
    first, second = found.revised
    assert [c.to_dict() for c in first.changes] == [
        {"kind": "changed", "pointer": "/content/0/text", "old": "one", "new": "two"},
        {"kind": "added", "pointer": "/model", "new": "x"},
    ]
    assert [c.to_dict() for c in second.changes] == [{"kind": "removed", "pointer": "/stopReason", "old": "error"}]
    assert first.type == "message"
    assert str(found).splitlines() == [
        "~ header",
        "    /agentVersion: '1' → '2'",
        "~ message messageId=m",
        "    /content/0/text: 'one' → 'two'",
        "    + /model: 'x'",
        "~ message messageId=n",
        "    - /stopReason: 'error'",
        "the header differs, 2 revised; 0 unchanged",
    ]
    assert repr(found) == "<SessionDiff differs: 1 header, 2 revised>"


def test_where_a_long_text_differs_is_what_is_shown() -> None:
    start = "the same words again and again and again and again, "
    (line,) = [
        x
        for x in str(diff(numbered(message("m", start + "a")), numbered(message("m", start + "b")))).splitlines()
        if "→" in x
    ]
    assert line == "    /content/0/text: …'nd again, a' → …'nd again, b'"


def test_a_record_that_was_put_in_moves_nothing_and_renames_nothing() -> None:
    """IDs that only repeat the `seq` say where a record is; refs with them are followed."""
    result = {"type": "tool_result", "callId": "c", "content": []}
    said = [message("m"), {"type": "tool_call", "callId": "c"}, result, {"type": "state", "state": "idle"}]
    a = numbered(*said, {"type": "compaction", "compactionId": "k", "keptFrom": "r4"})
    b = numbered(
        {"type": "state", "state": "running"}, *said, {"type": "compaction", "compactionId": "k", "keptFrom": "r5"}
    )
    found = diff(a, b)
    assert found.counts == {
        "header": 0,
        "added": 1,
        "removed": 0,
        "revised": 0,
        "moved": 0,
        "renamed": 0,
        "unchanged": 6,
        "renumbered": 5,
    }
    assert refs(found.added) == ["r2"]
    assert "6 unchanged, 5 of them with another seq, record ID, turn, ref or source" in str(found)


steps = st.lists(st.sampled_from(["user", "assistant", "tool"]), max_size=8)


@given(steps, steps, steps)
def test_names_that_an_author_makes_up_move_with_their_records(
    first: list[str], added: list[str], last: list[str]
) -> None:
    """Message and call IDs that are not given repeat the `seq`: they say where a record is, as its ID does."""

    def told(*parts: list[str]) -> Session:
        out = RecordList()
        out.session(agent="a", session_id="s", producer=Producer(method="native"))
        for part, kinds in enumerate(parts):
            for n, kind in enumerate(kinds):
                text = f"text {part}.{n}"
                if kind == "tool":
                    out.tool_use("run", {"command": text}, text)
                else:
                    (out.user_message if kind == "user" else out.assistant_message)(text)
        return Session.from_records(out.records)

    before, after = told(first, [], last), told(first, added, last)
    found = diff(before, after)
    assert (found.removed, found.revised, found.moved, found.renamed) == ((), (), (), ())
    assert len(found.added) == len(after.entities) - len(before.entities)
    assert found.unchanged == len(before.entities)
    assert (found.renumbered > 0) == bool(added and last)


def test_where_a_record_was_taken_from_is_no_change() -> None:
    """Two conversions of one log that lies elsewhere, or that lost its first lines, say the same."""
    log = EXAMPLES / "claude-code-sample.jsonl"
    a, b = (Session.from_records(convert(given).main) for given in (log, log.read_bytes()))
    found = diff(a, b)
    assert (found.same, found.unchanged) == (True, len(a.entities))
    assert found.renumbered > found.unchanged - 5
    sources = [{"path": "a", "line": 1}, {"path": "b", "line": 9}, {"path": "b", "line": 9}]
    one, other, edited = (numbered(message("m", t, source=s)) for t, s in zip("xxy", sources, strict=True))
    assert (diff(one, other).same, diff(one, other).renumbered) == (True, 1)
    assert [c.pointer for c in diff(one, edited).revised[0].changes] == ["/content/0/text"]


def test_a_model_call_without_a_record_is_followed_under_its_other_name() -> None:
    """As a turn is; one that takes the name of another call is a change, as is one that has a record of its own."""

    def calls(*names: str, recorded: tuple[str, ...] = ()) -> Session:
        said = [message(f"m{n}", modelCallId=name) for n, name in enumerate(names)]
        return numbered(*said, *({"type": "model_call", "modelCallId": name, "model": name} for name in recorded))

    assert diff(calls("p", "p", "q"), calls("x", "x", "y")).same
    assert [p.a.ref for p in diff(calls("p", "p", "q"), calls("x", "y", "q")).revised] == ["messageId=m1"]
    assert [p.a.ref for p in diff(calls("p", "q"), calls("q", "q")).revised] == ["messageId=m0"]
    other = calls("x", recorded=("x",))
    assert [p.a.ref for p in diff(calls("p"), other).revised] == ["messageId=m0"]


@given(words, words, st.sets(st.sampled_from(["timestamp", "model", "role", "content"])))
def test_members_that_are_ignored_are_as_if_they_were_not_there(
    one: list[Any], other: list[Any], ignore: set[str]
) -> None:
    """Against sessions that do not have them; all that the differences say is left, but for the records themselves."""

    def told(said: list[Any], *, cut: bool) -> Session:
        records = [message(k, t, timestamp=f"2026-01-01T00:00:{n:02}Z", model=t) for n, (k, t) in enumerate(said)]
        return numbered(*({k: v for k, v in r.items() if not cut or k not in ignore} for r in records))

    found = diff(told(one, cut=False), told(other, cut=False), ignore=ignore)
    without = diff(told(one, cut=True), told(other, cut=True))
    assert found.counts | {"renumbered": 0} == without.counts | {"renumbered": 0}
    assert [p.changes for p in found.revised] == [p.changes for p in without.revised]
    assert refs(found.added) == refs(without.added)
    one_name: Any = "timestamp"
    with pytest.raises(TypeError, match="ignore is a list of names"):
        diff(told(one, cut=False), told(other, cut=False), ignore=one_name)


def test_one_text_of_a_ref_that_names_another_entity_is_a_change() -> None:
    a = numbered(
        {"type": "tool_result", "callId": "c"}, {"type": "tool_result", "callId": "d"}, {"type": "rewind", "to": "r3"}
    )
    b = numbered(
        {"type": "tool_result", "callId": "d"}, {"type": "tool_result", "callId": "c"}, {"type": "rewind", "to": "r3"}
    )
    found = diff(a, b)
    assert [(p.a.type, [c.pointer for c in p.changes]) for p in found.revised] == [("rewind", ["/to"])]
    assert "    /to: 'r3' → names something else" in str(found)


def renamed(value: Any) -> Any:
    """A copy with other names, as a redaction makes them."""
    names = ("messageId", "callId", "modelCallId", "turnId", "parentCallId", "permissionId")
    if isinstance(value, dict):
        return {k: f"new-{v}" if k in names else renamed(v) for k, v in value.items()}
    if isinstance(value, list):
        return [renamed(v) for v in value]
    return value.replace("=", "=new-") if isinstance(value, str) and "Id=" in value else value


TALK: list[Wire] = [
    message("u1", "please", turnId="t1"),
    message("a1", "well", turnId="t1", modelCallId="k1"),
    {"type": "tool_call", "callId": "c1", "name": "run", "modelCallId": "k1", "turnId": "t1"},
    {"type": "tool_call", "callId": "c2", "name": "run", "parentCallId": "c1", "modelCallId": "k1"},
    {"type": "tool_result", "callId": "c1", "outcome": "success"},
    {"type": "tool_result", "callId": "c2", "outcome": "error"},
    {"type": "usage", "modelCallId": "k1", "inputTokens": 5},
    {"type": "rewind", "to": "messageId=u1"},
    message("u2", "please", turnId="t2"),
]


def test_a_copy_with_other_names_says_the_same_under_them() -> None:
    found = diff(numbered(*TALK), numbered(*map(renamed, TALK)))
    assert not found.same
    assert found.counts | {"renamed": 0, "unchanged": 0, "renumbered": 0} == dict.fromkeys(found.counts, 0)
    assert [(a, b) for a, b, _ in pairs(found.renamed)] == [
        ("messageId=u1", "messageId=new-u1"),
        ("messageId=a1", "messageId=new-a1"),
        ("callId=c1", "callId=new-c1"),
        ("callId=c2", "callId=new-c2"),
        ("r6", "r6"),
        ("r7", "r7"),
        ("r8", "r8"),
        ("messageId=u2", "messageId=new-u2"),
    ]
    assert "~ tool_result r6, callId c1 → new-c1" in str(found)
    assert "~ message messageId=u1 → messageId=new-u1" in str(found)


def test_what_was_revised_under_another_name_is_told_once() -> None:
    talk = [renamed(r) for r in TALK]
    talk[1]["content"][0]["text"] = "[REDACTED]"
    lines = str(diff(numbered(*TALK), numbered(*talk))).splitlines()
    assert [line for line in lines if "new-a1" in line] == ["~ message messageId=a1 → messageId=new-a1 (in its place)"]
    assert lines[-1].startswith("1 revised, 8 renamed;")
    many = [message(f"m{n}") for n in range(30)]
    (more,) = [x for x in diff(numbered(*many), numbered(*map(renamed, many))).lines() if "more renamed" in x]
    assert more == "~ … and 10 more renamed"


def test_in_a_renamed_copy_what_was_changed_stands_in_its_place() -> None:
    talk = [renamed(r) for r in TALK]
    talk[1]["content"][0]["text"] = "[REDACTED]"
    found = diff(numbered(*TALK), numbered(*talk))
    assert pairs(found.revised) == [("messageId=a1", "messageId=new-a1", "place")]
    assert [c.pointer for c in found.revised[0].changes] == ["/content/0/text"]
    assert "~ message messageId=a1 → messageId=new-a1 (in its place)" in str(found)
    assert (found.added, found.removed) == ((), ())


def test_a_turn_that_takes_the_name_of_another_is_a_change() -> None:
    a = numbered(message("m", turnId="t1"), message("n", turnId="t2"))
    b = numbered(message("m", turnId="t2"), message("n", turnId="t2"))
    assert [(p.a.ref, p.changes[0].pointer) for p in diff(a, b).revised] == [("messageId=m", "/turnId")]
    split = numbered(message("m", turnId="x"), message("n", turnId="y"), message("o", turnId="y"))
    one = numbered(message("m", turnId="t"), message("n", turnId="t"), message("o", turnId="u"))
    assert [p.a.ref for p in diff(one, split).revised] == ["messageId=n"]


def test_messages_of_a_fork_are_not_taken_for_changed_ones() -> None:
    shared = [message("u1"), message("a1")]
    found = diff(numbered(*shared, message("u2", "left")), numbered(*shared, message("u3", "right")))
    assert (refs(found.removed), refs(found.added)) == (["messageId=u2"], ["messageId=u3"])
    assert str(found).splitlines()[:2] == [
        "- message messageId=u2, seq 4: 'left'",
        "+ message messageId=u3, seq 4: 'right'",
    ]


def test_records_without_a_key_are_aligned_by_id_and_by_place() -> None:
    a = numbered(message("u"), {"type": "session_info", "title": "old"}, message("v"))
    b = numbered(message("u"), {"type": "session_info", "title": "new"}, message("v"))
    assert pairs(diff(a, b).revised) == [("r3", "r3", "place")]
    note = {"type": "note", "id": "7f3a", "text": "x"}
    moved = diff(numbered(note, message("u"), message("v")), numbered(message("u"), message("v"), note | {"text": "y"}))
    assert pairs(moved.revised) == pairs(moved.moved) == [("7f3a", "7f3a", "key")]
    assert "> note 7f3a, seq 2 → 4" in str(moved)


def test_what_says_the_same_elsewhere_has_moved() -> None:
    a = numbered(message("x"), message("u"), message("v"))
    b = numbered(message("u"), message("v"), message("y", "text of x"))
    found = diff(a, b)
    assert pairs(found.moved) == pairs(found.renamed) == [("messageId=x", "messageId=y", "content")]


def test_lines_that_are_no_records_are_compared_by_their_bytes() -> None:
    def broken(*lines: bytes) -> Session:
        return Session.read(orjson.dumps(HEADER) + b"\n" + b"\n".join(lines) + b"\n")

    whole = b'{"type":"message","seq":9,"id":"r9","messageId":"z","role":"user"}'
    assert diff(broken(b"{oops", whole), broken(b"{oops", whole)).same
    found = diff(broken(b"{oops \xff", whole), broken(b"{other", whole))
    assert [c.to_dict() for c in found.revised[0].changes] == [
        {"kind": "changed", "pointer": "", "old": "{oops \\xff", "new": "{other"}
    ]
    assert "~ line (no id) (in its place)\n    the line: '{oops" in str(found)
    twice = b'{"type":"message","seq":9,"id":"r9","messageId":"z","role":"user","model":"a","model":"b"}'
    once = b'{"type":"message","seq":9,"id":"r9","messageId":"z","role":"user","model":"b"}'
    assert [c.pointer for c in diff(broken(twice), broken(once)).revised[0].changes] == [""]
    removed = diff(broken(b"{oops", whole), broken(whole)).to_dict()["removed"]
    assert removed == [{"type": None, "ref": "", "seq": 1, "revisions": 1, "record": "{oops"}]


def test_only_earlier_revisions_may_differ() -> None:
    found = diff(numbered(message("m", "a"), message("m", "c")), numbered(message("m", "b"), message("m", "c")))
    (pair,) = found.revised
    assert (pair.shared, pair.changes) == (0, ())
    assert "~ message messageId=m, revision 1 of 2" in str(found)
    longer = diff(numbered(message("m")), numbered(message("m"), message("m", "more")))
    assert "~ message messageId=m, 1 → 2 revisions" in str(longer)


def test_a_session_is_compared_with_what_it_was() -> None:
    session = numbered(message("m", "a"), message("n"), message("m", "b"))
    found = diff(session.at(2), session)
    assert (refs(found.added), [len(c) for c in found.revised[0].chains]) == (["messageId=n"], [1, 2])
    assert diff(session.at(0), session.at(0)).same


def test_spacing_and_the_order_of_members_are_no_difference() -> None:
    record = message("m") | {"seq": 2, "id": "r2"}
    spaced = json.dumps(dict(reversed(record.items())), indent=None).encode()
    found = diff(session_of([HEADER, record]), Session.read(orjson.dumps(HEADER) + b"\n" + spaced + b"\n"))
    assert (found.same, found.renumbered) == (True, 0)


def test_text_of_a_stream_never_steers_a_terminal() -> None:
    nasty = "\x1b[31m\u202e\n"
    a, b = numbered(message(f"m{nasty}", nasty, **{nasty: 1})), numbered(message(f"n{nasty}", "b"), message("z"))
    for found in (diff(a, b), diff(numbered(message("m", nasty)), numbered(message("m", f"{nasty}!")))):
        assert all(line.isprintable() for line in found.lines())


def test_of_each_kind_the_first_are_named_unless_all_are_asked_for() -> None:
    found = diff(numbered(), numbered(*(message(f"m{n}") for n in range(25))))
    assert "+ … and 5 more added" in list(found.lines())
    assert len(list(found.lines(None))) == 26


@pytest.mark.parametrize("change", [lambda r: r, renamed], ids=["one-name", "renamed"])
def test_lines_are_read_a_few_times_however_many_there_are(
    change: Callable[[Wire], Wire], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Near linear, counted: what a record costs does not grow with the session. Nothing is typed that is not shown."""
    read = 0
    line = Log.line

    def counted(self: Log, index: int) -> bytes:
        nonlocal read
        read += 1
        return line(self, index)

    def cost(n: int) -> float:
        nonlocal read
        talk = [message(f"m{i}", f"text {i % 50}", turnId=f"t{i // 10}") for i in range(n)]
        a, b = numbered(*talk), numbered(*(change(r) for r in talk[3:]))
        read = 0
        diff(a, b)
        return read / n

    monkeypatch.setattr(Log, "line", counted)
    monkeypatch.setattr("sessionrecord.session.core.Core.record", lambda *_: pytest.fail("a record was typed"))
    assert cost(4000) < 1.2 * cost(500) < 40


def test_the_names_are_there_at_the_top() -> None:
    assert sessionrecord.diff is diff
    assert sessionrecord.SessionDiff is SessionDiff
    assert dir(sessionrecord) == sorted(sessionrecord.__all__)


def test_of_records_that_all_say_the_same_those_of_one_id_belong_together() -> None:
    def states(*names: str) -> Session:
        return numbered(*({"type": "state", "state": name} for name in names))

    found = diff(states("idle", "idle", "idle", "idle"), states("idle", "running", "idle", "idle"))
    assert pairs(found.revised) == [("r3", "r3", "place")]
    found = diff(states("idle", "running", "idle", "running"), states("x", "y", "idle", "running", "idle", "running"))
    assert (refs(found.added), found.revised) == (["r2", "r3"], ())


def test_what_is_no_session_is_refused_in_words() -> None:
    path: Any = "session.asr.jsonl"
    with pytest.raises(TypeError, match=r"diff compares sessions, not str; open one with Session\.read"):
        diff(numbered(), path)
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        sessionrecord.session.Nothing  # noqa: B018


def test_an_object_is_shown_by_its_first_members_whatever_is_in_it() -> None:
    roots = [{"id": "app", "path": "/srv/app"}]
    assert '    + /roots: [{"id":"app","path":"/srv/app"}]' in str(diff(numbered(), numbered(roots=roots)))
    line = orjson.dumps(HEADER)
    surrogate = line[:-1] + b',"x":{"y":"\\ud800"}}\n'
    assert "    + /x: an object" in str(diff(Session.read(line + b"\n"), Session.read(surrogate)))
