"""Validation levels, and the report as text, JSON and SARIF."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_sarif.model import (  # type: ignore[import-untyped]
    StaticAnalysisResultsFormatSarifVersion210JsonSchema as Sarif,
)

from sessionrecord import Session, SourceError
from sessionrecord.diagnostics import CODES, REQUIREMENTS, Diagnostic
from sessionrecord.validate import ValidationReport, validate
from sessionrecord_corpus import cases
from tests.corpus.make import S1, S2, H, header, msg, raw, state

CASES = cases()


def sarif_of(report: ValidationReport) -> dict[str, Any]:
    """The SARIF log, checked against models made from the standard's schema, which allow no other members."""
    log = report.to_sarif()
    Sarif.model_validate(log)
    made: dict[str, Any] = json.loads(json.dumps(log))
    return made


def test_a_stream_is_checked_as_a_whole() -> None:
    report = validate(H + b"\n" + S1 + b"\n" + S1 + b"\n")
    assert report.level == "stream"
    assert not report.ok
    assert [d.code for d in report.diagnostics] == ["seq-not-increasing", "id-duplicate"]
    assert report.records == 3


def test_a_record_is_checked_by_its_own_rules_alone() -> None:
    """A piece of a stream has no header, and its numbers may begin anywhere."""
    piece = b"\n".join([S2, b"", S1, raw(state(3, timestamp="x")), b"{oops", S1[:9]])
    report = validate(piece, level="record")
    assert [(d.line, d.offset, d.code) for d in report.diagnostics] == [
        (4, piece.index(b'{"type":"state","seq":3'), "timestamp-invalid"),
        (5, piece.index(b"{oops"), "json-invalid"),
        (6, len(piece) - 9, "json-invalid"),
    ]
    assert (report.level, report.records) == ("record", 5)
    assert validate(S2 + b"\n" + S1, level="record").ok


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_both_levels_find_the_same_in_each_record(case: Any) -> None:
    """What a record breaks it breaks in any stream; JSON that is cut off at the end is a torn line there."""
    alone = {(d.line, d.code, d.severity, d.pointer) for d in validate(case.path, level="record").diagnostics}
    whole = {(d.line, d.code, d.severity, d.pointer) for d in validate(case.path).diagnostics}
    if case.name.startswith("bom"):
        return  # a mark is known to be one at the start of a stream only
    assert {f for f in alone - whole if f[1] != "json-invalid"} == set()
    assert {f[0] for f in alone - whole} <= {f[0] for f in whole if f[1] == "line-torn"}


def test_warnings_alone_leave_a_stream_valid() -> None:
    report = validate(H + b"\n" + raw(state(1, participant="p")) + b"\n")
    assert report.ok
    assert report.counts == {
        "errors": 0, "warnings": 1, "infos": 0, "records": 2, "codes": {"participant-undeclared": 1},
    }  # fmt: skip


