"""Blocks from what a harness has at hand (spec section 5)."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessionrecord.records import AudioBlock, Block, FileBlock, ImageBlock, Producer, parse_record
from sessionrecord.stream import RecordList
from sessionrecord.stream.builders import (
    audio_from_bytes,
    diff,
    file_from_bytes,
    image_from_bytes,
    reasoning,
    resource_link,
    text,
)
from tests.strategies import texts

FromBytes = Callable[..., ImageBlock | AudioBlock | FileBlock]


@given(texts())
def test_text_is_kept_as_it_is(content: str) -> None:
    assert text(content).to_wire() == {"type": "text", "text": content}


def test_reasoning_may_be_readable_signed_or_encrypted() -> None:
    assert reasoning("why", signature="sig==").to_wire() == {"type": "reasoning", "text": "why", "signature": "sig=="}
    assert reasoning(encrypted="e").to_wire() == {"type": "reasoning", "encrypted": "e"}


@pytest.mark.parametrize(
    ("build", "block_type"), [(image_from_bytes, "image"), (audio_from_bytes, "audio"), (file_from_bytes, "file")]
)
@given(data=st.binary(max_size=50))
def test_bytes_are_included_as_base64(build: FromBytes, block_type: str, data: bytes) -> None:
    """Spec section 5: `data` is standard base64 with padding."""
    block = build(data, "a/b", name="n")
    assert block.type == block_type
    assert b64decode(block.data or "", validate=True) == data
    assert (block.mime_type, block.name) == ("a/b", "n")
    assert "name" not in build(data, "a/b").to_wire()


def test_a_resource_is_linked() -> None:
    assert resource_link("file:///a", name="a", mime_type="text/plain", size=3).to_wire() == {
        "type": "resource_link",
        "uri": "file:///a",
        "name": "a",
        "mimeType": "text/plain",
        "size": 3,
    }


def test_a_diff_has_both_texts_and_says_what_was_not_there() -> None:
    """Without `oldText` the file is new, without `newText` it was deleted."""
    changed = diff("f", "a", "b").to_wire()
    assert (changed["path"], changed["oldText"], changed["newText"]) == ("f", "a", "b")
    assert diff("f", None, "b").to_wire().get("oldText") is None
    assert diff("f", "a", None).to_wire().get("newText") is None


def test_every_built_block_can_be_written_and_read() -> None:
    blocks: list[Block] = [
        text("t"),
        reasoning("r"),
        image_from_bytes(b"1", "image/png"),
        audio_from_bytes(b"2", "audio/wav"),
        file_from_bytes(b"3", "application/pdf"),
        resource_link("u:x"),
        diff("f", None, "b"),
        diff("f", "a", None),
    ]
    author = RecordList()
    author.session(agent="a", session_id="s", producer=Producer(method="native"))
    message = author.user_message(blocks)
    assert message.content == blocks
    assert parse_record(message.to_line()) == message
