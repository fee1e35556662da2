"""The conformance corpus: small streams and bundles, and what a reader has to find in each. Imports nothing of `sessionrecord`."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

__all__ = ["BundleCase", "Case", "Finding", "Repaired", "Strict", "bundles", "cases", "root"]


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """One thing to be found."""

    line: int
    """Line in the stream, from 1; 0 where it is about the file."""
    code: str
    """The diagnostic code."""
    severity: str
    """`error`, `warning` or `info`."""
    pointer: str
    """JSON Pointer of the member; empty where it is about the line."""
    path: str = ""
    """The file in the bundle; empty where it is about the bundle as a whole, and in a stream."""

    @classmethod
    def of(cls, members: Any) -> Finding:
        """A finding from a JSON object: an absent or null line or pointer is 0 or empty."""
        return cls(members.get("line") or 0, members["code"], members["severity"], members.get("pointer") or "")

    @classmethod
    def in_bundle(cls, members: Any) -> Finding:
        """The same with its path, which may be absent or null too."""
        return replace(cls.of(members), path=members.get("path") or "")


@dataclass(frozen=True, slots=True)
class Strict:
    """Where a reader that accepts no error ends."""

    line: int
    """Line of the first error; 0 where it is about the file."""
    codes: frozenset[str]
    """The codes of the errors there."""


@dataclass(frozen=True, slots=True)
class Repaired:
    """What a repair saves."""

    ids: tuple[str, ...] | None
    """IDs of the records in the repaired stream, in order; None where there is no header to begin one with."""
    aside: tuple[int, ...]
    """Lines of which nothing is saved."""


@dataclass(frozen=True, slots=True)
class Case:
    """One stream and what is expected of it."""

    name: str
    """The case's name, unique."""
    path: Path
    """The stream."""
    about: str
    """What it shows, in a sentence."""
    kind: str
    """`valid`, `invalid`, or `recoverable`: invalid, and it is said what a repair saves."""
    tolerant: tuple[Finding, ...]
    """What a reader that goes on finds, in no order."""
    strict: Strict | None
    """Where a strict reader ends; None where it accepts the stream."""
    below_schema: frozenset[int]
    """Lines whose fault is in bytes or literals, where a JSON Schema need not see it."""
    repaired: Repaired | None
    """What a repair saves, where that is told."""


@dataclass(frozen=True, slots=True)
class BundleCase:
    """One bundle and what is expected of it."""

    name: str
    """The case's name, unique among the bundles."""
    path: Path
    """The bundle: a folder, a zip or a tar archive."""
    about: str
    """What it shows, in a sentence."""
    kind: str
    """`valid`, `invalid`: it is refused as a whole, or `recoverable`: it opens, and something in it is wrong."""
    findings: tuple[Finding, ...]
    """What a reader finds that checks every file and every stream, in no order."""
    readable: tuple[str, ...] | None
    """The files of the manifest that can be read whole, in its order; None where the bundle is refused."""
    manifest: bool | None
    """Whether a JSON Schema takes `bundle.json`; None where that is not asked."""
    links: dict[str, str]
    """Symbolic links that belong into the folder and cannot be kept there: path to target."""

    @contextmanager
    def materialized(self) -> Iterator[Path]:
        """The bundle with its links, in a folder that is removed at the end. Raises `OSError` where no links can be made."""
        if not self.links:
            yield self.path
            return
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder, self.path.name)
            shutil.copytree(self.path, copy)
            for path, target in self.links.items():
                (copy / path).parent.mkdir(exist_ok=True)
                (copy / path).symlink_to(target)
            yield copy


def root() -> Path:
    """The folder with `manifest.json`, `streams/` and `bundles/`."""
    here = Path(__file__).resolve().parent
    installed = here / "corpus"
    return installed if installed.is_dir() else here.parent.parent / "tests" / "corpus"


def cases() -> list[Case]:
    """All streams in their order."""
    return [_case(root(), entry) for entry in _manifest()["cases"]]


def bundles() -> list[BundleCase]:
    """All bundles in their order."""
    return [_bundle(root(), entry) for entry in _manifest()["bundles"]]


def _manifest() -> dict[str, Any]:
    made: dict[str, Any] = json.loads((root() / "manifest.json").read_text(encoding="utf-8"))
    return made


def _case(folder: Path, entry: dict[str, Any]) -> Case:
    strict, repaired = entry["strict"], entry.get("repaired")
    return Case(
        entry["name"],
        folder / entry["file"],
        entry["about"],
        entry["kind"],
        tuple(map(Finding.of, entry["tolerant"])),
        None if strict is None else Strict(strict["line"] or 0, frozenset(strict["codes"])),
        frozenset(entry["below_schema"]),
        None
        if repaired is None
        else Repaired(None if repaired["ids"] is None else tuple(repaired["ids"]), tuple(repaired["aside"])),
    )


def _bundle(folder: Path, entry: dict[str, Any]) -> BundleCase:
    return BundleCase(
        entry["name"],
        folder / entry["file"],
        entry["about"],
        entry["kind"],
        tuple(map(Finding.in_bundle, entry["findings"])),
        None if entry["readable"] is None else tuple(entry["readable"]),
        entry["manifest"],
        entry.get("links", {}),
    )
