"""Two captures of one session (specification, "Stream assembly", last paragraph; sections 3.3 and 5.1)."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessionrecord.asif.compare import compare
from tests.strategies import json_values

Wire = dict[str, Any]


class Capture:
    def __init__(self, wire: Wire) -> None:
        self.wire = wire

    def to_wire(self) -> Wire:
        return self.wire


def call(event_id: str, status: str, arguments: Any, supersedes: str | None = None, call_id: str = "call-1") -> Wire:
    data = {"call_id": call_id, "tool_id": "t", "arguments": arguments, "arguments_status": status}
    event: Wire = {"id": event_id, "sequence": 0, "actor_id": "agent", "kind": "tool_call", "causes": [], "data": data}
    return event if supersedes is None else {**event, "supersedes": {"event_id": supersedes}}


def stream(stream_id: str, event_id: str, status: str, resource_ids: list[str]) -> Wire:
    segments = [
        {"index": i, "resource_id": r, "offset": 0, "length": 1, "terminal": status == "complete" and i > 0}
        for i, r in enumerate(resource_ids)
    ]
    return {
        "id": stream_id, "kind": "tool_arguments", "event_id": event_id, "call_id": "call-1", "status": status, "segments": segments,
    }  # fmt: skip


def resource(resource_id: str, text: str) -> Wire:
    return {"id": resource_id, "availability": "embedded", "text": text, "bytes": len(text)}


def partial() -> Wire:
    """A call whose arguments were cut short."""
    return {
        "capture": {"id": "c1"},
        "session": {"id": "s"},
        "events": [{"id": "e1", "kind": "message", "data": {"role": "user"}}, call("part", "partial", {})],
        "resources": [resource("prefix", "1")],
        "streams": [stream("stream-part", "part", "partial", ["prefix"])],
    }


def completed() -> Wire:
    """The same session later: an amendment and its stream were added, nothing was changed."""
    later = copy.deepcopy(partial())
    later["capture"]["id"] = "c2"
    later["events"].append(call("whole", "complete", 12, "part"))
    later["resources"].append(resource("suffix", "2"))
    later["streams"].append(stream("stream-whole", "whole", "complete", ["prefix", "suffix"]))
    return later


def found(later: Wire, earlier: Wire | None = None) -> list[tuple[str, str, str | None, str | None]]:
    findings = compare(Capture(earlier or partial()), Capture(later))
    assert all(str(f).isprintable() for f in findings)
    return [(f.code, f.severity, f.record_id, f.pointer) for f in findings]


def test_an_amendment_with_a_new_stream_changes_no_evidence() -> None:
    assert found(completed()) == []


def test_a_capture_is_equal_to_itself_however_it_is_spelled() -> None:
    later = dict(reversed(partial().items()))
    later["events"][0]["sequence"] = 0.0
    earlier = partial()
    earlier["events"][0]["sequence"] = 0
    assert found(later, earlier) == []


def edit(*path: Any, to: Any = None, drop: bool = False) -> Callable[[Wire], None]:
    def apply(document: Wire) -> None:
        holder: Any = document
        for step in path[:-1]:
            holder = holder[step]
        if drop:
            del holder[path[-1]]
        else:
            holder[path[-1]] = to

    return apply


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (edit("session", "id", to="other"), ("session-differs", "error", None, "/session/id")),
        (edit("capture", "id", to="c1"), ("capture-changed", "error", None, "/events/2")),
        (edit("events", 0, "data", "role", to="system"), ("evidence-changed", "error", "e1", "/events/0/data/role")),
        (edit("events", 0, "time", to="now"), ("evidence-changed", "error", "e1", "/events/0/time")),
        (edit("events", 0, drop=True), ("evidence-missing", "warning", "e1", "/events/0")),
        (edit("resources", 0, "text", to="3"), ("evidence-changed", "error", "prefix", "/resources/0/text")),
        (edit("resources", 0, drop=True), ("evidence-missing", "warning", "prefix", "/resources/0")),
        (edit("streams", 0, "segments", to=[]), ("evidence-changed", "error", "stream-part", "/streams/0/segments/0")),
        (
            edit("streams", 0, "status", to="complete"),
            ("partial-relabeled", "error", "stream-part", "/streams/0/status"),
        ),
        (edit("streams", 0, drop=True), ("evidence-missing", "error", "stream-part", "/streams/0")),
        (edit("events", 1, drop=True), ("evidence-missing", "error", "part", "/events/1")),
        (
            edit("events", 1, "data", "arguments_status", to="complete"),
            ("partial-relabeled", "error", "part", "/events/1/data/arguments_status"),
        ),
        (
            edit("events", 1, "data", "arguments", to=1),
            ("evidence-changed", "error", "part", "/events/1/data/arguments"),
        ),
        (edit("events", 2, "supersedes", drop=True), ("call-not-amended", "error", "whole", "/events/2")),
        (edit("events", 2, "supersedes", to="part"), ("call-not-amended", "error", "whole", "/events/2")),
        (edit("events", 2, "supersedes", "event_id", to="e1"), ("call-not-amended", "error", "whole", "/events/2")),
        (edit("streams", 1, drop=True), ("call-stream-missing", "error", "whole", "/events/2")),
        (edit("streams", 1, "status", to="partial"), ("call-stream-missing", "error", "whole", "/events/2")),
        (edit("streams", 1, "event_id", to="part"), ("call-stream-missing", "error", "whole", "/events/2")),
    ],
)
def test_each_thing_that_a_later_capture_must_not_do_is_found(change: Callable[[Wire], None], expected: Any) -> None:
    later = completed()
    change(later)
    assert found(later) == [expected]


def test_a_complete_call_in_place_of_the_partial_one_is_no_amendment() -> None:
    later = partial()
    later["capture"]["id"] = "c2"
    later["events"][1] = call("whole", "complete", 12)
    later["streams"] = []
    assert found(later) == [
        ("evidence-missing", "warning", "part", "/events/1"),
        ("evidence-missing", "warning", "stream-part", "/streams/0"),
        ("call-not-amended", "error", "whole", "/events/1"),
    ]


def test_a_chain_of_amendments_leads_back_to_the_known_version() -> None:
    later = completed()
    later["events"][2:] = [call("more", "partial", 1, "part"), call("whole", "complete", 12, "more")]
    assert found(later) == []
    later["events"][2]["supersedes"]["event_id"] = "elsewhere"
    assert [f[:3] for f in found(later)] == [
        ("call-not-amended", "error", "more"),
        ("call-not-amended", "error", "whole"),
    ]


def test_arguments_that_were_never_streamed_need_no_stream() -> None:
    """Section 5.3: a call known as `unknown` can have no argument stream."""
    earlier, later = partial(), completed()
    for document in (earlier, later):
        document["events"][1]["data"]["arguments_status"] = "unknown"
        document["streams"] = []
    assert found(later, earlier) == []


def test_another_call_is_not_an_amendment() -> None:
    later = completed()
    later["events"].append(call("retry", "complete", 12, call_id="call-2"))
    assert found(later) == []


def test_a_session_with_nothing_in_common_is_told_once() -> None:
    assert [f[0] for f in found({"session": {"id": "other"}, "events": []})] == ["session-differs"]


def binding(**descriptor: Any) -> Wire:
    return {
        "kind": "call", "id": "call-1", "source": {"session_id": "s", "capture_id": "c1", "event_id": "part"},
        "descriptor": {"tool_id": "t", "arguments": {}, "arguments_status": "partial", **descriptor},
    }  # fmt: skip


def late(*bindings: Wire) -> Wire:
    return {"capture": {"id": "c2"}, "session": {"id": "s"}, "external_bindings": list(bindings)}


def binding_findings(later: Wire, earlier: Wire | None = None) -> list[tuple[str, str | None]]:
    return [(f[0], f[3]) for f in found(later, earlier) if f[0] != "evidence-missing"]


def test_a_binding_says_what_its_source_event_says() -> None:
    assert binding_findings(late(binding())) == []
    changed = binding(arguments={"a": 1}, arguments_status="complete", tool_id="u")
    assert binding_findings(late(changed)) == [
        ("binding-source-differs", f"/external_bindings/0/descriptor/{m}")
        for m in ("tool_id", "arguments", "arguments_status")
    ]


def test_a_binding_of_a_request_says_what_the_request_said() -> None:
    earlier = partial()
    told = {"decision_kind": "approval", "prompt": [], "options": [{"id": "y", "label": "yes"}]}
    earlier["events"].append({"id": "ask", "kind": "decision_request", "data": {"request_id": "q", **told}})
    bound = {
        "kind": "request", "id": "q", "source": {"session_id": "s", "capture_id": "c1", "event_id": "ask"}, "descriptor": told,
    }  # fmt: skip
    assert binding_findings(late(bound), earlier) == []
    bound["descriptor"] = {**told, "options": []}
    expected = [("binding-source-differs", "/external_bindings/0/descriptor/options")]
    assert binding_findings(late(bound), earlier) == expected


@pytest.mark.parametrize("event_id", ["missing", "e1"])
def test_a_binding_whose_source_is_not_such_an_event_is_found(event_id: str) -> None:
    bound = binding()
    bound["source"]["event_id"] = event_id
    assert binding_findings(late(bound)) == [("binding-source-differs", "/external_bindings/0/source")]
    other = {**binding(), "id": "call-2"}
    assert binding_findings(late(other)) == [("binding-source-differs", "/external_bindings/0/source")]


def test_a_binding_of_no_known_kind_or_without_a_descriptor_is_not_compared() -> None:
    assert binding_findings(late({**binding(), "kind": "other"}, {**binding(), "descriptor": None})) == []


def test_a_binding_of_another_capture_is_not_compared_with_this_one() -> None:
    bound = binding(arguments_status="complete")
    bound["source"]["capture_id"] = "c0"
    assert binding_findings(late(bound)) == []


@given(
    st.sampled_from(["capture", "session", "events", "resources", "streams", "external_bindings"]),
    json_values(),
    st.data(),
)
def test_no_document_makes_a_comparison_raise(member: str, value: Any, data: st.DataObject) -> None:
    """What is broken within one document is its own check's affair."""
    other = completed()
    other["external_bindings"] = [binding()]
    path: list[Any] = [member]
    holder: Any = other[member]
    while isinstance(holder, dict | list) and holder and data.draw(st.booleans()):
        step = data.draw(st.sampled_from(sorted(holder) if isinstance(holder, dict) else range(len(holder))))
        path.append(step)
        holder = holder[step]
    edit(*path, to=value)(other)
    found(other)
    found(partial(), other)


def test_a_long_chain_of_amendments_is_walked_once() -> None:
    later = partial()
    later["capture"]["id"] = "c2"
    previous = "part"
    for i in range(20_000):
        later["events"].append(call(f"v{i}", "partial", {}, previous))
        previous = f"v{i}"
    assert found(later) == []
