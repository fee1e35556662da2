"""What is checked: a converter, and a log that it converts."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from sessionrecord.convert.files import read_source
from sessionrecord.convert.report import Conversion
from sessionrecord.records import Record

__all__ = ["Convert", "Sample", "fail", "streams"]

Convert: TypeAlias = Callable[[Path], Conversion]
"""A converter: from the path of a log to its conversion."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A converter with a log, and what it states about its output."""

    convert: Convert
    """The converter."""
    path: Path
    """The log, of one object or entry a line."""
    computed: frozenset[str] = frozenset()
    """Members whose values it computes, by their names on the wire, such as `durationMs` where the log has seconds."""
    constants: frozenset[str] = frozenset()
    """Texts that it writes of itself, such as the currency of costs that the log gives without one."""
    allowed: frozenset[str] = frozenset()
    """Codes of warnings that the sample gives rise to, such as `predecessor-missing` where the log lacks a line."""
    unknown: bytes | None = None
    """A line of a type that it does not know, with `MARKER` in it. Without it one is made from the first JSON object that has a
    `type`."""

    def run(self, path: str | os.PathLike[str] | None = None) -> Conversion:
        """Convert the log, or another."""
        return self.convert(Path(self.path if path is None else path))

    def data(self) -> bytes:
        """The bytes of the log, unpacked."""
        return read_source(self.path).data


def streams(conversion: Conversion) -> Iterator[tuple[str, list[Record]]]:
    """The sessions of a conversion, each with a name for messages."""
    yield "main", conversion.main
    for name, records in conversion.children.items():
        yield f"child {name!r}", records


def fail(message: str) -> None:
    """Raise what a check raises."""
    raise AssertionError(message)
