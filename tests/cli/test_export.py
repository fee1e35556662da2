"""`sessionrecord export atif | otlp | markdown | html`."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from tests.cli.streams import HEADER, SESSION, run, stream, write


@pytest.fixture
def source(tmp_path: Path) -> str:
    return write(tmp_path / "in.jsonl", stream())


@pytest.mark.parametrize("target", ["atif", "otlp", "markdown", "html"])
def test_an_export_is_written_and_its_losses_told(target: str, source: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = run("export", target, source, "-o", str(out))
    assert (done.returncode, done.stderr) == (0, b"")
    said = done.stdout.decode().split("\n")
    assert said[0].startswith(f"{target}: ")
    assert f" of {len(SESSION)} records exported" in said[0]
    assert said[-2] == f"wrote {out}"
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    assert out.read_text().startswith({"markdown": "# Session", "html": "<!DOCTYPE html>"}.get(target, "{\n"))


def test_the_report_is_json_on_request_and_a_file_of_its_own(source: str, tmp_path: Path) -> None:
    out, losses = tmp_path / "out.json", tmp_path / "losses.json"
    done = run("export", "atif", source, "-o", str(out), "--loss-report", str(losses), "--json")
    report = json.loads(done.stdout)
    assert report == json.loads(losses.read_bytes())
    assert report["target"] == "atif"
    assert report["records"] == len(SESSION)
    assert {"seq", "recordId", "pointer", "kind", "what", "why", "kept"} == report["losses"][0].keys()
    assert stat.S_IMODE(losses.stat().st_mode) == 0o600


def test_standard_input_and_output_are_dashes_and_the_report_goes_to_stderr() -> None:
    done = run("export", "markdown", "-", "-o", "-", stdin=stream())
    assert done.returncode == 0
    assert done.stdout.startswith(b"# Session\n")
    assert done.stderr.startswith(b"markdown: ")
    assert b"wrote" not in done.stderr


def test_at_a_seq_the_rest_is_not_there(source: str) -> None:
    done = run("export", "atif", source, "-o", "-", "--at", "3")
    assert [s["step_id"] for s in json.loads(done.stdout)["steps"]] == [1, 2]
    assert b"atif: 3 of 3 records" in done.stderr


@pytest.mark.parametrize("target", ["atif", "otlp", "markdown", "html"])
def test_a_seq_after_the_end_is_noted(target: str, source: str) -> None:
    """As `context` does: a slip of the finger is not taken for the state at that point."""
    done = run("export", target, source, "-o", os.devnull, "--at", "999")
    note = f"note: seq 999 comes after the last record, seq {len(SESSION)}: this is the session at the end\n"
    assert (done.returncode, done.stderr.decode()) == (0, note)
    assert run("export", target, source, "-o", os.devnull, "--at", str(len(SESSION))).stderr == b""


def test_content_of_spans_is_exported_on_request(source: str) -> None:
    assert b"a.py" not in run("export", "otlp", source, "-o", "-").stdout
    assert b"a.py" in run("export", "otlp", source, "-o", "-", "--content").stdout


def test_nothing_is_replaced_without_force(source: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.write_text("old")
    done = run("export", "atif", source, "-o", str(out))
    assert (done.returncode, done.stderr.decode()) == (2, f"error: {out} exists; --force replaces it\n")
    assert out.read_text() == "old"
    other = tmp_path / "other"
    done = run("export", "atif", source, "-o", str(other), "--loss-report", str(out))
    assert (done.returncode, done.stderr.decode()) == (2, f"error: {out} exists; --force replaces it\n")
    assert not other.exists()
    assert run("export", "atif", source, "-o", str(out), "--force").returncode == 0
    assert out.read_text().startswith("{")


def test_the_export_and_its_loss_report_are_written_both_or_none(source: str, tmp_path: Path) -> None:
    """A second run would otherwise find the export of the first one in its way."""
    out, locked = tmp_path / "out", tmp_path / ("n" * 300)  # a name that no file can have
    done = run("export", "atif", source, "-o", str(out), "--loss-report", str(locked))
    assert done.returncode == 2
    assert not out.exists()
    done = run("export", "atif", source, "-o", "-", "--loss-report", "/dev/full")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == b"error: /dev/full: No space left on device\n"


def test_the_stream_itself_is_never_replaced(source: str, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(source)
    for name in (source, str(link)):
        for option, arguments in (("OUT", ("-o", name)), ("FILE", ("-o", "-", "--loss-report", name))):
            done = run("export", "markdown", source, *arguments, "--force")
            assert (done.returncode, done.stdout) == (2, b"")
            assert f"is the stream itself; give {option} another name" in done.stderr.decode()
    assert Path(source).read_bytes() == stream()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("-o", "{d}"), "is a directory"),
        (("-o", "{d}/no/out"), "cannot write {d}/no/out: {d}/no is no directory"),
        (("-o", "{d}/out", "--loss-report", "{d}/no/losses"), "cannot write {d}/no/losses: {d}/no is no directory"),
        (("-o", "{d}/out", "--loss-report", "{d}/x/../out"), "is OUT; give the loss report another name"),
        (("-o", "{d}/out", "--loss-report", "-"), "the loss report needs a file"),
        (("-o", "{d}/out", "--at", "-1"), "--at"),
        ((), "--output"),
    ],
)
def test_wrong_usage_is_one_line(arguments: tuple[str, ...], said: str, source: str, tmp_path: Path) -> None:
    done = run("export", "atif", source, *(a.format(d=tmp_path) for a in arguments))
    assert done.returncode == 2
    assert said.format(d=tmp_path) in done.stderr.decode()
    assert done.stderr.count(b"\n") == 1
    assert done.stdout == b""
    assert [p.name for p in tmp_path.iterdir()] == ["in.jsonl"]


def test_a_file_that_is_no_stream_is_refused(tmp_path: Path) -> None:
    for data in (b"", b'{"type":"user"}\n', b"text"):
        done = run("export", "atif", "-", "-o", "-", stdin=data)
        assert done.returncode == 2
        assert b"holds no record of a session; to convert a log" in done.stderr
    done = run("export", "atif", str(tmp_path / "none"), "-o", "-")
    assert done.returncode == 2
    assert b"cannot open" in done.stderr


def test_a_device_is_written_to_and_a_link_is_followed(source: str, tmp_path: Path) -> None:
    assert run("export", "atif", source, "-o", os.devnull).returncode == 0
    assert Path(os.devnull).is_char_device()
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_text("old")
    link.symlink_to(real)
    assert run("export", "atif", source, "-o", str(link), "--force").returncode == 0
    assert link.is_symlink()
    assert real.read_text().startswith("{")


def test_names_of_the_stream_reach_the_terminal_escaped(tmp_path: Path) -> None:
    made = write(tmp_path / "in", stream([HEADER, {"type": "x\x1b[31m"}]))
    done = run("export", "atif", made, "-o", str(tmp_path / "out"))
    assert b"\x1b" not in done.stdout


def test_without_a_target_the_help_is_shown() -> None:
    done = run("export")
    assert done.returncode == 2
    assert b"markdown" in done.stdout
