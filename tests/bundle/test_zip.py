"""Zip archives: those of honest writers are read, each kind of hostile one is refused with its code."""

from __future__ import annotations

import io
import stat
import struct
import zipfile
import zlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessionrecord.bundle import Bundle, Limits, verify
from sessionrecord.bundle.container import SharedFile
from sessionrecord.bundle.zip import ZipContainer
from sessionrecord.errors import BundleError, SourceError
from tests.bundle.samples import bundle_files, codes, deflated, in_zip
from tests.corpus.archives import Raw, raw_members, raw_zip

FILES = bundle_files()
LOG = "native/log.jsonl"


def container(data: bytes, limits: Limits | None = None) -> ZipContainer:
    return ZipContainer(SharedFile(io.BytesIO(data), mine=True), limits or Limits())


def contents(data: bytes) -> dict[str, bytes]:
    opened = container(data)
    found = {}
    for path in opened.sizes:
        with opened.open(path) as file:
            found[path] = file.read()
    return found


names = st.text("abcdé.-", min_size=1, max_size=6).filter(lambda n: n.strip(".") == n)


@given(
    st.dictionaries(names, st.binary(max_size=2000), max_size=5),
    st.sampled_from([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED]),
)
def test_what_the_standard_library_writes_is_read(files: dict[str, bytes], method: int) -> None:
    assert contents(in_zip(files.items(), method)) == files


class Unseekable(io.RawIOBase):
    def __init__(self) -> None:
        self.data = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        self.data += memoryview(data)  # type: ignore[arg-type]
        return len(memoryview(data))  # type: ignore[arg-type]


@pytest.mark.parametrize("wide", [False, True])
def test_archives_that_were_streamed_or_use_zip64_are_read(wide: bool) -> None:
    """Streamed: sizes follow the data (APPNOTE 4.4.4, bit 3). ZIP64: they stand in an extra field (4.5.3)."""
    for target in (Unseekable(), io.BytesIO()):
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.comment = b"a comment of PK\5\6 kind"
            for path, data in FILES.items():
                with archive.open(path, "w", force_zip64=wide) as member:
                    member.write(data)
        written = bytes(target.data) if isinstance(target, Unseekable) else target.getvalue()
        assert contents(written) == FILES
        assert verify(written) == []


def test_a_zip64_end_of_the_archive_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zipfile, "ZIP_FILECOUNT_LIMIT", 2)
    data = in_zip(FILES.items())
    assert b"PK\6\6" in data
    assert contents(data) == FILES
    cut = data.replace(b"PK\6\6", b"PK\6\0")
    with pytest.raises(BundleError, match="ZIP64 end"):
        container(cut)


def test_directories_and_dos_attributes_are_fine() -> None:
    members = [Raw(b"native/", central={"attributes": 0x10}), *raw_members(FILES)]
    assert contents(raw_zip(members)) == FILES
    unix = [Raw(b"native/", central={"made_by": 0x314, "attributes": stat.S_IFDIR << 16}), *raw_members(FILES)]
    assert contents(raw_zip(unix)) == FILES


def test_a_name_that_is_utf_8_without_saying_so_is_read() -> None:
    """Some writers leave bit 11 unset; else the name is in code page 437 (APPNOTE, appendix D)."""
    assert list(contents(raw_zip([Raw("é".encode()), Raw(b"\x81")]))) == ["é", "ü"]


def hostile(*extra: Raw) -> bytes:
    return raw_zip([*raw_members(FILES), *extra])


def unix(mode: int) -> dict[str, int | bytes]:
    return {"made_by": 0x314, "attributes": (mode | 0o644) << 16}


