"""Every fenced block of the documentation is run or checked: what a reader copies works, and what a page shows is what happens.

The blocks of a page run from top to bottom, in a folder that holds `examples/data`:

- ```python blocks run in one namespace. A ```text block right after one is what it prints.
- ```console blocks hold commands after `$ `, which a shell runs, and what they print, if it is shown.
- ```json is JSON, ```jsonl holds records.

In what is printed a line `…` stands for any lines, and `…` within a line for any characters. A block that cannot be run has the
comment `<!-- no-run: reason -->` before it, with a reason of `REASONS`. Other blocks are errors.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest
from typer.testing import CliRunner

from sessionrecord import InvalidRecord, read_record
from sessionrecord.cli.app import app

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]

REASONS = {
    "installs": "it makes the environment that the tests run in",
    "synopsis": "it shows forms of commands; that these and their options exist is checked",
    "other-suite": "it runs a suite of tests, which tests/corpus does",
    "sketch": "it needs what only the reader has; Python is compiled",
}
"""Why a block is not run."""

_OPENING = re.compile(r"(?P<indent>\s*)(?P<marks>`{3,}|~{3,})\s*(?P<info>.*?)\s*")
_NO_RUN = re.compile(r"<!-- no-run: ([a-z-]+) -->")
_LANGUAGES = ("python", "text", "console", "json", "jsonl")


@dataclass(frozen=True)
class Fence:
    """A fenced block."""

    language: str
    code: str
    line: int
    """The line number of its first line, from 1."""
    reason: str | None
    """Why it is not run; None where it is."""
    follows: bool
    """Whether nothing stands between it and the block before."""


def fences(text: str) -> Iterator[Fence]:
    """The fenced blocks of a page, in order."""
    lines = text.splitlines()
    previous = ""
    after_fence = False
    at = 0
    while at < len(lines):
        opening = _OPENING.fullmatch(lines[at])
        if opening is None:
            previous = lines[at].strip() or previous
            after_fence = after_fence and not lines[at].strip()
            at += 1
            continue
        marks = opening["marks"]
        closing = re.compile(rf"\s*{re.escape(marks[0])}{{{len(marks)},}}\s*")
        end = next((i for i in range(at + 1, len(lines)) if closing.fullmatch(lines[i])), None)
        assert end is not None, f"the fence at line {at + 1} is not closed"
        language, *options = opening["info"].split() or [""]
        assert not options, (
            f"line {at + 1}: mkdocs shows a fence with options as text; use <!-- no-run: reason --> before it"
        )
        marked = _NO_RUN.fullmatch(previous)
        reason = marked[1] if marked else None
        assert not previous.startswith("<!-- no-run") or reason in REASONS, (
            f"line {at + 1}: no reason of {sorted(REASONS)}"
        )
        assert language in _LANGUAGES, f"line {at + 1}: a block of {language or 'no language'} is not checked"
        code = textwrap.dedent("\n".join(lines[at + 1 : end]))
        yield Fence(language, code, at + 2, reason, after_fence)
        previous = ""
        after_fence = True
        at = end + 1


def commands(code: str) -> Iterator[tuple[str, str]]:
    """The commands of a console block, each with the output that is shown after it."""
    command, shown = "", list[str]()
    for line in code.splitlines():
        if line.startswith("$ "):
            if command:
                yield command, "\n".join(shown)
            command, shown = line[2:], []
        elif command.endswith("\\"):
            command = f"{command[:-1]}{line}"
        else:
            assert command, f"{line!r} comes before the first command"
            shown.append(line)
    assert command, "a console block without a command"
    yield command, "\n".join(shown)


def assert_shown(shown: str, printed: str, where: str) -> None:
    """That what a page shows is what was printed."""
    pattern = "\n".join(
        "(?s:.*)" if line.strip() == "…" else ".*".join(map(re.escape, line.rstrip().split("…")))
        for line in shown.splitlines()
    )
    lines = "\n".join(line.rstrip() for line in printed.splitlines())
    assert re.fullmatch(pattern, lines), f"{where}: the page shows\n{shown}\n\nbut it printed\n{printed}"


def run_console(fence: Fence, where: str) -> None:
    """Run the commands of a block in a shell, and compare what they print."""
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "NO_COLOR": "1",
    }
    for command, shown in commands(fence.code):
        done = subprocess.run(
            ["bash", "-c", command],
            capture_output=True,
            text=True,
            encoding="utf-8",
            env=environment,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0 or (shown and done.returncode == 1), (
            f"{where}: {command}\n{done.stdout}{done.stderr}"
        )
        if shown:
            assert_shown(shown, done.stdout + done.stderr, f"{where}: {command}")


def check_synopsis(fence: Fence) -> None:
    """That the commands which a synopsis names exist, and take the options named."""
    for command, _ in commands(fence.code):
        program, *words = command.partition("#")[0].split()
        assert program == "sessionrecord", command
        names = [w for w in words if re.fullmatch(r"[a-z|-]*[a-z]", w) and not w.startswith("-")]
        for last in names[-1].split("|"):
            done = CliRunner().invoke(app, [*names[:-1], last, "--help"], env={"COLUMNS": "200"})
            assert done.exit_code == 0, f"{command}: {done.output}"
            for option in re.findall(r"--[a-z-]+", command):
                assert option in done.stdout, f"{command}: no {option}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_blocks_of_a_page_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if (ROOT / "examples" / "data").is_dir():
        shutil.copytree(ROOT / "examples" / "data", tmp_path / "examples" / "data")
    monkeypatch.chdir(tmp_path)
    module = ModuleType("docs_page")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    printed = ""
    for fence in fences(page.read_text(encoding="utf-8")):
        where = f"{page.name}:{fence.line}"
        if fence.language == "python":
            # empty lines before the code make a traceback name the line of the page
            code = compile("\n" * (fence.line - 1) + fence.code, str(page), "exec", dont_inherit=True)
            if fence.reason is None:
                with contextlib.redirect_stdout(io.StringIO()) as out:
                    exec(code, module.__dict__)
                printed = out.getvalue()
        elif fence.reason == "synopsis":
            check_synopsis(fence)
        elif fence.reason is not None:
            continue
        elif fence.language == "console":
            run_console(fence, where)
        elif fence.language == "text":
            assert fence.follows, f"{where}: text is what the Python before it prints"
            assert_shown(fence.code, printed, where)
        elif fence.language == "json":
            json.loads(fence.code)
        else:
            for line in fence.code.splitlines():
                assert not isinstance(read_record(line.encode())[0], InvalidRecord), f"{where}: {line}"


def test_fences_are_found_with_their_lines_and_marks() -> None:
    page = textwrap.dedent(
        """\
        Text
        ```python
        a = 1
        ```

        ```text
        ```
        between
        ```console
        $ python
        ```

        <!-- no-run: sketch -->

        ```python
        b = 2
        ```
        ~~~~json
        ```
        {}
        ~~~~
          ```jsonl
          4
          ```
        """
    )
    assert [(f.language, f.code, f.line, f.reason, f.follows) for f in fences(page)] == [
        ("python", "a = 1", 3, None, False),
        ("text", "", 7, None, True),
        ("console", "$ python", 10, None, False),
        ("python", "b = 2", 16, "sketch", False),
        ("json", "```\n{}", 19, None, True),
        ("jsonl", "4", 23, None, True),
    ]


