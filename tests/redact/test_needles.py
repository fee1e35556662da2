"""Many values are found as few are: each, and in the order of the rules."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from sessionrecord.redact import RedactionRules
from sessionrecord.redact.needles import Needles
from tests.redact.samples import message, redacted, stream, text

forms = st.lists(st.binary(min_size=4, max_size=8), min_size=50, max_size=80, unique=True)


@settings(max_examples=200, deadline=None)
@given(forms, st.lists(st.tuples(st.binary(max_size=5), st.integers(0, 49)), max_size=6), st.binary(max_size=3))
def test_all_that_are_in_a_text_are_likely_in_their_order(
    given_forms: list[bytes], pieces: list[tuple[bytes, int]], end: bytes
) -> None:
    needles = [(form, f"n{i}") for i, form in enumerate(given_forms)]
    data = b"".join(before + given_forms[i] for before, i in pieces) + end
    likely = Needles(needles).likely(data)
    assert [n for n in likely if n[0] in data] == [n for n in needles if n[0] in data]
    assert list(likely) == [n for n in needles if n in likely]
    assert all(n[0][:4] in data for n in likely)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(0, 99), min_size=1, max_size=5), st.integers(0, 7))
def test_a_hundred_values_take_away_what_one_would(which: list[int], shift: int) -> None:
    values = [f"secret{n:03d}é" for n in range(100)]
    words = "x" * shift + " and ".join(values[n] for n in which)
    out, made = redacted(stream(message(text(words))), RedactionRules(values, ()))
    for n in which:
        words = words.replace(values[n], f"[redacted:value-{n + 1}]")
    assert json.loads(out.splitlines()[1])["content"][0]["text"] == words
    assert made.report.count == len(which)
