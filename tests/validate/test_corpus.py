"""The conformance corpus: it is what its maker says, and this package gives what it expects."""

from __future__ import annotations

import dataclasses
import json
import os
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from jsonschema.protocols import Validator

from sessionrecord import StreamError, StreamReader
from sessionrecord.diagnostics import CODES
from sessionrecord.records import RECORD_TYPES
from sessionrecord.schema import json_schema
from sessionrecord_corpus import BundleCase, Case, bundles, cases, root
from sessionrecord_corpus.checks import MismatchError, checks_of_package, checks_of_validator
from tests.corpus import bundles as bundle_maker
from tests.corpus import make
from tests.validate.stream_codes import READER_CODES, STREAM_CODES

CASES = cases()
BUNDLES = bundles()
OF_THE_STREAM = {"header-missing", "header-repeated", "seq-not-increasing", "id-duplicate"}
"""Codes of errors that no record shows by itself."""
NEED_ALL_IDS = {"id-duplicate"}
"""Codes that a reader in constant memory cannot find (`StreamReader` says so)."""

links_can_be_made = hasattr(os, "symlink") and os.name != "nt"
by_name = pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
bundle_by_name = pytest.mark.parametrize("case", BUNDLES, ids=lambda c: c.name)


def test_streams_and_manifest_are_what_the_maker_writes() -> None:
    assert (root() / "manifest.json").read_text("utf-8") == make.manifest()
    made = {f"{case.name}.jsonl": case.data for case in make.build()}
    kept = {path.name: path.read_bytes() for path in (root() / "streams").iterdir()}
    assert kept == made
    packed = {path: data for case in bundle_maker.build() for path, data in case.files().items()}
    folder = root() / "bundles"
    assert {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()} == packed


def test_the_corpus_has_streams_of_every_kind_small_and_many() -> None:
    kinds = [case.kind for case in CASES]
    assert len(kinds) >= 150
    assert {kind for kind in kinds if kinds.count(kind) >= 25} == {"valid", "invalid", "recoverable"}
    assert max(case.path.stat().st_size for case in CASES) < 4096


def test_the_corpus_has_bundles_of_every_kind_and_form() -> None:
    kinds = [case.kind for case in BUNDLES]
    assert {kind for kind in kinds if kinds.count(kind) >= 20} == {"valid", "invalid", "recoverable"}
    forms = ["" if case.path.is_dir() else case.path.suffix for case in BUNDLES]
    assert {form for form in forms if forms.count(form) >= 20} == {"", ".zip", ".tar"}
    assert len({case.name for case in BUNDLES}) == len(BUNDLES)
    assert sum(len(data) for case in bundle_maker.build() for data in case.files().values()) < 1 << 20


def test_the_corpus_has_every_code_and_every_record_type() -> None:
    """A code without a case is a rule that nobody can check another implementation by."""
    assert {f.code for case in CASES for f in case.tolerant} == set(STREAM_CODES) - READER_CODES
    types = {
        value.get("type")
        for case in CASES
        if case.kind == "valid"
        for line in case.path.read_bytes().split(b"\n")
        if line.strip() and isinstance(value := json.loads(line.removeprefix(b"\xef\xbb\xbf")), dict)
    }
    assert set(RECORD_TYPES) <= types


def test_the_corpus_has_every_code_of_bundles() -> None:
    assert {f.code for case in BUNDLES for f in case.findings} >= {c for c in CODES if c.startswith("bundle-")}


def test_the_severity_of_a_finding_is_its_codes_or_milder() -> None:
    """Severity and code of the table; a null in a member of our own, and an ambiguous ID that was read, are warnings."""
    others = {(f.code, f.severity) for case in CASES for f in case.tolerant if f.severity != CODES[f.code].severity}
    assert others == {("null-not-allowed", "warning"), ("ref-ambiguous", "warning")}


@by_name
def test_the_package_gives_what_the_corpus_expects(case: Case) -> None:
    for check in checks_of_package(case).values():
        check()


