"""Selected histories against a plain fold that starts again for every checkpoint and every branch."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.asif.documents import (
    Wire,
    bound_call,
    bound_request,
    branch,
    call,
    checkpoint,
    document,
    parsed,
    request,
    resolution,
    result,
)

HISTORY_CODES = {
    "call-versions-conflict",
    "result-orphan",
    "result-after-terminal",
    "result-order",
    "decision-call-missing",
    "resolution-orphan",
    "resolution-contradiction",
    "decision-option-unknown",
    "checkpoint-call-not-open",
    "checkpoint-decision-not-open",
    "open-call-unaccounted",
    "open-decision-unaccounted",
}
CALLS, REQUESTS = ("k", "x"), ("q", "y")


@st.composite
def histories(draw: st.DrawFn) -> Wire:
    """Events of a few calls and requests, often wrong; two branches of them, checkpoints anywhere."""
    events: list[Wire] = []
    for n in range(draw(st.integers(0, 9))):
        kind = draw(st.sampled_from(["call", "result", "result", "request", "resolution", "resolution"]))
        alike = [e["id"] for e in events if e["kind"].endswith(kind)]
        members: dict[str, Any] = {}
        amends: bool = draw(st.booleans())
        if alike and amends:
            members["supersedes"] = {"event_id": draw(st.sampled_from(alike))}
        if kind == "call":
            events.append(call(n, draw(st.sampled_from(CALLS)), status="partial", **members))
        elif kind == "result":
            index, terminal = draw(st.integers(0, 2)), draw(st.booleans())
            events.append(result(n, draw(st.sampled_from(CALLS)), index, terminal=terminal, **members))
        elif kind == "request":
            about = {"call_id": draw(st.sampled_from(CALLS))} if draw(st.booleans()) else {}
            events.append(request(n, draw(st.sampled_from(REQUESTS)), **about, **members))
        else:
            option = draw(st.sampled_from([None, "a", "c"]))
            events.append(resolution(n, draw(st.sampled_from(REQUESTS)), option, **members))
    branches, checkpoints = [], []
    for name in ("main", "side"):
        selected = [e["id"] for e in events if draw(st.integers(0, 4))]
        if draw(st.integers(0, 3)) == 0:
            selected = list(draw(st.permutations(selected)))
        branches.append(branch(name, selected))
        for at in {None, *selected}:
            if draw(st.booleans()):
                some = st.lists(st.sampled_from([*CALLS, "none"]), unique=True, max_size=2)
                others = st.lists(st.sampled_from([*REQUESTS, "none"]), unique=True, max_size=2)
                checkpoints.append(checkpoint(at, branch=name, calls=tuple(draw(some)), decisions=tuple(draw(others))))
    bindings = [b for b in (bound_call(), bound_request()) if draw(st.booleans())]
    return document(*events, branches=branches, checkpoints=checkpoints, external_bindings=bindings)


class Plain:
    """The fold as the standard tells it, over a list of selected events."""

    def __init__(self, wire: Wire, selected: list[str]) -> None:
        events = {e["id"]: e for e in wire["events"]}
        history = [events[i] for i in selected]
        gone = {e["supersedes"]["event_id"] for e in history if "supersedes" in e}
        bound = {(b["kind"], b["id"]): b["descriptor"] for b in wire["external_bindings"]}
        self.faults: set[tuple[str, str]] = set()
        self.open_calls = {i for kind, i in bound if kind == "call"}
        self.open_requests = {i for kind, i in bound if kind == "request"}
        calls = set(self.open_calls)
        options = {i: d["options"] for (kind, i), d in bound.items() if kind == "request"}
        versions: dict[str, str] = {}
        results: dict[str, list[Wire]] = {}
        resolved: set[str] = set()
        for e in history:
            data = e["data"]
            if e["id"] in gone and e["kind"] != "tool_call":
                continue
            if e["kind"] == "tool_call":
                before = versions.get(data["call_id"])
                if before is not None and e.get("supersedes") != {"event_id": before}:
                    self.fault("call-versions-conflict", e)
                versions[data["call_id"]] = e["id"]
                if data["call_id"] not in calls and not any(r["terminal"] for r in results.get(data["call_id"], [])):
                    self.open_calls.add(data["call_id"])
                calls.add(data["call_id"])
            elif e["kind"] == "tool_result":
                earlier = results.setdefault(data["call_id"], [])
                if data["call_id"] not in calls:
                    self.fault("result-orphan", e)
                elif earlier and earlier[-1]["terminal"]:
                    self.fault("result-after-terminal", e)
                elif earlier and data["result_index"] <= earlier[-1]["result_index"]:
                    self.fault("result-order", e)
                earlier.append(data)
                if data["terminal"]:
                    self.open_calls.discard(data["call_id"])
            elif e["kind"] == "decision_request":
                if "call_id" in data and data["call_id"] not in calls:
                    self.fault("decision-call-missing", e)
                if data["request_id"] not in options:
                    options[data["request_id"]] = data["options"]
                    if data["request_id"] not in resolved:
                        self.open_requests.add(data["request_id"])
            else:
                if data["request_id"] not in options:
                    self.fault("resolution-orphan", e)
                else:
                    if data["request_id"] in resolved:
                        self.fault("resolution-contradiction", e)
                    if data.get("selected_option_id", "a") not in {o["id"] for o in options[data["request_id"]]}:
                        self.fault("decision-option-unknown", e)
                resolved.add(data["request_id"])
                self.open_requests.discard(data["request_id"])

    def fault(self, code: str, e: Wire) -> None:
        self.faults.add((code, e["id"]))


def expected(wire: Wire) -> set[tuple[str, str, str]]:
    """Code, branch or checkpoint, and event of what a plain fold finds: every prefix with a checkpoint, and every whole branch."""
    found = {(code, b["id"], e) for b in wire["branches"] for code, e in Plain(wire, b["event_ids"]).faults}
    for c in wire["checkpoints"]:
        selected = next(b["event_ids"] for b in wire["branches"] if b["id"] == c["branch_id"])
        end = 0 if c["at_event_id"] is None else selected.index(c["at_event_id"]) + 1
        plain = Plain(wire, selected[:end])
        found |= {(code, c["branch_id"], e) for code, e in plain.faults}
        calls = {o["call_id"] for o in c["open_calls"]}
        requests = {o["request_id"] for o in c["open_decisions"]}
        for code, wrong in (
            ("checkpoint-call-not-open", calls - plain.open_calls),
            ("open-call-unaccounted", plain.open_calls - calls),
            ("checkpoint-decision-not-open", requests - plain.open_requests),
            ("open-decision-unaccounted", plain.open_requests - requests),
        ):
            if wrong:
                found.add((code, c["id"], c["id"]))
    return found


def clear(wire: Wire) -> bool:
    """Whether no identity is doubled: of two requests with one ID, it is not told which one a resolution answers."""
    ids = [e["data"]["request_id"] for e in wire["events"] if e["kind"] == "decision_request"]
    bound = [b["id"] for b in wire["external_bindings"] if b["kind"] == "request"]
    return len(set(ids + bound)) == len(ids + bound)


@settings(max_examples=400)
@given(histories().filter(clear))
def test_one_fold_finds_what_a_fold_for_every_checkpoint_finds(wire: Wire) -> None:
    """Tool-call progression: effective events, versions, results, decisions, and what is open where."""
    findings = [f for f in parsed(wire).check().findings if f.code in HISTORY_CODES]
    # told once for the document, not again for each branch
    orphans = {(f.code, f.record_id) for f in findings if str(f.pointer).startswith("/events/")}
    found = set()
    for f in findings:
        collection, place = str(f.pointer).split("/")[1:3]
        if collection != "events":
            found.add((f.code, wire[collection][int(place)]["id"], str(f.record_id)))
    assert found == {(code, place, about) for code, place, about in expected(wire) if (code, about) not in orphans}


@given(histories().filter(clear))
def test_what_is_open_at_a_head_is_what_the_plain_fold_leaves_open(wire: Wire) -> None:
    report = parsed(wire).check()
    for b in wire["branches"]:
        calls = report.branches[b["id"]].calls
        opened = {c.call_id for c in calls.values() if c.open}
        assert opened == Plain(wire, b["event_ids"]).open_calls
