"""`parentUuid` to predecessors. The numbers were worked out by hand from the logs, with the rule in convert/claude_code/structure.py."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from sessionrecord.convert import claude_code
from sessionrecord.records import Compaction, Message, ToolCall, ToolResult
from sessionrecord.session import Session
from tests.convert.logs import (
    DATA,
    SAMPLE,
    SESSION,
    accounted,
    assistant,
    codes,
    convert,
    fixture,
    fold,
    log,
    of,
    tool_result,
    tool_use,
    user,
)


@pytest.mark.parametrize(
    ("name", "entities", "heads", "path", "view"),
    [
        ("api-error", 3, 1, 3, 3),
        ("compaction", 10, 1, 10, 5),
        ("cycle", 4, 3, 1, 1),
        ("duplicate-uuid", 5, 1, 5, 5),
        ("fork", 6, 2, 4, 4),
        ("image", 5, 1, 5, 5),
        ("late-result", 7, 2, 6, 6),
        ("missing-parent", 4, 2, 2, 2),
        ("reused-call-id", 6, 1, 6, 6),
        ("second-root", 4, 1, 4, 4),
        ("sidechain", 6, 1, 6, 6),
        ("surrogate", 4, 1, 4, 4),
        ("thinking", 4, 1, 4, 4),
        ("torn", 3, 2, 1, 1),
        ("unknown-types", 3, 1, 3, 3),
    ],
)
def test_a_log_has_the_heads_and_the_path_that_its_parents_mean(
    name: str, entities: int, heads: int, path: int, view: int
) -> None:
    records = fixture(name).main
    session = Session.from_records(records)
    naive_heads, naive_path = fold(records)
    assert (len(naive_heads), len(naive_path)) == (heads, path)
    assert (len(session.heads()), len(session.active_path().entities), len(session.context_view().items)) == (
        heads,
        path,
        view,
    )
    taking_part = {(r.type, r.to_wire().get("messageId") or r.to_wire().get("callId") or r.to_wire().get("compactionId"))
                   for r in records if isinstance(r, Message | ToolCall | ToolResult | Compaction)}  # fmt: skip
    assert len(taking_part) == entities
    assert not [d for d in session.diagnostics if d.severity == "error"]


def test_the_sample_ends_with_the_compaction_and_what_followed_it() -> None:
    session = Session.from_records(claude_code.convert(SAMPLE).main)
    view = session.context_view()
    assert [i.record.type for i in view.items] == [
        "compaction",
        "message",
        "message",
        "tool_call",
        "tool_result",
        "message",
    ]
    assert sorted(a.reason for a in view.absent) == ["compacted"] * 26 + ["other-branch"] * 3
    assert view.flags == []
    assert (len(session.heads()), len(session.active_path().entities)) == (2, 32)


def test_a_fork_names_the_message_it_goes_back_to_and_nothing_else_names_any() -> None:
    messages = of(Message, fixture("fork").main)
    assert [m.predecessor for m in messages] == [None, None, None, None, f"messageId={messages[1].message_id}", None]


def test_kept_lines_stay_and_what_follows_them_follows_the_compaction() -> None:
    """`preservedSegment`: the harness links the kept lines behind the summary, whatever parentUuid says."""
    records = fixture("compaction").main
    first, second = of(Compaction, records)
    messages = of(Message, records)
    assert (first.trigger, first.tokens_before, first.kept_from) == ("auto", 167000, None)
    assert (second.trigger, second.tokens_before, second.kept_from) == (
        "manual",
        900,
        f"messageId={messages[4].message_id}",
    )
    assert first.text.endswith("We counted to two.")
    view = Session.from_records(records).context_view()
    assert [getattr(i.record, "message_id", None) for i in view.items] == [None, *(m.message_id for m in messages[4:])]
    assert messages[6].predecessor is None


def test_kept_uuids_may_be_listed() -> None:
    conversion = convert(
        user("u1", "a"), user("u2", "b", "u1"),
        {"type": "system", "subtype": "compact_boundary", "uuid": "c", "parentUuid": None, "logicalParentUuid": "u2",
         "compactMetadata": {"trigger": "auto", "preservedMessages": {"uuids": ["nowhere", "u2"]}}},
        user("s", "summary", "c", isCompactSummary=True), user("u3", "d", "u2"),
    )  # fmt: skip
    (compaction,) = of(Compaction, conversion.main)
    assert compaction.kept_from == "messageId=u2"
    assert [m.predecessor for m in of(Message, conversion.main)] == [None, None, None]


@pytest.mark.parametrize(
    "kept",
    [
        {"uuids": ["nowhere"]},
        {"uuids": []},
        {"headUuid": "u1", "tailUuid": "nowhere"},
        {"headUuid": "x", "tailUuid": "u1"},
        {"headUuid": "u1"},
    ],
)
def test_kept_lines_that_cannot_be_found_are_reported(kept: dict[str, object]) -> None:
    name = "preservedMessages" if "uuids" in kept else "preservedSegment"
    conversion = convert(
        user("u1", "a"), {"type": "system", "subtype": "compact_boundary", "uuid": "c", "parentUuid": None, "compactMetadata": {name: kept}},
    )  # fmt: skip
    assert codes(conversion.report) == [(2, "kept-not-found")]
    assert of(Compaction, conversion.main)[0].kept_from is None


def test_a_summary_without_a_boundary_is_a_compaction_of_its_own() -> None:
    conversion = convert(user("u1", "a"), user("s", "summary", None, isCompactSummary=True), user("u2", "b", "s"))
    (compaction,) = of(Compaction, conversion.main)
    assert (compaction.compaction_id, compaction.text) == ("s", "summary")
    assert codes(conversion.report) == []
    assert len(Session.from_records(conversion.main).context_view().items) == 2


def test_a_history_written_again_after_a_compaction_is_told_once() -> None:
    boundary = {
        "type": "system",
        "subtype": "compact_boundary",
        "uuid": "c",
        "parentUuid": None,
        "logicalParentUuid": "u1",
    }
    history = [user("u1", "a"), boundary, user("s", "summary", "c", isCompactSummary=True), user("u2", "b", "s")]
    conversion = convert(*history, *history, user("u3", "c", "u2"))
    assert [(u.line, u.reason) for u in conversion.report.not_converted] == [
        (n + 4, f"repeats line {n}") for n in (1, 2, 3, 4)
    ]
    assert len(Session.from_records(conversion.main).context_view().items) == 3


def test_a_parent_that_was_never_written_is_written_as_recorded_and_reported() -> None:
    conversion = fixture("missing-parent")
    assert codes(conversion.report) == [(3, "missing-parent")]
    assert of(Message, conversion.main)[2].predecessor.startswith("messageId=")


def test_rings_of_parents_end() -> None:
    assert codes(fixture("cycle").report) == [(1, "parent-cycle"), (2, "parent-later"), (6, "parent-cycle")]


def test_a_second_root_follows_the_head_and_is_reported_as_lost_structure() -> None:
    report = fixture("second-root").report
    assert codes(report) == [(3, "second-root")]
    assert ("structure", 1) in [(loss.kind, loss.count) for loss in report.lost]


def test_results_in_any_order_follow_the_last_of_their_group() -> None:
    """Lines of one API message and the results of its calls are one group in file order."""
    records = fixture("late-result").main
    fast, slow = of(ToolResult, records)
    assert (slow.text, slow.predecessor) == ("slow", fast.id)


def test_a_line_that_makes_nothing_is_passed_through() -> None:
    conversion = convert(
        user("u1", "a"), {"type": "progress", "uuid": "p1", "parentUuid": "u1"}, {"type": "progress", "uuid": "p2", "parentUuid": "p1"},
        assistant("a1", "m", [{"type": "text", "text": "x"}], "p2"), user("u2", "b", "p2"),
    )  # fmt: skip
    assert [m.predecessor for m in of(Message, conversion.main)] == [None, None, "messageId=u1"]


def test_a_line_without_any_parent_member_follows_the_head() -> None:
    line = user("u2", "b")
    del line["parentUuid"]
    conversion = convert(user("u1", "a"), line)
    assert codes(conversion.report) == []


def test_a_repeated_line_stands_for_what_it_repeats() -> None:
    """A tool use copied under a new uuid is the same call: what names the copy follows the original."""
    conversion = convert(
        user("u1", "a"), assistant("a1", "m", [tool_use("t")], "u1"), user("r1", [tool_result("t")], "a1"),
        assistant("copy", "m", [tool_use("t")], "u1"), user("rcopy", [tool_result("t")], "copy"), user("u2", "b", "rcopy"),
    )  # fmt: skip
    assert [(u.line, u.reason) for u in conversion.report.not_converted] == [
        (4, "repeats line 2"),
        (5, "repeats line 3"),
    ]
    assert of(Message, conversion.main)[1].predecessor is None


@pytest.mark.parametrize("shape", ["chain", "ring", "later", "missing"])
def test_long_chains_of_lines_that_make_nothing_take_linear_time(shape: str) -> None:
    """20 000 lines below 20 000 others: a walk each time would be 400 million steps."""
    n = 20_000
    top = {"chain": "u0", "ring": f"p{n - 1}", "later": "last", "missing": "nowhere"}[shape]
    chain = [{"type": "progress", "uuid": f"p{i}", "parentUuid": f"p{i - 1}" if i else top} for i in range(n)]
    users = [user(f"u{i + 1}", "x", f"p{n - 1}") for i in range(n // 10)]
    started = time.process_time()
    conversion = convert(user("u0", "x"), *chain, *users, user("last", "x"))
    assert conversion.report.units_read == n + n // 10 + 2
    assert time.process_time() - started < 60


def test_agent_files_are_found_in_the_directory_of_the_log() -> None:
    (path,) = (DATA / "with_agents").glob("*.jsonl")
    assert set(claude_code.convert(path).children) == {"a5e11f0", "a5e11f1"}
    assert claude_code.convert(path, agents=()).children == {}


def test_sub_agents_five_deep_in_files_of_their_own_are_each_read_and_named_by_the_call_that_started_them(
    tmp_path: Path,
) -> None:
    """Design, nasty inputs: "sub-agents five deep in separate files"."""

    def started(uuid: str, deeper: str | None, **more: Any) -> bytes:
        lines = [user(f"{uuid}-ask", f"I am {uuid}", **more)]
        if deeper is not None:
            result = {"agentId": deeper, "status": "completed", "content": [{"type": "text", "text": "done"}]}
            lines += [
                assistant(f"{uuid}-call", f"msg-{uuid}", [tool_use(f"call-{uuid}", "Task")], f"{uuid}-ask", **more),
                user(f"{uuid}-got", [tool_result(f"call-{uuid}")], f"{uuid}-call", toolUseResult=result, **more),
            ]
        return log(*lines)

    agents = [f"a{n}" for n in range(1, 6)]
    folder = tmp_path / SESSION / "subagents"
    folder.mkdir(parents=True)
    path = tmp_path / f"{SESSION}.jsonl"
    path.write_bytes(started("main", "a1"))
    for agent, deeper in zip(agents, [*agents[1:], None], strict=True):
        (folder / f"agent-{agent}.jsonl").write_bytes(started(agent, deeper, isSidechain=True, agentId=agent))

    conversion = claude_code.convert(path)

    assert set(conversion.children) == set(agents)
    streams = [conversion.main, *(conversion.children[agent] for agent in agents)]
    named = [call.child_session for stream in streams for call in of(ToolCall, stream)]
    assert [name.rsplit("/", 1)[1] for name in named] == agents
    assert [of(Message, stream)[0].text for stream in streams] == [f"I am {name}" for name in ("main", *agents)]
    reports = [conversion.report, *conversion.report.children.values()]
    assert sum(accounted(report) for report in reports) == sum(report.lines_read for report in reports) == 16
    assert [d for stream in streams for d in Session.from_records(stream).diagnostics if d.severity == "error"] == []
