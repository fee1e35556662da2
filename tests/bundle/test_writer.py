"""Writing bundles: what is in them, the same bytes for the same input, and nothing left behind by what fails."""

from __future__ import annotations

import hashlib
import io
import json
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sessionrecord import Producer, Session, SessionKey
from sessionrecord.bundle import BlobFile, Bundle, NativeFile, verify, write_bundle
from sessionrecord.bundle.parts import Part, PartReader
from sessionrecord.bundle.paths import path_fault
from sessionrecord.errors import InvalidRecordError, WriterError
from sessionrecord.records import parse_record
from tests.bundle.samples import sha256, stream
from tests.strategies import session_keys

KINDS = ["b.zip", "b.tar", "b"]
SESSION = Session.read(stream({"type": "state", "state": "idle"}))
BLOBS = [BlobFile(b"\x89PNG", "image/png"), BlobFile(b"RIFF"), BlobFile(b"\x89PNG", "image/x")]
NATIVE = [NativeFile("native/z.jsonl", b"{}\n", "toy"), NativeFile("native/\u00e9/a b.txt", b"x" * 5000)]


def write(target: Path, name: str = "b.zip") -> bytes:
    write_bundle(target / name, [SESSION], blobs=BLOBS, native=NATIVE)
    return (target / name).read_bytes()


@pytest.mark.parametrize("kind", KINDS)
def test_a_bundle_holds_what_was_given(kind: str, tmp_path: Path) -> None:
    manifest = write_bundle(tmp_path / kind, [SESSION], blobs=BLOBS, native=NATIVE)
    png, riff = sha256(b"\x89PNG"), sha256(b"RIFF")
    lines = stream({"type": "state", "state": "idle"})
    assert json.loads(manifest.to_bytes()) == {
        "format": "asr-bundle",
        "formatVersion": "0-sessionrecord.1",
        "streams": [
            {
                "path": "streams/s1.asr.jsonl",
                "sha256": sha256(lines),
                "bytes": len(lines),
                "sessionKey": {"agent": "toy", "namespace": None, "sessionId": "s1"},
                "records": 2,
            }
        ],
        "blobs": sorted(
            [
                {"path": f"blobs/{png}", "sha256": png, "bytes": 4, "mimeType": "image/png"},
                {"path": f"blobs/{riff}", "sha256": riff, "bytes": 4},
            ],
            key=lambda blob: str(blob["sha256"]),
        ),
        "native": [
            {"path": "native/z.jsonl", "sha256": sha256(b"{}\n"), "bytes": 3, "harness": "toy"},
            {"path": "native/\u00e9/a b.txt", "sha256": sha256(b"x" * 5000), "bytes": 5000},
        ],
    }
    assert verify(tmp_path / kind) == []
    with Bundle.open(tmp_path / kind) as bundle:
        assert bundle.manifest == manifest
        assert bundle.read("streams/s1.asr.jsonl") == lines
        assert bundle.read("native/z.jsonl") == b"{}\n"
        assert bundle.blob(riff) == b"RIFF"
        assert len(bundle.files) == 6


def test_other_programs_read_the_archives(tmp_path: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(write(tmp_path))) as zipped:
        assert zipped.testzip() is None
        contents = {name: zipped.read(name) for name in zipped.namelist()}
    with tarfile.open(fileobj=io.BytesIO(write(tmp_path, "b.tar"))) as tarred:
        members = {m.name: tarred.extractfile(m) for m in tarred}
        assert {name: m.read() for name, m in members.items() if m is not None} == contents
    assert list(contents) == list(members)
    assert next(iter(contents)) == "bundle.json"


def test_archives_hold_no_time_owner_or_mode_of_their_making(tmp_path: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(write(tmp_path))) as zipped:
        assert {(i.date_time, i.create_system, i.external_attr >> 16, i.compress_type) for i in zipped.infolist()} == {
            ((1980, 1, 1, 0, 0, 0), 3, 0o100600, zipfile.ZIP_STORED)
        }
    with tarfile.open(fileobj=io.BytesIO(write(tmp_path, "b.tar"))) as tarred:
        assert {(m.mtime, m.uid, m.gid, m.uname, m.gname, m.mode) for m in tarred} == {(0, 0, 0, "", "", 0o600)}


