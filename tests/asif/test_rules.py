"""Each rule from both sides: a document that just keeps it, and one that just breaks it and nothing else.

The rules are those of ASIF 0.4: "Stream assembly", "External bindings", tool-call progression, and the session's own semantics.
"""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from sessionrecord.asif import CompleteCall, PartialCall
from sessionrecord.asif.rules import SOURCES
from tests.asif.documents import (
    Wire,
    bound_call,
    bound_request,
    branch,
    call,
    checked,
    checkpoint,
    document,
    edited,
    event,
    found,
    parsed,
    part,
    request,
    resolution,
    resource,
    result,
    segment,
    stream,
    warned,
)

DERIVED = {"mode": "derived", "producer": "p", "method": "m", "inputs": []}
FAR = {"event_id": "far", "session_id": "session", "capture_id": "earlier"}


def message(sequence: int, *parts: Wire, **members: Any) -> Wire:
    return event(sequence, "message", {"role": "user", "parts": list(parts)}, **members)


def task(sequence: int, **data: Any) -> Wire:
    members = {"supersedes": data.pop("supersedes")} if "supersedes" in data else {}
    return event(
        sequence, "task_update", {"task_id": "t", "revision": 1, "status": "pending", "parts": [], **data}, **members
    )


def extension(type_: str, required: bool) -> Wire:
    data = {"type": type_, "value": None, "interpretation_required": required}
    return document(event(0, "extension", data), required_features=["x.y/1"])


def with_resource(**members: Any) -> Wire:
    return document(resources=[{k: v for k, v in {**resource("r", "abc"), **members}.items() if v is not None}])


def chain(*statuses: str, **last: Any) -> Wire:
    """A call amended step by step; `last` changes the last version."""
    calls = [call(i, status=s, amends=f"e{i - 1}" if i else "") for i, s in enumerate(statuses)]
    for pointer, value in last.items():
        calls[-1] = edited(calls[-1], ("/" + pointer.replace("__", "/"), value))
    return document(*calls, open_calls=("k",))


def versions(*selected: str) -> Wire:
    """Two rival amendments of one call; the branch selects some of the events."""
    events = [call(0, status="partial"), call(1, amends="e0"), call(2, amends="e0"), call(3, "z")]
    open_calls = ("k", "z") if len(selected) > 1 else ("z",)
    return document(
        *events,
        branches=[branch("main", [*selected, "e3"])],
        checkpoints=[checkpoint("e3", calls=open_calls)],
    )


def streamed(
    *segments: Wire, status: str = "complete", text: str = '{"a":1}', arguments: Any = None, **members: Any
) -> Wire:
    """An open call whose arguments `{"a":1}` were streamed."""
    return document(
        call(0, arguments={"a": 1} if arguments is None else arguments, status=members.pop("call_status", status)),
        open_calls=("k",),
        resources=[resource("r", text), {"id": "far", "media_type": "a/b", "purpose": "x", "availability": "unavailable", "explanation": "lost"}],
        streams=[stream("e0", list(segments), status=status, **members)],
    )  # fmt: skip


WHOLE = segment(0, "r", 0, 7, terminal=True)


def texted(text: str = "hello", parts: list[Wire] | None = None, **members: Any) -> Wire:
    wire = document(
        call(0), result(1, index=2), resources=[resource("r", text)],
        streams=[stream("e1", [segment(0, "r", 0, len(text.encode()), terminal=True)], kind="tool_result_text", result_index=2, **members)],
    )  # fmt: skip
    return edited(wire, ("/events/1/data/parts", [part()] if parts is None else parts))


def bound(*bindings: Wire, events: tuple[Wire, ...] = (), **members: Any) -> Wire:
    coverage = document()["coverage"]
    wire = document(*events, external_bindings=list(bindings), **members)
    wire["coverage"] = [c if c["scope"] != "conversation" else {**c, "status": "partial"} for c in coverage]
    for entry in wire["coverage"]:
        entry["status"] = "partial"
    return wire


def coverage(scope: str, status: str, wire: Wire) -> Wire:
    i = next(i for i, c in enumerate(wire["coverage"]) if c["scope"] == scope)
    return edited(wire, (f"/coverage/{i}/status", status))


BASE = document(message(0))
TWO = document(message(0), message(1, causes=[{"event_id": "e0"}]))
ANSWERED = document(call(0), result(1, terminal=False), result(2, index=1))
ASKED = document(request(0), resolution(1, option="a"))

