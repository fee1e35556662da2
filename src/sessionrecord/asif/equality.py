"""When two JSON values are equal: by value, not by spelling, and never through a double.

Member order, spacing and the spelling of a number mean nothing; the order of an array, the code points of a string and
the kind of a value do. `1`, `1.0` and `1e0` are one number, `0` and `-0` too; `true` is no number.
"""

from __future__ import annotations

from decimal import MAX_EMAX, Context, Decimal
from typing import Final, TypeAlias, TypeGuard

from sessionrecord import ijson

__all__ = ["first_difference", "json_equal"]

_Place: TypeAlias = "tuple[_Place, str | int] | None"
"""A place as a chain of steps back to the root, so that going one level down costs the same at any depth."""


def json_equal(left: ijson.JsonValue, right: ijson.JsonValue) -> bool:
    """Whether two JSON values are equal. Exact for numbers of any size; needs no stack, whatever the nesting."""
    return first_difference(left, right) is None


def first_difference(left: ijson.JsonValue, right: ijson.JsonValue) -> str | None:
    """JSON Pointer (RFC 6901) of the first value of `left`, in its order, that `right` lacks or has otherwise; None if the two are equal.

    A member that only `right` has is named after all members of `left` were found equal.
    """
    stack: list[tuple[_Place, ijson.JsonValue, ijson.JsonValue]] = [(None, left, right)]
    while stack:
        place, a, b = stack.pop()
        if isinstance(a, dict) and isinstance(b, dict):
            stack.extend(((place, name), a.get(name, _ABSENT), b[name]) for name in b if name not in a)
            stack.extend(((place, name), a[name], b.get(name, _ABSENT)) for name in reversed(a))
        elif isinstance(a, list | tuple) and isinstance(b, list | tuple):
            if len(a) != len(b):
                stack.append(((place, min(len(a), len(b))), _ABSENT, None))
            common = min(len(a), len(b))
            stack.extend(((place, i), a[i], b[i]) for i in range(common - 1, -1, -1))
        elif not _scalars_equal(a, b):
            return _pointer(place)
    return None


_ABSENT: Final = object()


def _scalars_equal(a: ijson.JsonValue, b: ijson.JsonValue) -> bool:
    if isinstance(a, str) and isinstance(b, str):
        return a == b
    if isinstance(a, bool) and isinstance(b, bool):
        return a == b
    if _is_number(a) and _is_number(b):
        return a == b if type(a) is type(b) is int else _number(a) == _number(b)
    return a is None and b is None


def _is_number(value: ijson.JsonValue) -> TypeGuard[float | Decimal]:
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)


def _number(value: float | Decimal) -> tuple[bool, str, Decimal]:
    """Sign, digits and exponent of a JSON number in the one form that all its spellings share.

    From the text, since a number such as `1e999999999999` can be spelled but not held.
    """
    if isinstance(value, ijson.JsonNumber):
        text = value.literal
    elif isinstance(value, float):
        text = repr(value)  # the shortest decimal that reads as this double: what its literal says
    else:
        text = str(Decimal(value))  # str(int) has a limit of digits
    mantissa, _, exponent = text.lower().partition("e")
    whole, _, fraction = mantissa.lstrip("-").partition(".")
    digits = (whole + fraction).lstrip("0")
    significant = digits.rstrip("0")
    if not significant:
        return False, "", Decimal(0)
    shift = len(digits) - len(significant) - len(fraction)
    # exponents have no limit of digits either: decimals add them exactly in linear time
    exact = Context(prec=len(exponent) + 20, Emax=MAX_EMAX)
    return mantissa.startswith("-"), significant, exact.add(Decimal(exponent or 0), Decimal(shift))


def _pointer(place: _Place) -> str:
    steps: list[str | int] = []
    while place is not None:
        place, step = place
        steps.append(step)
    return ijson.pointer(*reversed(steps))
