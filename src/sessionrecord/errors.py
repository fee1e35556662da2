"""Every exception this package raises on purpose.

::

    SessionRecordError
    ├── IJsonError             a line is not strict I-JSON, or a value cannot be written as it
    ├── InvalidRecordError     a line, or the members given, are not a valid record
    ├── StreamError            a strict reader met an error
    ├── WriterError            a record would make the stream invalid, or the writer cannot write
    │   └── StreamLockedError  another writer has the stream
    ├── RefError               a string is not a ref or a session reference
    │   └── RefNotFoundError   a well-formed ref names nothing in the session
    ├── BundleError            a bundle is refused, or holds something else than its manifest says
    ├── SourceError            a source cannot be opened or is of no readable kind
    ├── ConversionError        a native log holds nothing that can be converted
    ├── RedactionError         a secret cannot be removed as told, or rules of redaction cannot be kept
    ├── AssemblyError          a stream's whole is asked for and not there, or a segment does not fit into it
    ├── DocumentError          a document cannot be read at all
    ├── BuildError             what is added to a document, or the document built, breaks the format's rules
    ├── EmptyRunError          no event of a run, so no result
    └── MissingExtraError      a package of an extra is not installed
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sessionrecord.diagnostics import Diagnostic

__all__ = [
    "AssemblyError",
    "BuildError",
    "BundleError",
    "ConversionError",
    "DocumentError",
    "EmptyRunError",
    "IJsonError",
    "InvalidRecordError",
    "MissingExtraError",
    "RedactionError",
    "RefError",
    "RefNotFoundError",
    "SessionRecordError",
    "SourceError",
    "StreamError",
    "StreamLockedError",
    "WriterError",
]


class SessionRecordError(Exception):
    """The root of the tree: catching it catches everything this package raises on purpose."""


class _WithDiagnostics(SessionRecordError):
    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        self.diagnostics: list[Diagnostic] = list(diagnostics)
        """Everything found, errors and warnings, in the order of the lines."""
        errors = [d for d in self.diagnostics if d.severity == "error"] or self.diagnostics
        more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
        super().__init__(f"{errors[0]}{more}" if errors else "invalid")


class IJsonError(SessionRecordError):
    """A line is not strict I-JSON (ASR-041), or a Python value cannot be written as it."""

    def __init__(self, code: str, pointer: str, message: str) -> None:
        place = pointer if pointer.isprintable() else repr(pointer)[1:-1]
        super().__init__(f"{code} at {place or 'the root'}: {message}")
        self.code = code
        """The diagnostic code, as in `sessionrecord.diagnostics.CODES`."""
        self.pointer = pointer
        """JSON Pointer (RFC 6901) of the offending value."""
        self.reason = message
        """The rule in words."""


class InvalidRecordError(_WithDiagnostics):
    """A line, or the members given to a model, break the rules of their record type."""


class StreamError(_WithDiagnostics):
    """A strict reader met an error; `diagnostics` holds what was found up to there."""


class BundleError(_WithDiagnostics):
    """A bundle is refused, or holds something else than its manifest says; `diagnostics` holds all that was found."""


class WriterError(SessionRecordError):
    """A call would make the stream invalid, or the writer cannot be opened, has failed or is closed. Nothing was written."""


class StreamLockedError(WriterError):
    """Another writer, of this process or another, has the stream open."""


class RefError(SessionRecordError, ValueError):
    """A string is not a ref, a session key part or a session reference (spec section 3)."""


class RefNotFoundError(RefError, LookupError):
    """A well-formed ref names nothing in the session, or not yet at the `seq` asked for."""


class SourceError(SessionRecordError):
    """A source cannot be opened, or is of a kind that cannot be read."""


class ConversionError(SessionRecordError):
    """A native log holds nothing that can be converted."""


class RedactionError(SessionRecordError):
    """A secret cannot be removed as told, or rules of redaction cannot be kept. Nothing was handed over; the message never holds the secret."""


class AssemblyError(_WithDiagnostics):
    """The whole of a captured stream is asked for and not there, or a live segment does not fit into it. Nothing was changed."""


class DocumentError(_WithDiagnostics):
    """A document cannot be read at all: it is no JSON object, or a limit is passed."""


class BuildError(_WithDiagnostics):
    """What is to be added to a document does not fit, or the document built breaks rules. The builder is as it was before."""


class EmptyRunError(SessionRecordError, ValueError):
    """A result was asked for where there is no event of the run."""


class MissingExtraError(SessionRecordError, ImportError):
    """What was asked for needs a package that is not installed; the message says which extra brings it."""
