"""ATIF: what of a record becomes which member of a trajectory (docs/export.md), checked against small sessions by hand."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import atif
import pytest

from sessionrecord import ijson
from sessionrecord.convert import claude_code, codex
from sessionrecord.export import to_atif
from sessionrecord.session import Session
from tests.export.sessions import Wire, agent, call, kinds, result, session, text, usage, user

DATA = Path(__file__).resolve().parents[2] / "examples" / "data"


def steps(*records: Wire) -> list[Wire]:
    """The steps of a session, valid by the public models."""
    trajectory = to_atif(session(*records, agentVersion="1")).data
    atif.Trajectory.model_validate(json.loads(ijson.dumps(trajectory)))
    found: list[Wire] = trajectory["steps"]
    return found


def test_a_small_session_becomes_this_trajectory() -> None:
    """Every value below stands in the records, or follows from the number of steps."""
    exported = to_atif(
        session(
            user("hello", timestamp="2026-01-01T00:00:00.123456789Z"),
            agent("let me look", modelCallId="mc", model="big"),
            call("c1", modelCallId="mc"),
            result("c1", "x = 1"),
            usage(
                modelCallId="mc", inputTokens=10, outputTokens=3, cacheReadTokens=5, cacheWriteTokens=2,
                cost={"amount": Decimal("0.30"), "currency": "USD"},
            ),
            agentVersion="1.2",
        )
    )  # fmt: skip
    assert json.loads(exported.text) == {
        "schema_version": "ATIF-v1.8",
        "session_id": "s1",
        "trajectory_id": "asr:toy//s1",
        "agent": {"name": "toy", "version": "1.2", "model_name": "big"},
        "steps": [
            {
                "step_id": 1,
                "timestamp": "2026-01-01T00:00:00.123456789Z",
                "source": "user",
                "message": "hello",
                "extra": {"asr": [{"type": "message", "seq": 2, "id": "r2", "messageId": "u-hello"}]},
            },
            {
                "step_id": 2,
                "source": "agent",
                "model_name": "big",
                "message": "let me look",
                "tool_calls": [
                    {
                        "tool_call_id": "c1",
                        "function_name": "Read",
                        "arguments": {"path": "a.py"},
                        "extra": {"asr": {"type": "tool_call", "seq": 4, "id": "r4", "modelCallId": "mc"}},
                    }
                ],
                "observation": {
                    "results": [
                        {
                            "source_call_id": "c1",
                            "content": "x = 1",
                            "extra": {"asr": {"type": "tool_result", "seq": 5, "id": "r5", "outcome": "success"}},
                        }
                    ]
                },
                "metrics": {
                    "prompt_tokens": 17,
                    "completion_tokens": 3,
                    "cached_tokens": 5,
                    "cost_usd": 0.3,
                    "extra": {
                        "asr": {
                            "type": "usage",
                            "seq": 6,
                            "id": "r6",
                            "modelCallId": "mc",
                            "inputTokens": 10,
                            "cacheWriteTokens": 2,
                        }
                    },
                },
                "llm_call_count": 1,
                "extra": {
                    "asr": [
                        {"type": "message", "seq": 3, "id": "r3", "messageId": "a-let me look", "modelCallId": "mc"}
                    ]
                },
            },
        ],
        "final_metrics": {
            "total_prompt_tokens": 17,
            "total_completion_tokens": 3,
            "total_cached_tokens": 5,
            "total_cost_usd": 0.3,
            "total_steps": 2,
            "extra": {
                "input_tokens_without_cache": 10,
                "cache_write_tokens": 2,
                "missing": {"reasoning_tokens": 1, "total_tokens": 1},
                "includes_children": False,
            },
        },
        "extra": {"asr": {"header": {"type": "session", "seq": 1, "id": "r1", "producer": {"method": "native"}}}},
    }
    assert kinds(exported) == {"totals_incomplete": 1}
    assert '"cost_usd": 0.30,' in exported.text


def test_records_of_one_model_call_are_one_step_whatever_result_stands_between() -> None:
    got = steps(
        agent("a", modelCallId="m1"),
        call("c1", modelCallId="m1"),
        result("c1"),
        call("c2", modelCallId="m1"),
        result("c2"),
        agent("b", modelCallId="m2"),
    )
    assert [[c["tool_call_id"] for c in s.get("tool_calls", [])] for s in got] == [["c1", "c2"], []]
    assert [s["message"] for s in got] == ["a", "b"]


def test_records_that_name_no_model_call_are_one_step_until_a_result() -> None:
    got = steps(agent("a"), call("c1"), call("c2"), result("c2"), result("c1"), call("c3"), result("c3"), agent("b"))
    assert [[c["tool_call_id"] for c in s.get("tool_calls", [])] for s in got] == [["c1", "c2"], ["c3"], []]
    assert [r["source_call_id"] for r in got[0]["observation"]["results"]] == ["c2", "c1"]
    assert all("llm_call_count" not in s for s in got)


def test_a_record_without_a_model_call_is_not_put_with_one_that_names_it() -> None:
    assert len(steps(agent("a", modelCallId="m"), agent("b"), agent("c", modelCallId="m"))) == 3


def test_a_model_call_that_others_come_between_is_counted_once_and_its_parts_are_told_apart() -> None:
    first, _, second = steps(agent("a", modelCallId="m"), user("b"), agent("c", modelCallId="m"))
    assert (first["llm_call_count"], second.get("llm_call_count")) == (1, None)
    (one,) = steps(agent("a", modelCallId="m"), agent("b", modelCallId="m"))
    assert one["message"] == [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    assert [r.get("firstPart") for r in one["extra"]["asr"]] == [None, 1]


def test_a_result_that_comes_after_a_later_step_stands_with_its_call_and_that_is_said() -> None:
    exported = to_atif(session(call("c1"), user("wait"), result("c1"), agentVersion="1"))
    first, second = exported.data["steps"]
    assert first["observation"]["results"][0]["source_call_id"] == "c1"
    assert second["source"] == "user"
    assert kinds(exported) == {"result_moved": 1}


def test_a_result_whose_call_is_not_on_the_path_is_tied_to_no_call() -> None:
    exported = to_atif(
        session(user("a"), call("c1"), {"type": "rewind", "to": "messageId=u-a"}, result("c1"), agentVersion="1")
    )
    (answer,) = exported.data["steps"][1]["observation"]["results"]
    assert "source_call_id" not in answer
    assert answer["extra"]["asr"]["callId"] == "c1"
    assert kinds(exported) == {"not_on_path": 1, "no_place": 1, "result_without_call": 1}
    atif.Trajectory.model_validate(exported.data)


def test_roles_that_atif_lacks_are_system_steps_and_reported() -> None:
    exported = to_atif(
        session(user("a", role="developer", messageId="d"), user("b", role="critic", messageId="k"), agentVersion="1")
    )
    assert [s["source"] for s in exported.data["steps"]] == ["system", "system"]
    assert [s["extra"]["asr"][0]["role"] for s in exported.data["steps"]] == ["developer", "critic"]
    assert kinds(exported) == {"role_mapped": 2}


def test_reasoning_stands_apart_and_its_signature_in_extra() -> None:
    blocks = [
        {"type": "reasoning", "text": "one", "signature": "c2ln"},
        {"type": "reasoning", "text": "two"},
        {"type": "text", "text": "said"},
        {"type": "reasoning", "encrypted": "xyz"},
    ]
    exported = to_atif(session(agent("x", content=blocks), agentVersion="1"))
    (step,) = exported.data["steps"]
    assert step["reasoning_content"] == "one\n\ntwo"
    assert step["message"] == "said"
    assert step["extra"]["asr"][0]["content"] == [
        {"index": 0, "block": {"type": "reasoning", "signature": "c2ln"}},
        {"index": 3, "block": {"type": "reasoning", "encrypted": "xyz"}},
    ]
    assert kinds(exported) == {"text_joined": 1}


def test_reasoning_after_a_text_loses_its_order_and_that_is_said() -> None:
    blocks = [*text("said"), {"type": "reasoning", "text": "late"}]
    assert kinds(to_atif(session(agent("x", content=blocks), agentVersion="1"))) == {"order_changed": 1}


def test_reasoning_where_there_is_no_place_for_it_is_in_extra() -> None:
    """Only agent steps have `reasoning_content`."""
    block = {"type": "reasoning", "text": "hm"}
    exported = to_atif(session(user("x", content=[block]), agentVersion="1"))
    (step,) = exported.data["steps"]
    assert step["extra"]["asr"][0]["content"] == [{"index": 0, "block": block}]
    assert kinds(exported) == {"block_elsewhere": 1}


def test_pictures_and_sound_are_parts_with_a_path() -> None:
    blocks: list[Wire] = [
        {"type": "image", "mimeType": "image/png", "data": "aGk="},
        {"type": "image", "mimeType": "image/jpeg", "uri": "https://example.org/a.jpg", "name": "a"},
        {"type": "audio", "mimeType": "audio/wav", "blob": {"sha256": "0" * 64, "bytes": 3, "path": "blobs/0"}},
        {"type": "text", "text": "look"},
    ]
    exported = to_atif(session(user("x", content=blocks), agentVersion="1"))
    (step,) = exported.data["steps"]
    assert step["message"] == [
        {"type": "image", "source": {"media_type": "image/png", "path": "data:image/png;base64,aGk="}},
        {"type": "image", "source": {"media_type": "image/jpeg", "path": "https://example.org/a.jpg"}},
        {"type": "audio", "source": {"media_type": "audio/wav", "path": "blobs/0"}},
        {"type": "text", "text": "look"},
    ]
    assert step["extra"]["asr"][0]["content"] == [
        {"index": 1, "block": {"type": "image", "name": "a"}},
        {"index": 2, "block": {"type": "audio", "blob": blocks[2]["blob"]}},
    ]
    assert kinds(exported) == {}
    atif.Trajectory.model_validate(exported.data)


@pytest.mark.parametrize(
    "block",
    [
        {"type": "image", "mimeType": "image/svg+xml", "data": "aGk="},
        {"type": "image", "mimeType": "image/png", "blob": {"sha256": "0" * 64, "bytes": 3}},
        {"type": "file", "mimeType": "application/pdf", "uri": "file:///a.pdf"},
        {"type": "resource_link", "uri": "https://example.org"},
        {"type": "diff", "path": "a.py", "newText": "x"},
        {"type": "terminal", "terminalId": "t"},
        {"type": "x-chart", "points": [1, 2]},
    ],
)
def test_a_block_that_atif_has_no_part_for_is_kept_in_extra_and_reported(block: Wire) -> None:
    exported = to_atif(session(call("c1"), result("c1", content=[*text("a"), block]), agentVersion="1"))
    (answer,) = exported.data["steps"][0]["observation"]["results"]
    assert answer["content"] == "a"
    assert answer["extra"]["asr"]["content"] == [{"index": 1, "block": block}]
    assert [(x.kind, x.pointer, x.kept) for x in exported.report.losses] == [("block_elsewhere", "/content/1", True)]


@pytest.mark.parametrize("value", ["*** Begin Patch", [1], None, 7, True])
def test_arguments_that_are_no_object_are_wrapped_and_marked(value: Any) -> None:
    exported = to_atif(session(call("c1", arguments=value), agentVersion="1"))
    (made,) = exported.data["steps"][0]["tool_calls"]
    assert made["arguments"] == {"value": value}
    assert made["extra"]["asr"]["argumentsWrapped"] is True
    assert kinds(exported) == {"arguments_wrapped": 1}


def test_arguments_that_are_not_recorded_are_empty_and_marked() -> None:
    without = {name: value for name, value in call("c1").items() if name not in ("arguments", "name")}
    exported = to_atif(session(without, agentVersion="1"))
    (made,) = exported.data["steps"][0]["tool_calls"]
    assert made["function_name"] == ""
    assert made["arguments"] == {}
    assert made["extra"]["asr"]["argumentsAbsent"] is True
    assert kinds(exported) == {"arguments_absent": 1, "name_absent": 1}


def test_numbers_keep_every_digit() -> None:
    line = b'{"type":"tool_call","seq":2,"id":"r2","callId":"c","name":"n","arguments":{"a":123456789012345678901234567890,"b":0.10,"c":1e2}}'
    header = session(agentVersion="1").records[0].to_line()
    written = to_atif(Session.read(header + b"\n" + line + b"\n")).text
    assert '"a": 123456789012345678901234567890,' in written
    assert '"b": 0.10,' in written
    assert '"c": 1e2' in written


def test_arguments_nested_as_deep_as_a_line_may_be_stand_as_json_text() -> None:
    """JSON readers promise 200 levels here; a trajectory puts arguments some levels deeper than a record."""
    deep: Any = 1
    for _ in range(240):
        deep = [deep]
    exported = to_atif(session(call("c1", arguments={"a": deep}, other=deep), agentVersion="1"))
    (made,) = exported.data["steps"][0]["tool_calls"]
    assert json.loads(made["arguments"]["value"])["a"] == deep
    assert json.loads(made["extra"]["asr"]["other"]) == deep
    assert kinds(exported) == {"nesting_too_deep": 2, "arguments_wrapped": 1}
    assert json.loads(exported.text)["steps"]


def test_a_compaction_is_a_system_step_that_says_what_it_did() -> None:
    """The convention of ATIF for steps that change the context: `extra.context_management`."""
    made = {"type": "compaction", "compactionId": "k", "summary": text("short"), "keptFrom": "messageId=u-b"}
    first, second, third = steps(user("a"), user("b"), {**made, "tokensBefore": 90, "tokensAfter": 9})
    assert [first["message"], second["message"], third["message"]] == ["a", "b", "short"]
    assert third["source"] == "system"
    change = {"type": "compaction", "boundary": "replace", "tokens_before": 90, "tokens_after": 9}
    assert third["extra"]["context_management"] == change
    assert third["extra"]["asr"][0]["keptFrom"] == "messageId=u-b"


def test_a_compaction_that_was_not_completed_changed_nothing() -> None:
    exported = to_atif(session({"type": "compaction", "compactionId": "k", "status": "failed"}, agentVersion="1"))
    (step,) = exported.data["steps"]
    assert step["message"] == ""
    assert step["extra"] == {
        "asr": [{"type": "compaction", "seq": 2, "id": "r2", "compactionId": "k", "status": "failed"}]
    }
    assert kinds(exported) == {"content_absent": 1}


def test_unknown_tokens_are_absent_and_never_zero() -> None:
    got = steps(agent("a", modelCallId="m"), usage(modelCallId="m", outputTokens=4, cacheReadTokens=9))
    assert got[0]["metrics"].keys() == {"completion_tokens", "cached_tokens", "extra"}


def test_input_tokens_that_may_not_be_all_are_reported() -> None:
    exported = to_atif(session(agent("a", modelCallId="m"), usage(modelCallId="m", inputTokens=4), agentVersion="1"))
    assert exported.data["steps"][0]["metrics"]["prompt_tokens"] == 4
    losses = [(x.what, x.seq) for x in exported.report.losses if x.kind == "tokens_partly_known"]
    assert losses == [("cacheReadTokens, cacheWriteTokens", 3), ("cacheReadTokens, cacheWriteTokens", None)]


def test_a_total_that_leaves_no_room_for_other_tokens_completes_the_input() -> None:
    used = usage(modelCallId="m", inputTokens=4, cacheReadTokens=6, outputTokens=2, totalTokens=12)
    assert "tokens_partly_known" not in kinds(to_atif(session(agent("a", modelCallId="m"), used, agentVersion="1")))


def test_a_cost_in_another_currency_is_no_cost_in_usd() -> None:
    used = usage(modelCallId="m", cost={"amount": 3, "currency": "EUR"})
    exported = to_atif(session(agent("a", modelCallId="m"), used, agentVersion="1"))
    (step,) = exported.data["steps"]
    assert step["metrics"] == {
        "extra": {
            "asr": {"type": "usage", "seq": 3, "id": "r3", "modelCallId": "m", "cost": {"amount": 3, "currency": "EUR"}}
        }
    }
    assert "total_cost_usd" not in exported.data["final_metrics"]
    assert exported.data["final_metrics"]["extra"]["costs"] == {"EUR": Decimal(3)}
    assert [x.what for x in exported.report.losses if x.kind == "currency"] == ["EUR", "EUR"]


def test_usage_that_belongs_to_no_step_counts_in_the_totals_and_notes_say_so() -> None:
    exported = to_atif(
        session(
            agent("a"),
            {"type": "model_call", "modelCallId": "gone"},
            usage(modelCallId="gone", outputTokens=1),
            usage(scope="session", counter="cumulative", inputTokens=5, outputTokens=7),
            usage(scope="galaxy", outputTokens=9),
            agentVersion="1",
        )
    )
    assert exported.data["notes"]
    whole = [(x.kind, x.seq) for x in exported.report.losses if x.pointer == ""]
    assert whole == [("no_step", 3), ("no_step", 4), ("folded", 5), ("no_place", 6)]
    assert (exported.report.folded, exported.report.left_out) == (3, 1)
    assert "metrics" not in exported.data["steps"][0]


def test_a_count_marked_as_incomplete_is_reported() -> None:
    used = usage(modelCallId="m", outputTokens=2, capture={"outputTokens": {"state": "unknown"}})
    exported = to_atif(session(agent("a", modelCallId="m"), used, agentVersion="1"))
    assert kinds(exported)["capture_state"] == 1
    assert exported.data["final_metrics"]["extra"]["incomplete_usage_records"] == 1


def test_the_model_of_a_step_is_that_of_its_records_and_the_agent_has_one_only_if_it_is_the_same_everywhere() -> None:
    one = to_atif(session(agent("a", modelCallId="m"), {"type": "model_call", "modelCallId": "m", "model": "x"})).data
    assert (one["agent"]["model_name"], one["steps"][0]["model_name"]) == ("x", "x")
    two = to_atif(session(agent("a", model="x"), agent("b", model="y"))).data
    assert "model_name" not in two["agent"]
    assert two["steps"][0]["model_name"] == "x"
    three = to_atif(session(agent("a", modelCallId="m"), usage(modelCallId="m", model="x"))).data
    assert three["steps"][0]["model_name"] == "x"


def test_a_child_session_is_named_by_its_reference() -> None:
    exported = to_atif(session(call("c1", childSession="asr:toy/s1/kid"), result("c1"), agentVersion="1"))
    named = {
        "source_call_id": "c1",
        "subagent_trajectory_ref": [{"trajectory_path": "asr:toy/s1/kid", "session_id": "kid"}],
    }
    (answer,) = exported.data["steps"][0]["observation"]["results"]
    extra = {"asr": {"type": "tool_result", "seq": 3, "id": "r3", "outcome": "success"}}
    assert answer == {**named, "content": "done", "extra": extra}
    assert kinds(exported) == {"child_session": 1}
    (unanswered,) = to_atif(session(call("c1", childSession="asr:toy/s1/kid"))).data["steps"]
    assert unanswered["observation"]["results"] == [named]
    atif.Trajectory.model_validate(exported.data)


def test_a_moment_that_readers_do_not_know_is_kept_in_extra() -> None:
    """Python's ISO 8601, which the public models read, knows no leap second."""
    exported = to_atif(session(user("a", timestamp="2016-12-31T23:59:60Z"), agentVersion="1"))
    (step,) = exported.data["steps"]
    assert "timestamp" not in step
    assert step["extra"]["asr"][0]["timestamp"] == "2016-12-31T23:59:60Z"
    assert kinds(exported) == {"timestamp_not_readable": 1}


