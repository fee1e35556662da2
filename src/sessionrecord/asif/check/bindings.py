"""External bindings (feature `asif.external-bindings/0.1`): one for each identity, and what it names is there."""

from __future__ import annotations

from typing import Final

from sessionrecord.asif.check.core import Core
from sessionrecord.asif.check.events import check_options
from sessionrecord.asif.models import CallBinding
from sessionrecord.diagnostics import excerpt

__all__ = ["check_binding_identities", "check_bindings", "check_disclosure"]

_NAME: Final = "external_bindings"


def check_binding_identities(core: Core) -> None:
    """One binding for each kind and ID."""
    root = core.document.to_wire()
    for place in core.document.bindings.duplicates:
        wire = root[_NAME][place]
        message = f"{wire['kind']} {excerpt(wire['id'])} is bound before"
        core.report("binding-duplicate", message, _NAME, place, about=wire["id"])
        if wire["kind"] == "call":
            core.suspect_calls.add(wire["id"])


def check_bindings(core: Core) -> None:
    """The source is not here, the tool, the resources and the options are."""
    document = core.document
    here = (document.session and document.session.id, document.capture and document.capture.id)
    for place, binding in document.bindings.placed():
        source, before = binding.source, len(core.found)
        if (source.session_id, source.capture_id) == here and document.events.find(source.event_id) is not None:
            message = f"event {excerpt(source.event_id)} is of this capture; its history is not missing"
            core.report("binding-source-local", message, _NAME, place, "source", about=binding.id)
        where = (_NAME, place, "descriptor")
        if isinstance(binding, CallBinding):
            core.check_tool(binding.descriptor.tool_id, binding.id, *where, "tool_id")
            if len(core.found) > before:
                core.suspect_calls.add(binding.id)
        else:
            core.check_parts(binding.descriptor.prompt, binding.id, *where, "prompt")
            check_options(core, binding.descriptor.options, binding.id, *where, "options")


def check_disclosure(core: Core) -> None:
    """Coverage must not call whole what bindings show to be missing."""
    document = core.document
    for kind, bound, scope in (
        ("call", document.bindings.calls, "tools"),
        ("request", document.bindings.requests, "decisions"),
    ):
        if not bound:
            continue
        for place, entry in document.coverage.placed():
            if entry.scope in (scope, "conversation") and entry.status in ("complete", "known_empty"):
                message = (
                    f"coverage of {entry.scope} is {entry.status}, but {kind} {excerpt(next(iter(bound)))} is of a history "
                    "that is not included"
                )
                core.report("binding-history-undisclosed", message, "coverage", place, "status", about=entry.scope)
