"""The manifest. Our table, section 9; null, misspelled and unknown members as in records (sections 1 and 3)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessionrecord import ijson
from sessionrecord.bundle.manifest import Manifest, read_manifest
from sessionrecord.errors import InvalidRecordError
from sessionrecord.refs import SessionKey
from tests.bundle.samples import bundle_files, manifest
from tests.strategies import exact, wire_objects

FILES = {path: data for path, data in bundle_files().items() if path != "bundle.json"}


def found(value: Any) -> list[tuple[str, str, str | None]]:
    return [(d.code, d.severity, d.pointer) for d in read_manifest(json.dumps(value).encode())[1]]


def changed(path: str, value: Any) -> dict[str, Any]:
    """A valid manifest in which one member has another value; `...` takes it out."""
    whole = manifest(FILES)
    *parents, last = path.split("/")
    inner: Any = whole
    for name in parents:
        inner = inner[int(name)] if isinstance(inner, list) else inner[name]
    if value is ...:
        del inner[last]
    else:
        inner[int(last) if isinstance(inner, list) else last] = value
    return whole


def test_a_valid_manifest_gives_its_entries_and_no_finding() -> None:
    read, findings = read_manifest(json.dumps(manifest(FILES)).encode())
    assert findings == []
    assert read is not None
    assert [(place, entry.path) for place, entry in read.entries()] == [
        ("/streams/0", "streams/s1.asr.jsonl"),
        ("/blobs/0", next(p for p in FILES if p.startswith("blobs/"))),
        ("/native/0", "native/log.jsonl"),
    ]
    assert read.streams is not None
    assert read.streams[0].session_key.key == SessionKey("toy", None, "s1")


@pytest.mark.parametrize("absent", ["format", "blobs", "native", "streams/0/records", "streams/0/sessionKey/namespace"])
def test_what_our_table_does_not_require_may_be_absent(absent: str) -> None:
    assert found(changed(absent, ...)) == []


@pytest.mark.parametrize(
    "required",
    ["streams/0/path", "streams/0/sessionKey", "streams/0/sha256", "streams/0/bytes", "blobs/0/path", "blobs/0/sha256",
     "blobs/0/bytes", "native/0/path", "native/0/sha256", "native/0/bytes", "streams/0/sessionKey/agent"],
)  # fmt: skip
def test_a_required_member_that_is_absent_or_null_is_an_error(required: str) -> None:
    assert found(changed(required, ...)) == [("member-missing", "error", f"/{required}")]
    assert found(changed(required, None)) == [("null-not-allowed", "error", f"/{required}")]


@pytest.mark.parametrize(
    "optional", ["format", "createdAt", "blobs", "streams/0/records", "native/0/harness", "producer"]
)
def test_a_null_that_means_nothing_is_a_warning_and_reads_as_absent(optional: str) -> None:
    assert found(changed(optional, None)) == [("null-not-allowed", "warning", f"/{optional}")]
    read, _ = read_manifest(json.dumps(changed(optional, None)).encode())
    assert read is not None
    assert b"null" not in read.replace(streams=None).to_bytes()  # the session key has one that means something


WRONG: list[tuple[str, Any, str, str]] = [
    ("format", "zip", "value-invalid", "/format"),
    ("format", 1, "type-invalid", "/format"),
    ("createdAt", "2026-02-30T00:00:00Z", "timestamp-invalid", "/createdAt"),
    ("createdAt", "yesterday", "timestamp-invalid", "/createdAt"),
    ("streams", [], "bundle-stream-missing", "/streams"),
    ("streams", ..., "bundle-stream-missing", "/streams"),
    ("streams", {}, "type-invalid", "/streams"),
    ("streams/0", "a", "type-invalid", "/streams/0"),
    ("streams/0/bytes", -1, "integer-invalid", "/streams/0/bytes"),
    ("streams/0/bytes", "3", "integer-invalid", "/streams/0/bytes"),
    ("streams/0/bytes", 2**53, "integer-invalid", "/streams/0/bytes"),
    ("streams/0/records", 1.0, "integer-invalid", "/streams/0/records"),
    ("streams/0/sessionKey", "asr:a//s", "type-invalid", "/streams/0/sessionKey"),
    ("streams/0/sessionKey/namespace", "", "value-invalid", "/streams/0/sessionKey/namespace"),
    ("producer", {"name": "x"}, "member-missing", "/producer/method"),
    ("native/0/path", "../x", "bundle-path-unsafe", "/native/0/path"),
    ("native/0/path", "/x", "bundle-path-unsafe", "/native/0/path"),
    ("native/0/path", "C:/x", "bundle-path-unsafe", "/native/0/path"),
    ("native/0/path", "aux", "bundle-path-unsafe", "/native/0/path"),
    ("native/0/path", "bundle.json", "bundle-path-repeated", "/native/0/path"),
    ("native/0/path", "Bundle.JSON", "bundle-path-repeated", "/native/0/path"),
    ("native/0/path", "STREAMS/s1.asr.jsonl", "bundle-path-repeated", "/native/0/path"),
    ("native/0/sha256", "0" * 63, "value-invalid", "/native/0/sha256"),
    ("native/0/sha256", "A" * 64, "value-invalid", "/native/0/sha256"),
]


@pytest.mark.parametrize(("path", "value", "code", "pointer"), WRONG)
def test_a_wrong_member_is_an_error_with_its_place(path: str, value: Any, code: str, pointer: str) -> None:
    assert found(changed(path, value)) == [(code, "error", pointer)]


def test_a_misspelled_member_is_named_with_the_right_name() -> None:
    assert found(changed("created_at", "x")) == [("member-misspelled", "warning", "/created_at")]
    assert found(changed("blobs/0/mimetype", "x")) == [("member-misspelled", "warning", "/blobs/0/mimetype")]


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "json-invalid"),
        (b"{", "json-invalid"),
        (b"\xff{}", "utf8-invalid"),
        (b"[]", "not-an-object"),
        (b"null", "not-an-object"),
        (b'{"format":"asr-bundle","format":"asr-bundle"}', "duplicate-member"),
        (b'{"a":"\\ud800"}', "lone-surrogate"),
        (b"[" * 100_000, "nesting-too-deep"),
    ],
)
def test_what_is_no_json_object_is_no_manifest(data: bytes, code: str) -> None:
    read, findings = read_manifest(data)
    assert read is None
    assert [(d.code, d.path) for d in findings if d.severity == "error"] == [(code, "bundle.json")]


@given(wire_objects(Manifest))
def test_a_manifest_is_written_as_it_was_read(wire: dict[str, Any]) -> None:
    """Unknown members and number literals are kept; equal manifests give equal bytes."""
    read, _ = read_manifest(ijson.dumps(wire))
    assert read is not None
    assert exact(read.to_wire()) == exact(wire)
    again, _ = read_manifest(read.to_bytes())
    assert again is not None
    assert again.to_bytes() == read.to_bytes()


def test_a_manifest_with_a_wrong_member_cannot_be_made() -> None:
    with pytest.raises(InvalidRecordError, match="timestamp-invalid"):
        Manifest(created_at="today")


@given(st.binary(max_size=60))
def test_any_bytes_are_read_without_an_exception(data: bytes) -> None:
    read, findings = read_manifest(data)
    assert read is not None or findings
