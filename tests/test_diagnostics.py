"""Diagnostics, their codes, and the tree of errors."""

from __future__ import annotations

import ast
import json
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sessionrecord
from sessionrecord import errors
from sessionrecord.diagnostics import CODES, REQUIREMENTS, Diagnostic, excerpt
from sessionrecord.errors import InvalidRecordError, RefError, RefNotFoundError, SessionRecordError, StreamError

SOURCE = Path(str(sessionrecord.__file__)).parent


def strings_in(tree: ast.AST) -> set[str]:
    return {n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str)}


def test_every_code_is_used_and_every_code_used_is_in_the_table() -> None:
    used: set[str] = set()
    for path in SOURCE.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        if path.name != "diagnostics.py":
            used |= strings_in(tree)
        for call in (n for n in ast.walk(tree) if isinstance(n, ast.Call)):
            name = ast.unparse(call.func).rpartition(".")[2]
            first = call.args[0] if call.args else None
            made = ast.unparse(call.func) == "Diagnostic.of" or name in {"Finding", "IJsonError"}
            if made and isinstance(first, ast.Constant):
                assert first.value in CODES, f"{path.name}:{call.lineno}"
    assert set(CODES) - used == set()


@pytest.mark.parametrize("code", sorted(CODES))
def test_a_code_is_kebab_case_with_a_summary_and_a_real_requirement(code: str) -> None:
    info = CODES[code]
    assert re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", code)
    assert info.severity in {"error", "warning", "info"}
    assert info.summary
    assert info.requirement is None or info.requirement in REQUIREMENTS


def test_the_requirements_are_those_of_the_specification() -> None:
    """Spec section 10; a requirement number is never invented."""
    assert {k: r.check for k, r in REQUIREMENTS.items()} == {
        f"ASR-0{n}": "fixture" if n == 46 else "schema" for n in range(40, 48)
    }  # fmt: skip


def test_a_diagnostic_reads_as_one_line() -> None:
    diagnostic = Diagnostic.of(
        "duplicate-member", "'id' is there twice", line=3, offset=17, pointer="/id", record_id="r1"
    )
    assert str(diagnostic) == "line 3, record 'r1', at /id: error duplicate-member: 'id' is there twice [ASR-041]"
    assert str(Diagnostic.of("stream-empty", "no line")) == "error stream-empty: no line"
    assert json.loads(json.dumps(diagnostic.to_dict())) == {
        "code": "duplicate-member", "severity": "error", "message": "'id' is there twice", "line": 3, "offset": 17, "pointer": "/id",
        "record_id": "r1", "requirement": "ASR-041",
    }  # fmt: skip


@given(st.text(max_size=60), st.text(max_size=60))
def test_no_control_character_of_the_stream_reaches_the_line(pointer: str, record_id: str) -> None:
    assert str(Diagnostic.of("id-duplicate", "twice", pointer=pointer, record_id=record_id)).isprintable()


class _Odd:
    def __str__(self) -> str:
        return "a\nb\x1b[31m"


@given(
    st.one_of(
        st.text(),
        st.binary(),
        st.integers(),
        st.floats(),
        st.none(),
        st.booleans(),
        st.lists(st.integers()),
        st.decimals(),
    )
)
def test_an_excerpt_is_short_and_printable(value: Any) -> None:
    assert excerpt(value).isprintable()
    assert len(excerpt(value)) <= 43


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        ({}, "an object"),
        ((1,), "an array"),
        ("a\nb", r"'a\nb'"),
        (b"a\xff", r"'a\\xff'"),
        (Decimal("1.50"), "1.50"),
        (10**5000, "1" + "0" * 39 + "…"),
        (_Odd(), r"'a\nb\x1b[31m'"),
        ("x" * 100, "'" + "x" * 39 + "…"),
    ],
    ids=lambda v: type(v).__name__,
)
def test_an_excerpt_shows_what_json_would(value: Any, text: str) -> None:
    assert excerpt(value) == text


def test_every_error_is_in_the_tree_drawn_at_the_top_of_its_module() -> None:
    drawn = set(re.findall(r"\w+Error\b", errors.__doc__ or ""))
    assert set(errors.__all__) == drawn
    assert all(issubclass(getattr(errors, name), SessionRecordError) for name in drawn)
    assert issubclass(RefNotFoundError, RefError)
    assert issubclass(RefError, ValueError)


def test_an_error_with_findings_shows_the_first_error_and_counts_the_others() -> None:
    warning = Diagnostic.of("bom", "mark", line=1)
    error = Diagnostic.of("line-torn", "torn", line=9)
    assert str(StreamError([warning, error])) == "line 9: error line-torn: torn"
    assert str(StreamError([warning, error, error])) == "line 9: error line-torn: torn (and 1 more)"
    assert str(InvalidRecordError([warning])) == "line 1: warning bom: mark"
    assert StreamError([warning, error]).diagnostics == [warning, error]
    assert str(InvalidRecordError([])) == "invalid"
