"""Which paths may stand in a bundle (spec section 9): those that name one file inside it, on every system."""

from __future__ import annotations

import unicodedata
from typing import Final

from sessionrecord.diagnostics import excerpt

__all__ = ["MANIFEST_PATH", "Paths", "path_fault"]

MANIFEST_PATH: Final = "bundle.json"
"""Where the manifest lies. [S] "Bundle"."""

_LONGEST: Final = 1024
_LONGEST_NAME: Final = 255
_DEEPEST: Final = 32
_DEVICES: Final = frozenset(
    ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"]
    + [f"{port}{n}" for port in ("COM", "LPT") for n in "0123456789¹²³"]
)
_REFUSED: Final = {"\\": "a backslash", ":": "a colon, as of a drive letter"}


def path_fault(path: str) -> str | None:
    """Why a path is refused, in words; None for one that is safe."""
    try:
        size = len(path.encode())
    except UnicodeEncodeError:
        return "the path is not Unicode text"
    if not path:
        return "the path is empty"
    if size > _LONGEST:
        return f"the path is longer than {_LONGEST} bytes"
    if path.startswith("/"):
        return "the path is absolute"
    if path.count("/") >= _DEEPEST:
        return f"the path has more than {_DEEPEST} levels"
    for char in path:
        if char in _REFUSED:
            return f"the path holds {_REFUSED[char]}"
        if unicodedata.category(char) == "Cc":
            return f"the path holds the control character U+{ord(char):04X}"
    return next(filter(None, map(_name_fault, path.split("/"))), None)


def _name_fault(name: str) -> str | None:
    if name == "..":
        return "the path leaves the bundle"
    if name in ("", "."):
        return "a part of the path is empty or a dot"
    if name[-1] in ". ":
        return "a name ends with a dot or a space, which some systems drop"
    if len(name.encode()) > _LONGEST_NAME:
        return f"a name is longer than {_LONGEST_NAME} bytes"
    if name.partition(".")[0].rstrip(" ").upper() in _DEVICES:
        return "a name is that of a device on some systems"
    return None


class Paths:
    """Paths of files, of which no two are one file on a system that folds case or composes letters."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._files: set[str] = set()

    def add_directory(self, path: str) -> str | None:
        """Take a directory in; says why it cannot stand beside the others, or None."""
        if self._key(path) in self._files:
            return f"{excerpt(self._names[self._key(path)])} is a file and a directory"
        return self._add_parents(f"{path}/")

    def add(self, path: str) -> str | None:
        """Take a file in; says why it cannot stand beside the others, or None."""
        key = self._key(path)
        if key in self._names:
            other = self._names[key]
            return (
                "the path is there twice"
                if other == path
                else f"the path differs from {excerpt(other)} only by case or form"
            )
        fault = self._add_parents(path)
        if fault is None:
            self._names[key] = path
            self._files.add(key)
        return fault

    def _add_parents(self, path: str) -> str | None:
        end = path.find("/")
        while end >= 0:
            parent = path[:end]
            key = self._key(parent)
            if key in self._files:
                return f"{excerpt(self._names[key])} is a file and a directory"
            other = self._names.setdefault(key, parent)
            if other != parent:
                return f"the directory differs from {excerpt(other)} only by case or form"
            end = path.find("/", end + 1)
        return None

    @staticmethod
    def _key(path: str) -> str:
        # canonical caseless matching, Unicode 3.13 D145
        return unicodedata.normalize("NFD", unicodedata.normalize("NFD", path).casefold())
