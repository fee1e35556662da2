"""Each line of a log becomes a record, or the report says what became of it."""

from __future__ import annotations

from collections.abc import Iterable

from sessionrecord.convert.report import Conversion, ConversionReport
from sessionrecord.convert.testing.native import lines_of
from sessionrecord.convert.testing.sample import Sample, fail, named, streams

__all__ = ["account", "check_accounting", "said_of"]


def check_accounting(sample: Sample) -> None:
    """The report counts each unit once, and each line gave a record, is part of one, or is named in the report."""
    account(sample.run(), sample.data(), "the log")


def account(conversion: Conversion, data: bytes, what: str) -> None:
    """The same for a conversion of some bytes."""
    report = conversion.report
    count = len(lines_of(data))
    if report.lines_read != count:
        fail(f"{what}: the report tells of {report.lines_read} lines, and there are {count}")
    for part in _reports(report):
        told = part.converted.total() + part.kept.total() + part.unknown.total() + len(part.not_converted)
        if told != part.units_read:
            fail(
                f"{what}: the report accounts for {told} of {part.units_read} units: "
                "converted, kept, unknown and not_converted do not add up"
            )
    if report.units_read < count:
        fail(f"{what}: the report tells of {report.units_read} units in {count} lines")
    for name, records in streams(conversion):
        for record in records:
            line = (
                None if record.source is None or record.source.path not in (None, report.source) else record.source.line
            )
            if line is not None and not 1 <= line <= count:
                fail(f"{what}: {name}, {named(record)}: there are {count} lines")
    silent = sorted(set(range(1, count + 1)) - said_of(conversion))
    if silent:
        fail(
            f"{what}: line {silent[0]} is silently gone ({len(silent)} such): no record has it as source.line, and the report "
            "has it neither in merged nor in not_converted"
        )


def said_of(conversion: Conversion) -> set[int]:
    """The lines that a record or the report tells of."""
    report = conversion.report
    said = {
        record.source.line
        for _, records in streams(conversion)
        for record in records
        if record.source is not None and record.source.line is not None and record.source.path in (None, report.source)
    }
    said |= {line for line, home in report.merged.items() if home in said}
    return said | {u.line for u in report.not_converted}


def _reports(report: ConversionReport) -> Iterable[ConversionReport]:
    yield report
    yield from report.children.values()
