"""Bytes to JSON values and back: strict I-JSON in, canonical bytes out. Knows nothing of records.

The cheap path is a proof: if writing what was read gives the line again, no object in it named a member twice (the
output of a writer cannot) and every number and escape is preserved. Only other lines take the exact pass.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal, InvalidOperation
from json import JSONDecodeError, JSONDecoder
from typing import Any, Final, TypeAlias

import orjson

from sessionrecord.diagnostics import CODES, excerpt
from sessionrecord.errors import IJsonError

__all__ = [
    "MAX_DEPTH",
    "MAX_SAFE_INTEGER",
    "Finding",
    "JsonNumber",
    "JsonValue",
    "dumps",
    "examine",
    "loads",
    "pointer",
]

JsonValue: TypeAlias = Any
"""A JSON value: dict, list, str, int, float, Decimal, bool or None."""

MAX_SAFE_INTEGER: Final = 2**53 - 1
"""The largest integer that every JSON reader holds exactly (RFC 7493, ASR-042)."""
MAX_DEPTH: Final = 254
"""Levels of nesting that are read and written; 200 are promised."""

_STRICT: Final = orjson.OPT_STRICT_INTEGER
_PLAIN: Final = orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_SUBCLASS
_INT_DIGITS: Final = 4000
UNREADABLE: Final = frozenset({"json-invalid", "utf8-invalid", "nul-bytes"})
"""Codes of lines that are no JSON text at all: a line that was cut is one of them."""
_NONZERO: Final = re.compile(r"-?[0.]*[1-9]")
_SURROGATE_ESCAPE: Final = re.compile(rb"\\u[dD][89a-fA-F]")
_NONCHARACTER: Final = re.compile(
    "[\ufdd0-\ufdef" + "".join(f"{chr(p * 0x10000 + 0xFFFE)}{chr(p * 0x10000 + 0xFFFF)}" for p in range(17)) + "]"
)
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


class JsonNumber(Decimal):
    """A decimal that keeps the literal it was read from, so that `1e2` and `-0` are written back as they were."""

    __slots__ = ("literal",)

    literal: str
    """The JSON number as written."""

    def __new__(cls, literal: str) -> JsonNumber:
        """The number with the literal it was read from."""
        try:
            self = super().__new__(cls, literal)
        except InvalidOperation:  # an exponent too large even for Decimal
            self = super().__new__(cls, str(float(literal)))
        self.literal = literal
        return self

    def __str__(self) -> str:
        return self.literal

    def __reduce__(self) -> tuple[type[JsonNumber], tuple[str]]:
        return JsonNumber, (self.literal,)

    def __copy__(self) -> JsonNumber:
        return self

    def __deepcopy__(self, memo: object) -> JsonNumber:
        return self


@dataclass(frozen=True, slots=True)
class Finding:
    """Something I-JSON forbids or warns of, at a place in a value."""

    code: str
    """A key of `sessionrecord.diagnostics.CODES`."""
    pointer: str
    """JSON Pointer of the offending value; of the member, for a name."""
    message: str
    """The rule in words."""

    @property
    def is_error(self) -> bool:
        """Whether the line is invalid because of it."""
        return CODES[self.code].severity == "error"


def pointer(*parts: str | int) -> str:
    """A JSON Pointer (RFC 6901) from member names and indexes. An unpaired surrogate in a name is escaped, so that it can be written."""
    text = "".join("/" + str(p).replace("~", "~0").replace("/", "~1") for p in parts)
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def has_noncharacter_bytes(data: bytes) -> bool:
    """Whether `data` may hold a noncharacter in raw UTF-8; false means that it does not."""
    # a search for one byte is many times faster than for two, and most often enough
    if b"\xbf" in data and (b"\xbf\xbe" in data or b"\xbf\xbf" in data):
        return True
    return b"\xef" in data and b"\xef\xb7" in data


def prove(line: bytes) -> JsonValue:
    """The value of a canonical or evenly spaced line that holds nothing to report, noncharacters aside.

    Raises `ValueError` or `TypeError` for any other line: `examine` says what it is.
    """
    value = orjson.loads(line)
    canonical = orjson.dumps(value, option=_STRICT)
    if canonical != line and canonical.translate(None, b" ") != line.translate(None, b" "):
        raise ValueError
    return value


def examine(line: bytes) -> tuple[JsonValue, list[Finding]]:
    """The value of a line and everything I-JSON has to say of it (ASR-041, spec section 1).

    With an error among the findings the value is the best that could be read, or None.
    """
    try:
        value = prove(line)
    except (ValueError, TypeError):
        return _exact(line)
    return value, (list(_walk(value)) if has_noncharacter_bytes(line) else [])


def loads(line: bytes) -> JsonValue:
    """The value of a line of strict I-JSON.

    Integers are `int`, numbers whose literal is a double's shortest form `float`, all others `JsonNumber` (a `Decimal`).

    Raises `IJsonError` at the first error.
    """
    value, findings = examine(line)
    for finding in findings:
        if finding.is_error:
            raise IJsonError(finding.code, finding.pointer, finding.message)
    return value


def refuse_foreign(value: JsonValue) -> None:
    """Raise `IJsonError` where a value holds what is no JSON value, though orjson would write it: an enum, a UUID."""
    fault = next(_unwritable(value), None)
    if fault is not None:
        raise fault


def dumps(value: JsonValue, *, indent: bool = False) -> bytes:
    """The canonical bytes of a JSON value: no spaces, members in their order, every number as it was read.

    With `indent` the same over several lines, for people.

    Raises `IJsonError` for what JSON or I-JSON cannot hold: NaN, lone surrogates, other Python objects, names that are not strings.
    """
    try:
        line = orjson.dumps(value, default=_number, option=_PLAIN | (orjson.OPT_INDENT_2 if indent else 0))
    except (TypeError, ValueError):
        return _dumps_exact(value, indent)
    if b"null" in line:  # orjson writes NaN and the infinities as null
        _refuse_not_finite(value)
    return line


def dumps_plain(value: JsonValue) -> tuple[bytes, JsonValue] | None:
    """The canonical bytes and what they read as, in a fraction of the time that `dumps` and `examine` take.

    None where `dumps` or `examine` may have anything to say.
    """
    try:
        line = orjson.dumps(value, option=_PLAIN | _STRICT)
    except (TypeError, ValueError):
        return None
    again = orjson.loads(line)
    # NaN is written as null; an enum or a UUID as text
    return None if again != value or has_noncharacter_bytes(line) else (line, again)


def _number(value: object) -> orjson.Fragment:
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise IJsonError("number-not-finite", "", f"{value} is not a JSON number")
        return orjson.Fragment(_literal(value))
    raise TypeError


def _literal(value: Decimal) -> str:
    if isinstance(value, JsonNumber):
        return value.literal
    return str(value).replace("E", "e")


def _dumps_exact(value: JsonValue, indent: bool) -> bytes:
    refuse_foreign(value)
    try:
        return orjson.dumps(
            _fragments(value, 0), default=_number, option=_PLAIN | (orjson.OPT_INDENT_2 if indent else 0)
        )
    except (TypeError, ValueError, RecursionError) as e:
        raise IJsonError("nesting-too-deep", "", f"deeper than {MAX_DEPTH} levels") from e


def _fragments(value: JsonValue, depth: int) -> JsonValue:
    # integers beyond 64 bits are the one thing that orjson has no hook for
    if depth > MAX_DEPTH:
        raise RecursionError
    if type(value) is int:
        return (
            orjson.Fragment(str(Decimal(value))) if value.bit_length() > 63 else value
        )  # str(int) has a limit of digits
    if isinstance(value, dict):
        return {k: _fragments(v, depth + 1) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_fragments(v, depth + 1) for v in value]
    return value


def _refuse_not_finite(value: JsonValue) -> None:
    for place, item in _items(value):
        if isinstance(item, float) and (item != item or item in (float("inf"), float("-inf"))):
            raise IJsonError("number-not-finite", pointer(*place), f"{item} is not a JSON number")


def _unwritable(value: JsonValue) -> Iterator[IJsonError]:
    for place, item in _items(value):
        if isinstance(item, float) and (item != item or item in (float("inf"), float("-inf"))):
            yield IJsonError("number-not-finite", pointer(*place), f"{item} is not a JSON number")
        elif isinstance(item, str) and _SURROGATE.search(item):
            yield IJsonError("lone-surrogate", pointer(*place), "an unpaired surrogate cannot be written")
        elif isinstance(item, dict):
            for name in item:
                if type(name) is not str:
                    yield IJsonError(
                        "type-invalid", pointer(*place), f"the member name {excerpt(name)} is not a string"
                    )
                elif _SURROGATE.search(name):
                    yield IJsonError("lone-surrogate", pointer(*place, name), "an unpaired surrogate cannot be written")
        elif isinstance(item, Decimal):
            if not item.is_finite():
                yield IJsonError("number-not-finite", pointer(*place), f"{item} is not a JSON number")
        elif item is not None and type(item) not in (str, int, float, bool, list, tuple):
            hint = "; write a time as text: 2026-01-31T09:30:00Z" if isinstance(item, datetime) else ""
            yield IJsonError("type-invalid", pointer(*place), f"a {type(item).__name__} is not a JSON value{hint}")


def _items(value: JsonValue) -> Iterator[tuple[tuple[str | int, ...], JsonValue]]:
    # iterative, so that hostile nesting cannot exhaust the stack; a value that holds itself ends at the depth limit
    stack: list[tuple[tuple[str | int, ...], JsonValue]] = [((), value)]
    while stack:
        place, item = stack.pop()
        yield place, item
        if len(place) > MAX_DEPTH:
            continue
        if isinstance(item, dict):
            stack.extend([((*place, str(k)), v) for k, v in item.items()][::-1])
        elif isinstance(item, list | tuple):
            stack.extend([((*place, i), v) for i, v in enumerate(item)][::-1])


class _NotJsonError(ValueError):
    pass


def _constant(name: str) -> object:
    raise _NotJsonError(f"{name} is not a JSON value")


def _integer(literal: str) -> int | JsonNumber:
    return JsonNumber(literal) if literal == "-0" or len(literal) > _INT_DIGITS else int(literal)


def _float(literal: str) -> float | JsonNumber:
    value = float(literal)
    return value if literal.encode() == orjson.dumps(value) else JsonNumber(literal)


def _pairs_hook(
    repeated: dict[int, tuple[dict[str, JsonValue], list[str]]],
) -> Callable[[list[tuple[str, JsonValue]]], dict[str, JsonValue]]:
    def make(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
        members = dict(pairs)
        if len(members) != len(pairs):
            times = Counter(name for name, _ in pairs)
            repeated[id(members)] = members, [name for name, n in times.items() if n > 1]
        return members

    return make


def _exact(line: bytes) -> tuple[JsonValue, list[Finding]]:
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as e:
        return None, [
            Finding(
                "utf8-invalid", "", f"byte {e.start} of the line is not UTF-8 ({line[e.start : e.start + 1].hex()})"
            )
        ]
    repeated: dict[int, tuple[dict[str, JsonValue], list[str]]] = {}
    decoder = JSONDecoder(
        object_pairs_hook=_pairs_hook(repeated), parse_int=_integer, parse_float=_float, parse_constant=_constant
    )
    try:
        value = decoder.decode(text)
    except RecursionError:
        return None, [Finding("nesting-too-deep", "", f"deeper than {MAX_DEPTH} levels")]
    except JSONDecodeError as e:
        if "\0" in text:
            return None, [Finding("nul-bytes", "", f"{text.count(chr(0))} NUL bytes in the line")]
        return None, [Finding("json-invalid", "", f"{_reason(e).removesuffix(' at')} at character {e.pos}")]
    except _NotJsonError as e:
        return None, [Finding("json-invalid", "", str(e))]
    if line.count(b"[") + line.count(b"{") > MAX_DEPTH and any(
        len(p) >= MAX_DEPTH and isinstance(v, dict | list) for p, v in _items(value)
    ):
        return None, [Finding("nesting-too-deep", "", f"deeper than {MAX_DEPTH} levels")]
    return value, list(_walk(value, repeated))


def _reason(error: JSONDecodeError) -> str:
    if error.msg == "Extra data":
        return "a second JSON text follows the first"
    return error.msg[:1].lower() + error.msg[1:]


def _walk(
    value: JsonValue, repeated: dict[int, tuple[dict[str, JsonValue], list[str]]] | None = None
) -> Iterator[Finding]:
    for place, item in _items(value):
        if isinstance(item, str):
            yield from _in_string(item, pointer(*place))
        elif isinstance(item, dict):
            for name in (repeated or {}).get(id(item), (item, []))[1]:
                yield Finding("duplicate-member", pointer(*place, name), f"{excerpt(name)} is there twice")
            for name in item:
                yield from _in_string(name, pointer(*place, name))
        elif isinstance(item, JsonNumber):
            double = float(item.literal)
            if item.literal.lstrip("-").isdigit():
                if item.copy_abs() > MAX_SAFE_INTEGER:
                    yield Finding(
                        "number-out-of-range", pointer(*place), f"{excerpt(item)} is beyond 2^53-1; its digits are kept"
                    )
            elif double in (float("inf"), float("-inf")):
                yield Finding("number-not-finite", pointer(*place), f"{excerpt(item)} is beyond the range of a double")
            elif Decimal(repr(double)) != item or (
                not double and _NONZERO.match(item.literal)  # an exponent too small even for Decimal
            ):
                yield Finding(
                    "number-out-of-range", pointer(*place), f"a double cannot hold {excerpt(item)}; its digits are kept"
                )
        elif type(item) is int and not -MAX_SAFE_INTEGER <= item <= MAX_SAFE_INTEGER:
            yield Finding(
                "number-out-of-range", pointer(*place), f"{excerpt(item)} is beyond 2^53-1; its digits are kept"
            )


def _in_string(text: str, place: str) -> Iterator[Finding]:
    if text.isascii():
        return
    surrogate = _SURROGATE.search(text)
    if surrogate:
        yield Finding("lone-surrogate", place, f"unpaired surrogate U+{ord(surrogate.group()):04X}")
    noncharacter = _NONCHARACTER.search(text)
    if noncharacter:
        yield Finding("noncharacter", place, f"noncharacter U+{ord(noncharacter.group()):04X}; it is kept")
