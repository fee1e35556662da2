"""Reading bundles in place, and verifying them (spec section 9): each file against the manifest, each stream against its entry."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sessionrecord import Session, SessionHeader
from sessionrecord.bundle import Bundle, verify
from sessionrecord.errors import BundleError, WriterError
from tests.bundle.samples import (
    bundle_files,
    codes,
    in_directory,
    in_tar,
    in_zip,
    listed,
    manifest,
    sha256,
    stream,
    unverified,
)

FILES = bundle_files()
STREAM, LOG = "streams/s1.asr.jsonl", "native/log.jsonl"
BLOB = next(path for path in FILES if path.startswith("blobs/"))

Pack = Callable[[dict[str, bytes]], Any]


@pytest.fixture(params=["directory", "zip", "tar"])
def pack(request: pytest.FixtureRequest, tmp_path: Path) -> Pack:
    """Puts files into a container of each kind."""
    packs: dict[str, Pack] = {
        "directory": lambda files: in_directory(tmp_path / "b", files),
        "zip": lambda files: in_zip(files.items()),
        "tar": lambda files: in_tar(files.items()),
    }
    return packs[request.param]


def with_manifest(files: dict[str, bytes], **changes: Any) -> dict[str, bytes]:
    content = {path: data for path, data in files.items() if path != "bundle.json"}
    return {"bundle.json": json.dumps(manifest(content) | changes).encode(), **content}


def test_everything_in_a_bundle_is_reached(pack: Pack) -> None:
    with Bundle.open(pack(FILES)) as bundle:
        assert [s.path for s in bundle.streams] == [STREAM]
        assert [b.path for b in bundle.blobs] == [BLOB]
        assert [n.path for n in bundle.native] == [LOG]
        assert bundle.files == {path: len(data) for path, data in FILES.items()}
        assert bundle.read(LOG) == bundle.read(bundle.native[0]) == FILES[LOG]
        assert bundle.blob(sha256(FILES[BLOB])) == FILES[BLOB]
        assert bundle.blob("0" * 64) is None
        assert unverified(bundle, "bundle.json") == FILES["bundle.json"]
        session = bundle.session(bundle.streams[0])
        assert repr(bundle) == "<Bundle 1 streams, 1 blobs, 1 native files>"
    assert isinstance(session.header, SessionHeader)
    assert session.header.session_id == "s1"


def test_a_bundle_is_read_from_a_file_that_can_seek_and_that_stays_open(tmp_path: Path) -> None:
    file = io.BytesIO(in_zip(FILES.items()))
    with Bundle.open(file) as bundle:
        assert bundle.read(LOG) == FILES[LOG]
    assert not file.closed
    path = tmp_path / "any name"
    path.write_bytes(in_tar(FILES.items()))
    with Bundle.open(path) as bundle:
        assert bundle.read(LOG) == FILES[LOG]
    with pytest.raises(ValueError, match="closed"):
        bundle.read(LOG)


def test_a_whole_bundle_has_no_finding(pack: Pack) -> None:
    assert verify(pack(FILES)) == []


def test_a_file_that_differs_is_found_and_not_read(pack: Pack) -> None:
    for path in (STREAM, BLOB, LOG):
        changed = FILES[path][:-2] + b"#\n"
        assert codes(verify(pack(FILES | {path: changed}))) == [("bundle-file-different", path)]
        with Bundle.open(pack(FILES | {path: changed})) as bundle:
            read = bundle.session if path == STREAM else bundle.read
            with pytest.raises(BundleError, match="SHA-256"):
                read(path)
            assert unverified(bundle, path) == changed  # what is there can still be looked at


def test_a_file_of_another_size_is_found_before_it_is_read(pack: Pack) -> None:
    source = pack(FILES | {LOG: b"short"})
    assert codes(verify(source)) == [("bundle-file-different", LOG)]
    with Bundle.open(source) as bundle:
        with pytest.raises(BundleError, match="5 bytes, the manifest says 900"):
            bundle.read(LOG)
        with pytest.raises(BundleError, match="5 bytes, the manifest says 900"):
            bundle.copy(LOG, io.BytesIO())


def test_a_file_that_is_missing_is_found(pack: Pack) -> None:
    source = pack({path: data for path, data in FILES.items() if path != BLOB})
    assert codes(verify(source)) == [("bundle-file-missing", BLOB)]
    with Bundle.open(source) as bundle:
        with pytest.raises(BundleError, match="bundle-file-missing"):
            bundle.blob(sha256(FILES[BLOB]))
        with pytest.raises(BundleError, match="bundle-file-missing"):
            bundle.open_file(BLOB)


def test_a_file_that_the_manifest_does_not_name_is_found(pack: Pack) -> None:
    """[S] the manifest is authoritative."""
    source = pack(FILES | {"native/more": b"x"})
    assert codes(verify(source)) == [("bundle-file-unlisted", "native/more")]
    with Bundle.open(source) as bundle, pytest.raises(BundleError, match="names no such file"):
        bundle.read("native/more")


def test_all_findings_are_given_in_one_pass(pack: Pack) -> None:
    files = FILES | {STREAM: FILES[STREAM] + b"x", "x": b""}
    del files[LOG]
    assert codes(verify(pack(files))) == [
        ("bundle-file-different", STREAM),
        ("bundle-file-missing", LOG),
        ("bundle-file-unlisted", "x"),
    ]


def test_an_invalid_manifest_is_refused_with_all_its_errors(pack: Pack) -> None:
    source = pack(with_manifest(FILES, format="x", createdAt="now"))
    assert [d.code for d in verify(source)] == ["timestamp-invalid"]
    with pytest.raises(BundleError, match="timestamp-invalid"):
        Bundle.open(source)


def test_warnings_of_the_manifest_do_not_refuse_it(pack: Pack) -> None:
    source = pack(with_manifest(FILES, created_at="x", producer=None))
    with Bundle.open(source) as bundle:
        assert [d.code for d in bundle.diagnostics] == ["null-not-allowed", "member-misspelled"]
    assert [(d.code, d.severity) for d in verify(source)] == [
        ("null-not-allowed", "warning"),
        ("member-misspelled", "warning"),
    ]


def blob_block(data: bytes, **more: Any) -> dict[str, Any]:
    return {"type": "image", "mimeType": "image/png", "blob": {"sha256": sha256(data), "bytes": len(data), **more}}


STREAMS: list[tuple[bytes, dict[str, Any], list[tuple[str, int | None, str | None]]]] = [
    (stream(), {"records": 1}, []),
    (stream({"type": "state", "state": "idle"}), {"records": 2}, []),
    (stream({"type": "state", "state": "idle"}) + b"\n \n{broken", {"records": 3}, []),
    (b"\xef\xbb\xbf" + stream(), {"records": 1}, []),
    (stream(), {"records": 2}, [("bundle-stream-different", None, None)]),
    (stream(sessionId="other"), {"records": 1}, [("bundle-stream-different", 1, None)]),
    (stream(namespace="n"), {"records": 1}, [("bundle-stream-different", 1, None)]),
    (b"\n" + stream(agent="b"), {"records": 1}, [("bundle-stream-different", 2, None)]),
    (b"", {"records": 0}, []),
    (b"{}\n", {"records": 1}, [("bundle-stream-different", 1, None)]),
    (
        stream({"type": "message", "messageId": "m", "role": "user", "content": [blob_block(FILES[BLOB])]}),
        {"records": 2},
        [],
    ),
    (
        stream({"type": "message", "messageId": "m", "role": "user", "content": [blob_block(b"a"), blob_block(b"b")]}),
        {"records": 2},
        [("bundle-blob-missing", 2, "/content/0/blob"), ("bundle-blob-missing", 2, "/content/1/blob")],
    ),
    (
        stream({"type": "compaction", "compactionId": "c", "summary": [blob_block(b"a")]}),
        {"records": 2},
        [("bundle-blob-missing", 2, "/summary/0/blob")],
    ),
    (
        stream(
            {"type": "state", "state": "x", "capture": {"state": {"state": "truncated", "blob": {"sha256": "0" * 64, "bytes": 1}}}}
        ),
        {"records": 2},
        [("bundle-blob-missing", 2, "/capture/state/blob")],
    ),
    (stream({"type": "x.y", "blob": {"sha256": "0"}, "content": [{"type": "image", "blob": {"sha256": "0"}}]}), {"records": 2}, []),
    (stream({"type": "message", "content": [{"type": "zoo", "blob": {"sha256": "0"}}], "messageId": "m", "role": "u"}), {"records": 2}, []),
    (stream({"type": "message", "content": [blob_block(b"a")]}), {"records": 2}, []),
]  # fmt: skip


@pytest.mark.parametrize(("content", "entry", "expected"), STREAMS)
def test_a_stream_must_be_what_its_entry_says(
    content: bytes, entry: dict[str, Any], expected: list[tuple[str, int | None, str | None]]
) -> None:
    """Its session key, its number of records, and the blobs that valid records of known tables name."""
    key = {"agent": "toy", "sessionId": "s1"}
    files = with_manifest(FILES | {STREAM: content}, streams=[listed(STREAM, content, sessionKey=key, **entry)])
    findings = verify(in_zip(files.items()))
    assert [(d.code, d.line, d.pointer) for d in findings] == expected
    assert all(d.path == STREAM for d in findings)
    assert len(Session.read(content)) == entry["records"] or expected


def test_a_finding_reads_as_one_line_with_its_file() -> None:
    findings = verify(in_zip((FILES | {LOG: b"", "native/\x1b": b""}).items()))
    assert all(str(d).isprintable() for d in findings)
    (different,) = verify(in_zip((FILES | {LOG: b""}).items()))
    assert str(different) == f"'{LOG}': error bundle-file-different: the file has 0 bytes, the manifest says 900"
    assert different.to_dict()["path"] == LOG


def test_a_bundle_is_extracted_whole(pack: Pack, tmp_path: Path) -> None:
    target = tmp_path / "out"
    with Bundle.open(pack(FILES)) as bundle:
        written = bundle.extract(target)
    assert {p.relative_to(target).as_posix(): p.read_bytes() for p in written} == FILES
    assert {p for p in target.rglob("*") if p.is_file()} == set(written)
    assert {p.stat().st_mode & 0o777 for p in written} == {0o600}
    assert target.stat().st_mode & 0o777 == 0o700
    assert verify(target) == []


def test_a_bundle_that_is_not_whole_is_not_extracted(pack: Pack, tmp_path: Path) -> None:
    files = FILES | {STREAM: FILES[STREAM] + b"x", "x": b""}
    del files[LOG]
    source = pack(files)
    before = set(tmp_path.iterdir())
    with Bundle.open(source) as bundle, pytest.raises(BundleError) as refused:
        bundle.extract(tmp_path / "out")
    assert {d.code for d in refused.value.diagnostics} == {
        "bundle-file-different",
        "bundle-file-missing",
        "bundle-file-unlisted",
    }
    assert set(tmp_path.iterdir()) == before


def test_nothing_is_replaced_by_extracting(tmp_path: Path) -> None:
    with Bundle.open(in_zip(FILES.items())) as bundle:
        (tmp_path / "there").mkdir()
        with pytest.raises(WriterError, match="exists"):
            bundle.extract(tmp_path / "there")
        (tmp_path / "link").symlink_to(tmp_path / "nowhere")
        with pytest.raises(WriterError, match="exists"):
            bundle.extract(tmp_path / "link")
        with pytest.raises(WriterError, match="No such file"):
            bundle.extract(tmp_path / "no" / "where")
