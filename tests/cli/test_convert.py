"""`convert claude-code`: what is written, with which mode, and what is never overwritten."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sessionrecord.session import Session
from tests.cli.streams import write
from tests.cli.test_commands import assert_one_error_line, call

LINES = [
    {"type": "user", "uuid": "u1", "parentUuid": None, "sessionId": "s", "message": {"role": "user", "content": "go"}},
    {
        "type": "user",
        "uuid": "k1",
        "parentUuid": None,
        "sessionId": "s",
        "isSidechain": True,
        "agentId": "kid",
        "message": {"role": "user", "content": "help"},
    },
]
LOG = b"".join(json.dumps(line).encode() + b"\n" for line in LINES)


@pytest.fixture
def log(tmp_path: Path) -> str:
    return write(tmp_path / "s.jsonl", LOG)


def test_a_log_becomes_a_stream_and_its_children_only_for_the_owner(log: str, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    result = call("convert", "claude-code", log, "-o", str(out))
    assert result.exit_code == 0
    assert f"wrote {out}\n" in result.stdout
    child = tmp_path / "out.jsonl.children" / "kid.jsonl"
    for path in (out, child):
        assert path.stat().st_mode & 0o777 == 0o600
        assert call("validate", str(path)).exit_code == 0
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out.jsonl", "out.jsonl.children", "s.jsonl"]


def test_the_report_is_json_on_request(log: str, tmp_path: Path) -> None:
    result = call("convert", "claude-code", log, "-o", str(tmp_path / "o"), "--json")
    assert json.loads(result.stdout)["linesRead"] == 2


def test_a_dash_streams_to_standard_output_and_reports_to_standard_error(log: str) -> None:
    result = call("convert", "claude-code", log, "-o", "-")
    assert Session.read(result.stdout_bytes).records[0].type == "session"
    assert "2 lines read" in result.stderr
    assert "1 child session not written" in result.stderr
    result = call("convert", "claude-code", "-", "-o", "-", "--json", stdin=LOG)
    assert result.exit_code == 0
    assert json.loads(result.stderr)["linesRead"] == 2


def test_what_exists_is_replaced_with_force_only(log: str, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    out.write_text("mine")
    result = call("convert", "claude-code", log, "-o", str(out))
    assert result.exit_code == 2
    assert_one_error_line(result, "--force")
    assert out.read_text() == "mine"
    assert call("convert", "claude-code", log, "-o", str(out), "--force").exit_code == 0
    assert out.read_text() != "mine"


def test_the_log_itself_and_a_directory_are_never_replaced(log: str, tmp_path: Path) -> None:
    for target in (log, str(tmp_path)):
        result = call("convert", "claude-code", log, "-o", target, "--force")
        assert result.exit_code == 2
        assert_one_error_line(result)
    assert Path(log).read_bytes() == LOG


def test_a_link_stays_a_link_and_a_device_a_device(log: str, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert call("convert", "claude-code", log, "-o", str(tmp_path / "link")).exit_code == 0
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").is_file()
    result = call("convert", "claude-code", log, "-o", "/dev/null")
    assert result.exit_code == 0
    assert Path("/dev/null").is_char_device()
    assert "child session not written" in result.stdout


@pytest.mark.parametrize("data", [b"", b"\x00\xff\x00", b'{"type":"summary","summary":"x"}\n'])
def test_a_log_without_a_message_gives_2_and_writes_nothing(tmp_path: Path, data: bytes) -> None:
    result = call("convert", "claude-code", write(tmp_path / "s.jsonl", data), "-o", str(tmp_path / "out"))
    assert result.exit_code == 2
    assert_one_error_line(result)
    assert not (tmp_path / "out").exists()


def test_what_cannot_be_read_or_written_gives_2(log: str, tmp_path: Path) -> None:
    for arguments in ((str(tmp_path / "none"), str(tmp_path / "o")), (log, str(tmp_path / "no" / "where" / "o"))):
        result = call("convert", "claude-code", arguments[0], "-o", arguments[1])
        assert result.exit_code == 2
        assert_one_error_line(result)
