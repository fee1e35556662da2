"""What every model of the wire shares: absence, unknown members, one way to validate and to write."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler, ValidationError
from pydantic_core import CoreSchema

from sessionrecord import ijson
from sessionrecord.scalars import UnknownName
from sessionrecord.wire.findings import invalid
from sessionrecord.wire.names import misspelled

__all__ = ["WireModel"]

M = TypeVar("M", bound="WireModel")


class WireModel(BaseModel):
    """A JSON object of the wire. An attribute whose name differs on the wire has it as alias.

    Unknown members are kept in `model_extra` and written back. Models are frozen: `replace` makes a changed copy.
    In a constructor None means absent, except for the few members where null has a meaning (ASR-043).
    """

    model_config = ConfigDict(
        extra="allow",
        frozen=True,
        strict=True,
        validate_by_alias=True,
        validate_by_name=True,
        serialize_by_alias=True,
        defer_build=True,
    )
    if not TYPE_CHECKING:  # checkers would take it for a member
        __pydantic_extra__: dict[UnknownName, Any]

    null_members: ClassVar[frozenset[str]] = frozenset()
    """Attributes whose None is a null with a meaning."""
    lenient_members: ClassVar[frozenset[str]] = frozenset()
    """Wire names of members of our own design: a null there is a warning and reads as absent."""

    if not TYPE_CHECKING:

        def __init__(self, /, **members: Any) -> None:
            cls = type(self)
            data: dict[str, Any] = {}
            if "type" in cls.model_fields and not cls.model_fields["type"].is_required():
                data["type"] = cls.model_fields["type"].default
            for name, value in members.items():
                field = cls.model_fields.get(name)
                if field is None or value is not None or name in cls.null_members:
                    data[name if field is None else field.alias or name] = _plain(value)
            try:
                self.__pydantic_validator__.validate_python(data, self_instance=self, by_alias=True, by_name=False)
            except ValidationError as e:
                raise invalid(e) from None

        # tells pydantic that validating does not have to go through this constructor
        __init__.__pydantic_base_init__ = True

        def __repr_args__(self) -> Iterator[tuple[str, Any]]:
            given = self.model_fields_set
            return ((name, value) for name, value in super().__repr_args__() if name in given)

        def model_dump(self, *, by_alias: bool = True, exclude_unset: bool = True, **options: Any) -> dict[str, Any]:
            """The wire object: by alias, unset members left out."""
            options.pop("mode", None)  # pydantic's JSON mode would turn decimals into strings
            return super().model_dump(by_alias=by_alias, exclude_unset=exclude_unset, **options)

        def model_dump_json(self, **options: Any) -> str:
            """The wire object as JSON; `indent` of any size gives several lines. Raises `IJsonError`."""
            indent = options.pop("indent", None)
            return ijson.dumps(self.model_dump(**options), indent=indent is not None).decode()

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return _require_type(handler(source))

    def to_wire(self) -> dict[str, ijson.JsonValue]:
        """The members as they stand on the wire: by alias, absent ones left out."""
        wire: dict[str, ijson.JsonValue] = self.__pydantic_serializer__.to_python(
            self, by_alias=True, exclude_unset=True
        )
        return wire

    def replace(self, **changes: Any) -> Self:
        """A copy with some members changed; None takes one out. Raises `InvalidRecordError`."""
        cls = type(self)
        data = self.to_wire()
        for name, value in changes.items():
            field = cls.model_fields.get(name)
            wire_name = name if field is None else field.alias or name
            if field is not None and value is None and name not in cls.null_members:
                data.pop(wire_name, None)
            else:
                data[wire_name] = _plain(value)
        return _validated(cls, data)


def _plain(value: Any) -> Any:
    """Nested models as wire objects, so that there is one way to validate them, and what was changed within is seen."""
    if isinstance(value, WireModel):
        return value.to_wire()
    if isinstance(value, list | tuple):
        return [v.to_wire() if isinstance(v, WireModel) else v for v in value]
    if isinstance(value, Mapping):
        return {k: v.to_wire() if isinstance(v, WireModel) else v for k, v in value.items()}
    return value


def _validated(cls: type[M], data: dict[str, Any]) -> M:
    try:
        model = cls.model_validate(data, by_alias=True, by_name=False)
    except ValidationError as e:
        raise invalid(e) from None
    deque(misspelled(model, data), maxlen=0)
    return model


def _require_type(schema: CoreSchema) -> CoreSchema:
    # the tag has a default for authors; on the wire it must be there, and then always counts as set
    inner: Any = schema
    while inner["type"] != "model-fields":
        if "schema" not in inner:
            return schema
        inner = inner["schema"]
    tag = inner["fields"].get("type")
    if tag is not None and tag["schema"]["type"] == "default":
        inner["fields"]["type"] = {**tag, "schema": tag["schema"]["schema"]}
    return schema
