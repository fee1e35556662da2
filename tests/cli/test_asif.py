"""`sessionrecord asif`: exit codes, JSON and what a pipe gets. Rules of the commands: 0 no error, 1 errors, 2 unreadable."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from sessionrecord.cli.app import app

DATA = Path(__file__).parents[1] / "data" / "asif"
WHOLE = DATA / "10-valid-stream-assembled-arguments.json"
BROKEN = DATA / "11-invalid-stream-missing-fragment.json"
AMENDED = DATA / "02-valid-tool-call-completed.json"


def call(*arguments: object, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(app, ["asif", *map(str, arguments)], input=stdin, catch_exceptions=False)


def as_json(result: Result) -> Any:
    return json.loads(result.stdout_bytes)


def test_a_valid_document_gives_0_and_what_its_streams_and_calls_are() -> None:
    result = call("check", WHOLE, "--json")
    assert result.exit_code == 0
    report = as_json(result)
    assert report["ok"] is True
    assert report["findings"] == []
    assert report["streams"]["stream-1"]["status"] == "complete"
    assert report["streams"]["stream-1"]["contiguous_bytes"] == len(b'{"resource_id":"source-csv"}\n')
    assert report["calls"]["call-1"]["arguments_status"] == "complete"
    assert report["unsupported_features"] == []
    assert call("check", WHOLE).stdout.splitlines()[-1] == f"{WHOLE}: valid: 0 errors, 1 stream"


def test_a_broken_document_gives_1_and_a_line_for_each_finding() -> None:
    result = call("check", BROKEN)
    assert result.exit_code == 1
    assert result.stdout.startswith(f"{BROKEN}: error stream-status-mismatch: ")
    assert "(at /streams/0/status)" in result.stdout.splitlines()[0]
    assert result.stdout.splitlines()[-1] == f"{BROKEN}: not valid: 1 error, 1 stream"
    assert as_json(call("check", BROKEN, "--json"))["ok"] is False


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b"\xff", b'{"a":1,"a":2'])
def test_what_is_no_document_gives_2_and_one_line(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "d.json"
    path.write_bytes(content)
    for command in (
        ("check", path),
        ("assemble", path, "s"),
        ("streams", path),
        ("check", tmp_path),
        ("check", tmp_path / "none"),
    ):
        result = call(*command)
        assert result.exit_code == 2
        assert result.stdout == ""
        assert result.stderr.startswith("error: ")
        assert result.stderr.count("\n") == 1


def test_a_document_comes_from_standard_input_too() -> None:
    assert call("check", "-", stdin=WHOLE.read_bytes()).exit_code == 0
    assert call("check", "-", stdin=BROKEN.read_bytes()).exit_code == 1


def test_a_feature_that_is_not_checked_is_named_and_fails_only_on_request(tmp_path: Path) -> None:
    document = json.loads(WHOLE.read_bytes())
    document["required_features"].append("acme.dreams/1")
    path = tmp_path / "d.json"
    path.write_text(json.dumps(document))
    result = call("check", path)
    assert result.exit_code == 0
    assert "the rules of acme.dreams/1 are not checked here" in result.stdout
    assert call("check", path, "--full-support").exit_code == 1
    assert as_json(call("check", path, "--json"))["unsupported_features"] == ["acme.dreams/1"]


def test_the_bytes_of_a_whole_stream_go_to_standard_output_as_they_are() -> None:
    result = call("assemble", WHOLE, "stream-1")
    assert (result.exit_code, result.stdout_bytes, result.stderr) == (0, b'{"resource_id":"source-csv"}\n', "")


def test_the_known_bytes_of_a_partial_stream_come_with_a_warning_and_1() -> None:
    """A partial stream must not pass for the whole in a pipe."""
    result = call("assemble", BROKEN, "stream-1")
    assert (result.exit_code, result.stdout_bytes) == (1, b'{"r')
    assert result.stderr == "error: stream stream-1 is partial: 3 bytes written; missing indexes: 1\n"
    result = call("assemble", AMENDED, "stream-partial")
    assert result.exit_code == 1
    assert "its end is not there" in result.stderr


def test_a_stream_that_is_not_there_gives_1_and_its_name() -> None:
    result = call("assemble", WHOLE, "nope")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "error: no valid stream has the ID 'nope'\n"


def test_streams_are_drawn_segment_by_segment() -> None:
    pictures = [line.split() for line in call("streams", BROKEN).stdout.splitlines()]
    assert pictures[1] == ["stream-1", "tool_arguments", "e2", "partial", "3", "█·■", "has", "errors"]
    pictures = [line.split() for line in call("streams", AMENDED).stdout.splitlines()]
    assert [row[5] for row in pictures[1:3]] == ["█…", "█■"]
    assert call("streams", DATA / "05-valid-external-call-late-result.json").stdout == "no streams\n"


def test_streams_as_json_name_the_missing_indexes() -> None:
    (stream,) = as_json(call("streams", BROKEN, "--json"))["streams"]
    assert (stream["id"], stream["status"], stream["missing_indexes"]) == ("stream-1", "partial", [[1, 1]])


def test_a_long_stream_is_drawn_in_few_blocks(tmp_path: Path) -> None:
    document = json.loads(WHOLE.read_bytes())
    segment = document["streams"][0]["segments"][0] | {"length": 0, "terminal": False}
    document["streams"][0]["segments"] = [segment | {"index": i} for i in range(400) if not 95 <= i < 121]
    path = tmp_path / "d.json"
    path.write_text(json.dumps(document))
    picture = call("streams", path).stdout.splitlines()[1].split()[5]
    assert picture == "█" * 9 + "▒" + "··" + "▒" + "█" * 27 + "…"


def test_without_a_command_the_help_is_shown() -> None:
    result = call()
    assert result.exit_code == 2
    assert "assemble" in result.stdout
