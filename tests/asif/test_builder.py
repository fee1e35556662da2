"""Building documents: what is computed, what is taken over, what is refused."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessionrecord import ijson
from sessionrecord.asif.assembly import StreamAssembler
from sessionrecord.asif.builder import DocumentBuilder
from sessionrecord.asif.compare import compare
from sessionrecord.asif.document import Document
from sessionrecord.asif.equality import json_equal
from sessionrecord.asif.limits import Limits
from sessionrecord.asif.models import Tool, ToolCallData
from sessionrecord.errors import BuildError
from tests.asif.minimal import CAPTURE, PROVENANCE, Wire, checkpoint, minimal
from tests.strategies import json_values, texts

LATER = {**CAPTURE, "id": "capture-2"}


def call(arguments: Any, status: str, call_id: str = "call-1") -> Wire:
    return {"call_id": call_id, "tool_id": "tool-1", "arguments": arguments, "arguments_status": status}


def with_call(arguments: Any, status: str) -> DocumentBuilder:
    """A builder whose branch ends with an open call."""
    builder = DocumentBuilder(minimal())
    builder.add_event(
        "call", "tool_call", call(arguments, status), actor_id="agent", provenance=PROVENANCE, branches=["main"]
    )
    builder.add("checkpoints", checkpoint("call", open_calls=("call-1",)))
    return builder


def result(text: str) -> Wire:
    parts = [{"kind": "text", "text": text}]
    return {"call_id": "call-1", "result_index": 0, "terminal": True, "outcome": "success", "parts": parts}


def fragments_of(data: bytes, cuts: list[int]) -> list[bytes]:
    places = sorted(min(c, len(data)) for c in cuts)
    return [data[a:b] for a, b in zip([0, *places], [*places, len(data)], strict=True)]


def refused(act: Callable[[], object]) -> list[tuple[str, str | None]]:
    with pytest.raises(BuildError) as caught:
        act()
    return [(d.code, d.pointer) for d in caught.value.diagnostics if d.severity == "error"]


def test_what_a_builder_starts_from_is_not_changed() -> None:
    given_root = minimal()
    before = copy.deepcopy(given_root)
    builder = DocumentBuilder(given_root)
    builder.add_event(
        "e2", "note", {"category": "x", "parts": []}, actor_id="user", provenance=PROVENANCE, branches=["main"]
    )
    builder.add("checkpoints", checkpoint("e2"))
    assert builder.build().events[1].sequence == 1
    assert given_root == before


@given(st.one_of(texts(), st.binary(max_size=20)))
def test_count_and_digest_of_a_resource_are_computed(content: str | bytes) -> None:
    builder = DocumentBuilder(minimal())
    builder.add_resource("r", content, media_type="text/plain", purpose="output", name="out.txt")
    document = builder.build()
    (resource,) = document.resources
    data = content.encode() if isinstance(content, str) else content
    assert (resource.bytes, resource.sha256) == (len(data), hashlib.sha256(data).hexdigest())
    assert (resource.text is None, resource.data is None) == (isinstance(content, bytes), isinstance(content, str))
    found = document.resource_bytes("r")
    assert found is not None
    assert found.data == data


@given(json_values(), st.lists(st.integers(0, 80), max_size=6))
def test_fragments_of_arguments_become_a_complete_stream_that_equals_them(arguments: Any, cuts: list[int]) -> None:
    """The bytes may be cut anywhere; offsets, lengths, status and the feature are computed."""
    data = ijson.dumps(arguments)
    builder = with_call(arguments, "complete")
    builder.add_argument_stream("s", event_id="call", fragments=fragments_of(data, cuts), ended=True)
    document = builder.build()
    stream = document.assemble("s")
    assert stream.data == data
    assert json_equal(stream.arguments(), arguments)
    assert document.streams[0].status == "complete"
    assert document.required_features == ("asif.streams/0.1",)


@given(st.binary(max_size=40), st.lists(st.integers(0, 40), max_size=6), st.data())
def test_fragments_that_never_came_leave_a_partial_stream(data: bytes, cuts: list[int], draw: st.DataObject) -> None:
    pieces = dict(enumerate(fragments_of(data, cuts)))
    lost = draw.draw(st.sampled_from(sorted(pieces)))
    came = {i: p for i, p in pieces.items() if i != lost}
    builder = with_call({}, "partial")
    builder.add_argument_stream("s", event_id="call", fragments=came, ended=lost != max(pieces))
    document = builder.build()
    assert document.streams[0].status == "partial"
    assert document.assemble("s").data == b"".join(pieces[i] for i in range(lost))


def test_a_stream_without_fragments_needs_no_resource() -> None:
    builder = with_call({}, "partial")
    builder.add_argument_stream("s", event_id="call", fragments=[], ended=False)
    document = builder.build()
    assert len(document.resources) == 0
    assert document.assemble("s").status == "partial"


def test_a_live_assembler_hands_its_fragments_on() -> None:
    live = StreamAssembler()
    live.add(2, b"}", terminal=True)
    live.add(0, b'{"a":')
    builder = with_call({}, "partial")
    builder.add_argument_stream("s", event_id="call", fragments=live.fragments, ended=live.ended)
    assert builder.build().assemble("s") == assembled_as(live, "s")


def assembled_as(live: StreamAssembler, stream_id: str) -> Any:
    known = live.assembled()
    return type(known)(stream_id, known.status, known.data, known.missing_indexes)


@given(texts(), st.lists(st.integers(0, 30), max_size=4))
def test_fragments_of_a_text_become_a_stream_of_the_result(text: str, cuts: list[int]) -> None:
    builder = with_call({}, "complete")
    builder.add_event("result", "tool_result", result(text), actor_id="agent", provenance=PROVENANCE, branches=["main"])
    builder.add("checkpoints", checkpoint("result"))
    builder.add_text_stream("s", event_id="result", fragments=fragments_of(text.encode(), cuts), ended=True)
    document = builder.build()
    assert document.assemble("s").text() == text
    assert document.streams[0].result_index == 0


def partial_capture() -> Document:
    builder = with_call({}, "partial")
    builder.add_argument_stream("part", event_id="call", fragments=[b'{"path":', b'"a'], ended=False)
    return builder.build()


def amended(earlier: Document) -> DocumentBuilder:
    builder = DocumentBuilder.continuing(earlier, LATER)
    builder.amend_call("whole", amends="call", arguments={"path": "ab"}, provenance=PROVENANCE, branches=["main"])
    builder.add("checkpoints", checkpoint("whole", open_calls=("call-1",)))
    builder.add_argument_stream("all", event_id="whole", fragments=[b'b"}'], ended=True, continues="part")
    return builder


def test_a_later_capture_completes_a_call_and_keeps_what_was_known() -> None:
    """A new event, a new stream that shares the fragments; the partial ones stay (specification, "Stream assembly")."""
    earlier = partial_capture()
    later = amended(earlier).build()
    assert compare(earlier, later) == []
    assert later.assemble("all").arguments() == {"path": "ab"}
    assert later.assemble("part").data == b'{"path":"a'
    assert [s.resource_id for s in later.streams[1].segments] == ["part", "part", "all"]
    assert later.session is not None
    assert [(e.relation, e.session_id, e.capture_id) for e in later.session.lineage] == [
        ("continuation", "session-1", "capture-1")
    ]
    wire = later.to_wire()["events"][-1]
    assert (wire["supersedes"], wire["causes"]) == ({"event_id": "call"}, [{"event_id": "call"}])
    report = later.check()
    assert report.ok
    assert report.calls["call-1"].arguments_status == "complete"


def test_an_amendment_keeps_execution_and_retry_relationship() -> None:
    root = minimal()
    root["executions"] = [{"id": "run", "participant_id": "agent", "status": "unknown", "context_ids": []}]
    builder = DocumentBuilder(root)
    data = {**call({}, "unknown"), "retry_of": "call-0"}
    builder.add_event(
        "call", "tool_call", data, actor_id="agent", provenance=PROVENANCE, execution_id="run", time="now"
    )
    builder.amend_call("more", amends="call", arguments=1, arguments_status="partial", provenance=PROVENANCE)
    wire = builder.build().to_wire()["events"][-1]
    assert (wire["execution_id"], wire["data"]["retry_of"], wire["data"]["arguments_status"]) == (
        "run",
        "call-0",
        "partial",
    )


def late_answer(earlier: Document, event_id: str, data: Wire, kind: str) -> DocumentBuilder:
    """A capture that begins after the call or request, and holds its result only."""
    root = minimal()
    root["capture"] = LATER
    root["tools"] = []
    builder = DocumentBuilder(root)
    builder.bind_external(earlier, event_id)
    builder.add_event("late", kind, data, actor_id="agent", provenance=PROVENANCE, branches=["main"])
    builder.add("checkpoints", checkpoint("late"))
    return builder


def test_a_call_of_an_earlier_capture_is_bound_with_its_tool_and_no_event_is_made_up() -> None:
    earlier = partial_capture()
    later = late_answer(earlier, "call", result("ok"), "tool_result").build()
    binding = later.bindings.call("call-1")
    assert binding is not None
    assert binding.source.to_wire() == {"session_id": "session-1", "capture_id": "capture-1", "event_id": "call"}
    assert binding.descriptor.to_wire() == {"tool_id": "tool-1", "arguments": {}, "arguments_status": "partial"}
    assert [e.id for e in later.events] == ["e1", "late"]
    assert [t.id for t in later.tools] == ["tool-1"]
    assert later.required_features == ("asif.external-bindings/0.1",)
    assert not later.check().calls["call-1"].open
    assert {f.code for f in compare(earlier, later)} == {"evidence-missing"}


def test_a_request_of_an_earlier_capture_is_bound_with_the_resources_of_its_prompt() -> None:
    builder = DocumentBuilder(minimal())
    builder.add_resource("plan", "1. Read.", media_type="text/plain", purpose="output")
    prompt = [{"kind": "resource", "resource_id": "plan"}, {"kind": "text", "text": "Go?"}]
    request = {
        "request_id": "q",
        "decision_kind": "approval",
        "prompt": prompt,
        "options": [{"id": "y", "label": "Yes"}],
    }
    builder.add_event("ask", "decision_request", request, actor_id="agent", provenance=PROVENANCE)
    answer = {"request_id": "q", "outcome": "allowed", "answer": [], "selected_option_id": "y"}
    later = late_answer(builder.build(), "ask", answer, "decision_resolution").build()
    binding = later.bindings.request("q")
    assert binding is not None
    assert binding.descriptor.to_wire() == {m: request[m] for m in ("decision_kind", "prompt", "options")}
    assert [r.id for r in later.resources] == ["plan"]


def test_a_call_and_a_request_of_one_identity_may_both_be_bound() -> None:
    """Section 6.2: one binding per kind and identity."""
    builder = with_call({}, "complete")
    request = {"request_id": "call-1", "decision_kind": "question", "prompt": [], "options": []}
    builder.add_event("ask", "decision_request", request, actor_id="agent", provenance=PROVENANCE)
    earlier = builder.build()
    root = minimal()
    root["capture"] = LATER
    root["checkpoints"] = [checkpoint("e1", open_calls=("call-1",), open_decisions=("call-1",))]
    later = DocumentBuilder(root)
    later.bind_external(earlier, "call", "ask")
    assert len(later.build().bindings) == 2
    assert refused(lambda: later.bind_external(earlier, "call")) == [("value-invalid", "/external_bindings")]


def test_models_are_taken_as_well_as_mappings() -> None:
    builder = DocumentBuilder(minimal())
    builder.add("tools", Tool(id="tool-2", name="write", description="Write a file.", input_schema=True))
    data = ToolCallData(call_id="call-1", tool_id="tool-2", arguments=None, arguments_status="complete")
    builder.add_event("call", "tool_call", data, actor_id="agent", provenance=PROVENANCE)
    document = builder.build()
    assert [t.id for t in document.tools] == ["tool-1", "tool-2"]
    assert document.to_wire()["events"][-1]["data"]["arguments"] is None


def test_coverage_of_a_scope_is_replaced() -> None:
    builder = DocumentBuilder(minimal())
    builder.set_coverage("usage", "known_empty", "nothing was counted")
    entries = {e.scope: (e.status, e.detail) for e in builder.build().coverage}
    assert entries["usage"] == ("known_empty", "nothing was counted")
    assert len(entries) == 13


def test_features_that_are_there_stay_and_none_is_named_twice() -> None:
    root = minimal()
    root["required_features"] = ["example.other/1", "asif.streams/0.1"]
    builder = DocumentBuilder(root)
    builder.add_event("call", "tool_call", call({}, "partial"), actor_id="agent", provenance=PROVENANCE)
    builder.add_argument_stream("s", event_id="call", fragments=[], ended=False)
    assert builder.build().required_features == ("example.other/1", "asif.streams/0.1")


def add_note(builder: DocumentBuilder, **options: Any) -> None:
    builder.add_event("e2", "note", {"category": "x", "parts": []}, actor_id="user", provenance=PROVENANCE, **options)


REFUSED: list[tuple[str, Callable[[DocumentBuilder], object]]] = [
    ("/events", lambda b: b.add_event("e1", "note", {}, actor_id="user", provenance=PROVENANCE)),
    ("/branches", lambda b: add_note(b, branches=["main", "missing"])),
    ("/tools", lambda b: b.add("tools", {"id": "tool-1"})),
    ("/resources", lambda b: b.add_resource("part", "", media_type="text/plain", purpose="output")),
    ("/streams", lambda b: b.add_argument_stream("part", event_id="call", fragments=[b"x"], ended=False)),
    ("/events", lambda b: b.add_argument_stream("s", event_id="missing", fragments=[], ended=False)),
    ("/events", lambda b: b.add_argument_stream("s", event_id="e1", fragments=[], ended=False)),
    ("/events", lambda b: b.add_text_stream("s", event_id="call", fragments=[], ended=False)),
    ("/streams", lambda b: b.add_argument_stream("s", event_id="call", fragments=[], ended=True, continues="missing")),
    ("/streams", lambda b: b.add_argument_stream("s", event_id="call", fragments=[], ended=True, continues="all")),
    ("/events", lambda b: b.amend_call("more", amends="e1", arguments={}, provenance=PROVENANCE)),
    ("/events", lambda b: b.bind_external(partial_capture(), "missing")),
    ("/external_bindings", lambda b: b.bind_external(partial_capture(), "e1")),
    ("/external_bindings", lambda b: b.bind_external(partial_capture(), "call", "e1")),
]


@pytest.mark.parametrize(("place", "act"), REFUSED)
def test_what_does_not_fit_is_refused_at_once_and_changes_nothing(
    place: str, act: Callable[[DocumentBuilder], object]
) -> None:
    builder = amended(partial_capture())
    before = builder.build().to_bytes()
    assert refused(lambda: act(builder)) == [("value-invalid", place)]
    assert builder.build().to_bytes() == before


def test_text_that_cannot_be_encoded_is_refused() -> None:
    builder = DocumentBuilder(minimal())
    assert refused(lambda: builder.add_resource("r", "\ud800", media_type="text/plain", purpose="output")) == [
        ("lone-surrogate", "/resources")
    ]


def test_a_later_capture_has_an_id_of_its_own() -> None:
    assert refused(lambda: DocumentBuilder.continuing(partial_capture(), CAPTURE)) == [("value-invalid", "/capture/id")]


def test_two_events_of_one_call_are_not_bound_both() -> None:
    earlier = amended(partial_capture()).build()
    root = {**minimal(), "capture": {**CAPTURE, "id": "capture-3"}}
    builder = DocumentBuilder(root)
    assert refused(lambda: builder.bind_external(earlier, "call", "whole")) == [("value-invalid", "/external_bindings")]
    assert builder.build().to_wire() == root


def test_a_broken_stream_is_not_continued_and_a_broken_array_not_added_to() -> None:
    builder = with_call({}, "partial")
    builder.add("streams", {"id": "s", "kind": "tool_arguments", "segments": [{"index": 1.0}]})
    act = partial(builder.add_argument_stream, "t", event_id="call", fragments=[], ended=False, continues="s")
    assert refused(act) == [("value-invalid", "/streams")]
    broken = DocumentBuilder({**minimal(), "branches": [{"id": "main", "event_ids": None}]})
    assert refused(lambda: add_note(broken, branches=["main"])) == [("value-invalid", "/branches")]
    broken = DocumentBuilder({**minimal(), "tools": {}})
    assert refused(lambda: broken.add("tools", {"id": "t"})) == [("value-invalid", "/tools")]


def test_a_document_that_breaks_rules_can_go_on_and_is_not_built() -> None:
    """The rules are the check's: a builder neither repairs nor fails on what it was given."""
    earlier = Document.parse(
        b'{"session": 1, "capture": [], "branches": [1, {"id": "b"}], "events": [{"sequence": "x"}]}'
    )
    builder = DocumentBuilder.continuing(earlier, LATER)
    assert "member-missing" in [code for code, _ in refused(builder.build)]


