"""What every ASIF object shares: snake_case on the wire, unknown members kept, integers however they are written."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, TypeAlias

from pydantic import Field, GetCoreSchemaHandler
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from sessionrecord.ijson import MAX_SAFE_INTEGER
from sessionrecord.scalars import NonEmptyStr, Omittable
from sessionrecord.wire import WireModel
from sessionrecord.wire.findings import KNOWN, UNKNOWN

__all__ = [
    "AsifModel",
    "Count",
    "EventReference",
    "Identified",
    "KindUnion",
    "Number",
    "RewrittenIntegers",
    "UnknownKind",
]


class AsifModel(WireModel):
    """An ASIF object. An attribute is named as its member; the one exception is said at its field.

    Unknown members are kept in `model_extra` and written back. ASIF tells absent from null: see `model_fields_set`.
    """

    if not TYPE_CHECKING:

        def __init__(self, /, **members: Any) -> None:
            kind = type(self).model_fields.get("kind")
            if kind is not None and not kind.is_required():
                members.setdefault("kind", kind.default)
            super().__init__(**members)

        # tells pydantic that validating does not have to go through this constructor
        __init__.__pydantic_base_init__ = True


class RewrittenIntegers:
    """Tells that an integer was written in another form than digits, such as `1.0`, by the identity of `last`."""

    last: ClassVar[object] = object()


class _Integer:
    """An integral JSON number in a range, in any spelling: `1`, `1.0` and `1e0` are one integer."""

    def __init__(self, lowest: int) -> None:
        self.lowest = lowest

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        plain = core_schema.int_schema(strict=True, ge=self.lowest, le=MAX_SAFE_INTEGER)
        other = core_schema.no_info_plain_validator_function(self._other)
        return core_schema.custom_error_schema(
            core_schema.union_schema([plain, other], mode="left_to_right"),
            custom_error_type="integer-invalid",
            custom_error_message=f"must be an integer from {'0' if self.lowest == 0 else '-(2^53-1)'} to 2^53-1",
            metadata={"pydantic_js_updates": {"type": "integer", "minimum": self.lowest, "maximum": MAX_SAFE_INTEGER}},
        )

    def _other(self, value: Any) -> int:
        # the range first: a number such as 1e999999999 must not be made an int
        if isinstance(value, float | Decimal) and self.lowest <= value <= MAX_SAFE_INTEGER:
            whole = int(value) if value else 0
            if whole == value:
                RewrittenIntegers.last = object()
                return whole
        raise PydanticCustomError("integer", "not an integer")


Count: TypeAlias = Annotated[int, _Integer(0)]
"""An integer from 0 to 2^53-1: a size, an offset, an index."""
Number: TypeAlias = Annotated[int, _Integer(-MAX_SAFE_INTEGER)]
"""An integer that a double holds exactly; negatives are not excluded."""


class KindUnion:
    """Marks a union chosen by `kind` whose last member takes the unknown kinds, and only those."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        *known, unknown = source.__args__
        union = known[0]
        for member in known[1:]:
            union = union | member
        tagged = handler.generate_schema(Annotated[union, Field(discriminator="kind")])
        return core_schema.union_schema(
            [(tagged, KNOWN), (handler.generate_schema(unknown), UNKNOWN)], mode="left_to_right"
        )


class UnknownKind:
    """A string that is none of the known kinds, so that a known object that fails never becomes an unknown one."""

    def __init__(self, known: frozenset[str]) -> None:
        self.known: Final = known

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self._check, core_schema.str_schema(strict=True))

    def _check(self, kind: str) -> str:
        if kind in self.known:
            raise PydanticCustomError("known-tag", "a known kind keeps its own rules")
        return kind


class Identified(AsifModel):
    """An object with an identity in its collection."""

    id: NonEmptyStr
    """Unique in its collection; compared exactly, as written."""


class EventReference(AsifModel):
    """A reference to an event: of this document, or of another capture that it names."""

    event_id: NonEmptyStr
    """The event."""
    session_id: Omittable[NonEmptyStr] = None
    """The session of an event outside this document; goes with `capture_id`."""
    capture_id: Omittable[NonEmptyStr] = None
    """The capture of an event outside this document; goes with `session_id`."""

    @property
    def local(self) -> bool:
        """Whether it names an event of this document. An external one is never included history and never fetched."""
        return self.session_id is None and self.capture_id is None
