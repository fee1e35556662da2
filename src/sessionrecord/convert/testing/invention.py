"""Each value of the output is in the log, or the converter says where it has it from."""

from __future__ import annotations

import base64
import binascii
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Any, Final, Literal, get_args, get_origin

from sessionrecord.convert.native import Unit, units
from sessionrecord.convert.report import ConversionReport
from sessionrecord.convert.testing.sample import Sample, fail, streams
from sessionrecord.errors import IJsonError, RefError
from sessionrecord.ijson import loads
from sessionrecord.records import RECORD_TYPES, Record
from sessionrecord.records.content import KNOWN_BLOCK_TYPES
from sessionrecord.refs import SessionReference

__all__ = ["check_no_invented_values", "check_times"]

_ENVELOPE: Final = frozenset({"type", "seq", "id", "predecessor", "capture", "source", "timestamp"})
_OWN: Final = frozenset(
    "agent namespace producer formatVersion losses callIdSource harness nativeType keptFrom to of".split()
)
"""Members by which the converter speaks of itself or of its own records; that refs name something, validation checks."""
_SESSIONS: Final = frozenset({"parent", "childSession", "session"})
_NUMBER: Final = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_JOINERS: Final = ("", "\n", "\n\n")


def check_no_invented_values(sample: Sample) -> None:
    """Every text and number of the records is in the log, or declared.

    A text is in the log as it stands, as a piece of one there, or joined in order from texts that members of one name have
    there; JSON in a string and base64 are looked into. Declared is what the format's enums define, what the report calls made
    up, and the sample's `computed` and `constants`.
    """
    conversion = sample.run()
    native = _Native.of(sample.data())
    declared = sample.constants | {m.value for part in _reports(conversion.report) for m in part.made_up}
    for name, records in streams(conversion):
        for record in records:
            for place, member, value in _values(record):
                if member in sample.computed or _is_enum(record, place, member, value):
                    continue
                if isinstance(value, str) and (value in declared or _is_known(value, member, native, declared)):
                    continue
                if not isinstance(value, str) and native.has_number(value):
                    continue
                fail(f"{name}, {_named(record)}: {place} is {value!r:.80}, which is not in the log and not declared")


def check_times(sample: Sample) -> None:
    """Every timestamp of a record is one of the log, to the digit or as the same moment written otherwise."""
    native = _Native.of(sample.data())
    for name, records in streams(sample.run()):
        for record in records:
            if record.timestamp is not None and not native.has_time(record.timestamp):
                fail(f"{name}, {_named(record)}: the log has no time {record.timestamp}")


def _named(record: Record) -> str:
    line = "" if record.source is None or record.source.line is None else f" of line {record.source.line}"
    return f"{record.type} {record.id}{line}"


def _reports(report: ConversionReport) -> Iterable[ConversionReport]:
    return [report, *report.children.values()]


def _values(record: Record) -> Iterator[tuple[str, str, Any]]:
    """Place, member and value of each text and number that comes from the log."""
    wire = record.to_wire()
    skipped = _ENVELOPE | _OWN if record.type in RECORD_TYPES else _ENVELOPE | {"harness", "nativeType"}
    stack = [(f"/{name}", name, value) for name, value in wire.items() if name not in skipped]
    while stack:
        place, member, value = stack.pop()
        if isinstance(value, dict):
            stack.extend(
                (f"{place}/{name}", name, v)
                for name, v in value.items()
                if not (value.get("type") == "native_block" and name in ("type", "harness"))
            )
        elif isinstance(value, list):
            stack.extend((f"{place}/{i}", member, v) for i, v in enumerate(value))
        elif isinstance(value, str) or (isinstance(value, int | float | Decimal) and not isinstance(value, bool)):
            yield place, member, value


def _is_enum(record: Record, place: str, member: str, value: Any) -> bool:
    if member == "type" and value in KNOWN_BLOCK_TYPES:
        return True
    return value in _ENUMS.get(member, ()) and record.type in RECORD_TYPES


def _enums() -> dict[str, frozenset[str]]:
    """Member to the values that the format defines for it, in any record."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    seen: set[Any] = set()
    stack: list[tuple[str, Any]] = [("", model) for model in RECORD_TYPES.values()]
    while stack:
        name, kind = stack.pop()
        if get_origin(kind) is Literal:
            found[name] |= {v for v in get_args(kind) if isinstance(v, str)}
        elif get_args(kind):
            stack.extend((name, arm) for arm in get_args(kind))
        elif kind not in seen and hasattr(kind, "model_fields"):
            seen.add(kind)
            stack.extend((f.alias or n, f.annotation) for n, f in kind.model_fields.items() if n != "type")
    return {name: frozenset(values) for name, values in found.items()}


_ENUMS: Final = _enums()


def _is_known(value: str, member: str, native: _Native, declared: frozenset[str]) -> bool:
    if native.has_text(value):
        return True
    if member in _SESSIONS:
        try:
            key = SessionReference.parse(value).key
        except RefError:
            return False
        return native.has_text(key.session_id) or key.session_id in declared
    return False


@dataclass
class _Native:
    """What a log holds."""

    texts: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """Member name to the texts that members of that name have, in order."""
    numbers: set[Decimal] = field(default_factory=set)
    joined: str = ""
    """All texts, one after the other."""

    @classmethod
    def of(cls, data: bytes) -> _Native:
        native = cls()
        for unit in units(data, Unit, lambda _: ""):
            native._add(unit.kept)
        native.texts[""].append(data.decode("utf-8", "replace"))
        for texts in native.texts.values():
            for text in texts:
                native.numbers.update(filter(None, map(_decimal, _NUMBER.findall(text))))
        native.joined = "\0".join(text for texts in native.texts.values() for text in texts)
        return native

    def _add(self, value: Any) -> None:
        # in the order of the log, for texts that come in pieces
        stack: list[tuple[str, Any]] = [("", value)]
        while stack:
            name, item = stack.pop()
            if isinstance(item, dict):
                self.texts["(names)"].extend(item)
                stack.extend((n, v) for n, v in reversed(item.items()))
            elif isinstance(item, list):
                stack.extend((name, v) for v in reversed(item))
            elif isinstance(item, str):
                self.texts[name].append(item)
                inner = _inside(item)
                if inner is not None:
                    stack.append((name, inner))
            elif isinstance(item, int | float | Decimal) and not isinstance(item, bool):
                number = _decimal(str(item))
                if number is not None:
                    self.numbers.add(number)

    def has_number(self, value: Any) -> bool:
        return _decimal(str(value)) in self.numbers

    def has_text(self, value: str) -> bool:
        return value in self.joined or any(
            _is_joined(value, texts, joiner) for joiner in _JOINERS for texts in self.texts.values()
        )

    def has_time(self, value: str) -> bool:
        if value in self.joined:
            return True
        moment = _moment(value)
        if moment is None:
            return False
        seconds = Decimal(str(moment.timestamp()))
        if not self.numbers.isdisjoint((seconds, seconds * 1000, seconds * 1_000_000)):
            return True
        return any(_moment(text) == moment for texts in self.texts.values() for text in texts if len(text) < 40)


def _inside(text: str) -> Any:
    """What a text holds: JSON, or base64 of text; None where it is neither."""
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


def _decimal(text: str) -> Decimal | None:
    try:
        return Decimal(text)
    except InvalidOperation:
        return None


def _moment(text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo is not None else None
