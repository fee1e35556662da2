"""Two captures of one session: whether the later one keeps the evidence of the earlier one.

A capture is immutable, and so is what it observed. A later capture may add to it or leave something out; it never changes an
event, a resource or a stream. That a partial call became complete is new evidence: a new event that amends the call and, where
its arguments were streamed, a new stream.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, Protocol, TypeAlias

from sessionrecord import ijson
from sessionrecord.asif.equality import first_difference, json_equal
from sessionrecord.diagnostics import Diagnostic, excerpt

__all__ = ["Capture", "compare"]

_Object: TypeAlias = Mapping[str, Any]

_EVIDENCE: Final = {"events": "event", "resources": "resource", "streams": "stream"}
_DESCRIPTORS: Final = {
    "call": ("tool_call", "call_id", ("tool_id", "arguments", "arguments_status")),
    "request": ("decision_request", "request_id", ("decision_kind", "prompt", "options")),
}
"""Binding kind to the kind of its source event, the member that holds its identity, and those its descriptor repeats."""


class Capture(Protocol):
    """A document that can be compared."""

    def to_wire(self) -> dict[str, Any]:
        """The members of the root object."""
        ...


def compare(earlier: Capture, later: Capture) -> list[Diagnostic]:
    """What the later capture of a session does to the evidence of the earlier one; an empty list if nothing.

    `record_id` is the ID of the event, resource, stream or binding. A pointer leads into the later document; for evidence that is
    missing there, into the earlier one.
    """
    before, after = earlier.to_wire(), later.to_wire()
    if _identity(before, "session") != _identity(after, "session"):
        message = f"the earlier capture is of session {excerpt(_identity(before, 'session'))}, the later one is not"
        return [Diagnostic.of("session-differs", message, pointer="/session/id")]
    findings: list[Diagnostic] = []
    if _identity(before, "capture") == _identity(after, "capture"):
        difference = first_difference(after, before)
        if difference is not None:
            message = f"capture {excerpt(_identity(after, 'capture'))} differs; what is captured later has another ID"
            findings.append(Diagnostic.of("capture-changed", message, pointer=difference))
    progression = _Progression(before, after)
    for collection in _EVIDENCE:
        findings.extend(_retained(collection, before, after, progression.amended))
    findings.extend(progression.findings)
    findings.extend(_bindings(before, after))
    return findings


def _identity(document: _Object, member: str) -> object:
    holder = document.get(member)
    return holder.get("id") if isinstance(holder, dict) else None


def _items(document: _Object, collection: str) -> Iterator[tuple[int, _Object]]:
    """The objects of a collection with their positions; anything else in it is for a check of the document."""
    items = document.get(collection)
    for position, item in enumerate(items if isinstance(items, list) else ()):
        if isinstance(item, dict) and isinstance(item.get("id"), str):
            yield position, item


def _by_id(document: _Object, collection: str) -> dict[str, tuple[int, _Object]]:
    found: dict[str, tuple[int, _Object]] = {}
    for position, item in _items(document, collection):
        found.setdefault(item["id"], (position, item))
    return found


def _data(event: _Object) -> _Object:
    data = event.get("data")
    return data if isinstance(data, dict) else {}


def _text(holder: _Object, member: str) -> str | None:
    value = holder.get(member)
    return value if isinstance(value, str) else None


def _retained(collection: str, before: _Object, after: _Object, amended: set[str]) -> Iterator[Diagnostic]:
    kept = _by_id(after, collection)
    for identity, (position, item) in _by_id(before, collection).items():
        shown = f"{_EVIDENCE[collection]} {excerpt(identity)}"
        if identity not in kept:
            needed = _text(item if collection == "streams" else _data(item), "call_id") in amended
            message = f"{shown} of the earlier capture is not in the later one"
            yield Diagnostic.of(
                "evidence-missing",
                f"{message}, which amends its call" if needed else message,
                severity="error" if needed else None,
                pointer=ijson.pointer(collection, position),
                record_id=identity,
            )
            continue
        where, other = kept[identity]
        difference = first_difference(other, item)
        if difference is None:
            continue
        code, message = "evidence-changed", f"{shown} differs from that of the earlier capture"
        if _was_completed(collection, item, other):
            code, message = "partial-relabeled", f"{shown} was not complete in the earlier capture and is never made so"
        place = ijson.pointer(collection, where) + difference
        yield Diagnostic.of(code, message, pointer=place, record_id=identity)


def _was_completed(collection: str, item: _Object, other: _Object) -> bool:
    if collection == "streams":
        return item.get("status") == "partial" and other.get("status") == "complete"
    status = "arguments_status"
    return (
        collection == "events"
        and _data(item).get(status) in ("partial", "unknown")
        and _data(other).get(status) == "complete"
    )


def _calls(document: _Object) -> Iterator[tuple[int, _Object, str]]:
    for position, event in _items(document, "events"):
        call_id = _text(_data(event), "call_id")
        if event.get("kind") == "tool_call" and call_id is not None:
            yield position, event, call_id


class _Progression:
    """The new versions of the earlier capture's calls: each amends one, and has a stream where the earlier one had."""

    def __init__(self, before: _Object, after: _Object) -> None:
        self.amended: set[str] = set()
        """Calls of the earlier capture that the later one amends."""
        self.findings: list[Diagnostic] = []
        known = {event["id"]: call_id for _, event, call_id in _calls(before)}
        identities = set(known.values())
        streamed = set(_argument_streams(before, "partial"))
        completed = set(_argument_streams(after, "complete"))
        versions = dict(known)  # a predecessor comes first, so one pass finds every chain
        fragments = {event_id: event_id in streamed for event_id in known}
        for position, event, call_id in _calls(after):
            identity = event["id"]
            if identity in known or call_id not in identities:
                continue
            supersedes = event.get("supersedes")
            predecessor = _text(supersedes, "event_id") if isinstance(supersedes, dict) else None
            if predecessor is None or versions.get(predecessor) != call_id:
                message = f"event {excerpt(identity)} repeats call {excerpt(call_id)} and amends no version of it"
                self._find("call-not-amended", message, position, identity)
                continue
            self.amended.add(call_id)
            versions[identity] = call_id
            fragments[identity] = fragments[predecessor] and identity not in completed
            if fragments[identity] and _data(event).get("arguments_status") == "complete":
                message = (
                    f"event {excerpt(identity)} completes streamed arguments, and no complete stream is bound to it"
                )
                self._find("call-stream-missing", message, position, identity)

    def _find(self, code: str, message: str, position: int, event_id: str) -> None:
        place = ijson.pointer("events", position)
        self.findings.append(Diagnostic.of(code, message, pointer=place, record_id=event_id))


