"""Comparisons, loss reports and reports of redactions are shown like everything else: valid HTML, every word of it text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessionrecord import Session, diff
from sessionrecord.asif import CallReport, Document, PartialCall, Report, StreamReport
from sessionrecord.diagnostics import Diagnostic
from sessionrecord.display.html import NOTEBOOK
from sessionrecord.export import to_atif, to_html, to_markdown, to_otlp
from sessionrecord.export.report import KINDS, Loss, LossReport
from sessionrecord.redact import RedactionReport, RedactionRules, Removal, redact
from tests.asif.documents import DATA
from tests.display.html.samples import hostile_records, rewound, sample, stream
from tests.display.html.test_build import HOSTILE
from tests.display.html.trees import fragment, shown, text_of
from tests.strategies import records


def said(*texts: str, **header: Any) -> Session:
    return stream(
        *(
            {"type": "message", "messageId": f"m{n}", "role": "user", "content": [{"type": "text", "text": text}]}
            for n, text in enumerate(texts)
        ),
        **header,
    )


def text_shown(display: Any) -> str:
    assert len(repr(display)) <= 160
    assert repr(display).isprintable()
    return text_of(fragment(display._repr_html_()))


def test_a_comparison_shows_what_was_added_removed_and_revised_with_both_values() -> None:
    """Each entity that `diff` names is in its display, under its kind."""
    text = text_shown(diff(said("same", "old words", "gone"), said("same", "new words", agent="other")))
    assert "they differ" in text
    for part in ("Removed: 1", "gone", "Revised: 1", "/content/0/text", "old words", "new words", "Header", "/agent"):
        assert part in text
    added = text_shown(diff(said("same"), said("same", "more")))
    assert "Added: 1" in added
    assert "more" in added
    assert "the same" in text_shown(diff(said("same"), said("same")))


def test_of_a_session_at_a_point_what_was_removed_is_shown_as_it_was_there() -> None:
    """The latest revision before the point, not the session's: what came later is not in what was compared."""
    parts = [
        {"type": "plan", "planId": "p1", "entries": [{"content": f"version {n}", "status": "pending"}]}
        for n in range(2)
    ]
    whole, none = stream(*parts), stream()
    for found in (
        diff(whole.at(2), none),
        diff(none, whole.at(2)),
        diff(whole.at(2), whole.at(1)),
        diff(whole.at(1), whole.at(2)),
    ):
        text = text_shown(found)
        assert "version 0" in text
        assert "version 1" not in text
    assert "version 1" in text_shown(diff(whole, none))


def test_what_a_compaction_took_out_is_shown_with_its_summary() -> None:
    """The question that a comparison of contexts answers: what did compaction throw away?"""
    session = stream(
        {"type": "message", "messageId": "m1", "role": "user", "content": [{"type": "text", "text": "thrown away"}]},
        {
            "type": "compaction", "compactionId": "c", "status": "completed",
            "summary": [{"type": "text", "text": "in short"}], "tokensBefore": 900, "tokensAfter": 12,
        },
        {"type": "message", "messageId": "m2", "role": "user", "content": [{"type": "text", "text": "came later"}]},
    )  # fmt: skip
    text = text_shown(session.context_diff(2))
    for part in ("Compactions: 1", "compactionId=c", "took out 1 item", "900", "12", "in short", "Lost: 1", "thrown away",
                 "replaced by a compaction", "Gained: 2", "came later"):  # fmt: skip
        assert part in text
    back = text_shown(session.context_diff(4, 2))
    assert "it comes later" in back
    assert "before: replaced by a compaction" in back


def test_what_came_and_went_between_two_points_and_what_was_revised_are_shown() -> None:
    session = rewound()
    points = [r.seq for r in session.records if r.seq is not None]
    for before in points:
        for after in points:
            found = session.context_diff(before, after)
            text = text_shown(found)
            for name, things in (
                ("Lost", found.lost),
                ("Gained", found.gained),
                ("Revised", found.revised),
                ("Came and went between", found.passed),
            ):
                assert (f"{name}: {len(things)}" in text) == bool(things)


@given(st.lists(records(), max_size=6), st.lists(records(), max_size=6))
def test_any_two_sessions_compared_are_shown(one: list[Any], other: list[Any]) -> None:
    a, b = Session.from_records(one), Session.from_records(other)
    for found in (diff(a, b), diff(b, a), diff(a, a)):
        fragment(found._repr_html_())


