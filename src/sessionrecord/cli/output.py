"""Printing: text from a stream reaches a terminal as text, never as markup or control codes, and nothing is cut in a pipe."""

from __future__ import annotations

import contextlib
import io
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, TextIO, TypeAlias

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from sessionrecord import ijson
from sessionrecord.display.visible import visible, visible_json

__all__ = ["Cell", "Out", "escape", "fail", "note", "working"]

LARGE: Final = 50_000_000
"""Bytes from which on a bar shows that work goes on."""

_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def escape(text: str) -> str:
    """`text` on one line, with whatever could steer a terminal, reorder or hide text written as an escape."""
    return visible(text, keep="")


@dataclass(frozen=True, slots=True)
class Cell:
    """A piece of text with a style."""

    text: str
    style: str = ""


Piece: TypeAlias = str | Cell


def _cell(piece: Piece) -> Cell:
    return piece if isinstance(piece, Cell) else Cell(piece)


class Out:
    """A text stream to print on. On a terminal lines have colours, unless NO_COLOR is set, and the last column of a table is cut to fit."""

    def __init__(self, file: TextIO) -> None:
        if isinstance(file, io.TextIOWrapper):
            file.reconfigure(errors="backslashreplace")
        self._file = file
        self.is_terminal = file.isatty()
        self._console = Console(file=file, highlight=False, markup=False, emoji=False)

    def line(self, *pieces: Piece) -> None:
        """Print a line. Pieces are escaped."""
        cells = [_cell(p) for p in pieces]
        if not self.is_terminal:
            self._file.write("".join(escape(c.text) for c in cells) + "\n")
            return
        text = Text()
        for cell in cells:
            text.append(escape(cell.text), cell.style)
        self._console.print(text, soft_wrap=True)

    def title(self, text: str) -> None:
        """Print the heading of a part, after an empty line."""
        self.line()
        self.line(Cell(text, "bold"))

    def body(self, text: str, indent: str = "  ") -> None:
        """Print text of several lines, indented; its lines stay whole."""
        for line in text.split("\n"):
            self.line(f"{indent}{line.removesuffix(chr(13)).expandtabs(4)}")

    def table(self, head: Sequence[str], rows: Sequence[Sequence[Piece]], right: str = "", indent: str = "  ") -> None:
        """Print aligned columns; those named in `right` (`r` by position, any other character is left) are aligned to the right."""
        cells = [[_cell(p) for p in row] for row in rows]
        lines = [[Cell(h, "dim") for h in head], *cells] if any(head) else cells
        shown = [[Cell(escape(c.text), c.style) for c in line] for line in lines]
        if not shown:
            return
        widths = [max(cell_len(line[i].text) for line in shown) for i in range(len(shown[0]))]
        for line in shown:
            self.line(indent, *self._aligned(line, widths, right, len(indent)))

    def _aligned(self, line: Sequence[Cell], widths: Sequence[int], right: str, used: int) -> Iterator[Cell]:
        last = len(line) - 1
        for i, (cell, width) in enumerate(zip(line, widths, strict=True)):
            space = " " * (width - cell_len(cell.text))
            if right[i : i + 1] == "r":
                yield Cell(space)
                yield cell
            elif i == last:
                yield Cell(self._cut(cell.text, self._console.width - used), cell.style) if self.is_terminal else cell
            else:
                yield cell
                yield Cell(space)
            if i != last:
                yield Cell("  ")
            used += width + 2

    @staticmethod
    def _cut(text: str, width: int) -> str:
        width = max(width, 20)
        return text if cell_len(text) <= width else set_cell_size(text, width - 1).rstrip() + "…"

    def json(self, value: Any) -> None:
        """Print a JSON document in UTF-8, whatever the terminal's encoding is."""
        text = ijson.dumps(_without_surrogates(value), indent=True).decode()
        self._bytes(visible_json(text).encode() + b"\n")

    def json_line(self, line: bytes) -> None:
        """Print the line of a record: as it is in a pipe, and on a terminal with control characters escaped, which is the same JSON."""
        if self.is_terminal:
            line = visible_json(line.decode("utf-8", "backslashreplace")).encode("utf-8", "backslashreplace")
        self._bytes(line + b"\n")

    def lines(self, lines: Iterator[bytes]) -> None:
        """Write lines as they are."""
        self._file.flush()
        self._file.buffer.writelines(line + b"\n" for line in lines)
        self._file.buffer.flush()

    def _bytes(self, data: bytes) -> None:
        self._file.flush()
        self._file.buffer.write(data)
        self._file.buffer.flush()


def _without_surrogates(value: Any) -> Any:
    """A value that JSON can hold: broken records may have unpaired surrogates in it."""
    if isinstance(value, str):
        return value if value.isascii() else _SURROGATE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_without_surrogates(k): _without_surrogates(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_without_surrogates(v) for v in value]
    return value


def fail(message: str) -> None:
    """Print an error's one line on stderr."""
    with contextlib.suppress(OSError):
        Out(sys.stderr).line(Cell("error: ", "bold red"), message)


def note(message: str) -> None:
    """Print a line on stderr that someone should read beside the result."""
    with contextlib.suppress(OSError):
        Out(sys.stderr).line(Cell("note: ", "bold yellow"), message)


@contextlib.contextmanager
def working(what: str, size: int) -> Iterator[None]:
    """Show on stderr that work goes on, where that is a terminal and there is much to do. `size` is in bytes."""
    if size < LARGE or not sys.stderr.isatty():
        yield
        return
    columns = TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        progress.add_task(f"{escape(what)}, {size / 1e6:,.0f} MB", total=None)
        yield