BOMB = bytes(10 << 20)
REFUSED: dict[str, tuple[bytes, str]] = {
    "traversal": (hostile(Raw(b"../evil")), "bundle-path-unsafe"),
    "traversal inside": (hostile(Raw(b"native/../../evil")), "bundle-path-unsafe"),
    "absolute": (hostile(Raw(b"/etc/passwd")), "bundle-path-unsafe"),
    "drive letter": (hostile(Raw(b"C:/evil")), "bundle-path-unsafe"),
    "backslashes": (hostile(Raw(b"..\\evil")), "bundle-path-unsafe"),
    "nul in name": (hostile(Raw(b"native/a\0.txt")), "bundle-path-unsafe"),
    "no name": (hostile(Raw(b"")), "bundle-path-unsafe"),
    "only a slash": (hostile(Raw(b"/")), "bundle-path-unsafe"),
    "device name": (hostile(Raw(b"native/NUL.txt")), "bundle-path-unsafe"),
    "name is no utf-8": (hostile(Raw(b"\xff", central={"flags": 0x800}, local={"flags": 0x800})), "bundle-path-unsafe"),
    "symbolic link": (hostile(Raw(b"native/l", b"/etc/passwd", central=unix(stat.S_IFLNK))), "bundle-not-a-file"),
    "link of a dos archive": (
        hostile(Raw(b"native/l", b"x", central={"made_by": 20, "attributes": stat.S_IFLNK << 16})),
        "bundle-not-a-file",
    ),
    "character device": (hostile(Raw(b"native/d", central=unix(stat.S_IFCHR))), "bundle-not-a-file"),
    "block device": (hostile(Raw(b"native/d", central=unix(stat.S_IFBLK))), "bundle-not-a-file"),
    "pipe": (hostile(Raw(b"native/p", central=unix(stat.S_IFIFO))), "bundle-not-a-file"),
    "socket": (hostile(Raw(b"native/s", central=unix(stat.S_IFSOCK))), "bundle-not-a-file"),
    "directory with bytes": (hostile(Raw(b"native/x/", b"data")), "bundle-not-a-file"),
    "file said to be a directory": (hostile(Raw(b"native/x", b"data", central=unix(stat.S_IFDIR))), "bundle-not-a-file"),
    "duplicate": (hostile(Raw(LOG.encode(), b"other")), "bundle-path-repeated"),
    "duplicate manifest": (hostile(Raw(b"bundle.json", b"{}")), "bundle-path-repeated"),
    "duplicate by case": (hostile(Raw(b"Native/LOG.jsonl")), "bundle-path-repeated"),
    "duplicate by composition": (
        in_zip([*FILES.items(), ("native/\u00e9", b""), ("native/e\u0301", b"")]),
        "bundle-path-repeated",
    ),
    "file and directory": (hostile(Raw(b"native")), "bundle-path-repeated"),
    "encrypted": (hostile(Raw(b"native/x", b"?", central={"flags": 1}, local={"flags": 1})), "bundle-encrypted"),
    "strongly encrypted": (hostile(Raw(b"native/x", b"?", central={"flags": 0x41})), "bundle-encrypted"),
    "masked headers": (hostile(Raw(b"native/x", b"?", central={"flags": 0x2000})), "bundle-encrypted"),
    "encrypted by the local header alone": (hostile(Raw(b"native/x", b"?", local={"flags": 1})), "bundle-archive-invalid"),
    "bomb": (hostile(Raw(b"native/b", BOMB, deflated(BOMB))), "bundle-too-large"),
    "many small bombs": (
        hostile(*(Raw(b"native/b%d" % n, BOMB[: 1 << 20], deflated(BOMB[: 1 << 20])) for n in range(12))),
        "bundle-too-large",
    ),
    "said to be larger than all limits": (
        hostile(Raw(b"native/b", b"x", b"\3\0", central={"size": 0xFFFFFFF0}, local={"size": 0xFFFFFFF0})),
        "bundle-too-large",
    ),
    "stored with another size": (hostile(Raw(b"native/x", b"abc", central={"size": 2}, local={"size": 2})), "bundle-size-false"),
    "sizes disagree": (hostile(Raw(b"native/x", b"abc", deflated(b"abc"), local={"size": 9})), "bundle-size-false"),
    "packed sizes disagree": (hostile(Raw(b"native/x", b"abc", deflated(b"abc"), local={"packed": 1})), "bundle-size-false"),
    "checksums disagree": (hostile(Raw(b"native/x", b"abc", local={"crc": 1})), "bundle-size-false"),
    "beyond the end": (
        hostile(Raw(b"native/x", b"a", deflated(b"a"), central={"packed": 9999}, local={"packed": 9999})),
        "bundle-size-false",
    ),
    "two names": (hostile(Raw(b"native/x", local={"name": b"native/y"})), "bundle-archive-invalid"),
    "two methods": (hostile(Raw(b"native/x", b"abc", deflated(b"abc"), local={"method": 0})), "bundle-archive-invalid"),
    "method that is not read": (in_zip(FILES.items(), zipfile.ZIP_BZIP2), "bundle-archive-invalid"),
    "no local header": (hostile(Raw(b"native/x", central={"at": 7})), "bundle-archive-invalid"),
    "local header beyond the end": (hostile(Raw(b"native/x", central={"at": 0xFFFFFF00})), "bundle-archive-invalid"),
    "cut off": (in_zip(FILES.items())[:-5], "bundle-archive-invalid"),
    "bytes after the end": (raw_zip(raw_members(FILES), after=b"x"), "bundle-archive-invalid"),
    "moved by bytes in front": (raw_zip(raw_members(FILES), before=b"PK\3\4"), "bundle-archive-invalid"),
    "bytes before the end": (
        raw_zip(raw_members(FILES))[:-22] + b"gap" + raw_zip(raw_members(FILES))[-22:],
        "bundle-archive-invalid",
    ),
    "more members than said": (raw_zip(raw_members(FILES), count=len(FILES) - 1), "bundle-archive-invalid"),
    "fewer members than said": (raw_zip(raw_members(FILES), count=len(FILES) + 1), "bundle-archive-invalid"),
    "several disks": (raw_zip(raw_members(FILES))[:-18] + b"\1\0" + raw_zip(raw_members(FILES))[-16:], "bundle-archive-invalid"),
    "no manifest": (raw_zip([Raw(b"native/x")]), "bundle-manifest-missing"),
    "empty": (raw_zip([]), "bundle-manifest-missing"),
}  # fmt: skip