RULES: list[tuple[str, str, Wire, Wire]] = [
    # code, pointer, a document that keeps the rule, one that breaks it
    (
        "version-unsupported",
        "/asif_version",
        edited(BASE, ("/asif_version", "0.5")),
        edited(BASE, ("/asif_version", "0.6")),
    ),
    ("member-missing", "/asif_version", BASE, edited(BASE, ("/asif_version", ...))),
    ("type-invalid", "/asif_version", BASE, edited(BASE, ("/asif_version", 0.4))),
    ("member-missing", "/capture", BASE, edited(BASE, ("/capture", ...))),
    ("member-missing", "/capture/boundary", BASE, edited(BASE, ("/capture/boundary", ...))),
    ("member-missing", "/losses", BASE, edited(BASE, ("/losses", ...))),
    ("type-invalid", "/losses", BASE, edited(BASE, ("/losses", {}))),
    ("type-invalid", "/tools", BASE, edited(BASE, ("/tools", {}))),
    ("member-missing", "/participants", BASE, edited(BASE, ("/participants", ...))),
    (
        "value-invalid",
        "/required_features/1",
        edited(BASE, ("/required_features", ["a", "b"])),
        edited(BASE, ("/required_features", ["a", "a"])),
    ),
    (
        "value-invalid",
        "/required_features/0",
        edited(BASE, ("/required_features", ["a"])),
        edited(BASE, ("/required_features", [""])),
    ),
    ("type-invalid", "/required_features", BASE, edited(BASE, ("/required_features", None))),
    ("feature-undeclared", "/streams", document(streams=[]), edited(document(streams=[]), ("/required_features", []))),
    ("feature-undeclared", "/external_bindings", bound(), edited(bound(), ("/required_features", []))),
    (
        "feature-member-missing",
        "/required_features",
        document(streams=[]),
        edited(document(streams=[]), ("/streams", ...)),
    ),
    ("feature-member-missing", "/required_features", bound(), edited(bound(), ("/external_bindings", ...))),
    (
        "null-not-allowed",
        "/session/title",
        edited(BASE, ("/session/title", "")),
        edited(BASE, ("/session/title", None)),
    ),
    ("id-duplicate", "/tools/1/id", BASE, edited(BASE, ("/tools/1", BASE["tools"][0]))),
    (
        "id-duplicate",
        "/executions/1/id",
        edited(BASE, ("/executions/1", {"id": "other"})),
        edited(BASE, ("/executions/1", {"id": "run"})),
    ),
    (
        "id-duplicate",
        "/streams/1/id",
        streamed(WHOLE),
        edited(streamed(WHOLE), ("/streams/1", streamed(WHOLE)["streams"][0])),
    ),
    ("kind-unknown", "/events/0/kind", BASE, edited(BASE, ("/events/0/kind", "dream"))),
    (
        "kind-unknown",
        "/events/0/data/parts/0/kind",
        document(message(0, part())),
        document(message(0, {"kind": "video"})),
    ),
    # resources
    ("resource-members", "/resources/0", with_resource(), with_resource(data="YWJj")),
    ("resource-members", "/resources/0", with_resource(), with_resource(text=None)),
    ("resource-members", "/resources/0", with_resource(), with_resource(sha256=None)),
    ("resource-members", "/resources/0", with_resource(), with_resource(bytes=None)),
    (
        "resource-members",
        "/resources/0",
        with_resource(text=None, availability="redacted", explanation="secret"),
        with_resource(availability="redacted", explanation="secret"),
    ),
    (
        "resource-members",
        "/resources/0",
        with_resource(text=None, availability="unknown", explanation="lost"),
        with_resource(text=None, availability="unknown"),
    ),
    (
        "resource-members",
        "/resources/0",
        with_resource(text=None, availability="external", explanation="far", locator="x"),
        with_resource(text=None, availability="external", explanation="far"),
    ),
    (
        "resource-members",
        "/resources/0",
        with_resource(purpose="session_memory", provenance=DERIVED),
        with_resource(purpose="session_memory"),
    ),
    ("resource-size-mismatch", "/resources/0/bytes", with_resource(), with_resource(bytes=4)),
    ("resource-digest-mismatch", "/resources/0/sha256", with_resource(), with_resource(sha256="0" * 64)),
    (
        "resource-base64-invalid",
        "/resources/0/data",
        with_resource(text=None, data="YWJj"),
        with_resource(text=None, data="YWJj\n"),
    ),
    (
        "resource-undeclared",
        "/events/0/data/parts/0/resource_id",
        document(message(0, {"kind": "resource", "resource_id": "r"}), resources=[resource("r", "")]),
        document(message(0, {"kind": "resource", "resource_id": "r"})),
    ),
    (
        "resource-undeclared",
        "/events/0/data/resource_id",
        document(
            event(0, "resource_change", {"resource_id": "r", "operation": "created"}), resources=[resource("r", "")]
        ),
        document(event(0, "resource_change", {"resource_id": "r", "operation": "created"})),
    ),
    (
        "resource-undeclared",
        "/events/0/data/previous_resource_id",
        document(
            event(0, "resource_change", {"resource_id": "r", "operation": "created", "previous_resource_id": "r"}),
            resources=[resource("r", "")],
        ),
        document(
            event(0, "resource_change", {"resource_id": "r", "operation": "created", "previous_resource_id": "o"}),
            resources=[resource("r", "")],
        ),
    ),
    (
        "resource-undeclared",
        "/events/0/provenance/sources/0/resource_id",
        edited(BASE, ("/events/0/provenance/sources", [])),
        edited(BASE, ("/events/0/provenance/sources", [{"resource_id": "r"}])),
    ),
    # events
    (
        "sequence-not-ascending",
        "/events/1/sequence",
        document(message(0), {**message(1), "sequence": 5}),
        document(message(0), {**message(1), "sequence": 0}),
    ),
    ("actor-undeclared", "/events/0/actor_id", BASE, edited(BASE, ("/events/0/actor_id", "nobody"))),
    (
        "execution-undeclared",
        "/events/0/execution_id",
        edited(BASE, ("/events/0/execution_id", "run")),
        edited(BASE, ("/events/0/execution_id", "walk")),
    ),
    (
        "provenance-incomplete",
        "/events/0/provenance",
        edited(BASE, ("/events/0/provenance", DERIVED)),
        edited(BASE, ("/events/0/provenance/mode", "derived")),
    ),
    (
        "provenance-incomplete",
        "/events/0/provenance",
        edited(BASE, ("/events/0/provenance", DERIVED)),
        edited(BASE, ("/events/0/provenance", DERIVED), ("/events/0/provenance/inputs", ...)),
    ),
    ("event-reference-missing", "/events/1/causes/0/event_id", TWO, edited(TWO, ("/events/1/causes/0/event_id", "e9"))),
    (
        "event-reference-incomplete",
        "/events/1/causes/0",
        edited(TWO, ("/events/1/causes/0", FAR)),
        edited(TWO, ("/events/1/causes/0/session_id", "session")),
    ),
    (
        "event-reference-missing",
        "/events/0/provenance/inputs/0/event_id",
        edited(TWO, ("/events/0/provenance/inputs", [{"event_id": "e1"}])),
        edited(TWO, ("/events/0/provenance/inputs", [{"event_id": "e2"}])),
    ),
    (
        "cause-repeated",
        "/events/1/causes/1",
        edited(TWO, ("/events/1/causes/1", {**FAR, "event_id": "e0"})),
        edited(TWO, ("/events/1/causes/1", {"event_id": "e0"})),
    ),
    ("cause-not-earlier", "/events/1/causes/0", TWO, edited(TWO, ("/events/1/causes/0/event_id", "e1"))),
    (
        "cause-order",
        "/branches/0/event_ids/0",
        edited(
            TWO,
            ("/events/1/causes", []),
            ("/branches/0", branch("main", ["e1", "e0"])),
            ("/checkpoints/0/at_event_id", "e0"),
        ),
        edited(TWO, ("/branches/0", branch("main", ["e1", "e0"])), ("/checkpoints/0/at_event_id", "e0")),
    ),
    (
        "supersession-invalid",
        "/events/1/supersedes",
        document(message(0), message(1, supersedes={"event_id": "e0"})),
        document(call(0), message(1, supersedes={"event_id": "e0"}), open_calls=("k",)),
    ),
    (
        "supersession-invalid",
        "/events/0/supersedes",
        document(message(0, supersedes=FAR), message(1)),
        document(message(0, supersedes={"event_id": "e1"}), message(1)),
    ),
    (
        "supersession-invalid",
        "/events/1/supersedes",
        document(task(0), task(1)),
        document(task(0), task(1, supersedes={"event_id": "e0"})),
    ),
    (
        "result-outcome",
        "/events/1/data/outcome",
        document(call(0), result(1, terminal=False), open_calls=("k",)),
        document(call(0), result(1, terminal=False, outcome="success"), open_calls=("k",)),
    ),
    (
        "option-repeated",
        "/events/0/data/options/1/id",
        document(request(0), open_decisions=("q",)),
        document(request(0, options="aa"), open_decisions=("q",)),
    ),
    (
        "task-reference-incomplete",
        "/events/0/data",
        document(request(0, task_id="t", task_revision=1), open_decisions=("q",)),
        document(request(0, task_id="t"), open_decisions=("q",)),
    ),
    (
        "task-dependency-repeated",
        "/events/0/data/dependencies/1",
        document(task(0, dependencies=["a", "b"])),
        document(task(0, dependencies=["a", "a"])),
    ),
    ("extension-undeclared", "/events/0/data/type", extension("x.y/1", True), extension("x.z/1", True)),
    ("extension-undeclared", "/events/0/data/type", extension("x.z/1", False), extension("x.z/1", True)),
    # calls and amendments
    (
        "call-identity-duplicate",
        "/events/1/data/call_id",
        document(call(0), call(1, "z"), open_calls=("k", "z")),
        document(call(0), call(1), branches=[branch("main", ["e0"])], checkpoints=[checkpoint("e0", calls=("k",))]),
    ),
    (
        "call-identity-duplicate",
        "/events/0/data/call_id",
        bound(bound_call(), events=(call(0),)),
        bound(bound_call("k"), events=(call(0),)),
    ),
    (
        "amendment-predecessor-external",
        "/events/1/supersedes",
        chain("partial", "complete"),
        edited(chain("partial", "complete"), ("/events/1/supersedes", FAR), ("/branches/0", branch("main", ["e1"]))),
    ),
    (
        "amendment-changed-invocation",
        "/events/1/data",
        chain("partial", "complete"),
        edited(
            chain("partial", "complete", data__call_id="z"),
            ("/checkpoints/0/open_calls/1", {"call_id": "z", "state": "pending"}),
        ),
    ),
    (
        "amendment-changed-invocation",
        "/events/1/data",
        chain("partial", "complete"),
        edited(chain("partial", "complete", data__tool_id="other"), ("/tools/1", {**BASE["tools"][0], "id": "other"})),
    ),
    (
        "amendment-changed-retry",
        "/events/1/data/retry_of",
        edited(chain("partial", "complete", data__retry_of="x"), ("/events/0/data/retry_of", "x")),
        chain("partial", "complete", data__retry_of="x"),
    ),
    (
        "amendment-changed-actor",
        "/events/1",
        chain("partial", "complete"),
        edited(chain("partial", "complete", actor_id="two"), ("/participants/1", {"id": "two"})),
    ),
    (
        "amendment-changed-actor",
        "/events/1",
        edited(chain("partial", "complete", execution_id="run"), ("/events/0/execution_id", "run")),
        chain("partial", "complete", execution_id="run"),
    ),
    (
        "amendment-changed-actor",
        "/events/1",
        chain("partial", "complete"),
        edited(chain("partial", "complete"), ("/events/0/execution_id", "run")),
    ),
    ("amendment-of-complete", "/events/1/supersedes", chain("partial", "complete"), chain("complete", "complete")),
    (
        "amendment-regressed",
        "/events/1/data/arguments_status",
        chain("partial", "partial"),
        chain("partial", "unknown"),
    ),
    (
        "amendment-regressed",
        "/events/1/data/arguments_status",
        chain("unknown", "unknown", "partial", "complete"),
        chain("partial", "unknown"),
    ),
    (
        "retry-of-itself",
        "/events/0/data/retry_of",
        edited(chain("complete"), ("/events/0/data/retry_of", "not here")),
        edited(chain("complete"), ("/events/0/data/retry_of", "k")),
    ),
    ("tool-undeclared", "/events/0/data/tool_id", chain("complete"), chain("complete", data__tool_id="none")),
    (
        "request-identity-duplicate",
        "/events/1/data/request_id",
        document(request(0), request(1, "z"), open_decisions=("q", "z")),
        document(request(0), request(1), open_decisions=("q",)),
    ),
    (
        "request-identity-duplicate",
        "/events/0/data/request_id",
        bound(bound_request(), events=(request(0),)),
        bound(bound_request("q"), events=(request(0),)),
    ),
    # selected histories
    ("call-versions-conflict", "/branches/0/event_ids/2", versions("e0", "e1"), versions("e0", "e1", "e2")),
    (
        "call-versions-conflict",
        "/branches/0/event_ids/1",
        edited(chain("unknown", "partial", "complete"), ("/branches/0", branch("main", ["e2"]))),
        edited(chain("unknown", "partial", "complete"), ("/branches/0", branch("main", ["e0", "e2"]))),
    ),
    ("result-orphan", "/events/0/data/call_id", bound(bound_call(), events=(result(0, "x"),)), document(result(0))),
    (
        "result-orphan",
        "/branches/0/event_ids/0",
        edited(
            document(call(0), result(1)),
            ("/branches/0", branch("main", ["e0"])),
            ("/checkpoints/0", checkpoint("e0", calls=("k",))),
        ),
        edited(document(call(0), result(1)), ("/branches/0", branch("main", ["e1"]))),
    ),
    (
        "result-orphan",
        "/branches/0/event_ids/0",
        document(call(0), result(1)),
        edited(
            document(call(0), result(1)),
            ("/branches/0", branch("main", ["e1", "e0"])),
            ("/checkpoints/0/at_event_id", "e0"),
        ),
    ),
    ("result-after-terminal", "/branches/0/event_ids/2", ANSWERED, edited(ANSWERED, ("/events/1/data/terminal", True))),
    (
        "result-after-terminal",
        "/branches/0/event_ids/2",
        document(call(0), result(1), result(2, supersedes={"event_id": "e1"})),
        document(call(0), result(1), result(2, index=1)),
    ),
    (
        "result-order",
        "/branches/0/event_ids/2",
        edited(ANSWERED, ("/events/2/data/result_index", 9)),
        edited(ANSWERED, ("/events/2/data/result_index", 0)),
    ),
    (
        "result-order",
        "/branches/0/event_ids/3",
        document(
            call(0),
            result(1, index=5, terminal=False),
            result(2, index=1, terminal=False, supersedes={"event_id": "e1"}),
            result(3, index=2),
        ),
        document(
            call(0),
            result(1, index=5, terminal=False),
            result(2, index=6, terminal=False, supersedes={"event_id": "e1"}),
            result(3, index=6),
        ),
    ),
    (
        "resolution-orphan",
        "/events/0/data/request_id",
        bound(bound_request(), events=(resolution(0, "y"),)),
        document(resolution(0)),
    ),
    ("resolution-orphan", "/branches/0/event_ids/0", ASKED, edited(ASKED, ("/branches/0", branch("main", ["e1"])))),
    (
        "resolution-orphan",
        "/branches/0/event_ids/1",
        document(request(0), resolution(1), request(2, "z"), open_decisions=("z",)),
        document(request(0), resolution(1), request(2, "z", supersedes={"event_id": "e0"}), open_decisions=("z",)),
    ),
    (
        "resolution-contradiction",
        "/branches/0/event_ids/2",
        document(request(0), resolution(1), resolution(2, supersedes={"event_id": "e1"})),
        document(request(0), resolution(1), resolution(2)),
    ),
    (
        "decision-option-unknown",
        "/branches/0/event_ids/1",
        ASKED,
        edited(ASKED, ("/events/1/data/selected_option_id", "c")),
    ),
    (
        "decision-option-unknown",
        "/branches/0/event_ids/0",
        bound(bound_request(), events=(resolution(0, "y", "b"),)),
        bound(bound_request(), events=(resolution(0, "y", "c"),)),
    ),
    (
        "decision-call-missing",
        "/branches/0/event_ids/1",
        document(call(0), request(1, call_id="k"), open_calls=("k",), open_decisions=("q",)),
        document(call(0), request(1, call_id="z"), open_calls=("k",), open_decisions=("q",)),
    ),
    # branches and checkpoints
    ("branch-event-repeated", "/branches/0/event_ids/1", BASE, edited(BASE, ("/branches/0/event_ids/1", "e0"))),
    (
        "branch-event-undeclared",
        "/branches/0/event_ids/0",
        TWO,
        edited(BASE, ("/branches/0", branch("main", ["no", "e0"]))),
    ),
    ("branch-head-mismatch", "/branches/0/head_event_id", TWO, edited(TWO, ("/branches/0/head_event_id", "e0"))),
    (
        "branch-head-mismatch",
        "/branches/0/head_event_id",
        document(),
        edited(document(message(0)), ("/branches/0/event_ids", []), ("/checkpoints/0/at_event_id", None)),
    ),
    (
        "checkpoint-branch-undeclared",
        "/checkpoints/1/branch_id",
        BASE,
        edited(BASE, ("/checkpoints/1", checkpoint("e0", branch="no"))),
    ),
    (
        "checkpoint-position",
        "/checkpoints/1/at_event_id",
        edited(BASE, ("/checkpoints/1", checkpoint(None))),
        edited(BASE, ("/checkpoints/1", checkpoint("no"))),
    ),
    (
        "checkpoint-at-head",
        "/branches/0/head_event_id",
        edited(TWO, ("/checkpoints/1", checkpoint("e0"))),
        edited(TWO, ("/checkpoints/0", checkpoint("e0"))),
    ),
    (
        "checkpoint-at-head",
        "/branches/0/head_event_id",
        BASE,
        edited(BASE, ("/checkpoints/1", {**checkpoint("e0"), "id": "again"})),
    ),
    (
        "checkpoint-call-not-open",
        "/checkpoints/1/open_calls/0/call_id",
        edited(document(call(0), result(1)), ("/checkpoints/1", checkpoint("e0", calls=("k",)))),
        edited(document(call(0), result(1)), ("/checkpoints/1", {**checkpoint(None, calls=("k",))})),
    ),
    (
        "checkpoint-call-not-open",
        "/checkpoints/0/open_calls/0/call_id",
        document(call(0), result(1)),
        document(call(0), result(1), open_calls=("k",)),
    ),
    (
        "checkpoint-decision-not-open",
        "/checkpoints/0/open_decisions/0/request_id",
        ASKED,
        edited(ASKED, ("/checkpoints/0", checkpoint("e1", decisions=("q",)))),
    ),
    ("open-call-unaccounted", "/checkpoints/0/open_calls", document(call(0), open_calls=("k",)), document(call(0))),
    (
        "open-call-unaccounted",
        "/checkpoints/0/open_calls",
        edited(document(call(0)), ("/checkpoints/0/knowledge", "unknown")),
        document(call(0)),
    ),
    (
        "open-call-unaccounted",
        "/checkpoints/0/open_calls",
        bound(bound_call()),
        coverage("tools", "complete", bound(bound_call())),
    ),
    (
        "open-call-unaccounted",
        "/checkpoints/0/open_calls",
        document(call(0), result(1), result(2, terminal=False, supersedes={"event_id": "e1"}), open_calls=("k",)),
        document(call(0), result(1), result(2, terminal=False, supersedes={"event_id": "e1"})),
    ),
    (
        "open-decision-unaccounted",
        "/checkpoints/0/open_decisions",
        document(request(0), open_decisions=("q",)),
        document(request(0)),
    ),
    (
        "open-decision-unaccounted",
        "/checkpoints/0/open_decisions",
        coverage("decisions", "partial", document(request(0))),
        document(request(0)),
    ),
    # contexts and coverage
    (
        "context-result-orphan",
        "/contexts/0/inputs/1/call_id",
        edited(
            BASE,
            ("/contexts/0/inputs", [{"kind": "tool_call", "call_id": "k"}, {"kind": "tool_result", "call_id": "k"}]),
        ),
        edited(BASE, ("/contexts/0/inputs", [{"kind": "message"}, {"kind": "tool_result", "call_id": "k"}])),
    ),
    ("coverage-scope", "/coverage", BASE, edited(BASE, ("/coverage/12", ...))),
    ("coverage-scope", "/coverage/13/scope", BASE, edited(BASE, ("/coverage/13", BASE["coverage"][0]))),
    (
        "coverage-contradiction",
        "/coverage/6/status",
        edited(BASE, ("/tools", []), ("/coverage/6/status", "known_empty")),
        edited(BASE, ("/coverage/6/status", "known_empty")),
    ),
    (
        "coverage-contradiction",
        "/coverage/7/status",
        coverage("decisions", "known_empty", BASE),
        coverage("decisions", "known_empty", document(request(0))),
    ),
    (
        "coverage-contradiction",
        "/coverage/11/status",
        coverage("native", "known_empty", with_resource()),
        coverage("native", "known_empty", with_resource(purpose="native")),
    ),
    # external bindings
    (
        "binding-duplicate",
        "/external_bindings/1",
        bound(bound_call("i"), bound_request("i")),
        bound(bound_call("i"), bound_call("i")),
    ),
    (
        "binding-duplicate",
        "/external_bindings/1",
        bound(bound_request("i"), bound_request("j")),
        bound(bound_request("i"), bound_request("i")),
    ),
    (
        "binding-source-local",
        "/external_bindings/0/source",
        bound(
            {**bound_call(), "source": {"session_id": "session", "capture_id": "earlier", "event_id": "e0"}},
            events=(message(0),),
        ),
        bound(
            {**bound_call(), "source": {"session_id": "session", "capture_id": "capture", "event_id": "e0"}},
            events=(message(0),),
        ),
    ),
    (
        "tool-undeclared",
        "/external_bindings/0/descriptor/tool_id",
        bound(bound_call()),
        bound(bound_call(tool_id="none")),
    ),
    (
        "resource-undeclared",
        "/external_bindings/0/descriptor/prompt/0/resource_id",
        bound(
            bound_request(prompt=[{"kind": "opaque", "resource_id": "r", "semantic_type": "s", "reason": "w"}]),
            resources=[
                {"id": "r", "media_type": "a/b", "purpose": "x", "availability": "excluded", "explanation": "big"}
            ],
        ),
        bound(bound_request(prompt=[{"kind": "opaque", "resource_id": "r", "semantic_type": "s", "reason": "w"}])),
    ),
    (
        "option-repeated",
        "/external_bindings/0/descriptor/options/1/id",
        bound(bound_request()),
        bound(bound_request(options="aa")),
    ),
    (
        "value-invalid",
        "/external_bindings/0/kind",
        bound(bound_call()),
        edited(bound(bound_call()), ("/external_bindings/0/kind", "task")),
    ),
    (
        "type-invalid",
        "/external_bindings/0",
        bound(bound_call()),
        edited(bound(bound_call()), ("/external_bindings/0", "x")),
    ),
    (
        "member-missing",
        "/external_bindings/0/source/capture_id",
        bound(bound_call()),
        edited(bound(bound_call()), ("/external_bindings/0/source/capture_id", ...)),
    ),
    # streams
    (
        "stream-event-undeclared",
        "/streams/0/event_id",
        streamed(WHOLE),
        edited(streamed(WHOLE), ("/streams/0/event_id", "e9")),
    ),
    ("stream-call-mismatch", "/streams/0/call_id", streamed(WHOLE), streamed(WHOLE, call_id="z")),
    ("member-missing", "/streams/0/result_index", texted(), edited(texted(), ("/streams/0/result_index", ...))),
    ("stream-result-mismatch", "/streams/0/result_index", texted(), edited(texted(), ("/streams/0/result_index", 1))),
    ("stream-result-mismatch", "/streams/0/event_id", texted(), edited(texted(), ("/streams/0/event_id", "e0"))),
    (
        "segment-index-repeated",
        "/streams/0/segments/1/index",
        streamed(segment(0, "r", 0, 3), segment(1, "r", 3, 4), status="partial"),
        streamed(segment(0, "r", 0, 3), segment(0, "r", 3, 4), status="partial"),
    ),
    (
        "segment-order",
        "/streams/0/segments/1/index",
        streamed(segment(1, "r", 0, 3), segment(2, "r", 3, 4), status="partial"),
        streamed(segment(2, "r", 0, 3), segment(1, "r", 3, 4), status="partial"),
    ),
    (
        "segment-terminal-repeated",
        "/streams/0/segments/1/terminal",
        streamed(segment(0, "r", 0, 3), segment(1, "r", 3, 4, terminal=True)),
        streamed(segment(0, "r", 0, 3, terminal=True), segment(1, "r", 3, 4, terminal=True)),
    ),
    (
        "segment-terminal-not-last",
        "/streams/0/segments/0/terminal",
        streamed(segment(0, "r", 0, 7), segment(2, "r", 0, 0, terminal=True), status="partial"),
        streamed(segment(0, "r", 0, 7, terminal=True), segment(1, "r", 0, 0), status="partial"),
    ),
    (
        "segment-resource-missing",
        "/streams/0/segments/0/resource_id",
        streamed(WHOLE),
        streamed({**WHOLE, "resource_id": "none"}),
    ),
    (
        "segment-bytes-unavailable",
        "/streams/0/segments/0/resource_id",
        streamed(WHOLE),
        streamed({**WHOLE, "resource_id": "far"}),
    ),
    (
        "segment-bytes-unavailable",
        "/streams/0/segments/1/resource_id",
        streamed(segment(0, "r", 0, 7), segment(5, "r", 7, 0), status="partial"),
        streamed(segment(0, "r", 0, 7), segment(5, "far", 0, 0), status="partial"),
    ),
    ("segment-span-outside", "/streams/0/segments/0/length", streamed(WHOLE), streamed({**WHOLE, "length": 8})),
    (
        "segment-span-outside",
        "/streams/0/segments/1/length",
        streamed(segment(0, "r", 0, 7), segment(1, "r", 7, 0, terminal=True)),
        streamed(segment(0, "r", 0, 7), segment(1, "r", 8, 0, terminal=True)),
    ),
    ("stream-status-mismatch", "/streams/0/status", streamed(status="partial"), streamed()),
    (
        "stream-status-mismatch",
        "/streams/0/status",
        streamed(segment(0, "r", 0, 3), status="partial"),
        streamed(WHOLE, status="partial"),
    ),
    (
        "stream-status-mismatch",
        "/streams/0/status",
        streamed({**WHOLE, "index": 1}, status="partial"),
        streamed({**WHOLE, "index": 1}),
    ),
    ("stream-final-call-mismatch", "/streams/0/event_id", streamed(WHOLE), streamed(WHOLE, call_status="partial")),
    ("stream-final-call-mismatch", "/streams/0/event_id", streamed(WHOLE), streamed(WHOLE, call_status="unknown")),
    (
        "stream-partial-call-mismatch",
        "/streams/0/event_id",
        streamed(status="partial"),
        streamed(status="partial", call_status="complete"),
    ),
    (
        "stream-partial-call-mismatch",
        "/streams/0/event_id",
        streamed(status="partial"),
        streamed(status="partial", call_status="unknown"),
    ),
    ("stream-arguments-invalid", "/streams/0", streamed(WHOLE), streamed(WHOLE, text='{"a":1,')),
    (
        "stream-arguments-invalid",
        "/streams/0",
        streamed(segment(0, "r", 0, 8, terminal=True), text='{"a": 1}'),
        streamed(segment(0, "r", 0, 13, terminal=True), text='{"a":1,"a":1}'),
    ),
    ("stream-arguments-mismatch", "/streams/0", streamed(WHOLE), streamed(WHOLE, arguments={"a": True})),
    (
        "stream-arguments-mismatch",
        "/streams/0",
        streamed(segment(0, "r", 0, 9, terminal=True), text='{"a":1.0}'),
        streamed(WHOLE, arguments={"a": 1, "b": 2}),
    ),
    ("stream-text-mismatch", "/streams/0", texted(), texted("hullo")),
    ("stream-text-mismatch", "/streams/0", texted("", [part("")]), texted("", [])),
    (
        "stream-text-mismatch",
        "/streams/0",
        texted("hellohello", [part("hellohello")]),
        texted("hellohello", [part(), part()]),
    ),
]


