"""`sessionrecord asm`: what is printed, and the exit codes. Rules of the commands: one line for an error, JSON for programs, controls escaped."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from sessionrecord.cli.app import app


def line(kind: str, payload: dict[str, Any] | None = None, **members: Any) -> bytes:
    event = {"kind": kind, "run_id": "r", "session_id": "s", "provider": "claude", "payload": payload} | members
    return json.dumps(event).encode() + b"\n"


EVENTS = (
    line("run_started", timestamp="2026-01-01T00:00:00Z", provider_session_id="p1")
    + line("assistant_delta", {"content": "Hel\x1b[31m"})
    + line("assistant_delta", {"content": "lo\nyou"})
    + line("cost_update", {"input_tokens": 3, "output_tokens": 4, "cost_usd": 0.1})
    + line("result", {"stop_reason": "end_turn", "object": {"a": 1}}, timestamp="2026-01-01T00:00:01.5Z")
)


@pytest.fixture
def events(tmp_path: Path) -> Path:
    path = tmp_path / "events.jsonl"
    path.write_bytes(EVENTS)
    return path


def call(*arguments: object, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(app, ["asm", *map(str, arguments)], input=stdin, catch_exceptions=False)


def test_the_result_as_json_has_the_members_of_a_run(events: Path) -> None:
    result = call("result", events, "--json")
    assert result.exit_code == 0
    run = json.loads(result.stdout_bytes)
    assert run.keys() == {
        "run_id", "session_id", "status", "terminal", "interrupted", "text", "object", "messages", "cost", "error", "duration_ms",
        "stop_reason", "session_id_from_cli", "metadata",
    }  # fmt: skip
    assert (run["status"], run["terminal"], run["interrupted"]) == ("completed", True, False)
    assert run["text"] == "Hel\x1b[31mlo\nyou"
    assert (run["object"], run["error"], run["stop_reason"]) == ({"a": 1}, None, "end_turn")
    assert (run["duration_ms"], run["session_id_from_cli"]) == (1500, "p1")
    assert run["cost"] == {"input_tokens": 3, "output_tokens": 4, "cost_usd": 0.1}
    assert [m["type"] for m in run["messages"]] == ["partial", "partial", "result"]


def test_a_failed_run_has_its_error_and_is_no_failure_of_the_command(tmp_path: Path) -> None:
    path = tmp_path / "e"
    path.write_bytes(line("error", {"message": "stop", "code": "user_cancelled"}))
    result = call("result", path, "--json")
    assert result.exit_code == 0
    run = json.loads(result.stdout_bytes)
    assert (run["status"], run["interrupted"]) == ("failed", True)
    assert {k: run["error"][k] for k in ("kind", "domain", "message", "retryable", "recovery")} == {
        "kind": "user_cancelled", "domain": "runtime", "message": "stop", "retryable": None, "recovery": None,
    }  # fmt: skip
    shown = call("result", path).stdout
    assert "failed, interrupted" in shown
    assert "[runtime/user_cancelled] stop" in shown


def test_the_result_for_people_escapes_what_could_steer_a_terminal(events: Path) -> None:
    shown = call("result", events).stdout
    assert "\x1b" not in shown
    assert "  Hel\\x1b[31mlo\n  you\n" in shown
    assert "1,500 ms" in shown
    assert "0.1 USD" in shown


def test_a_run_whose_events_stop_says_so(tmp_path: Path) -> None:
    path = tmp_path / "e"
    path.write_bytes(line("run_started"))
    assert "no: the events stop before the end" in call("result", path).stdout


def test_the_text_alone_is_printed_from_a_file_and_from_standard_input(events: Path) -> None:
    for result in (call("text", events), call("text", "-", stdin=EVENTS)):
        assert (result.exit_code, result.stdout, result.stderr) == (0, "Hel\\x1b[31mlo\nyou\n", "")


@pytest.mark.parametrize("command", ["text", "result"])
def test_lines_that_are_no_events_are_told_and_give_1(command: str, tmp_path: Path) -> None:
    path = tmp_path / "e"
    path.write_bytes(EVENTS + b"oops\n")
    result = call(command, path)
    assert result.exit_code == 1
    assert result.stderr.startswith(
        f"error: {path}: 1 finding in lines that are no valid events and were left out; the first: line 6"
    )
    assert result.stderr.count("\n") == 1
    assert "you" in result.stdout


@pytest.mark.parametrize("content", [b"", b"\n", b"oops\n", b"\xff\n"])
def test_a_file_without_events_gives_2_and_one_line(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "e"
    path.write_bytes(content)
    for command in (("result", path), ("text", path), ("text", tmp_path / "none"), ("result", tmp_path)):
        result = call(*command)
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.startswith("error: ")
        assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("command", ["text", "result"])
def test_a_file_of_something_else_is_told_from_one_without_events(command: str, tmp_path: Path) -> None:
    path = tmp_path / "e"
    for content, words in (
        (b"", "there is no event of the run"),
        (b'{"type":"session"}\n{}\n', "no line is a valid event; the first: line 1, at /kind: error member-missing"),
    ):
        path.write_bytes(content)
        assert call(command, path).stderr.startswith(f"error: {path}: {words}")


def test_without_a_command_the_help_is_shown() -> None:
    result = call()
    assert result.exit_code == 2
    assert "result" in result.stdout
