"""The JSON of a document: what is refused, and what I-JSON would refuse and a document may hold (specification, section 1.1)."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from sessionrecord import ijson
from sessionrecord.asif import Document, Limits
from sessionrecord.errors import DocumentError
from tests.asif.minimal import minimal


def with_note(literal: str) -> bytes:
    """A document with a member of its own, whose value is written as given."""
    return ijson.dumps({**minimal(), "x-note": 0}).replace(b'"x-note":0', b'"x-note":' + literal.encode())


@pytest.mark.parametrize(
    ("source", "code"),
    [
        (b"[]", "not-an-object"),
        (b"null", "not-an-object"),
        (b'"{}"', "not-an-object"),
        (b"", "json-invalid"),
        (b"\xef\xbb\xbf{}", "json-invalid"),
        (b"{} {}", "json-invalid"),
        (b'{"a":NaN}', "json-invalid"),
        (b'{"a":"\xff"}', "utf8-invalid"),
        (b'{"a":' + b"[" * 10_000 + b"]" * 10_000 + b"}", "nesting-too-deep"),
    ],
)
def test_what_is_no_json_object_is_not_a_document(source: bytes, code: str) -> None:
    with pytest.raises(DocumentError) as caught:
        Document.parse(source)
    assert [d.code for d in caught.value.diagnostics] == [code]


def test_a_member_named_twice_is_an_error() -> None:
    document = Document.parse(with_note('{"a":1,"a":2}'))
    assert [(f.code, f.severity, f.pointer) for f in document.check().findings] == [
        ("duplicate-member", "error", "/x-note/a")
    ]


@pytest.mark.parametrize(
    ("literal", "code"),
    [
        ("123456789012345678901234567890", "number-out-of-range"),
        ("0.1234567890123456789", "number-out-of-range"),
        ("1e400", "number-not-finite"),
        (r'"\ud800"', "lone-surrogate"),
        (r'"\uffff"', "noncharacter"),
    ],
)
def test_what_json_allows_is_told_and_kept_as_written(literal: str, code: str) -> None:
    source = with_note(literal)
    document = Document.parse(source)
    report = document.check()
    assert [(f.code, f.severity, f.pointer) for f in report.findings] == [(code, "warning", "/x-note")]
    assert report.ok
    assert document.to_bytes() == source


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_a_compressed_document_is_unpacked_or_refused(pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    """As streams are: by its first bytes. What unpacks to more than the limit is not held, what is cut short is no document."""
    plain = json.dumps(minimal()).encode()
    packed = pack(plain)
    (tmp_path / "document.json").write_bytes(packed)
    for document in (Document.parse(packed), Document.read(tmp_path / "document.json")):
        assert document.to_bytes() == plain
        assert document.check().ok
    with pytest.raises(DocumentError) as caught:
        Document.parse(packed[:-8])
    assert [d.code for d in caught.value.diagnostics] == ["compression-broken"]
    with pytest.raises(DocumentError) as caught:
        Document.parse(pack(plain + b" " * (1 << 20)), limits=Limits(document_bytes=1 << 20))
    assert [d.code for d in caught.value.diagnostics] == ["limit-exceeded"]
