"""The converter that others begin with passes the kit, and is on the page as it is in the file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sessionrecord import Session
from sessionrecord.convert import testing
from tests.convert import pocket

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("check", testing.CHECKS)
def test_the_template_passes_the_kit(check: Callable[[testing.Sample], None]) -> None:
    check(pocket.sample())


def test_the_template_counts_a_cumulative_counter_once() -> None:
    """The last line of the sample tells 900 and 31; the deltas would be 2210 and 84."""
    conversion = pocket.convert(pocket.SAMPLE)
    total = Session.from_records(conversion.main).usage().total
    assert (total.input_tokens, total.output_tokens) == (900, 31)
    assert [(u.line, u.reason) for u in conversion.report.not_converted] == [(9, "repeats line 8")]
    assert [(loss.field, loss.count) for loss in conversion.report.lost] == [("mood", 1)]


def test_the_page_shows_the_file() -> None:
    page = (ROOT / "docs" / "convert-template.md").read_text(encoding="utf-8")
    assert f"```python\n{pocket.SCRIPT.read_text(encoding='utf-8')}```\n" in page
