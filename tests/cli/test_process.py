"""Real processes: pipes that close, standard input, NO_COLOR, interrupts, and the extra that is not installed."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sessionrecord.cli import app as app_module
from sessionrecord.cli import program
from tests.cli.streams import HEADER, command, run, said, stream, write
from tests.cli.test_commands import assert_one_error_line, call


def test_standard_input_is_read_and_nothing_is_coloured() -> None:
    for environment in ({}, {"NO_COLOR": "1"}, {"FORCE_COLOR": "1"}):
        done = run("context", "-", stdin=stream(), **environment)
        assert done.returncode == 0
        assert b"second" in done.stdout
        assert b"\x1b" not in done.stdout
        assert done.stderr == b""


def test_a_closed_pipe_ends_the_process_quietly(tmp_path: Path) -> None:
    broken = [{"type": "message", "role": "user"}] * 20_000
    path = write(tmp_path / "s.jsonl", stream([HEADER, *broken]))
    with subprocess.Popen(command("validate", path), stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141


def test_an_encoding_without_the_character_does_not_end_the_output() -> None:
    done = run("show", "-", "messageId=u1", stdin=said("caf\u00e9"), PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert b"caf\\xe9" in done.stdout
    done = run("context", "-", "--json", stdin=said("caf\u00e9"), PYTHONIOENCODING="ascii")
    assert "caf\u00e9".encode() in done.stdout


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_an_interrupt_is_one_line() -> None:
    with subprocess.Popen(
        command("validate", "-"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        process.stdin.write(b" " * 1_000_000)  # more than a pipe holds: once it is written, the command reads
        process.stdin.flush()
        for _ in range(20):  # one that comes just before the command sleeps in its read is seen only with the next
            process.send_signal(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=5)
                break
        process.kill()
        assert process.stderr is not None
        assert process.stderr.read() == b"error: interrupted\n"
    assert process.returncode == program.INTERRUPTED


def test_without_the_extra_one_line_says_what_to_install() -> None:
    code = "import sys; sys.modules['typer'] = None; from sessionrecord.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60, check=False)
    assert done.returncode == 2
    assert done.stderr == b"error: the command line needs more packages: pip install 'sessionrecord[cli]'\n"


def test_a_bug_is_one_line_too(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def fails(path: str) -> None:
        raise ZeroDivisionError("oh\n\x1b")

    monkeypatch.setattr(app_module, "open_known", fails)
    result = call("context", "x")
    assert result.exit_code == 2
    assert_one_error_line(result, "bug", "ZeroDivisionError: oh\\n\\x1b")
