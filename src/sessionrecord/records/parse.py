"""How a line becomes a record, or an invalid record with what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, cast, get_args

import orjson
from pydantic import ValidationError

from sessionrecord import ijson
from sessionrecord.diagnostics import Diagnostic, excerpt
from sessionrecord.errors import InvalidRecordError
from sessionrecord.records.base import WireModel
from sessionrecord.records.envelope import CaptureState, Envelope, Source
from sessionrecord.records.header import SessionHeader
from sessionrecord.records.union import KnownRecord, Record
from sessionrecord.records.unknown import InvalidRecord, UnknownRecord
from sessionrecord.refs import is_ambiguous_id
from sessionrecord.scalars import Marks
from sessionrecord.wire import findings, misspelled

__all__ = ["PARTICIPATING_TYPES", "RECORD_TYPES", "parse_record", "read_record"]

RECORD_TYPES: Final[dict[str, type[KnownRecord]]] = {
    cls.model_fields["type"].default: cls for cls in get_args(KnownRecord)
}
"""Record type to its model."""
PARTICIPATING_TYPES: Final = ("message", "tool_call", "tool_result", "compaction")
"""The types that form the conversation structure; a closed list. [S] "Context-participating record"."""

_Validate = Callable[..., Record]
_plain_validators: dict[str, _Validate] = {}


def _validator(record_type: str) -> _Validate | None:
    """The validator of a known type, built on first use."""
    cls = RECORD_TYPES.get(record_type)
    if cls is None:
        return None
    cls.model_rebuild()
    validate = cast("_Validate", cls.__pydantic_validator__.validate_python)
    if cls is not SessionHeader:
        _plain_validators[record_type] = validate
    return validate


def parse_record(line: bytes) -> Record:
    """The record on a line, with or without its newline.

    Raises `InvalidRecordError` with everything that is wrong. Warnings are not raised: `read_record` returns them.
    """
    record, diagnostics = read_record(line)
    if isinstance(record, InvalidRecord):
        raise InvalidRecordError(diagnostics)
    return record


def read_record(line: bytes) -> tuple[Record | InvalidRecord, list[Diagnostic]]:
    """The record on a line, with or without its newline, and everything found in it.

    Never raises for bad input: a line that is no valid record gives an `InvalidRecord` that keeps it.
    """
    line = line.removesuffix(b"\n").removesuffix(b"\r")
    return examine_line(line, ijson.has_noncharacter_bytes(line))


def examine_line(line: bytes, suspicious: bool) -> tuple[Record | InvalidRecord, list[Diagnostic]]:
    """As `read_record`, for a bare line of which it is known whether it may hold noncharacters."""
    record = None if suspicious else next(read_plain((line,)))
    return (record, []) if record is not None else _examine_closely(line)


def read_plain(lines: Iterable[bytes]) -> Iterator[Record | None]:
    """For each bare line its record, or None where `examine_line` has to find out what to say.

    None is a header, or anything to report. The lines must hold no noncharacters. What is written here
    is paid for every record that is read.
    """
    loads, dumps, strict = orjson.loads, orjson.dumps, orjson.OPT_STRICT_INTEGER
    validators, marks, mark = _plain_validators, Marks, Marks.last
    value: Any = None
    record: Record | None
    for line in lines:
        try:
            value = loads(line)
            # the proof of `ijson.prove`, without the cost of a call
            canonical = dumps(value, None, strict)
            if canonical != line and canonical.translate(None, b" ") != line.translate(None, b" "):
                yield None
                continue
            record = validators[value["type"]](value, by_alias=True, by_name=False)
        except KeyError:
            record = _unknown(value)
        except (ValueError, TypeError):
            yield None
            continue
        if marks.last is not mark:
            mark = marks.last
            record = _spelled(record, value)
        yield None if record is None or "=" in record.id else record


def validate_plain(value: Any) -> Record | None:
    """The record of a value that holds what JSON can, or None where `examine_line` has to find out what to say."""
    mark = Marks.last
    try:
        record: Record | None = _plain_validators[value["type"]](value, by_alias=True, by_name=False)
    except KeyError:
        record = _unknown(value)
    except (ValueError, TypeError):
        return None
    if record is not None and Marks.last is not mark:
        record = _spelled(record, value)
    return None if record is None or "=" in record.id else record


def _unknown(value: Any) -> Record | None:
    """The record of an unknown type, or None where `examine_line` has to find out what to say."""
    record_type = value.get("type")
    if not isinstance(record_type, str) or record_type in RECORD_TYPES:
        return None
    try:
        return _spelled(_any_validator(record_type)(value, by_alias=True, by_name=False), value)
    except ValidationError:
        return None


def _spelled(record: Record | None, value: Any) -> Record | None:
    return None if record is None or next(misspelled(record, value), None) is not None else record


def _any_validator(record_type: Any) -> _Validate:
    known = _validator(record_type) if isinstance(record_type, str) else None
    if known is None:
        UnknownRecord.model_rebuild()
        known = cast("_Validate", UnknownRecord.__pydantic_validator__.validate_python)
    return known


def _examine_closely(line: bytes) -> tuple[Record | InvalidRecord, list[Diagnostic]]:
    value, found = ijson.examine(line)
    diagnostics = [Diagnostic.of(f.code, f.message, pointer=f.pointer) for f in found]
    if value is None and any(f.is_error for f in found):
        return _invalid(line, None, diagnostics)
    return _read_value(value, line, diagnostics)


def _read_value(value: Any, line: bytes, found: list[Diagnostic]) -> tuple[Record | InvalidRecord, list[Diagnostic]]:
    """The record of a JSON value whose own findings are `found`; `line` is kept if it is invalid."""
    if not isinstance(value, dict):
        return _invalid(
            line,
            value,
            [*found, Diagnostic.of("not-an-object", f"a record is a JSON object, not {excerpt(value)}", pointer="")],
        )
    validate = _any_validator(value.get("type"))
    cls: type[WireModel] = (
        RECORD_TYPES.get(value["type"], UnknownRecord) if isinstance(value.get("type"), str) else UnknownRecord
    )
    errors: list[Diagnostic] = []
    record: Record | None = None
    read = value
    try:
        record = validate(value, by_alias=True, by_name=False)
    except ValidationError as e:
        errors = list(findings(e))
        without = _without_lenient_nulls(cls, value)
        if without is not None:
            record, errors = _again(validate, without, errors)
            read = without
    at = {d.pointer for d in errors if d.severity == "error"}
    kept = [d for d in found if d.code != "number-out-of-range" or d.pointer not in at]
    record_id = value.get("id")
    diagnostics = [*kept, *errors, *(_remarks(record, read) if record is not None else ())]
    diagnostics = [_named(d, record_id) for d in diagnostics]
    if record is None or any(d.severity == "error" for d in kept):
        return _invalid(line, value, diagnostics)
    return record, diagnostics


def _named(diagnostic: Diagnostic, record_id: Any) -> Diagnostic:
    if not isinstance(record_id, str) or not record_id:
        return diagnostic
    return Diagnostic(
        diagnostic.code, diagnostic.severity, diagnostic.message, diagnostic.line, diagnostic.offset, diagnostic.pointer,
        record_id, diagnostic.requirement,
    )  # fmt: skip


def _again(
    validate: _Validate, without: dict[str, Any], errors: list[Diagnostic]
) -> tuple[Record | None, list[Diagnostic]]:
    """Validate without the nulls that read as absent; those become warnings."""
    record: Record | None = None
    left: list[Diagnostic] = []
    try:
        record = validate(without, by_alias=True, by_name=False)
    except ValidationError as e:
        left = list(findings(e))
    standing = {(d.code, d.pointer) for d in left}
    nulls = [
        Diagnostic.of(d.code, d.message, severity="warning", pointer=d.pointer)
        for d in errors
        if d.code == "null-not-allowed" and (d.code, d.pointer) not in standing
    ]
    return record, [*nulls, *left]


def _without_lenient_nulls(cls: type[WireModel], value: dict[str, Any]) -> dict[str, Any] | None:
    """A copy without the nulls of members of our own design, or None where there are none."""
    changed = {k: v for k, v in value.items() if not (v is None and k in cls.lenient_members)}
    for name in ("source", "capture"):
        inner = changed.get(name)
        if not isinstance(inner, dict):
            continue
        if name == "source":
            changed[name] = _drop(inner, Source.lenient_members)
        else:
            changed[name] = {
                k: _drop(v, CaptureState.lenient_members) if isinstance(v, dict) else v for k, v in inner.items()
            }
    return changed if changed != value else None


def _drop(value: dict[str, Any], names: frozenset[str]) -> dict[str, Any]:
    return {k: v for k, v in value.items() if not (v is None and k in names)}


def _invalid(line: bytes, value: Any, diagnostics: list[Diagnostic]) -> tuple[InvalidRecord, list[Diagnostic]]:
    members = value if isinstance(value, dict) else {}
    record_type, seq, record_id = members.get("type"), members.get("seq"), members.get("id")
    record = InvalidRecord(
        raw=bytes(line),
        type=record_type if isinstance(record_type, str) else None,
        seq=seq if type(seq) is int and 0 <= seq <= ijson.MAX_SAFE_INTEGER else None,
        id=record_id if isinstance(record_id, str) and record_id else None,
        envelope=_envelope(members),
        value=value,
        diagnostics=tuple(diagnostics),
    )
    return record, diagnostics


def _envelope(members: dict[str, Any]) -> Envelope | None:
    known = {
        f.alias or name: members[f.alias or name]
        for name, f in Envelope.model_fields.items()
        if (f.alias or name) in members
    }
    try:
        return Envelope.model_validate(known, by_alias=True, by_name=False)
    except ValidationError as e:
        broken = {err["loc"][0] for err in e.errors(include_url=False)}
    try:
        return Envelope.model_validate(
            {k: v for k, v in known.items() if k not in broken}, by_alias=True, by_name=False
        )
    except ValidationError:
        return None


def _remarks(record: Record, value: dict[str, Any]) -> Iterator[Diagnostic]:
    """Warnings about a valid record: an ID that reads as a ref, members that look misspelled."""
    if is_ambiguous_id(record.id):
        yield Diagnostic.of(
            "ref-ambiguous",
            f"the id {excerpt(record.id)} reads as an entity ref",
            severity="warning",
            pointer="/id",
            record_id=record.id,
        )
    for place, right in misspelled(record, value):
        yield Diagnostic.of(
            "member-misspelled", f"{excerpt(place[-1])} is not a member of {record.type}; did you mean {right}?",
            pointer=ijson.pointer(*place), record_id=record.id,
        )  # fmt: skip
