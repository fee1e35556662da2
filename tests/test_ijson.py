"""Strict I-JSON in, canonical bytes out (spec section 1; [S] ASR conventions, ASR-041)."""

from __future__ import annotations

import base64
import copy
import json
import pickle
import re
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessionrecord import ijson
from sessionrecord.errors import IJsonError
from sessionrecord.ijson import JsonNumber
from sessionrecord.records import InvalidRecord, read_record
from tests.strategies import ODD_LITERALS, exact, json_values, texts

CASES = [json.loads(line) for line in (Path(__file__).parent / "data" / "ijson.jsonl").read_text().splitlines()]

# The place of the offending value in each case that is not valid, written by hand.
POINTERS = {
    "duplicate member at the root": "/id",
    "duplicate member, one spelled with an escape": "/id",
    "duplicate member deep in tool arguments": "/arguments/a/0/b",
    "duplicate member with spaced separators": "/role",
    "lone high surrogate escape": "/content/0/text",
    "lone low surrogate escape in a member name": "/x\\udc00",
    "1e400 in a free value": "/x",
    "integer beyond 2^53-1 in a free value keeps its digits": "/arguments/n",
    "explicit null in a defined member": "/model",
    "rewind without to": "/to",
    "duration negative": "/durationMs",
    "duration as a string": "/durationMs",
    "misspelled member": "/turn_id",
    "known type, broken member": "/messageId",
    "type not a string": "/type",
    "empty id": "/id",
    "noncharacter U+FFFE": "/content/0/text",
    "integer 2^53+1 in a free value, on a canonical line": "/arguments/n",
    "negative integer beyond -(2^53-1) in a free value": "/arguments/n/0",
    "noncharacter raw, on a canonical line": "/content/0/text",
    "noncharacter U+10FFFF in a member name": "/x\U0010ffff",
    "decimal that a double cannot hold, in a free value": "/arguments/n",
} | {c["name"]: "/seq" for c in CASES if c["name"].startswith("seq ")} | {
    c["name"]: "/timestamp" for c in CASES if c["name"].startswith("timestamp")
}  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda c: str(c["name"]))
def test_each_case_has_its_verdict_its_code_and_its_place(case: dict[str, str]) -> None:
    record, diagnostics = read_record(base64.b64decode(case["line"]))
    if case["verdict"] == "valid":
        assert (diagnostics, isinstance(record, InvalidRecord)) == ([], False)
        return
    severity = "error" if case["verdict"] == "invalid" else "warning"
    assert [(d.code, d.severity, d.pointer) for d in diagnostics] == [
        (case["code"], severity, POINTERS.get(case["name"], ""))
    ]
    assert isinstance(record, InvalidRecord) == (severity == "error")


# Raw JSON texts in which members repeat, names hold spaces and escapes, and separators are uneven.
_SPACE = st.sampled_from(["", "", "", " ", "  ", "\t"])
_NAMES = st.sampled_from(
    ['"a"', '"a "', '" a"', '"b"', '"a b"', '"ab"', '""', '" "', '"\\u0061"', '"a\\u0020"', '"/"', '"~"']
)
_SCALARS = st.sampled_from(["1", "1.0", "1e2", "100.0", '"a"', '"a "', '" "', '""', "null", "true", '","', '"{"'])


def _array(items: list[str], space: str) -> str:
    return f"[{space}{f',{space}'.join(items)}]"


def _object(members: list[tuple[str, str]], space: str) -> str:
    return "{" + f",{space}".join(f"{name}:{space}{value}" for name, value in members) + "}"


RAW_TEXTS = st.recursive(
    _SCALARS,
    lambda inner: st.one_of(
        st.builds(_array, st.lists(inner, max_size=3), _SPACE),
        st.builds(_object, st.lists(st.tuples(_NAMES, inner), max_size=4), _SPACE),
    ),
    max_leaves=12,
)


