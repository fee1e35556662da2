"""What hypothesis draws from: JSON values, refs, session keys, and a wire object for every record type.

Records are driven by the fields of the models, so that a new member is tested as soon as it is there.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from decimal import Decimal
from functools import cache
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from hypothesis import strategies as st
from pydantic import BaseModel

from sessionrecord import ijson
from sessionrecord.records import RECORD_TYPES, Block, Record, UnknownRecord, parse_record
from sessionrecord.records.content import KNOWN_BLOCK_TYPES, UnknownBlock, UnknownTag
from sessionrecord.records.unknown import KNOWN_TYPES
from sessionrecord.refs import ENTITY_KEYS, Ref, SessionKey, SessionReference, SessionReferenceStr, is_ambiguous_id
from sessionrecord.scalars import (
    Amount,
    DurationMs,
    NonEmptyStr,
    OpenEnumMarker,
    SafeInt,
    SignedInt,
    Timestamp,
)
from sessionrecord.wire import OpenUnion

Wire = dict[str, Any]

KNOWN_TAGS = KNOWN_TYPES | KNOWN_BLOCK_TYPES
"""Tags that an unknown record or block cannot have."""

ODD_LITERALS = (
    "-0", "-0.0", "0.0", "1.0", "1e2", "1E2", "1e+2", "1.50", "1e16", "1e+16", "1e-05", "1e-5", "1.0e16", "0.10", "100e-2",
    "0.1234567890123456789", "123456789012345678901234567890", "-9007199254740993", "1e-400", "9" * 60, "1e308", "5e-324",
)  # fmt: skip
"""Number literals that a reader is tempted to change."""


def number_of(literal: str) -> Any:
    """The value that a literal is read as."""
    return ijson.loads(literal.encode())


def texts(min_size: int = 0, max_size: int = 8) -> st.SearchStrategy[str]:
    """Any Unicode text that can be written."""
    alphabet = st.one_of(st.characters(codec="utf-8"), st.sampled_from(' "\\/~=#%\0\n\x1b\u2028\ufffe'))
    return st.text(alphabet, min_size=min_size, max_size=max_size)


def json_numbers() -> st.SearchStrategy[Any]:
    """Integers of any size, doubles, and numbers with odd literals."""
    return st.one_of(
        st.integers(),
        st.integers(-(10**30), 10**30),
        st.floats(allow_nan=False, allow_infinity=False),
        st.sampled_from(ODD_LITERALS).map(number_of),
        st.decimals(allow_nan=False, allow_infinity=False, places=20, min_value=-1000, max_value=1000),
    )


@cache
def json_values(max_leaves: int = 8) -> st.SearchStrategy[Any]:
    """Any JSON value, null included."""
    scalars = st.one_of(st.none(), st.booleans(), json_numbers(), texts())
    return st.recursive(
        scalars,
        lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts(), inner, max_size=3)),
        max_leaves=max_leaves,
    )


def refs() -> st.SearchStrategy[Ref]:
    """Refs to records and to entities."""
    records = texts(1).filter(lambda i: not is_ambiguous_id(i)).map(Ref.record)
    return st.one_of(records, st.builds(Ref.entity, st.sampled_from(sorted(ENTITY_KEYS)), texts()))


def session_keys() -> st.SearchStrategy[SessionKey]:
    """Session keys with any text in every part."""
    return st.builds(SessionKey, texts(), st.one_of(st.none(), texts(1)), texts())


def session_references() -> st.SearchStrategy[SessionReference]:
    """References to sessions and into them."""
    return st.builds(SessionReference, session_keys(), st.one_of(st.none(), refs()))


def timestamps() -> st.SearchStrategy[str]:
    """Moments as RFC 3339 with zero to nine fractional digits."""
    return st.builds(
        lambda moment, fraction: (
            f"{moment:%Y-%m-%dT%H:%M:%S}".rjust(19, "0") + (f".{fraction}" if fraction else "") + "Z"
        ),
        st.datetimes(),
        st.text("0123456789", max_size=9),
    )


def _non_negative() -> st.SearchStrategy[Any]:
    return st.one_of(
        st.integers(0, 10**30),
        st.floats(0, 1e12),
        st.sampled_from(["1.50", "1e2", "0.30000000000000004", "0.1234567890123456789", "12.0"]).map(number_of),
    )


_SCALARS: list[tuple[Any, Callable[[], st.SearchStrategy[Any]]]] = [
    (SafeInt, lambda: st.integers(0, ijson.MAX_SAFE_INTEGER)),
    (SignedInt, lambda: st.integers(-ijson.MAX_SAFE_INTEGER, ijson.MAX_SAFE_INTEGER)),
    (Timestamp, timestamps),
    (DurationMs, _non_negative),
    (Amount, _non_negative),
    (NonEmptyStr, lambda: texts(1)),
]
_OMITTABLE = type(get_type_hints(UnknownRecord, include_extras=True)["turn_id"].__metadata__[-1])


def _annotated(base: Any, marks: tuple[Any, ...]) -> st.SearchStrategy[Any]:
    for mark in marks:
        for scalar, strategy in _SCALARS:
            if get_args(scalar)[1] is mark:
                return strategy()
        if isinstance(mark, OpenEnumMarker):
            known = [v for arm in get_args(base) if get_origin(arm) is Literal for v in get_args(arm)]
            return st.one_of(st.sampled_from(known), texts())
        if isinstance(mark, SessionReferenceStr):
            return session_references().map(str)
        if isinstance(mark, UnknownTag):
            return texts(max_size=5).filter(lambda t: t not in KNOWN_TAGS)
        if isinstance(mark, OpenUnion):
            return st.one_of([wire_objects(arm) for arm in get_args(base)])
        if isinstance(mark, _OMITTABLE):
            arms = [arm for arm in get_args(base) if arm is not types.NoneType]
            return st.one_of([values_of(arm) for arm in arms])
    return values_of(base)


def values_of(annotation: Any) -> st.SearchStrategy[Any]:
    """Wire values that a member with this annotation takes."""
    origin, args = get_origin(annotation), get_args(annotation)
    if annotation is Any:
        return json_values()
    if origin is Annotated:
        return _annotated(args[0], args[1:])
    if origin is Literal:
        return st.sampled_from(args)
    if origin is Union or origin is types.UnionType:
        return st.one_of([values_of(arm) for arm in args])
    if origin is list:
        return st.lists(values_of(args[0]), max_size=2)
    if origin is dict:
        return st.dictionaries(texts(), values_of(args[1]), max_size=2)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return wire_objects(annotation)
    plain = {str: texts(), bool: st.booleans(), types.NoneType: st.none()}
    return plain[annotation]


def members_of(cls: type[BaseModel]) -> dict[str, str]:
    """Wire name of every defined member, to its attribute."""
    return {field.alias or name: name for name, field in cls.model_fields.items()}


@st.composite
def _unknown_members(draw: st.DrawFn, cls: type[BaseModel]) -> Wire:
    known = members_of(cls)
    tempting = [
        n
        for n in (*known.values(), *(w.upper() for w in known), *(w.replace("I", "-i") for w in known))
        if n not in known
    ]
    names = texts().filter(lambda n: n not in known)
    if tempting:
        names = st.one_of(st.sampled_from(tempting), names)
    return draw(st.dictionaries(names, json_values(4), max_size=2))


@cache
def wire_objects(cls: type[BaseModel]) -> st.SearchStrategy[Wire]:
    """Valid wire objects of a model, with unknown members at every level."""

    @st.composite
    def build(draw: st.DrawFn) -> Wire:
        hints = get_type_hints(cls, include_extras=True)
        members: Wire = {}
        for wire_name, name in members_of(cls).items():
            required = cls.model_fields[name].is_required() or name == "type"
            if required or draw(st.integers(0, 2)) == 0:
                members[wire_name] = draw(values_of(hints[name]))
        members.update(draw(_unknown_members(cls)))
        return dict(draw(st.permutations(list(members.items()))))

    return build()


def record_wires(cls: type[BaseModel] | None = None) -> st.SearchStrategy[Wire]:
    """Wire objects of one record model, or of any, unknown types included."""
    return (
        wire_objects(cls)
        if cls is not None
        else st.sampled_from([*RECORD_TYPES.values(), UnknownRecord]).flatmap(wire_objects)
    )


def records(cls: type[BaseModel] | None = None) -> st.SearchStrategy[Record]:
    """Records of one model, or of any, unknown types included."""
    return record_wires(cls).map(lambda wire: parse_record(ijson.dumps(wire)))


def blocks() -> st.SearchStrategy[Wire]:
    """Wire objects of content blocks, unknown ones included."""
    return values_of(Block)


def exact(value: Any) -> Any:
    """A JSON value in a form whose equality is exact: number literals count, the order of members does not."""
    if isinstance(value, dict):
        return {name: exact(v) for name, v in value.items()}
    if isinstance(value, list | tuple):
        return [exact(v) for v in value]
    if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
        return ("number", ijson.dumps(value))
    return value


__all__ = [
    "ODD_LITERALS",
    "UnknownBlock",
    "Wire",
    "blocks",
    "exact",
    "json_numbers",
    "json_values",
    "members_of",
    "number_of",
    "record_wires",
    "records",
    "refs",
    "session_keys",
    "session_references",
    "texts",
    "timestamps",
    "values_of",
    "wire_objects",
]
