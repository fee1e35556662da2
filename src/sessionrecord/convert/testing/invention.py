"""Each value of a record is on its lines of the log, or the converter says where it has it from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Set
from decimal import Decimal
from typing import Any, Final, Literal, get_args, get_origin

from sessionrecord.convert.report import ConversionReport
from sessionrecord.convert.testing.homes import Homes
from sessionrecord.convert.testing.native import Log, Native
from sessionrecord.convert.testing.sample import Sample, fail, named, streams
from sessionrecord.errors import RefError
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


def check_no_invented_values(sample: Sample) -> None:
    """Every text and number of a record is on a line that it is made from, or declared.

    These are the line that its `source` names, those that the report merges into it, and those of the other records of its
    entity; for a header, and for a record that names no line, it is the whole log. A text is there as it stands, as a piece of
    one, or joined in order from texts that members of one name have; JSON in a string and base64 are looked into. Declared is
    what the format's enums define, what the report calls made up, and the sample's `computed`, `constants` and `inherited`.
    """
    conversion = sample.run()
    log, homes = Log(sample.data()), Homes(conversion)
    declared = sample.constants | {m.value for part in _reports(conversion.report) for m in part.made_up}
    for name, records in streams(conversion):
        for record in records:
            own = log.of(homes.lines(name, record))
            for place, member, value in _values(record):
                if (
                    member in sample.computed
                    or _is_enum(record, place, member, value)
                    or (isinstance(value, str) and value in declared)
                    or _is_known(value, member, own, declared)
                ):
                    continue
                anywhere = _is_known(value, member, log.of(None), declared)
                if member in sample.inherited and anywhere:
                    continue
                where = f"{name}, {named(record)}: {place} is {value!r:.80}"
                if anywhere:
                    fail(f"{where}, which is on other lines of the log and on none that the record is made from")
                fail(f"{where}, which is not in the log and not declared")


def check_times(sample: Sample) -> None:
    """Every timestamp of a record is one of its lines, to the digit or as the same moment written otherwise."""
    conversion = sample.run()
    log, homes = Log(sample.data()), Homes(conversion)
    for name, records in streams(conversion):
        for record in records:
            told = record.timestamp
            if told is None or log.of(homes.lines(name, record)).has_time(told):
                continue
            if not log.of(None).has_time(told):
                fail(f"{name}, {named(record)}: the log has no time {told}")
            if "timestamp" not in sample.inherited:
                fail(f"{name}, {named(record)}: the time {told} is that of other lines of the log")


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


def _is_known(value: Any, member: str, native: Native, declared: Set[str]) -> bool:
    if not isinstance(value, str):
        return native.has_number(value)
    if native.has_text(value):
        return True
    if member in _SESSIONS:
        try:
            key = SessionReference.parse(value).key
        except RefError:
            return False
        return native.has_text(key.session_id) or key.session_id in declared
    return False
