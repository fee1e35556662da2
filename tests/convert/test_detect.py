"""Which converter a log is for."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessionrecord.convert import Detection, codex, detect
from sessionrecord.errors import ConversionError, SourceError
from tests.convert import acp_logs, codex_logs, logs

SAMPLES = {
    "claude-code": logs.SAMPLE,
    "codex": codex_logs.SAMPLE,
    "asm": logs.SAMPLE.with_name("run.jsonl"),
    "acp": acp_logs.SAMPLE,
}


@pytest.mark.parametrize("name", SAMPLES)
def test_a_log_is_told_by_its_content_whatever_its_name(name: str, tmp_path: Path) -> None:
    data = SAMPLES[name].read_bytes()
    path = tmp_path / "rollout-agent-session.txt"
    for given_bytes in (data, gzip.compress(data), b"\xef\xbb\xbf" + data, data.replace(b"\n", b"\r\n")):
        path.write_bytes(given_bytes)
        found = detect(path)
        assert (found.format, found.examined) == (name, data.count(b"\n"))
        assert found.confidence > 0.9
        assert detect(given_bytes) == detect(str(path)) == found


@pytest.mark.parametrize("path", sorted(logs.DATA.glob("*.jsonl")) + sorted(codex_logs.DATA.glob("*.jsonl")), ids=str)
def test_what_converts_is_detected(path: Path) -> None:
    name = "codex" if path.parent.name == "codex" else "claude-code"
    assert detect(path).format == name


@given(st.lists(st.sampled_from(sorted(SAMPLES)), min_size=1, max_size=9))
def test_the_confidence_is_the_share_of_the_lines(names: list[str]) -> None:
    first = {name: SAMPLES[name].read_bytes().splitlines(keepends=True)[1] for name in SAMPLES}
    found = detect(b"".join(first[name] for name in names) + b"{}\n\nnot JSON\n")
    most = max(names.count(name) for name in SAMPLES)
    assert names.count(found.format) == most
    assert found == Detection(found.format, most / (len(names) + 1), most, len(names) + 1)


def test_a_bare_message_of_the_protocol_is_told_from_other_json_rpc() -> None:
    """The Model Context Protocol is JSON-RPC too; its `initialize` has a date as its version."""
    lines = [
        line["message"]
        for line in [*acp_logs.opened(), acp_logs.prompt(1, "hi"), acp_logs.chunk("a"), acp_logs.done(1)]
    ]
    found = detect(acp_logs.log(lines))
    assert (found.format, found.confidence) == ("acp", 1)
    other = [
        {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-06-18"}},
        {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": "2025-06-18", "capabilities": {}}},
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "x"}},
        {"jsonrpc": "2.0", "id": 1, "result": {"content": []}},
        {"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"id": 1}},
    ]
    with pytest.raises(
        ConversionError, match=r"Found: 'response' 2, 'initialize' 1, 'tools/call' 1, '\$/cancel_request' 1$"
    ):
        detect(acp_logs.log(other))
    unknown = acp_logs.agent(method="_mine/x", params={})
    assert detect(acp_logs.log([*acp_logs.opened(), unknown])).confidence == 4 / 5


def test_of_a_large_log_only_the_beginning_is_read() -> None:
    row = codex_logs.SAMPLE.read_bytes().splitlines(keepends=True)[1]
    found = detect(row * (3_000_000 // len(row)))
    assert found.confidence == 1
    assert found.examined == 2**20 // len(row)


@pytest.mark.parametrize(
    "data", [b"", b"\n", b"hello\n", b"[1]\n", b'{"type":"user"}\n{"messages":[]}\n', b"\x1f\x8b\x08"]
)
def test_an_unknown_log_is_an_error_that_names_what_was_looked_for(data: bytes) -> None:
    with pytest.raises(
        ConversionError,
        match=r"^the log is no log of a known format. Looked for: claude-code .*; codex .*; asm .*; acp .*\. Found: ",
    ):
        detect(data)


def test_a_stream_is_no_log_to_convert(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    codex.convert(codex_logs.SAMPLE).write(path)
    with pytest.raises(ConversionError, match=r"is a session stream already \(ASR\); nothing is to be converted"):
        detect(path)


def test_a_file_that_cannot_be_read_is_a_source_error(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="No such file"):
        detect(tmp_path / "nowhere.jsonl")


@given(st.binary(max_size=60) | st.recursive(st.none() | st.text(), st.lists).map(lambda v: json.dumps(v).encode()))
def test_random_bytes_raise_nothing_but_our_errors(data: bytes) -> None:
    with pytest.raises((ConversionError, SourceError)):
        detect(data)


@pytest.mark.parametrize("name", SAMPLES)
def test_a_value_of_any_kind_in_any_member_is_no_error(name: str) -> None:
    """What a member holds says whether a line has the form, whatever it is; one line that has it is enough."""
    first, *lines = SAMPLES[name].read_bytes().splitlines(keepends=True)
    values: list[Any] = [None, True, 1, "x", [], {}, [[]], [{}]]
    for value in values:
        for native in map(json.loads, lines):
            odd = [json.dumps({**native, member: value}).encode() + b"\n" for member in (*native, "type", "message")]
            found = detect(first + b"".join(odd))
            assert (found.format, found.examined) == (name, len(odd) + 1)
