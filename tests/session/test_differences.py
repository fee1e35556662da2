"""What differs between two JSON values: applied to the one, the differences give the other."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessionrecord import ijson
from sessionrecord.session.differences import LEVELS, MOST, Change, change_of, differences, digest, same
from tests.strategies import exact, json_values, number_of

Members = dict[str, Any]


def plainly(_: str, one: Any, other: Any) -> bool:
    return same(one, other)


def changes(left: Members, right: Members, *, swapped: bool = False) -> list[Change]:
    return [change_of(d, swapped=swapped) for d in differences(left, right, plainly)]


def at(value: Any, pointer: str) -> Any:
    """RFC 6901, read plainly."""
    for part in pointer.split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        value = value[int(name)] if isinstance(value, list) else value[name]
    return value


def kept(value: Any, places: set[str], here: str = "") -> Any:
    """A value without what is at some places, in a form whose equality is exact."""
    if here in places:
        return None
    if isinstance(value, dict):
        found = {
            k: kept(v, places, here + ijson.pointer(k))
            for k, v in value.items()
            if here + ijson.pointer(k) not in places
        }
        return ("object", found)
    if isinstance(value, list):
        return [kept(v, places, f"{here}/{i}") for i, v in enumerate(value) if f"{here}/{i}" not in places]
    return exact(value)


members = st.dictionaries(st.sampled_from(["a", "b", "a/b", "~", "type"]), json_values(12), max_size=4)


@given(members, members)
def test_without_the_places_named_both_sides_are_the_same(left: Members, right: Members) -> None:
    """Nothing differs that is not named, and each pointer leads to the value given."""
    found = differences(left, right, plainly)
    for difference in found:
        change = change_of(difference, swapped=False)
        if change.kind == "removed":
            assert exact(at(left, change.pointer)) == exact(change.old)
        else:
            assert exact(at(right, change.pointer)) == exact(change.new)
    gone = {
        ijson.pointer(*here)
        for here, _, old, _ in found
        if change_of((here, here, old, None), swapped=False).kind != "added"
    }
    new = {change_of(d, swapped=False).pointer for d in found if change_of(d, swapped=False).kind != "removed"}
    assert kept(left, gone) == kept(right, new)


@given(members)
def test_a_record_does_not_differ_from_its_copy(value: Members) -> None:
    assert differences(value, copy.deepcopy(value), plainly) == []
    assert same(value, copy.deepcopy(value))
    assert digest(value) == digest(copy.deepcopy(value))


@given(json_values(), json_values())
def test_digest_and_sameness_agree_with_exact_equality(one: Any, other: Any) -> None:
    one, other = (ijson.examine(ijson.dumps(v))[0] for v in (one, other))
    assert same(one, other) == (exact(one) == exact(other))
    assert (digest(one) == digest(other)) == (exact(one) == exact(other))


@given(members, members)
def test_the_other_way_round_what_was_added_is_removed(left: Members, right: Members) -> None:
    there = sorted((c.kind, repr(exact(c.old)), repr(exact(c.new))) for c in changes(left, right))
    kinds = {"added": "removed", "removed": "added", "changed": "changed"}
    back = sorted((kinds[c.kind], repr(exact(c.new)), repr(exact(c.old))) for c in changes(left, right, swapped=True))
    assert there == back


def test_the_text_of_a_number_counts() -> None:
    """A stream keeps the text of its numbers."""
    for one, other in (("1.50", "1.5"), ("1", "1.0"), ("-0.0", "0.0"), ("1e2", "1E2"), ("1", "true")):
        assert not same(number_of(one), number_of(other))
        assert digest(number_of(one)) != digest(number_of(other))
    assert not same(number_of("9" * 40), number_of("9" * 39 + "8"))
    assert digest(number_of("9" * 40)) != digest(number_of("9" * 39 + "8"))


def test_what_cannot_be_written_can_be_compared() -> None:
    """Lines with an unpaired surrogate are read, and reported; their values are compared all the same."""
    assert digest({"b": "\ud800", "a": number_of("1.50")}) == digest({"a": number_of("1.50"), "b": "\ud800"})
    assert digest(["\ud800", number_of("1.50")]) != digest(["\ud800", {"": "1.50"}])
    assert digest("\ud800") != digest("\ud801")


def test_items_of_arrays_are_aligned() -> None:
    blocks = [{"type": "text", "text": t} for t in "abc"]
    assert changes({"x": blocks}, {"x": blocks[1:]}) == [Change("removed", "/x/0", blocks[0])]
    assert changes({"x": blocks[1:]}, {"x": blocks}) == [Change("added", "/x/0", None, blocks[0])]
    other = [blocks[0], {"type": "text", "text": "B"}, blocks[2], {"type": "image"}]
    assert changes({"x": blocks}, {"x": other}) == [
        Change("changed", "/x/1/text", "b", "B"),
        Change("added", "/x/3", None, {"type": "image"}),
    ]
    assert changes({"x": [{"type": "text"}]}, {"x": [{"type": "image"}]}) == [
        Change("removed", "/x/0", {"type": "text"}),
        Change("added", "/x/0", None, {"type": "image"}),
    ]


def test_null_is_not_absence() -> None:
    assert changes({"a": None}, {}) == [Change("removed", "/a")]
    assert changes({}, {"a": None})[0].to_dict() == {"kind": "added", "pointer": "/a", "new": None}
    assert changes({"a": 1}, {"a": None})[0].to_dict() == {"kind": "changed", "pointer": "/a", "old": 1, "new": None}
    assert changes({"a": 1}, {})[0].to_dict() == {"kind": "removed", "pointer": "/a", "old": 1}


def nested(levels: int, inner: Any) -> Any:
    for _ in range(levels):
        inner = {"n": inner}
    return inner


@pytest.mark.parametrize(
    ("left", "right", "pointer"),
    [
        ({"x": nested(250, 1)}, {"x": nested(250, 2)}, "/x" + "/n" * (LEVELS - 1)),
        ({"x": {"k" * 300: {"a": 1}}}, {"x": {"k" * 300: {"a": 2}}}, "/x/" + "k" * 300),
        ({"x": list(range(MOST + 1))}, {"x": [n + 10_000 for n in range(MOST + 1)]}, "/x"),
    ],
)
def test_where_places_would_outgrow_the_records_the_whole_is_given(left: Members, right: Members, pointer: str) -> None:
    (change,) = changes(left, right)
    assert (change.kind, change.pointer) == ("changed", pointer)