def _argument_streams(document: _Object, status: str) -> Iterator[str]:
    """IDs of the events that have an argument stream of this status."""
    for _, stream in _items(document, "streams"):
        event_id = _text(stream, "event_id")
        if stream.get("kind") == "tool_arguments" and stream.get("status") == status and event_id is not None:
            yield event_id


def _bindings(before: _Object, after: _Object) -> Iterator[Diagnostic]:
    """A binding whose source is the earlier capture says what the event there says."""
    events = _by_id(before, "events")
    source = {"session_id": _identity(before, "session"), "capture_id": _identity(before, "capture")}
    for position, binding in _items(after, "external_bindings"):
        named, kind = binding.get("source"), _text(binding, "kind")
        if not isinstance(named, dict) or any(named.get(m) != v for m, v in source.items()):
            continue
        if kind not in _DESCRIPTORS:
            continue
        place = ijson.pointer("external_bindings", position)
        _, event = events.get(_text(named, "event_id") or "", (0, {}))
        event_kind, identity, members = _DESCRIPTORS[kind]
        if event.get("kind") != event_kind or _data(event).get(identity) != binding["id"]:
            message = f"the source of {kind} {excerpt(binding['id'])} is no {event_kind} of it in the earlier capture"
            yield Diagnostic.of("binding-source-differs", message, pointer=place + "/source", record_id=binding["id"])
            continue
        descriptor = binding.get("descriptor")
        if not isinstance(descriptor, dict):
            continue
        for member in members:
            if not json_equal(descriptor.get(member), _data(event).get(member)):
                message = f"{member} of {kind} {excerpt(binding['id'])} differs from its source event"
                where = f"{place}/descriptor/{member}"
                yield Diagnostic.of("binding-source-differs", message, pointer=where, record_id=binding["id"])
