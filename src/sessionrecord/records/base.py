"""What every object of ASR shares."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from pydantic import ConfigDict
from pydantic.alias_generators import to_camel

from sessionrecord import wire
from sessionrecord.diagnostics import excerpt

__all__ = ["WireModel", "brief"]


def brief(name: str, members: Iterable[tuple[str, object]], length: int = 120) -> str:
    """A `repr` in one line of `length` characters: as many members as have room, of each at most a short, escaped piece."""
    shown, end = f"{name}(", ", …)"
    for member, value in members:
        comma = "" if shown.endswith("(") else ", "
        called = member if member.isidentifier() and len(member) <= 40 else excerpt(member)
        part = f"{comma}{called}={_piece(value, length - len(shown) - len(comma) - len(called) - len(end) - 1)}"
        if len(shown) + len(part) + len(end) > length:
            return f"{shown}{comma}…)"
        shown += part
    return f"{shown})"


def _piece(value: object, room: int) -> str:
    if isinstance(value, WireModel):
        return brief(type(value).__name__, value._shown(), room)
    if isinstance(value, list | tuple) and value:
        items: Sequence[object] = value
        more = f", and {len(value) - 1:,} more" if len(value) > 1 else ""
        return f"[{'[…]' if isinstance(items[0], list | tuple) else _piece(items[0], room - len(more) - 2)}{more}]"
    if isinstance(value, dict | list | tuple):
        return "{…}" if value else str(value)
    return str(value) if value is None or isinstance(value, bool) else excerpt(value, max(min(room - 3, 40), 8))


class WireModel(wire.WireModel):
    """A JSON object of ASR. Attributes are snake_case, the wire is lower camelCase (ASR-040)."""

    model_config = ConfigDict(alias_generator=to_camel)

    if not TYPE_CHECKING:

        def __repr__(self) -> str:
            return brief(type(self).__name__, self._shown())

    def _shown(self) -> Iterator[tuple[str, object]]:
        """The members given, by attribute; without a `type` that the class says already."""
        tag = type(self).model_fields.get("type")
        is_fixed = tag is not None and not tag.is_required()
        return (
            (name, value)
            for name, value in self.__repr_args__()
            if name is not None and not (is_fixed and name == "type")
        )

    def _repr_html_(self) -> str:
        from sessionrecord.display.html import model_html  # displays rest on records

        return model_html(self)