def test_effective_values_and_titles_stand_for_the_records_that_made_them() -> None:
    made = session(
        {"type": "declaration", "client": {"name": "one"}, "profiles": ["usage"]},
        {"type": "declaration", "client": {"name": "two"}},
        {"type": "session_info", "title": "first"},
        {"type": "session_info", "title": None, "tags": ["x"]},
        agentVersion="1",
    )
    exported = to_atif(made)
    asr = exported.data["extra"]["asr"]
    assert asr["declared"] == {"profiles": ["usage"], "client": {"name": "two"}}
    assert asr["info"] == {"tags": ["x"]}
    assert [x.kind for x in exported.report.losses] == ["folded"] * 4
    at = to_atif(made, at=2).data["extra"]["asr"]
    assert at["declared"]["client"] == {"name": "one"}


def test_without_a_header_the_agent_has_no_name_and_that_is_said() -> None:
    exported = to_atif(Session.from_records([session(user("a")).records[1]]))
    assert exported.data["agent"] == {"name": "", "version": ""}
    assert "session_id" not in exported.data
    assert kinds(exported) == {"name_absent": 2}


def test_an_empty_stream_is_a_trajectory_without_steps() -> None:
    exported = to_atif(Session.read(b""))
    assert exported.data["steps"] == []
    assert exported.report.records == 0


def test_a_broken_revision_leaves_the_valid_one_before_it() -> None:
    lines = b"".join(r.to_line() + b"\n" for r in session(user("a"), agentVersion="1").records)
    broken = b'{"type":"message","seq":3,"id":"r3","messageId":"u-a","role":7}\n'
    exported = to_atif(Session.read(lines + broken))
    assert [s["message"] for s in exported.data["steps"]] == ["a"]
    assert [(x.kind, x.seq) for x in exported.report.losses] == [("invalid_line", 3)]


@pytest.mark.parametrize("sample", ["claude-code-sample.jsonl", "codex-sample.jsonl"])
def test_the_sample_logs_become_valid_trajectories(sample: str) -> None:
    """Whole logs pass the models of the `atif` package, with every call of the path."""
    convert = claude_code.convert if sample.startswith("claude") else codex.convert
    made = Session.from_records(convert(DATA / sample).main)
    exported = to_atif(made)
    trajectory = atif.Trajectory.model_validate(json.loads(exported.text))
    calls = {c.tool_call_id for s in trajectory.steps for c in s.tool_calls or ()}
    on_path = {e.key for e in made.active_path().entities if e.type == "tool_call"}
    assert calls == on_path
    assert exported.report.records == len(made)
