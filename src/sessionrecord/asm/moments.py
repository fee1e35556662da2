"""Moments as text: to UTC and to milliseconds, exact to the last digit of the fraction."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

__all__ = ["milliseconds", "now", "to_utc"]

_DAYS_OF_400_YEARS: Final = 146_097


def now() -> str:
    """The present moment in UTC, to the microsecond."""
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def to_utc(timestamp: str) -> str:
    """The same moment in UTC with `Z`, its fraction as given. A leap second that an offset moves keeps its 60."""
    minutes = _minutes(timestamp)
    days, minute = divmod(minutes, 24 * 60)
    year, month, day = _civil(days)
    fraction = timestamp[19:].rstrip("Zz") if timestamp[-1] in "Zz" else timestamp[19:-6]
    return f"{year:04}-{month:02}-{day:02}T{minute // 60:02}:{minute % 60:02}:{timestamp[17:19]}{fraction}Z"


def milliseconds(timestamp: str) -> int:
    """Whole milliseconds since 1970-01-01T00:00:00Z; what is finer is cut off."""
    fraction = ""
    if timestamp[19] == ".":
        fraction = timestamp[20:].rstrip("Zz") if timestamp[-1] in "Zz" else timestamp[20:-6]
    return (_minutes(timestamp) * 60 + int(timestamp[17:19])) * 1000 + int(f"{fraction[:3]:0<3}")


def _minutes(timestamp: str) -> int:
    """Whole minutes since 1970 in UTC. By hand: the first and last year that can be written have moments that `datetime` has not."""
    year, month, day = int(timestamp[:4]), int(timestamp[5:7]), int(timestamp[8:10])
    minutes = (_days(year, month, day) * 24 + int(timestamp[11:13])) * 60 + int(timestamp[14:16])
    if timestamp[-1] not in "Zz":
        offset = int(timestamp[-5:-3]) * 60 + int(timestamp[-2:])
        minutes += offset if timestamp[-6] == "-" else -offset
    return minutes


def _days(year: int, month: int, day: int) -> int:
    """Days since 1970-01-01 in the Gregorian calendar; years begin in March, so that the leap day is the last."""
    year -= month <= 2
    era, of_era = divmod(year, 400)
    of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    return era * _DAYS_OF_400_YEARS + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719_468


def _civil(days: int) -> tuple[int, int, int]:
    """The inverse of `_days`."""
    era, of_era = divmod(days + 719_468, _DAYS_OF_400_YEARS)
    year = (of_era - of_era // 1460 + of_era // 36_524 - of_era // 146_096) // 365
    of_year = of_era - (365 * year + year // 4 - year // 100)
    month = (5 * of_year + 2) // 153
    day = of_year - (153 * month + 2) // 5 + 1
    month = month + 3 if month < 10 else month - 9
    return era * 400 + year + (month <= 2), month, day
