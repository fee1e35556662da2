"""A kit to test a converter with: plain functions that raise `AssertionError` with one clear line.

::

    from sessionrecord.convert import testing

    testing.check_converter(convert, "sample.log")

or, with pytest, one test for each check::

    @pytest.mark.parametrize("check", testing.CHECKS)
    def test_the_converter(check):
        check(testing.Sample(convert, Path("sample.log")))
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Set
from typing import Final

from sessionrecord.convert.testing.accounting import check_accounting
from sessionrecord.convert.testing.broken import check_broken_members
from sessionrecord.convert.testing.hostile import check_hostile_logs
from sessionrecord.convert.testing.invention import check_no_invented_values, check_times
from sessionrecord.convert.testing.losses import check_nothing_lost
from sessionrecord.convert.testing.output import check_deterministic, check_input_untouched, check_output_validates
from sessionrecord.convert.testing.repeats import check_no_repeats, check_outcomes
from sessionrecord.convert.testing.sample import MARKER, Convert, Sample

__all__ = [
    "CHECKS",
    "MARKER",
    "Convert",
    "Sample",
    "check_accounting",
    "check_broken_members",
    "check_converter",
    "check_deterministic",
    "check_hostile_logs",
    "check_input_untouched",
    "check_no_invented_values",
    "check_no_repeats",
    "check_nothing_lost",
    "check_outcomes",
    "check_output_validates",
    "check_times",
]

CHECKS: Final[tuple[Callable[[Sample], None], ...]] = (
    check_accounting,
    check_output_validates,
    check_no_invented_values,
    check_times,
    check_nothing_lost,
    check_no_repeats,
    check_outcomes,
    check_deterministic,
    check_input_untouched,
    check_hostile_logs,
    check_broken_members,
)
"""All checks."""


def check_converter(
    convert: Convert,
    path: str | os.PathLike[str],
    *,
    computed: Set[str] = frozenset(),
    constants: Set[str] = frozenset(),
    allowed: Set[str] = frozenset(),
    inherited: Set[str] = frozenset(),
    excused: Mapping[str, str] | None = None,
    unknown: bytes | None = None,
) -> None:
    """Run all checks on a converter with a log.

    Each option lets something pass that a check would find. They are those of `Sample`:

    - `computed`: members of records whose values are computed, such as `durationMs`
    - `constants`: texts that the converter writes of itself
    - `allowed`: codes of warnings that the sample gives rise to
    - `inherited`: members of records whose values may stand on another line than the record's, such as `turnId`
    - `excused`: native members that the records of their line need not have, each with the reason
    - `unknown`: a line of a type that the converter does not know, in bytes, with `MARKER` in it

    Raises `AssertionError`, in one line, where a check finds something, whatever the converter does; `TypeError` or `ValueError`
    where an option is not of its form.
    """
    sample = Sample(convert, path, computed, constants, allowed, inherited, excused or {}, unknown)
    for check in CHECKS:
        check(sample)
