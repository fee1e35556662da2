"""Packed logs are told by their first bytes; what is cut or broken gives what is there."""

from __future__ import annotations

import gzip
import io
import os
import sys
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from sessionrecord.convert import claude_code, codex
from sessionrecord.convert.files import LogFile, read_head, read_source
from sessionrecord.errors import SourceError
from tests.convert import codex_logs, logs

PACKERS = {"gz": gzip.compress, "zst": zstandard.ZstdCompressor().compress}


@pytest.mark.parametrize("ending", PACKERS)
def test_a_packed_log_converts_as_the_log_itself(ending: str, tmp_path: Path) -> None:
    for convert, sample in ((codex.convert, codex_logs.SAMPLE), (claude_code.convert, logs.SAMPLE)):
        path = tmp_path / "a.jsonl"  # its name says nothing
        path.write_bytes(PACKERS[ending](sample.read_bytes()))
        assert convert(path).report.to_dict() == convert(sample).report.to_dict() | {"source": "a.jsonl"}


@given(st.lists(st.binary(max_size=50), min_size=1, max_size=3), st.sampled_from(sorted(PACKERS)))
def test_frames_one_after_another_are_one_log(frames: list[bytes], ending: str) -> None:
    packed = b"".join(map(PACKERS[ending], frames))
    assert read_source(packed) == LogFile(b"".join(frames), None)
    assert read_source(packed + b"\0\0").data == b"".join(frames)
    assert read_head(packed, 7) == b"".join(frames)[:7]


@pytest.mark.parametrize("ending", PACKERS)
def test_what_is_cut_or_broken_gives_what_could_be_read(ending: str) -> None:
    data = os.urandom(300_000)
    packed = PACKERS[ending](data)
    cut = read_source(packed[:-1000])
    assert cut.fault == "the compressed source ends early"
    assert data.startswith(cut.data)
    assert len(cut.data) > 100_000
    followed = read_source(packed + b"more")
    assert (followed.data, followed.fault) == (
        data,
        "what follows the compressed data is not compressed: it begins with 6d 6f 72 65",
    )
    with pytest.raises(SourceError, match=r"cannot unpack 'the log': the compressed source (is damaged|ends early)"):
        read_source(packed[:5] + b"\xff" * 20)


def test_zstd_without_its_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "zstandard", None)
    for read in (read_source, lambda data: read_head(data, 10)):
        with pytest.raises(SourceError, match=r"^[^\n]*pip install 'sessionrecord\[zstd\]' to read it$"):
            read(PACKERS["zst"](b"{}"))


def test_what_cannot_be_read_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="No such file"):
        read_source(tmp_path / "nowhere")
    with pytest.raises(SourceError, match="No such file"):
        read_head(tmp_path / "nowhere", 1)
    with pytest.raises(SourceError, match="binary mode"):
        read_source(io.StringIO("{}"))  # type: ignore[arg-type]
    with pytest.raises(SourceError, match="a int cannot be read"):
        read_source(7)  # type: ignore[arg-type]


def test_a_file_object_has_the_name_of_its_file(tmp_path: Path) -> None:
    path = tmp_path / "rollout-1.jsonl.gz"
    path.write_bytes(gzip.compress(b"{}"))
    with path.open("rb") as file:
        log = read_source(file)
    assert (log.data, log.name, log.stem) == (b"{}", "rollout-1.jsonl.gz", "rollout-1")
    assert read_source(io.BytesIO(b"{}")) == LogFile(b"{}", None)