def test_a_source_has_its_own_name_or_one_that_is_given(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(H)
    assert validate(path).source == str(path)
    assert validate(str(path)).source == str(path)
    assert validate(H).source is None
    assert validate(io.BytesIO(H)).source is None
    with path.open("rb") as file:
        assert validate(file).source == str(path)
    assert validate(H, name="standard input").source == "standard input"
    with pytest.raises(SourceError):
        validate(tmp_path / "none")
    with pytest.raises(SourceError):
        validate(tmp_path / "none", level="record")


def test_text_has_a_line_for_each_finding_and_one_at_the_end() -> None:
    report = validate(H + b"\n" + raw(state(1, timestamp="x")) + b"\n", name="s.jsonl")
    first, last = report.to_text().splitlines()
    assert first.startswith("s.jsonl:2: error timestamp-invalid: timestamp: must be ")
    assert first.endswith(" (at /timestamp) [ASR-044]")
    assert last == "s.jsonl: not valid: 2 records, 1 errors, 0 warnings, 0 infos"
    assert validate(b"").to_text().splitlines() == [
        "stream: error stream-empty: the stream holds no record",
        "stream: not valid: 0 records, 1 errors, 0 warnings, 0 infos",
    ]


def test_controls_of_a_stream_reach_no_terminal() -> None:
    line = raw(state(1, **{"x\x1b[31m": "\u202e"})).replace(b'"r1"', b'"\\u001b]0;x"') + b"\x1b[2J"
    report = validate(H + b"\n" + line + b"\n" + raw(state(2, capture={"\x1b[0m": 5})), name="\x1b[1m.jsonl")
    assert "/capture/\x1b[0m" in [d.pointer for d in report.diagnostics]
    assert all(row.isprintable() for row in report.to_text().splitlines())


def test_json_has_every_field_of_every_finding() -> None:
    report = validate(H + b"\n" + raw(state(1, timestamp="x")) + b"\n", name="s.jsonl")
    made = json.loads(report.to_json())
    assert made == report.to_dict()
    assert (made["ok"], made["source"], made["level"]) == (False, "s.jsonl", "stream")
    (finding,) = made["findings"]
    assert finding == {
        "code": "timestamp-invalid", "severity": "error", "message": report.diagnostics[0].message, "line": 2,
        "offset": len(H) + 1, "pointer": "/timestamp", "record_id": "r1", "requirement": "ASR-044",
    }  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_every_report_is_valid_sarif_with_a_result_for_each_finding(case: Any) -> None:
    report = validate(case.path)
    (run,) = sarif_of(report)["runs"]
    rules = run["tool"]["driver"]["rules"]
    levels = {"error": "error", "warning": "warning", "info": "note"}
    assert [(r["ruleId"], r["level"], r["message"]["text"]) for r in run["results"]] == [
        (d.code, levels[d.severity], d.message) for d in report.diagnostics
    ]
    assert all(rules[r["ruleIndex"]]["id"] == r["ruleId"] for r in run["results"])
    assert [r["locations"][0]["physicalLocation"].get("region", {}).get("startLine") for r in run["results"]] == [
        d.line for d in report.diagnostics
    ]


def test_sarif_names_the_place_as_code_hosts_want_it(tmp_path: Path) -> None:
    """A relative path is a relative URI, so that a host finds the file in the repository; all is percent-encoded."""
    report = validate(H + b"\n" + raw(state(1, timestamp="x")) + b"\n", name="logs/a b#é:1.jsonl")
    (result,) = sarif_of(report)["runs"][0]["results"]
    (location,) = result["locations"]
    assert location["physicalLocation"]["artifactLocation"]["uri"] == "logs/a%20b%23%C3%A9%3A1.jsonl"
    assert location["logicalLocations"] == [{"fullyQualifiedName": "/timestamp", "kind": "value"}]
    assert result["properties"] == {"offset": len(H) + 1, "recordId": "r1"}
    absolute = tmp_path / "a b.jsonl"
    (result,) = sarif_of(validate(b"", name=str(absolute)))["runs"][0]["results"]
    uri = urlparse(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"])
    assert uri.scheme == "file"
    assert unquote(uri.path) == absolute.as_posix()


def test_sarif_of_a_source_without_a_name_keeps_the_line() -> None:
    (result,) = sarif_of(validate(H + b"\n{\n"))["runs"][0]["results"]
    assert "locations" not in result
    assert result["properties"]["line"] == 2


@pytest.mark.parametrize("code", CODES)
def test_a_rule_of_sarif_says_what_the_code_stands_for(code: str) -> None:
    report = ValidationReport("s", "stream", 1, (Diagnostic.of(code, "m"),))
    (rule,) = sarif_of(report)["runs"][0]["tool"]["driver"]["rules"]
    info = CODES[code]
    assert rule["shortDescription"]["text"] == info.summary
    if info.requirement is None:
        assert "properties" not in rule
    else:
        assert rule["properties"] == {"requirement": info.requirement}
        assert REQUIREMENTS[info.requirement].summary in rule["fullDescription"]["text"]


@given(st.text(st.characters(exclude_categories=())), st.text(st.characters(exclude_categories=()), min_size=1))
def test_odd_names_and_ids_can_be_written_in_every_form(name: str, record_id: str) -> None:
    """File names and IDs may hold unpaired surrogates; JSON cannot."""
    found = Diagnostic.of("value-invalid", "m", line=1, pointer="/x", record_id=record_id)
    report = ValidationReport(name, "stream", 1, (found,))
    json.loads(report.to_json().encode("utf-8"))
    json.dumps(sarif_of(report)).encode("utf-8")
    assert all(row.isprintable() for row in report.to_text().split("\n"))


@pytest.mark.skipif(os.name != "posix", reason="names of files are bytes")
def test_a_file_name_that_is_not_utf8_has_a_uri(tmp_path: Path) -> None:
    path = os.fsdecode(bytes(tmp_path) + b"/\xff.jsonl")
    try:
        Path(path).write_bytes(b"")
    except OSError:
        pytest.skip("the file system takes no such name")
    (result,) = sarif_of(validate(path))["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].endswith("/%FF.jsonl")


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_a_report_holds_what_a_session_finds_torn_lines_told_once(case: Any) -> None:
    torn = {f.line for f in case.tolerant if f.code == "line-torn"}
    expected = [
        d
        for d in Session.read(case.path).diagnostics
        if not (d.line in torn and d.code in ("json-invalid", "utf8-invalid"))
    ]
    assert list(validate(case.path).diagnostics) == expected


def test_an_unreadable_id_is_no_obstacle() -> None:
    report = validate(H + b"\n" + raw({**msg(1, "m"), "id": "#", "turnId": 5}).replace(b"#", b"\\ud800") + b"\n")
    assert "lone-surrogate" in report.counts["codes"]
    json.loads(report.to_json())


def test_a_header_of_another_name_is_no_matter() -> None:
    assert validate(raw(header(agent="x")) + b"\n").ok


@pytest.mark.parametrize("line", [b"\x0b", b"\x0c", b" \x1c "])
def test_only_the_white_space_of_json_makes_a_blank_line_at_either_level(line: bytes) -> None:
    """Spec section 1: what Python calls white space beside that is no JSON."""
    for level in ("record", "stream"):
        assert "json-invalid" in [d.code for d in validate(H + b"\n" + line + b"\n", level=level).diagnostics]
