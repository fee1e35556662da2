"""What is found in a bundle: a diagnostic that also names the file."""

from __future__ import annotations

from dataclasses import dataclass

from sessionrecord.diagnostics import CODES, Diagnostic, excerpt
from sessionrecord.errors import BundleError

__all__ = ["BundleDiagnostic", "found", "in_file", "reasons", "refusal"]


@dataclass(frozen=True, slots=True)
class BundleDiagnostic(Diagnostic):
    """One finding in a bundle. `pointer` is a place in the manifest, or in a record of the stream at `path` where `line` is given."""

    path: str | None = None
    """The file's path in the bundle; None for the bundle as a whole."""

    def __str__(self) -> str:
        place = "" if self.path is None else f"{excerpt(self.path, 120)}: "
        return f"{place}{Diagnostic.__str__(self)}"


def found(
    code: str, message: str, path: str | None = None, *, pointer: str | None = None, line: int | None = None
) -> BundleDiagnostic:
    """A finding with the severity that `CODES` gives its code."""
    info = CODES[code]
    return BundleDiagnostic(
        code, info.severity, message, line=line, pointer=pointer, requirement=info.requirement, path=path
    )


def refusal(code: str, message: str, path: str | None = None) -> BundleError:
    """The error to raise for one finding."""
    return BundleError([found(code, message, path)])


def reasons(error: BundleError) -> list[BundleDiagnostic]:
    """The findings that an error of ours carries."""
    return [d for d in error.diagnostics if isinstance(d, BundleDiagnostic)]


def in_file(diagnostic: Diagnostic, path: str) -> BundleDiagnostic:
    """The same finding, naming the file of the bundle that it was made in."""
    d = diagnostic
    return BundleDiagnostic(
        d.code, d.severity, d.message, d.line, d.offset, d.pointer, d.record_id, d.requirement, path=path
    )