@pytest.mark.parametrize(
    ("code", "pointer", "kept", "broken"), RULES, ids=[f"{i}-{r[0]}-{r[1]}" for i, r in enumerate(RULES)]
)
def test_a_rule_is_found_where_it_is_broken_and_only_there(code: str, pointer: str, kept: Wire, broken: Wire) -> None:
    assert found(kept) == []
    assert found(broken) == [(code, pointer)]


def test_every_finding_tells_the_rule_and_its_source() -> None:
    told = checked(RULES[0][3]).to_dict()["findings"][0]
    assert told["rule"] == "the version of the format is not known"
    assert told["source"] == SOURCES["version-unsupported"] == "Schema"


def test_a_document_has_a_branch_and_a_checkpoint() -> None:
    """What follows from their absence is told too: a checkpoint without its branch, a head without its checkpoint."""
    assert found(edited(BASE, ("/branches", []))) == [
        ("value-invalid", "/branches"),
        ("checkpoint-branch-undeclared", "/checkpoints/0/branch_id"),
    ]
    assert found(edited(BASE, ("/checkpoints", []))) == [
        ("value-invalid", "/checkpoints"),
        ("checkpoint-at-head", "/branches/0/head_event_id"),
    ]


def test_what_rests_on_a_broken_object_is_not_told() -> None:
    """A finding that only follows from an earlier one is not repeated."""
    wire = streamed(WHOLE)
    assert found(edited(wire, ("/resources/0/media_type", 1))) == [("type-invalid", "/resources/0/media_type")]
    assert found(edited(wire, ("/resources/0/bytes", 9))) == [("resource-size-mismatch", "/resources/0/bytes")]
    assert found(edited(wire, ("/events/0/causes", ...))) == [("member-missing", "/events/0/causes")]
    assert found(edited(wire, ("/tools/0", "x"))) == [("type-invalid", "/tools/0")]
    assert found(edited(wire, ("/checkpoints/0/tasks", ...))) == [("member-missing", "/checkpoints/0/tasks")]
    answered = document(call(0), result(1))
    assert found(edited(answered, ("/events/0/data/arguments", ...))) == [
        ("member-missing", "/events/0/data/arguments")
    ]
    assert found(edited(answered, ("/events/0/data", 1))) == [("type-invalid", "/events/0/data")]
    asked = edited(ASKED, ("/events/0/data/prompt", 1))
    assert found(asked) == [("type-invalid", "/events/0/data/prompt")]


