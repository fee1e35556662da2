"""Order and structure stay. Ruling: structure rests on index members only; usage folds by scope, counter and model."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessionrecord import Session
from sessionrecord.errors import RedactionError
from sessionrecord.redact import Pattern, RedactionRules
from sessionrecord.redact.rules import MIN_VALUE
from tests.redact.samples import message, redacted, source_of, stream, text

STATUSES = ["in_progress", "completed", "failed", None]
NAMES = ["alpha-one", "alpha-two", "alpha-one-two", "completed", "cumulative", None]
COUNTS = st.one_of(st.none(), st.integers(0, 99999))
refs = st.integers(1, 9).map(lambda n: f"messageId=message-{n}")


def members(**given: Any) -> dict[str, Any]:
    """Members without those that are absent."""
    return {name: value for name, value in given.items() if value is not None}


def said(value: str, **more: Any) -> dict[str, Any]:
    return message(text(value), **more)


messages = st.builds(
    lambda n, p, words, model: said(words, messageId=f"message-{n}", **members(predecessor=p, model=model)),
    st.integers(1, 9), st.one_of(st.none(), refs), st.sampled_from(["completed", "in session", "words", "null"]),
    st.sampled_from(NAMES),
)  # fmt: skip
compactions = st.builds(
    lambda n, status, kept: {"type": "compaction", "compactionId": f"compaction-{n}", "summary": [text("so far")], **members(status=status, keptFrom=kept)},
    st.integers(1, 3), st.sampled_from(STATUSES), st.one_of(st.none(), refs),
)  # fmt: skip
rewinds = st.one_of(st.none(), refs).map(lambda to: {"type": "rewind", "to": to})
calls = st.builds(
    lambda n, model, status: {"type": "model_call", "modelCallId": f"model-call-{n}", **members(model=model, status=status)},
    st.integers(1, 4), st.sampled_from(NAMES), st.sampled_from(STATUSES),
)  # fmt: skip
usages = st.builds(
    lambda n, **more: {"type": "usage", **members(modelCallId=n and f"model-call-{n}", **more)},
    st.integers(0, 4).map(lambda n: n or None),
    scope=st.sampled_from(["model_call", "turn", "session", None]),
    counter=st.sampled_from(["delta", "cumulative", None]),
    inputTokens=COUNTS,
    outputTokens=COUNTS,
    model=st.sampled_from(NAMES),
    cost=st.one_of(st.none(), st.sampled_from(["EUR-a", "EUR-b"]).map(lambda c: {"amount": 1, "currency": c})),
    includesChildren=st.sampled_from([True, False, None]),
    capture=st.sampled_from([None, {"outputTokens": {"state": "truncated"}}]),
)
streams = st.lists(st.one_of(messages, messages, compactions, rewinds, calls, usages), min_size=1, max_size=12)


def texts(value: Any) -> Iterator[str]:
    """Every string, number and word of a value, and every name."""
    if isinstance(value, dict):
        for name, member in value.items():
            yield name
            yield from texts(member)
    elif isinstance(value, list):
        for item in value:
            yield from texts(item)
    else:
        yield value if isinstance(value, str) else json.dumps(value)


def shape(session: Session) -> Any:
    """Heads, context and revisions at each `seq`, told by position."""
    at = {r.id: i for i, r in enumerate(session.records)}

    def place(entity: Any) -> int:
        return at[entity.revisions[0].id]

    return [
        (
            [place(h) for h in session.heads(seq)],
            [place(i.entity) for i in session.context_view(at=seq).items],
            [(place(a.entity), a.reason) for a in session.context_view(at=seq).absent],
        )
        for seq in range(1, len(session) + 1)
    ], [[at[r.id] for r in e.revisions] for e in session.entities]


def sums(session: Session) -> Any:
    """What usage adds up to, whatever models and currencies are called."""
    found = session.usage()
    return (
        sorted(map(repr, found.by_model.values())),
        sorted(found.costs.values()),
        found.calls,
        found.includes_children,
    )


@settings(max_examples=400, deadline=None)
@given(streams, st.data(), st.sampled_from(["raise", "rename"]))
def test_a_value_of_the_stream_is_refused_or_leaves_structure_and_sums(
    records: Any, data: st.DataObject, ids: Any
) -> None:
    source = stream(*records)
    words = sorted({t for line in source.splitlines() for t in texts(json.loads(line)) if len(t) >= MIN_VALUE})
    values = data.draw(st.lists(st.sampled_from(words), min_size=1, max_size=3, unique=True))
    cut = data.draw(st.integers(MIN_VALUE, 20))
    before = Session.read(source)
    try:
        out, made = redacted(source, RedactionRules(sorted({v[:cut] for v in values}), (), ids=ids))
    except RedactionError:
        return
    after = Session.read(out)
    assert shape(after) == shape(before)
    counts = {"/inputTokens", "/outputTokens", "/cost/amount"}
    if not any(r.pointer in counts for r in made.report.removals):
        assert sums(after) == sums(before)


@pytest.mark.parametrize(
    ("record", "value"),
    [
        ({"type": "compaction", "compactionId": "k", "status": "completed"}, "completed"),
        ({"type": "compaction", "compactionId": "k", "status": "cancelled"}, "cancelled"),
        ({"type": "model_call", "modelCallId": "m", "status": "failed"}, "failed"),
        ({"type": "usage", "scope": "workspace", "inputTokens": 1}, "workspace"),
        ({"type": "usage", "counter": "cumulative", "inputTokens": 1}, "cumulative"),
        (said("x", capture={"content": {"state": "unavailable"}}), "unavailable"),
    ],
)
def test_a_word_that_the_structure_rests_on_is_refused(record: dict[str, Any], value: str) -> None:
    before = Session.read(stream(record))
    with pytest.raises(RedactionError, match=r"a secret \(value-1\) is part of what the structure rests on"):
        redacted(source_of(before), RedactionRules([value], ()))


def test_rewinding_to_nothing_is_refused_and_other_words_in_place_of_an_id_are_left_out() -> None:
    null = RedactionRules(patterns=[Pattern("null", r'"(?:to|predecessor|callId)":(?P<secret>null|12345)')])
    with pytest.raises(
        RedactionError, match=r"line 2 at /to: a secret \(null\) is part of what the structure rests on"
    ):
        redacted(stream({"type": "rewind", "to": None}), null)
    calls = [{"type": "tool_call", "callId": 12345} for _ in range(2)]
    source = stream(said("a"), said("b", messageId="m2", predecessor=None), *calls)
    out, made = redacted(source, null)
    assert shape(Session.read(out)) == shape(Session.read(source))
    assert [r.what for r in made.report.removals] == ["member"] * 3


def test_names_of_models_stay_different() -> None:
    """Sums are made by model: two that a rule makes alike would become one."""
    rules = RedactionRules(patterns=[Pattern("model", r"falcon-[0-9]+")])
    usage = {"type": "usage", "inputTokens": 5}
    source = stream(
        *({**usage, "model": f"falcon-{n}"} for n in (1, 2, 1)),
        {"type": "message", "messageId": "m", "model": "falcon-2"},
    )
    out, _ = redacted(source, rules)
    assert [json.loads(line).get("model") for line in out.splitlines()[1:]] == [
        "[redacted:model]", "[redacted:model]#2", "[redacted:model]", "[redacted:model]#2",
    ]  # fmt: skip
    assert sums(Session.read(out)) == sums(Session.read(source))
    assert redacted(out, rules)[0] == out
    by_name = RedactionRules(patterns=[Pattern("model", r'"model":\s*"[^"]*"')])
    assert all(
        json.loads(line)["model"] == "[redacted:model]" for line in redacted(source, by_name)[0].splitlines()[1:]
    )
