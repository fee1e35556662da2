"""What is held of an object is data, and all else is named."""

from __future__ import annotations

from typing import Any

import pytest

from sessionrecord.convert.accounting import Held, Items, anything, is_flag, is_string, left, only
from sessionrecord.convert.native import is_count

HELD: dict[str, Held] = {
    "any": anything,
    "text": is_string,
    "flag": is_flag,
    "count": is_count,
    "role": only("user", True),
    "inner": {"a": is_string, "deeper": {"b": is_count}},
    "parts": Items({"text": {"type": anything, "text": is_string}}, is_string),
}


@pytest.mark.parametrize(
    ("value", "named"),
    [
        ({"any": [1], "text": "", "flag": False, "count": 0, "role": "user", "inner": {"a": "x"}}, []),
        ({"other": 0, "text": ["x"], "flag": 1, "count": True}, ["other", "text", "flag", "count"]),
        ({"role": "tool"}, ["role"]),
        ({"role": True}, []),
        ({"role": 1}, ["role"]),
        ({"role": ["user"]}, ["role"]),
        ({"inner": "x"}, ["inner"]),
        ({"inner": {"z": 1, "deeper": {"b": "1", "c": 2}}}, ["inner.z", "inner.deeper.b", "inner.deeper.c"]),
        ({"any": None, "other": None, "inner": None, "parts": None}, []),
        ({"parts": ["x", None, {"type": "text", "text": "x"}]}, []),
        ({"parts": {"type": "text", "text": 1, "z": 1}}, ["parts.text.text", "parts.text.z"]),
        ({"parts": [{"type": "image"}, {"type": []}, {}, 1]}, ["parts.image", "parts", "parts", "parts"]),
    ],
)
def test_what_no_record_holds_is_named_by_its_path(value: dict[str, Any], named: list[str]) -> None:
    """A member that nobody knows, and one of another type than the one that is taken. A null says nothing."""
    assert list(left("at.", value, HELD)) == [f"at.{name}" for name in named]


def test_members_that_are_only_named_are_held_whatever_they_are() -> None:
    assert list(left("", {"a": {"b": 1}, "c": 1}, {"a"})) == ["c"]
