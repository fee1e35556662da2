"""The page of HTML: every record on it, or listed with what the page has no room for."""

from __future__ import annotations

import re
from typing import Any

import html5lib
import pytest

from sessionrecord import Session
from sessionrecord.display.html import PAGE
from sessionrecord.export import to_atif, to_html, to_markdown, to_otlp
from sessionrecord.redact import RedactionRules, redact
from tests.export.sessions import agent, call, result, session, user


def test_the_page_is_whole_html_that_names_every_record() -> None:
    """What a browser shows is what a strict parser finds."""
    made = session(user("How many <b>feet</b>?"), agent("Six."))
    exported = to_html(made)
    page = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(exported.text)
    shown = "".join(page.itertext())
    assert "How many <b>feet</b>?" in shown
    assert "Six." in shown
    assert (exported.report.records, exported.report.represented, exported.report.losses) == (len(made), len(made), [])


def test_a_page_as_of_a_seq_shows_nothing_later() -> None:
    """Every view takes `at`."""
    made = session(user("early"), agent("tomorrow"))
    exported = to_html(made, at=2)
    assert "early" in exported.text
    assert "tomorrow" not in exported.text
    assert exported.report.records == 2


def test_records_beyond_the_limit_are_listed_one_by_one() -> None:
    """A record that is not represented is listed with an empty pointer."""
    records = [user(f"text {i} ") for i in range(PAGE.items + 3)]
    records[PAGE.items // 2] = call("c", childSession="asr:toy//kid")  # what is not on the page names no child there
    exported = to_html(session(*records))
    assert exported.report.counts == {"beyond_limits": 4}
    listed = [loss for loss in exported.report.losses if loss.pointer == ""]
    assert {loss.kind for loss in listed} == {"beyond_limits"}
    assert exported.report.represented == PAGE.items
    for loss in listed:
        assert f"text {(loss.seq or 0) - 2} " not in exported.text


def test_text_beyond_the_limit_is_told_with_its_place() -> None:
    """What the page cuts it says."""
    exported = to_html(session(user("x" * (PAGE.text + 7), messageId="u")))
    (loss,) = exported.report.losses
    assert (loss.kind, loss.what) == ("beyond_limits", "7 characters of session.records[1]")
    assert exported.report.left_out == 0


def test_an_empty_session_gives_a_page() -> None:
    assert to_html(Session.from_records([])).report.records == 0


def test_a_child_session_is_reported_as_by_the_other_exports() -> None:
    """It is named and not included, whatever the format; once a call, by its latest revision."""
    kid = "asr:toy//kid"
    made = session(
        call("c", status="pending", childSession="asr:toy//other"),
        call("c", childSession=kid),
        call("d", childSession=kid),
        call("d"),
        result("c"),
    )
    told = [
        [(x.kind, x.what, x.seq, x.pointer, x.kept) for x in export(made).report.losses if x.kind == "child_session"]
        for export in (to_html, to_otlp, to_atif, to_markdown)
    ]
    assert told[0] == [("child_session", "childSession", 3, "/childSession", True)]
    assert told == [told[0]] * 4
    assert kid in to_html(made).text
    assert to_html(made, at=2).report.counts == {"child_session": 1}
    assert to_html(made, at=1).report.counts == {}


def heading(page: str) -> tuple[str, str]:
    """The text of the title and of the first heading."""
    tree = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(page)
    title, first = tree.find(".//title"), tree.find(".//h1")
    assert title is not None
    assert first is not None
    return "".join(title.itertext()), "".join(first.itertext())


@pytest.mark.parametrize(
    ("info", "title", "first"),
    [
        ({"title": "Fix <b>", "summary": "All of it"}, "Fix <b>", "Fix <b>"),
        ({"summary": "  The parser \t is mended\nand tested"}, "The parser is mended", "The parser is mended"),
        ({"title": "", "summary": "Said"}, "Said", "Said"),
        ({"summary": "w" * 500}, "w" * 119 + "…", "w" * 119 + "…"),
        ({"title": " \n", "summary": "Said"}, "Session", " \n"),
        ({"summary": " \n "}, "Session", "Session"),
        ({"tags": ["x"]}, "Session", "Session"),
    ],
)
def test_the_page_is_named_by_the_title_or_else_by_the_summary(info: dict[str, Any], title: str, first: str) -> None:
    """What people call the session (`session_info`)."""
    made = session({"type": "session_info", **info}, user("a"))
    assert heading(to_html(made).text) == (title, first)
    assert heading(to_html(made, at=2).text) == (title, first + " at seq 2")
    assert heading(to_html(made, at=1).text) == ("Session", "Session at seq 1")
    if "summary" in info:
        assert info["summary"].strip().rpartition("\n")[2] in to_html(made).text


def test_the_head_of_the_page_says_that_not_all_content_is_there() -> None:
    """`contentLevel` of the header, or of a later declaration; of a session with everything nothing is said."""
    head = re.compile(r"</h1><div><span[^>]*>content level: ([^<]*)</span></div>")
    redacted = redact(session(user("hunter22", messageId="u")), RedactionRules({"p": "hunter22"})).session
    assert head.findall(to_html(redacted).text) == ["redacted"]
    assert head.findall(to_html(session(contentLevel="metadata_only")).text) == ["metadata_only"]
    assert head.findall(to_html(session(contentLevel="x" * 99)).text) == ["x" * 59 + "…"]
    later = session(user("a"), {"type": "declaration", "contentLevel": "redacted"}, user("b"))
    assert head.findall(to_html(later).text) == ["redacted"]
    for made in (to_html(session()), to_html(session(contentLevel="full")), to_html(later, at=2)):
        assert head.findall(made.text) == []
