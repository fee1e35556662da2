"""`convert acp` and `convert auto`: the same command as for other logs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from sessionrecord.convert import Conversion, acp, asm, claude_code, codex
from sessionrecord.session import Session
from tests.cli.test_commands import assert_one_error_line, call
from tests.convert import acp_logs, codex_logs, logs
from tests.convert.acp_logs import SAMPLE


def test_a_log_becomes_valid_streams_and_a_report(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    result = call("convert", "acp", str(SAMPLE), "-o", str(out))
    assert result.exit_code == 0
    assert "101 lines read" in result.stdout
    children = sorted((tmp_path / "out.jsonl.children").iterdir())
    assert [path.name for path in children] == ["sess-lexer-40.jsonl", "sess-v2-1.jsonl"]
    for path in (out, *children):
        assert call("validate", str(path)).exit_code == 0
    assert_one_error_line(call("convert", "acp", str(SAMPLE), "-o", str(out)), "--force")


def test_a_log_comes_through_standard_input() -> None:
    result = call(
        "convert", "acp", "-", "-o", "-", "--json", stdin=acp_logs.log([*acp_logs.opened(), acp_logs.chunk("hi")])
    )
    assert result.exit_code == 0
    report = json.loads(result.stderr)
    assert (report["linesRead"], report["merged"]) == (5, {})
    assert Session.read(result.stdout_bytes).diagnostics == []


@pytest.mark.parametrize(
    ("path", "convert"),
    [
        (SAMPLE, acp.convert),
        (codex_logs.SAMPLE, codex.convert),
        (logs.SAMPLE, claude_code.convert),
        (logs.SAMPLE.with_name("run.jsonl"), asm.convert),
    ],
)
def test_the_converter_is_chosen_by_the_content(
    path: Path, convert: Callable[[Path], Conversion], tmp_path: Path
) -> None:  # fmt: skip
    log, out = tmp_path / "log.txt", tmp_path / "out.jsonl"
    log.write_bytes(path.read_bytes())
    assert call("convert", "auto", str(log), "-o", str(out)).exit_code == 0
    assert out.read_bytes() == b"".join(r.to_line() + b"\n" for r in convert(log).main)
    assert_one_error_line(call("convert", "auto", str(out), "-o", str(tmp_path / "again")), "session stream already")


def test_what_no_converter_knows_is_one_clear_error(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text('{"hello":1}\n')
    result = call("convert", "auto", str(log), "-o", str(tmp_path / "out"))
    assert result.exit_code == 2
    assert_one_error_line(result, "no log of a known format. Looked for: claude-code")
    assert_one_error_line(
        call("convert", "acp", str(log), "-o", str(tmp_path / "out")), "no session in 1 line of log.jsonl"
    )
