"""Rules: what is refused at once, since it could not be kept, and that they never show a secret."""

from __future__ import annotations

import dataclasses
import pydoc
import re
from collections.abc import Callable
from typing import Any

import pytest

from sessionrecord import Session
from sessionrecord.errors import RedactionError, SessionRecordError
from sessionrecord.redact import KNOWN_PATTERNS, Pattern, RedactionRules, Value, redact
from tests.redact.samples import message, stream, text

SESSION = Session.read(stream(message(text("x"))))
RULES: Any = RedactionRules
PATTERN: Any = Pattern
REDACT: Any = redact


def test_values_are_named_by_their_place_or_by_a_mapping() -> None:
    assert [v.name for v in RedactionRules(["abcd", "efgh"]).values] == ["value-1", "value-2"]
    assert [v.name for v in RedactionRules({"token": "abcd"}).values] == ["token"]
    assert [v.name for v in RedactionRules([Value("x", "abcd"), "efgh"]).values] == ["x", "value-2"]
    assert RedactionRules().patterns == KNOWN_PATTERNS


def test_rules_do_not_change_and_do_not_show_what_they_look_for() -> None:
    rules = RedactionRules(["hunter2"])
    with pytest.raises(dataclasses.FrozenInstanceError):
        rules.ids = "rename"  # type: ignore[misc]
    assert "hunter2" not in repr(rules)
    assert repr(RedactionRules({"token": "hunter2"}, [Pattern("p", "zz"), Pattern("q", "zz")])) == (
        "<RedactionRules: values token; patterns p, q; ids='raise', signatures='raise'>"
    )
    assert rules == RedactionRules(["hunter2"])
    assert len({rules, RedactionRules(["hunter2"])}) == 1


@pytest.mark.parametrize(
    "value", ["", "abc", "é", "redacted", "[redacted", "value-1", "redaction", "count", '"kind"', "\ud800abc"]
)
def test_a_value_that_could_not_be_removed_is_refused(value: str) -> None:
    with pytest.raises(RedactionError, match="value-1") as raised:
        RedactionRules([value])
    if len(value) > 5 and value != "value-1":
        assert value not in str(raised.value)


@pytest.mark.parametrize("regex", [r"[a-z]{8}", r"\[redacted:", r"\d|red", r"\S{6,}"])
def test_a_pattern_that_matches_what_takes_the_place_of_secrets_is_refused(regex: str) -> None:
    with pytest.raises(RedactionError, match="would not end"):
        RedactionRules(patterns=[Pattern("p", regex)])


def test_other_rules_that_make_no_sense_are_refused() -> None:
    with pytest.raises(RedactionError, match="two rules are called token"):
        RedactionRules({"token": "abcd"}, [Pattern("token", "x")])
    with pytest.raises(RedactionError, match="not one text"):
        RedactionRules("abcd")
    with pytest.raises(RedactionError, match="is no text"):
        RedactionRules([1234])  # type: ignore[list-item]
    with pytest.raises(RedactionError, match="ids is"):
        RedactionRules(ids="drop")  # type: ignore[arg-type]
    with pytest.raises(RedactionError, match="signatures is"):
        RedactionRules(signatures="rename")  # type: ignore[arg-type]
    assert issubclass(RedactionError, SessionRecordError)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: RULES(patterns=["TCK-\\d+"]), "patterns are a list of Pattern, not of str"),
        (lambda: RULES(patterns="TCK-\\d+"), "patterns are a list of Pattern, not str"),
        (lambda: RULES(patterns=Pattern("p", "x")), "patterns are a list of Pattern, not Pattern"),
        (lambda: RULES(patterns=7), "patterns are a list of Pattern, not int"),
        (lambda: RULES(7), "values are a list of texts, or a mapping of names to texts, not int"),
        (lambda: RULES(Value("x", "abcd")), "values are a list of texts, or a mapping of names to texts, not Value"),
        (lambda: RULES({7: "abcd"}), "the name of a rule is a text, not int"),
        (lambda: PATTERN("p", re.compile("x")), "the expression of the pattern p is a text, not Pattern"),
        (lambda: REDACT("/path", RedactionRules()), "redact takes a session, not str; open one with Session.read"),
        (lambda: REDACT(SESSION.at(1), RedactionRules()), "redact takes a session, not SessionAt: a session at a moment"),
        (lambda: REDACT(redact(SESSION, RedactionRules()), RedactionRules()), "redact takes a session, not Redacted: give its session"),
        (lambda: REDACT(SESSION, ["x"]), "redact takes RedactionRules, not list"),
        (lambda: REDACT(SESSION, "hunter2"), "redact takes RedactionRules, not str"),
    ],
)  # fmt: skip
def test_what_is_of_another_kind_is_told_in_one_line(make: Callable[[], object], words: str) -> None:
    with pytest.raises(TypeError) as raised:
        make()
    assert str(raised.value).startswith(words)
    assert "\n" not in str(raised.value)
    assert "hunter2" not in str(raised.value)


def test_help_shows_no_expression() -> None:
    assert "(?" not in pydoc.render_doc(RedactionRules)
    assert RedactionRules(patterns=[]).patterns == ()


def test_a_set_that_may_once_be_nested_is_no_warning() -> None:
    """Python warns of `[[`; every warning is an error here."""
    assert Pattern("p", "p=[[a]bc").compiled.search("p=[bc") is not None
