"""The checks of the corpus: of `sessionrecord` itself, of a command, or of a function that a hook gives."""

from __future__ import annotations

import json
import shlex
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from sessionrecord_corpus import BundleCase, Case, Finding

if TYPE_CHECKING:
    from sessionrecord import Diagnostic

__all__ = ["Check", "MismatchError", "Validator", "checks_of_command", "checks_of_package", "checks_of_validator"]

Check: TypeAlias = Callable[[], None]
"""Raises `MismatchError` where the expectation is not met."""
Validator: TypeAlias = Callable[[Path], Iterable[Any]]
"""Path of a stream or bundle to its findings: JSON objects with `line`, `code`, `severity` and `pointer`, in a bundle `path` too."""


class MismatchError(Exception):
    """What was found is not what the corpus expects."""


def checks_of_validator(case: Case | BundleCase, validator: Validator) -> dict[str, Check]:
    """Name to check, of an implementation that gives its findings."""
    if isinstance(case, BundleCase):
        return {"bundle": lambda: _in_bundle(case, validator)}
    return {"tolerant": lambda: _compare(case, case.tolerant, map(Finding.of, validator(case.path)))}


def _in_bundle(case: BundleCase, validator: Validator) -> None:
    with case.materialized() as path:
        _compare(case, case.findings, map(Finding.in_bundle, validator(path)))


def checks_of_command(case: Case | BundleCase, command: str) -> dict[str, Check]:
    """The same for a command, to which the path of stream or bundle is added. It prints a JSON object with `findings`."""
    return checks_of_validator(case, partial(_run, command))


def _run(command: str, path: Path) -> Any:
    done = subprocess.run([*shlex.split(command), str(path)], capture_output=True, check=False)
    try:
        return json.loads(done.stdout)["findings"]
    except (ValueError, KeyError, TypeError) as e:
        raise MismatchError(
            f"the command ended with {done.returncode} and printed no findings ({e!r}); it said: {done.stderr[-500:]!r}"
        ) from e


def checks_of_package(case: Case | BundleCase) -> dict[str, Check]:
    """The checks of `sessionrecord`.

    Of a stream: reading tolerantly and strictly, and repair where the case tells what that saves. Of a bundle: validating it, and
    reading each of its files.
    """
    if isinstance(case, BundleCase):
        return {**checks_of_validator(case, _validate_bundle), "readable": lambda: _readable(case)}
    checks: dict[str, Check] = {"tolerant": lambda: _tolerant(case), "strict": lambda: _strict(case)}
    if case.repaired is not None:
        checks["repaired"] = lambda: _repaired(case)
    return checks


def _tolerant(case: Case) -> None:
    from sessionrecord.validate import validate

    _compare(case, case.tolerant, _found(validate(case.path).diagnostics))


def _strict(case: Case) -> None:
    from sessionrecord import Session, StreamError

    try:
        Session.read(case.path, strict=True)
    except StreamError as e:
        first = min(f.line for f in _found(e.diagnostics) if f.severity == "error")
        if case.strict is None or first != case.strict.line:
            raise MismatchError(f"{case.name}: refused for line {first}, expected {case.strict}") from None
    else:
        if case.strict is not None:
            raise MismatchError(f"{case.name}: accepted, expected {case.strict}")


def _repaired(case: Case) -> None:
    from sessionrecord import Session, SourceError
    from sessionrecord.validate import repair

    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "repaired.jsonl"
        got: tuple[tuple[str | None, ...] | None, tuple[int, ...]]
        try:
            report = repair(case.path, target)
        except SourceError:
            got = None, ()
        else:
            ids = tuple(r.id for r in Session.read(target.read_bytes()).records)
            got = ids, tuple(a.line for a in report.actions if a.action == "put-aside")
    want = case.repaired
    if want is None or got != (want.ids, want.aside):
        raise MismatchError(f"{case.name}: repair gives {got}, expected {want}")


def _validate_bundle(path: Path) -> Iterable[Any]:
    from sessionrecord.validate import validate

    return [d.to_dict() for d in validate(path, level="bundle").diagnostics]


def _readable(case: BundleCase) -> None:
    from sessionrecord.bundle import Bundle
    from sessionrecord.errors import BundleError

    got: tuple[str, ...] | None = None
    with case.materialized() as path, suppress(BundleError), Bundle.open(path) as bundle:
        got = ()
        for _, entry in bundle.manifest.entries():
            with suppress(BundleError):
                bundle.read(entry)
                got += (entry.path,)
    if got != case.readable:
        raise MismatchError(f"{case.name} ({case.about}): {got} can be read, expected {case.readable}")


def _found(diagnostics: Iterable[Diagnostic]) -> Iterator[Finding]:
    return (Finding.of(d.to_dict()) for d in diagnostics)


def _compare(case: Case | BundleCase, expected: Iterable[Finding], found: Iterable[Finding]) -> None:
    got, want = sorted(found), sorted(expected)
    if got != want:
        extra = [f for f in got if f not in want] or ([] if len(got) <= len(want) else got)
        lacking = [f for f in want if f not in got]
        raise MismatchError(f"{case.name} ({case.about}): not expected {extra}, not found {lacking}")
