"""Whatever the bytes are: our own errors only, every line accounted for, every record valid."""

from __future__ import annotations

import copy
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from sessionrecord.convert import Conversion, claude_code
from sessionrecord.errors import ConversionError, SourceError
from sessionrecord.records import parse_record
from tests.convert.logs import DATA, SAMPLE, accounted, assistant, log, tool_result, tool_use, user

LINES = [json.loads(line) for line in SAMPLE.read_bytes().splitlines()]
for _name in ("compaction", "sidechain", "api-error", "duplicate-uuid", "reused-call-id"):
    LINES += [json.loads(line) for line in (DATA / f"{_name}.jsonl").read_bytes().splitlines()]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8)
    | st.sampled_from(["u1", "assistant", "user", "tool_use", "image"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5) | st.sampled_from(["type", "text", "id"]), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip


def check(data: bytes) -> Conversion | None:
    try:
        conversion = claude_code.convert(data)
    except (ConversionError, SourceError):  # bytes may look like the beginning of a compressed file
        return None
    report = conversion.report
    assert accounted(report) == report.units_read >= report.lines_read
    for records in (conversion.main, *conversion.children.values()):
        assert [parse_record(r.to_line()) for r in records] == records
    assert isinstance(str(report), str)
    json.dumps(report.to_dict())
    return conversion


@given(st.binary(max_size=200))
def test_random_bytes_raise_nothing_but_our_errors(data: bytes) -> None:
    check(data)
    check(log(user("u", "hello")) + data)


@given(st.lists(JSON, max_size=6))
def test_random_json_lines_are_all_accounted_for(lines: list[Any]) -> None:
    check(log(user("u1", "hello"), *lines))


@given(st.data())
def test_mutated_native_lines_are_all_accounted_for(data: st.DataObject) -> None:
    lines = copy.deepcopy(data.draw(st.lists(st.sampled_from(LINES), min_size=1, max_size=6)))
    for line in lines:
        at = line
        while isinstance(at, dict) and at:
            name = data.draw(st.sampled_from(sorted(at)))
            inner = at[name]
            inner = inner[0] if isinstance(inner, list) and inner else inner
            if not isinstance(inner, dict) or data.draw(st.booleans()):
                at[name] = data.draw(JSON)
                break
            at = inner
    check(log(*lines, user("end", "hello")))


def test_objects_glued_on_one_line_are_each_read() -> None:
    glued = log(user("u", "a")).strip() + log(assistant("a", "m", [tool_use("t")], "u"))
    conversion = check(glued + log(user("r", [tool_result("t")], "a")))
    assert conversion is not None
    assert (conversion.report.lines_read, conversion.report.units_read) == (2, 3)