class _Pairs(list[tuple[str, Any]]):
    pass


def naive_duplicates(text: str) -> Counter[str]:
    """Places of repeated members, by the standard library. Of a repeated member only the last value is looked into."""

    def walk(value: Any, place: str) -> list[str]:
        if isinstance(value, _Pairs):
            count = Counter(name for name, _ in value)
            inside = {name: f"{place}/{name.replace('~', '~0').replace('/', '~1')}" for name in count}
            found = [inside[name] for name, n in count.items() if n > 1]
            return found + [p for name, v in dict(value).items() for p in walk(v, inside[name])]
        if isinstance(value, list):
            return [p for i, v in enumerate(value) for p in walk(v, f"{place}/{i}")]
        return []

    return Counter(walk(json.loads(text, object_pairs_hook=_Pairs), ""))


@given(RAW_TEXTS)
def test_duplicate_members_are_found_where_a_plain_reference_finds_them(text: str) -> None:
    _, findings = ijson.examine(text.encode())
    assert Counter(f.pointer for f in findings if f.code == "duplicate-member") == naive_duplicates(text)


@given(RAW_TEXTS)
def test_the_proof_never_accepts_a_line_with_a_duplicate(text: str) -> None:
    try:
        value = ijson.prove(text.encode())
    except (ValueError, TypeError):
        return
    assert naive_duplicates(text) == Counter()
    assert exact(value) == exact(ijson._exact(text.encode())[0])


@given(json_values(20))
def test_writing_and_reading_gives_the_value_with_every_literal(value: Any) -> None:
    line = ijson.dumps(value)
    read = ijson.loads(line)
    assert exact(read) == exact(value)
    assert ijson.dumps(read) == line
    assert b"\n" not in line


@given(json_values(20))
def test_the_exact_pass_and_the_proof_agree(value: Any) -> None:
    line = ijson.dumps(value)
    try:
        proved = ijson.prove(line)
    except (ValueError, TypeError):
        return
    again, findings = ijson._exact(line)
    assert exact(proved) == exact(again)
    assert {f.code for f in findings} <= {"noncharacter"}


@pytest.mark.parametrize(
    "literal", [*ODD_LITERALS, "7" * 5000, "-" + "7" * 5000, "1e-99999999999999999999", "-1e-99999999999999999999"]
)
@pytest.mark.parametrize("form", ["[%s]", '{"n": %s}', '[[[ %s]], "a"]'])
def test_a_number_is_written_back_as_its_literal(literal: str, form: str) -> None:
    line = (form % literal).encode()
    assert literal.encode() in ijson.dumps(ijson.loads(line))


@given(st.from_regex(r"-?(0|[1-9][0-9]{0,25})(\.[0-9]{1,25})?([eE][+-]?[0-9]{1,3})?", fullmatch=True))
def test_any_number_literal_that_a_double_spans_survives(literal: str) -> None:
    value, findings = ijson.examine(f"[{literal}]".encode())
    if "number-not-finite" in {f.code for f in findings}:
        assert float(literal) in (float("inf"), float("-inf"))
    else:
        assert ijson.dumps(value) == f"[{literal}]".encode()
        assert float(value[0]) == float(literal)
        held = Decimal(repr(float(literal))) == Decimal(literal)
        integer = re.fullmatch("-?[0-9]+", literal) is not None
        safe = abs(int(literal)) <= 2**53 - 1 if integer else held
        assert [f.code for f in findings] == ([] if safe else ["number-out-of-range"])


def test_an_integer_of_any_size_is_written() -> None:
    assert (
        ijson.dumps([10**5000, -(2**63), 2**64]) == b"[1" + b"0" * 5000 + b",-9223372036854775808,18446744073709551616]"
    )


