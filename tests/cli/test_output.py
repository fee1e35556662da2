"""What is printed cannot steer a terminal, and is whole in a pipe. Our rule: stream text is never terminal codes or markup."""

from __future__ import annotations

import io
import json
import unicodedata
from typing import TextIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessionrecord.cli import output
from sessionrecord.cli.output import Cell, Out, escape


class Terminal(io.TextIOWrapper):
    """A text stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def printed(file: TextIO) -> str:
    file.flush()
    data: bytes = file.buffer.getvalue()  # type: ignore[attr-defined]
    return data.decode()


def pipe() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="")


def terminal(monkeypatch: pytest.MonkeyPatch, columns: int = 40, **environment: str) -> Terminal:
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM", "COLORTERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"COLUMNS": str(columns), "LINES": "25", "TERM": "xterm-256color", **environment}.items():
        monkeypatch.setenv(name, value)
    return Terminal(io.BytesIO(), encoding="utf-8", newline="")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred", "\\x1b[31mred"),
        ("a\x9b2Jb", "a\\x9b2Jb"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("two\nlines\r", "two\\nlines\\r"),
        ("\ud800", "\\ud800"),
        ("\u2028", "\\u2028"),
        ("\U000e0041", "\\U000e0041"),
        ("[red]bold[/red]", "[red]bold[/red]"),
        ("日本語 caf\u00e9\u00a0👩\u200d💻", "日本語 caf\u00e9\u00a0👩\u200d💻"),
    ],
)
def test_what_could_steer_a_terminal_is_written_as_an_escape(text: str, shown: str) -> None:
    assert escape(text) == shown


@given(st.text(st.characters()))
def test_nothing_escaped_has_a_control_or_a_line_end_left(text: str) -> None:
    shown = escape(text)
    assert not any(unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") for c in shown)
    shown.encode()


@given(
    st.recursive(
        st.text(st.characters()), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=5
    )
)
def test_json_for_a_terminal_is_the_same_json_but_for_surrogates(value: object) -> None:
    file = pipe()
    Out(file).json({"value": value})
    text = printed(file)
    assert not any(unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") for c in text.replace("\n", ""))
    assert json.loads(text) == {"value": output._without_surrogates(value)}


def test_a_pipe_gets_whole_lines_without_colours() -> None:
    file = pipe()
    out = Out(file)
    out.table(("ref", "text"), [("r1", Cell("x" * 500, "red")), ("r1234", "[red]y[/red]")])
    assert printed(file) == f"  ref    text\n  r1     {'x' * 500}\n  r1234  [red]y[/red]\n"


def test_a_terminal_gets_the_last_column_cut_to_its_width(monkeypatch: pytest.MonkeyPatch) -> None:
    file = terminal(monkeypatch, NO_COLOR="1")
    Out(file).table(("ref", "text"), [("r1", "x" * 500)])
    assert [line.rstrip() for line in printed(file).splitlines() if "x" in line.replace("text", "")] == [
        f"  r1   {'x' * 32}…"
    ]


def test_colours_are_for_terminals_and_not_with_no_color(monkeypatch: pytest.MonkeyPatch) -> None:
    file = terminal(monkeypatch)
    Out(file).line(Cell("\x1b[5mhot[/red]", "red"))
    assert printed(file) == "\x1b[31m\\x1b[5mhot[/red]\x1b[0m\n"
    file = terminal(monkeypatch, NO_COLOR="1")
    Out(file).line(Cell("hot", "red"))
    assert printed(file) == "hot\n"


def test_wide_characters_are_aligned_by_the_cells_they_take() -> None:
    file = pipe()
    Out(file).table(("", ""), [("日本", "a"), ("ab", "b")])
    assert printed(file) == "  日本  a\n  ab    b\n"


def test_a_character_that_the_encoding_lacks_does_not_end_the_output() -> None:
    file = io.TextIOWrapper(io.BytesIO(), encoding="ascii", newline="")
    Out(file).line("caf\u00e9")
    assert printed(file) == "caf\\xe9\n"


def test_the_line_of_a_record_is_exact_in_a_pipe_and_safe_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    line = '{"text":"\u202e \x9b"}'.encode()
    file = pipe()
    Out(file).json_line(line)
    assert printed(file).encode() == line + b"\n"
    screen = terminal(monkeypatch)
    Out(screen).json_line(line)
    assert printed(screen) == '{"text":"\\u202e \\u009b"}\n'


def test_a_bar_is_shown_for_large_files_on_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = terminal(monkeypatch)
    monkeypatch.setattr("sys.stderr", screen)
    with output.working("opening [red]x\x1b", 1000):
        pass
    assert not printed(screen)
    with output.working("opening [red]x\x1b", 60_000_000):
        pass
    assert "opening [red]x\\x1b, 60 MB" in printed(screen)
    file = pipe()
    monkeypatch.setattr("sys.stderr", file)
    with output.working("opening", 60_000_000):
        pass
    assert not printed(file)
