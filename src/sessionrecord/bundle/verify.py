"""Checking a whole bundle: every file against the manifest, every stream against what is said of it (spec section 9)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sessionrecord import ijson
from sessionrecord.bundle.findings import BundleDiagnostic, found, reasons
from sessionrecord.bundle.limits import Limits
from sessionrecord.bundle.lines import LineReader
from sessionrecord.bundle.manifest import BundleStream, Entry
from sessionrecord.bundle.paths import MANIFEST_PATH
from sessionrecord.bundle.reader import Bundle
from sessionrecord.bundle.source import BundleSource
from sessionrecord.diagnostics import excerpt
from sessionrecord.errors import BundleError
from sessionrecord.records import Blob, CaptureBlob, InvalidRecord, SessionHeader, read_record
from sessionrecord.refs import SessionKey, SessionReference

__all__ = ["check_bundle", "verify"]


def verify(source: BundleSource, *, limits: Limits | None = None) -> list[BundleDiagnostic]:
    """Everything wrong with a bundle, in the manifest's order; empty for one that is whole and unchanged.

    A bundle that is refused gives the reasons. The records of its streams are not judged, except that the header, the number
    of records and the blobs they name must be as the manifest says. Reads each file once, in pieces; a line of more than 64 MiB is
    not searched for blobs.

    Raises `SourceError` where the source cannot be read.
    """
    try:
        bundle = Bundle.open(source, limits=limits)
    except BundleError as e:
        return reasons(e)
    with bundle:
        return check_bundle(bundle)


def check_bundle(bundle: Bundle) -> list[BundleDiagnostic]:
    """As `verify`, of a bundle that is open."""
    findings = list(bundle.diagnostics)
    hashes = {blob.sha256 for blob in bundle.blobs}
    files = bundle.files
    for _, entry in bundle.manifest.entries():
        files.pop(entry.path, None)
        findings += _check_file(bundle, entry, hashes)
    files.pop(MANIFEST_PATH, None)
    findings += [found("bundle-file-unlisted", "the manifest does not name the file", path) for path in files]
    return findings


def _check_file(bundle: Bundle, entry: Entry, hashes: set[str]) -> list[BundleDiagnostic]:
    findings: list[BundleDiagnostic] = []
    try:
        if isinstance(entry, BundleStream):
            bundle.require_size(entry)
            with bundle.open_file(entry) as file:
                reader = LineReader(file)
                findings += _check_stream(reader, entry, hashes)
                bundle.require_hash(entry, reader.hexdigest())
        else:
            bundle.copy(entry, None)
    except BundleError as e:
        return reasons(e)  # what was found in bytes that are not the right ones does not count
    return findings


def _check_stream(reader: LineReader, entry: BundleStream, hashes: set[str]) -> Iterator[BundleDiagnostic]:
    count = 0
    for number, line in reader.records():
        count += 1
        if count == 1:
            yield from _check_header(line, entry, number)
        if b'"blob"' in line:
            for place, sha256 in _blobs_in(line):
                if sha256 not in hashes:
                    message = f"the blob {excerpt(sha256, 64)} is not in the bundle"
                    yield found("bundle-blob-missing", message, entry.path, pointer=place, line=number)
    if entry.records is not None and entry.records != count:
        message = f"the stream has {count} records, the manifest says {entry.records}"
        yield found("bundle-stream-different", message, entry.path)


def _check_header(line: bytes, entry: BundleStream, number: int) -> Iterator[BundleDiagnostic]:
    header = read_record(line)[0]
    if not isinstance(header, SessionHeader):
        message = "the stream does not begin with a session header"
        yield found("bundle-stream-different", message, entry.path, line=number)
    elif header.key != entry.session_key.key:
        message = f"the header's session key is {_name(header.key)}, the manifest says {_name(entry.session_key.key)}"
        yield found("bundle-stream-different", message, entry.path, line=number)


def _name(key: SessionKey) -> str:
    return excerpt(str(SessionReference(key)), 100)


def _blobs_in(line: bytes) -> Iterator[tuple[str, str]]:
    """Where records of the known tables name a blob: in content, and in capture states."""
    record, _ = read_record(line)
    if isinstance(record, InvalidRecord):
        return
    for attribute, field in type(record).model_fields.items():
        name, value = field.alias or attribute, getattr(record, attribute)
        for place, item in _items(name, value):
            blob = getattr(item, "blob", None)
            if isinstance(blob, Blob | CaptureBlob):
                yield ijson.pointer(*place, "blob"), blob.sha256


def _items(name: str, value: Any) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    if isinstance(value, list):
        yield from (((name, i), item) for i, item in enumerate(value))
    elif isinstance(value, dict):
        yield from (((name, key), item) for key, item in value.items())