@pytest.mark.parametrize("depth", [200, 254])
@pytest.mark.parametrize("leaf", [b"", b"1", b"1e2", b"123456789012345678901234567890", b'"\xef\xbf\xbe"'])
def test_nesting_up_to_the_limit_is_read_and_written(depth: int, leaf: bytes) -> None:
    """200 levels are promised; the limit is the same for canonical and other lines."""
    line = b"[" * depth + leaf + b"]" * depth
    value, findings = ijson.examine(line)
    assert not any(f.is_error for f in findings)
    assert ijson.dumps(value) == line


@pytest.mark.parametrize("depth", [255, 1000, 100_000])
@pytest.mark.parametrize("pair", ["[]", '{"a":}'])
@pytest.mark.parametrize("leaf", ["1", "1e2", " "])
def test_deeper_nesting_is_reported_and_nothing_else(depth: int, pair: str, leaf: str) -> None:
    if pair != "[]" and leaf == " ":
        leaf = "null"
    line = (pair[:-1] * depth + leaf + pair[-1] * depth).encode()
    _, findings = ijson.examine(line)
    assert [f.code for f in findings] == ["nesting-too-deep"]
    with pytest.raises(IJsonError, match="nesting-too-deep"):
        ijson.loads(line)


def test_what_is_too_deep_or_holds_itself_is_not_written() -> None:
    deep: list[Any] = [10**30]
    for _ in range(300):
        deep = [deep]
    loop: list[Any] = []
    loop.append(loop)
    for value in (deep, loop):
        with pytest.raises(IJsonError) as error:
            ijson.dumps(value)
        assert error.value.code == "nesting-too-deep"


@pytest.mark.parametrize(
    ("value", "code", "pointer"),
    [
        ({"a": [1, float("nan")]}, "number-not-finite", "/a/1"),
        ([float("inf")], "number-not-finite", "/0"),
        ([float("nan"), 10**30], "number-not-finite", "/0"),
        ([Decimal("NaN")], "number-not-finite", "/0"),
        ([Decimal("-Infinity")], "number-not-finite", "/0"),
        ({"a": "\ud800"}, "lone-surrogate", "/a"),
        ({"a": {"\udc00": 1}}, "lone-surrogate", "/a/\\udc00"),
        ({"a": {1: 1}}, "type-invalid", "/a"),
        ({"a": {None: 1}}, "type-invalid", "/a"),
        ({"a/b": object()}, "type-invalid", "/a~1b"),
        ([{1, 2}], "type-invalid", "/0"),
        ([b"bytes"], "type-invalid", "/0"),
    ],
)
def test_what_json_cannot_hold_is_refused_with_its_place(value: Any, code: str, pointer: str) -> None:
    with pytest.raises(IJsonError) as error:
        ijson.dumps(value)
    assert (error.value.code, error.value.pointer) == (code, pointer)


def test_a_null_beside_finite_numbers_is_written() -> None:
    assert ijson.dumps({"a": None, "b": 1.5, "null": [Decimal("1E+2")]}) == b'{"a":null,"b":1.5,"null":[1e+2]}'


def test_indented_text_holds_the_same_value() -> None:
    value = {"a": [10**30, number("1e2")], "b": None}
    text = ijson.dumps(value, indent=True)
    assert b"\n" in text
    assert exact(ijson.loads(text)) == exact(value)


def number(literal: str) -> Any:
    return ijson.loads(literal.encode())


def test_a_kept_literal_is_a_decimal_that_can_be_copied_and_pickled() -> None:
    value = number("1.50")
    assert isinstance(value, JsonNumber)
    assert value == Decimal("1.5")
    assert value + 1 == Decimal("2.5")
    for same in (copy.copy(value), copy.deepcopy([value])[0], pickle.loads(pickle.dumps(value))):
        assert (type(same), str(same)) == (JsonNumber, "1.50")


def test_a_literal_beyond_decimal_is_still_kept() -> None:
    assert (number("1e-99999999999999999999"), str(number("1e-99999999999999999999"))) == (0, "1e-99999999999999999999")
    _, findings = ijson.examine(b"[-1e99999999999999999999]")
    assert [f.code for f in findings] == ["number-not-finite"]


