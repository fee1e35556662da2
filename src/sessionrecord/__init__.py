"""Typed data models for recorded sessions of AI agents: the records of ASR, streams of them, and `Session`."""

from __future__ import annotations

from sessionrecord.diagnostics import Diagnostic, Severity
from sessionrecord.errors import (
    ConversionError,
    IJsonError,
    InvalidRecordError,
    RefError,
    RefNotFoundError,
    SessionRecordError,
    SourceError,
    StreamError,
    WriterError,
)
