"""Bundles in a directory: what is no plain file is refused, and nothing outside is ever read."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from sessionrecord.bundle import Bundle, Limits, verify
from sessionrecord.errors import BundleError, SourceError
from tests.bundle.samples import bundle_files, codes, in_directory, unverified

FILES = bundle_files()
LOG = "native/log.jsonl"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return in_directory(tmp_path / "b", FILES)


def test_a_directory_is_a_bundle(root: Path) -> None:
    assert verify(root) == []
    assert verify(str(root)) == []
    with Bundle.open(root) as bundle:
        assert {path: unverified(bundle, path) for path in bundle.files} == FILES


def test_a_link_to_the_bundle_itself_is_followed(root: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(root)
    assert verify(tmp_path / "link") == []


@pytest.mark.skipif(os.name == "nt", reason="POSIX files")
@pytest.mark.parametrize("kind", ["link out", "link in", "link to a directory", "broken link", "pipe", "socket"])
def test_what_is_no_file_is_refused(root: Path, tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    odd = root / "native" / "odd"
    (tmp_path / "secret").write_text("x")
    if kind == "pipe":
        os.mkfifo(odd)
    elif kind == "socket":
        monkeypatch.chdir(odd.parent)  # the path of a socket has a short limit
        with socket.socket(socket.AF_UNIX) as s:
            s.bind("odd")
    else:
        targets = {
            "link out": "../../secret",
            "link in": "log.jsonl",
            "link to a directory": "..",
            "broken link": "none",
        }
        odd.symlink_to(targets[kind])
    assert codes(verify(root)) == [("bundle-not-a-file", "native/odd")]


def test_names_that_only_some_systems_tell_apart_are_refused(root: Path) -> None:
    (root / "native" / "LOG.jsonl").write_text("")
    if len(list((root / "native").iterdir())) == 1:
        pytest.skip("this file system folds case")
    assert codes(verify(root)) == [("bundle-path-repeated", "native/log.jsonl")]


@pytest.mark.skipif(os.name == "nt", reason="POSIX names")
def test_names_that_other_systems_cannot_hold_are_refused(root: Path) -> None:
    (root / "native" / "a:b").write_text("")
    Path(os.fsdecode(os.fsencode(root) + b"/native/\xff")).write_text("")
    assert {(d.code, d.message) for d in verify(root)} == {
        ("bundle-path-unsafe", "the path holds a colon, as of a drive letter"),
        ("bundle-path-unsafe", "the path is not Unicode text"),
    }


@pytest.mark.skipif(os.name == "nt", reason="symbolic links")
def test_a_file_that_becomes_a_link_is_not_followed(root: Path, tmp_path: Path) -> None:
    with Bundle.open(root) as bundle:
        moved = tmp_path / "moved"
        (root / LOG).rename(moved)
        (root / LOG).symlink_to(moved)
        with pytest.raises(BundleError, match="bundle-file-missing"):
            bundle.read(LOG)
        (root / LOG).unlink()
        os.mkfifo(root / LOG)
        with pytest.raises(BundleError, match="bundle-not-a-file"):
            bundle.read(LOG)


def test_limits_count_directories_too(root: Path) -> None:
    assert verify(root, limits=Limits(members=len(FILES) + 3)) == []
    assert codes(verify(root, limits=Limits(members=len(FILES) + 2))) == [("bundle-too-large", None)]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "no directory, zip or tar"),
        (b"hello", "no directory, zip or tar"),
        (b"\x1f\x8b\x08rest", "compressed with gzip"),
        (b"\x28\xb5\x2f\xfdrest", "compressed with zstd"),
    ],
)
def test_what_is_no_container_is_said(tmp_path: Path, content: bytes, words: str) -> None:
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(SourceError, match=words):
        Bundle.open(tmp_path / "x")
    with pytest.raises(SourceError, match=words):
        verify(content)


def test_what_cannot_be_opened_is_said(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="No such file"):
        Bundle.open(tmp_path / "none")
    with pytest.raises(SourceError, match="null"):
        Bundle.open("a\0b")
    with pytest.raises(SourceError, match="can seek"):
        Bundle.open(3)  # type: ignore[arg-type]
    with (tmp_path / "text").open("w+") as file, pytest.raises(SourceError, match="binary"):
        Bundle.open(file)  # type: ignore[arg-type]
    if os.name != "nt":
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(SourceError, match="neither a directory nor a regular file"):
            Bundle.open(tmp_path / "pipe")


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="needs a user whom permissions bind")
def test_a_directory_that_may_not_be_read_is_said(root: Path) -> None:
    (root / "native").chmod(0)
    try:
        with pytest.raises(SourceError, match="Permission denied"):
            Bundle.open(root)
    finally:
        (root / "native").chmod(0o700)