def test_two_paths_that_differ_in_case_alone_are_one_file_on_some_systems() -> None:
    names = ["a/Ü.txt", "a/ü.txt", "a/u.txt"]
    wire = document(resources=[{**{k: v for k, v in resource(n, "").items() if k != "text"}, "path": n} for n in names])
    codes = [(f.code, f.pointer) for f in checked(wire).findings if f.code == "resource-path-collision"]
    assert codes == [("resource-path-collision", "/resources/1/path")]


def test_bytes_that_are_no_utf8_are_no_text() -> None:
    wire = texted()
    wire["resources"][0] |= {"data": "/w==", "bytes": 1, "sha256": hashlib.sha256(b"\xff").hexdigest()}
    del wire["resources"][0]["text"]
    wire["streams"][0]["segments"][0]["length"] = 1
    assert found(wire) == [("stream-text-invalid", "/streams/0")]


def test_other_members_of_the_text_part_are_a_warning() -> None:
    """Standard: the text equals the single text part; the reference checker compares the whole part."""
    wire = texted(parts=[{**part(), "media_type": "text/plain"}])
    assert found(wire) == []
    assert warned(wire) == [("assembled-result-extra-members", "/streams/0")]


def test_partial_bytes_are_not_compared_with_the_event() -> None:
    """Only a complete stream says what the event must say; the bytes of a partial one may be anything."""
    assert found(streamed(segment(0, "r", 0, 7), status="partial", text="[[[[[[[", arguments={"a": 1})) == []
    partial_text = edited(
        texted("other", [part(), part()]), ("/streams/0/status", "partial"), ("/streams/0/segments/0/terminal", False)
    )
    assert found(partial_text) == []


