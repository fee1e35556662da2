"""Tar archives: those of honest writers are read, each kind of hostile one is refused with its code."""

from __future__ import annotations

import io
import tarfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessionrecord.bundle import Bundle, Limits, verify
from sessionrecord.bundle.container import SharedFile
from sessionrecord.bundle.tar import TarContainer
from sessionrecord.errors import BundleError, SourceError
from tests.bundle.samples import bundle_files, codes, in_tar, tar_member

FILES = bundle_files()
LOG = "native/log.jsonl"
FORMS = [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT]
END = bytes(1024)


def contents(data: bytes) -> dict[str, bytes]:
    opened = TarContainer(SharedFile(io.BytesIO(data), mine=True), Limits())
    found = {}
    for path in opened.sizes:
        with opened.open(path) as file:
            found[path] = file.read()
    return found


names = st.text("abcdé.-", min_size=1, max_size=6).filter(lambda n: n.strip(".") == n)
paths = st.one_of(names, st.builds("{}/{}".format, names, st.sampled_from(["x" * 90, "y" * 120, "ü" * 60])))


@given(st.dictionaries(paths, st.binary(max_size=2000), max_size=5), st.sampled_from(FORMS))
def test_what_the_standard_library_writes_is_read(files: dict[str, bytes], form: int) -> None:
    if form == tarfile.USTAR_FORMAT:
        files = {path: data for path, data in files.items() if len(path.encode()) <= 100}
    directories = {path.partition("/")[0] for path in files if "/" in path}
    files = {path: data for path, data in files.items() if path not in directories}
    assert contents(in_tar(files.items(), form)) == files


def test_a_long_path_that_ustar_splits_is_read() -> None:
    path = f"native/{'d' * 80}/{'e' * 80}"
    assert contents(in_tar([(path, b"x")], tarfile.USTAR_FORMAT)) == {path: b"x"}


def test_an_archive_of_the_current_directory_is_read() -> None:
    """What `tar -C bundle -cf b.tar .` writes."""
    members = [(tar_member("./", tarfile.DIRTYPE), b""), (tar_member("./native/", tarfile.DIRTYPE), b"")]
    data = in_tar([*members, *((f"./{path}", content) for path, content in FILES.items())])
    assert contents(data) == FILES
    assert verify(data) == []


def test_owners_and_times_in_pax_headers_are_passed_over() -> None:
    info = tar_member("native/x", mtime=1.5, uname="ü")
    data = in_tar([(info, b"abc")], pax_headers={"comment": "of all"})
    assert b"mtime" in data
    assert contents(data) == {"native/x": b"abc"}


def hostile(*extra: tarfile.TarInfo, form: int = tarfile.PAX_FORMAT) -> bytes:
    return in_tar([*FILES.items(), *((info, b"") for info in extra)], form)


def header(name: bytes, size: bytes = b"0", kind: bytes = b"0") -> bytes:
    """A header with any bytes as size, and a right checksum."""
    block = bytearray(512)
    block[: len(name)] = name
    block[100:108] = b"0000644\0"
    block[124 : 124 + len(size)] = size
    block[148:156] = b" " * 8
    block[156:157] = kind
    block[257:265] = b"ustar\x0000"
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block)


