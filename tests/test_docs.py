"""The examples of the documentation are run: what a reader copies works.

The ```python fences of a page run from top to bottom in one namespace, in a folder that holds `examples/data`. A fence after
the comment `<!-- no-run -->` is only compiled. Fences in other languages are not looked at.
"""

from __future__ import annotations

import re
import shutil
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]

_OPENING = re.compile(r"(?P<indent>\s*)(?P<marks>`{3,}|~{3,})\s*(?P<info>.*?)\s*")
_NO_RUN = "<!-- no-run -->"


@dataclass(frozen=True)
class Fence:
    """A fenced block of Python: its code, the line number of its first line (from 1), and whether it is run."""

    code: str
    line: int
    run: bool


def fences(text: str) -> Iterator[Fence]:
    """The Python fences of a page, in order."""
    lines = text.splitlines()
    previous = ""
    at = 0
    while at < len(lines):
        opening = _OPENING.fullmatch(lines[at])
        if opening is None:
            previous = lines[at].strip() or previous
            at += 1
            continue
        marks = opening["marks"]
        closing = re.compile(rf"\s*{re.escape(marks[0])}{{{len(marks)},}}\s*")
        end = next((i for i in range(at + 1, len(lines)) if closing.fullmatch(lines[i])), None)
        assert end is not None, f"the fence at line {at + 1} is not closed"
        language, *options = opening["info"].split() or [""]
        if language in ("python", "py"):
            assert not options, f"line {at + 1}: mkdocs shows a fence with options as text; use {_NO_RUN} before it"
            yield Fence(textwrap.dedent("\n".join(lines[at + 1 : end])), at + 2, previous != _NO_RUN)
        previous = ""
        at = end + 1


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_examples_of_a_page_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if (ROOT / "examples" / "data").is_dir():
        shutil.copytree(ROOT / "examples" / "data", tmp_path / "examples" / "data")
    monkeypatch.chdir(tmp_path)
    module = ModuleType("docs_page")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    for fence in fences(page.read_text(encoding="utf-8")):
        # empty lines before the code make a traceback name the line of the page
        code = compile("\n" * (fence.line - 1) + fence.code, str(page), "exec", dont_inherit=True)
        if fence.run:
            exec(code, module.__dict__)


def test_fences_are_found_with_their_lines_and_marks() -> None:
    page = textwrap.dedent(
        """\
        Text
        ```python
        a = 1
        ```
        ```console
        $ python
        ```

        <!-- no-run -->

        ```python
        b = 2
        ```
        ~~~~python
        ```
        c = 3
        ~~~~
          ```py
          d = 4
          ```
        """
    )
    assert [(f.code, f.line, f.run) for f in fences(page)] == [
        ("a = 1", 3, True),
        ("b = 2", 12, False),
        ("```\nc = 3", 15, True),
        ("d = 4", 19, True),
    ]


def test_a_fence_that_is_not_closed_is_an_error() -> None:
    with pytest.raises(AssertionError, match="line 1 is not closed"):
        list(fences("```python\na = 1\n"))


def test_an_option_that_mkdocs_does_not_know_is_an_error() -> None:
    with pytest.raises(AssertionError, match="line 1: mkdocs shows"):
        list(fences("```python no-run\na = 1\n```\n"))
