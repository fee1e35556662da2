"""What a check found, and what a reader may rely on: streams, calls, branches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from sessionrecord import ijson
from sessionrecord.asif.rules import SOURCES
from sessionrecord.diagnostics import CODES, Diagnostic

__all__ = ["BranchReport", "CallReport", "CompleteCall", "PartialCall", "Report", "StreamReport"]


@dataclass(frozen=True, slots=True)
class StreamReport:
    """What the segments of a stream give. A stream is evidence and never executable."""

    id: str
    """The stream."""
    kind: Literal["tool_arguments", "tool_result_text"]
    """What is streamed."""
    event_id: str
    """The event that it binds."""
    status: Literal["complete", "partial"]
    """As computed from the segments, whatever the stream declares."""
    contiguous_bytes: int
    """Length of the known prefix in bytes."""
    missing_indexes: tuple[range, ...]
    """Indexes below the highest known one that no segment has."""
    ok: bool
    """Whether nothing is wrong with the stream and the resources that it uses."""

    @property
    def executable(self) -> Literal[False]:
        """Never."""
        return False


@dataclass(frozen=True, slots=True)
class _Call:
    call_id: str
    """The invocation."""
    tool_id: str
    """The tool."""
    event_id: str | None
    """The event of the selected version; None for an external call, which has none here."""
    open: bool
    """Whether no terminal result closes it."""
    outcome: Literal["success", "error", "cancelled", "unknown"] | None
    """The outcome of the terminal result; None if there is none."""

    @property
    def external(self) -> bool:
        """Whether the call was made in another capture."""
        return self.event_id is None


@dataclass(frozen=True, slots=True)
class CompleteCall(_Call):
    """A call of which all arguments are known, and every stream of them agrees."""

    arguments: ijson.JsonValue
    """The arguments of the selected version."""
    executable: bool
    """Whether it is open and nothing is wrong with its versions, results and streams. Nobody is asked to execute it."""

    @property
    def arguments_status(self) -> Literal["complete"]:
        """Always `complete`."""
        return "complete"


@dataclass(frozen=True, slots=True)
class PartialCall(_Call):
    """A call of which not all arguments are known for certain. It has no arguments to act on."""

    arguments_status: Literal["partial", "unknown", "complete"]
    """As recorded; `complete` where a stream contradicts it."""
    partial_bytes: bytes = field(repr=False)
    """The known beginning of the arguments' text, from a stream of the selected version; empty if there is none."""

    @property
    def executable(self) -> Literal[False]:
        """Never."""
        return False


CallReport: TypeAlias = CompleteCall | PartialCall
"""A call as a history has it. Only a `CompleteCall` has arguments."""


@dataclass(frozen=True, slots=True)
class BranchReport:
    """The state at the head of a branch."""

    id: str
    """The branch."""
    calls: Mapping[str, CallReport]
    """The calls by ID: external ones, and those that the branch selects."""


@dataclass(frozen=True, slots=True)
class Report:
    """What a check found."""

    findings: list[Diagnostic]
    """Everything found, in the order of the checks; `rules.SOURCES` tells where the rule of each code comes from."""
    streams: dict[str, StreamReport]
    """The streams by ID, the first of each."""
    branches: dict[str, BranchReport]
    """The branches by ID, the first of each."""
    calls: dict[str, CallReport]
    """The calls by ID, each as the first branch that knows it has it at its head; `branches` has all."""
    unsupported_features: list[str]
    """Required features, or the version, whose rules are not checked here."""
    full_support: bool = False
    """Whether `ok` asks for the support of every required feature."""

    @property
    def ok(self) -> bool:
        """Whether no finding is an error and, if asked for, every required feature is supported."""
        return not any(f.severity == "error" for f in self.findings) and not (
            self.full_support and self.unsupported_features
        )

    def to_dict(self) -> dict[str, Any]:
        """The report as a JSON object. Calls have no arguments there: they are evidence to look at."""
        return {
            "ok": self.ok,
            "findings": [
                {**f.to_dict(), "rule": CODES[f.code].summary, "source": SOURCES[f.code]} for f in self.findings
            ],
            "streams": {
                s.id: {"status": s.status, "contiguous_bytes": s.contiguous_bytes, "executable": False, "ok": s.ok}
                for s in self.streams.values()
            },
            "calls": {
                c.call_id: {
                    "tool_id": c.tool_id,
                    "event_id": c.event_id,
                    "external": c.external,
                    "arguments_status": c.arguments_status,
                    "open": c.open,
                    "outcome": c.outcome,
                    "executable": c.executable,
                }
                for c in self.calls.values()
            },
            "unsupported_features": self.unsupported_features,
        }

    def __repr__(self) -> str:
        counts = f"{len(self.findings)} findings, {len(self.streams)} streams, {len(self.calls)} calls"
        return f"<Report {'ok' if self.ok else 'not ok'}: {counts}>"

    def _repr_html_(self) -> str:
        from sessionrecord.display.html import evidence_html  # displays rest on sessions

        return evidence_html(self.to_dict(), self.findings)
