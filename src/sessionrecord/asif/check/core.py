"""What the checks share: the document, the limits, what was found, and who is under suspicion."""

from __future__ import annotations

from typing import Any

from sessionrecord import ijson
from sessionrecord.asif.document import Document
from sessionrecord.asif.limits import Limits
from sessionrecord.asif.models import (
    DecisionRequest,
    EventReference,
    OpaquePart,
    Part,
    ResourcePart,
    ToolCall,
    UnknownPart,
)
from sessionrecord.diagnostics import Diagnostic, Severity, excerpt

__all__ = ["Core"]


class Core:
    """A check in progress."""

    def __init__(self, document: Document, limits: Limits) -> None:
        self.document, self.limits = document, limits
        self.found: list[Diagnostic] = list(document.findings)
        self.suspect_calls: set[str] = set()
        """Calls whose identity or versions are in doubt: never executable."""
        self.calls: dict[str, ToolCall] = {}
        """The first local event of each call."""
        self.requests: dict[str, DecisionRequest] = {}
        """The first local event of each decision request."""
        self.unreadable_calls: set[str] = set()
        self.unreadable_requests: set[str] = set()
        self.identities_certain = document.events.certain and document.bindings.certain
        """Whether every call and request that may be known is known: without that nothing is called an orphan."""
        self._note_unreadable()
        self.orphans: set[str] = set()
        """Events that no history can place."""
        self.coverage: dict[str, str] = {}
        """Scope to status."""
        for entry in document.coverage:
            self.coverage.setdefault(entry.scope, entry.status)

    def report(
        self, code: str, message: str, *place: str | int, severity: Severity | None = None, about: str | None = None
    ) -> None:
        """A finding at a place of the document; `about` is the ID of the object that it is about."""
        self.found.append(
            Diagnostic.of(code, message, severity=severity, pointer=ijson.pointer(*place), record_id=about)
        )

    def ids_of(self, name: str) -> set[str] | None:
        """The IDs of a collection that is kept as given; None if they cannot all be read."""
        value = self.document.to_wire().get(name)
        if not isinstance(value, list):
            return None
        ids = {item["id"] for item in value if isinstance(item, dict) and isinstance(item.get("id"), str)}
        return ids if all(isinstance(i, dict) and isinstance(i.get("id"), str) for i in value) else None

    def check_reference(self, reference: EventReference, about: str, *place: str | int) -> None:
        """The rules of an event reference (ASIF 0.4, event reference)."""
        if (reference.session_id is None) != (reference.capture_id is None):
            message = "session_id and capture_id come together or not at all"
            self.report("event-reference-incomplete", message, *place, about=about)
        elif reference.local and not self.document.events.declares(reference.event_id):
            message = f"event {excerpt(reference.event_id)} is not in the document"
            self.report("event-reference-missing", message, *place, "event_id", about=about)

    def check_parts(self, parts: list[Part] | None, about: str, *place: str | int) -> None:
        """The rules of parts: a kind that is defined, a resource that is declared."""
        for i, part in enumerate(parts or ()):
            if isinstance(part, UnknownPart):
                self.report("kind-unknown", f"no part is of kind {excerpt(part.kind)}", *place, i, "kind", about=about)
            elif isinstance(part, ResourcePart | OpaquePart):
                self.check_resource(part.resource_id, about, *place, i, "resource_id")

    def check_resource(self, resource_id: str, about: str, *place: str | int) -> None:
        """A resource that is named must be declared; it need not be embedded."""
        if not self.document.resources.declares(resource_id):
            message = f"no resource {excerpt(resource_id)} is declared"
            self.report("resource-undeclared", message, *place, about=about)

    def check_tool(self, tool_id: str, about: str, *place: str | int) -> None:
        """A tool that is called must be declared."""
        if not self.document.tools.declares(tool_id):
            self.report("tool-undeclared", f"no tool {excerpt(tool_id)} is declared", *place, about=about)

    def call_known(self, call_id: str) -> bool:
        """Whether a call is local or external, or may be."""
        return (
            call_id in self.calls
            or call_id in self.document.bindings.calls
            or call_id in self.unreadable_calls
            or not self.identities_certain
        )

    def request_known(self, request_id: str) -> bool:
        """Whether a decision request is local or external, or may be."""
        return (
            request_id in self.requests
            or request_id in self.document.bindings.requests
            or request_id in self.unreadable_requests
            or not self.identities_certain
        )

    def _note_unreadable(self) -> None:
        for item in self.document.events.invalid:
            value = item.value if isinstance(item.value, dict) else {}
            data: Any = value.get("data")
            data = data if isinstance(data, dict) else {}
            kind = value.get("kind")
            name = {"tool_call": "call_id", "decision_request": "request_id"}.get(kind) if isinstance(kind, str) else ""
            if name is None:
                continue
            identity = data.get(name)
            if isinstance(identity, str):
                (self.unreadable_calls if name == "call_id" else self.unreadable_requests).add(identity)
            else:
                self.identities_certain = False
        for item in self.document.bindings.invalid:
            if isinstance(item.value, dict) and item.value.get("kind") not in ("call", "request"):
                self.identities_certain = False
