"""`redact`: where secrets come from, what is written and printed, and that neither shows a secret."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from sessionrecord import Session
from tests.cli.streams import HEADER, run, stream, write
from tests.cli.test_commands import assert_one_error_line, call

SECRET = "hunter2 hunter2"
SOURCE = stream(
    [
        HEADER,
        {"type": "message", "messageId": "m", "role": "user", "content": [{"type": "text", "text": f"a {SECRET} b"}]},
        {"type": "odd", "key": "AKIAIOSFODNN7EXAMPLE", "\x1b[31m": SECRET},
    ]
)


@pytest.fixture
def source(tmp_path: Path) -> str:
    return write(tmp_path / "s.jsonl", SOURCE)


@pytest.fixture
def secrets(tmp_path: Path) -> str:
    return write(tmp_path / "secrets.txt", f"{SECRET}\r\n\n  other secret  \n".encode())


def test_a_file_of_secrets_is_read_line_by_line(source: str, secrets: str, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    result = call("redact", source, "-o", str(out), "--secret-file", secrets)
    assert result.exit_code == 0, result.stderr
    assert result.stdout.splitlines() == [
        "3 records, 2 changed, 3 removed",
        "  value-1 2, in 2 places:",
        "    line 2 at /content/0/text (text)",
        "    line 3 at /\\x1b[31m (text)",
        "  aws-access-key-id 1, in 1 place:",
        "    line 3 at /key (text)",
    ]
    assert SECRET.encode() not in out.read_bytes()
    assert out.stat().st_mode & 0o777 == 0o600
    assert Path(source).read_bytes() == SOURCE
    assert [d for d in Session.read(out).diagnostics if d.severity == "error"] == []


def test_a_secret_comes_from_the_environment_and_is_called_by_its_name(
    source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEPLOY_TOKEN", SECRET)
    out = tmp_path / "out.jsonl"
    result = call("redact", source, "-o", str(out), "--secret-env", "DEPLOY_TOKEN", "--no-known", "--json")
    assert result.exit_code == 0
    report = json.loads(result.stdout_bytes)
    assert report["rules"] == {"DEPLOY_TOKEN": 2}
    assert (report["records"], report["changed"], report["unmarked"]) == (3, 2, [])
    assert report["removals"][0] == {
        "line": 2, "record_id": Session.read(source).records[1].id, "pointer": "/content/0/text",
        "what": "text", "rule": "DEPLOY_TOKEN", "count": 1,
    }  # fmt: skip
    assert b"[redacted:DEPLOY_TOKEN]" in out.read_bytes()
    assert b"AKIAIOSFODNN7EXAMPLE" in out.read_bytes()


def test_a_pattern_is_given_by_name_and_expression(source: str, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    result = call("redact", source, "-o", str(out), "--no-known", "--pattern", "game=hunter(?P<secret>[0-9]) h")
    assert result.exit_code == 0
    assert b"a hunter[redacted:game] hunter2 b" in out.read_bytes()


def test_standard_input_and_output_are_streams_and_the_report_goes_to_standard_error(secrets: str) -> None:
    result = call("redact", "-", "-o", "-", "--secret-file", secrets, stdin=SOURCE)
    assert result.exit_code == 0
    assert len(Session.read(result.stdout_bytes)) == 3
    assert SECRET not in result.stdout
    assert result.stderr.startswith("3 records, 2 changed, 3 removed\n")
    as_json = call("redact", "-", "-o", "-", "--secret-file", secrets, "--json", stdin=SOURCE)
    assert json.loads(as_json.stderr)["count"] == 3


def test_nothing_found_writes_the_stream_as_it_was(source: str, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    result = call("redact", source, "-o", str(out), "--no-known", "--pattern", "x=never-there")
    assert result.stdout == "3 records, 0 changed, 0 removed\n"
    assert out.read_bytes() == SOURCE


def test_a_target_is_replaced_only_when_told_and_never_if_it_is_the_source(source: str, tmp_path: Path) -> None:
    out = write(tmp_path / "out.jsonl", b"mine")
    assert_one_error_line(call("redact", source, "-o", out), "exists; --force replaces it")
    assert Path(out).read_bytes() == b"mine"
    assert call("redact", source, "-o", out, "--force").exit_code == 0
    assert b"[redacted:aws-access-key-id]" in Path(out).read_bytes()
    assert_one_error_line(call("redact", source, "-o", source, "--force"), "is the source itself")
    assert_one_error_line(call("redact", source, "-o", str(tmp_path)), "is a directory")
    nowhere = tmp_path / "nowhere" / "out"
    assert_one_error_line(call("redact", source, "-o", str(nowhere)), f"cannot write {nowhere}: ")


def test_a_link_is_written_through_and_a_device_is_written_to(source: str, tmp_path: Path) -> None:
    target, link = Path(write(tmp_path / "target", b"")), tmp_path / "link"
    link.symlink_to(target)
    assert call("redact", source, "-o", str(link), "--force").exit_code == 0
    assert link.is_symlink()
    assert b"[redacted:" in target.read_bytes()
    assert call("redact", source, "-o", os.devnull).exit_code == 0
    assert not Path(os.devnull).is_file()


def test_a_secret_in_an_id_or_a_signature_needs_a_word(tmp_path: Path) -> None:
    block = {"type": "reasoning", "text": "x", "signature": SECRET}
    record = {"type": "message", "messageId": SECRET, "role": "user", "content": [block]}
    source, out = write(tmp_path / "s", stream([HEADER, record])), str(tmp_path / "out")
    secrets = write(tmp_path / "secrets", SECRET.encode())
    result = call("redact", source, "-o", out, "--secret-file", secrets)
    assert result.exit_code == 2
    assert_one_error_line(
        result, "line 2 at /messageId: a secret (value-1) is in an ID or a ref; --rename-ids renames it"
    )
    assert SECRET not in result.stderr
    result = call("redact", source, "-o", out, "--secret-file", secrets, "--rename-ids")
    assert_one_error_line(
        result, "line 2 at /content/0/signature: a secret (value-1) is in a signature; --drop-signatures leaves it out"
    )
    assert not Path(out).exists()
    result = call("redact", source, "-o", out, "--secret-file", secrets, "--rename-ids", "--drop-signatures")
    assert result.exit_code == 0
    assert SECRET.encode() not in Path(out).read_bytes()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--no-known"], "there is nothing to look for"),
        (["--pattern", "x"], "--pattern is NAME=REGEX"),
        (["--pattern", "x=("], "the pattern x is no regular expression"),
        (["--secret-env", "NEVER_SET_ANYWHERE"], "NEVER_SET_ANYWHERE is not set"),
        (["--secret-file", "/nowhere/at/all"], "cannot read /nowhere/at/all"),
    ],
)
def test_wrong_use_is_one_line(arguments: list[str], words: str, source: str, tmp_path: Path) -> None:
    result = call("redact", source, "-o", str(tmp_path / "out"), *arguments)
    assert result.exit_code == 2
    assert_one_error_line(result, words)


@pytest.mark.parametrize("content", [b"", b"\n", b"\r\n\n", b"\xef\xbb\xbf"])
def test_a_file_without_a_secret_is_refused(content: bytes, source: str, secrets: str, tmp_path: Path) -> None:
    """Nobody gives a file for nothing: it was not written, or is another one."""
    empty, out = write(tmp_path / "empty", content), tmp_path / "out"
    result = call("redact", source, "-o", str(out), "--secret-file", secrets, "--secret-file", empty)
    assert_one_error_line(result, f"{empty} holds no secret")
    assert not out.exists()


@pytest.mark.parametrize(("content", "line"), [(b"abcd\n\n\nabc\n", 4), (b"\r\nab\r\n", 2)])
def test_a_secret_that_cannot_be_used_is_told_by_its_line(
    content: bytes, line: int, source: str, tmp_path: Path
) -> None:
    secrets = write(tmp_path / "x", content)
    result = call("redact", source, "-o", "-", "--secret-file", secrets)
    assert_one_error_line(result, f"{secrets}, line {line}: the value value-")


def test_a_file_of_secrets_that_is_no_text_is_refused(source: str, tmp_path: Path) -> None:
    secrets = write(tmp_path / "x", b"\xff\xfe")
    assert_one_error_line(call("redact", source, "-o", "-", "--secret-file", secrets), "is not UTF-8")


def test_the_command_runs_as_a_program(source: str, tmp_path: Path) -> None:
    done = run("redact", source, "-o", "-")
    assert done.returncode == 0
    assert b"[redacted:aws-access-key-id]" in done.stdout


@pytest.mark.parametrize("name", ["_TOKEN", "T" * 41, "A-Ü"])
def test_a_variable_whose_name_no_rule_can_have_is_called_by_its_place(
    name: str, source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTHER", "not there at all")
    monkeypatch.setenv(name, SECRET)
    out = tmp_path / "out.jsonl"
    result = call(
        "redact", source, "-o", str(out), "--secret-env", "OTHER", "--secret-env", name, "--no-known", "--json"
    )
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout_bytes)["rules"] == {"env-2": 2}
    assert b"[redacted:env-2]" in out.read_bytes()
