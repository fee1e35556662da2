"""Unions that take the tags they do not know."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

from sessionrecord.wire.findings import KNOWN, UNKNOWN

__all__ = ["OpenUnion"]


class OpenUnion:
    """Marks a union discriminated by `type` whose last member takes the unknown tags, and only those."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        *known, unknown = source.__args__
        tagged = handler.generate_schema(Annotated[_union(known), Field(discriminator="type")])
        return core_schema.union_schema(
            [(tagged, KNOWN), (handler.generate_schema(unknown), UNKNOWN)], mode="left_to_right"
        )


def _union(members: list[Any]) -> Any:
    union = members[0]
    for member in members[1:]:
        union = union | member
    return union
