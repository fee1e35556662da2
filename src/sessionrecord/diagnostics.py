"""What was found in a stream: diagnostics, the table of their codes, the table of ASR requirements.

Codes are ours, in kebab-case; `ASR-NNN` numbers are the specification's and are never invented.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Final, Literal, TypeAlias

__all__ = ["CODES", "REQUIREMENTS", "CodeInfo", "Diagnostic", "Requirement", "Severity", "excerpt"]

Severity: TypeAlias = Literal["error", "warning", "info"]
"""`error`: a rule is broken. `warning`: kept, but not what an author meant. `info`: worth knowing."""


@dataclass(frozen=True, slots=True)
class CodeInfo:
    """What a diagnostic code stands for."""

    severity: Severity
    """The severity a finding has unless its rule says otherwise."""
    summary: str
    """The rule in one line."""
    requirement: str | None = None
    """The `ASR-NNN` requirement, where the specification's page gives one."""


@dataclass(frozen=True, slots=True)
class Requirement:
    """A requirement of the page "ASR conventions" that can be checked."""

    check: Literal["schema", "semantic", "fixture"]
    """The check type; our reading of the page's three definitions."""
    summary: str
    """The rule in one line."""


REQUIREMENTS: Final[dict[str, Requirement]] = {
    "ASR-040": Requirement("schema", "member names are exact and lower camelCase"),
    "ASR-041": Requirement("schema", "every record is an I-JSON object"),
    "ASR-042": Requirement("schema", "integers are JSON integers from 0 to 2^53-1"),
    "ASR-043": Requirement("schema", "null only where it has a meaning"),
    "ASR-044": Requirement("schema", "timestamps are RFC 3339, UTC, with Z"),
    "ASR-045": Requirement("schema", "durations are non-negative JSON numbers of milliseconds"),
    "ASR-046": Requirement("fixture", "strings compare by code point"),
    "ASR-047": Requirement("schema", "decimal amounts are JSON numbers"),
}
"""Requirement ID to what it demands (spec section 10)."""

CODES: Final[dict[str, CodeInfo]] = {
    # bytes, lines, JSON
    "utf8-invalid": CodeInfo("error", "the line is not valid UTF-8", "ASR-041"),
    "nul-bytes": CodeInfo("error", "the line holds NUL bytes and is not JSON"),
    "json-invalid": CodeInfo("error", "the line is not one JSON text", "ASR-041"),
    "line-torn": CodeInfo("error", "the last line has no newline and is not whole"),
    "not-an-object": CodeInfo("error", "a record is a JSON object", "ASR-041"),
    "duplicate-member": CodeInfo("error", "an object names a member twice", "ASR-041"),
    "lone-surrogate": CodeInfo("error", "a string holds an unpaired surrogate", "ASR-041"),
    "number-not-finite": CodeInfo("error", "a number is beyond the range of a double", "ASR-041"),
    "nesting-too-deep": CodeInfo("error", "the JSON is nested deeper than 254 levels"),
    "number-out-of-range": CodeInfo("warning", "a double cannot hold the number exactly", "ASR-041"),
    "noncharacter": CodeInfo("warning", "a string holds a Unicode noncharacter", "ASR-041"),
    "line-crlf": CodeInfo("info", "a line ends with CRLF"),
    "line-blank": CodeInfo("info", "a line is blank"),
    "bom": CodeInfo("warning", "the stream begins with a byte order mark"),
    "newline-missing": CodeInfo("info", "the last line is whole but has no newline"),
    "stream-empty": CodeInfo("error", "the stream holds no record"),
    # one record
    "type-invalid": CodeInfo("error", "a member has the wrong JSON type"),
    "value-invalid": CodeInfo("error", "a member has a value that its rule excludes"),
    "member-missing": CodeInfo("error", "a required member is absent"),
    "member-misspelled": CodeInfo(
        "warning", "an unknown member differs from a defined one only by case, _ or -", "ASR-040"
    ),
    "null-not-allowed": CodeInfo("error", "null has no meaning for this member", "ASR-043"),
    "integer-invalid": CodeInfo("error", "not a JSON integer in the member's range", "ASR-042"),
    "timestamp-invalid": CodeInfo("error", "not an RFC 3339 UTC timestamp with Z", "ASR-044"),
    "duration-invalid": CodeInfo("error", "not a non-negative number of milliseconds", "ASR-045"),
    "amount-invalid": CodeInfo("error", "not a non-negative decimal amount", "ASR-047"),
    "session-reference-invalid": CodeInfo("error", "not a session reference"),
    "ref-ambiguous": CodeInfo("error", "a record ID reads as an entity ref"),
    # a stream
    "header-missing": CodeInfo("error", "the first record is not the session header"),
    "header-repeated": CodeInfo("error", "a stream has one session header"),
    "seq-not-increasing": CodeInfo("error", "seq is not above all earlier ones"),
    "id-duplicate": CodeInfo("error", "a record ID is used twice"),
    "ref-unresolved": CodeInfo("warning", "a ref names nothing in the stream"),
    # structure
    "predecessor-missing": CodeInfo("warning", "the predecessor is not in the stream"),
    "predecessor-later": CodeInfo("warning", "the predecessor comes after the entity"),
    "predecessor-cycle": CodeInfo("warning", "an entity is its own predecessor"),
    "predecessor-audit-only": CodeInfo("warning", "the predecessor does not take part in the context"),
    "predecessor-changed": CodeInfo("warning", "a revision names another predecessor; the first counts"),
    "predecessor-misplaced": CodeInfo("warning", "only context-participating records have a predecessor"),
    "rewind-target": CodeInfo("warning", "a rewind names no earlier participating entity; the head stays"),
    "kept-from-missing": CodeInfo("warning", "keptFrom is not in the context; nothing is kept"),
    "key-reused": CodeInfo("warning", "a callId is used again for a second call"),
    "participant-undeclared": CodeInfo("warning", "a participant is not declared"),
    "conversation-undeclared": CodeInfo("warning", "a conversation is not declared"),
    "profile-unmet": CodeInfo("warning", "a producer's promise is not kept"),
    # a bundle
    "bundle-archive-invalid": CodeInfo("error", "the archive is damaged, or uses a feature that is not read"),
    "bundle-path-unsafe": CodeInfo(
        "error", "a path is absolute, leaves the bundle, or cannot be a file's name everywhere"
    ),
    "bundle-path-repeated": CodeInfo(
        "error", "two files have one path, or paths that differ only by case or composition"
    ),
    "bundle-not-a-file": CodeInfo("error", "a link, device, pipe or socket stands where a file belongs"),
    "bundle-encrypted": CodeInfo("error", "a file of the archive is encrypted"),
    "bundle-size-false": CodeInfo("error", "a file of the archive is not as large as the archive says"),
    "bundle-too-large": CodeInfo("error", "an archive holds more, or unpacks to more, than the limits allow"),
    "bundle-manifest-missing": CodeInfo("error", "the bundle has no bundle.json"),
    "bundle-stream-missing": CodeInfo("error", "a bundle holds one or more streams"),
    "bundle-file-missing": CodeInfo("error", "a file of the manifest is not in the bundle"),
    "bundle-file-different": CodeInfo("error", "a file is not the one that the manifest names: size or hash differ"),
    "bundle-file-unlisted": CodeInfo("error", "a file of the bundle is not in the manifest"),
    "bundle-stream-different": CodeInfo(
        "error", "the manifest and a stream disagree on its session key or number of records"
    ),
    "bundle-blob-missing": CodeInfo("warning", "a record names a blob that is not in the bundle"),
}
"""Diagnostic code to what it stands for."""


