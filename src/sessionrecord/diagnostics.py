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
    "line-too-long": CodeInfo("error", "the line is longer than the reader was told to hold; it is skipped"),
    "compression-broken": CodeInfo("error", "the compressed source is cut short or damaged; what came before is read"),
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
    "stream-restarted": CodeInfo("info", "the file that is followed was cut short, written anew or replaced"),
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
    # ASIF: documents
    "integer-not-plain": CodeInfo("warning", "an integer is written in another form than digits, such as 1.0"),
    "version-unsupported": CodeInfo("error", "the version of the format is not known"),
    "feature-undeclared": CodeInfo("error", "a member is there whose feature is not required"),
    "feature-member-missing": CodeInfo("error", "a feature is required whose member is not there"),
    "kind-unknown": CodeInfo("error", "the format defines no such kind"),
    "resource-members": CodeInfo("error", "a resource's members do not fit its availability"),
    "resource-path-collision": CodeInfo("error", "two paths are one file on some systems"),
    "resource-undeclared": CodeInfo("error", "a part or an event names no declared resource"),
    "tool-undeclared": CodeInfo("error", "a call names no declared tool"),
    "actor-undeclared": CodeInfo("error", "an event's actor is not a participant"),
    "execution-undeclared": CodeInfo("error", "an event's execution is not declared"),
    # ASIF: events
    "sequence-not-ascending": CodeInfo("error", "an event's sequence is not above all earlier ones"),
    "event-reference-incomplete": CodeInfo("error", "an event reference has one of session_id and capture_id"),
    "event-reference-missing": CodeInfo("error", "a local event reference names no event"),
    "cause-repeated": CodeInfo("error", "an event names a cause twice"),
    "cause-not-earlier": CodeInfo("error", "a cause is not earlier than its effect"),
    "cause-order": CodeInfo("error", "a branch has an effect before its cause"),
    "provenance-incomplete": CodeInfo("error", "derived or synthetic provenance needs method and inputs"),
    "supersession-invalid": CodeInfo("error", "an event may supersede only an earlier one of its kind"),
    "result-outcome": CodeInfo("error", "a result that is not terminal has no outcome"),
    "option-repeated": CodeInfo("error", "two options of a request have one ID"),
    "task-reference-incomplete": CodeInfo("error", "a request has one of task_id and task_revision"),
    "task-dependency-repeated": CodeInfo("error", "a task names a dependency twice"),
    "extension-undeclared": CodeInfo("error", "an extension that must be interpreted is no required feature"),
    # ASIF: calls and decisions
    "call-identity-duplicate": CodeInfo("error", "a call ID is used for a second call"),
    "amendment-predecessor-external": CodeInfo("error", "an amendment's predecessor is not in the document"),
    "amendment-changed-invocation": CodeInfo("error", "an amendment changes the call ID or the tool"),
    "amendment-changed-retry": CodeInfo("error", "an amendment changes which call is retried"),
    "amendment-changed-actor": CodeInfo("error", "an amendment changes the actor or the execution"),
    "amendment-of-complete": CodeInfo("error", "a call whose arguments are complete is amended"),
    "amendment-regressed": CodeInfo("error", "an amendment knows less of the arguments"),
    "retry-of-itself": CodeInfo("error", "a call retries itself"),
    "request-identity-duplicate": CodeInfo("error", "a request ID is used for a second request"),
    "result-orphan": CodeInfo("error", "a result's call is neither local nor external"),
    "resolution-orphan": CodeInfo("error", "a resolution's request is neither local nor external"),
    # ASIF: external bindings
    "binding-duplicate": CodeInfo("error", "a call or request is bound twice"),
    "binding-source-local": CodeInfo("error", "a binding's source is an event of this document"),
    "binding-history-undisclosed": CodeInfo(
        "warning", "coverage says that history is whole which a binding shows to be missing"
    ),
    # ASIF: histories
    "context-result-orphan": CodeInfo("error", "a context's result has no call in the same context"),
    "branch-event-undeclared": CodeInfo("error", "a branch names no declared event"),
    "branch-event-repeated": CodeInfo("error", "a branch names an event twice"),
    "branch-head-mismatch": CodeInfo("error", "a branch's head is not its last event"),
    "checkpoint-branch-undeclared": CodeInfo("error", "a checkpoint names no declared branch"),
    "checkpoint-position": CodeInfo("error", "a checkpoint's event is not on its branch"),
    "checkpoint-at-head": CodeInfo("error", "a branch has not exactly one checkpoint at its head"),
    "call-versions-conflict": CodeInfo("error", "a history selects versions of a call that do not follow each other"),
    "result-after-terminal": CodeInfo("error", "a result follows the terminal one"),
    "result-order": CodeInfo("error", "a result's index is not above the one before"),
    "decision-call-missing": CodeInfo("error", "a decision is about a call that the history does not have"),
    "resolution-contradiction": CodeInfo("error", "a request is resolved twice"),
    "decision-option-unknown": CodeInfo("error", "a resolution selects no option of its request"),
    "checkpoint-call-not-open": CodeInfo("error", "a checkpoint lists a call that is not open"),
    "checkpoint-decision-not-open": CodeInfo("error", "a checkpoint lists a decision that is not open"),
    "open-call-unaccounted": CodeInfo("error", "a checkpoint leaves out an open call"),
    "open-decision-unaccounted": CodeInfo("error", "a checkpoint leaves out an open decision"),
    "coverage-scope": CodeInfo("error", "coverage has not exactly one entry a scope"),
    "coverage-contradiction": CodeInfo("error", "coverage calls a scope empty that holds data"),
    # ASIF: streams
    "stream-event-undeclared": CodeInfo("error", "a stream binds no declared event"),
    "stream-call-mismatch": CodeInfo("error", "a stream's call is not its event's"),
    "stream-result-mismatch": CodeInfo("error", "a stream's result is not its event's"),
    "stream-status-mismatch": CodeInfo("error", "a stream's status is not what its segments give"),
    "stream-final-call-mismatch": CodeInfo("error", "a complete argument stream binds a call that is not complete"),
    "stream-partial-call-mismatch": CodeInfo("error", "a partial argument stream binds a call that is not partial"),
    "stream-arguments-invalid": CodeInfo("error", "a complete argument stream is not one JSON text"),
    "stream-arguments-mismatch": CodeInfo("error", "a complete argument stream is not the call's arguments"),
    "stream-text-invalid": CodeInfo("error", "a complete text stream is not UTF-8"),
    "stream-text-mismatch": CodeInfo("error", "a complete text stream is not the result's single text part"),
    "assembled-result-extra-members": CodeInfo("warning", "the text part that a stream equals has other members too"),
    # ASIF: resources
    "resource-base64-invalid": CodeInfo("error", "a resource's data is not strict base64"),
    "resource-size-mismatch": CodeInfo("error", "a resource has another number of bytes than declared"),
    "resource-digest-mismatch": CodeInfo("error", "a resource has another SHA-256 than declared"),
    "resource-path-unsafe": CodeInfo("error", "a resource's path may leave the document's folder"),
    "resource-path-nonportable": CodeInfo("error", "a resource's path is no file name on every system"),
    "resource-file-unreadable": CodeInfo("error", "a resource's file cannot be read"),
    "limit-exceeded": CodeInfo("error", "a limit of size or number is passed"),
    # ASIF: assembling a stream
    "segment-index-repeated": CodeInfo("error", "two segments of a stream have one index"),
    "segment-order": CodeInfo("error", "segments are not in the order of their indexes"),
    "segment-terminal-repeated": CodeInfo("error", "a stream has more than one terminal segment"),
    "segment-terminal-not-last": CodeInfo("error", "a segment follows the terminal one"),
    "segment-resource-missing": CodeInfo("error", "a segment names no declared resource"),
    "segment-bytes-unavailable": CodeInfo("error", "a segment names a resource that is not embedded"),
    "segment-span-outside": CodeInfo("error", "a segment's span is outside its resource"),
    "segment-conflict": CodeInfo("error", "a segment came again with other bytes or another terminal flag"),
    "stream-partial": CodeInfo("error", "the whole of a partial stream is asked for"),
    # ASIF: comparing two captures
    "session-differs": CodeInfo("error", "two captures are of different sessions"),
    "capture-changed": CodeInfo("error", "two documents of one capture differ"),
    "evidence-missing": CodeInfo("warning", "the later capture does not hold what the earlier one does"),
    "evidence-changed": CodeInfo("error", "the later capture changes an event, a resource or a stream"),
    "partial-relabeled": CodeInfo("error", "the later capture calls a partial call or stream complete"),
    "call-not-amended": CodeInfo("error", "a known call is there again and amends no version of it"),
    "call-stream-missing": CodeInfo("error", "streamed arguments became complete without a new stream"),
    "binding-source-differs": CodeInfo("error", "a binding says other than its source event"),
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
