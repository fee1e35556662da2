"""Moments as text."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessionrecord.asm import RunEvent
from sessionrecord.asm.moments import milliseconds, now, to_utc

_moments = st.datetimes(datetime(2, 1, 1), datetime(9998, 12, 30))  # noqa: DTZ001
_offsets = st.integers(-1439, 1439)


@given(_moments, _offsets)
def test_a_moment_with_an_offset_is_what_datetime_says(moment: datetime, minutes: int) -> None:
    aware = moment.replace(tzinfo=timezone(timedelta(minutes=minutes)))
    text = aware.isoformat(timespec="microseconds")
    assert to_utc(text) == aware.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
    assert milliseconds(text) == (aware - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)
    assert RunEvent.parse({"kind": "raw", "run_id": "r", "session_id": "s", "timestamp": text}).timestamp == text


@pytest.mark.parametrize(
    ("given_text", "utc"),
    [
        ("2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z"),
        ("2026-01-01t00:00:00z", "2026-01-01T00:00:00Z"),
        ("2026-01-01 00:00:00.123456789+05:30", "2025-12-31T18:30:00.123456789Z"),
        ("2024-02-29T23:59:60-00:01", "2024-03-01T00:00:60Z"),
        ("0000-01-01T00:00:00+00:00", "0000-01-01T00:00:00Z"),
        ("9999-12-31T23:59:59-01:00", "10000-01-01T00:59:59Z"),
    ],
)
def test_an_offset_goes_and_every_digit_stays(given_text: str, utc: str) -> None:
    """Ruling on timestamps: kept as given, a UTC value beside it, nanoseconds survive."""
    read = RunEvent.parse({"kind": "raw", "run_id": "r", "session_id": "s", "timestamp": given_text})
    assert (read.timestamp, read.timestamp_utc) == (given_text, utc)


@pytest.mark.parametrize(
    ("text", "ms"),
    [("1970-01-01T00:00:00.5Z", 500), ("1970-01-01T00:00:01+00:00", 1000), ("1970-01-01T00:00:00.0009Z", 0)],
)
def test_milliseconds_are_cut(text: str, ms: int) -> None:
    assert milliseconds(text) == ms


def test_now_is_between_before_and_after() -> None:
    before = datetime.now(UTC)
    moment = datetime.fromisoformat(now())
    assert before <= moment <= datetime.now(UTC)
