"""How records, entities and sessions are named: session keys, session references, refs (spec section 3)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote, unquote

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from sessionrecord.diagnostics import excerpt
from sessionrecord.errors import RefError

__all__ = [
    "ENTITY_KEYS",
    "ENTITY_KEY_OF_TYPE",
    "Ref",
    "SessionKey",
    "SessionReference",
    "SessionReferenceStr",
    "is_ambiguous_id",
]

ENTITY_KEY_OF_TYPE: Final[dict[str, str]] = {
    "message": "messageId",
    "tool_call": "callId",
    "tool_result": "callId",
    "compaction": "compactionId",
    "model_call": "modelCallId",
    "usage": "modelCallId",
    "terminal": "terminalId",
    "plan": "planId",
    "permission_request": "permissionId",
    "permission_decision": "permissionId",
    "question": "questionId",
    "answer": "questionId",
    "delivery": "deliveryId",
    "memory_write": "memoryId",
}
"""Record type to the member that identifies its entity. Such a member on any other type is a link."""

ENTITY_KEYS: Final[dict[str, str]] = {}
"""Entity key name to the record type that a ref with it names: the first one listed for it."""
for _type, _key in ENTITY_KEY_OF_TYPE.items():
    ENTITY_KEYS.setdefault(_key, _type)

_PART: Final = r"((?:[A-Za-z0-9._~-]|%[0-9A-Fa-f]{2})*)"
_REFERENCE: Final = re.compile(rf"asr:{_PART}/{_PART}/{_PART}(?:#{_PART})?")


def is_ambiguous_id(record_id: str) -> bool:
    """Whether a record ID would be read as an entity ref: it begins with a known entity key and `=`."""
    key, equals, _ = record_id.partition("=")
    return bool(equals) and key in ENTITY_KEYS


@dataclass(frozen=True, slots=True)
class Ref:
    """A record ID, or an entity key and its value; names something within one stream. [S] "Ref".

    Make one with `record`, `entity` or `parse`.
    """

    value: str
    """The record ID, or the value of the entity key."""
    key: str | None = None
    """The entity key's name (`messageId`, `callId` …), or None for a record ID."""

    def __post_init__(self) -> None:
        if self.key is None:
            if not self.value:
                raise RefError("a record ID is not empty")
            if is_ambiguous_id(self.value):
                raise RefError(f"the record ID {excerpt(self.value)} reads as an entity ref")
        elif self.key not in ENTITY_KEYS:
            raise RefError(f"{excerpt(self.key)} is not an entity key; the keys are {', '.join(ENTITY_KEYS)}")

    @classmethod
    def record(cls, record_id: str) -> Ref:
        """The ref of a record by its `id`. Raises `RefError` if the ID is empty or would read as an entity ref."""
        return cls(record_id)

    @classmethod
    def entity(cls, key: str, value: str) -> Ref:
        """The ref of an entity by its key, such as `Ref.entity("messageId", "m1")`. Raises `RefError` for an unknown key."""
        return cls(value, key)

    @classmethod
    def parse(cls, text: str) -> Ref:
        """A ref from its string. The first `=` splits, and only after a known entity key. Raises `RefError` if empty."""
        key, equals, value = text.partition("=")
        return cls(value, key) if equals and key in ENTITY_KEYS else cls(text)

    def __str__(self) -> str:
        return self.value if self.key is None else f"{self.key}={self.value}"


@dataclass(frozen=True, slots=True)
class SessionKey:
    """The triple that identifies a session. [S] "Session key"."""

    agent: str
    """The agent's name."""
    namespace: str | None
    """What the session ID is unique in; None means that the agent has no namespaces."""
    session_id: str
    """The agent's own ID of the session."""

    def __post_init__(self) -> None:
        if self.namespace == "":
            raise RefError("a namespace is null or not empty")


@dataclass(frozen=True, slots=True)
class SessionReference:
    """A session key with an optional ref into the session: `asr:agent/namespace/sessionId#ref`. [S] "Session reference".

    Each part is percent-encoded, RFC 3986 unreserved characters stay; a null namespace is an empty part.
    """

    key: SessionKey
    """The session."""
    ref: Ref | None = None
    """What is meant within it."""

    @classmethod
    def parse(cls, text: str) -> SessionReference:
        """A reference from its string. Raises `RefError` with what is wrong."""
        match = _REFERENCE.fullmatch(text)
        if match is None:
            raise RefError(
                f"{excerpt(text)} is not asr:agent/namespace/sessionId, with an optional #ref, percent-encoded"
            )
        try:
            agent, namespace, session_id, ref = (
                None if p is None else unquote(p, errors="strict") for p in match.groups()
            )
        except UnicodeDecodeError:
            raise RefError(f"{excerpt(text)} holds percent-encoded bytes that are not UTF-8") from None
        return cls(
            SessionKey(agent or "", namespace or None, session_id or ""), None if ref is None else Ref.parse(ref)
        )

    def __str__(self) -> str:
        try:
            parts = [quote(p, safe="") for p in (self.key.agent, self.key.namespace or "", self.key.session_id)]
            tail = "" if self.ref is None else "#" + quote(str(self.ref), safe="")
        except UnicodeEncodeError:
            raise RefError("a session key holds an unpaired surrogate") from None
        return f"asr:{'/'.join(parts)}{tail}"


class SessionReferenceStr:
    """Marks a string member as a session reference; any other string gets `session-reference-invalid`."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.custom_error_schema(
            core_schema.no_info_after_validator_function(_check_reference, core_schema.str_schema(strict=True)),
            custom_error_type="session-reference-invalid",
            custom_error_message="must be a session reference, asr:agent/namespace/sessionId",
        )


def _check_reference(text: str) -> str:
    try:
        SessionReference.parse(text)
    except RefError as e:
        raise PydanticCustomError("session-reference-invalid", "not a session reference") from e
    return text
