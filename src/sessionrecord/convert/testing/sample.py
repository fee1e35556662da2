"""What is checked: a converter, and a log that it converts."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NoReturn, TypeAlias

from sessionrecord.convert.files import read_source
from sessionrecord.convert.report import Conversion, ConversionReport
from sessionrecord.diagnostics import excerpt
from sessionrecord.errors import ConversionError
from sessionrecord.records import Record
from sessionrecord.records.envelope import EnvelopeModel

__all__ = ["MARKER", "Convert", "Sample", "fail", "named", "streams"]

Convert: TypeAlias = Callable[[Path], Conversion]
"""A converter: from the path of a log to its conversion."""

MARKER: Final = "kit-marker-7f3a"
"""A text that no log has: where it goes in, it is looked for in the output."""

_NAMES: Final = ("computed", "constants", "allowed", "inherited")


@dataclass(frozen=True, slots=True)
class Sample:
    """A converter with a log, and what it states about its output.

    Each statement lets something pass that a check would find, so state what is true of every log, and say why beside it:

    - `computed`: members of records whose values are computed, such as `durationMs`
    - `constants`: texts that the converter writes of itself
    - `allowed`: codes of warnings that the sample gives rise to
    - `inherited`: members of records whose values may stand on another line than the record's, such as `turnId`
    - `excused`: native members that the records of their line need not have, each with the reason
    - `unknown`: a line of a type that the converter does not know, in bytes, with `MARKER` in it

    Raises `TypeError` or `ValueError` where one is not of its form.
    """

    convert: Convert
    """The converter."""
    path: str | os.PathLike[str]
    """The log, of one object or entry a line."""
    computed: Set[str] = frozenset()
    """Members of records whose values it computes, by their names on the wire, such as `durationMs` where the log has seconds."""
    constants: Set[str] = frozenset()
    """Texts that it writes of itself, such as the currency of costs that the log gives without one."""
    allowed: Set[str] = frozenset()
    """Codes of warnings that the sample gives rise to, such as `predecessor-missing` where the log lacks a line; and
    `outcome-unlike-exit-code`, where the log itself calls a command failed that ended with 0, or the other way round."""
    inherited: Set[str] = frozenset()
    """Members of records whose values may stand on another line than the record's, by their names on the wire, such as `turnId`
    where one line begins a turn and those after it do not name it. They have to stand in the log all the same."""
    excused: Mapping[str, str] = field(default_factory=dict)
    """Native members that the records of their line need not have, each with the reason: `{"who": "a role, in the words of the
    format"}`. A name is that of the member or the end of its path (`message.usage`), and stands for all that is inside it;
    `(line)` is a line that is no object."""
    unknown: bytes | None = None
    """A line of a type that it does not know, with `MARKER` in it. Without it one is made from the first JSON object that has a
    `type`."""

    def __post_init__(self) -> None:
        for name in _NAMES:
            object.__setattr__(self, name, _texts(name, getattr(self, name)))
        _check_excused(self.excused)
        if self.unknown is not None:
            _check_unknown(self.unknown)

    @property
    def file(self) -> Path:
        """The path of the log."""
        return Path(self.path)

    def run(self, path: str | os.PathLike[str] | None = None, what: str = "the log") -> Conversion:
        """Convert the log, or another. Raises `AssertionError` where the converter raises or gives something else."""
        try:
            return self.attempt(path, what)
        except ConversionError as e:
            fail(f"{what} is refused as a whole: {e}", e)

    def attempt(self, path: str | os.PathLike[str] | None = None, what: str = "the log") -> Conversion:
        """The same, but `ConversionError` is let through."""
        try:
            given: Any = self.convert(Path(self.path if path is None else path))
        except ConversionError:
            raise
        except (Exception, SystemExit) as e:  # whatever a converter raises is what is to be found
            where = traceback.extract_tb(e.__traceback__)[-1]
            said = str(e).splitlines()[0] if str(e) else ""
            fail(f"{what}: {type(e).__name__} is raised: {said} ({Path(where.filename).name}, line {where.lineno})", e)
        wrong = _wrong(given)
        if wrong is not None:
            fail(f"{what}: {wrong}")
        converted: Conversion = given
        return converted

    def data(self) -> bytes:
        """The bytes of the log, unpacked."""
        return read_source(self.path).data


def _check_excused(given: Any) -> None:
    if not isinstance(given, Mapping) or not all(isinstance(why, str) and why.strip() for why in given.values()):
        raise TypeError(
            "excused gives each native member a reason, as in {'who': 'a role, in the words of the format'}"
        )


def _check_unknown(given: Any) -> None:
    if not isinstance(given, bytes):
        raise TypeError(f"unknown is a line as bytes, not a {type(given).__name__}")
    if MARKER.encode() not in given or b"\n" in given:
        raise ValueError(f"unknown is one line with testing.MARKER, {MARKER}, in it: it is looked for in the output")


def _texts(name: str, given: Any) -> frozenset[str]:
    if isinstance(given, str | bytes):
        raise TypeError(f"{name} is a set of texts: {{{given!r}}}, not {given!r}")
    texts = frozenset(given)
    if not all(isinstance(text, str) for text in texts):
        raise TypeError(f"{name} is a set of texts")
    return texts


def _wrong(given: Any) -> str | None:
    """What a converter gave that is no conversion."""
    if not isinstance(given, Conversion):
        return f"the converter gives a {type(given).__name__}, not a Conversion"
    parts: tuple[tuple[str, Any, type], ...] = (
        ("main", given.main, list),
        ("children", given.children, dict),
        ("report", given.report, ConversionReport),
    )
    for name, part, kind in parts:
        if not isinstance(part, kind):
            return f"the conversion's {name} is a {type(part).__name__}, not a {kind.__name__}"
    sessions: list[tuple[str, Any]] = list(streams(given))
    for name, records in sessions:
        if not isinstance(records, list) or not records:
            return f"{name} is no list of records: {excerpt(repr(records))}"
        for at, record in enumerate(records):
            if not isinstance(record, EnvelopeModel):
                return f"{name}[{at}] is a {type(record).__name__}, not a record: {excerpt(repr(record))}"
    return None


def streams(conversion: Conversion) -> Iterator[tuple[str, list[Record]]]:
    """The sessions of a conversion, each with a name for messages."""
    yield "main", conversion.main
    for name, records in conversion.children.items():
        yield f"child {name!r}", records


def named(record: Record) -> str:
    """A record, for messages."""
    line = "" if record.source is None or record.source.line is None else f" of line {record.source.line}"
    return f"{record.type} {record.id}{line}"


def fail(message: str, cause: BaseException | None = None) -> NoReturn:
    """Raise what a check raises."""
    raise AssertionError(" ".join(message.splitlines())) from cause
