"""Each value of a line is in its records, or the converter says that it is not."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any, Final, TypeAlias
from urllib.parse import unquote

from sessionrecord.convert.report import ConversionReport
from sessionrecord.convert.testing.homes import Homes
from sessionrecord.convert.testing.native import Log, decimal, inside, leaves, moment, stamps
from sessionrecord.convert.testing.sample import Sample, fail, streams
from sessionrecord.diagnostics import excerpt
from sessionrecord.records import Record

__all__ = ["check_nothing_lost"]

_NO_VALUES: Final = frozenset({"seq", "id"})
_NO_SOURCE: Final = frozenset({"path", "line", "span"})
_SHORT: Final = 8
_WORD: Final = re.compile(r"\w")

Path: TypeAlias = tuple[str, ...]


def check_nothing_lost(sample: Sample) -> None:
    """Every text, number and truth value of a line is in the records of that line, or said to be lost.

    The records of a line are those whose `source` names it, those that the report merges it into, and those of the model calls
    that it is part of. A text is there as it stands, as a line or (from 8 characters) as whole words of a longer one, in pieces,
    unpacked from JSON or base64, or as the same moment; where lines are merged, as any piece, and the times of all but the first
    need not be there. What every line repeats may stand in the header. Lost is what `report.lost` counts, by the path of the member,
    as often as it counts it. Lines of `not_converted` are not looked at, nor what the sample's `excused` names.
    """
    conversion = sample.run()
    log, homes, losses = Log(sample.data()), Homes(conversion), _Losses(conversion.report)
    named = {u.line for u in conversion.report.not_converted}
    header = {value for _, records in streams(conversion) for value in _values_of(records[0]) if isinstance(value, str)}
    known: dict[tuple[int, ...], _Held] = {}  # the many lines of one record need not unfold it each
    for number, units in log.units.items():
        if number in named:
            continue
        records, in_pieces = homes.records(number), homes.has_parts(number)
        key = (in_pieces, *map(id, records))
        held = known.get(key) or known.setdefault(key, _Held(records, in_pieces=in_pieces))
        for unit in units:
            for path, value in leaves(unit.kept):
                if value == "" or _is_excused(path, sample.excused) or value in header or held.has(value):
                    continue
                if homes.is_part(number) and isinstance(value, str) and moment(value) is not None:
                    continue  # a record has one time
                why = losses.charge((number, unit.index), path)
                if why is not None:
                    place = ".".join(path)
                    place = place if place.isprintable() else excerpt(place)
                    fail(f"line {number}: {place} is {excerpt(value)}, which is in no record of the line, and {why}")


def _is_excused(path: Path, excused: Mapping[str, str]) -> bool:
    dotted = f".{'.'.join(path)}."
    return any(f".{name}." in dotted for name in excused)


class _Losses:
    """What the report says was lost, and what was found to be."""

    def __init__(self, report: ConversionReport) -> None:
        self._told = Counter[str]()
        self._found: defaultdict[str, set[tuple[tuple[int, int], Path]]] = defaultdict(set)
        for part in (report, *report.children.values()):
            for loss in part.lost:
                if loss.field is not None:
                    self._told[loss.field] += loss.count

    def charge(self, unit: tuple[int, int], path: Path) -> str | None:
        """Count a value as one of the losses; why it is none, if it is none."""
        why = "report.lost does not count it by name"
        for lost, count in self._told.items():
            found = self._found[lost]
            for end in range(1, len(path) + 1):
                if not _names(lost, path[:end]):
                    continue
                if (unit, path[:end]) in found or len(found) < count:
                    found.add((unit, path[:end]))
                    return None
                why = f"report.lost counts {excerpt(lost)} only {count} times"
        return why


def _names(lost: str, path: Path) -> bool:
    """Whether a loss is that of a member: by its path, with kinds of lines or blocks in it, or by a kind of line and its name."""
    *before, name = path
    if lost == ".".join(path):
        return True
    if not lost.endswith(f".{name}"):
        return False
    told = lost.removesuffix(f".{name}").split(".")
    rest = iter(told)
    return all(name in rest for name in before) or set(told).isdisjoint(before)


class _Held:
    """What records hold."""

    def __init__(self, records: Iterable[Record], *, in_pieces: bool = False) -> None:
        self.texts: set[str] = set()
        """Their texts."""
        self._numbers: set[Decimal | None] = set()
        self._truths: set[bool] = set()
        self._in_pieces = in_pieces
        for value in (value for record in records for value in _values_of(record)):
            if isinstance(value, str):
                self.texts.update(_texts(value))
            elif isinstance(value, bool):
                self._truths.add(value)
            else:
                self._numbers.add(decimal(str(value)))
        self._moments: set[datetime] = {
            at for text in self.texts if len(text) < 40 and (at := moment(text)) is not None
        }
        self._stamps = {stamp for at in self._moments for stamp in stamps(at)}

    def has(self, value: Any) -> bool:
        """Whether a value of the log is there."""
        if isinstance(value, bool):
            return value in self._truths
        if isinstance(value, str):
            return self._has_text(value)
        number = decimal(str(value))
        return number in self._numbers or number in self._stamps or str(value) in self.texts

    def _has_text(self, text: str) -> bool:
        if text in self.texts or self._is_part(text):
            return True
        if len(text) < 40 and (moment(text) in self._moments or decimal(text) in self._numbers - {None}):
            return True
        held = inside(text)
        if isinstance(held, str) and self._has_text(held):
            return True
        if isinstance(held, dict | list) and all(v == "" or self.has(v) for _, v in leaves(held)):
            return True
        return self._is_in_pieces(text)

    def _is_part(self, text: str) -> bool:
        # a short word stands in many a text by chance
        if len(text) < _SHORT and not self._in_pieces:
            return False
        return any(_is_in(text, longer, self._in_pieces) for longer in self.texts)

    def _is_in_pieces(self, text: str) -> bool:
        """Whether no word is left of a text without those that are there."""
        for piece in sorted(self.texts, key=len, reverse=True):
            if piece and _is_in(piece, text, False):
                text = text.replace(piece, "\0")
        return _WORD.search(text) is None


def _is_in(text: str, longer: str, anyhow: bool) -> bool:
    """Whether a text is part of a longer one: whole words of it, or any piece."""
    at = longer.find(text)
    while at >= 0 and not anyhow:
        end = at + len(text)
        cuts = (at > 0 and _cuts(longer, at)) or (end < len(longer) and _cuts(longer, end))
        if not cuts:
            return True
        at = longer.find(text, at + 1)
    return at >= 0


def _cuts(text: str, at: int) -> bool:
    return _WORD.match(text[at - 1]) is not None and _WORD.match(text[at]) is not None


def _values_of(record: Record) -> Iterator[Any]:
    wire = record.to_wire()
    source = wire.pop("source", None)
    yield from (value for _, value in leaves({n: v for n, v in wire.items() if n not in _NO_VALUES}))
    if isinstance(source, dict):
        yield from (value for _, value in leaves({n: v for n, v in source.items() if n not in _NO_SOURCE}))


def _texts(value: str) -> set[str]:
    """A text of a record, its lines, and what it names where it is a ref or a session reference."""
    return {value, *value.splitlines(), value.partition("=")[2], unquote(value).rpartition("/")[2]}
