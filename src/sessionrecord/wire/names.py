"""Unknown members whose name differs from a defined one only by case, `_` or `-` (spec section 1, ASR-040)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from pydantic import BaseModel

__all__ = ["misspelled", "squash"]

Place = tuple[str | int, ...]

_squashed_names: Final[dict[type[BaseModel], dict[str, str]]] = {}


def squash(name: str) -> str:
    """The name with nothing of what people vary: case, `_` and `-`."""
    return name.replace("_", "").replace("-", "").lower()


def _names_of(cls: type[BaseModel]) -> dict[str, str]:
    names = _squashed_names.get(cls)
    if names is None:
        names = _squashed_names[cls] = {squash(f.alias or n): f.alias or n for n, f in cls.model_fields.items()}
    return names


def misspelled(model: BaseModel, raw: Any, place: Place = ()) -> Iterator[tuple[Place, str]]:
    """Places of misspelled members in a model read from the wire object `raw`, each with the right name.

    An unknown member named as one of our attributes would count as that attribute being set: this takes that back too.
    """
    cls = type(model)
    for name in model.model_extra or ():
        right = _names_of(cls).get(squash(name))
        if right is not None:
            if name in cls.model_fields and right not in raw:
                model.__pydantic_fields_set__.discard(name)
            yield (*place, name), right
    for attribute, field in cls.model_fields.items():
        value = getattr(model, attribute)
        wire_name = field.alias or attribute
        if isinstance(value, BaseModel):
            yield from misspelled(value, raw[wire_name], (*place, wire_name))
        elif isinstance(value, list):
            for i, item in enumerate(value):
                if isinstance(item, BaseModel):
                    yield from misspelled(item, raw[wire_name][i], (*place, wire_name, i))
        elif attribute == "capture" and value:
            for name, state in value.items():
                yield from misspelled(state, raw[wire_name][name], (*place, wire_name, name))