@pytest.mark.parametrize("kind", REFUSED)
def test_a_hostile_archive_is_refused_with_its_code(kind: str) -> None:
    data, code = REFUSED[kind]
    with pytest.raises(BundleError) as refused:
        Bundle.open(data)
    assert code in {d.code for d in refused.value.diagnostics}
    assert [d.code for d in verify(data)] == [d.code for d in refused.value.diagnostics]
    assert str(refused.value).isprintable()


def test_every_fault_of_an_archive_is_named() -> None:
    data = hostile(Raw(b"../a"), Raw(b"native/l", b"x", central=unix(stat.S_IFLNK)), Raw(LOG.encode()))
    assert codes(verify(data)) == [
        ("bundle-path-unsafe", "../a"),
        ("bundle-not-a-file", "native/l"),
        ("bundle-path-repeated", LOG),
    ]


def test_members_that_share_bytes_are_refused() -> None:
    """The bomb whose members overlap (Fifield, 2019): a local header inside another member's data."""
    inner = Raw(b"native/inner", b"x" * 100)
    hidden = raw_zip([inner])[: 30 + len(inner.name) + 100]
    outer = Raw(b"native/outer", hidden)
    inside = 30 + len(outer.name)
    data = raw_zip([outer, Raw(b"native/inner", b"x" * 100, central={"at": inside}), *raw_members(FILES)])
    assert codes(verify(data)) == [("bundle-archive-invalid", "native/outer")]


def with_last(member: Raw) -> bytes:
    """A bundle whose log is a member that lies about its bytes, in one voice."""
    files = {path: data for path, data in FILES.items() if path != LOG}
    return raw_zip([*raw_members(files), member])


def lying(data: bytes, packed: bytes, **fields: int | bytes) -> Raw:
    return Raw(LOG.encode(), data, packed, central=dict(fields), local=dict(fields))


TEXT = FILES[LOG]


