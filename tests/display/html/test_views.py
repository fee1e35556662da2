"""What the displays of sessions, contexts and chains say."""

from __future__ import annotations

from typing import Any
from xml.etree.ElementTree import Element

import pytest

from sessionrecord import Session, SessionHeader
from sessionrecord.display.html import NOTEBOOK, session_page
from tests.display.html.samples import rewound, sample, stream
from tests.display.html.trees import fragment, text_of


def rows(tree: Element) -> list[list[str]]:
    """The cells of every row of every table."""
    return [["".join(text_of(cell)) for cell in row] for row in tree.iter("tr")]


def entries(tree: Element) -> list[str]:
    """The line of each entry of a list."""
    found = [e for e in tree.iter("details") if e.get("class") == "srec-entry"]
    return [text_of(e.find("summary") or Element("none")) for e in found]


def test_the_head_of_a_session_says_what_it_is() -> None:
    session = sample()
    tree = fragment(session._repr_html_())
    facts = {row[0]: row[1] for row in reversed(rows(tree)) if len(row) == 2}  # the head is first
    assert facts["agent"] == "claude-code 2.1.34"
    assert isinstance(session.header, SessionHeader)
    assert facts["session"] == session.header.session_id
    assert facts["producer"] == "sessionrecord 0.1.0 converter"
    assert facts["from"] == "2026-03-02T09:14:00.000Z to 2026-03-02T09:17:43.120Z"
    assert facts["turns"] == f"{len(session.turns())}"
    assert facts["records"] == "74"
    assert facts["model calls recorded"] == f"{session.usage().calls}"
    assert all([str(t), str(n)] in rows(tree) for t, n in session.counts().items())
    total = session.usage().by_model["claude-sonnet-4-5-20250929"]
    assert ["claude-sonnet-4-5-20250929", f"{total.input_tokens:,}", f"{total.output_tokens:,}"] in [
        r[:3] for r in rows(tree)
    ]
    assert "nothing to report" in text_of(tree)


def test_a_log_that_is_no_session_is_said_to_be_none() -> None:
    """Lines of an agent's own log open as records of unknown types; nothing else tells somebody what is wrong."""
    native = text_of(fragment(Session.read("examples/data/claude-code-sample.jsonl")._repr_html_()))
    assert "no valid header" in native
    assert "a log of an agent is converted first, see sessionrecord.convert" in native
    for session in (sample(), stream(), Session.read(b""), Session.read(b'{"type":"state","seq":1,"id":"a"}\n')):
        assert "converted first" not in text_of(fragment(session._repr_html_()))


def test_tools_are_counted_by_how_their_calls_ended() -> None:
    tree = fragment(rewound()._repr_html_())
    assert ["tool", "calls", "error", "no result"] in rows(tree)
    assert ["look", "1", "1", "0"] in rows(tree)
    assert ["ask", "1", "0", "1"] in rows(tree)


def test_records_are_marked_with_what_became_of_them() -> None:
    lines = entries(fragment(rewound()._repr_html_()))
    assert len(lines) == 10
    assert [("taken back by a rewind" in line) for line in lines] == [n in (2, 3, 4) for n in range(10)]
    assert "revision 1 of 2" in lines[2]
    assert "revision 2 of 2" in lines[3]
    assert "pending" in lines[2]
    assert "completed" in lines[3]
    for told in ("error", "exit code 2", "12.5 ms", "content truncated", "nothing seen"):
        assert told in lines[4]
    assert "rewind" in lines[5]
    assert "moves the head" in lines[5]
    assert "back to messageId=m1" in lines[5]
    assert "invalid message" in lines[8]
    assert "not valid" in lines[9]


