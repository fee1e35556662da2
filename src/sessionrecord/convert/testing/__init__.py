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
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from sessionrecord.convert.testing.accounting import check_accounting
from sessionrecord.convert.testing.hostile import MARKER, check_hostile_logs
from sessionrecord.convert.testing.invention import check_no_invented_values, check_times
from sessionrecord.convert.testing.output import check_deterministic, check_input_untouched, check_output_validates
from sessionrecord.convert.testing.sample import Convert, Sample

__all__ = [
    "CHECKS",
    "MARKER",
    "Convert",
    "Sample",
    "check_accounting",
    "check_converter",
    "check_deterministic",
    "check_hostile_logs",
    "check_input_untouched",
    "check_no_invented_values",
    "check_output_validates",
    "check_times",
]

CHECKS: Final[tuple[Callable[[Sample], None], ...]] = (
    check_accounting,
    check_output_validates,
    check_no_invented_values,
    check_times,
    check_deterministic,
    check_input_untouched,
    check_hostile_logs,
)
"""All checks."""


def check_converter(
    convert: Convert,
    path: str | os.PathLike[str],
    *,
    computed: Iterable[str] = (),
    constants: Iterable[str] = (),
    allowed: Iterable[str] = (),
    unknown: bytes | None = None,
) -> None:
    """Run all checks on a converter with a log. What the options state is told at `Sample`."""
    sample = Sample(
        convert, Path(path), frozenset(computed), frozenset(constants), frozenset(allowed), unknown
    )  # fmt: skip
    for check in CHECKS:
        check(sample)
