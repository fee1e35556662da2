"""A record in a few words: something is always said, and none of it can steer a terminal."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from sessionrecord.session.said import LENGTH, plain, said
from tests.session.test_compare import numbered
from tests.strategies import records, texts


@given(texts(max_size=200))
def test_plain_text_is_on_one_line_and_short(text: str) -> None:
    shown = plain(text)
    assert shown.isprintable()
    assert len(shown) <= LENGTH + 1
    assert shown == text or not text.isprintable() or len(text) > LENGTH


@given(records())
def test_any_record_is_said_on_one_line(record: Any) -> None:
    assert said(record).isprintable()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ([{"type": "reasoning", "text": "I should look first"}], "[reasoning] 'I should look first'"),
        ([{"type": "reasoning", "encrypted": "AAAA"}], "[reasoning]"),
        ([{"type": "image", "mimeType": "image/png", "uri": "file:///x"}] * 5, "[image] [image] [image] and 2 more"),
        ([{"type": "image", "mimeType": "image/png", "uri": "file:///x"}, {"type": "text", "text": "see"}], "'see'"),
        ([{"type": "sm\x1bell"}], "[sm\\x1bell]"),
        ([], "''"),
    ],
)
def test_a_message_without_text_says_what_it_is_made_of(content: list[Any], words: str) -> None:
    session = numbered({"type": "message", "messageId": "m", "role": "assistant", "content": content})
    assert f"message     {words}\n" in str(session.context_view())