def with_block(*blocks: bytes) -> bytes:
    """The archive of a bundle, with blocks before its end mark."""
    honest = in_tar(FILES.items())
    return honest.rstrip(b"\0").ljust(-(-len(honest.rstrip(b"\0")) // 512) * 512, b"\0") + b"".join(blocks) + END


def padded(data: bytes) -> bytes:
    return data.ljust(-(-len(data) // 512) * 512, b"\0")


def pax(records: bytes, kind: bytes = b"x") -> bytes:
    return header(b"pax", b"%o" % len(records), kind) + padded(records)


LONG = b"x" * 600
REFUSED: dict[str, tuple[bytes, str]] = {
    "traversal": (hostile(tar_member("../evil")), "bundle-path-unsafe"),
    "absolute": (hostile(tar_member("/etc/passwd")), "bundle-path-unsafe"),
    "drive letter": (hostile(tar_member("c:/evil")), "bundle-path-unsafe"),
    "backslash": (hostile(tar_member("..\\evil")), "bundle-path-unsafe"),
    "control character": (hostile(tar_member("native/\x1b[2J")), "bundle-path-unsafe"),
    "dot twice": (hostile(tar_member("././native/x")), "bundle-path-unsafe"),
    "directory outside": (hostile(tar_member("../evil", tarfile.DIRTYPE)), "bundle-path-unsafe"),
    "name is no utf-8": (with_block(header(b"native/\xff")), "bundle-path-unsafe"),
    "no name": (with_block(header(b"")), "bundle-path-unsafe"),
    "symbolic link": (hostile(tar_member("native/l", tarfile.SYMTYPE, linkname="/etc/passwd")), "bundle-not-a-file"),
    "symbolic link inside": (
        hostile(tar_member("native/l", tarfile.SYMTYPE, linkname="log.jsonl")),
        "bundle-not-a-file",
    ),
    "hard link": (hostile(tar_member("native/l", tarfile.LNKTYPE, linkname=LOG)), "bundle-not-a-file"),
    "character device": (hostile(tar_member("native/d", tarfile.CHRTYPE)), "bundle-not-a-file"),
    "block device": (hostile(tar_member("native/d", tarfile.BLKTYPE)), "bundle-not-a-file"),
    "pipe": (hostile(tar_member("native/p", tarfile.FIFOTYPE)), "bundle-not-a-file"),
    "sparse file": (hostile(tar_member("native/s", tarfile.GNUTYPE_SPARSE)), "bundle-not-a-file"),
    "sparse file by pax": (hostile(tar_member("native/s", pax_headers={"GNU.sparse.major": "1"})), "bundle-not-a-file"),
    "kind of a vendor": (with_block(header(b"native/v", kind=b"V")), "bundle-not-a-file"),
    "contiguous file": (with_block(header(b"native/v", kind=b"7")), "bundle-not-a-file"),
    "directory with bytes": (with_block(header(b"native/d", b"1", b"5")), "bundle-not-a-file"),
    "duplicate": (in_tar([*FILES.items(), (LOG, b"other")]), "bundle-path-repeated"),
    "duplicate by case": (in_tar([*FILES.items(), ("native/Log.jsonl", b"")]), "bundle-path-repeated"),
    "duplicate by a dot": (in_tar([*FILES.items(), (f"./{LOG}", b"")]), "bundle-path-repeated"),
    "file and directory": (hostile(tar_member("native")), "bundle-path-repeated"),
    "long name leads outside": (hostile(tar_member("../" + "x" * 200), form=tarfile.GNU_FORMAT), "bundle-path-unsafe"),
    "pax name leads outside": (with_block(pax(b"16 path=../evil\n"), header(b"native/x")), "bundle-path-unsafe"),
    "size beyond the end": (with_block(header(b"native/x", b"7777777")), "bundle-size-false"),
    "size of the universe": (with_block(header(b"native/x", b"\x80" + b"\xff" * 11)), "bundle-size-false"),
    "negative size": (with_block(header(b"native/x", b"\xff" * 12)), "bundle-archive-invalid"),
    "size is no number": (with_block(header(b"native/x", b"12x")), "bundle-archive-invalid"),
    "size with a space in it": (with_block(header(b"native/x", b"1 2")), "bundle-archive-invalid"),
    "pax size beyond the end": (with_block(pax(b"14 size=99999\n"), header(b"native/x")), "bundle-size-false"),
    "pax size is negative": (with_block(pax(b"11 size=-1\n"), header(b"native/x")), "bundle-archive-invalid"),
    "pax header that is damaged": (with_block(pax(b"99 path=a\n"), header(b"native/x")), "bundle-archive-invalid"),
    "pax header of length 0": (with_block(pax(b"0 path=a\n"), header(b"native/x")), "bundle-archive-invalid"),
    "pax header without a sign": (with_block(pax(b"7 path\n"), header(b"native/x")), "bundle-archive-invalid"),
    "one path for all": (with_block(pax(b"10 path=a\n", b"g"), header(b"native/x")), "bundle-archive-invalid"),
    "extended header beyond the end": (with_block(header(b"pax", b"100000", b"x")), "bundle-size-false"),
    "extended header too large": (with_block(header(b"L", b"77777777", b"L")), "bundle-too-large"),
    "too many extended headers": (with_block(*[pax(b"")] * 5, header(b"native/x")), "bundle-too-large"),
    "extended header of nothing": (with_block(pax(b"")), "bundle-archive-invalid"),
    "wrong checksum": (with_block(b"x" + header(b"native/x")[1:]), "bundle-archive-invalid"),
    "checksum is no number": (
        with_block(header(b"x")[:148] + b"zzzzzzzz" + header(b"x")[156:]),
        "bundle-archive-invalid",
    ),
    "cut off in a file": (in_tar(FILES.items())[:700], "bundle-size-false"),
    "cut off in a header": (with_block(header(b"native/x"))[: -len(END) - 100], "bundle-archive-invalid"),
    "cut off before the end mark": (with_block()[: -len(END)], "bundle-archive-invalid"),
    "a second archive after the end": (in_tar(FILES.items()) + in_tar([("native/x", b"")]), "bundle-archive-invalid"),
    "no manifest": (in_tar([("native/x", b"")]), "bundle-manifest-missing"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_a_hostile_archive_is_refused_with_its_code(kind: str) -> None:
    data, code = REFUSED[kind]
    with pytest.raises(BundleError) as refused:
        Bundle.open(data)
    assert code in {d.code for d in refused.value.diagnostics}
    assert [d.code for d in verify(data)] == [d.code for d in refused.value.diagnostics]
    assert str(refused.value).isprintable()


def test_every_fault_of_an_archive_is_named() -> None:
    data = hostile(tar_member("../a"), tar_member("native/l", tarfile.SYMTYPE, linkname="x"), tar_member(LOG))
    assert codes(verify(data)) == [
        ("bundle-path-unsafe", "../a"),
        ("bundle-not-a-file", "native/l"),
        ("bundle-path-repeated", LOG),
    ]


def test_a_manifest_below_the_top_is_named() -> None:
    """What `tar -cf b.tar folder` writes."""
    findings = verify(in_tar((f"folder/{path}", data) for path, data in FILES.items()))
    assert codes(findings) == [("bundle-manifest-missing", None)]
    assert "'folder/bundle.json' is not at the top" in findings[0].message


def test_limits_are_the_callers() -> None:
    data = in_tar(FILES.items())
    assert verify(data, limits=Limits(members=len(FILES))) == []
    assert codes(verify(data, limits=Limits(members=len(FILES) - 1))) == [("bundle-too-large", None)]
    assert codes(verify(data, limits=Limits(total_bytes=100))) == [("bundle-too-large", None)]


ARCHIVE = in_tar(FILES.items())
SPANS = st.tuples(st.integers(0, len(ARCHIVE)), st.integers(0, 12), st.binary(max_size=12))


@settings(max_examples=400)
@given(st.lists(SPANS, min_size=1, max_size=3), st.booleans())
def test_no_mutation_ends_in_anything_but_a_finding(spans: list[tuple[int, int, bytes]], keep_size: bool) -> None:
    data = ARCHIVE
    for at, length, new in spans:
        data = data[:at] + new + data[at + (len(new) if keep_size else length) :]
    try:
        findings = verify(data)
    except SourceError:
        return
    if not findings:
        assert contents(data) == FILES
