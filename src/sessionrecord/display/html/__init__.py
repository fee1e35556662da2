"""What notebooks show of sessions, views, records and reports: HTML that needs no script and fetches nothing.

Objects give it by `_repr_html_`; here is what those methods call, and `session_page`, a session as a page of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from sessionrecord.diagnostics import Diagnostic
from sessionrecord.display.html import findings as _findings
from sessionrecord.display.html import left_out as _left_out
from sessionrecord.display.html import usage as _usage
from sessionrecord.display.html.blocks import BLOCKS, block_parts
from sessionrecord.display.html.chain import chain as _chain
from sessionrecord.display.html.context import context as _context
from sessionrecord.display.html.conversion import conversion as _conversion
from sessionrecord.display.html.differences import context_diff as _context_diff
from sessionrecord.display.html.differences import session_diff as _session_diff
from sessionrecord.display.html.evidence import evidence as _evidence
from sessionrecord.display.html.page import Page, fragment, session_page
from sessionrecord.display.html.records import card, wire_object
from sessionrecord.display.html.room import NOTEBOOK, PAGE, Limits, Omission, Room
from sessionrecord.display.html.session import session as _session
from sessionrecord.display.html.several import several as _several
from sessionrecord.display.html.several import tool_use as _tool_use
from sessionrecord.display.html.several import turn as _turn
from sessionrecord.records import InvalidRecord, Record, WireModel
from sessionrecord.records.envelope import EnvelopeModel
from sessionrecord.session import (
    ContextDiff,
    ContextView,
    Declared,
    Info,
    RevisionChain,
    Session,
    SessionAt,
    SessionDiff,
    ToolUse,
    Turn,
    UsageTotals,
)
from sessionrecord.validate import RepairReport, ValidationReport

__all__ = [
    "NOTEBOOK", "PAGE", "Limits", "Omission", "Page", "chain_html", "context_diff_html", "context_html", "conversion_html",
    "declared_html", "evidence_html", "findings_html", "info_html", "losses_html", "model_html", "removals_html", "repair_html",
    "session_diff_html", "session_html", "session_page", "several_html", "tool_use_html", "turn_html", "usage_html",
    "validation_html",
]  # fmt: skip


def session_html(of: Session | SessionAt) -> str:
    """A session: its head, and its first and last records."""
    return fragment(_session(of, Room(NOTEBOOK, "session")))


def context_html(view: ContextView) -> str:
    """A context view: its items, and what is not there."""
    return fragment(_context(view, Room(NOTEBOOK, "view")))


def chain_html(revisions: RevisionChain) -> str:
    """A revision chain: each revision, and what differs."""
    return fragment(_chain(revisions, Room(NOTEBOOK, "chain")))


def several_html(items: Sequence[object]) -> str:
    """Records, entities or items in a row."""
    return fragment(_several(items, Room(NOTEBOOK, "items")))


def tool_use_html(use: ToolUse) -> str:
    """A tool call with what is recorded about it."""
    return fragment(_tool_use(use, Room(NOTEBOOK, "use.results")))


def turn_html(of: Turn) -> str:
    """The records of a turn."""
    return fragment(_turn(of, Room(NOTEBOOK, "turn.records")))


def model_html(model: WireModel | InvalidRecord) -> str:
    """A record, a content block, or any other object of the wire."""
    if isinstance(model, InvalidRecord):
        return fragment(card(model, Room(NOTEBOOK, "record")))
    if isinstance(model, EnvelopeModel):
        return fragment(card(cast("Record", model), Room(NOTEBOOK, "record")))
    if isinstance(model, BLOCKS):
        return fragment(block_parts(model, Room(NOTEBOOK, "block")))
    return fragment(wire_object(model.to_wire(), type(model).__name__, Room(NOTEBOOK, "object")))


def findings_html(diagnostics: Sequence[Diagnostic]) -> str:
    """Diagnostics, a row for each."""
    return fragment(_findings.findings(diagnostics, Room(NOTEBOOK, "diagnostics")))


def usage_html(totals: UsageTotals) -> str:
    """Usage totals."""
    return fragment(_usage.usage(totals, Room(NOTEBOOK, "usage")))


def declared_html(values: Declared) -> str:
    """Effective values."""
    return fragment(_usage.declared(values, Room(NOTEBOOK, "declared")))


def info_html(values: Info) -> str:
    """What people call a session."""
    return fragment(_usage.info(values, Room(NOTEBOOK, "info")))


def validation_html(report: ValidationReport) -> str:
    """The report of a validation."""
    return fragment(_findings.validation(report, Room(NOTEBOOK, "report.diagnostics")))


def repair_html(report: RepairReport) -> str:
    """The report of a repair."""
    return fragment(_findings.repair(report, Room(NOTEBOOK, "report")))


def conversion_html(report: dict[str, Any]) -> str:
    """The report of a conversion, given as its JSON object."""
    return fragment(_conversion(report, Room(NOTEBOOK, "report")))


def losses_html(report: dict[str, Any]) -> str:
    """The loss report of an export, given as its JSON object."""
    return fragment(_left_out.losses(report, Room(NOTEBOOK, "report.losses")))


def removals_html(report: dict[str, Any]) -> str:
    """The report of a redaction, given as its JSON object."""
    return fragment(_left_out.removals(report, Room(NOTEBOOK, "report.removals")))


def evidence_html(report: dict[str, Any], diagnostics: Sequence[Diagnostic]) -> str:
    """The report of a check of an ASIF document, given as its JSON object and its findings."""
    return fragment(_evidence(report, diagnostics, Room(NOTEBOOK, "report.findings")))


def session_diff_html(diff: SessionDiff) -> str:
    """Two sessions compared."""
    return fragment(_session_diff(diff, Room(NOTEBOOK, "diff")))


def context_diff_html(diff: ContextDiff) -> str:
    """Two context views compared."""
    return fragment(_context_diff(diff, Room(NOTEBOOK, "diff")))
