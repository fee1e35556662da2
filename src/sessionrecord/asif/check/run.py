"""All checks in their order, and the report made of them."""

from __future__ import annotations

from collections import ChainMap

from sessionrecord.asif.check.bindings import check_binding_identities, check_bindings, check_disclosure
from sessionrecord.asif.check.branches import check_branches, check_checkpoints, check_heads
from sessionrecord.asif.check.contexts import check_contexts
from sessionrecord.asif.check.core import Core
from sessionrecord.asif.check.coverage import check_coverage
from sessionrecord.asif.check.events import check_events, check_sequence
from sessionrecord.asif.check.gates import check_gates, unsupported
from sessionrecord.asif.check.history import History, fold
from sessionrecord.asif.check.identities import check_identities
from sessionrecord.asif.check.resources import check_resources
from sessionrecord.asif.check.streams import StreamEvidence, check_streams
from sessionrecord.asif.collector import collector_paused
from sessionrecord.asif.document import Document
from sessionrecord.asif.limits import Limits
from sessionrecord.asif.models import CallDescriptor, ToolCallData
from sessionrecord.asif.report import BranchReport, CallReport, CompleteCall, PartialCall, Report
from sessionrecord.diagnostics import Diagnostic, excerpt

__all__ = ["check"]


def check(document: Document, *, limits: Limits | None = None, full_support: bool = False) -> Report:
    """Everything found in a document, and what can be relied on.

    A document with more objects in a collection than `limits` allows is not checked further. With `full_support` a required
    feature whose rules are not checked here makes `ok` false.
    """
    with collector_paused():
        return _check(Core(document, limits or Limits()), full_support)


def _check(core: Core, full_support: bool) -> Report:
    features = unsupported(core)
    if passed := _passed(core):
        return Report([*core.found, *passed], {}, {}, {}, features, full_support)
    check_gates(core)
    check_identities(core)
    check_resources(core)
    check_sequence(core)
    check_branches(core)
    check_binding_identities(core)
    check_events(core)
    check_bindings(core)
    check_contexts(core)
    positions = check_checkpoints(core)
    check_heads(core, positions)
    histories = fold(core, positions)
    check_coverage(core)
    check_disclosure(core)
    streams, evidence = check_streams(core)
    branches, calls = _reports(core, histories, evidence)
    return Report(core.found, streams, branches, calls, features, full_support)


def _passed(core: Core) -> list[Diagnostic]:
    limit = core.limits.records
    if limit is None:
        return []
    sizes = [(("/" + name), name, len(v)) for name, v in core.document.to_wire().items() if isinstance(v, list)]
    sizes += [
        (f"/streams/{place}/segments", f"stream {excerpt(stream.id)}", len(stream.segments))
        for place, stream in core.document.streams.placed()
    ]
    return [
        Diagnostic.of("limit-exceeded", f"{name} has {size} objects, more than {limit}", pointer=pointer)
        for pointer, name, size in sizes
        if size > limit
    ]


def _reports(
    core: Core, histories: dict[str, History], evidence: dict[str, StreamEvidence]
) -> tuple[dict[str, BranchReport], dict[str, CallReport]]:
    external: dict[str, CallReport] = {
        call_id: _external(core, None, call_id, binding.descriptor)
        for call_id, binding in core.document.bindings.calls.items()
        if binding is not None
    }
    branches: dict[str, BranchReport] = {}
    calls: dict[str, CallReport] = {}
    for history in histories.values():
        own: dict[str, CallReport] = {}
        for call_id in history.results.last:
            binding = core.document.bindings.call(call_id)
            if binding is not None:
                own[call_id] = _external(core, history, call_id, binding.descriptor)
        for call_id, event in history.versions.items():
            own[call_id] = _call(core, history, call_id, event.id, event.data, evidence.get(event.id))
        for call_id, call in own.items():
            if call_id not in external or not branches:
                calls.setdefault(call_id, call)
        branches[history.branch.id] = BranchReport(history.branch.id, ChainMap(own, external))
    return branches, {**external, **calls}


def _external(core: Core, history: History | None, call_id: str, descriptor: CallDescriptor) -> CallReport:
    return _call(core, history, call_id, None, descriptor, None)


def _call(
    core: Core,
    history: History | None,
    call_id: str,
    event_id: str | None,
    version: ToolCallData | CallDescriptor,
    evidence: StreamEvidence | None,
) -> CallReport:
    closing = None if history is None else history.outcome(call_id)
    outcome = None if closing is None else closing.data.outcome
    is_open = closing is None
    evidence = evidence or StreamEvidence()
    if version.arguments_status != "complete" or not evidence.whole:
        return PartialCall(
            call_id, version.tool_id, event_id, is_open, outcome, version.arguments_status, evidence.prefix
        )
    sound = call_id not in core.suspect_calls and (history is None or call_id not in history.suspects)
    return CompleteCall(call_id, version.tool_id, event_id, is_open, outcome, version.arguments, is_open and sound)
