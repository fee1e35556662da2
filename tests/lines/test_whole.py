"""Files that are there as a whole or not at all: what is left behind, and what an error names."""

from __future__ import annotations

import errno
import os
import re
import resource
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from sessionrecord.lines.whole import WholeFile, write_whole


def test_a_file_is_for_its_owner_and_replaces_what_was_there(tmp_path: Path) -> None:
    target = tmp_path / "out"
    target.write_text("old")
    write_whole(target, [b"new ", memoryview(b"bytes")])
    assert target.read_bytes() == b"new bytes"
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert [p.name for p in tmp_path.iterdir()] == ["out"]


def test_a_file_that_is_not_put_is_gone(tmp_path: Path) -> None:
    with WholeFile(tmp_path / "out") as whole:
        whole.file.write(b"half")
    assert not list(tmp_path.iterdir())


def test_any_name_that_a_file_may_have_is_one_to_write_to(tmp_path: Path) -> None:
    """255 bytes are what file systems allow; the temporary name is no longer than the name itself may be."""
    for name in ("n" * 255, "\u00e9" * 127, "\U0001f600" * 63):
        write_whole(tmp_path / name, [b"x"])
        assert (tmp_path / name).read_bytes() == b"x"


@pytest.mark.parametrize(
    ("place", "code"),
    [
        ("none/out", errno.ENOENT),
        ("file/out", errno.ENOTDIR),
        ("directory", errno.EISDIR),
        ("n" * 300, errno.ENAMETOOLONG),
    ],
)
def test_a_place_that_cannot_be_written_to_is_named_by_the_error(place: str, code: int, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "directory").mkdir()
    with pytest.raises(OSError, match=re.escape(os.strerror(code))) as caught:
        write_whole(tmp_path / place, [b"x"])
    assert (caught.value.errno, caught.value.filename) == (code, str(tmp_path / place))
    assert {p.name for p in tmp_path.iterdir()} == {"file", "directory"}


def test_a_full_disk_is_named_by_the_place_and_leaves_what_was_there(tmp_path: Path) -> None:
    """A limit on the size of files stands for the disk: writing fails in the same way."""
    target = tmp_path / "out"
    target.write_text("old")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    for size in (1_000, 1_000_000):  # less than a buffer, and more than it
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
        try:
            with pytest.raises(OSError, match="too large") as caught:
                write_whole(target, [b"x" * size])
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert (caught.value.errno, caught.value.filename) == (errno.EFBIG, str(target))
        assert [p.read_text() for p in tmp_path.iterdir()] == ["old"]


def test_a_place_that_became_a_directory_is_named(tmp_path: Path) -> None:
    target = tmp_path / "out"
    with WholeFile(target) as whole:
        whole.close()
        target.mkdir()
        with pytest.raises(OSError, match="directory") as caught:
            whole.put()
    assert caught.value.filename == str(target)
    assert caught.value.filename2 is None
    assert [p.name for p in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("error", [OSError("cut short"), OSError(errno.EIO, os.strerror(errno.EIO), "the source")])
def test_an_error_of_the_source_stays_that_of_the_source(error: OSError, tmp_path: Path) -> None:
    def pieces() -> Iterator[bytes]:
        yield b"x"
        raise error

    with pytest.raises(OSError, match=r"cut short|the source") as caught:
        write_whole(tmp_path / "out", pieces())
    assert caught.value is error
    assert not list(tmp_path.iterdir())
