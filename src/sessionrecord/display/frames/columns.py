"""What a frame is: columns of fixed Arrow types, each with a meaning. Tables are made from lists of values, one a column."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal, Inexact, InvalidOperation
from operator import attrgetter
from typing import Any, Final, TypeAlias

from sessionrecord.display.extra import need
from sessionrecord.records.content import Blocks, TextBlock, text_of
from sessionrecord.records.envelope import EnvelopeModel
from sessionrecord.scalars import TIMESTAMP_PATTERN

__all__ = [
    "AMOUNT",
    "COSTS",
    "FLAG",
    "INTEGER",
    "MOMENT",
    "NAMES",
    "NUMBER",
    "STRING",
    "TEXT",
    "Column",
    "Frame",
    "Rows",
    "amount_column",
    "fits",
    "incomplete",
    "joined",
    "members",
    "moment_column",
    "number",
]

Rows: TypeAlias = dict[str, list[Any]]
"""Column name to its values. Moments are given as their text and amounts as numbers; their `_text` columns are not given."""

INTEGER: Final = "int64"
FLAG: Final = "bool"
NUMBER: Final = "double"
STRING: Final = "string"
TEXT: Final = "large_string"
MOMENT: Final = "timestamp[ns, tz=UTC]"
AMOUNT: Final = "decimal128(38, 24)"
NAMES: Final = "list<string>"
COSTS: Final = "list<struct<currency: string, amount: decimal128(38, 24), amount_text: string>>"

_PLACES: Final = 24
_EXACT: Final = Context(prec=38, traps=[Inexact, InvalidOperation])
_UNIT: Final = Decimal(1).scaleb(-_PLACES)
_YEARS: Final = "1678", "2261"
"""The first and last whole year that 64 bits of nanoseconds hold."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a frame."""

    name: str
    """Its name."""
    type: str
    """Its Arrow type."""
    meaning: str
    """What its values say; null always means that this is not known or not there."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A kind of frame: its columns in order."""

    name: str
    """What `Session.to_arrow` takes."""
    row: str
    """What a row is."""
    columns: tuple[Column, ...]
    """The columns, in order."""

    def schema(self) -> Any:
        """The columns as a `pyarrow.Schema`; the meaning of each is in its field's metadata. Raises `MissingExtraError`."""
        pa = need("pyarrow", "frames")
        types = _types(pa)
        return pa.schema([pa.field(c.name, types[c.type], metadata={"meaning": c.meaning}) for c in self.columns])

    def table(self, rows: Rows) -> Any:
        """The rows as a `pyarrow.Table`. Raises `MissingExtraError`."""
        pa = need("pyarrow", "frames")
        types, arrays = _types(pa), dict[str, Any]()
        for column in self.columns:
            if column.type == MOMENT:
                arrays |= _moments(pa, column.name, rows[column.name])
            elif column.type == AMOUNT:
                arrays |= _amounts(pa, column.name, rows[column.name])
            elif column.name not in arrays:
                arrays[column.name] = _array(pa, rows[column.name], types[column.type])
        return pa.Table.from_arrays([arrays[c.name] for c in self.columns], schema=self.schema())

    def empty(self) -> Rows:
        """A list for each column that is given."""
        derived = {f"{c.name}_text" for c in self.columns if c.type in (MOMENT, AMOUNT)}
        return {c.name: [] for c in self.columns if c.name not in derived}


def moment_column(name: str, meaning: str) -> tuple[Column, Column]:
    """A column of moments, and the one for the texts that it cannot hold."""
    text = f"`{name}` as written where that column cannot hold it: a leap second, or a year before 1678 or after 2261"
    return Column(name, MOMENT, meaning), Column(f"{name}_text", STRING, text)


def amount_column(name: str, meaning: str) -> tuple[Column, Column]:
    """A column of amounts, and the one for those that it cannot hold."""
    text = f"`{name}` where that column cannot hold it: more than 24 digits after the point, or more than 14 before it"
    return Column(name, AMOUNT, meaning), Column(f"{name}_text", STRING, text)


def number(value: int | float | Decimal | None) -> float | None:
    """A measured number as the nearest double; None where that would be infinite."""
    if value is None:
        return None
    try:
        found = float(value)
    except OverflowError:
        return None
    return None if found == float("inf") else found


def members(records: Iterable[object | None], name: str) -> list[Any]:
    """A member of each record; None where there is no record."""
    get = attrgetter(name)
    return [None if record is None else get(record) for record in records]


def joined(blocks: Blocks) -> str:
    """The text of the text blocks; at less cost where there is one block, as there mostly is."""
    if len(blocks) == 1 and isinstance(blocks[0], TextBlock):
        return blocks[0].text
    return text_of(blocks)


def incomplete(record: EnvelopeModel) -> bool:
    """Whether a capture state of a record says that a member is not complete."""
    return record.capture is not None and any(state.state != "complete" for state in record.capture.values())


def fits(amount: Decimal) -> Decimal | None:
    """The amount with the column's digits, or None where it would not be the same amount."""
    try:
        return amount.quantize(_UNIT, context=_EXACT)
    except (Inexact, InvalidOperation):
        return None


def _types(pa: Any) -> dict[str, Any]:
    amount = pa.decimal128(38, _PLACES)
    cost = pa.struct([("currency", pa.string()), ("amount", amount), ("amount_text", pa.string())])
    return {
        INTEGER: pa.int64(),
        FLAG: pa.bool_(),
        NUMBER: pa.float64(),
        STRING: pa.string(),
        TEXT: pa.large_string(),
        MOMENT: pa.timestamp("ns", tz="UTC"),
        AMOUNT: amount,
        NAMES: pa.list_(pa.string()),
        COSTS: pa.list_(cost),
    }


def _array(pa: Any, values: Sequence[Any], arrow_type: Any) -> Any:
    try:
        return pa.array(values, arrow_type)
    except UnicodeEncodeError:  # a broken record may hold a lone surrogate, which no column can
        return pa.array([_escaped(v) for v in values], arrow_type)


def _escaped(value: Any) -> Any:
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value


def _moments(pa: Any, name: str, texts: Sequence[str | None]) -> dict[str, Any]:
    pc = need("pyarrow.compute", "frames")
    given = _array(pa, texts, pa.string())
    first, last = _YEARS
    year, second = pc.utf8_slice_codeunits(given, 0, 4), pc.utf8_slice_codeunits(given, 17, 19)
    held = pc.match_substring_regex(given, TIMESTAMP_PATTERN)
    for rule in (pc.greater_equal(year, first), pc.less_equal(year, last), pc.not_equal(second, "60")):
        held = pc.and_(held, rule)
    none = pa.scalar(None, pa.string())
    return {
        name: pc.cast(pc.if_else(held, given, none), pa.timestamp("ns", tz="UTC")),
        f"{name}_text": pc.if_else(held, none, given),
    }


def _amounts(pa: Any, name: str, amounts: Iterable[int | float | Decimal | None]) -> dict[str, Any]:
    held: list[Decimal | None] = []
    texts: list[str | None] = []
    for amount in amounts:
        exact = None if amount is None else amount if isinstance(amount, Decimal) else Decimal(str(amount))
        fitting = None if exact is None else fits(exact)
        held.append(fitting)
        texts.append(str(exact) if exact is not None and fitting is None else None)
    return {
        name: pa.array(held, pa.decimal128(38, _PLACES)),
        f"{name}_text": pa.array(texts, pa.string()),
    }
