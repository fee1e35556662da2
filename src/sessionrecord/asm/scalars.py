"""Annotated types of the envelope and the payloads: strings without their margins, counts, members where null means the default."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Final, TypeAlias

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, core_schema

__all__ = [
    "KNOWN_PROVIDERS",
    "BooleanOrNull",
    "Count",
    "JsonObject",
    "NullAs",
    "OffsetTimestamp",
    "Provider",
    "Trimmed",
    "TrimmedName",
]

KNOWN_PROVIDERS: Final = ("amp", "antigravity", "claude", "codex", "cursor")
"""The providers that the envelope normalizes: margins and case do not count, and `codex_exec` reads as `codex`."""
_ALIASES: Final = {"codex_exec": "codex"}

_DAY: Final = r"(?:0[1-9]|[12][0-9]|3[01])"
_DATE: Final = (
    rf"(?:[0-9]{{4}}-(?:(?:0[13578]|1[02])-{_DAY}|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))"
    r"|(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)"
)
TIMESTAMP_PATTERN: Final = (
    rf"^{_DATE}[Tt ](?:[01][0-9]|2[0-3]):[0-5][0-9]:(?:[0-5][0-9]|60)(?:\.[0-9]+)?"
    r"(?:[Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])$"
)
"""RFC 3339 date-time: real calendar dates, any fraction, and an offset, which must be there."""


@dataclass(frozen=True, slots=True)
class _Member:
    """Replaces the annotated type's schema by one that fails with the code and the rule given."""

    schema: CoreSchema
    code: str
    rule: str
    json_schema: dict[str, Any]

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.custom_error_schema(self.schema, custom_error_type=self.code, custom_error_message=self.rule)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return dict(self.json_schema)

    def __hash__(self) -> int:
        return id(self)


@dataclass(frozen=True, slots=True)
class NullAs:
    """Lets null stand for a member's default: validates as the annotated type, and reads null as `make()`.

    Whatever else is wrong fails with `code` and the rule in words.
    """

    make: Callable[[], Any]
    """Makes the value that null stands for."""
    code: str
    """A key of `sessionrecord.diagnostics.CODES`."""
    rule: str
    """The rule in words, beginning with "must"."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        make = self.make
        null = core_schema.chain_schema(
            [core_schema.none_schema(), core_schema.no_info_plain_validator_function(lambda _: make())]
        )
        value = handler(source)
        # null is tried last, where it costs nothing; but first where anything would take it
        choices = [null, value] if value["type"] == "any" else [value, null]
        either = core_schema.union_schema([*choices], mode="left_to_right")
        return core_schema.custom_error_schema(either, custom_error_type=self.code, custom_error_message=self.rule)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        either: Any = schema
        value = either["schema"]["choices"][0]
        return {} if value["type"] == "chain" else {"anyOf": [handler(value), {"type": "null"}]}


def _provider(name: str) -> str:
    known = name.strip().lower()
    known = _ALIASES.get(known, known)
    if known in KNOWN_PROVIDERS:
        return known
    if not known:
        raise ValueError
    return name


Trimmed: TypeAlias = Annotated[
    str,
    _Member(
        core_schema.str_schema(strict=True, strip_whitespace=True),
        "type-invalid",
        "must be a string or null",
        {"type": "string"},
    ),
]
"""A string whose margins do not count."""

TrimmedName: TypeAlias = Annotated[
    str,
    _Member(
        core_schema.str_schema(strict=True, strip_whitespace=True, min_length=1),
        "value-invalid",
        "must be a string that is not blank",
        {"type": "string", "minLength": 1},
    ),
]
"""A string whose margins do not count, and that holds more than margins."""

Count: TypeAlias = Annotated[
    int,
    _Member(
        core_schema.int_schema(strict=True, ge=0),
        "integer-invalid",
        "must be an integer from 0",
        {"type": "integer", "minimum": 0},
    ),
]
"""A JSON integer that is not negative, of any size."""

Provider: TypeAlias = Annotated[
    str,
    _Member(
        core_schema.union_schema(
            [
                core_schema.literal_schema(list(KNOWN_PROVIDERS)),
                core_schema.chain_schema(
                    [core_schema.str_schema(strict=True), core_schema.no_info_plain_validator_function(_provider)]
                ),
            ],
            mode="left_to_right",
        ),
        "value-invalid",
        "must be the name of a provider or null",
        {"type": "string", "minLength": 1, "examples": list(KNOWN_PROVIDERS)},
    ),
]
"""Who ran the agent. An open name: one of `KNOWN_PROVIDERS` in its normal form, any other as given."""

OffsetTimestamp: TypeAlias = Annotated[
    str,
    _Member(
        core_schema.str_schema(strict=True, pattern=TIMESTAMP_PATTERN),
        "timestamp-invalid",
        "must be an RFC 3339 timestamp with Z or an offset",
        {"type": "string", "pattern": TIMESTAMP_PATTERN},
    ),
]
"""A moment as given, with its offset and every digit of its fraction."""


class _Object:
    """Takes an object as it is: one that was read from JSON has no names to check, and copying it is what costs."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.is_instance_schema(dict)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {"type": "object"}


JsonObject: TypeAlias = Annotated[dict[str, Any], _Object(), NullAs(dict, "type-invalid", "must be an object or null")]
"""An object with free names; null reads as an empty one."""

BooleanOrNull: TypeAlias = Annotated[bool, NullAs(bool, "type-invalid", "must be true, false or null")]
"""True or false; null reads as false."""
