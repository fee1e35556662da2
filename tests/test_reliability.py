"""The page of promises names tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def test_every_test_that_the_page_names_is_there() -> None:
    """A promise whose test was renamed or removed has none."""
    named = set(re.findall(r"`(test_\w+)`", (ROOT / "docs" / "reliability.md").read_text("utf-8")))
    there = {
        name
        for p in (ROOT / "tests").rglob("test_*.py")
        for name in re.findall(r"def (test_\w+)", p.read_text("utf-8"))
    }
    assert named
    assert named - there == set()