def test_a_compaction_is_marked_and_its_summary_is_open() -> None:
    tree = fragment(sample()._repr_html_())
    (compaction,) = [line for line in entries(tree) if line.startswith("compaction")]
    assert "replaces what came before it" in compaction
    assert "24,336 tokens before" in compaction
    opened = [e for e in tree.iter("details") if e.get("class") == "srec-entry" and e.get("open") is not None]
    assert sum("What the model sees instead" in text_of(e) for e in opened) == 1
    assert sum("replaced by a compaction" in line for line in entries(tree)) > 0


def test_a_session_at_a_seq_shows_nothing_later() -> None:
    session = rewound()
    tree = fragment(session.at(5)._repr_html_())
    assert len(entries(tree)) == 5
    assert "at seq 5" in text_of(tree)
    assert "idle" not in text_of(tree)
    assert "taken back" not in text_of(tree)


def test_findings_are_in_the_head_of_a_session() -> None:
    session = rewound()
    text = text_of(fragment(session._repr_html_()))
    for finding in session.diagnostics:
        assert finding.code in text
        assert finding.message in text


def test_a_context_shows_its_items_in_order_with_flags_and_what_is_not_there() -> None:
    view = rewound().context_view()
    tree = fragment(view._repr_html_())
    assert [line.partition(" ")[0] for line in entries(tree)] == ["user", "call", "invalid"][: len(view)]
    assert [f"item {n}" in line for n, line in enumerate(entries(tree), 1)] == [True] * len(view)
    for flag in view.flags:
        assert flag.code in text_of(tree)
        assert flag.message in text_of(tree)
    assert ["taken back by a rewind", "r6", "2"] in rows(tree)
    assert ["callId=c1", "tool_call", "3", "taken back by a rewind"] in rows(tree)
    assert "evidence of what the context contained, not proof" in text_of(tree)
    for finding in view.diagnostics:
        assert finding.message in text_of(tree)


def test_an_empty_context_has_no_head() -> None:
    assert "no head" in text_of(fragment(stream().context_view()._repr_html_()))


def test_a_chain_shows_what_each_revision_changed() -> None:
    tree = fragment(rewound().revisions("callId=c1")._repr_html_())
    table = {row[0]: row[1:] for row in rows(tree) if len(row) == 3}
    assert table["status"] == ["changed", "- pending\n+ completed\n"]
    kind, change = table["arguments"]
    assert kind == "changed"
    assert '-   "at": "it"\n' in change
    assert '+   "at": "it",\n+   "deep": true\n' in change
    assert "  {\n" in change
    assert "seq" not in table
    assert "2 revisions of tool_call" in text_of(tree)
    assert text_of(tree).count("latest") == 1


def test_members_that_come_and_go_are_named() -> None:
    session = stream(
        {"type": "plan", "planId": "p", "turnId": "t"},
        {"type": "plan", "planId": "p", "x": 1},
        {"type": "plan", "planId": "p", "x": 1},
    )
    tree = fragment(session.revisions("planId=p")._repr_html_())
    assert ["turnId", "gone", "- t\n"] in rows(tree)
    assert ["x", "new", "+ 1\n"] in rows(tree)
    assert "no member differs" in text_of(tree)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("a\nb", "a\nc", "  a\n- b\n+ c\n"),
        ("a", "a\n", "  a\n+ \n"),
        ("a\r\nb", "a\nb", "- aU+000D\n+ a\n  b\n"),
        (None, "a", "+ a\n"),
        ("a", None, "- a\n"),
        (None, None, "no text recorded"),
        ("a", "a", "nothing differs  a\n"),
        ("\n".join("abcdefgh"), "\n".join("abcdefgX"), "… 4 lines the same\n  e\n  f\n  g\n- h\n+ X\n"),
        ("\n".join("Xbcdefgh"), "\n".join("abcdefgh"), "- X\n+ a\n  b\n  c\n  d\n… 4 lines the same\n"),
    ],
)
def test_a_change_is_shown_line_by_line(old: str | None, new: str | None, expected: str) -> None:
    block = {"type": "diff", "path": "p"} | {k: v for k, v in (("oldText", old), ("newText", new)) if v is not None}
    session = stream({"type": "message", "messageId": "m", "role": "user", "content": [block]})
    tree = fragment(session.records[1]._repr_html_())
    assert f"diff p{expected}" in text_of(tree)


