"""The conformance corpus: small streams, and what a reader has to find in each. Imports nothing of `sessionrecord`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Case", "Finding", "Repaired", "Strict", "cases", "root"]


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

    @classmethod
    def of(cls, members: Any) -> Finding:
        """A finding from a JSON object: an absent or null line or pointer is 0 or empty."""
        return cls(members.get("line") or 0, members["code"], members["severity"], members.get("pointer") or "")


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


def root() -> Path:
    """The folder with `manifest.json` and `streams/`."""
    here = Path(__file__).resolve().parent
    installed = here / "corpus"
    return installed if installed.is_dir() else here.parent.parent / "tests" / "corpus"


def cases() -> list[Case]:
    """All cases in their order."""
    folder = root()
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    return [_case(folder, entry) for entry in manifest["cases"]]


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
