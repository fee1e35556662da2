"""Secrets that no single text holds: our rule is what is read as one text is searched as one."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessionrecord.redact import RedactionRules
from tests.redact.samples import message, redacted, stream, text

SECRET = "correct-horse-battery"
RULES = RedactionRules([SECRET])
MARK = "[redacted:value-1]"
AWS = "AKIAIOSFODNN7EXAMPLE"


def cut(value: str, *at: int) -> list[str]:
    """A text in pieces."""
    return [value[a:b] for a, b in zip((0, *at), (*at, len(value)), strict=True)]


def joined(out: bytes) -> str:
    """The texts of all blocks of a stream, one after another."""
    records = [json.loads(r) for r in out.splitlines()]
    return "".join(b.get("text", "") for r in records for b in r.get("content", []))


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(0, len(SECRET)), min_size=1, max_size=8).map(sorted),
    st.text("ab ", max_size=5),
    st.text("ab ", max_size=5),
    st.booleans(),
)
def test_a_value_split_over_blocks_or_messages_is_gone(at: list[int], before: str, after: str, blocks: bool) -> None:
    pieces = [before, *cut(SECRET, *at), after]
    records = (
        [message(*map(text, pieces))] if blocks else [message(text(p), messageId=f"m{i}") for i, p in enumerate(pieces)]
    )
    out, made = redacted(stream(*records), RULES)
    assert joined(out) == before + MARK + after
    inside = {i for i, p in enumerate(cut(SECRET, *at)) if p}
    assert made.report.count == (1 if blocks else len(inside))  # once in each record that held a part
    assert redacted(out, RULES)[0] == out


@pytest.mark.parametrize(
    "encode", [lambda s: s, lambda s: base64.b64encode(s.encode()).decode(), lambda s: json.dumps({"a": s})]
)
def test_the_whole_is_searched_decoded(encode: Any) -> None:
    whole = encode(SECRET + '"')
    out, _ = redacted(stream(message(*map(text, cut(whole, 7)))), RedactionRules([SECRET + '"']))
    assert joined(out) == encode(MARK) or joined(out) == encode(MARK).replace("\\", "")


@pytest.mark.parametrize(
    "records",
    [
        [{"type": "toy.delta", "delta": {"text": p}} for p in cut(AWS, 3, 9)],
        [{"type": "native_line", "nativeType": "delta", "value": {"index": i, "d": p}} for i, p in enumerate(cut(AWS, 3, 9))],
        [{"type": "odd", "list": cut(AWS, 3, 9)}],
        [{"type": "odd", "list": [{"chunk": p} for p in cut(AWS, 3, 9)]}],
        [message(*map(text, cut(AWS, 3, 9)))],
        [message({"type": "widget", "parts": cut(AWS, 10)})],
        [{"type": "tool_call", "callId": "c", "arguments": {"parts": cut(AWS, 10)}}],
    ],
)  # fmt: skip
def test_a_known_form_split_over_texts_of_one_place_is_gone(records: list[dict[str, Any]]) -> None:
    out, made = redacted(stream({"type": "odd", "x": 1}, *records), RedactionRules())
    assert made.report.rules == {"aws-access-key-id": len(records)}
    assert len(made.report.removals) == len(records)
    assert not any(piece in out.decode() for piece in cut(AWS, 3, 9))
    assert out.count(b"[redacted:aws-access-key-id]") == 1


def test_records_of_other_types_between_do_not_hide_it() -> None:
    deltas = [{"type": "delta", "t": p} for p in cut(SECRET, 5, 11)]
    other = {"type": "usage", "inputTokens": 1}
    out, _ = redacted(stream(deltas[0], other, deltas[1], other, deltas[2]), RULES)
    assert [json.loads(r).get("t") for r in out.splitlines()[1:]] == [MARK, None, "", None, ""]


def test_an_open_end_does_not_reach_into_the_next_argument() -> None:
    """`Bearer` and a token, then another argument: the token has no fixed end, and the list is no text."""
    arguments = ["curl", "-H", "Authorization: Bearer 0123456789abcdef0123", "https-is-next", "x"]
    out, _ = redacted(stream({"type": "tool_call", "callId": "c", "arguments": arguments}), RedactionRules())
    assert json.loads(out.splitlines()[1])["arguments"] == [
        "curl", "-H", "Authorization: Bearer [redacted:bearer-token]", "https-is-next", "x",
    ]  # fmt: skip


def test_an_open_end_does_not_reach_into_the_next_message() -> None:
    first, second = message(text("Bearer 0123456789abcdef0123")), message(text("Please"), messageId="m2")
    out, _ = redacted(stream(first, second), RedactionRules())
    assert joined(out) == "Bearer [redacted:bearer-token]Please"


def test_texts_of_different_places_or_kinds_are_no_one_text() -> None:
    a, b = cut(SECRET, 9)
    source = stream(
        message(text(a), {"type": "reasoning", "text": b}),
        {"type": "odd", "a": a, "b": b},
        message(text(a), role="user"),
        message(text(b), role="assistant"),
        {"type": "tool_result", "callId": "c", "outcome": a},
        {"type": "tool_result", "callId": "c", "outcome": b},
    )
    assert redacted(source, RULES)[0] == source


def test_long_texts_are_joined_at_their_borders() -> None:
    filler = "x y " * 2000
    out, _ = redacted(stream(message(text(filler + SECRET[:9]), text(SECRET[9:] + filler), text(filler))), RULES)
    assert joined(out) == filler + MARK + filler + filler
    out, _ = redacted(stream(message(text(filler + SECRET[:9])), message(text(SECRET[9:] + filler))), RULES)
    assert joined(out) == filler + MARK + filler


def test_what_one_removal_brings_together_is_removed_too() -> None:
    """Between the parts of one secret stands another that is split: with it gone, they follow each other."""
    a, b = cut(SECRET, 9)
    out, made = redacted(stream(message(text(a), text(b[:3] + "Z"), text("ZZZ" + b))), RedactionRules([SECRET, "ZZZZ"]))
    assert SECRET not in joined(out)
    assert made.report.count >= 1
