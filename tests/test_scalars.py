"""The annotated types (spec section 1; [S] ASR conventions, ASR-042, 043, 044, 045, 047)."""

from __future__ import annotations

import json
import re
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, Literal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import BaseModel, TypeAdapter, ValidationError

from sessionrecord.ijson import JsonNumber
from sessionrecord.scalars import (
    Amount,
    ByteSpan,
    DurationMs,
    NonEmptyStr,
    Omittable,
    OpenEnum,
    SafeInt,
    SignedInt,
    Timestamp,
)
from tests.strategies import json_values, timestamps

TIMESTAMP: TypeAdapter[str] = TypeAdapter(Timestamp)


def accepts(adapter: TypeAdapter[Any], value: Any) -> bool:
    try:
        adapter.validate_python(value)
    except ValidationError:
        return False
    return True


def naive_timestamp(text: str) -> bool:
    """The rule as a person would check it, with the calendar of the standard library."""
    parts = re.fullmatch(r"([0-9]{4}-[0-9]{2}-[0-9]{2})T([0-9]{2}:[0-9]{2}):([0-9]{2})(\.[0-9]{1,9})?Z", text, re.ASCII)
    if parts is None:
        return False
    day, minute, second, _ = parts.groups()
    if day.startswith("0000"):  # datetime has no year 0; RFC 3339 does, and it is a leap year
        day = "2000" + day[4:]
    try:
        datetime.strptime(f"{day} {minute}", "%Y-%m-%d %H:%M")  # noqa: DTZ007
    except ValueError:
        return False
    return int(second) <= 60


@given(
    st.builds(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}{}{}".format,
        st.one_of(st.integers(0, 9999), st.sampled_from([1900, 2000, 2024, 2100, 2400, 4])),
        st.integers(0, 13),
        st.integers(0, 32),
        st.integers(0, 25),
        st.integers(0, 61),
        st.integers(0, 61),
        st.sampled_from(["", ".1", ".123456789", ".1234567890", ".", ",5"]),
        st.sampled_from(["Z", "Z", "Z", "z", "+00:00", "", "Z\n", " Z"]),
    )
)
@example("2024-02-29T00:00:00Z")
@example("2100-02-29T00:00:00Z")
@example("2000-02-29T23:59:60.999999999Z")
@example("0000-02-29T00:00:00Z")
def test_a_timestamp_is_what_a_naive_reading_of_the_rule_says(text: str) -> None:
    assert accepts(TIMESTAMP, text) == naive_timestamp(text)


def test_every_day_of_the_calendar_and_no_other_is_accepted() -> None:
    for year in (1900, 1999, 2000, 2023, 2024, 2100):
        for month in range(14):
            for day in range(33):
                text = f"{year}-{month:02}-{day:02}T00:00:00Z"
                assert accepts(TIMESTAMP, text) == naive_timestamp(text), text


@given(timestamps())
def test_a_timestamp_keeps_its_text(text: str) -> None:
    assert TIMESTAMP.validate_python(text) == text


def _integer(value: Any, low: int) -> bool:
    return type(value) is int and low <= value <= 2**53 - 1


def _non_negative(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return False
    return Decimal(value).is_finite() and value >= 0


VALUES = st.one_of(
    json_values(3),
    st.integers(-(2**54), 2**54),
    st.sampled_from(
        [
            2**53 - 1,
            2**53,
            -(2**53) + 1,
            -(2**53),
            True,
            1.0,
            float("nan"),
            float("inf"),
            Decimal("NaN"),
            Decimal(2),
            "1",
        ]
    ),
)


@given(VALUES)
def test_integers_are_json_integers_in_their_range(value: Any) -> None:
    assert accepts(TypeAdapter(SafeInt), value) == _integer(value, 0)
    assert accepts(TypeAdapter(SignedInt), value) == _integer(value, -(2**53) + 1)


@given(VALUES)
@example(JsonNumber("-0"))
@example(-0.0)
def test_durations_and_amounts_are_non_negative_finite_numbers_kept_as_they_are(value: Any) -> None:
    scalars: list[Any] = [DurationMs, Amount]
    for scalar in scalars:
        adapter: TypeAdapter[Any] = TypeAdapter[Any](scalar)
        assert accepts(adapter, value) == _non_negative(value)
        if _non_negative(value):
            kept = adapter.validate_python(value)
            assert (type(kept), str(kept)) == (type(value), str(value))


@given(st.text(max_size=3))
def test_a_non_empty_string_has_a_character(text: str) -> None:
    assert accepts(TypeAdapter(NonEmptyStr), text) == bool(text)


@pytest.mark.parametrize(
    ("scalar", "code"),
    [
        (SafeInt, "integer-invalid"),
        (SignedInt, "integer-invalid"),
        (Timestamp, "timestamp-invalid"),
        (DurationMs, "duration-invalid"),
        (Amount, "amount-invalid"),
    ],
)
def test_a_scalar_with_its_own_code_uses_it_for_every_failure(scalar: Any, code: str) -> None:
    for value in ("", None, [], {}, True, -(2**60), "2024-01-01", object()):
        with pytest.raises(ValidationError) as error:
            TypeAdapter(scalar).validate_python(value)
        assert [e["type"] for e in error.value.errors()] == [code]


class Sample(BaseModel):
    count: Omittable[SafeInt] = None
    plain: Omittable[str] = None
    cleared: str | None = None
    kind: Annotated[Literal["a", "b"] | str, OpenEnum] = "a"
    at: Omittable[Timestamp] = None


def test_an_omittable_member_may_be_absent_but_not_null() -> None:
    assert Sample().count is None
    assert Sample(cleared=None).model_fields_set == {"cleared"}
    for name in ("count", "plain"):
        with pytest.raises(ValidationError):
            Sample.model_validate({name: None})


def test_an_open_enum_takes_any_string_and_nothing_else() -> None:
    assert Sample(kind="something new").kind == "something new"
    with pytest.raises(ValidationError):
        Sample.model_validate({"kind": 1})


def test_the_json_schema_says_what_the_scalars_demand() -> None:
    properties = Sample.model_json_schema()["properties"]
    assert {"type": "integer", "minimum": 0, "maximum": 2**53 - 1}.items() <= properties["count"].items()
    assert properties["kind"]["examples"] == ["a", "b"]
    assert re.search(properties["at"]["pattern"], "2024-01-01T00:00:00Z")
    json.dumps(properties)


def test_a_span_is_a_slice_of_bytes() -> None:
    span = ByteSpan(offset=2, length=3)
    assert span.end == 5
    assert (span.within(5), span.within(4)) == (True, False)
    view = span.slice(b"abcdef")
    assert (bytes(view), view.nbytes) == (b"cde", 3)
    assert bytes(ByteSpan(offset=6, length=0).slice(b"abcdef")) == b""
    with pytest.raises(ValueError, match="out of the bounds of 4 bytes"):
        span.slice(b"abcd")
