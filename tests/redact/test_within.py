"""JSON in a string is treated as JSON in a record is: a number becomes a string, names stay distinct, and it stays JSON."""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Callable
from typing import Any
from urllib.parse import quote, unquote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessionrecord.redact import Pattern, RedactionRules
from tests.redact.samples import redacted, stream

NUMBER = 12345678
RULES = RedactionRules([str(NUMBER)], [Pattern("key", "key-[0-9]+")])
MARK = "[redacted:value-1]"

scalars = st.one_of(
    st.none(), st.booleans(), st.just(NUMBER), st.just(-NUMBER), st.integers(0, 99),
    st.sampled_from(["text", f"pin {NUMBER}", f"{NUMBER}", "key-1", 'say "key-2"', "\u00e9\n"]),
)  # fmt: skip
names = st.sampled_from(["a", "b c", "key-1", "key-2", "key-3 x", f"{NUMBER}", "[redacted:key]"])
values = st.recursive(
    scalars,
    lambda v: st.one_of(
        st.lists(v, max_size=3),
        st.dictionaries(names, v, max_size=4),
        st.dictionaries(names, v, min_size=1, max_size=2).map(json.dumps),
    ),
    max_leaves=8,
)
documents = st.one_of(st.lists(values, max_size=3), st.dictionaries(names, values, max_size=4))


def alike(old: Any, new: Any) -> bool:
    """Naive: the same value, but for placeholders; whatever held a secret is a string now, JSON in strings is JSON."""
    if isinstance(old, dict):
        return isinstance(new, dict) and len(old) == len(new) and all(map(alike, old.values(), new.values()))
    if isinstance(old, list):
        return isinstance(new, list) and len(old) == len(new) and all(map(alike, old, new))
    if isinstance(old, str) and old[:1] == "{":
        return isinstance(new, str) and alike(json.loads(old), json.loads(new))
    if isinstance(old, str):
        return isinstance(new, str) and ("[redacted:" in new or new == old)
    expected = MARK if str(NUMBER) in json.dumps(old) else old
    return type(new) is type(expected) and bool(new == expected)


@settings(max_examples=300, deadline=None)
@given(documents, st.booleans(), st.booleans())
def test_json_in_a_string_stays_json_of_the_same_form(document: Any, is_spaced: bool, is_ascii: bool) -> None:
    inner = json.dumps(document, ensure_ascii=is_ascii, indent=1 if is_spaced else None)
    source = stream({"type": "tool_call", "callId": "c", "arguments": inner}, {"type": "odd", inner: inner})
    out, _ = redacted(source, RULES)
    call, odd = map(json.loads, out.splitlines()[1:])
    assert alike(document, json.loads(call["arguments"]))
    assert [name for name in odd if name[:1] in "[{"] == [name for name in odd if odd[name] == call["arguments"]]
    assert redacted(out, RULES)[0] == out


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


@pytest.mark.parametrize(
    ("encode", "decode"),
    [
        (lambda t: json.dumps(t)[1:-1], lambda t: json.loads(f'"{t}"')),
        (lambda t: quote(t, safe=""), unquote),
        (html.escape, html.unescape),
        (_base64, lambda t: base64.b64decode(t).decode()),
        (lambda t: quote(_base64(t), safe=""), lambda t: base64.b64decode(unquote(t)).decode()),
    ],
)
def test_so_it_does_however_it_is_encoded(encode: Callable[[str], str], decode: Callable[[str], str]) -> None:
    inner = json.dumps({"pin": NUMBER, "key-1": [1], "key-2": True})
    out, _ = redacted(stream({"type": "odd", "s": encode(inner)}), RULES)
    new = decode(json.loads(out.splitlines()[1])["s"])
    assert json.loads(new) == {"pin": MARK, "[redacted:key]": [1], "[redacted:key]#2": True}


def test_what_is_no_json_as_a_whole_gets_the_placeholder_as_it_is() -> None:
    out, _ = redacted(stream({"type": "odd", "s": f'{{"pin": {NUMBER}, "cut o'}), RULES)
    assert json.loads(out.splitlines()[1])["s"] == f'{{"pin": {MARK}, "cut o'
