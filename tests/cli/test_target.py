"""What commands write: a target that cannot be written is named as it was given, by every command, and nothing is left."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from sessionrecord.cli.target import put_all
from tests.cli.streams import stream, write
from tests.cli.test_commands import assert_one_error_line, call

CLAUDE_CODE = Path(__file__).resolve().parents[2] / "examples" / "data" / "claude-code-sample.jsonl"
COMMANDS = {
    "convert": ("convert", "claude-code", str(CLAUDE_CODE)),
    "convert auto": ("convert", "auto", str(CLAUDE_CODE)),
    "repair": ("repair", "{s}"),
    "redact": ("redact", "{s}"),
    "bundle create": ("bundle", "create", "{s}"),
    "bundle extract": ("bundle", "extract", "{b}"),
    "bundle extract a file": ("bundle", "extract", "{b}", "streams/s1.asr.jsonl"),
    **{f"export {target}": ("export", target, "{s}") for target in ("atif", "otlp", "markdown", "html")},
}
"""Every command that writes a file."""


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS.keys())
@pytest.mark.parametrize("place", ["none/out", "none/out.zip", "file/out"])
def test_a_target_whose_directory_is_not_there_is_named_by_the_error(
    command: tuple[str, ...], place: str, tmp_path: Path
) -> None:
    """Each file is written beside its place first; the name of that one says nothing to anybody."""
    stream_, bundle = write(tmp_path / "s.jsonl", stream()), str(tmp_path / "b.zip")
    (tmp_path / "file").touch()
    assert call("bundle", "create", stream_, "-o", bundle).exit_code == 0
    before = {p.name for p in tmp_path.iterdir()}
    target = str(tmp_path / place)
    refused = call(*(part.format(s=stream_, b=bundle) for part in command), "-o", target)
    assert refused.exit_code == 2
    assert_one_error_line(refused)
    assert target in refused.stderr.replace("'", "")
    assert "/." not in refused.stderr
    assert {p.name for p in tmp_path.iterdir()} == before


def test_files_are_all_put_or_none(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    put_all({one: b"1", two: b"2"})
    with pytest.raises(OSError, match="No such file") as caught:
        put_all({one: b"new", tmp_path / "none" / "x": b""})
    assert caught.value.filename == str(tmp_path / "none" / "x")
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == {"one": b"1", "two": b"2"}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the device of a full disk")
def test_a_device_that_takes_nothing_leaves_every_file_as_it_was(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No space left") as caught:
        put_all({tmp_path / "one": b"1", Path("/dev/full"): b"2"})
    assert (caught.value.errno, caught.value.filename) == (errno.ENOSPC, "/dev/full")
    assert not list(tmp_path.iterdir())


def test_a_link_stays_one_and_what_it_leads_to_is_written(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "real" / "file")  # which is not there yet
    put_all({link: b"1", Path(os.devnull): b"gone"})
    assert link.is_symlink()
    assert (tmp_path / "real" / "file").read_bytes() == b"1"
