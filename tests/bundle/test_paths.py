"""Paths of a bundle. Our table, section 9: relative, `/`-separated, no `..`, drive letters, device names or colliding names."""

from __future__ import annotations

import ntpath
import os.path
import re
import unicodedata
from pathlib import PurePosixPath, PureWindowsPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessionrecord.bundle.paths import Paths, path_fault

SAFE = [
    "bundle.json",
    "a",
    "native/a b.txt",
    "blobs/" + "0" * 64,
    ".hidden",
    "a/..b/c",
    "ü/日本.jsonl",
    "console.log",
    "com",
    "a=b",
]
REFUSED = {
    "": "empty",
    "/etc/passwd": "absolute",
    "//server/share": "absolute",
    "..": "leaves",
    "../a": "leaves",
    "a/../../b": "leaves",
    "a/..": "leaves",
    ".": "dot",
    "./a": "dot",
    "a/./b": "dot",
    "a//b": "empty or a dot",
    "a/": "empty or a dot",
    "C:/a": "drive letter",
    "c:a": "drive letter",
    "a/d:/b": "drive letter",
    "a:stream": "colon",
    "..\\a": "backslash",
    "a\\b": "backslash",
    "a\0b": "control",
    "a\nb": "control",
    "a\x7f": "control",
    "\x85": "control",
    "a.": "dot or a space",
    "a /b": "dot or a space",
    "CON": "device",
    "nul.txt": "device",
    "a/Com1.tar.gz": "device",
    "lpt¹": "device",
    "aux .txt": "device",
    "CONIN$": "device",
    "a\udc80": "not Unicode",
    "x" * 256: "a name is longer",
    "é" * 128: "a name is longer",
    "/".join(["x" * 200] * 6): "longer than 1024",
    "/".join("x" * 33): "32 levels",
}


@pytest.mark.parametrize("path", SAFE)
def test_a_plain_path_is_safe(path: str) -> None:
    assert path_fault(path) is None


@pytest.mark.parametrize("path", REFUSED, ids=lambda p: repr(p)[:20])
def test_a_path_that_is_no_plain_name_everywhere_is_refused_with_the_reason(path: str) -> None:
    fault = path_fault(path)
    assert fault is not None
    assert REFUSED[path] in fault


parts = st.one_of(
    st.sampled_from(
        ["..", ".", "", "a", "A", "con", "nul.x", "c:", "C:\\", "~", " ", "b ", "\\", "/", "é", "e\u0301", "ß", "SS"]
    ),
    st.text(max_size=3),
)


def reserved(path: str) -> bool:
    """Whether Windows takes a name for a device, as Python sees it."""
    name = re.sub('[<>"|?*]', "x", path)  # wildcards name no device
    judge = getattr(ntpath, "isreserved", None)  # from Python 3.13 on
    return bool(PureWindowsPath(name).is_reserved() if judge is None else judge(name))


@given(st.lists(parts, min_size=1, max_size=5).map("/".join))
def test_a_safe_path_stays_inside_on_every_system(path: str) -> None:
    """What Python's own rules for POSIX and Windows make of a path, as the judge."""
    if path_fault(path) is None:
        windows = PureWindowsPath("C:/root", path)
        assert windows.parts[:2] == ("C:\\", "root")
        assert len(windows.parts) == 2 + len(path.split("/"))
        assert not reserved(path)
        assert PurePosixPath("/root", path).parts[:2] == ("/", "root")
        assert os.path.normpath(f"/root/{path}") == f"/root/{path}"


def folded(path: str) -> str:
    return unicodedata.normalize("NFD", unicodedata.normalize("NFD", path).casefold())


@given(
    st.lists(
        st.lists(st.sampled_from(["a", "A", "b", "é", "e\u0301", "ß", "ss"]), min_size=1, max_size=3).map("/".join)
    )
)
def test_accepted_paths_make_a_tree_that_every_file_system_can_hold(candidates: list[str]) -> None:
    """A tree built naively: each folded path is one file or one directory, spelled one way."""
    paths = Paths()
    accepted = [p for p in candidates if paths.add(p) is None]
    spelled: dict[str, str] = {}
    for path in accepted:
        names = path.split("/")
        for n in range(1, len(names) + 1):
            head = "/".join(names[:n])
            assert spelled.setdefault(folded(head), head) == head
    directories = {folded("/".join(p.split("/")[:n])) for p in accepted for n in range(1, p.count("/") + 1)}
    assert len({folded(p) for p in accepted}) == len(accepted)
    assert directories.isdisjoint(folded(p) for p in accepted)


def test_the_first_of_colliding_paths_is_named() -> None:
    paths = Paths()
    assert paths.add("A/b") is None
    assert paths.add("A/b") == "the path is there twice"
    assert "'A/b'" in (paths.add("A/B") or "")
    assert "'A'" in (paths.add("a/c") or "")
    assert "'A/b' is a file and a directory" in (paths.add("A/b/c") or "")
    assert paths.add_directory("A") is None
    assert paths.add_directory("A/x") is None
    assert "'A/b' is a file and a directory" in (paths.add_directory("A/b") or "")
    assert paths.add("A/x") is not None
