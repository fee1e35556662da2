"""What a converter gives: valid streams, the same each time, from a log that stays as it was."""

from __future__ import annotations

from collections.abc import Set
from pathlib import Path

from sessionrecord.convert.report import Conversion
from sessionrecord.convert.testing.sample import Sample, fail, streams
from sessionrecord.validate import Level, validate

__all__ = ["check_deterministic", "check_input_untouched", "check_output_validates", "validated"]

_LEVELS: tuple[Level, ...] = ("record", "stream")


def check_output_validates(sample: Sample) -> None:
    """No error and no warning but those `allowed`, record by record and as a stream."""
    validated(sample.run(), "the log", allowed=sample.allowed)


def validated(
    conversion: Conversion, what: str, *, errors_only: bool = False, allowed: Set[str] = frozenset()
) -> None:  # fmt: skip
    """The same for a conversion."""
    for name, records in streams(conversion):
        data = b"".join(record.to_line() + b"\n" for record in records)
        for level in _LEVELS:
            for found in validate(data, level=level).diagnostics:
                if found.severity == "error" or (
                    found.severity == "warning" and not errors_only and found.code not in allowed
                ):
                    fail(f"{what}: {name}, record {found.line}: {found.severity} {found.code}: {found.message}")


def check_deterministic(sample: Sample) -> None:
    """The same log gives the same bytes and the same report."""
    first, second = sample.run(), sample.run()
    for (name, one), (_, other) in zip(streams(first), streams(second), strict=False):
        for a, b in zip(one, other, strict=False):
            if a.to_line() != b.to_line():
                fail(f"{name}: record {a.id} is another when the log is converted again")
    if _shape(first) != _shape(second):
        fail("the log gives other sessions, records or reports when it is converted again")


def _shape(conversion: Conversion) -> object:
    return [(name, len(records)) for name, records in streams(conversion)], conversion.report.to_dict()


def check_input_untouched(sample: Sample) -> None:
    """The log and the files beside it stay as they were, and none comes up."""
    file = sample.file
    data, before = file.read_bytes(), _files(file.parent)
    sample.run()
    after = _files(file.parent)
    changed = sorted(str(path) for path in before.keys() | after.keys() if before.get(path) != after.get(path))
    if file.read_bytes() != data:
        changed.insert(0, str(file))
    if changed:
        fail(f"converting changed {changed[0]}")


def _files(directory: Path) -> dict[Path, tuple[int, int]]:
    """Size and time of change of what a directory holds."""
    stats = [(path, path.lstat()) for path in directory.iterdir()]
    return {path: (stat.st_size, stat.st_mtime_ns) for path, stat in stats}