PROGRAM = """
import os, sys
from pathlib import Path
from sessionrecord import Session
from sessionrecord.bundle import BlobFile, NativeFile, write_bundle
os.umask(int(sys.argv[2], 8))
root = Path(sys.argv[1])
blobs = {b"a", b"b", b"c", b"d"}
native = {"native/" + name for name in "wxyz"}
for name in ("b.zip", "b.tar"):
    write_bundle(root / name, [Session.read(root / "s.jsonl")], blobs=map(BlobFile, blobs),
                 native=[NativeFile(path, root / "s.jsonl") for path in native])
"""


@pytest.mark.parametrize("name", ["b.zip", "b.tar"])
def test_the_same_input_gives_the_same_bytes(name: str, tmp_path: Path) -> None:
    """Whatever the order of blobs and native files, the hash seed, the time zone, the umask, and the times of the files."""
    written = set()
    for i, (seed, zone, umask) in enumerate([("1", "UTC", "077"), ("2", "Asia/Tokyo", "002"), ("3", "UTC", "022")]):
        root = tmp_path / f"{i}"
        root.mkdir()
        (root / "s.jsonl").write_bytes(stream())
        os.utime(root / "s.jsonl", (i * 10**8, i * 10**8))
        environment = {**os.environ, "PYTHONHASHSEED": seed, "TZ": zone}
        subprocess.run([sys.executable, "-c", PROGRAM, str(root), umask], env=environment, check=True, timeout=60)
        written.add((root / name).read_bytes())
        assert (root / name).stat().st_mode & 0o777 == 0o600
    assert len(written) == 1


def test_what_was_given_is_written_as_created_at_and_producer(tmp_path: Path) -> None:
    """Our rule: `createdAt` is there only if it is given."""
    producer = Producer(method="native", name="toy")
    manifest = write_bundle(
        tmp_path / "b.zip", [SESSION], created_at="2026-10-26T14:02:11.204118930Z", producer=producer
    )
    assert manifest.created_at == "2026-10-26T14:02:11.204118930Z"
    assert manifest.producer == producer
    with pytest.raises(InvalidRecordError, match="timestamp-invalid"):
        write_bundle(tmp_path / "c.zip", [SESSION], created_at="today")
    assert [p.name for p in tmp_path.iterdir()] == ["b.zip"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_stream_is_written_byte_for_byte_and_what_was_appended_after_it(kind: str, tmp_path: Path) -> None:
    odd = (
        b"\xef\xbb\xbf"
        + stream()[:-1]
        + b"\r\n\n{ broken\n"
        + b'{"type": "state","state":"x", "seq":3,"id":"r3", "n":1.50}'
    )
    session = Session.read(odd)
    added = parse_record(b'{"type":"state","seq":9,"id":"r9","state":"idle"}')
    session.append(added)
    manifest = write_bundle(tmp_path / kind, [session])
    with Bundle.open(tmp_path / kind) as bundle:
        (entry,) = bundle.streams
        assert bundle.read(entry) == odd + b"\n" + added.to_line() + b"\n"
        assert entry.records == 4 == len(bundle.session(entry))
    assert verify(tmp_path / kind) == []
    assert manifest.streams is not None
    assert manifest.streams[0].session_key.key == SessionKey("toy", None, "s1")


ODD_IDS = [
    "../evil",
    "a/b",
    "CON",
    "nul.x",
    "",
    ".",
    "..",
    "A",
    "a",
    "S" * 101,
    "x" * 100,
    "é",
    "e\u0301",
    "a b",
    "-",
    ".hidden",
    "a:b",
]


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.one_of(session_keys(), st.sampled_from(ODD_IDS).map(lambda i: SessionKey("a", None, i))),
        min_size=1,
        max_size=6,
    )
)
def test_every_session_key_gets_a_safe_path_of_its_own(tmp_path: Path, keys: list[SessionKey]) -> None:
    sessions = [Session.read(stream(agent=k.agent, namespace=k.namespace, sessionId=k.session_id)) for k in keys]
    target = tmp_path / "b.tar"
    write_bundle(target, sessions, replace=True)
    assert verify(target) == []
    with Bundle.open(target) as bundle:
        assert [s.session_key.key for s in bundle.streams] == keys
        paths = [s.path for s in bundle.streams]
    assert all(path_fault(p) is None and p.startswith("streams/") for p in paths)
    assert len({p.casefold() for p in paths}) == len(keys)


