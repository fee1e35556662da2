"""Secrets out of sessions: by their known forms and as given values, in any place and encoding, with the stream still valid."""

from sessionrecord.redact.patterns import KNOWN_PATTERNS, Pattern
from sessionrecord.redact.report import RedactionReport, Removal, RemovedFrom
from sessionrecord.redact.rules import IdPolicy, RedactionRules, SignaturePolicy, Value
from sessionrecord.redact.stream import Redacted, redact

__all__ = [
    "KNOWN_PATTERNS",
    "IdPolicy",
    "Pattern",
    "Redacted",
    "RedactionReport",
    "RedactionRules",
    "Removal",
    "RemovedFrom",
    "SignaturePolicy",
    "Value",
    "redact",
]