@by_name
def test_a_strict_reader_ends_at_the_first_error(case: Case) -> None:
    """It delivers what stands before, and raises at the line of the first error."""
    if case.strict is not None and case.strict.codes <= NEED_ALL_IDS:
        pytest.skip("found by Session only")
    reader = StreamReader(case.path, strict=True)
    if case.strict is None:
        list(reader)
        return
    delivered: list[object] = []
    with pytest.raises(StreamError) as caught:
        delivered.extend(reader)
    if case.strict.line:
        before = case.path.read_bytes().split(b"\n")[: case.strict.line - 1]
        assert len(delivered) == sum(bool(line.strip()) for line in before)
    first = next(d for d in caught.value.diagnostics if d.severity == "error")
    assert (first.line or 0) == case.strict.line
    assert {d.code for d in caught.value.diagnostics if d.severity == "error"} <= case.strict.codes


@by_name
def test_the_json_schema_agrees_on_every_line(case: Case, validator: Validator) -> None:
    """A line is invalid to a stock validator where the corpus expects an error of its record, bytes and literals aside."""
    for number, line in enumerate(case.path.read_bytes().split(b"\n"), 1):
        if number in case.below_schema or not (line := line.removeprefix(b"\xef\xbb\xbf")).strip():
            continue
        broken = any(f.line == number and f.severity == "error" and f.code not in OF_THE_STREAM for f in case.tolerant)
        assert validator.is_valid(json.loads(line)) is not broken, f"line {number}"


@pytest.fixture(scope="module")
def validator() -> Validator:
    return jsonschema.Draft202012Validator(json_schema("record"))


@bundle_by_name
def test_the_package_gives_what_the_corpus_expects_of_a_bundle(case: BundleCase) -> None:
    if case.links and not links_can_be_made:
        pytest.skip("no symbolic links here")
    for check in checks_of_package(case).values():
        check()


@pytest.mark.parametrize("case", [c for c in BUNDLES if c.manifest is not None], ids=lambda c: c.name)
def test_the_json_schema_agrees_on_every_manifest(case: BundleCase) -> None:
    """Paths that are refused, repeated or not there are beyond it."""
    validator = jsonschema.Draft202012Validator(json_schema("manifest"))
    assert validator.is_valid(json.loads(manifest_in(case.path))) is case.manifest


def manifest_in(path: Path) -> bytes:
    """`bundle.json` as the standard library finds it."""
    if path.is_dir():
        return (path / "bundle.json").read_bytes()
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            return archive.read("bundle.json")
    with tarfile.open(path) as tape:
        name = next(n for n in tape.getnames() if n in ("bundle.json", "./bundle.json"))
        member = tape.extractfile(name)
        assert member is not None
        return member.read()


def test_a_bomb_of_the_corpus_is_one_to_the_standard_library() -> None:
    """Its bytes are written by hand: they have to be what they are said to be."""
    case = next(c for c in BUNDLES if c.name == "zip-bomb")
    with zipfile.ZipFile(case.path) as archive:
        info = archive.getinfo("native/bomb")
        assert len(archive.read(info)) == info.file_size > 200 * info.compress_size


def test_a_link_is_made_for_the_time_of_the_check_alone() -> None:
    if not links_can_be_made:
        pytest.skip("no symbolic links here")
    case = next(c for c in BUNDLES if c.name == "folder-link")
    with case.materialized() as path:
        assert (path / "native" / "log.jsonl").is_symlink()
    assert not path.exists()
    assert not any(p.is_symlink() for p in root().rglob("*"))


def test_a_file_that_is_readable_against_expectation_is_told() -> None:
    case = next(c for c in BUNDLES if c.name == "native-file-missing")
    with pytest.raises(MismatchError, match=r"can be read, expected"):
        checks_of_package(dataclasses.replace(case, readable=("native/log.jsonl",)))["readable"]()


def test_a_difference_is_told_with_what_is_too_many_and_what_is_lacking() -> None:
    case = next(c for c in CASES if c.name == "torn-tail")

    def checker(path: Path) -> list[dict[str, Any]]:
        return [{"line": 3, "code": "json-invalid", "severity": "error", "pointer": None}]

    with pytest.raises(MismatchError, match=r"torn-tail .*not expected .*json-invalid.*not found .*line-torn"):
        checks_of_validator(case, checker)["tolerant"]()
    with pytest.raises(MismatchError, match=r"not expected .*line-torn"):
        checks_of_validator(case, lambda path: [vars_of(f) for f in case.tolerant * 2])["tolerant"]()


def vars_of(finding: Any) -> dict[str, Any]:
    return {name: getattr(finding, name) for name in ("line", "code", "severity", "pointer")}
