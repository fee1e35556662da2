"""The page of rules names every code that documents can get, and tests that are there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from sessionrecord.asif.rules import SOURCES
from sessionrecord.diagnostics import CODES

ROOT = Path(__file__).resolve().parent.parent.parent
ROW = re.compile(r"^\| [^|]+ \| (\*?)`([a-z0-9-]+)`\1 \| [^|]* \| ([^|]+) \| (?:`(\w+)::(\w+)`)? \|$", re.MULTILINE)
ROWS = ROW.findall((ROOT / "docs" / "asif-rules.md").read_text("utf-8"))


def codes_in(folder: Path) -> set[str]:
    """The codes that the modules of a folder give to what they find."""
    found: set[str] = set()
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in CODES:
                found.add(node.value)
    return found


def test_every_code_of_the_package_has_a_row_and_the_severity_is_right() -> None:
    listed = [code for _, code, *_ in ROWS]
    assert len(listed) == len(set(listed))
    assert codes_in(ROOT / "src" / "sessionrecord" / "asif") <= set(listed)
    assert all((CODES[code].severity == "warning") == (mark == "*") for mark, code, *_ in ROWS)


def test_every_row_is_read_and_names_the_source_that_a_report_names() -> None:
    text = (ROOT / "docs" / "asif-rules.md").read_text("utf-8")
    rows = [
        line for line in text.splitlines() if line.startswith("| ") and not line.startswith(("| rule |", "| --- |"))
    ]
    assert len(rows) == len(ROWS)
    assert {code: source for _, code, source, *_ in ROWS} == SOURCES


def test_every_rule_names_a_test_that_is_there_and_speaks_of_the_code() -> None:
    for _, code, _, module, function in ROWS:
        path = ROOT / "tests" / "asif" / f"{module}.py"
        source = path.read_text("utf-8")
        assert f"\ndef {function}(" in source, f"{module}::{function}"
        assert code in source, f"{module} says nothing of {code}"