@pytest.mark.parametrize(
    ("page", "reason"),
    [
        ("```python\na = 1\n", "line 1 is not closed"),
        ("```python no-run\na = 1\n```\n", "line 1: mkdocs shows"),
        ("<!-- no-run -->\n```python\na\n```\n", "line 2: no reason of"),
        ("<!-- no-run: because -->\n```python\na\n```\n", "line 2: no reason of"),
        ("```\na\n```\n", "line 1: a block of no language is not checked"),
        ("```bash\na\n```\n", "line 1: a block of bash is not checked"),
    ],
)
def test_a_block_that_nobody_would_check_is_an_error(page: str, reason: str) -> None:
    with pytest.raises(AssertionError, match=reason):
        list(fences(page))


def test_commands_are_found_with_what_is_shown_after_them() -> None:
    assert list(commands("$ a \\\n  b\nout\n\nmore\n$ c")) == [("a   b", "out\n\nmore"), ("c", "")]
    for block in ("out\n$ a", ""):
        with pytest.raises(AssertionError):
            list(commands(block))


def test_what_is_shown_must_be_what_is_printed() -> None:
    assert_shown("a\n…\nz… 1", "a \nb\nc\nzzz 1\n", "here")
    for shown in ("a", "a\nb", "a.c\n…"):
        with pytest.raises(AssertionError, match="here: the page shows"):
            assert_shown(shown, "abc\nb\n", "here")


def test_a_command_that_fails_or_prints_something_else_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run_console(Fence("console", "$ sessionrecord schema record > x.json\n$ ls\nx.json", 1, None, False), "here")
    for code in ("$ sessionrecord validate nothing.jsonl", "$ echo a\nb"):
        with pytest.raises(AssertionError, match="here"):
            run_console(Fence("console", code, 1, None, False), "here")


def test_a_synopsis_names_commands_and_options_that_exist() -> None:
    check_synopsis(
        Fence(
            "console",
            "$ sessionrecord bundle create|verify  # all\n$ sessionrecord validate STREAM [--json|--sarif]",
            1,
            None,
            False,
        )
    )
    for code in ("$ sessionrecord nothing STREAM", "$ sessionrecord validate STREAM --nothing"):
        with pytest.raises(AssertionError):
            check_synopsis(Fence("console", code, 1, None, False))


def test_every_task_of_the_cookbook_is_a_question_that_something_run_answers() -> None:
    page = (ROOT / "docs" / "cookbook.md").read_text(encoding="utf-8")
    tasks = re.split(r"^### ", page, flags=re.MULTILINE)[1:]
    assert len(tasks) >= 15
    for task in tasks:
        question, _, answer = task.partition("\n")
        assert question.endswith("?")
        assert any(f.reason is None and f.language in ("python", "console") for f in fences(answer)), question
