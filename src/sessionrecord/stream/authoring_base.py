"""What every author shares: the order of a stream, and the one way by which a record gets into it."""

from __future__ import annotations

import enum
import threading
from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, Final, TypeAlias, TypedDict, TypeVar, cast

import orjson

from sessionrecord import ijson
from sessionrecord.diagnostics import Diagnostic, excerpt
from sessionrecord.errors import IJsonError, InvalidRecordError, WriterError
from sessionrecord.records import (
    RECORD_TYPES,
    CaptureState,
    Compaction,
    InvalidRecord,
    Message,
    Record,
    Source,
    ToolCall,
    ToolResult,
    UnknownRecord,
    WireModel,
)
from sessionrecord.records.envelope import EnvelopeModel
from sessionrecord.records.parse import examine_line, validate_plain
from sessionrecord.refs import ENTITY_KEY_OF_TYPE, Ref, is_ambiguous_id

__all__ = [
    "FORMAT_VERSION",
    "UNSET",
    "AuthorBase",
    "EnvelopeMembers",
    "ParticipatingMembers",
    "ParticipatingRecord",
    "RefLike",
    "StreamOrder",
    "Unset",
    "as_record",
    "ref_of",
]

FORMAT_VERSION: Final = "0-sessionrecord.1"
"""The `formatVersion` of headers written here: the public specification has no number yet."""


class Unset(enum.Enum):
    """The type of `UNSET`."""

    UNSET = "UNSET"

    def __repr__(self) -> str:
        return self.name


UNSET: Final = Unset.UNSET
"""Leaves out a member for which None would be a null with a meaning. [S] ASR-043."""

ParticipatingRecord: TypeAlias = Message | ToolCall | ToolResult | Compaction
"""A record that forms the conversation structure. [S] "Context-participating record"."""
RefLike: TypeAlias = str | Ref | ParticipatingRecord
"""Names something earlier: a ref's string, a `Ref`, or the record itself."""

R = TypeVar("R", bound=EnvelopeModel)


class EnvelopeMembers(TypedDict, total=False):
    """What every authoring method takes beside its own members. None means absent. Spec section 2."""

    turn_id: str | None
    """The turn it belongs to."""
    timestamp: str | datetime | None
    """When it happened: RFC 3339, UTC, with `Z`; a `datetime` with a time zone is written so."""
    participant: str | None
    """ID of the declared participant who caused it."""
    conversation: str | None
    """ID of a declared conversation."""
    capture: Mapping[str, CaptureState] | None
    """Member name to its capture state."""
    source: Source | None
    """Where a converter read it."""
    extra: Mapping[str, Any] | None
    """Members that the format does not define, by their names on the wire. Here None is a null."""


class ParticipatingMembers(EnvelopeMembers, total=False):
    """The same for context-participating records."""

    predecessor: RefLike | None
    """The entity it follows; absent means the head."""


def ref_of(record: EnvelopeModel) -> str:
    """The ref that names a record's entity; a tool result, which shares the key of its call, by its record ID."""
    key = ENTITY_KEY_OF_TYPE.get(record.type)
    if key is None or isinstance(record, ToolResult | UnknownRecord):
        return str(Ref.record(record.id))
    return str(Ref.entity(key, record.to_wire()[key]))


class StreamOrder:
    """What makes records a stream: the header first and only there, rising `seq`, unique IDs."""

    def __init__(self) -> None:
        self.last_seq = 0
        """The highest `seq` so far; 0 before the first record of an author."""
        self._ids: set[str] = set()

    def next(self) -> tuple[int, str]:
        """The `seq` and `id` of the next record that gets them from here."""
        seq = self.last_seq + 1
        while f"r{seq}" in self._ids:
            seq += 1
        if seq > ijson.MAX_SAFE_INTEGER:
            raise WriterError(f"the stream is full: seq cannot go above {ijson.MAX_SAFE_INTEGER}")
        return seq, f"r{seq}"

    def check_type(self, record_type: str) -> None:
        """Raises `WriterError` where a record of this type cannot stand here."""
        if record_type == "session" and self._ids:
            raise WriterError("the stream has its session header already")
        if record_type != "session" and not self._ids:
            raise WriterError(
                f"the first record is the session header, not {excerpt(record_type)}: call session(...) first"
            )

    def check_links(self, data: Mapping[str, Any]) -> None:
        """Raises `WriterError` where a link of an authored record, given as on the wire, cannot be right. Here each is taken as it is."""

    def check(self, record: EnvelopeModel) -> None:
        """Raises `WriterError` where this record cannot come next."""
        self.check_type(record.type)
        if self._ids and record.seq <= self.last_seq:
            raise WriterError(
                f"seq {record.seq} of record {excerpt(record.id)} is not above {self.last_seq}, the last one written"
            )
        if is_ambiguous_id(record.id):
            raise WriterError(f"the record ID {excerpt(record.id)} reads as an entity ref; choose another")
        if record.id in self._ids:
            raise WriterError(f"the record ID {excerpt(record.id)} is used already")

    def accept(self, record: EnvelopeModel) -> None:
        """Counts a record that is now part of the stream."""
        self._ids.add(record.id)
        self.last_seq = record.seq

    def accept_existing(self, seq: int | None, record_id: str | None) -> None:
        """Counts what a stream holds already, also where it is out of order, invalid or without an ID."""
        self._ids.add(record_id or "")  # no record has the empty ID
        self.last_seq = max(self.last_seq, seq or 0)