def test_any_session_s_losses_are_shown_kind_by_kind() -> None:
    """Each kind that was lost, how often and why: what the report says as text."""
    for session in (sample(), rewound(), Session.read(b"")):
        for export in (to_atif, to_otlp, to_markdown, to_html):
            exported = export(session)
            report = exported.report
            assert exported._repr_html_() == report._repr_html_()
            text = text_shown(report)
            for kind, n in report.counts.items():
                assert kind in text
                assert f"{n:,}" in text
                assert KINDS[kind] in text
            assert ("nothing lost" in text) == (not report.losses)


def test_what_was_removed_is_shown_by_place_and_never_what_it_was() -> None:
    made = redact(said("the password is correct-horse-battery"), RedactionRules(["correct-horse-battery"]))
    assert made._repr_html_() == made.report._repr_html_()
    text = text_shown(made.report)
    assert "/content/0/text" in text
    assert "secrets removed" in text
    assert "correct-horse-battery" not in text
    assert "nothing removed" in text_shown(redact(said("no"), RedactionRules(["correct-horse-battery"])).report)
    assert str(made.report) == made.report.to_text()


@pytest.mark.parametrize("path", sorted(DATA.glob("[0-9]*.json")), ids=lambda path: path.stem)
def test_the_check_of_an_asif_document_shows_each_finding_stream_and_call(path: Path) -> None:
    report = Document.read(path).check()
    text = text_shown(report)
    assert ("not ok" in text) == (not report.ok)
    for finding in report.findings:
        assert finding.code in text
        assert finding.message[:100] in text
    for stream_id, of_stream in report.streams.items():
        assert f"{stream_id}{of_stream.status}{of_stream.contiguous_bytes}" in text
    for call in report.calls.values():
        assert f"{call.call_id}{call.tool_id}{call.event_id or ''}{call.arguments_status}" in text


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_in_comparisons_and_reports_is_only_text(text: str) -> None:
    loss = LossReport(text, 3, [Loss("no_place", text, text, 2, text, text), Loss("content_off", text, text)])
    removal = RedactionReport(4, (Removal(2, text, text, "text", text, 1), Removal(3, None, "", "line", text, 2)), (3,))
    streams = {text: StreamReport(text, "tool_arguments", text, "partial", 3, (), False)}
    calls: dict[str, CallReport] = {
        text: PartialCall(text, text, text, True, None, "partial", text.encode(errors="ignore"))
    }
    evidence = Report([Diagnostic.of("id-duplicate", text, pointer=text)], streams, {}, calls, [text])
    for report in (loss, removal, evidence):
        assert shown(text)[:40] in text_shown(report)
    if text.encode("utf-8", "ignore").decode() == text:
        hostile = Session.from_records(hostile_records(text))
        for found in (diff(hostile, said(text)), diff(said(text), hostile), hostile.context_diff(0)):
            fragment(found._repr_html_())
            assert repr(found).isprintable()


def test_of_many_entries_the_first_are_shown_and_the_others_counted() -> None:
    """A notebook's limits: nothing is left out silently."""
    most = NOTEBOOK.rows
    many = said(*(f"text {n}" for n in range(most + 7)))
    assert "7 entries not shown: diff.added[50:]" in text_shown(diff(said(), many))
    assert "7 entries not shown: diff.gained[50:]" in text_shown(many.context_diff(1))
    losses = LossReport("target", 0, [Loss("no_place", f"t{n}", "why", n) for n in range(most + 7)])
    assert "7 rows not shown: report.losses" in text_shown(losses)
    removals = tuple(Removal(n, None, "", "line", "r", 1) for n in range(most + 7))
    assert "7 rows not shown: report.removals" in text_shown(RedactionReport(99, removals, ()))
    findings = [Diagnostic.of("id-duplicate", f"finding {n}") for n in range(most + 7)]
    streams = {str(n): StreamReport(str(n), "tool_arguments", "e", "partial", 3, (), False) for n in range(most + 7)}
    text = text_shown(Report(findings, streams, {}, {}, []))
    assert "7 findings not shown: report" in text
    assert "7 streams not shown: report" in text
