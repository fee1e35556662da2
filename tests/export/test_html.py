"""The page of HTML: every record on it, or listed with what the page has no room for."""

from __future__ import annotations

import html5lib

from sessionrecord import Session
from sessionrecord.display.html import PAGE
from sessionrecord.export import to_html
from tests.export.sessions import agent, session, user


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
    made = session(*(user(f"text {i} ") for i in range(PAGE.items + 3)))
    exported = to_html(made)
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