def excerpt(value: object, limit: int = 40) -> str:
    """A short, escaped piece of `value` for a message: controls cannot reach a terminal from it."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list | tuple):
        return "an array"
    if isinstance(value, bytes):
        value = value[: 4 * limit].decode("utf-8", "backslashreplace")
    if isinstance(value, str):
        piece = repr(value[:limit])
        return f"{piece[:limit]}…" if len(value) > limit or len(piece) > limit + 2 else piece
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    text = str(Decimal(value)) if isinstance(value, int) else str(value)  # str(int) has a limit of digits
    text = text if text.isprintable() else repr(text)
    return f"{text[:limit]}…" if len(text) > limit else text


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding: what, how bad, and where. Design: diagnostics, not walls."""

    code: str
    """A key of `CODES`."""
    severity: Severity
    """How bad it is."""
    message: str
    """The member and the rule in one line; at most a short, escaped piece of the value."""
    line: int | None = None
    """Line in the stream, from 1."""
    offset: int | None = None
    """Offset of the line's first byte in the stream, in bytes from 0."""
    pointer: str | None = None
    """JSON Pointer (RFC 6901) of the offending member in its record."""
    record_id: str | None = None
    """The record's `id`, where one could be read."""
    requirement: str | None = None
    """The `ASR-NNN` requirement, where the specification's page gives one."""

    @classmethod
    def of(
        cls,
        code: str,
        message: str,
        *,
        severity: Severity | None = None,
        line: int | None = None,
        offset: int | None = None,
        pointer: str | None = None,
        record_id: str | None = None,
    ) -> Diagnostic:
        """A finding with the severity and requirement that `CODES` gives its code."""
        info = CODES[code]
        return cls(code, severity or info.severity, message, line, offset, pointer, record_id, info.requirement)

    def to_dict(self) -> dict[str, str | int | None]:
        """The fields as a JSON object; absent ones are null."""
        return asdict(self)

    def __str__(self) -> str:
        where = [f"line {self.line}"] if self.line is not None else []
        if self.record_id is not None:
            where.append(f"record {excerpt(self.record_id)}")
        if self.pointer:
            pointer = self.pointer[:120]
            where.append(f"at {pointer if pointer.isprintable() else repr(pointer)[1:-1]}")
        place = f"{', '.join(where)}: " if where else ""
        rule = f" [{self.requirement}]" if self.requirement else ""
        return f"{place}{self.severity} {self.code}: {self.message}{rule}"