@pytest.mark.parametrize(
    ("member", "code"),
    [
        (lying(TEXT, deflated(TEXT + b"more")), "bundle-size-false"),
        (lying(TEXT, deflated(TEXT[:-1])), "bundle-size-false"),
        (lying(TEXT, deflated(TEXT) + b"hidden"), "bundle-size-false"),
        (lying(TEXT, deflated(TEXT) + bytes(1 << 17)), "bundle-size-false"),
        (lying(TEXT, deflated(TEXT)[:-3]), "bundle-archive-invalid"),
        (lying(TEXT, b"\xff" * 30), "bundle-archive-invalid"),
        (lying(TEXT, deflated(TEXT), crc=7), "bundle-archive-invalid"),
        (Raw(LOG.encode(), TEXT, central={"crc": 7}, local={"crc": 7}), "bundle-archive-invalid"),
        (lying(TEXT, deflated(b"X" * len(TEXT)), crc=zlib.crc32(b"X" * len(TEXT))), "bundle-file-different"),
    ],
)
def test_bytes_that_are_not_what_the_headers_promise_are_found_when_they_are_read(member: Raw, code: str) -> None:
    data = with_last(member)
    assert codes(verify(data)) == [(code, LOG)]
    with Bundle.open(data) as bundle, pytest.raises(BundleError):
        bundle.read(LOG)


def test_a_bomb_that_hides_its_size_is_stopped_at_the_size_it_names() -> None:
    """The most that is unpacked is what was promised, and one buffer."""
    opened = container(with_last(lying(b"x" * 1000, deflated(bytes(100 << 20)))))
    with opened.open(LOG) as file, pytest.raises(BundleError, match="more bytes than the 1000"):
        file.read()


def test_limits_are_the_callers() -> None:
    data = in_zip(FILES.items())
    total = sum(map(len, FILES.values()))
    assert verify(data, limits=Limits(total_bytes=total)) == []
    assert codes(verify(data, limits=Limits(total_bytes=total - 1))) == [("bundle-too-large", None)]
    assert verify(data, limits=Limits(members=len(FILES))) == []
    assert codes(verify(data, limits=Limits(members=len(FILES) - 1))) == [("bundle-too-large", None)]
    assert codes(verify(data, limits=Limits(manifest_bytes=10))) == [("bundle-too-large", "bundle.json")]
    bomb = hostile(Raw(b"native/b", BOMB, deflated(BOMB)))
    assert codes(verify(bomb, limits=Limits(ratio=10_000))) == [("bundle-file-unlisted", "native/b")]


def test_an_archive_that_becomes_shorter_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "b.zip"
    path.write_bytes(in_zip(FILES.items(), zipfile.ZIP_STORED))
    with Bundle.open(path) as bundle:
        path.write_bytes(b"")
        with pytest.raises(BundleError, match="shorter"):
            bundle.read(LOG)


def test_several_files_are_read_at_once() -> None:
    with Bundle.open(in_zip(FILES.items())) as bundle:
        files = [(bundle.open_file(path), data) for path, data in FILES.items()]
        read = [b""] * len(files)
        for _ in range(max(map(len, FILES.values())) // 100 + 1):
            for i, (file, _data) in enumerate(files):
                read[i] += file.read(100)
    assert read == [data for _, data in files]


ARCHIVE = in_zip(FILES.items())
SPANS = st.tuples(st.integers(0, len(ARCHIVE)), st.integers(0, 12), st.binary(max_size=12))


@settings(max_examples=400)
@given(st.lists(SPANS, min_size=1, max_size=3))
def test_no_mutation_ends_in_anything_but_a_finding(spans: list[tuple[int, int, bytes]]) -> None:
    data = ARCHIVE
    for at, length, new in spans:
        data = data[:at] + new + data[at + length :]
    try:
        findings = verify(data)
    except SourceError:
        return
    if not findings:
        assert contents(data) == FILES


@given(st.binary(max_size=300))
def test_an_end_of_archive_over_random_bytes_is_a_finding(data: bytes) -> None:
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 1, 1, len(data), 4, 0)
    assert verify(b"PK\3\4" + data + end)
