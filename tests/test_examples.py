"""Each script in `examples/` runs in an empty folder, with what it needs beside it, and says what it did."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sessionrecord import Session

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"


def run(script: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    shutil.copytree(EXAMPLES / "data", folder / "examples" / "data")
    return subprocess.run(
        [sys.executable, "-W", "error", str(script), *arguments],
        cwd=folder, capture_output=True, text=True, encoding="utf-8", timeout=120, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("script", sorted(EXAMPLES.glob("*.py")), ids=lambda script: script.name)
def test_an_example_runs_and_prints_something(script: Path, tmp_path: Path) -> None:
    done = run(script, tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert done.stdout.strip()


def test_the_harness_example_writes_a_stream_with_nothing_to_report(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    done = run(EXAMPLES / "emit_from_harness.py", tmp_path, str(path))
    assert done.returncode == 0, done.stderr
    session = Session.read(path, strict=True)
    assert session.diagnostics == []
    assert [item.record.type for item in session.context_view().items] == [
        "message", "message", "tool_call", "tool_result", "message", "tool_call", "tool_result", "message",
    ]  # fmt: skip
    assert session.usage().total.input_tokens == 812 + 911 + 1204


def test_the_recorded_connection_is_a_stream_with_nothing_to_report(tmp_path: Path) -> None:
    done = run(EXAMPLES / "record_acp.py", tmp_path)
    assert done.returncode == 0, done.stderr
    session = Session.read(tmp_path / "sess-1.asr.jsonl", strict=True)
    assert session.diagnostics == []
    assert [item.record.type for item in session.context_view().items] == [
        "message", "message", "tool_call", "tool_result", "message",
    ]  # fmt: skip
    assert session.counts()["permission_decision"] == 1


def test_the_sample_session_is_what_its_script_writes_and_valid(tmp_path: Path) -> None:
    sample = EXAMPLES / "data" / "session.asr.jsonl"
    done = run(EXAMPLES / "sample_session.py", tmp_path, "again.jsonl")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "again.jsonl").read_bytes() == sample.read_bytes()
    assert Session.read(sample, strict=True).diagnostics == []
