"""The codes that a stream of records can show."""

from __future__ import annotations

from sessionrecord.asif.rules import SOURCES
from sessionrecord.diagnostics import CODES

SHARED = {
    "utf8-invalid", "json-invalid", "not-an-object", "duplicate-member", "lone-surrogate", "number-not-finite", "nesting-too-deep",
    "number-out-of-range", "noncharacter", "type-invalid", "value-invalid", "member-missing", "member-misspelled", "null-not-allowed",
    "integer-invalid", "timestamp-invalid", "duration-invalid", "amount-invalid", "id-duplicate",
    "compression-broken",
}  # fmt: skip
"""Codes that documents of other formats have too."""
ASSEMBLY = {"segment-conflict", "stream-partial"}
"""Codes of ASIF streams that no check of a document gives."""
COMPARISON = {
    "session-differs", "capture-changed", "evidence-missing", "evidence-changed", "partial-relabeled", "call-not-amended",
    "call-stream-missing", "binding-source-differs",
}  # fmt: skip
"""Codes of two ASIF documents."""
STREAM_CODES = [
    code
    for code in CODES
    if not code.startswith("bundle-") and code not in ASSEMBLY | COMPARISON and (code not in SOURCES or code in SHARED)
]
READER_CODES = {"line-too-long", "compression-broken", "stream-restarted"}
"""Codes that need an option of a reader, a packed source or a file that changes: no stream of the corpus can show them."""
