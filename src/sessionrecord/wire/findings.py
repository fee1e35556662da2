"""What pydantic finds, as diagnostics with our codes, JSON Pointers and words."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

from pydantic import ValidationError

from sessionrecord import ijson
from sessionrecord.diagnostics import CODES, Diagnostic, excerpt
from sessionrecord.errors import InvalidRecordError
from sessionrecord.wire.names import squash

__all__ = ["KNOWN", "UNKNOWN", "findings", "invalid"]

KNOWN: Final = "\0known"
UNKNOWN: Final = "\0unknown"
"""Labels of the two arms of an open union in error places: first, or after an index, where no member name can stand."""

_CODE_OF_ERROR: Final = {
    "missing": "member-missing",
    "string_too_short": "value-invalid",
    "string_pattern_mismatch": "value-invalid",
    "literal_error": "value-invalid",
    "greater_than_equal": "value-invalid",
    "too_short": "value-invalid",
    "value_error": "value-invalid",
    "one_of": "value-invalid",
}
_JSON_TYPE_NAMES: Final = {
    "string_type": "a string",
    "list_type": "an array",
    "dict_type": "an object",
    "model_type": "an object",
    "model_attributes_type": "an object",
    "bool_type": "true or false",
    "int_type": "an integer",
}


def findings(error: ValidationError) -> Iterator[Diagnostic]:
    """The errors of pydantic as diagnostics with our codes, JSON Pointers and words."""
    for e in _one_arm(error.errors(include_url=False, include_context=False)):
        place = _place(e["loc"])
        kind, given = e["type"], e["input"]
        if kind == "string_unicode":  # reported as lone-surrogate when the line was read
            continue
        if kind != "missing" and given is None:
            code, rule = "null-not-allowed", "null has no meaning here; leave the member out"
        elif kind in CODES:
            code, rule = kind, f"{e['msg']}, not {excerpt(given)}"
        elif kind == "missing":
            code, rule = "member-missing", f"the member is required{_instead(place[-1], given)}"
        elif kind in _JSON_TYPE_NAMES or kind.endswith("_type"):
            code, rule = (
                "type-invalid",
                f"must be {_JSON_TYPE_NAMES.get(kind, 'another JSON type')}, not {excerpt(given)}",
            )
        elif kind == "string_too_short":
            code, rule = "value-invalid", "must not be empty"
        else:
            code, rule = (
                _CODE_OF_ERROR.get(kind, "value-invalid"),
                f"{e['msg'][:1].lower()}{e['msg'][1:]}, not {excerpt(given)}",
            )
        name = str(place[-1]) if place else "the record"
        name = name if name.isprintable() and len(name) <= 40 else excerpt(name)
        yield Diagnostic.of(code, f"{name}: {rule}", pointer=ijson.pointer(*place))


def _instead(name: int | str, members: Any) -> str:
    """The member that someone may have written instead of the missing one."""
    if not isinstance(members, dict) or not isinstance(name, str):
        return ""
    from difflib import get_close_matches  # for the rare error only, and slow to import

    given = [m for m in islice(members, 100) if isinstance(m, str) and len(m) <= 2 * len(name)]
    squashed = squash(name)
    near = [m for m in given if squash(m) == squashed] or get_close_matches(name, given, 1, 0.8)
    return f"; {excerpt(near[0])} is another name" if near else ""


def _one_arm(errors: list[Any]) -> Iterator[Any]:
    """Of an open union's errors only those of the arm that the tag chose."""
    arms = [_arm(e["loc"]) for e in errors]
    refused = {e["loc"][:at] for e, at in zip(errors, arms, strict=True) if e["type"] == "known-tag"}
    for e, at in zip(errors, arms, strict=True):
        if at is None or (e["loc"][at] == KNOWN) == (e["loc"][:at] in refused):
            yield e


def _place(loc: tuple[int | str, ...]) -> list[int | str]:
    at = _arm(loc)
    if at is None:
        return list(loc)
    return [*loc[:at], *_place(loc[at + (2 if loc[at] == KNOWN else 1) :])]  # after KNOWN comes the tag


def _arm(loc: tuple[int | str, ...]) -> int | None:
    """Where the first label of an arm stands."""
    for i, part in enumerate(loc):
        if part in (KNOWN, UNKNOWN) and (i == 0 or isinstance(loc[i - 1], int)):
            return i
    return None


def invalid(error: ValidationError) -> InvalidRecordError:
    """The error to raise for members that break the rules of their model."""
    return InvalidRecordError(list(findings(error)))
