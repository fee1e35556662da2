"""The table of diagnostics in the documentation is the table in the code."""

from __future__ import annotations

import re
from pathlib import Path

from sessionrecord.diagnostics import CODES, REQUIREMENTS

DOCS = Path(__file__).resolve().parent.parent / "docs"


def test_the_page_lists_every_code_with_its_severity_and_requirement() -> None:
    rows = re.findall(r"^\| `([a-z0-9-]+)` \| (\w+) \| ([^|]*) \|", (DOCS / "diagnostics.md").read_text("utf-8"), re.M)
    listed = {code: (severity, requirement.strip() or None) for code, severity, requirement in rows}
    assert len(rows) == len(listed), "a code is listed twice"
    assert listed == {code: (info.severity, info.requirement) for code, info in CODES.items()}


def test_the_coverage_page_names_every_requirement_and_no_other() -> None:
    text = (DOCS / "spec-coverage.md").read_text("utf-8")
    assert set(re.findall(r"ASR-\d{3}", text)) == set(REQUIREMENTS)
