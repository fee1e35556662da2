"""The commands: what they print, and their exit codes. Our rules: one line for an error, JSON everywhere, nothing lost in a pipe."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from sessionrecord.cli.app import app
from tests.cli.streams import HEADER, SESSION, said, stream, write

HOSTILE = "\x1b]0;title\x07\x1b[31m[red]bold[/red] \u202e\u2066gnp.\x9b2J"


def call(*arguments: str, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(app, list(arguments), input=stdin, catch_exceptions=False)


def as_json(*arguments: str) -> Any:
    result = call(*arguments, "--json")
    return json.loads(result.stdout_bytes)


@pytest.fixture
def session(tmp_path: Path) -> str:
    return write(tmp_path / "s.jsonl", stream())


def assert_one_error_line(result: Result, *words: str) -> None:
    assert result.stdout == ""
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1, result.stderr
    assert "Traceback" not in result.stderr
    for word in words:
        assert word in result.stderr


def test_a_valid_stream_gives_0_and_a_closing_line(session: str) -> None:
    result = call("validate", session)
    assert result.exit_code == 0
    assert result.stdout.splitlines()[-1] == f"{session}: valid: 11 records, 0 errors"


def test_findings_name_path_and_line_and_give_1(tmp_path: Path) -> None:
    path = write(tmp_path / "s.jsonl", stream([HEADER, {"type": "message", "role": "user"}]) + b"{oops\n")
    result = call("validate", path)
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert any(line.startswith(f"{path}:2: error member-missing") for line in lines)
    assert any(line.startswith(f"{path}:3: error json-invalid") for line in lines)
    assert lines[-1].startswith(f"{path}: not valid: 3 records, ")


def test_validate_gives_json_with_the_fields_of_the_findings(tmp_path: Path) -> None:
    good = as_json("validate", write(tmp_path / "good.jsonl", stream()))
    assert good["ok"] is True
    assert good["findings"] == []
    assert good["counts"] == {"errors": 0, "warnings": 0, "infos": 0, "records": 11, "codes": {}}
    path = write(tmp_path / "bad.jsonl", stream([HEADER, {"type": "message", "role": "user"}]))
    bad = as_json("validate", path)
    assert bad["ok"] is False
    assert bad["counts"]["errors"] == 1
    assert bad["counts"]["codes"] == {"member-missing": 1}
    finding = bad["findings"][0]
    assert (finding["code"], finding["severity"], finding["line"], finding["record_id"]) == (
        "member-missing",
        "error",
        2,
        "r2",
    )
    assert call("validate", path, "--json").exit_code == 1


def test_a_native_log_is_not_a_stream_and_the_way_to_one_is_named(tmp_path: Path) -> None:
    path = write(tmp_path / "log.jsonl", b'{"type":"user","uuid":"u","sessionId":"s"}\n' * 3)
    result = call("validate", path)
    assert result.exit_code == 1
    assert "sessionrecord convert auto LOG -o OUT" in result.stdout.splitlines()[-1]
    for command in (("inspect", path), ("context", path), ("show", path, "u")):
        refused = call(*command)
        assert refused.exit_code == 2
        assert_one_error_line(refused, "holds no record of a session", "sessionrecord convert auto LOG -o OUT")


def test_an_overview_counts_tools_usage_cost_and_losses(session: str) -> None:
    o = as_json("inspect", session)
    assert o["header"]["sessionId"] == "s1"
    assert o["counts"]["message"] == 3
    assert o["turns"] == [{"turnId": "t1", "records": 5}]
    tools = {t["name"]: (t["calls"], t["errors"], t["noResult"]) for t in o["tools"]}
    assert tools == {"Read": (1, 0, 0), "Bash": (1, 1, 0)}
    assert o["usage"]["total"]["inputTokens"] == 1205
    assert o["usage"]["total"]["outputTokens"] == 30
    assert o["usage"]["total"]["cacheReadTokens"] is None
    assert o["losses"] == HEADER["losses"]
    assert o["heads"][0]["ref"] == "messageId=a1"
    assert o["findings"]["errors"] == 0


def test_costs_add_up_as_decimals(session: str) -> None:
    """ASR-047 and our rule: 0.1 + 0.2 is 0.3."""
    assert b'"amount": 0.3\n' in call("inspect", session, "--json").stdout_bytes
    assert "cost: 0.3 USD" in call("inspect", session).stdout


def test_an_overview_for_people_says_what_is_not_known(session: str) -> None:
    text = call("inspect", session).stdout
    assert "  big    1,205     30+\n" in text
    assert "some records lack the number" in text
    assert re.search(r"Bash +1 +1 +0 +0\n", text)
    assert "slug" in text


@pytest.mark.parametrize(
    ("outcome", "column"),
    [("error", "errors"), ("cancelled", "cancelled"), ("denied", "other"), ("unknown", "not told"), (None, "not told")],
)
def test_how_calls_ended_is_told_in_words(tmp_path: Path, outcome: str | None, column: str) -> None:
    """A call that did not say how it ended is no success."""
    calls = [{"type": "tool_call", "callId": f"c{n}", "name": "run"} for n in range(3)]
    results = [
        {"type": "tool_result", "callId": f"c{n}"} | ({} if outcome is None else {"outcome": outcome}) for n in range(2)
    ]
    path = write(tmp_path / "s.jsonl", stream([HEADER, *calls, *results]))
    text = call("inspect", path).stdout
    head, row = (re.split(r" {2,}", line.strip()) for line in text.partition("Tools\n")[2].splitlines()[:2])
    found = dict(zip(head, row, strict=True))
    assert found == {"tool": "run", "calls": "3", "errors": "0", "no result": "1"} | {column: "2"}


def test_calls_with_an_incomplete_count_are_named(tmp_path: Path) -> None:
    usage = {"type": "usage", "modelCallId": "m", "outputTokens": 1, "capture": {"outputTokens": {"state": "unknown"}}}
    path = write(tmp_path / "s.jsonl", stream([HEADER, usage]))
    assert as_json("inspect", path)["usage"]["incompleteCalls"] == 1
    assert "In 1 of 1 model call a count is marked as incomplete" in call("inspect", path).stdout


def test_a_stream_without_optional_parts_has_an_overview(tmp_path: Path) -> None:
    path = write(tmp_path / "s.jsonl", stream([{**HEADER, "losses": []}]))
    result = call("inspect", path)
    assert result.exit_code == 0
    assert "no head" in result.stdout


def test_a_child_session_is_named_and_not_counted_in(tmp_path: Path) -> None:
    child = {"type": "tool_call", "callId": "c", "name": "Task", "childSession": "asr:toy/s1/k"}
    usage = {"type": "usage", "modelCallId": "m", "inputTokens": 1}
    path = write(tmp_path / "s.jsonl", stream([HEADER, child, usage]))
    text = call("inspect", path).stdout
    assert "asr:toy/s1/k" in text
    assert "1 child session not counted in." in text


def test_the_context_lists_its_items_and_what_is_not_there(session: str) -> None:
    view = as_json("context", session)
    assert [(i["number"], i["seq"], i["kind"], i["ref"], i["summary"]) for i in view["items"]] == [
        (1, 2, "user", "messageId=u1", "please"),
        (2, 11, "assistant", "messageId=a1", "second"),
    ]
    assert view["absent"] == [{"reason": "rewound", "by": "r9", "count": 4}]
    text = call("context", session).stdout
    assert "4  taken back by a rewind, r9" in text
    assert "not proof of the exact request" in text


def test_the_context_at_an_earlier_seq_is_what_was_there_then(session: str) -> None:
    view = as_json("context", session, "--at", "5")
    assert [i["ref"] for i in view["items"]] == ["messageId=u1", "callId=c1", "callId=c2", "r5"]
    assert [(f["code"], f["ref"]) for f in view["flags"]] == [("call-without-result", "callId=c1")]
    assert view["items"][1]["flags"] == view["flags"]
    text = call("context", session, "--at", "5").stdout
    assert "result: error" in text
    assert "[call-without-result] Read" in text


def test_the_context_of_another_head_is_shown(session: str) -> None:
    view = as_json("context", session, "--head", "r6")
    assert [i["ref"] for i in view["items"]] == ["messageId=u1", "callId=c1", "callId=c2", "r5", "r6"]
    assert view["head"] == "r6"


def test_all_revisions_of_an_entity_are_shown(session: str) -> None:
    text = call("show", session, "messageId=a1").stdout
    assert "message messageId=a1, seq 10, record r10, revision 1 of 2" in text
    assert text.index("first") < text.index("second")
    lines = call("show", session, "messageId=a1", "--json").stdout_bytes.splitlines()
    assert [json.loads(line) for line in lines] == [json.loads(line) for line in stream().splitlines()[9:11]]


def test_a_record_id_shows_that_record(session: str) -> None:
    text = call("show", session, "r11").stdout
    assert "revision 2 of 2" in text
    assert "first" not in text


def test_a_tool_call_is_shown_with_its_results(session: str) -> None:
    text = call("show", session, "callId=c2").stdout
    assert '{"command":"false"}' in text
    assert "tool_result r5" in text
    assert "exit 1" in text


def test_every_kind_of_content_is_shown_as_text(tmp_path: Path) -> None:
    blocks: list[dict[str, Any]] = [
        {"type": "text", "text": "two\nlines"},
        {"type": "reasoning", "text": "hm", "encrypted": "abc"},
        {"type": "image", "mimeType": "image/png", "data": "aGVsbG8="},
        {"type": "file", "mimeType": "text/plain", "uri": "file:///x", "name": "x"},
        {"type": "audio", "mimeType": "audio/wav", "blob": {"sha256": "ab", "bytes": 7}},
        {"type": "resource_link", "uri": "https://x", "name": "X"},
        {"type": "diff", "path": "a.py", "oldText": "a", "newText": "b\nc"},
        {"type": "terminal", "terminalId": "t"},
        {"type": "scent", "smell": "rose"},
    ]
    records = [
        HEADER,
        {
            "type": "message",
            "messageId": "u1",
            "role": "user",
            "content": blocks,
            "note": "z" * 200,
            "data": {"k": "y" * 200},
        },
    ]
    text = call("show", write(tmp_path / "s.jsonl", stream(records)), "messageId=u1").stdout
    for shown in (
        "    two\n    lines\n",
        "[reasoning (encrypted, 3 characters)] hm",
        "[image image/png 5 bytes]",
        "[file text/plain file:///x] x",
        "[audio audio/wav 7 bytes, blob ab]",
        "[link] X https://x",
        "[diff] a.py\n    - a\n    + b\n    + c\n",
        "[terminal t]",
        '[scent] {"type":"scent","smell":"rose"}',
        "z" * 200,
        "y" * 200,
    ):
        assert shown in text


def test_records_of_any_kind_have_a_line_in_a_context(tmp_path: Path) -> None:
    records: list[dict[str, Any]] = [
        HEADER,
        {"type": "message", "messageId": "u1", "role": "user"},
        {"type": "tool_call", "callId": "c"},
        {"type": "message", "messageId": "u2", "content": [{"type": "text", "text": "broken: no role"}]},
        {
            "type": "message",
            "messageId": "u3",
            "role": "user",
            "content": [{"type": "text", "text": "\n \n" + "w" * 400}],
        },
        {
            "type": "compaction",
            "compactionId": "k",
            "keptFrom": "messageId=u1",
            "summary": [{"type": "text", "text": "short"}],
        },
    ]
    path = write(tmp_path / "s.jsonl", stream(records))
    items = as_json("context", path)["items"]
    assert [i["kind"] for i in items] == ["compaction", "user", "call", "invalid message", "user"]
    assert items[2]["summary"] == "(no name)"
    assert "broken: no role" in items[3]["summary"]
    assert items[4]["summary"] == "w" * 119 + "…"
    text = call("show", path, "messageId=u2").stdout
    assert "error member-missing" in text
    assert "broken: no role" in text
    assert "short" in call("show", path, "compactionId=k").stdout
    assert (
        "nothing is kept"
        in call("context", write(tmp_path / "k.jsonl", stream([HEADER, {**records[5], "keptFrom": "r99"}]))).stdout
    )


def test_a_ref_that_names_nothing_gives_1(session: str) -> None:
    for arguments in (("show", session, "messageId=zz"), ("context", session, "--head", "zz")):
        result = call(*arguments)
        assert result.exit_code == 1
        assert_one_error_line(result, "zz")


@pytest.mark.parametrize("command", [("validate",), ("inspect",), ("context",)])
def test_hostile_text_never_reaches_the_terminal_as_codes(tmp_path: Path, command: tuple[str, ...]) -> None:
    path = write(tmp_path / "s.jsonl", stream([HEADER, {"type": HOSTILE}]) + said(HOSTILE))
    for arguments in ((*command, path), (*command, path, "--json")):
        text = call(*arguments).stdout
        assert not set("\x1b\x07\x9b\u202e\u2066") & set(text)


def test_hostile_text_is_shown_as_it_is_but_for_controls(tmp_path: Path) -> None:
    path = write(tmp_path / "s.jsonl", said(HOSTILE))
    text = call("show", path, "messageId=u1").stdout
    assert "\\x1b[31m[red]bold[/red] \\u202e\\u2066gnp.\\x9b2J" in text


def test_unpaired_surrogates_do_not_end_the_output(tmp_path: Path) -> None:
    path = write(
        tmp_path / "s.jsonl",
        stream([HEADER]) + b'{"type":"message","seq":9,"id":"r9","messageId":"m\\ud800","role":"user"}\n',
    )
    for arguments in (
        ("context", path),
        ("context", path, "--json"),
        ("inspect", path, "--json"),
        ("validate", path),
        ("validate", path, "--json"),
    ):
        assert "bug" not in call(*arguments).output


@pytest.mark.parametrize("command", ["validate", "inspect", "context", "show"])
def test_what_cannot_be_read_gives_2_and_one_line(tmp_path: Path, command: str) -> None:
    more = ("r1",) if command == "show" else ()
    for path in (tmp_path / "nothing\n\x1b.jsonl", tmp_path):
        result = call(command, str(path), *more)
        assert result.exit_code == 2
        assert_one_error_line(result)
        assert "\x1b" not in result.stderr


@pytest.mark.parametrize("data", [b"", b"\n\n", b"\x00" * 5000, bytes(range(256)) * 50, b"hello\n"])
def test_a_file_that_is_no_stream_is_refused_and_validate_says_why(tmp_path: Path, data: bytes) -> None:
    path = write(tmp_path / "x", data)
    assert call("validate", path).exit_code == 1
    assert as_json("validate", path)["ok"] is False
    for arguments in (("inspect", path), ("context", path), ("show", path, "r1")):
        result = call(*arguments)
        assert result.exit_code == 2
        assert_one_error_line(result, "convert auto")


@pytest.mark.parametrize(
    "arguments",
    [
        ("validate",),
        ("nonsense",),
        ("context", "x", "--at", "-1"),
        ("context", "x", "--at", "y"),
        ("convert", "codex"),
        ("validate", "x", "--jsn"),
    ],
)
def test_wrong_usage_gives_2_and_one_line(arguments: tuple[str, ...]) -> None:
    result = call(*arguments)
    assert result.exit_code == 2
    assert_one_error_line(result, "--help")


def test_without_a_command_the_help_is_shown() -> None:
    for arguments in ((), ("convert",)):
        result = call(*arguments)
        assert result.exit_code == 2
        assert "Usage:" in result.output
        assert "error:" not in result.output


def test_help_documents_the_exit_codes() -> None:
    result = call("--help")
    assert result.exit_code == 0
    assert "0    done" in result.stdout
    assert "2    something cannot be read" in result.stdout


def test_the_version_is_printed() -> None:
    from sessionrecord import __version__

    assert call("--version").stdout == f"sessionrecord {__version__}\n"


def test_standard_input_is_read_for_a_dash() -> None:
    assert call("validate", "-", stdin=stream()).exit_code == 0
    assert "second" in call("context", "-", stdin=stream()).stdout
    assert call("validate", "-", stdin=b"").exit_code == 1


def test_the_records_of_a_session_are_all_counted(session: str) -> None:
    assert sum(as_json("inspect", session)["counts"].values()) == len(SESSION)


def test_a_summary_that_is_a_string_is_shown(tmp_path: Path) -> None:
    path = write(
        tmp_path / "s.jsonl", stream([HEADER, {"type": "session_info", "title": "T", "summary": "what it was"}])
    )
    assert "what it was" in call("show", path, "r2").stdout
    assert call("inspect", path).stdout.startswith("T\n")