def test_a_member_there_three_times_is_reported_once() -> None:
    assert [f.pointer for f in ijson.examine(b'{"a":1,"a":2,"a":3}')[1]] == ["/a"]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"", "json-invalid"),
        (b"{", "json-invalid"),
        (b'{"a":1}{"b":2}', "json-invalid"),
        (b'\xef\xbb\xbf{"a":1}', "json-invalid"),
        (b'{"a":"x\ny"}', "json-invalid"),
        (b"[01]", "json-invalid"),
        (b"[-NaN]", "json-invalid"),
        (b"[Infinity]", "json-invalid"),
        (b"\0\0\0", "nul-bytes"),
        (b'{"a":1\0\0', "nul-bytes"),
        (b'["\xff"]', "utf8-invalid"),
        (b'["\xed\xa0\x80"]', "utf8-invalid"),
        (b'["\\ud800"]', "lone-surrogate"),
        (b'["\\ude00\\ud83d"]', "lone-surrogate"),
        (b"[1e400]", "number-not-finite"),
    ],
)
def test_a_line_that_is_not_i_json_is_refused_with_its_code(line: bytes, code: str) -> None:
    with pytest.raises(IJsonError) as error:
        ijson.loads(line)
    assert error.value.code == code
    assert str(error.value).isprintable()


@given(st.one_of(st.binary(), RAW_TEXTS.map(str.encode), texts().map(str.encode)))
def test_any_bytes_are_read_or_refused_with_our_error(line: bytes) -> None:
    refusal = ""
    try:
        value = ijson.loads(line)
    except IJsonError as e:
        refusal = f"{e} {e.reason}"
    else:
        assert exact(ijson.loads(ijson.dumps(value))) == exact(value)
        assert orjson.loads(line) == orjson.loads(ijson.dumps(value))
    assert refusal.isprintable()


@pytest.mark.parametrize("code", [0xFDD0, 0xFDEF, *(p * 0x10000 + 0xFFFE + i for p in range(17) for i in (0, 1))])
def test_every_noncharacter_is_found_raw_and_escaped_and_kept(code: int) -> None:
    """RFC 7493, section 2.1; ours is a warning."""
    for line in (json.dumps([chr(code)]).encode(), json.dumps([chr(code)], ensure_ascii=False).encode()):
        value, findings = ijson.examine(line)
        assert value == [chr(code)]
        assert [(f.code, f.pointer, f.is_error) for f in findings] == [("noncharacter", "/0", False)]


@given(texts(max_size=20))
def test_no_other_character_is_taken_for_a_noncharacter(text: str) -> None:
    expected = any(0xFDD0 <= ord(c) <= 0xFDEF or ord(c) & 0xFFFE == 0xFFFE for c in text)
    _, findings = ijson.examine(ijson.dumps([text]))
    assert [f.code for f in findings] == (["noncharacter"] if expected else [])


@given(st.lists(st.one_of(texts(), st.integers(0, 20))))
def test_a_pointer_leads_back_to_its_parts(parts: list[str | int]) -> None:
    """RFC 6901."""
    back = [p.replace("~1", "/").replace("~0", "~") for p in ijson.pointer(*parts).split("/")[1:]]
    assert back == [str(p) for p in parts]


@pytest.mark.parametrize("text", ['{"a":"open', "[1,", "{", '{"a" 1}', "[1 2]", '"\\x"', "tru", "1 2", '"\t"', ""])
def test_what_is_wrong_with_a_text_is_said_once_with_its_place(text: str) -> None:
    """The words of Python's parser end in the place sometimes, and sometimes not."""
    (finding,) = ijson.examine(text.encode())[1]
    assert finding.code == "json-invalid"
    assert re.search(r"(?<!at) at character \d+$", finding.message)
    assert finding.message[0].islower()
