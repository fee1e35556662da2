"""`convert codex`: the same command as for other logs."""

from __future__ import annotations

import json
from pathlib import Path

import zstandard

from sessionrecord.session import Session
from tests.cli.test_commands import assert_one_error_line, call
from tests.convert.codex_logs import SAMPLE


def test_a_rollout_becomes_a_valid_stream_and_a_report(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    result = call("convert", "codex", str(SAMPLE), "-o", str(out))
    assert result.exit_code == 0
    assert "53 lines read" in result.stdout
    assert f"wrote {out}\n" in result.stdout
    assert call("validate", str(out)).exit_code == 0
    result = call("convert", "codex", str(SAMPLE), "-o", str(out))
    assert result.exit_code == 2
    assert_one_error_line(result, "--force")


def test_a_packed_rollout_comes_through_standard_input() -> None:
    packed = zstandard.ZstdCompressor().compress(SAMPLE.read_bytes())
    result = call("convert", "codex", "-", "-o", "-", "--json", stdin=packed)
    assert result.exit_code == 0
    assert json.loads(result.stderr)["linesRead"] == 53
    assert Session.read(result.stdout_bytes).diagnostics == []


def test_another_log_is_one_clear_error(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text('{"type":"user","sessionId":"s"}\n')
    result = call("convert", "codex", str(log), "-o", str(tmp_path / "out"))
    assert result.exit_code == 2
    assert_one_error_line(result, "no message in 1 line of log.jsonl: user 1")
