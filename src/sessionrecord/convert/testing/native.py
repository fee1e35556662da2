"""What the lines of a log hold, as far as values can be looked for in them."""

from __future__ import annotations

import base64
import binascii
import re
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from sessionrecord.convert.native import Unit, units
from sessionrecord.errors import IJsonError
from sessionrecord.ijson import loads

__all__ = ["LINE", "Log", "Native", "decimal", "inside", "leaves", "lines_of", "moment", "stamps"]

LINE: Final = "(line)"
"""The name of what stands on a line that is no object."""
# the digits of a date, a time or a UUID are no numbers that a record might tell
_NO_NUMBERS: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9:.]+)?|[0-9]+:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?"
    r"|[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"
)
_NUMBER: Final = re.compile(r"(?<![A-Za-z0-9_.])-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_JOINERS: Final = ("", "\n", "\n\n")


def lines_of(data: bytes) -> list[bytes]:
    """The lines of a log. Only LF ends one."""
    lines = data.split(b"\n")
    return lines[:-1] if lines[-1] == b"" else lines


class Log:
    """A log by its lines."""

    def __init__(self, data: bytes) -> None:
        self._lines = lines_of(data)
        self._held: dict[frozenset[int] | None, Native] = {}
        self.units: defaultdict[int, list[Unit]] = defaultdict(list)
        """Line to what stands on it."""
        for unit in units(data, Unit, lambda _: ""):
            self.units[unit.number].append(unit)

    def of(self, numbers: frozenset[int] | None) -> Native:
        """What some of its lines hold; all of them where the numbers are None."""
        if numbers not in self._held:
            chosen = range(1, len(self._lines) + 1) if numbers is None else sorted(numbers)
            known = [n for n in chosen if 0 < n <= len(self._lines)]
            kept = [unit.kept for number in known for unit in self.units.get(number, ())]
            self._held[numbers] = Native.of(kept, (self._lines[n - 1] for n in known))
        return self._held[numbers]


@dataclass
class Native:
    """What some lines hold."""

    texts: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """Member name to the texts that members of that name have, in order."""
    numbers: set[Decimal] = field(default_factory=set)
    """Numbers, and those that stand in texts."""
    joined: str = ""
    """All texts, one after the other."""
    whole: set[str] = field(default_factory=set)
    """The lines themselves."""

    @classmethod
    def of(cls, values: Iterable[Any], lines: Iterable[bytes]) -> Native:
        """What values hold that were read from some lines."""
        native = cls()
        for value in values:
            native._add(value)
        for texts in native.texts.values():
            for text in texts:
                found = map(decimal, _NUMBER.findall(_NO_NUMBERS.sub(" ", text)))
                native.numbers.update(number for number in found if number is not None)
        native.joined = "\0".join(text for texts in native.texts.values() for text in texts)
        native.whole = {line.decode("utf-8", "replace").strip() for line in lines}
        return native

    def _add(self, value: Any) -> None:
        pending: deque[tuple[str, Any]] = deque([(LINE, value)])
        while pending:
            place, item = pending.popleft()
            for path, leaf in leaves(item):
                name = place if path == (LINE,) else path[-1]
                if isinstance(leaf, str):
                    self.texts[name].append(leaf)
                    inner = inside(leaf)
                    if inner is not None:
                        pending.append((name, inner))
                elif not isinstance(leaf, bool):
                    number = decimal(str(leaf))
                    if number is not None:
                        self.numbers.add(number)
            self.texts["(names)"].extend(_names(item))

    def has_number(self, value: Any) -> bool:
        """Whether a number is there."""
        return decimal(str(value)) in self.numbers

    def has_text(self, value: str) -> bool:
        """Whether a text is there: as it stands, as a piece of one, joined in order from those of one member, or a line."""
        return (
            value in self.joined
            or (len(value) < 40 and decimal(value) in self.numbers)
            or value.strip() in self.whole
            or any(_is_joined(value, texts, joiner) for joiner in _JOINERS for texts in self.texts.values())
        )

    def has_time(self, value: str) -> bool:
        """Whether a time is there: to the digit, or as the same moment written otherwise."""
        if value in self.joined:
            return True
        at = moment(value)
        if at is None:
            return False
        if not stamps(at).isdisjoint(self.numbers):
            return True
        return any(moment(text) == at for texts in self.texts.values() for text in texts if len(text) < 40)


def leaves(value: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Each text, number and truth value of a JSON value in its order, with the names on the way to it."""
    stack: list[tuple[tuple[str, ...], Any]] = [((), value)]
    while stack:
        path, item = stack.pop()
        if isinstance(item, dict):
            stack.extend(((*path, name), v) for name, v in reversed(item.items()))
        elif isinstance(item, list):
            stack.extend((path, v) for v in reversed(item))
        elif isinstance(item, str | int | float | Decimal):
            yield path or (LINE,), item


def _names(value: Any) -> Iterator[str]:
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            yield from item
            stack.extend(item.values())
        elif isinstance(item, list):
            stack.extend(item)


def inside(text: str) -> Any:
    """What a text holds: an object or list, or the text that is base64 here; None where it is neither."""
    if text[:1] in ("{", "["):
        try:
            return loads(text.encode("utf-8", "surrogatepass"))
        except IJsonError:
            return None
    try:
        return base64.b64decode(text, validate=True).decode() or None
    except (binascii.Error, ValueError):
        return None


def _is_joined(value: str, texts: Iterable[str], joiner: str) -> bool:
    """Whether a text is made of others, in their order."""
    ends = {0}
    for text in texts:
        if text:
            more = {end + len(piece) for end in ends if value.startswith(piece := joiner + text if end else text, end)}
            if len(value) in more:
                return True
            ends |= more
    return False


def decimal(text: str) -> Decimal | None:
    """The number that a text is."""
    try:
        return Decimal(text)
    except InvalidOperation:
        return None


def moment(text: str) -> datetime | None:
    """The moment that a text is; None where it does not say of which zone."""
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return None
    return at if at.tzinfo is not None else None


def stamps(at: datetime) -> set[Decimal]:
    """The numbers that a moment is: seconds, milliseconds and microseconds since 1970."""
    seconds = Decimal(str(at.timestamp()))
    return {seconds, seconds * 1000, seconds * 1_000_000}
