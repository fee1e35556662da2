"""The converter that others begin with passes the kit, and is on the page as it is in the file."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

from sessionrecord import Session
from sessionrecord.convert import testing

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "examples" / "converter_template.py"
SAMPLE = ROOT / "examples" / "data" / "pocket-sample.jsonl"


@pytest.fixture(scope="module")
def template() -> Iterator[ModuleType]:
    spec = importlib.util.spec_from_file_location("converter_template", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


@pytest.mark.parametrize("check", testing.CHECKS)
def test_the_template_passes_the_kit(template: ModuleType, check: Callable[[testing.Sample], None]) -> None:
    check(testing.Sample(template.convert, SAMPLE, constants=frozenset({"run"})))


def test_the_template_counts_a_cumulative_counter_once(template: ModuleType) -> None:
    """The last line of the sample tells 900 and 31; the deltas would be 2210 and 84."""
    conversion = template.convert(SAMPLE)
    total = Session.from_records(conversion.main).usage().total
    assert (total.input_tokens, total.output_tokens) == (900, 31)
    assert [(u.line, u.reason) for u in conversion.report.not_converted] == [(9, "repeats line 8")]
    assert [(loss.field, loss.count) for loss in conversion.report.lost] == [("mood", 1)]


def test_the_page_shows_the_file() -> None:
    page = (ROOT / "docs" / "convert-template.md").read_text(encoding="utf-8")
    assert f"```python\n{SCRIPT.read_text(encoding='utf-8')}```\n" in page
