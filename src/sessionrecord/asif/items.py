"""A collection of a document: its valid objects typed, the others kept with what is wrong with them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, overload

from pydantic import BaseModel, ValidationError

from sessionrecord import ijson
from sessionrecord.asif.models.base import RewrittenIntegers
from sessionrecord.diagnostics import Diagnostic, excerpt
from sessionrecord.wire import findings

__all__ = ["InvalidItem", "Items", "read_items", "read_object", "rewritten_integers"]

T = TypeVar("T", bound=BaseModel)
Chooser = Callable[[Any], type[BaseModel] | Diagnostic]
"""Chooses the model of a wire object, or says why there is none."""


@dataclass(frozen=True, slots=True)
class InvalidItem:
    """An object that breaks the rules of its model. It stays in the document and is written back as it was."""

    pointer: str
    """JSON Pointer (RFC 6901) of the object in the document."""
    id: str | None
    """The `id`, where one could be read."""
    value: ijson.JsonValue
    """The JSON value as given."""
    findings: tuple[Diagnostic, ...]
    """What is wrong with it."""


class Items(Sequence[T], Generic[T]):
    """The valid objects of a collection in their order. What is not valid is in `invalid`, never lost."""

    def __init__(self, name: str, *, readable: bool = True) -> None:
        self.name = name
        """The collection's member of the document."""
        self.invalid: list[InvalidItem] = []
        """The objects that are not valid."""
        self.places: list[int] = []
        """For each valid object its index in the document's array."""
        self.readable = readable
        """Whether the member is an array, or absent where it may be."""
        self.repeated: list[tuple[int, str]] = []
        """Index in the document's array, and ID, of each object whose ID was used before."""
        self._valid: list[T] = []
        self._first: dict[str, T | None] = {}
        self._nameless = False

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...
    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        return self._valid[index]

    def __len__(self) -> int:
        return len(self._valid)

    def __iter__(self) -> Iterator[T]:
        return iter(self._valid)

    def __repr__(self) -> str:
        broken = f", {len(self.invalid)} invalid" if self.invalid else ""
        return f"<{len(self)} {self.name}{broken}>"

    def find(self, item_id: str) -> T | None:
        """The first object with this ID; None if there is none or it is not valid."""
        return self._first.get(item_id)

    def declares(self, item_id: str) -> bool:
        """Whether an object has this ID, or may have it: one that is not valid, or whose ID cannot be read."""
        return item_id in self._first or not self.certain

    @property
    def certain(self) -> bool:
        """Whether all IDs are known."""
        return self.readable and not self._nameless

    def placed(self) -> Iterator[tuple[int, T]]:
        """The valid objects, each with its index in the document's array."""
        return zip(self.places, self._valid, strict=True)

    def add(self, place: int, item_id: str | None, item: T | InvalidItem) -> None:
        """Take the object at an index of the document's array."""
        if isinstance(item, InvalidItem):
            self.invalid.append(item)
        else:
            self._valid.append(item)
            self.places.append(place)
        if item_id is None:
            self._nameless = True
        elif item_id in self._first:
            self.repeated.append((place, item_id))
        else:
            self._first[item_id] = None if isinstance(item, InvalidItem) else item


def read_items(
    root: dict[str, Any],
    name: str,
    choose: Chooser,
    found: list[Diagnostic],
    *,
    optional: bool,
    into: type[Items[Any]],
) -> Items[Any]:
    """The objects of a collection; what is wrong with them joins `found`."""
    value = root.get(name)
    if not isinstance(value, list):
        absent = name not in root
        if not (absent and optional):
            found.append(_not_an_array(name, value, absent))
        return into(name, readable=absent and optional)
    items = into(name)
    for place, wire in enumerate(value):
        item = _read(wire, choose, (name, place), found)
        item_id = wire.get("id") if isinstance(wire, dict) else None
        items.add(place, item_id if isinstance(item_id, str) and item_id else None, item)
    return items


def _not_an_array(name: str, value: object, absent: bool) -> Diagnostic:
    pointer = ijson.pointer(name)
    if absent:
        return Diagnostic.of("member-missing", f"{name}: the member is required", pointer=pointer)
    return Diagnostic.of("type-invalid", f"{name}: must be an array, not {excerpt(value)}", pointer=pointer)


def _read(wire: Any, choose: Chooser, place: tuple[str | int, ...], found: list[Diagnostic]) -> BaseModel | InvalidItem:
    cls = choose(wire)
    model: BaseModel | None = None
    if isinstance(cls, Diagnostic):
        errors = [cls]
    else:
        model, errors = read_object(cls, wire)
    pointer = ijson.pointer(*place)
    errors = [moved(error, pointer) for error in errors]
    found += errors
    if model is not None:
        return model
    item_id = wire.get("id") if isinstance(wire, dict) else None
    return InvalidItem(pointer, item_id if isinstance(item_id, str) else None, wire, tuple(errors))


def read_object(cls: type[T], wire: Any) -> tuple[T | None, list[Diagnostic]]:
    """The model of a wire object, None if it breaks a rule, and what was found; pointers are relative to the object."""
    if not cls.__pydantic_complete__:
        cls.model_rebuild()
    mark = RewrittenIntegers.last
    try:
        model = cls.__pydantic_validator__.validate_python(wire, by_alias=True, by_name=False)
    except ValidationError as e:
        return None, list(findings(e))
    if RewrittenIntegers.last is mark:
        return model, []
    return model, list(rewritten_integers(model, wire))


def rewritten_integers(model: BaseModel, wire: Any) -> Iterator[Diagnostic]:
    """A finding for each integer that the wire object writes in another form than digits."""
    todo: list[tuple[tuple[str | int, ...], Any, Any]] = [((), model, wire)]
    while todo:
        place, value, written = todo.pop()
        if isinstance(value, BaseModel):
            for attribute, field in reversed(type(value).model_fields.items()):
                name = field.alias or attribute
                if name in written:
                    todo.append(((*place, name), getattr(value, attribute), written[name]))
        elif isinstance(value, list) and isinstance(written, list):
            todo.extend(((*place, i), value[i], written[i]) for i in range(len(value) - 1, -1, -1))
        elif type(value) is int and type(written) is not int:
            message = f"{place[-1]}: {excerpt(written)} is the integer {value}; it is kept as written"
            yield Diagnostic.of("integer-not-plain", message, pointer=ijson.pointer(*place))


def moved(finding: Diagnostic, pointer: str, *, about: str | None = None) -> Diagnostic:
    """A finding whose pointer is relative to an object, with the object's own pointer before it."""
    return Diagnostic(
        finding.code, finding.severity, finding.message, finding.line, finding.offset, pointer + (finding.pointer or ""),
        about or finding.record_id, finding.requirement,
    )  # fmt: skip
