"""The bytes of a resource: where they come from, what is refused (specification sections 1.5 and 1.1)."""

from __future__ import annotations

import base64
import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sessionrecord.asif.resources import ResourceBytes, ResourceStore, resource_bytes


@dataclass(frozen=True)
class Resource:
    id: str = "r"
    availability: str = "embedded"
    text: str | None = None
    data: str | None = None
    path: str | None = None
    bytes: int | None = None
    sha256: str | None = None


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def of_bytes(data: bytes, **members: str) -> Resource:
    return Resource(data=base64.b64encode(data).decode(), bytes=len(data), sha256=digest(data), **members)


def codes(found: ResourceBytes) -> list[tuple[str, str | None]]:
    assert (found.data is None) == bool(found.findings)
    assert all(str(f).isprintable() for f in found.findings)
    return [(f.code, f.pointer) for f in found.findings]


@given(st.text(st.characters(codec="utf-8")))
def test_text_gives_its_utf8_bytes(text: str) -> None:
    data = text.encode()
    assert resource_bytes(Resource(text=text, bytes=len(data), sha256=digest(data))).data == data


@given(st.binary())
def test_data_gives_the_bytes_that_base64_encodes(data: bytes) -> None:
    assert resource_bytes(of_bytes(data)).data == data


def test_path_gives_the_bytes_of_a_file_below_the_folder(tmp_path: Path) -> None:
    (tmp_path / "files" / "ü.d").mkdir(parents=True)
    (tmp_path / "files" / "ü.d" / "a b.bin").write_bytes(b"\x00\xff")
    resource = Resource(path="files/ü.d/a b.bin", bytes=2, sha256=digest(b"\x00\xff"))
    assert resource_bytes(resource, tmp_path).data == b"\x00\xff"


@pytest.mark.parametrize("availability", ["external", "unavailable", "excluded", "redacted", "unknown"])
def test_a_resource_that_is_not_embedded_has_no_bytes_and_nothing_to_report(availability: str) -> None:
    assert resource_bytes(Resource(availability=availability, text="kept out")) == ResourceBytes()


def test_an_embedded_resource_that_holds_nothing_has_no_bytes() -> None:
    """That exactly one of text, data and path is there is a rule of the resource's members."""
    assert resource_bytes(Resource(bytes=0)) == ResourceBytes()


@given(st.text("QUIx09+/=-_ \n\u00e9", max_size=12))
@example("QUJD====")
@example("QQ==QQ==")
@example("====")
@example("Q===")
@example("QQ= =")
@example("")
def test_base64_is_the_standard_alphabet_in_padded_groups_and_nothing_else(text: str) -> None:
    """Padding is required, white space refused; the grammar of RFC 4648, section 4."""
    strict = re.fullmatch("(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?", text) is not None
    found = resource_bytes(Resource(data=text))
    assert (found.data is not None) == strict
    assert codes(found) == ([] if strict else [("resource-base64-invalid", "/data")])


@pytest.mark.parametrize(
    ("text", "words"),
    [("QQ==\n", "white space at character 4"), ("QQ= =", "white space"), ("QQ", "padding"), ("QQ-_", "base64")],
)
def test_what_is_wrong_with_base64_is_said(text: str, words: str) -> None:
    assert words in resource_bytes(Resource(data=text)).findings[0].message


def test_a_count_and_a_digest_that_differ_are_both_reported_and_no_bytes_are_given() -> None:
    other = digest(b"abd")
    found = resource_bytes(Resource(text="abc", bytes=4, sha256=other))
    assert codes(found) == [("resource-size-mismatch", "/bytes"), ("resource-digest-mismatch", "/sha256")]
    assert codes(resource_bytes(Resource(text="abc", bytes=2, sha256=digest(b"abc")))) == [
        ("resource-size-mismatch", "/bytes")
    ]
    assert codes(resource_bytes(Resource(text="abc", bytes=3, sha256=digest(b"abc").upper()))) == [
        ("resource-digest-mismatch", "/sha256")
    ]


def test_the_count_is_of_decoded_bytes_not_of_characters() -> None:
    assert resource_bytes(Resource(text="é", bytes=2, sha256=digest("é".encode()))).data == "é".encode()
    assert codes(resource_bytes(Resource(text="é", bytes=1))) == [("resource-size-mismatch", "/bytes")]


def test_text_that_utf8_cannot_hold_is_refused() -> None:
    assert codes(resource_bytes(Resource(text="a\ud800"))) == [("lone-surrogate", "/text")]


UNSAFE = [
    "", "/etc/passwd", "//host/share", "\\\\host\\share", "..", "../secret", "a/../../secret", "a/..", "./a", "a/./b", "a//b",
    "a/", "C:/secret", "C:secret", "file:secret", "a:stream", "a\\b", "..\\secret", "a/" * 3000 + "b",
]  # fmt: skip
NONPORTABLE = ["nul", "CON", "a/aux.txt", "COM1", "lpt9.log", "a ", "a.", "a/b./c", "a\0b", "a\nb", "a?", 'a"b', "a|b"]


@pytest.mark.parametrize("path", UNSAFE, ids=ascii)
def test_a_path_that_may_leave_the_folder_is_refused(path: str, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "in" / "a").mkdir(parents=True)
    found = resource_bytes(Resource(path=path, bytes=6, sha256=digest(b"secret")), tmp_path / "in")
    assert codes(found) == [("resource-path-unsafe", "/path")]


