"""Stored documents and edits of them, each with the errors it must have.

Verdicts are those of the reference checker of ASIF 0.4, with three exceptions where the standard's text rules: `true` and `1` are
two values, an integral `0.0` is an integer, and bindings call for coverage that discloses what is missing (a warning).
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from sessionrecord.asif import CompleteCall, Document, PartialCall
from tests.asif.documents import DATA, checked, edited, parsed, wire_of

STORED: dict[str, list[str]] = {
    "01-valid-tool-call-partial.json": [],
    "02-valid-tool-call-completed.json": [],
    "03-valid-unknown-to-complete.json": [],
    "05-valid-external-call-late-result.json": [],
    "06-invalid-external-duplicates-local-call.json": ["call-identity-duplicate", "call-identity-duplicate"],
    "08-invalid-partial-regresses-to-unknown.json": ["amendment-regressed", "stream-final-call-mismatch"],
    "10-valid-stream-assembled-arguments.json": [],
    "11-invalid-stream-missing-fragment.json": ["stream-status-mismatch"],
}
CORNERS: dict[str, list[str]] = {
    "NFC and NFD forms": ["stream-arguments-mismatch"],
    "NaN in the assembled JSON": ["stream-arguments-invalid"],
    "UTF-8 byte order mark": ["stream-arguments-invalid"],
    "UTF-8 sequence split between segments": [],
    "argument stream bound to a tool_result event, complete": ["stream-final-call-mismatch"],
    "argument stream for an external call": ["stream-event-undeclared"],
    "arguments differ by value": ["stream-arguments-mismatch"],
    "arguments is null": [],
    "array order differs": ["stream-arguments-mismatch"],
    "bindings empty, feature declared": [],
    "complete stream on a call still marked partial": ["stream-final-call-mismatch"],
    "complete text stream": [],
    "empty stream declared complete": ["stream-status-mismatch"],
    "empty stream declared partial": [],
    "escaped and literal form of one string": [],
    "feature declared, streams absent": ["feature-member-missing"],
    "index above 2^53-1": ["integer-invalid"],
    "index true": ["integer-invalid"],
    "indexes start at 1, declared complete": ["stream-status-mismatch"],
    "member order and whitespace differ": [],
    "missing resource": ["segment-resource-missing"],
    "negative offset": ["integer-invalid"],
    "offset written 0.0": [],
    "open external call not listed at the checkpoint": ["open-call-unaccounted"],
    "partial stream on a call with arguments_status complete": ["stream-partial-call-mismatch"],
    "partial stream on a call with arguments_status unknown": ["stream-partial-call-mismatch"],
    "partial text stream, other bytes": [],
    "request binding with a call descriptor": ["member-missing", "member-missing", "member-missing", "result-orphan"],
    "resolution of an external request": [],
    "resource with text and data": ["resource-members"],
    "result has two text parts": ["stream-text-mismatch"],
    "result without its binding": ["result-orphan"],
    "stream -0, arguments 0": [],
    "stream 0, arguments false": ["stream-arguments-mismatch"],
    "stream 0.1, arguments 0.10": [],
    "stream 1.0, arguments 1": [],
    "stream bound to an event without call_id": ["stream-call-mismatch"],
    "stream call_id differs from the event's": ["stream-call-mismatch"],
    "text stream bound to the call event": ["stream-result-mismatch"],
    "text stream on the late result of an external call": [],
    "text stream shorter than the text": ["stream-text-mismatch"],
    "text stream with wrong result_index": ["stream-result-mismatch"],
    "text stream, bytes not UTF-8": ["stream-text-invalid"],
    "tools coverage known_empty with an external call": ["coverage-contradiction"],
    "two JSON values": ["stream-arguments-invalid"],
    "two complete streams on one event": [],
    "unknown binding kind": ["value-invalid"],
    "unknown members on stream and segment": [],
    "unknown stream status": ["value-invalid"],
    "unordered indexes": ["segment-order", "segment-terminal-not-last"],
    "zero assembled bytes, complete argument stream": ["stream-arguments-invalid"],
    "zero-length segment at the end offset": [],
    "zero-length segment past the end": ["segment-span-outside"],
}
LITERALS = {'"@NUM1.0"': "1.0", '"@NUM0.0"': "0.0", '"@OBJ0.10"': '{"n":0.10}'}
CASES: list[dict[str, Any]] = json.loads((DATA / "corner-cases.json").read_text("utf-8"))


def corner(case: dict[str, Any]) -> Document:
    edits = [("".join(f"/{step}" for step in e["path"]), ... if e.get("remove") else e["value"]) for e in case["edits"]]
    text = json.dumps(edited(wire_of(case["base"]), *edits))
    for placeholder, literal in LITERALS.items():
        text = text.replace(placeholder, literal)
    return Document.parse(text.encode())


@pytest.mark.parametrize("name", STORED)
def test_a_stored_document_has_the_errors_of_its_verdict(name: str) -> None:
    report = checked(wire_of(name))
    assert [f.code for f in report.findings if f.severity == "error"] == STORED[name]
    assert report.ok == name[3:].startswith("valid")


def test_every_corner_case_has_a_verdict() -> None:
    assert [c["name"] for c in CASES] == list(CORNERS)


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["name"])
def test_a_corner_case_has_the_errors_of_its_verdict(case: dict[str, Any]) -> None:
    report = corner(case).check()
    assert [f.code for f in report.findings if f.severity == "error"] == CORNERS[case["name"]]
    assert {f.code for f in report.findings if f.severity != "error"} <= {
        "binding-history-undisclosed",
        "integer-not-plain",
    }
    for stream_id, state in case.get("streams", {}).items():
        stream = report.streams[stream_id]
        assert {"status": stream.status, "contiguous_bytes": stream.contiguous_bytes} == state


def test_an_integral_number_in_another_form_is_kept_and_told() -> None:
    document = corner(next(c for c in CASES if c["name"] == "offset written 0.0"))
    assert [(f.code, f.pointer) for f in document.check().findings] == [
        ("integer-not-plain", "/streams/1/segments/1/offset")
    ]
    assert document.streams[1].segments[1].offset == 0
    assert b'"offset": 0.0' in document.to_bytes()


def test_a_partial_call_has_no_arguments_to_act_on() -> None:
    """Standard, stream assembly: a partial argument stream "cannot be used as an executable call"."""
    report = checked(wire_of("01-valid-tool-call-partial.json"))
    call = report.calls["call-1"]
    assert isinstance(call, PartialCall)
    assert (call.arguments_status, call.open, call.executable) == ("partial", True, False)
    assert call.partial_bytes == b'{"document_id":"meeting-'
    assert not hasattr(call, "arguments")
    assert "meeting" not in repr(call)
    assert report.streams["stream-partial"].executable is False


def test_an_amended_call_has_the_arguments_of_its_last_version_and_its_result() -> None:
    report = checked(wire_of("02-valid-tool-call-completed.json"))
    call = report.calls["call-1"]
    assert isinstance(call, CompleteCall)
    assert (call.arguments, call.arguments_status) == ({"document_id": "meeting-42"}, "complete")
    assert (call.event_id, call.open, call.outcome, call.executable) == ("call-complete", False, "success", False)
    assert report.branches["main"].calls["call-1"] == call
    assert [(s.status, s.contiguous_bytes) for s in report.streams.values()] == [("partial", 24), ("complete", 28)]


def test_an_open_complete_call_is_executable_until_something_contradicts_it() -> None:
    wire = wire_of("02-valid-tool-call-completed.json")
    opened = edited(
        wire,
        ("/events/3", ...),
        ("/branches/0/event_ids/3", ...),
        ("/branches/0/head_event_id", "call-complete"),
        ("/checkpoints/0/at_event_id", "call-complete"),
        ("/checkpoints/0/open_calls", [{"call_id": "call-1", "state": "pending"}]),
        ("/contexts/1", ...),
    )
    report = checked(opened)
    assert report.ok
    assert report.calls["call-1"].executable
    contradicted = checked(edited(opened, ("/streams/1/segments/1/terminal", False))).calls["call-1"]
    assert isinstance(contradicted, PartialCall)
    unreadable = checked(edited(opened, ("/streams/1/status", "whole"))).calls["call-1"]
    assert isinstance(unreadable, PartialCall)


def test_an_external_call_answers_a_late_result_and_has_no_event() -> None:
    """Standard, external bindings: the source stays external history; no local event is synthesized."""
    wire = wire_of("05-valid-external-call-late-result.json")
    document = parsed(wire)
    report = document.check()
    call = report.calls["call-1"]
    assert isinstance(call, CompleteCall)
    assert (call.external, call.event_id, call.open, call.outcome) == (True, None, False, "success")
    assert document.bindings.call("call-1") is document.bindings[0]
    assert document.bindings.call("call-2") is None
    assert document.bindings.request("call-1") is None
    assert {f.code for f in report.findings} == {"binding-history-undisclosed"}
