"""What the kit says of a converter that breaks at once, and of a sample that is not stated as it should be: one clear line."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sessionrecord import Session
from sessionrecord.convert import Conversion, testing
from sessionrecord.errors import ConversionError
from tests.convert import pocket

LOG = pocket.SAMPLE


def broken(_: Path) -> Any:
    raise KeyError("boom")


def exits(_: Path) -> Any:
    sys.exit("cannot\ngo on")


def refuses(_: Path) -> Any:
    raise ConversionError("no line starts a session")


def with_(**parts: Any) -> Callable[[Path], Any]:
    return lambda path: replace(pocket.convert(path), **parts)


@pytest.mark.parametrize(
    ("convert", "said"),
    [
        (broken, r"^the log: KeyError is raised: 'boom' \(test_testing_misuse\.py, line \d+\)$"),
        (exits, r"^the log: SystemExit is raised: cannot \(test_testing_misuse\.py, line \d+\)$"),
        (refuses, r"^the log is refused as a whole: no line starts a session$"),
        (lambda _: None, r"^the log: the converter gives a NoneType, not a Conversion$"),
        (lambda path: pocket.convert(path).main, r"^the log: the converter gives a list, not a Conversion$"),
        (
            lambda path: Session.from_records(pocket.convert(path).main),
            r"^the log: the converter gives a Session, not a Conversion$",
        ),
        (with_(main=None), r"^the log: the conversion's main is a NoneType, not a list$"),
        (with_(children=[]), r"^the log: the conversion's children is a list, not a dict$"),
        (with_(report={}), r"^the log: the conversion's report is a dict, not a ConversionReport$"),
        (with_(main=[]), r"^the log: main is no list of records: '\[\]'$"),
        (with_(children={"c1": []}), r"^the log: child 'c1' is no list of records: '\[\]'$"),
        (with_(main=[{"type": "session"}]), r"^the log: main\[0\] is a dict, not a record: \"\{'type': 'session'\}\"$"),
    ],
)
@pytest.mark.parametrize("check", testing.CHECKS)
def test_a_converter_that_breaks_at_once_is_named_in_one_line(
    check: Callable[[testing.Sample], None], convert: Callable[[Path], Conversion], said: str
) -> None:
    """Guide, "The kit": each check raises AssertionError with one line."""
    # of logs that it makes, one check tells what is wrong with them
    said = said if check is not testing.check_hostile_logs else said.replace("^the log", "^[a-z ]+").removeprefix("^")
    if check is testing.check_hostile_logs and convert is refuses:
        said = r"is refused as a whole: no line starts a session$"
    with pytest.raises(AssertionError, match=said) as caught:
        check(pocket.sample(convert=convert))
    assert "\n" not in str(caught.value)


def test_the_error_that_a_converter_raised_is_the_cause() -> None:
    with pytest.raises(AssertionError) as caught:
        testing.check_accounting(pocket.sample(convert=broken))
    assert isinstance(caught.value.__cause__, KeyError)


@pytest.mark.parametrize("check", testing.CHECKS)
def test_the_path_of_a_sample_may_be_a_string(check: Callable[[testing.Sample], None]) -> None:
    check(pocket.sample(path=str(LOG)))


def test_a_sample_without_a_line_is_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"")
    with pytest.raises(AssertionError, match=r"^the log is refused as a whole: no line of log\.jsonl starts a session"):
        testing.check_converter(pocket.convert, path)
    with pytest.raises(AssertionError, match=r"^the log has no lines$"):
        testing.check_hostile_logs(pocket.sample(path=path))


def test_sets_of_any_kind_are_taken() -> None:
    given: Any = ["a", "b"]
    sample = testing.Sample(pocket.convert, LOG, computed=given, inherited={"a"})
    assert (sample.computed, sample.inherited) == (frozenset({"a", "b"}), frozenset({"a"}))


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"constants": "shell"}, TypeError, r"^constants is a set of texts: \{'shell'\}, not 'shell'$"),
        ({"computed": "inputTokens"}, TypeError, r"^computed is a set of texts: \{'inputTokens'\}, not 'inputTokens'$"),
        ({"inherited": b"turnId"}, TypeError, r"^inherited is a set of texts: \{b'turnId'\}, not b'turnId'$"),
        ({"allowed": {1}}, TypeError, r"^allowed is a set of texts$"),
        ({"excused": {"who"}}, TypeError, r"^excused gives each native member a reason"),
        ({"excused": {"who": ""}}, TypeError, r"^excused gives each native member a reason"),
        ({"unknown": "x kit-marker-7f3a"}, TypeError, r"^unknown is a line as bytes, not a str$"),
        ({"unknown": b'{"k":"zz"}'}, ValueError, r"^unknown is one line with testing\.MARKER, kit-marker-7f3a, in it"),
        ({"unknown": b"kit-marker-7f3a\n{}"}, ValueError, r"^unknown is one line with testing\.MARKER"),
    ],
)
def test_an_option_that_is_not_of_its_form_is_refused(
    options: dict[str, Any], error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        testing.check_converter(pocket.convert, LOG, **options)


def test_each_option_is_described_where_help_shows_it() -> None:
    """help(check_converter) and help(Sample) tell what each option states."""
    for option in ("computed", "constants", "allowed", "inherited", "excused", "unknown"):
        assert f"`{option}`" in (testing.check_converter.__doc__ or "")
        assert f"`{option}`" in (testing.Sample.__doc__ or "")
