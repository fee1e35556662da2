"""The commands `validate --sarif`, `repair` and `schema`: exit codes, one line for an error, and what is printed."""

from __future__ import annotations

import json
from pathlib import Path

from sessionrecord.schema import json_schema
from tests.cli.streams import HEADER, stream, write
from tests.cli.test_commands import HOSTILE, assert_one_error_line, call

BROKEN = stream([HEADER, {"type": "state", "state": "idle", "timestamp": "x"}]) + b"{oops\n"


def test_findings_can_be_printed_as_sarif(tmp_path: Path) -> None:
    path = write(tmp_path / "bad.jsonl", BROKEN)
    result = call("validate", path, "--sarif")
    assert result.exit_code == 1
    log = json.loads(result.stdout_bytes)
    assert log["version"] == "2.1.0"
    assert [r["ruleId"] for r in log["runs"][0]["results"]] == ["timestamp-invalid", "json-invalid"]
    good = call("validate", write(tmp_path / "good.jsonl", stream()), "--sarif")
    assert good.exit_code == 0
    assert json.loads(good.stdout_bytes)["runs"][0]["results"] == []


def test_sarif_of_standard_input_names_no_file() -> None:
    result = call("validate", "-", "--sarif", stdin=BROKEN)
    assert "locations" not in json.loads(result.stdout_bytes)["runs"][0]["results"][1]


def test_one_form_is_printed_at_a_time(tmp_path: Path) -> None:
    result = call("validate", write(tmp_path / "s.jsonl", stream()), "--sarif", "--json")
    assert result.exit_code == 2
    assert_one_error_line(result, "--json and --sarif exclude each other")


def test_a_piece_of_a_stream_can_be_checked_record_by_record(tmp_path: Path) -> None:
    piece = write(tmp_path / "piece.jsonl", b"\n".join(stream().split(b"\n")[3:5]) + b"\n")
    assert call("validate", piece).exit_code == 1
    result = call("validate", piece, "--level", "record")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[-1] == f"{piece}: valid: 2 records, 0 errors"


def test_a_repair_writes_a_valid_stream_and_lists_what_was_done(tmp_path: Path) -> None:
    source, target = write(tmp_path / "bad.jsonl", BROKEN), tmp_path / "out.jsonl"
    result = call("repair", source, "-o", str(target))
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert [line.split(": ")[:2] for line in lines[:2]] == [["line 2", "mended"], ["line 3", "put-aside"]]
    assert lines[-1].startswith(f"{target}: 2 records, 1 line put aside")
    assert call("validate", str(target)).exit_code == 0
    assert (tmp_path / "out.jsonl.rest.jsonl").exists()
    assert Path(source).read_bytes() == BROKEN


def test_a_repair_reports_as_json_and_reads_standard_input(tmp_path: Path) -> None:
    result = call("repair", "-", "-o", str(tmp_path / "out"), "--json", stdin=BROKEN)
    made = json.loads(result.stdout_bytes)
    assert (made["source"], made["records"], made["aside"]) == (None, 2, 1)
    assert [a["action"] for a in made["actions"]] == ["mended", "put-aside"]


def test_a_repair_replaces_nothing_unless_told_to(tmp_path: Path) -> None:
    source, target = write(tmp_path / "bad.jsonl", BROKEN), tmp_path / "out"
    target.write_bytes(b"mine")
    refused = call("repair", source, "-o", str(target))
    assert refused.exit_code == 2
    assert_one_error_line(refused, "exists already")
    assert target.read_bytes() == b"mine"
    assert call("repair", source, "-o", str(target), "--force").exit_code == 0
    to_stdout = call("repair", source, "-o", "-")
    assert to_stdout.exit_code == 2
    assert_one_error_line(to_stdout, "give OUT a name")
    own = call("repair", source, "-o", source, "--force")
    assert own.exit_code == 2
    assert_one_error_line(own, "is the source itself")


def test_a_source_without_a_header_cannot_be_repaired(tmp_path: Path) -> None:
    result = call("repair", write(tmp_path / "s", b"{oops\n"), "-o", str(tmp_path / "out"))
    assert result.exit_code == 2
    assert_one_error_line(result, "no session header")
    missing = call("repair", str(tmp_path / "none"), "-o", str(tmp_path / "out"))
    assert missing.exit_code == 2
    assert_one_error_line(missing, "none")


def test_what_a_repair_says_of_a_hostile_stream_is_text(tmp_path: Path) -> None:
    line = {"type": "state", "state": "idle", HOSTILE: 1, "turnId": 5, "id": HOSTILE}
    result = call("repair", "-", "-o", str(tmp_path / "out"), stdin=stream([HEADER, line, line]))
    assert result.exit_code == 0
    assert "\x1b" not in result.stdout
    assert "\u202e" not in result.stdout


def test_the_schema_is_printed(tmp_path: Path) -> None:
    assert json.loads(call("schema").stdout_bytes) == json_schema("record")
    assert json.loads(call("schema", "header").stdout_bytes) == json_schema("header")
    wrong = call("schema", "bundle")
    assert wrong.exit_code == 2
