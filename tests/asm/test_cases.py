"""Inputs with the values that the original implementation gave for them (`tests/data/asm/cases.json`)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sessionrecord.asm import PAYLOADS, RunEvent, RunReducer, final_result, to_result
from sessionrecord.errors import InvalidRecordError

CASES: list[dict[str, Any]] = json.loads((Path(__file__).parent.parent / "data/asm/cases.json").read_text("utf-8"))


def of(op: str) -> list[Any]:
    return [pytest.param(c["events"], c["expected"], id=c["name"]) for c in CASES if c["op"] == op]


@pytest.mark.parametrize(("events", "expected"), of("reduce"))
def test_a_fold_gives_what_the_original_gives(events: list[dict[str, Any]], expected: dict[str, Any]) -> None:
    parsed = [RunEvent.parse(e) for e in events]
    reducer = RunReducer()
    sequences = [reducer.apply(e).sequence for e in parsed]
    result = final_result(parsed)
    assert result == to_result(reducer.state)
    wire = result.to_wire()
    seen: dict[str, Any] = {
        **wire,
        **({f"error_{k}": v for k, v in wire["error"].items()} if wire["error"] else {}),
        "final": reducer.state.terminal,
        "sequence": reducer.state.sequence,
        "event_sequences": sequences,
        "message_types": [m["type"] for m in wire["messages"]],
        "pending_approvals": reducer.state.to_wire()["pending_approvals"],
    }
    picked = json.loads(json.dumps({name: seen[name] for name in expected}))
    if "cost" in expected:
        assert picked.pop("cost") == pytest.approx(expected["cost"])
    if "cost" in expected.get("metadata", {}):
        assert picked["metadata"].pop("cost") == pytest.approx(expected["metadata"]["cost"])
        expected = {**expected, "metadata": {k: v for k, v in expected["metadata"].items() if k != "cost"}}
    assert picked == {k: v for k, v in expected.items() if k != "cost"}


def check(given: dict[str, Any], path: str, expected: dict[str, Any], read: Any) -> None:
    if "ok" in expected:
        model = read(given)
        assert {name: getattr(model, name) for name in expected["ok"]} == expected["ok"]
        return
    with pytest.raises(InvalidRecordError) as caught:
        read(given)
    if "error_field" in expected:
        assert path + expected["error_field"] in {d.pointer for d in caught.value.diagnostics}


@pytest.mark.parametrize(("events", "expected"), of("parse"))
def test_an_event_is_read_as_the_original_reads_it(events: list[dict[str, Any]], expected: dict[str, Any]) -> None:
    check(events[0], "/", expected, RunEvent.parse)


@pytest.mark.parametrize(("events", "expected"), of("payload"))
def test_a_payload_is_read_as_the_original_reads_it(events: list[dict[str, Any]], expected: dict[str, Any]) -> None:
    def in_an_event(given: dict[str, Any]) -> Any:
        payload = RunEvent.parse({**given, "run_id": "r", "session_id": "s"}).payload
        assert type(payload) is PAYLOADS[given["kind"]]
        return payload

    check(events[0], "/payload/", expected, in_an_event)
