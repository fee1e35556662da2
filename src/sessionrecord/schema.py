"""The models as JSON Schema (draft 2020-12), for tools that do not run Python.

A schema says what reading says: what is an error here is invalid there. It sees values only, so what concerns bytes and literals
(UTF-8, duplicate members, unpaired surrogates, `1.0` for an integer, `1e400`) is beyond it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal, TypeAlias

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from sessionrecord.bundle.manifest import LENIENT_OF_PRODUCER, Manifest
from sessionrecord.records import Record, SessionHeader
from sessionrecord.records.content import UnknownTag
from sessionrecord.wire import WireModel

__all__ = ["SCHEMAS", "SchemaName", "json_schema"]

SchemaName: TypeAlias = Literal["record", "header", "manifest"]
"""What there is a schema of: any record, the session header alone, or the manifest of a bundle."""

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_MORE: Final = "%[89ABab][0-9A-Fa-f]"
_ENCODED: Final = (
    "%[0-7][0-9A-Fa-f]"
    f"|%(?:[Cc][2-9A-Fa-f]|[Dd][0-9A-Fa-f]){_MORE}"
    f"|%[Ee](?:0%[ABab][0-9A-Fa-f]|[1-9A-Ca-cEFef]{_MORE}|[Dd]%[89][0-9A-Fa-f]){_MORE}"
    f"|%[Ff](?:0%[9ABab][0-9A-Fa-f]|[1-3]{_MORE}|4%8[0-9A-Fa-f]){_MORE}{_MORE}"
)
"""A character outside of RFC 3986's unreserved ones, as percent-encoded UTF-8."""
_PART: Final = f"(?:[A-Za-z0-9._~-]|{_ENCODED})"
_SESSION_REFERENCE: Final = f"^asr:{_PART}*/{_PART}*/{_PART}*(?:#{_PART}+)?$"
_NO_NEWLINE: Final[dict[str, Any]] = {"type": "string", "pattern": "\\n"}
"""To some validators `$` also matches before a last newline."""


class _Generator(GenerateJsonSchema):
    """What pydantic knows, and what our markers say beyond it."""

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        made = super().model_schema(schema)
        cls = schema["cls"]
        lenient = cls.lenient_members if issubclass(cls, WireModel) else frozenset[str]()
        for name, member in made.get("properties", {}).items():
            member.pop("title", None)
            member.pop("default", None)  # absent is unknown, never null
            if name in lenient:
                _allow_null(member)
        for field in cls.model_fields.values():
            for mark in field.metadata:
                if isinstance(mark, UnknownTag):
                    made["properties"]["type"]["not"] = {"enum": sorted(mark.known)}
        return made

    def custom_error_schema(self, schema: core_schema.CustomErrorSchema) -> JsonSchemaValue:
        made = super().custom_error_schema(schema)
        if schema["custom_error_type"] == "session-reference-invalid":
            return {**made, "pattern": _SESSION_REFERENCE, "not": _NO_NEWLINE}
        return made


def _allow_null(member: dict[str, Any]) -> None:
    if isinstance(member.get("type"), str) and "enum" not in member:
        member["type"] = [member["type"], "null"]
    else:
        rule = dict(member)
        member.clear()
        member["anyOf"] = [rule, {"type": "null"}]


def _tidy(node: Any) -> None:
    """Say unions by their tag, so that a validator's message is about the type that was meant."""
    if isinstance(node, list):
        for item in node:
            _tidy(item)
    elif isinstance(node, dict):
        arms = node.get("anyOf")
        if isinstance(arms, list) and isinstance(arms[0], dict) and "discriminator" in arms[0]:
            del node["anyOf"]
            node.update(_by_tag(arms[0]["discriminator"]["mapping"], arms[1]))
        if isinstance(node.get("pattern"), str) and node["pattern"].endswith("$") and "not" not in node:
            node["not"] = _NO_NEWLINE
        for item in node.values():
            _tidy(item)


def _by_tag(known: dict[str, str], unknown: dict[str, Any]) -> dict[str, Any]:
    tagged = [{"if": _if_type({"const": tag}), "then": {"$ref": ref}} for tag, ref in sorted(known.items())]
    return {"type": "object", "allOf": [*tagged, {"if": _if_type({"enum": sorted(known)}), "else": unknown}]}


def _if_type(rule: dict[str, Any]) -> dict[str, Any]:
    return {"required": ["type"], "properties": {"type": rule}}


def _record() -> dict[str, Any]:
    made = TypeAdapter[Any](Record).json_schema(schema_generator=_Generator)
    made["title"] = "ASR record"
    made["description"] = "Any record of a stream; a type that is not known here is accepted with its envelope."
    return made


def _header() -> dict[str, Any]:
    made = TypeAdapter(SessionHeader).json_schema(schema_generator=_Generator)
    made["title"] = "ASR session header"
    return made


def _manifest() -> dict[str, Any]:
    made = TypeAdapter(Manifest).json_schema(schema_generator=_Generator)
    made["title"] = "ASR bundle manifest"
    made["required"] = ["streams"]
    for name, member in made["$defs"]["Producer"]["properties"].items():
        if name in LENIENT_OF_PRODUCER:
            _allow_null(member)
    return made


SCHEMAS: Final[dict[SchemaName, Callable[[], dict[str, Any]]]] = {
    "record": _record,
    "header": _header,
    "manifest": _manifest,
}
"""Name to what makes the schema."""


def json_schema(name: SchemaName = "record") -> dict[str, Any]:
    """The JSON Schema of any record, of the session header, or of a bundle's manifest. Raises `ValueError` for another name."""
    if name not in SCHEMAS:
        raise ValueError(f"there is no schema {name!r}; there are {', '.join(SCHEMAS)}")
    made = SCHEMAS[name]()
    _tidy(made)
    return {"$schema": _DIALECT, **made}
