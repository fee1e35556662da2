"""Validation of a source, at a level (spec section 10)."""

from __future__ import annotations

import os
from dataclasses import replace

from sessionrecord.bundle import Bundle
from sessionrecord.bundle.findings import in_file
from sessionrecord.bundle.verify import check_bundle
from sessionrecord.diagnostics import Diagnostic
from sessionrecord.errors import BundleError
from sessionrecord.lines import BLANKS, BrokenOff, ByteSource, read_lines
from sessionrecord.records import read_record
from sessionrecord.session import Session
from sessionrecord.validate.report import Level, ValidationReport

__all__ = ["source_name", "validate"]


def validate(source: ByteSource, *, level: Level = "stream", name: str | None = None) -> ValidationReport:
    """Check a source and report everything found, in one pass.

    Level `stream`: each record, and what only the stream shows: header, order, identity, structure, promises. Level `record`: each
    line by the rules of its record alone, so that a piece of a stream can be checked. Level `bundle`: the bundle's files, and each
    of its streams as a stream; findings are `BundleDiagnostic`s that name the file. `name` stands for the source in the report.

    Raises `SourceError` if the source cannot be read. Bad input is never raised, but reported.
    """
    name = source_name(source) if name is None else name
    if level == "record":
        return _record_by_record(source, name)
    if level == "bundle":
        return _bundle(source, name)
    session = Session.read(source)
    return ValidationReport(name, level, len(session), tuple(session.diagnostics))


def _bundle(source: ByteSource, name: str | None) -> ValidationReport:
    try:
        bundle = Bundle.open(source)
    except BundleError as e:
        return ValidationReport(name, "bundle", 0, tuple(e.diagnostics))
    with bundle:
        found: list[Diagnostic] = list(check_bundle(bundle))
        records = 0
        for stream in bundle.streams:
            try:
                session = bundle.session(stream)
            except BundleError:  # told by the check of the files
                continue
            records += len(session)
            found += [in_file(d, stream.path) for d in session.diagnostics]
    return ValidationReport(name, "bundle", records, tuple(found))


def source_name(source: ByteSource) -> str | None:
    """What a source is called; None for bytes and files without a name."""
    if isinstance(source, str | os.PathLike):
        return os.fspath(source)
    name = getattr(source, "name", None)
    return name if isinstance(name, str) else None


def _record_by_record(source: ByteSource, name: str | None) -> ValidationReport:
    broken: list[BrokenOff] = []
    found: list[Diagnostic] = []
    records = 0
    for line in read_lines(source, broken=broken.append):
        if line.data.strip(BLANKS):
            records += 1
            found += (replace(d, line=line.number, offset=line.offset) for d in read_record(line.data)[1])
    found += (replace(Diagnostic.of("compression-broken", b.reason), offset=b.offset) for b in broken)
    return ValidationReport(name, "record", records, tuple(found))