@pytest.mark.parametrize("status", ["complete", "known_empty"])
def test_bindings_call_for_coverage_that_discloses_what_is_missing(status: str) -> None:
    """Standard, external bindings: coverage and boundary must disclose missing source history."""
    called, asked = bound(bound_call(), tools=[]), bound(bound_request())
    called["tools"] = BASE["tools"]
    assert warned(called) == warned(asked) == []
    assert warned(coverage("conversation", status, called)) == [("binding-history-undisclosed", "/coverage/1/status")]
    assert warned(coverage("decisions", status, asked)) == [("binding-history-undisclosed", "/coverage/7/status")]
    assert warned(coverage("decisions", status, called)) == warned(coverage("tasks", status, asked)) == []


def test_features_that_are_not_known_are_told_and_no_error() -> None:
    wire = edited(BASE, ("/required_features", ["x.y/1", "asif.portable-continuation/0.2"]), ("/continuation", {}))
    report = checked(wire)
    assert report.ok
    assert report.unsupported_features == ["x.y/1", "asif.portable-continuation/0.2"]
    assert not parsed(wire).check(full_support=True).ok
    assert parsed(BASE).check(full_support=True).ok
    assert checked(edited(BASE, ("/asif_version", "9"))).unsupported_features == ["asif_version 9"]


