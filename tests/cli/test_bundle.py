"""`bundle create | verify | list | extract`: what they print, their exit codes, and standard input and output."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from sessionrecord.bundle import verify
from tests.bundle.samples import bundle_files, in_tar, in_zip, manifest
from tests.cli.streams import HEADER, run, stream, write
from tests.cli.test_commands import assert_one_error_line, call

FILES = bundle_files()
LOG = "native/log.jsonl"
PICTURE = b"\x89PNG" * 100
WITH_PICTURE = stream(
    [
        HEADER,
        {
            "type": "message",
            "messageId": "m",
            "role": "user",
            "content": [{"type": "image", "mimeType": "image/png", "data": base64.b64encode(PICTURE).decode()}],
        },
    ]
)


@pytest.fixture
def bundle(tmp_path: Path) -> str:
    return write(tmp_path / "b.zip", in_zip(FILES.items()))


@pytest.mark.parametrize("name", ["out.zip", "out.tar", "out"])
def test_a_bundle_is_created_from_streams_native_files_and_blobs(name: str, tmp_path: Path) -> None:
    main, child = write(tmp_path / "main.jsonl", stream()), write(tmp_path / "child.jsonl", WITH_PICTURE)
    log, blob = write(tmp_path / "log", b"{}\n"), write(tmp_path / "blob", b"some bytes")
    out = str(tmp_path / name)
    result = call(
        "bundle", "create", main, child, "-o", out, "--native", log, "--harness", "toy", "--blob", blob,
        "--externalize", "100", "--created-at", "2026-10-26T14:02:11Z", "--json",
    )  # fmt: skip
    assert result.exit_code == 0
    made = json.loads(result.stdout_bytes)
    assert [s["path"] for s in made["streams"]] == ["streams/s1.asr.jsonl", "streams/s1-2.asr.jsonl"]
    assert sorted(b["bytes"] for b in made["blobs"]) == [10, 400]
    assert [(n["path"], n["harness"]) for n in made["native"]] == [("native/log", "toy")]
    assert made["createdAt"] == "2026-10-26T14:02:11Z"
    assert verify(out) == []


def test_creating_says_what_the_bundle_holds_and_replaces_nothing_unasked(tmp_path: Path) -> None:
    source, out = write(tmp_path / "s.jsonl", stream()), str(tmp_path / "b.tar")
    result = call("bundle", "create", source, "-o", out)
    size = len(stream())
    assert result.stdout == f"{out}: 1 stream, 0 blobs, 0 native files, {size:,} bytes\n"
    again = call("bundle", "create", source, "-o", out)
    assert again.exit_code == 2
    assert_one_error_line(again, "exists")
    assert call("bundle", "create", source, "-o", out, "--force").exit_code == 0


def test_without_externalizing_the_stream_is_as_it_was(tmp_path: Path) -> None:
    source, out = write(tmp_path / "s.jsonl", WITH_PICTURE), str(tmp_path / "b")
    assert call("bundle", "create", source, "-o", out).exit_code == 0
    assert (tmp_path / "b" / "streams" / "s1.asr.jsonl").read_bytes() == WITH_PICTURE


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["none.jsonl", "-o", "b.zip"], "cannot open none.jsonl"),
        (["s.jsonl", "-o", "b.zip", "--native", "none"], "none"),
        (["s.jsonl", "-o", "b.zip", "--created-at", "today"], "timestamp-invalid"),
        (["s.jsonl", "-o", "b.zip", "--externalize", "-1"], "--externalize"),
        (["empty", "-o", "b.zip"], "no valid header"),
        (["s.jsonl"], "--output"),
        (["-o", "b.zip"], "STREAM"),
    ],
)
def test_what_cannot_be_created_is_one_line(
    arguments: list[str], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "s.jsonl", stream())
    write(tmp_path / "empty", b"")
    result = call("bundle", "create", *arguments)
    assert result.exit_code == 2
    assert_one_error_line(result, words)
    assert not (tmp_path / "b.zip").exists()


def test_a_whole_bundle_verifies(bundle: str) -> None:
    result = call("bundle", "verify", bundle)
    assert (result.exit_code, result.stdout) == (0, f"{bundle}: valid: 0 errors, 0 warnings\n")
    report = json.loads(call("bundle", "verify", bundle, "--json").stdout_bytes)
    assert report == {"ok": True, "findings": [], "counts": {"errors": 0, "warnings": 0, "infos": 0, "codes": {}}}


def test_findings_name_the_file_and_give_1(tmp_path: Path) -> None:
    path = write(tmp_path / "b.tar", in_tar((FILES | {LOG: b"", "native/\x1b[2J": b""}).items()))
    refused = call("bundle", "verify", path)
    assert refused.exit_code == 1
    assert "\x1b" not in refused.stdout
    path = write(tmp_path / "b.zip", in_zip((FILES | {LOG: b"", "x": b""}).items()))
    result = call("bundle", "verify", path)
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        f"{path}:{LOG}: error bundle-file-different: the file has 0 bytes, the manifest says 900",
        f"{path}:x: error bundle-file-unlisted: the manifest does not name the file",
        f"{path}: not valid: 2 errors, 0 warnings",
    ]
    report = json.loads(call("bundle", "verify", path, "--json").stdout_bytes)
    assert report["ok"] is False
    assert [(f["code"], f["path"]) for f in report["findings"]] == [
        ("bundle-file-different", LOG),
        ("bundle-file-unlisted", "x"),
    ]


def test_a_warning_alone_is_valid_and_has_its_place(tmp_path: Path) -> None:
    content: dict[str, Any] = {path: data for path, data in FILES.items() if path != "bundle.json"}
    files = {"bundle.json": json.dumps(manifest(content) | {"producer": None}).encode(), **content}
    path = write(tmp_path / "b.zip", in_zip(files.items()))
    result = call("bundle", "verify", path)
    assert result.exit_code == 0
    assert result.stdout.splitlines()[0].startswith(f"{path}:bundle.json: warning null-not-allowed: producer")
    assert result.stdout.splitlines()[0].endswith("(at /producer)")


def test_the_limit_is_the_callers(bundle: str) -> None:
    assert "bundle-too-large" in call("bundle", "verify", bundle, "--max-bytes", "10").stdout
    for command in (["list", bundle], ["extract", bundle, "-o", "x"]):
        refused = call("bundle", *command, "--max-bytes", "10")
        assert refused.exit_code == 2
        assert_one_error_line(refused, "bundle-too-large", "the limit is 10")


def test_a_list_shows_every_file_with_what_it_is(bundle: str) -> None:
    result = call("bundle", "list", bundle)
    assert result.exit_code == 0
    lines = [line.split() for line in result.stdout.splitlines()]
    assert lines[0] == ["bytes", "path", "about"]
    assert lines[1][1:] == ["streams/s1.asr.jsonl", "asr:toy//s1,", "1", "record"]
    assert lines[3] == ["900", LOG]
    assert lines[4][1:8] == ["1", "stream,", "1", "blob,", "1", "native", "file,"]
    listed = json.loads(call("bundle", "list", bundle, "--json").stdout_bytes)
    assert listed == json.loads(FILES["bundle.json"])


def test_a_bundle_is_extracted_to_a_new_directory(bundle: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    result = call("bundle", "extract", bundle, "-o", str(out))
    assert (result.exit_code, result.stdout) == (0, f"{out}: 4 files\n")
    assert {p.relative_to(out).as_posix(): p.read_bytes() for p in out.rglob("*") if p.is_file()} == FILES
    again = call("bundle", "extract", bundle, "-o", str(out))
    assert again.exit_code == 2
    assert_one_error_line(again, "exists")


def test_one_file_is_extracted(bundle: str, tmp_path: Path) -> None:
    out = tmp_path / "log"
    result = call("bundle", "extract", bundle, LOG, "-o", str(out), "--json")
    assert json.loads(result.stdout_bytes) == {"written": [str(out)]}
    assert out.read_bytes() == FILES[LOG]
    assert out.stat().st_mode & 0o777 == 0o600
    again = call("bundle", "extract", bundle, LOG, "-o", str(out))
    assert_one_error_line(again, "exists")
    before = set(tmp_path.iterdir())
    assert_one_error_line(call("bundle", "extract", bundle, "none", "-o", str(tmp_path / "n")), "names no such file")
    assert set(tmp_path.iterdir()) == before


def test_a_file_that_differs_is_not_extracted(tmp_path: Path) -> None:
    path = write(tmp_path / "b.zip", in_zip((FILES | {LOG: FILES[LOG][:-1] + b"x"}).items()))
    for arguments in ([], [LOG]):
        result = call("bundle", "extract", path, *arguments, "-o", str(tmp_path / "out"))
        assert result.exit_code == 2
        assert_one_error_line(result, "bundle-file-different")
    assert [p.name for p in tmp_path.iterdir()] == ["b.zip"]


def test_standard_input_and_output_hold_archives_and_files() -> None:
    made = run("bundle", "create", "-", "-o", "-", stdin=WITH_PICTURE)
    assert made.returncode == 0
    assert made.stderr.endswith(b"1 stream, 0 blobs, 0 native files, %d bytes\n" % len(WITH_PICTURE))
    assert verify(made.stdout) == []
    assert run("bundle", "verify", "-", stdin=made.stdout).returncode == 0
    assert b"streams/s1.asr.jsonl" in run("bundle", "list", "-", stdin=made.stdout).stdout
    taken = run("bundle", "extract", "-", "streams/s1.asr.jsonl", "-o", "-", stdin=made.stdout)
    assert taken.stdout == WITH_PICTURE
    refused = run("bundle", "extract", "-", "-o", "-", stdin=made.stdout)
    assert refused.returncode == 2
    assert b"name its PATH" in refused.stderr


def test_a_closed_standard_input_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    from sessionrecord.cli.source import source_of
    from sessionrecord.errors import SourceError

    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(SourceError, match="closed"):
        source_of("-")


def test_what_is_no_bundle_is_one_line(tmp_path: Path) -> None:
    for name in ("s.jsonl", "none"):
        if name == "s.jsonl":
            write(tmp_path / name, stream())
        for command in ("verify", "list"):
            result = call("bundle", command, str(tmp_path / name))
            assert result.exit_code == 2
            assert_one_error_line(result, name)


def test_the_group_without_a_command_shows_its_help() -> None:
    result = call("bundle")
    assert result.exit_code == 2
    for command in ("create", "verify", "list", "extract"):
        assert command in result.stdout
