"""`sessionrecord follow`: each record when it is complete."""

from __future__ import annotations

from pathlib import Path

from typer.testing import CliRunner

from sessionrecord.cli.app import app
from tests.cli.streams import stream


def test_the_records_that_are_there_are_printed_and_what_is_wrong_is_told(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(stream() + b"oops\n" + b'{"type":"half')
    result = CliRunner().invoke(app, ["follow", str(path), "--timeout", "0"])
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert len(lines) == stream().count(b"\n") + 1
    assert lines[1].split() == ["2", "user", "please"]
    assert "json-invalid" in result.stderr
    assert "half" not in result.stdout


def test_the_lines_are_printed_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(stream())
    result = CliRunner().invoke(app, ["follow", str(path), "--timeout", "0", "--json"])
    assert len(result.stdout.splitlines()) == stream().count(b"\n")
    assert result.stdout.startswith('{"type":"session"')


def test_a_directory_cannot_be_followed(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["follow", str(tmp_path), "--timeout", "0"])
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