def test_each_branch_has_its_own_version_of_a_call() -> None:
    """Separate branches may select separate amendments, and a branch may keep the partial state."""
    calls = [
        call(0, status="partial"),
        call(1, arguments=[1], amends="e0"),
        call(2, arguments=[2], amends="e0"),
        result(3),
    ]
    names = {"old": ["e0"], "one": ["e0", "e1"], "two": ["e2", "e3"]}
    wire = document(
        *calls,
        branches=[branch(name, events) for name, events in names.items()],
        checkpoints=[
            checkpoint("e0", branch="old", calls=("k",)),
            checkpoint("e1", branch="one", calls=("k",)),
            checkpoint("e3", branch="two"),
        ],
    )
    report = checked(wire)
    assert report.findings == []
    old, one, two = (report.branches[name].calls["k"] for name in names)
    assert isinstance(old, PartialCall)
    assert isinstance(one, CompleteCall)
    assert isinstance(two, CompleteCall)
    assert (one.arguments, one.executable) == ([1], True)
    assert (two.arguments, two.executable, two.outcome) == ([2], False, "success")
    assert report.calls["k"] == old


def test_a_call_in_doubt_is_never_executable() -> None:
    """Whatever is wrong with the versions or results of an open call, it is no call to act on."""
    sound = document(call(0), call(1, "z"), open_calls=("k", "z"))
    for broken in (
        edited(sound, ("/events/0/data/tool_id", "none")),
        edited(sound, ("/events/1/data/call_id", "k")),
        edited(sound, ("/events/0/data/retry_of", "k")),
        chain("complete", "complete"),
        edited(versions("e0", "e1", "e2"), ("/events/1/data/arguments", 1)),
        bound(bound_call("k"), bound_call("k")),
        bound(bound_call("k", tool_id="none")),
        bound(bound_call("k"), events=(call(0),)),
    ):
        report = checked(broken)
        assert not report.ok
        assert not report.calls["k"].executable
    assert checked(sound).calls["k"].executable
    assert checked(bound(bound_call("k"))).calls["k"].executable
