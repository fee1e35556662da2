"""When two JSON values are equal (specification section 6.2, "JSON equality", with the ruling that true is not 1)."""

from __future__ import annotations

import json
import random
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessionrecord import ijson
from sessionrecord.asif.equality import first_difference, json_equal
from tests.strategies import json_values


def plain(value: Any) -> Any:
    """The value in a form that Python compares as JSON does: numbers as fractions, each kind of value tagged."""
    if isinstance(value, dict):
        return "object", {name: plain(item) for name, item in value.items()}
    if isinstance(value, list):
        return "array", [plain(item) for item in value]
    if isinstance(value, float):
        return "number", Fraction(repr(value))
    if isinstance(value, int | Decimal) and not isinstance(value, bool):
        return "number", Fraction(str(value))
    return type(value).__name__, value


def respelled(value: Any, chance: random.Random) -> Any:
    """The same value with its members in another order and its numbers spelled otherwise."""
    if isinstance(value, dict):
        names = list(value)
        chance.shuffle(names)
        return {name: respelled(value[name], chance) for name in names}
    if isinstance(value, list):
        return [respelled(item, chance) for item in value]
    if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
        sign, digits, exponent = Decimal(repr(value) if isinstance(value, float) else value).as_tuple()
        assert isinstance(exponent, int)
        zeros = chance.randrange(4)
        number = "".join(map(str, digits)) + "0" * zeros
        return ijson.JsonNumber(f"{'-' * sign}{number}{chance.choice('eE')}{exponent - zeros}")
    return value


@given(json_values(), json_values())
def test_equality_is_that_of_a_plain_reference(a: Any, b: Any) -> None:
    assert json_equal(a, b) == (plain(a) == plain(b))
    assert json_equal([a, b], [b, a]) == (plain(a) == plain(b))


@given(json_values(), st.integers())
def test_spelling_and_order_of_members_mean_nothing(value: Any, seed: int) -> None:
    other = respelled(value, random.Random(seed))
    assert json_equal(value, other)
    assert json_equal(other, value)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("1", "1.0"),
        ("1", "1e0"),
        ("100", "1E+2"),
        ("0", "-0"),
        ("0", "0e99999999999999999999"),
        ("-0.0", "0"),
        ("0.1", "0.10"),
        ("123456789012345678901234567890", "1.2345678901234567890123456789e29"),
        ("1e999999999999999999999", "10e999999999999999999998"),
        ("1e-" + "9" * 5000, "0.1e-" + "9" * 4999 + "8"),
        ("1" + "0" * 5000, "1e5000"),
        (r'"\u00e9"', '"é"'),
        ('{"a": 1, "b": [2]}', '{"b":[2.0],"a":1}'),
    ],
)
def test_values_that_are_equal(left: str, right: str) -> None:
    """Reference cases "stream 1.0, arguments 1", "stream -0, arguments 0", "stream 0.1, arguments 0.10" and beyond a double."""
    assert json_equal(read(left), read(right))
    assert json_equal(read(right), read(left))


@pytest.mark.parametrize(
    ("left", "right", "place"),
    [
        ("1", "true", ""),
        ("0", "false", ""),
        ("null", "false", ""),
        ("0", "null", ""),
        ('"1"', "1", ""),
        ("[]", "{}", ""),
        ("9007199254740992", "9007199254740993", ""),
        ("123456789012345678901234567890", "123456789012345678901234567891", ""),
        ("0.1", "0.1000000000000000055511151231257827", ""),
        ("1e999999999999999999999", "1e999999999999999999998", ""),
        ("1", "-1", ""),
        (r'{"a": "e\u0301"}', r'{"a": "\u00e9"}', "/a"),
        ("[1, 2]", "[2, 1]", "/0"),
        ("[1]", "[1, 2]", "/1"),
        ("[1, 2]", "[1]", "/1"),
        ("[1, 2]", "[3]", "/0"),
        ('{"a": {"b/c": [0, {"d": 1}]}}', '{"a": {"b/c": [0, {"d": 2}]}}', "/a/b~1c/1/d"),
        ('{"a": 1}', "{}", "/a"),
        ('{"a": null}', "{}", "/a"),
        ('{"a": 1}', '{"a": 1, "b": null}', "/b"),
        ('{"a": 1, "b": 2}', '{"b": 3, "a": 4}', "/a"),
    ],
)
def test_values_that_differ_and_where(left: str, right: str, place: str) -> None:
    assert first_difference(read(left), read(right)) == place
    assert not json_equal(read(right), read(left))


def read(text: str) -> Any:
    return json.loads(text, parse_float=ijson.JsonNumber, parse_int=ijson.JsonNumber)


def test_nesting_needs_no_stack() -> None:
    """Nesting of 10 000 and more is compared without recursion."""

    def nested(depth: int, innermost: Any) -> Any:
        value: Any = innermost
        for i in range(depth):
            value = [value] if i % 2 else {"a": value}
        return value

    assert json_equal(nested(100_000, 1), nested(100_000, 1.0))
    place = first_difference(nested(100_000, 1), nested(100_000, 2))
    assert place == "/0/a" * 50_000


def test_a_pair_of_long_arrays_is_walked_once() -> None:
    left, right = list(range(200_000)), [float(i) for i in range(200_000)]
    assert json_equal(left, right)
    right[-1] = 0.5
    assert first_difference(left, right) == "/199999"
