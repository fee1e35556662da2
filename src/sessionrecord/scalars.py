"""Annotated types for the values that the specification restricts. All validation runs in pydantic-core.

A scalar with a diagnostic code of its own fails with that code, whatever is wrong.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Literal, TypeAlias, TypeVar, get_args, get_origin

from pydantic import AfterValidator, BaseModel, ConfigDict, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from sessionrecord.ijson import MAX_SAFE_INTEGER

__all__ = [
    "Amount",
    "ByteSpan",
    "DurationMs",
    "NonEmptyStr",
    "Omittable",
    "OpenEnum",
    "OpenEnumMarker",
    "SafeInt",
    "SignedInt",
    "Timestamp",
]

T = TypeVar("T")

_DATE: Final = (
    r"(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))"
    r"|(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)"
)
TIMESTAMP_PATTERN: Final = rf"^{_DATE}T(?:[01][0-9]|2[0-3]):[0-5][0-9]:(?:[0-5][0-9]|60)(?:\.[0-9]{{1,9}})?Z$"
"""RFC 3339 date-time in UTC with `Z`, real calendar dates, `:60` allowed (ASR-044)."""


def _coded(schema: CoreSchema, code: str, rule: str, json_schema: dict[str, Any]) -> CoreSchema:
    return core_schema.custom_error_schema(
        schema, custom_error_type=code, custom_error_message=rule, metadata={"pydantic_js_updates": json_schema}
    )


@dataclass(frozen=True, slots=True)
class _Scalar:
    """Replaces the annotated type's schema by one that fails with the scalar's own code."""

    schema: CoreSchema
    json_schema: dict[str, Any]

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return self.schema

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return dict(self.json_schema)

    def __hash__(self) -> int:
        return id(self)


def _scalar(schema: CoreSchema, code: str, rule: str, **json_schema: Any) -> _Scalar:
    return _Scalar(
        core_schema.custom_error_schema(schema, custom_error_type=code, custom_error_message=rule), json_schema
    )


def _decimal(value: Decimal) -> Decimal:
    if not value.is_finite() or value < 0:
        raise PydanticCustomError("number", "not a non-negative finite decimal")
    return value


def _non_negative(code: str, rule: str) -> _Scalar:
    return _scalar(
        core_schema.union_schema(
            [
                # before float, which would take a decimal and lose its digits
                core_schema.chain_schema(
                    [core_schema.is_instance_schema(Decimal), core_schema.no_info_plain_validator_function(_decimal)]
                ),
                core_schema.int_schema(strict=True, ge=0),
                core_schema.float_schema(strict=True, ge=0, allow_inf_nan=False),
            ],
            mode="left_to_right",
        ),
        code,
        rule,
        type="number",
        minimum=0,
    )


SafeInt: TypeAlias = Annotated[
    int,
    _scalar(
        core_schema.int_schema(strict=True, ge=0, le=MAX_SAFE_INTEGER),
        "integer-invalid",
        "must be a JSON integer from 0 to 2^53-1",
        type="integer",
        minimum=0,
        maximum=MAX_SAFE_INTEGER,
    ),
]
"""A count, size or position: a JSON integer from 0 to 2^53-1. [S] ASR-042."""

SignedInt: TypeAlias = Annotated[
    int,
    _scalar(
        core_schema.int_schema(strict=True, ge=-MAX_SAFE_INTEGER, le=MAX_SAFE_INTEGER),
        "integer-invalid",
        "must be a JSON integer from -(2^53-1) to 2^53-1",
        type="integer",
        minimum=-MAX_SAFE_INTEGER,
        maximum=MAX_SAFE_INTEGER,
    ),
]
"""An integer whose definition allows negatives. [S] ASR-042."""

Timestamp: TypeAlias = Annotated[
    str,
    _scalar(
        core_schema.str_schema(strict=True, pattern=TIMESTAMP_PATTERN),
        "timestamp-invalid",
        "must be an RFC 3339 UTC timestamp with Z and at most 9 fractional digits",
        type="string",
        pattern=TIMESTAMP_PATTERN,
    ),
]
"""A moment in UTC, kept as written, so that nanoseconds survive. [S] ASR-044."""

DurationMs: TypeAlias = Annotated[
    int | float | Decimal, _non_negative("duration-invalid", "must be a non-negative number of milliseconds")
]
"""A duration in milliseconds, a fraction allowed. [S] ASR-045."""

Amount: TypeAlias = Annotated[
    int | float | Decimal, _non_negative("amount-invalid", "must be a non-negative decimal amount")
]
"""A cost as the source reported it; sums of it are decimal. [S] ASR-047."""

NonEmptyStr: TypeAlias = Annotated[
    str, _Scalar(core_schema.str_schema(strict=True, min_length=1), {"type": "string", "minLength": 1})
]
"""A string of at least one character."""


class _Omittable:
    """Unwraps the union with None, so that an explicit null is refused (ASR-043) and costs nothing to check."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        schema = handler(source)
        return schema["schema"] if schema["type"] == "nullable" else schema


Omittable: TypeAlias = Annotated[T | None, _Omittable()]
"""A member that may be absent but not null: reads as `T | None`, validates as `T`. [S] ASR-043."""


class OpenEnumMarker:
    """Makes a union of `Literal[...] | str` a plain string to pydantic-core; the known values become examples."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        known = [v for arm in get_args(source) if get_origin(arm) is Literal for v in get_args(arm)]
        return core_schema.str_schema(strict=True, metadata={"pydantic_js_updates": {"examples": known}})


OpenEnum: Final = OpenEnumMarker()
"""Marks `Literal[...] | str` as an open enum: unknown values are accepted and kept (spec section 1)."""


class Marks:
    """Tells that a model met unknown members, by the identity of `last`."""

    last: ClassVar[object] = object()


def _mark(name: str) -> str:
    # runs for unknown members only: what costs nothing on the usual record
    Marks.last = object()
    return name


UnknownName: TypeAlias = Annotated[str, AfterValidator(_mark)]
"""The name of a member that its model does not define."""


class ByteSpan(BaseModel):
    """A slice of bytes: `length` bytes from `offset`, both in bytes. Spec section 2 (`source.span`)."""

    model_config = ConfigDict(frozen=True, strict=True, extra="allow", defer_build=True)

    if not TYPE_CHECKING:  # checkers would take it for a member
        __pydantic_extra__: dict[UnknownName, Any]

    offset: SafeInt
    """Index of the first byte, from 0."""
    length: SafeInt
    """Number of bytes."""

    @property
    def end(self) -> int:
        """Index of the byte after the last one."""
        return self.offset + self.length

    def within(self, size: int) -> bool:
        """Whether the span lies inside `size` bytes. A span of no bytes may sit at the end."""
        return self.end <= size

    def slice(self, data: bytes | memoryview) -> memoryview:
        """The span's bytes in `data`, not copied. Raises `ValueError` where the span is out of bounds."""
        if not self.within(len(data)):
            raise ValueError(f"span {self.offset}+{self.length} is out of the bounds of {len(data)} bytes")
        return memoryview(data)[self.offset : self.end]
