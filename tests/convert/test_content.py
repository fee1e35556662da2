"""What each native line becomes. Values are those in the logs."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from sessionrecord.convert import claude_code
from sessionrecord.errors import ConversionError, SourceError, WriterError
from sessionrecord.records import ErrorRecord, Message, ModelCall, ToolCall, ToolResult, Usage
from tests.convert.logs import DATA, SAMPLE, accounted, assistant, codes, convert, fixture, natives, of, tool_use, user


def test_the_sample_becomes_the_records_it_was_written_for() -> None:
    conversion = claude_code.convert(SAMPLE)
    assert conversion.report.records == {
        "session": 1, "message": 16, "tool_call": 9, "tool_result": 9, "compaction": 1, "model_call": 11, "usage": 11,
        "error": 2, "native_line": 12, "declaration": 1, "session_info": 1,
    }  # fmt: skip
    assert conversion.report.unknown == {"focus-session": 1}
    assert accounted(conversion.report) == 54
    assert len(conversion.children["a7c20e4"]) == 9
    assert sum(r.outcome == "error" for r in of(ToolResult, conversion.main)) == 2
    usage = of(Usage, conversion.main)
    assert [sum(getattr(u, m) for u in usage) for m in ("input_tokens", "output_tokens", "cache_write_tokens", "cache_read_tokens")] == [
        62, 1288, 11338, 224184,
    ]  # fmt: skip
    assert sum(u.capture is not None for u in usage) == conversion.report.calls_without_stop_reason == 1


def test_signatures_and_redacted_thinking_survive_byte_for_byte() -> None:
    native = [json.loads(line) for line in (DATA / "thinking.jsonl").read_bytes().splitlines()]
    blocks = [b.to_wire() for m in of(Message, fixture("thinking").main)[1:] for b in m.content]
    assert blocks[0]["signature"] == native[1]["message"]["content"][0]["signature"]
    assert blocks[1]["encrypted"] == native[2]["message"]["content"][0]["data"]
    assert len(of(ModelCall, fixture("thinking").main)) == 1


def test_api_errors_are_errors_and_no_messages() -> None:
    errors = of(ErrorRecord, fixture("api-error").main)
    assert [e.severity for e in errors] == ["warning", "error", "warning", "error"]


def test_what_an_error_of_the_api_tells_beside_its_words_and_its_code_is_counted() -> None:
    """An error record has a message and a code; the log tells also of kinds, a path, a cause twice and, beside a name, a status."""
    lost = {loss.field: loss.count for loss in fixture("api-error").report.lost}
    told = {
        name: count for name, count in lost.items() if name is not None and name.startswith(("error", "cause", "api"))
    }
    assert told == {
        "error.error.type": 2, "error.error.error.type": 2, "error.cause": 1, "cause.path": 1, "apiErrorStatus": 1,
    }  # fmt: skip


def test_what_an_error_record_has_no_member_for_is_named_by_its_path() -> None:
    """Line 24 of the sample is a request that failed, line 37 an error in the form of a message."""
    found = {loss.field: loss.count for loss in claude_code.convert(SAMPLE).report.lost}
    named = ["error.requestID", "error.error.type", "error.error.error.type", "apiErrorStatus", "message.usage"]
    assert [found.get(name) for name in named] == [1] * 5
    assert "error.error.error.message" not in found


def test_counts_of_another_type_and_what_is_within_the_source_of_an_image_are_named() -> None:
    source = {"type": "base64", "media_type": "image/png", "data": "AA==", "zz": 1}
    shown = {"type": "image", "source": source, "title": ["x"]}
    reply = assistant("b", "m", [tool_use("t") | {"name": ["x"]}, {"type": "tool_use", "id": 1}], "a")
    reply["message"]["usage"] = {"input_tokens": "5", "output_tokens": 2}
    conversion = convert(user("a", [shown, {"type": "image", "source": {"type": "url", "zz": 1}}], isMeta="x"), reply)
    assert {loss.field: loss.count for loss in conversion.report.lost} == {
        "isMeta": 1, "message.content.image.source.zz": 1, "message.content.image.title": 1,
        "message.content.tool_use.name": 1, "message.content.tool_use.id": 1, "message.usage.input_tokens": 1,
    }  # fmt: skip


def test_a_result_that_was_not_paired_and_usage_that_no_model_gave_are_named() -> None:
    line = assistant("b", "m", "hi", "a")
    line["message"]["model"] = "<synthetic>"
    conversion = convert(user("a", "hello", toolUseResult={"a": 1}, sourceToolAssistantUUID="x"), line)
    assert {loss.field for loss in conversion.report.lost} == {
        "toolUseResult", "sourceToolAssistantUUID", "message.id", "message.usage",
    }  # fmt: skip


def test_a_branch_of_no_directory_is_named() -> None:
    assert [loss.field for loss in convert(user("a", "hi", gitBranch="main")).report.lost] == ["gitBranch"]


def test_a_reused_call_id_gets_an_id_of_its_own_and_its_own_result() -> None:
    main = fixture("reused-call-id").main
    first, second = of(ToolCall, main)
    assert (second.call_id, second.call_id_source) == (f"{first.call_id}#2", "synthetic")
    assert [r.call_id for r in of(ToolResult, main)][:2] == [first.call_id, second.call_id]


def test_unknown_types_and_blocks_are_kept_whole_and_named() -> None:
    conversion = fixture("unknown-types")
    assert conversion.report.unknown == {"hologram": 2, "(no type)": 1, "system/brand_new_subtype": 1}
    assert natives(conversion.main)[0]["value"]["payload"] == {"depth": 123456789012345678901234567890, "nothing": None}
    assert [b.type for b in of(Message, conversion.main)[0].content] == ["text", "scent", "text", "native_block"]


def test_broken_text_is_mended_or_kept_and_always_reported() -> None:
    assert [c for c in codes(fixture("surrogate").report) if c[1] != "version-changed"] == [
        (3, "lone-surrogate"),
        (4, "duplicate-member"),
    ]
    assert [(u.line, u.reason) for u in fixture("torn").report.kept_reasons] == [
        (3, "not JSON"),
        (6, "torn at the end of the file"),
    ]


def test_sidechains_and_agent_files_are_children_that_their_calls_name() -> None:
    conversion = fixture("sidechain")
    assert sorted(c.child_session.rsplit("/", 1)[1] for c in of(ToolCall, conversion.main)) == sorted(
        conversion.children
    )


def test_a_log_without_a_message_is_an_error_that_says_what_was_found() -> None:
    with pytest.raises(
        ConversionError, match=r"no message in 4 lines of no-message\.jsonl: queue-operation 1, .*without type 1"
    ):
        fixture("no-message")
    with pytest.raises(SourceError, match="cannot read"):
        claude_code.convert(DATA / "nowhere.jsonl")


def test_a_conversion_is_written_for_its_owner_only(tmp_path: Path) -> None:
    paths = claude_code.convert(SAMPLE).write(tmp_path / "out.jsonl")
    assert [str(p.relative_to(tmp_path)) for p in paths] == ["out.jsonl", "out.jsonl.children/a7c20e4.jsonl"]
    assert {stat.S_IMODE(p.stat().st_mode) for p in paths} == {0o600}


def test_a_log_is_not_replaced_by_its_own_conversion(tmp_path: Path) -> None:
    """Nothing may be lost: a slip of names would cost the log."""
    path = tmp_path / "log.jsonl"
    path.write_bytes(SAMPLE.read_bytes())
    (tmp_path / "link.jsonl").symlink_to(path)
    for target in (path, tmp_path / "link.jsonl"):
        with pytest.raises(WriterError, match=r"is the log that was converted; it is not replaced"):
            claude_code.convert(path).write(target)
    assert path.read_bytes() == SAMPLE.read_bytes()
    claude_code.convert(path).write(tmp_path / "out.jsonl")
    claude_code.convert(path).write(tmp_path / "out.jsonl")