def test_limits_are_those_of_the_caller(tmp_path: Path) -> None:
    builder = DocumentBuilder(minimal())
    (tmp_path / "f").write_bytes(b"abc")
    builder.add(
        "resources",
        {
            "id": "r", "media_type": "x", "purpose": "output", "availability": "embedded", "path": "f", "bytes": 3,
            "sha256": hashlib.sha256(b"abc").hexdigest(),
        },
    )  # fmt: skip
    assert refused(builder.build) == [("resource-file-unreadable", "/resources/0/path")]
    assert len(builder.build(folder=tmp_path).resources) == 1
    small = Limits(resource_bytes=2)
    assert refused(lambda: builder.build(folder=tmp_path, limits=small)) == [("limit-exceeded", "/resources/0/path")]
    assert refused(lambda: builder.build(limits=Limits(document_bytes=10))) == [("limit-exceeded", "")]


def complete_stream_of_a_partial_call() -> DocumentBuilder:
    builder = with_call({}, "partial")
    builder.add_argument_stream("s", event_id="call", fragments=[b"{}"], ended=True)
    return builder


def partial_stream_of_a_complete_call() -> DocumentBuilder:
    builder = with_call({}, "complete")
    builder.add_argument_stream("s", event_id="call", fragments=[b"{}"], ended=False)
    return builder