def test_the_members_of_a_call_and_a_plan_have_their_own_places() -> None:
    session = stream(
        {"type": "tool_call", "callId": "c", "name": "n", "title": "a title", "arguments": {"b": [1, 2]}},
        {"type": "plan", "planId": "p", "entries": [{"content": "do it", "status": "pending", "priority": "high"}]},
        {"type": "usage", "inputTokens": 1200, "outputTokens": 30, "cost": {"amount": 0.5, "currency": "USD"}},
    )
    call, plan, _ = (fragment(r._repr_html_()) for r in session.records[1:])
    assert '{\n  "b": [\n    1,\n    2\n  ]\n}' in text_of(call)
    assert "a title" in text_of(call)
    assert ["do it", "pending", "high"] in rows(plan)
    assert "1,200 in, 30 out, 0.5 USD" in entries(fragment(session._repr_html_()))[3]


def test_a_page_says_the_same_as_the_display() -> None:
    session = sample()
    page = session_page(session).html
    assert page.startswith("<!DOCTYPE html>")
    assert "Please commit both changes." in page
    assert session_page(session.at(6)).html.count("srec-entry") < page.count("srec-entry")


def test_a_session_of_nothing_says_so() -> None:
    text = text_of(fragment(Session.read(b"")._repr_html_()))
    assert "no valid header" in text
    assert "stream-empty" in text


def test_a_tool_call_is_shown_with_the_decision_on_it_and_its_result() -> None:
    """What `session.tool_calls()` pairs stands in one place, in the order in which it happened."""
    session = stream(
        {"type": "tool_call", "callId": "c", "name": "run", "arguments": {"command": "ls here"}},
        {"type": "permission_request", "permissionId": "p", "callId": "c", "title": "may it run?"},
        {"type": "permission_decision", "permissionId": "p", "outcome": "selected", "kind": "allow_once"},
        {"type": "tool_result", "callId": "c", "content": []},
        {"type": "tool_result", "callId": "c", "outcome": "success", "content": [{"type": "text", "text": "one file"}]},
        {"type": "tool_result", "callId": "gone"},
        {"type": "tool_call", "callId": "open", "name": "wait"},
    )
    whole, orphan, pending = [text_of(fragment(use._repr_html_())) for use in session.tool_calls()]
    parts = (
        "Tool call c",
        "ls here",
        "may it run?",
        "allow_once",
        "one file",
        "1 earlier revision not shown: use.results",
    )
    assert [whole.index(part) for part in parts] == sorted(whole.index(part) for part in parts)
    assert "the call is not in the stream" in orphan
    assert "how it ended is not recorded" in pending


def html_of(items: Any) -> Element:
    return fragment(items._repr_html_())


def test_records_entities_and_items_in_a_row_are_shown_as_each_is() -> None:
    """Slices of `records`, `entities`, a view's items, a turn's records: of many the first and the last."""
    session = rewound()
    for items in (session.records[2:5], session.entities, session.context_view().items, session.active_path().entities):
        assert len(entries(html_of(items))) == len(items)
    assert "2 revisions" in text_of(html_of(session.entities))
    item = session.context_view().items[0]
    assert item._repr_html_() == item.record._repr_html_()
    (turn, *_) = sample().turns()
    text = text_of(fragment(turn._repr_html_()))
    assert f"Turn {turn.turn_id}: {len(turn.records)} records" in text
    said = [{"type": "message", "messageId": f"m{n}", "role": "user"} for n in range(NOTEBOOK.items + 5)]
    many = stream(*said).records[1:]
    assert f"5 items not shown: items[{NOTEBOOK.items // 2}:{NOTEBOOK.items // 2 + 5}]" in text_of(html_of(many))
    assert "none" in text_of(html_of(many[:0]))