def test_a_plain_session_id_names_its_stream(tmp_path: Path) -> None:
    ids = ["2026-10-26T14", "s.1", "S.1", "s.1", "a/b"]
    manifest = write_bundle(tmp_path / "b.zip", [Session.read(stream(sessionId=i)) for i in ids])
    hashed = hashlib.sha256(b"asr:toy//a%2Fb").hexdigest()[:32]
    assert [s.path.removeprefix("streams/") for s in manifest.streams or ()] == [
        "2026-10-26T14.asr.jsonl",
        "s.1.asr.jsonl",
        "S.1-2.asr.jsonl",
        "s.1-3.asr.jsonl",
        f"{hashed}.asr.jsonl",
    ]


def test_files_are_read_in_pieces_from_where_they_lie(tmp_path: Path) -> None:
    big = tmp_path / "big"
    big.write_bytes(b"0123456789abcdef" * 200_000)
    write_bundle(tmp_path / "b.tar", [SESSION], blobs=[BlobFile(big)], native=[NativeFile("native/big", str(big))])
    with Bundle.open(tmp_path / "b.tar") as bundle:
        assert bundle.blob(sha256(big.read_bytes())) == bundle.read("native/big") == big.read_bytes()


def test_a_file_that_changes_while_it_is_read_is_not_written(tmp_path: Path) -> None:
    source = tmp_path / "s"
    for before, after in [(b"abc", b"abd"), (b"abc", b"abcd"), (b"abc", b"ab")]:
        source.write_bytes(before)
        part = Part.of("native/s", source)
        source.write_bytes(after)
        with pytest.raises(WriterError, match="changed while it was read"), PartReader(part) as reader:
            assert reader.read(3) == after[:3]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("native", "words"),
    [
        ([NativeFile("../x", b"")], "leaves the bundle"),
        ([NativeFile("/x", b"")], "absolute"),
        ([NativeFile("bundle.json", b"")], "there twice"),
        ([NativeFile("Bundle.json/x", b"")], "file and a directory"),
        ([NativeFile("streams/S1.asr.jsonl", b"")], "only by case"),
        ([NativeFile("native/a", b""), NativeFile("native/A", b"")], "only by case"),
        ([NativeFile("native/a", "no such file")], "No such file"),
        ([NativeFile("native/a", "a\0b")], "null"),
    ],
)
def test_what_cannot_be_written_is_said_and_leaves_nothing(
    kind: str, native: list[NativeFile], words: str, tmp_path: Path
) -> None:
    with pytest.raises(WriterError, match=words):
        write_bundle(tmp_path / kind, [SESSION], native=native)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("sessions", "words"),
    [
        ([], "one or more streams"),
        ([Session.read(b"")], "no valid header"),
        ([Session.read(b"{}\n")], "no valid header"),
        ([Session.read(stream(producer=None))], "no valid header"),
    ],
)
def test_a_bundle_needs_streams_with_a_session_key(sessions: list[Session], words: str, tmp_path: Path) -> None:
    """[S] a bundle holds one or more streams."""
    with pytest.raises(WriterError, match=words):
        write_bundle(tmp_path / "b.zip", sessions)
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_replaced_unless_asked_for(tmp_path: Path) -> None:
    (tmp_path / "b.zip").write_bytes(b"old")
    (tmp_path / "d").mkdir()
    (tmp_path / "d.zip").mkdir()
    (tmp_path / "link.zip").symlink_to(tmp_path / "b.zip")
    for name in ("b.zip", "d", "d.zip", "link.zip"):
        with pytest.raises(WriterError, match="exists"):
            write_bundle(tmp_path / name, [SESSION])
    with pytest.raises(WriterError, match="exists"):
        write_bundle(tmp_path / "d", [SESSION], replace=True)
    for name in ("d.zip", "link.zip"):
        with pytest.raises(WriterError, match="no regular file"):
            write_bundle(tmp_path / name, [SESSION], replace=True)
    assert (tmp_path / "b.zip").read_bytes() == b"old"
    write_bundle(tmp_path / "b.zip", [SESSION], replace=True)
    assert verify(tmp_path / "b.zip") == []
    with pytest.raises(WriterError, match="No such file"):
        write_bundle(tmp_path / "no" / "where.zip", [SESSION])


def test_files_of_a_directory_are_for_their_owner_alone(tmp_path: Path) -> None:
    """Our rule: files are made with mode 0600."""
    write_bundle(tmp_path / "b", [SESSION], blobs=BLOBS, native=NATIVE)
    assert {p.stat().st_mode & 0o777 for p in (tmp_path / "b").rglob("*") if p.is_file()} == {0o600}
    assert (tmp_path / "b").stat().st_mode & 0o777 == 0o700
