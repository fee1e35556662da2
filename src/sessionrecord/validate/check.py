"""Validation of a source, at a level (spec section 10)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from sessionrecord.diagnostics import Diagnostic
from sessionrecord.lines import ByteSource, read_lines
from sessionrecord.records import read_record
from sessionrecord.session import Session
from sessionrecord.validate.report import ValidationReport

__all__ = ["source_name", "validate"]


def validate(
    source: ByteSource, *, level: Literal["record", "stream"] = "stream", name: str | None = None
) -> ValidationReport:
    """Check a source and report everything found, in one pass.

    Level `stream`: each record, and what only the stream shows: header, order, identity, structure, promises. Level `record`: each
    line by the rules of its record alone, so that a piece of a stream can be checked. `name` stands for the source in the report.

    Raises `SourceError` if the source cannot be read. Bad input is never raised, but reported.
    """
    name = source_name(source) if name is None else name
    if level == "record":
        found = list(_each_line(source))
        return ValidationReport(name, level, len(found), tuple(d for line in found for d in line))
    session = Session.read(source)
    return ValidationReport(name, level, len(session), tuple(_once(session.diagnostics)))


def source_name(source: ByteSource) -> str | None:
    """What a source is called; None for bytes and files without a name."""
    if isinstance(source, str | os.PathLike):
        return os.fspath(source)
    name = getattr(source, "name", None)
    return name if isinstance(name, str) else None


def _each_line(source: ByteSource) -> Iterator[list[Diagnostic]]:
    for line in read_lines(source):
        if line.data.strip():
            found = read_record(line.data)[1]
            yield [replace(d, line=line.number, offset=line.offset) for d in found]


def _once(found: list[Diagnostic]) -> Iterator[Diagnostic]:
    """A torn last line is one finding: that it is no JSON says the same."""
    torn = {d.line for d in found if d.code == "line-torn"}
    for d in found:
        if d.line not in torn or d.code not in ("json-invalid", "utf8-invalid"):
            yield d