@pytest.mark.parametrize("path", NONPORTABLE, ids=ascii)
def test_a_path_that_some_systems_read_otherwise_is_refused(path: str, tmp_path: Path) -> None:
    assert codes(resource_bytes(Resource(path=path), tmp_path)) == [("resource-path-nonportable", "/path")]


@pytest.mark.parametrize("path", ["console", "com10", "nulls.txt", "..a", "a..b", ".hidden", "…", "a b"])
def test_a_name_that_only_looks_like_one_of_these_is_read(path: str, tmp_path: Path) -> None:
    (tmp_path / path).write_bytes(b"x")
    assert resource_bytes(Resource(path=path), tmp_path).data == b"x"


posix = pytest.mark.skipif(os.name != "posix", reason="links and pipes of POSIX")


@posix
@pytest.mark.parametrize("target", ["../outside", "inside"])
def test_a_symbolic_link_is_refused_wherever_it_leads(target: str, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "f").write_text("secret")
    folder = tmp_path / "doc"
    (folder / "inside").mkdir(parents=True)
    (folder / "inside" / "f").write_text("mine")
    (folder / "link").symlink_to(target, target_is_directory=True)
    (folder / "file").symlink_to(f"{target}/f")
    for path in ("link/f", "file"):
        assert codes(resource_bytes(Resource(path=path), folder)) == [("resource-path-unsafe", "/path")]


@posix
def test_what_leads_outside_is_refused_even_if_the_system_calls_it_no_link(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as a junction."""
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "doc").mkdir()
    (tmp_path / "doc" / "f").symlink_to("../secret")
    monkeypatch.setattr(Path, "is_symlink", lambda _: False)
    found = resource_bytes(Resource(path="f"), tmp_path / "doc")
    assert codes(found) == [("resource-path-unsafe", "/path")]
    assert "leaves" in found.findings[0].message


@posix
def test_the_folder_itself_may_be_reached_by_a_link(tmp_path: Path) -> None:
    """The folder is the caller's choice; only what the document names is restricted."""
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "f").write_bytes(b"x")
    (tmp_path / "alias").symlink_to("real", target_is_directory=True)
    assert resource_bytes(Resource(path="f"), tmp_path / "alias").data == b"x"


@posix
def test_a_pipe_is_refused_and_nobody_waits_for_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert codes(resource_bytes(Resource(path="pipe"), tmp_path)) == [("resource-file-unreadable", "/path")]


@pytest.mark.parametrize("path", ["missing", "folder", "file/below", "x" * 3000])
def test_a_file_that_cannot_be_read_is_a_finding(path: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("x")
    assert codes(resource_bytes(Resource(path=path), tmp_path)) == [("resource-file-unreadable", "/path")]


def test_a_path_without_a_folder_to_look_in_is_a_finding() -> None:
    assert codes(resource_bytes(Resource(path="a"))) == [("resource-file-unreadable", "/path")]


@given(st.text(max_size=12))
def test_no_path_raises(tmp_path_factory: pytest.TempPathFactory, path: str) -> None:
    codes(resource_bytes(Resource(path=path), tmp_path_factory.getbasetemp()))


def test_the_limit_is_the_decoded_size_whatever_the_bytes_come_from(tmp_path: Path) -> None:
    """64 MiB for one resource by default; here the same rule at 6 bytes."""
    (tmp_path / "six").write_bytes(b"abcdef")
    (tmp_path / "seven").write_bytes(b"abcdefg")
    fits = [Resource(text="ééé"), Resource(data="YWJjZGVm"), Resource(data="YWJjZGU="), Resource(path="six")]
    beyond = [Resource(text="éééé"), Resource(text="1234567"), Resource(data="YWJjZGVmZw=="), Resource(path="seven")]
    assert all(resource_bytes(r, tmp_path, limit=6).data is not None for r in fits)
    assert [codes(resource_bytes(r, tmp_path, limit=6)) for r in beyond] == [
        [("limit-exceeded", place)] for place in ("/text", "/text", "/data", "/path")
    ]
    assert all(resource_bytes(r, tmp_path, limit=None).data is not None for r in beyond)


def test_a_text_of_64_mib_is_the_largest_by_default() -> None:
    text = "x" * (64 * 2**20)
    assert resource_bytes(Resource(text=text)).data is not None
    assert codes(resource_bytes(Resource(text=text + "x"))) == [("limit-exceeded", "/text")]


def test_a_store_decodes_each_resource_once_and_counts_all_of_them() -> None:
    """256 MiB for all embedded resources by default; here the same rule at 5 bytes."""
    store = ResourceStore(
        [Resource("a", text="abc"), Resource("b", text="de"), Resource("c", text="f"), Resource("a", text="other")],
        total_limit=5,
    )
    first = store.get("a")
    assert first is not None
    assert first.data == b"abc"
    assert store.get("a") is first
    second = store.get("b")
    assert second is not None
    assert second.data == b"de"
    third = store.get("c")
    assert third is not None
    assert codes(third) == [("limit-exceeded", "")]
    assert "in all" in third.findings[0].message
    assert store.get("d") is None


def test_a_store_without_limits_has_none_and_a_resource_keeps_its_own_limit_in_one() -> None:
    resources = [of_bytes(b"abc", id="a"), of_bytes(b"abcd", id="b")]
    free = ResourceStore(resources, limit=None, total_limit=None)
    assert [found.data for r in resources if (found := free.get(r.id))] == [b"abc", b"abcd"]
    bound = ResourceStore(resources, limit=3)
    assert [codes(found) for r in resources if (found := bound.get(r.id))] == [[], [("limit-exceeded", "/data")]]