class AuthorBase(ABC):
    """Proves each record as a reader would, and hands on only what is valid and in order. Threads may share an author."""

    def __init__(self) -> None:
        self._order = StreamOrder()
        self._lock = threading.RLock()

    def __getstate__(self) -> object:
        raise TypeError(
            f"a {type(self).__name__} cannot be copied or pickled: send the records, and write them in one place"
        )

    @abstractmethod
    def _append(self, record: EnvelopeModel, line: bytes) -> None:
        """Takes the record that comes next; `line` is its line without the newline. If it raises, nothing counts."""

    def _interrupted(self, error: BaseException) -> None:  # noqa: B027 -- what is in memory is not in doubt
        """Told when it is not known whether the last record was taken and counted."""

    def write(self, record: R) -> R:
        """Adds a record that is made already, with the `seq` and `id` it has.

        Raises `InvalidRecordError` if it breaks a rule, `WriterError` if it cannot come next.
        """
        if not isinstance(record, EnvelopeModel):
            raise WriterError(f"only a valid record can be written, not {type(record).__name__}")
        with self._lock:
            return self._take(type(record), record.to_wire())

    def _add(self, cls: type[R], envelope: Mapping[str, object], /, **members: object) -> R:
        record_type = str(members.pop("type", cls.model_fields["type"].default))
        with self._lock:
            self._order.check_type(record_type)
            seq, record_id = self._order.next()
            data = {"type": record_type, "seq": seq, "id": record_id, **_members(cls, record_type, members, envelope)}
            self._order.check_links(data)
            return self._take(cls, data)

    def _take(self, cls: type[R], data: dict[str, Any]) -> R:
        line, record, found = _proved(data)
        # a reader forgives a null in a member of our own design, an author does not write it
        if isinstance(record, InvalidRecord) or (found and any(d.code == "null-not-allowed" for d in found)):
            raise InvalidRecordError(found)
        if not isinstance(record, cls):
            raise WriterError(f"{excerpt(record.type)} is not the type of a {cls.__name__}")
        self._order.check(record)  # as the line says it, whatever the object in hand says
        try:
            self._append(record, line)
            self._order.accept(record)
        except BaseException as e:
            self._interrupted(e)
            raise
        return record

    def unknown(self, record_type: str, /, **members: Any) -> UnknownRecord:
        """A record of a type that the specification does not define. Audit-only. [S] "Open".

        Members go by their names on the wire, except those of the envelope (`turn_id`, `timestamp` …), which go as in
        every other method. Raises `WriterError` for a type that has a method of its own.
        """
        if record_type in RECORD_TYPES:
            raise WriterError(f"{record_type} is a known type: call {record_type}(...)")
        envelope = {n: members.pop(n) for n in EnvelopeMembers.__annotations__ if n in members and n != "extra"}
        more = members.pop("extra", None) or {}
        return self._add(UnknownRecord, {**envelope, "extra": {**members, **more}}, type=record_type)


def _members(
    cls: type[WireModel], record_type: str, members: Mapping[str, object], envelope: Mapping[str, object]
) -> dict[str, Any]:
    """What was given to an authoring method, as it stands on the wire."""
    data: dict[str, Any] = {}
    extra: Any = None
    for name, value in (*members.items(), *envelope.items()):
        if name == "extra":
            extra = value
        elif name not in cls.model_fields:
            raise TypeError(f"{record_type}() got an unexpected keyword argument {name!r}")
        elif value is not UNSET and (value is not None or name in cls.null_members):
            data[_wire_name(cls, name)] = _moment(value) if name == "timestamp" else _wire(value)
    _add_extra(cls, data, extra or {})
    return data


def _wire_name(cls: type[WireModel], attribute: str) -> str:
    return cls.model_fields[attribute].alias or attribute


def _moment(value: object) -> object:
    if isinstance(value, datetime) and value.tzinfo is not None:
        with suppress(OverflowError):  # in UTC it may be before year 1 or after 9999
            return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    return value


def _wire(value: object) -> object:
    if isinstance(value, EnvelopeModel):
        return ref_of(value)
    if isinstance(value, Ref):
        return str(value)
    if isinstance(value, WireModel):
        return value.to_wire()
    if isinstance(value, Mapping):
        return {k: v.to_wire() if isinstance(v, WireModel) else v for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [v.to_wire() if isinstance(v, WireModel) else v for v in value]
    return value


def _add_extra(cls: type[WireModel], data: dict[str, Any], extra: Mapping[str, Any]) -> None:
    for name, value in extra.items():
        if name in cls.model_fields or any(name == f.alias for f in cls.model_fields.values()):
            raise WriterError(f"{excerpt(name)} is a member that the format defines: give it as an argument of its own")
        data[name] = _wire(value)


def _proved(data: dict[str, Any]) -> tuple[bytes, Record | InvalidRecord, list[Diagnostic]]:
    """The line of a wire object, and what a reader finds in it."""
    plain = ijson.dumps_plain(data)
    if plain is not None:
        line, value = plain  # read back, so that the record shares nothing with what the caller may change later
        record = validate_plain(value)
        if record is not None:
            return line, record, []
    line = _line(data)
    return line, *examine_line(line, ijson.has_noncharacter_bytes(line))


def _line(data: Mapping[str, Any]) -> bytes:
    try:
        line = ijson.dumps(data)
        if not _is_read_as(line, data):
            ijson.refuse_foreign(dict(data))
        return line
    except IJsonError as e:
        raise InvalidRecordError([Diagnostic.of(e.code, e.reason, pointer=e.pointer)]) from None


def _is_read_as(line: bytes, data: Mapping[str, Any]) -> bool:
    try:
        return bool(orjson.loads(line) == data)
    except ValueError:  # a number beyond the doubles: what examines the line says so
        return False


def as_record(record: EnvelopeModel) -> Record:
    """The same record, as a member of the union of all records."""
    return cast("Record", record)
