"""Level `bundle`: the files by the rules of bundles, and each stream by those of streams."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema

from sessionrecord import Session
from sessionrecord.bundle import BundleDiagnostic, write_bundle
from sessionrecord.schema import json_schema
from sessionrecord.validate import validate

HEADER = b'{"type":"session","seq":0,"id":"r0","agent":"toy","sessionId":"s1","producer":{"method":"native"}}\n'


def test_a_whole_bundle_has_no_finding(tmp_path: Path) -> None:
    write_bundle(tmp_path / "b.zip", [Session.read(HEADER)])
    report = validate(tmp_path / "b.zip", level="bundle")
    assert (report.ok, report.level, report.records, report.diagnostics) == (True, "bundle", 1, ())


def test_what_is_wrong_in_a_stream_names_the_stream(tmp_path: Path) -> None:
    write_bundle(tmp_path / "b", [Session.read(HEADER + b'{"type":"state","seq":1,"id":"r1"}\n')])
    report = validate(tmp_path / "b", level="bundle")
    (found,) = report.diagnostics
    assert isinstance(found, BundleDiagnostic)
    assert (found.code, found.line, found.pointer) == ("member-missing", 2, "/state")
    assert found.path is not None
    assert str(found).startswith(f"{found.path!r}: line 2")
    assert not report.ok


def test_a_changed_file_and_a_refused_archive_are_findings(tmp_path: Path) -> None:
    write_bundle(tmp_path / "b", [Session.read(HEADER)])
    (path,) = (p for p in (tmp_path / "b").rglob("*") if p.is_file() and p.name != "bundle.json")
    path.write_bytes(HEADER + b"oops\n")
    # what it holds is not judged: it is not the stream that the manifest names
    assert [d.code for d in validate(tmp_path / "b", level="bundle").diagnostics] == ["bundle-file-different"]
    assert [d.code for d in validate(b"PK\x03\x04", level="bundle").diagnostics] == ["bundle-archive-invalid"]


def test_the_schema_of_the_manifest_takes_what_is_written(tmp_path: Path) -> None:
    write_bundle(tmp_path / "b", [Session.read(HEADER)], created_at="2026-01-01T00:00:00Z")
    manifest = json.loads((tmp_path / "b" / "bundle.json").read_bytes())
    validator = jsonschema.Draft202012Validator(json_schema("manifest"))
    assert validator.is_valid(manifest)
    assert not validator.is_valid(manifest | {"streams": 3})
