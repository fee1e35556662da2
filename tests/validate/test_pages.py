"""The documentation has a page for each code, and what a page shows gives that code: its example ends by asserting it, and is run with
those of all other pages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sessionrecord.diagnostics import CODES, REQUIREMENTS

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs" / "diagnostics"


def test_there_is_a_page_for_each_code_and_no_other() -> None:
    assert {page.stem for page in PAGES.glob("*.md")} == set(CODES)


@pytest.mark.parametrize("code", CODES)
def test_a_page_says_what_why_how_to_mend_and_shows_an_example(code: str) -> None:
    text = (PAGES / f"{code}.md").read_text("utf-8")
    info = CODES[code]
    rule = f"; requirement {info.requirement}: {REQUIREMENTS[info.requirement].summary}" if info.requirement else ""
    assert text.startswith(f"# `{code}`\n\n{info.severity.capitalize()}: {info.summary}{rule}.\n")
    for part in ("**What.** ", "**Why.** ", "**Example.**", "**How to mend it.** "):
        assert text.count(part) == 1
    (example,) = re.findall(r"```python\n(.*?)```", text, re.S)
    assert f'assert "{code}" in ' in example


def test_every_page_is_in_the_navigation_and_linked_from_the_table() -> None:
    nav = re.findall(r"- diagnostics/([a-z0-9-]+)\.md", (ROOT / "mkdocs.yml").read_text("utf-8"))
    links = re.findall(r"\]\(diagnostics/([a-z0-9-]+)\.md\)", (ROOT / "docs" / "diagnostics.md").read_text("utf-8"))
    assert nav == links == list(CODES)