def other_arguments() -> DocumentBuilder:
    builder = with_call({"a": 1}, "complete")
    builder.add_argument_stream("s", event_id="call", fragments=[b'{"a":', b"true}"], ended=True)
    return builder


def amendment_of_a_complete_call() -> DocumentBuilder:
    builder = with_call({}, "complete")
    builder.amend_call("more", amends="call", arguments={}, provenance=PROVENANCE)
    return builder


def head_without_a_checkpoint() -> DocumentBuilder:
    builder = DocumentBuilder(minimal())
    add_note(builder, branches=["main"])
    return builder


def binding_of_a_local_call() -> DocumentBuilder:
    builder = with_call({}, "partial")
    builder.bind_external(partial_capture(), "call")
    return builder


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (complete_stream_of_a_partial_call, "stream-final-call-mismatch"),
        (partial_stream_of_a_complete_call, "stream-partial-call-mismatch"),
        (other_arguments, "stream-arguments-mismatch"),
        (amendment_of_a_complete_call, "amendment-of-complete"),
        (head_without_a_checkpoint, "checkpoint-at-head"),
        (binding_of_a_local_call, "call-identity-duplicate"),
        (lambda: DocumentBuilder({}), "member-missing"),
        (
            lambda: DocumentBuilder({**minimal(), "events": [1, {"id": 5}, {"id": "x"}], "branches": None}),
            "type-invalid",
        ),
    ],
)
def test_what_a_check_refuses_is_not_built(make: Callable[[], DocumentBuilder], code: str) -> None:
    assert code in [found for found, _ in refused(make().build)]


