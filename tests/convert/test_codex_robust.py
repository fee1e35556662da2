"""Whatever the bytes are: our own errors only, every line accounted for, every record valid, every line in the records."""

from __future__ import annotations

import copy
import gzip
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessionrecord.convert import Conversion, codex, detect
from sessionrecord.errors import ConversionError, SourceError
from sessionrecord.records import parse_record
from sessionrecord.session import Session
from tests.convert.codex_logs import DATA, SAMPLE, call, line, log, message, meta, output
from tests.convert.logs import accounted, natives

LINES = [json.loads(row) for path in (SAMPLE, DATA / "older.jsonl") for row in path.read_bytes().splitlines()]
WORDS = ["message", "response_item", "event_msg", "compacted", "function_call_output", "call_sample0001", "user"]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8)
    | st.sampled_from(WORDS),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.text(max_size=5) | st.sampled_from(["type", "text", "payload", "output"]), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip


def check(data: bytes) -> Conversion | None:
    try:
        conversion = codex.convert(data)
    except (ConversionError, SourceError):
        return None
    report = conversion.report
    assert accounted(report) == report.units_read >= report.lines_read
    assert [parse_record(r.to_line()) for r in conversion.main] == conversion.main
    assert not [d for d in Session.from_records(conversion.main).diagnostics if d.severity == "error"]
    told = {r.source.line for r in conversion.main if r.source is not None}
    told |= {u.line for u in report.not_converted}
    assert told == set(range(1, report.lines_read + 1))
    assert isinstance(str(report), str)
    json.dumps(report.to_dict())
    return conversion


@given(st.binary(max_size=200))
def test_random_bytes_raise_nothing_but_our_errors(data: bytes) -> None:
    check(data)
    assert check(log(meta(), message("user", "hello")) + data) is not None


@given(st.lists(JSON, max_size=6))
def test_random_json_lines_are_all_accounted_for(lines: list[Any]) -> None:
    assert check(log(meta(), message("user", "hello"), *lines)) is not None


@given(st.data())
def test_mutated_native_lines_are_all_accounted_for(data: st.DataObject) -> None:
    lines = copy.deepcopy(data.draw(st.lists(st.sampled_from(LINES), min_size=1, max_size=8)))
    for native in lines:
        at = native
        while isinstance(at, dict) and at and data.draw(st.booleans()):
            name = data.draw(st.sampled_from(sorted(at)))
            inner = at[name]
            inner = inner[-1] if isinstance(inner, list) and inner else inner
            if not isinstance(inner, dict) or data.draw(st.booleans()):
                at[name] = data.draw(JSON)
                break
            at = inner
    assert check(log(meta(), *lines, message("user", "hello"))) is not None


def members_in(value: Any) -> Iterator[tuple[Any, Any]]:
    """Each container in a JSON value, with each name or index in it."""
    for name in list(value if isinstance(value, dict) else range(len(value) if isinstance(value, list) else 0)):
        yield value, name
        yield from members_in(value[name])


@pytest.mark.parametrize("wrong", [None, True, -1, 1.5, "", "x", [], {}, [[]], [{}], {"type": []}], ids=json.dumps)
def test_a_value_of_any_kind_in_any_place_is_accounted_for(wrong: Any) -> None:
    """A list or an object where a name is expected included: Python cannot look those up in a set."""
    for native in copy.deepcopy(LINES):
        for container, name in list(members_in(native)):
            right, container[name] = container[name], wrong
            assert check(log(meta(), native, message("user", "hello"))) is not None
            assert detect(log(native, meta())).format == "codex"
            container[name] = right


def test_broken_lines_are_kept_and_reported() -> None:
    """Nasty inputs that users met: cut in the middle, NUL runs, glued, CRLF, a torn tail, unpaired surrogates."""
    whole = log(meta(), message("user", "one"))
    glued = log(call("c")).strip() + log(output("c"))
    data = whole + b'{"type":"respo\n' + b"\0\0\0\n" + glued + log(message("user", "\ud800")).replace(b"\n", b"\r\n")
    conversion = check(data + b"\xff\n" + b'{"timestamp":')
    assert conversion is not None
    report = conversion.report
    assert [(u.line, u.reason) for u in report.kept_reasons] == [
        (3, "not JSON"), (7, "not JSON"), (8, "torn at the end of the file"),
    ]  # fmt: skip
    assert [(n.line, n.code) for n in report.notes] == [(5, "glued"), (5, "glued"), (6, "lone-surrogate")]
    assert (report.lines_read, report.units_read) == (8, 9)
    assert [n["value"] for n in natives(conversion.main)[1:]] == ['{"type":"respo', {"base64": "/w=="}, '{"timestamp":']


@pytest.mark.parametrize("levels", [200, 249, 260, 100_000])
def test_deep_nesting_is_kept_as_a_value_or_as_text(levels: int) -> None:
    deep = b"[" * levels + b"]" * levels
    native = b'{"timestamp":"2026-03-02T09:00:00Z","type":"hologram","payload":' + deep + b"}\n"
    arguments = json.dumps({"type": "function_call", "name": "f", "call_id": "c", "arguments": deep.decode()})
    row = b'{"timestamp":"2026-03-02T09:00:00Z","type":"response_item","payload":' + arguments.encode() + b"}\n"
    assert check(log(meta(), message("user", "hi")) + native + row) is not None


def test_much_of_the_same_is_told_apart() -> None:
    """A thousand messages of one text, calls of one ID, compactions that keep one message, and rollbacks."""
    kept = message("user", "same")["payload"]
    lines: list[Any] = []
    for _ in range(1000):
        lines += [message("user", "same"), line("event_msg", {"type": "user_message", "message": "same"})]
        lines.append(line("compacted", {"message": "s", "replacement_history": [kept]}))
        lines += [call("c", f'{{"n":{len(lines)}}}'), line("turn_context", {"cwd": f"/{len(lines)}"})]
    lines += [line("event_msg", {"type": "thread_rolled_back", "num_turns": 1})] * 1000
    conversion = codex.convert(log(meta(), *lines))
    assert len(conversion.report.not_converted) == 1000
    assert conversion.report.converted["compacted"] == 1000
    assert conversion.report.converted["event_msg/thread_rolled_back"] == 1000


@pytest.mark.parametrize("cut", [1, 9, 100])
def test_a_packed_log_that_is_cut_gives_what_is_there(cut: int) -> None:
    packed = gzip.compress(SAMPLE.read_bytes())
    conversion = codex.convert(packed[:-cut])
    assert [n.code for n in conversion.report.notes][0:1] == ["log-cut"]
    assert accounted(conversion.report) == conversion.report.units_read > 5
