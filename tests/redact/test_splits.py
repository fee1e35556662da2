"""Secrets that no single text holds: our rule is what is read as one text is searched as one."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessionrecord.redact import RedactionRules
from sessionrecord.redact.joined import Splits
from sessionrecord.redact.search import Search
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


LONG = "".join(f"{n:03d}-" for n in range(90))
"""A value as long as a small key in PEM, no piece of which is there twice."""


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 40), st.integers(0, 6)), min_size=1, max_size=3),
    st.sampled_from([6, 11, 40, 200]),
    st.integers(0, 400),
    st.sampled_from(["delta", "native_line", "message"]),
    st.booleans(),
)
def test_a_long_value_over_many_records_is_found_as_in_one_text(
    between: list[tuple[int, int]], width: int, first: int, kind: str, others: bool
) -> None:
    """Naive: join all, replace, compare. Records are searched many at a time, and a value may begin or end anywhere."""
    whole = "word " * (first // 5) + "".join(f"{'text ' * n}{LONG}{'x' * m}" for n, m in between)
    pieces = cut(whole, *range(width, len(whole), width))
    records: list[dict[str, Any]] = []
    for n, piece in enumerate(pieces):
        if kind == "message":
            records.append(message(text(piece), messageId=f"m{n}"))
        else:
            records.append({"type": kind, "harness": "h", "nativeType": "d", "value": piece})
        if others:
            records.append({"type": "usage", "inputTokens": n})
    rules = RedactionRules([LONG])
    out, made = redacted(stream(*records), rules)
    new = joined(out) if kind == "message" else "".join(json.loads(r).get("value", "") for r in out.splitlines())
    assert new == whole.replace(LONG, MARK)
    assert redacted(out, rules)[0] == out
    assert made.report.records == len(out.splitlines())


def test_what_is_searched_grows_with_the_stream_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A long value, many small records: each text is searched a few times, however long the value."""
    searched = 0
    original = Search.has

    def counting(self: Search, data: bytes) -> bool:
        nonlocal searched
        searched += len(data)
        return original(self, data)

    monkeypatch.setattr(Search, "has", counting)
    splits = Splits(Search(RedactionRules([LONG * 10])), Search(RedactionRules([LONG * 10], ())))
    size = 0
    for n in range(5000):
        assert splits.take(n, {"type": "delta", "text": f"word {n}"}) == []
        size += len(f"word {n}")
    assert list(splits.finish()) == []
    assert searched < size * (256 // 5 + 4)


FORM_PIECES = st.integers(1, 3).flatmap(
    lambda n: st.lists(st.integers(1, len(AWS) - 1), min_size=n, max_size=n, unique=True).map(sorted)
)


@settings(max_examples=60, deadline=None)
@given(FORM_PIECES, st.sampled_from(["", "x", "abc9"]), st.sampled_from(["", "y", "9abc"]), st.integers(0, 4))
def test_a_form_in_some_texts_is_found_whatever_stands_before_and_behind(
    at: list[int], before: str, after: str, place: int
) -> None:
    """A form has its borders where the texts have theirs, in up to four of them."""
    pieces = [p for p in (before, *cut(AWS, *at), after) if p]
    native = {"type": "native_line", "harness": "h", "nativeType": "d"}
    records: list[dict[str, Any]] = [
        [{"type": "odd", "list": pieces}],
        [message(*map(text, pieces))],
        [{"type": "tool_call", "callId": "c", "arguments": {"parts": pieces}}],
        [{**native, "value": [before]}, {**native, "value": pieces[1:] if before else pieces}],
        [{**native, "value": p} for p in pieces],
    ][place]
    out, made = redacted(stream(*records), RedactionRules())
    assert set(made.report.rules) == {"aws-access-key-id"}
    rest = [p.encode() for p in cut(AWS, *at) if len(p) > 3]
    assert not any(p in out for p in rest)
    assert out.count(b"[redacted:aws-access-key-id]") == 1


def test_a_record_before_it_does_not_hide_a_form() -> None:
    """An earlier text that ends in a letter would be no border."""
    halves = {"type": "native_line", "harness": "h", "nativeType": "d", "value": ["glpat-GaowKYL", "EeKSIvtHZmxcE1"]}
    earlier = {**halves, "value": ["abc"]}
    alone, _ = redacted(stream(halves), RedactionRules())
    after, _ = redacted(stream(earlier, halves), RedactionRules())
    assert json.loads(after.splitlines()[2])["value"] == json.loads(alone.splitlines()[1])["value"]
    assert json.loads(after.splitlines()[2])["value"] == ["[redacted:gitlab-token]", ""]