def test_what_cannot_be_written_as_json_is_not_built() -> None:
    builder = DocumentBuilder({**minimal(), "x-note": float("nan")})
    assert refused(builder.build) == [("number-not-finite", "/x-note")]


def changed_somewhere(document: Wire, value: Any, data: st.DataObject) -> Wire:
    """The document with one value in it, at any depth, replaced."""
    other = copy.deepcopy(document)
    holder: Any = other
    step: Any = data.draw(st.sampled_from(sorted(holder)))
    while isinstance(holder[step], dict | list) and holder[step] and data.draw(st.integers(0, 3)):
        holder = holder[step]
        step = data.draw(st.sampled_from(sorted(holder) if isinstance(holder, dict) else range(len(holder))))
    holder[step] = value
    return other


@given(json_values(), st.data())
def test_no_document_makes_a_builder_fail_otherwise_than_by_its_error(value: Any, data: st.DataObject) -> None:
    earlier = Document.parse(ijson.dumps(changed_somewhere(STREAMED, value, data)))
    builder = DocumentBuilder.continuing(earlier, LATER)
    steps: list[Callable[[], object]] = [
        lambda: builder.amend_call("whole", amends="call", arguments={}, provenance=PROVENANCE, branches=["main"]),
        lambda: builder.add_argument_stream("all", event_id="whole", fragments=[b"}"], ended=True, continues="part"),
        lambda: builder.add_text_stream("text", event_id="result", fragments=[b"ok"], ended=True),
        lambda: builder.bind_external(earlier, "call"),
        lambda: builder.bind_external(earlier, "ask"),
        lambda: builder.set_coverage("tools", "partial", "as far as it goes"),
        lambda: builder.add("checkpoints", checkpoint("whole")),
        builder.build,
    ]
    for step in steps:
        with suppress(BuildError):
            step()


def streamed() -> Wire:
    builder = DocumentBuilder(partial_capture())
    request = {
        "request_id": "q", "decision_kind": "question", "options": [],
        "prompt": [{"kind": "resource", "resource_id": "part"}],
    }  # fmt: skip
    builder.add_event("ask", "decision_request", request, actor_id="agent", provenance=PROVENANCE)
    builder.add_event("result", "tool_result", result("ok"), actor_id="agent", provenance=PROVENANCE)
    return builder.build().to_wire()


STREAMED = streamed()
