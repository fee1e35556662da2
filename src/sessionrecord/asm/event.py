"""The run-scoped envelope around everything that happens in a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Final, Self, cast

from pydantic import Field, GetCoreSchemaHandler, GetJsonSchemaHandler, ValidationError
from pydantic_core import CoreSchema, core_schema

from sessionrecord import ijson
from sessionrecord.asm.moments import now, to_utc
from sessionrecord.asm.payloads import PayloadModel, typed_payload
from sessionrecord.asm.scalars import Count, JsonObject, OffsetTimestamp, Provider, Trimmed, TrimmedName
from sessionrecord.asm.ulid import new_ulid
from sessionrecord.diagnostics import Diagnostic, excerpt
from sessionrecord.errors import IJsonError, InvalidRecordError
from sessionrecord.wire import WireModel, findings

__all__ = ["RunEvent"]

LINE: Final = "source line"
"""Where an event keeps the line it was read from; no member can have this name as an attribute."""


class _ByKind:
    """Types the payload by the `kind` beside it; a payload that is typed already passes."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.with_info_plain_validator_function(_by_kind)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {}


def _by_kind(value: Any, info: core_schema.ValidationInfo) -> Any:
    kind = info.data.get("kind")
    return value if kind is None else typed_payload(kind, value)


class RunEvent(WireModel):
    """One event of one run. Unknown members are kept in `extra` and written back.

    The attributes are the typed view: margins are gone, a provider's name is in its normal form, the payload is the
    model of its kind. An event that was read still writes what was read, byte for byte.

    `parse` reads one, `new` makes one that happens now. The constructor takes the members as they are, and fills in
    nothing; there None means absent.
    """

    id: Trimmed | None = None
    """Names the event. Two events of one ID are the same event, delivered twice."""
    kind: TrimmedName
    """What happened: one of the kinds in `PAYLOADS`, or a kind that this version does not know."""
    run_id: TrimmedName
    """The run."""
    session_id: TrimmedName
    """The session that the run belongs to; not the provider's."""
    provider: Provider | None = None
    """Who ran the agent."""
    payload: Annotated[Any, _ByKind()] = Field(default=None, validate_default=True)
    """What the kind says more: its model of `PAYLOADS`; the plain JSON value for an unknown kind."""
    core_event: Any = None
    """The event of the provider runtime that this one wraps, as plain JSON."""
    sequence: Count | None = None
    """Place in the run, as its sender counted."""
    provider_session_id: Trimmed | None = None
    """The provider's session."""
    correlation_id: Trimmed | None = None
    """What the event belongs to."""
    causation_id: Trimmed | None = None
    """What caused the event."""
    timestamp: OffsetTimestamp | None = None
    """When it happened, as given: RFC 3339 with `Z` or an offset."""
    metadata: JsonObject = Field(default_factory=dict)
    """Free data; joins the metadata of the run."""

    @classmethod
    def parse(cls, source: bytes | bytearray | memoryview | str | Mapping[str, Any]) -> RunEvent:
        """The event on a line of JSON, or that a JSON object holds. Nothing is filled in.

        Raises `InvalidRecordError` with everything that is wrong.
        """
        event, _, found = examine_event(_line_of(source))
        if event is None:
            raise InvalidRecordError(found)
        return event

    @classmethod
    def new(
        cls,
        kind: str,
        *,
        run_id: str,
        session_id: str,
        payload: PayloadModel | Mapping[str, Any] | Any = None,
        id: str | None = None,  # noqa: A002 -- the member's name
        timestamp: str | None = None,
        extra: Mapping[str, Any] | None = None,
        **members: Any,
    ) -> RunEvent:
        """An event that happens now: `id` is a fresh ULID and `timestamp` the present moment, unless given.

        Members of no definition go in `extra`. Raises `InvalidRecordError`.
        """
        for name in members:
            if name not in cls.model_fields:
                raise TypeError(f"RunEvent.new() got an unexpected keyword argument {name!r}")
        for name in extra or ():
            if name in cls.model_fields:
                rule = f"{excerpt(name)} is a member that the envelope defines: give it as an argument of its own"
                raise InvalidRecordError([_finding("value-invalid", rule, ijson.pointer(name))])
        return cls(
            id=new_ulid() if id is None else id,
            kind=kind,
            run_id=run_id,
            session_id=session_id,
            timestamp=now() if timestamp is None else timestamp,
            payload=payload,
            **members,
            **(extra or {}),
        )

    @property
    def extra(self) -> dict[str, Any]:
        """The members that the envelope does not define, as they came."""
        return self.model_extra or {}

    @property
    def timestamp_utc(self) -> str | None:
        """The timestamp in UTC with `Z`, with every digit of its fraction."""
        return None if self.timestamp is None else to_utc(self.timestamp)

    def to_line(self) -> bytes:
        """The event as a line, without the newline: the line that was read, or the members as they were given.

        Raises `IJsonError` where a member that was given holds what JSON cannot.
        """
        line = self.__dict__.get(LINE)
        return ijson.dumps(super().to_wire()) if line is None else line

    def to_wire(self) -> dict[str, ijson.JsonValue]:
        """The members as they stand on the line."""
        wire: dict[str, ijson.JsonValue] = ijson.loads(self.to_line())
        return wire

    def replace(self, **changes: Any) -> Self:
        """A copy with some members changed, the others as they were read; None takes one out.

        Raises `InvalidRecordError`.
        """
        wire = self.to_wire()
        for name, value in changes.items():
            if value is None and name in type(self).model_fields:
                wire.pop(name, None)
            else:
                wire[name] = value.to_wire() if isinstance(value, WireModel) else value
        return cast("Self", self.parse(wire))

    if not TYPE_CHECKING:

        def model_copy(self, *, update=None, deep=False):
            """A copy; what is updated is not validated, and the copy writes its members instead of a line."""
            copied = super().model_copy(update=update, deep=deep)
            if update:
                copied.__dict__.pop(LINE, None)
            return copied


def examine_event(line: bytes) -> tuple[RunEvent | None, ijson.JsonValue, list[Diagnostic]]:
    """The event on a bare line, the plain value of the line, and everything found in it. None is no valid event."""
    value, found = ijson.examine(line)
    notes = [_finding(f.code, f.message, f.pointer) for f in found]
    broken = any(f.is_error for f in found)
    if value is None and broken:
        return None, None, notes
    if not isinstance(value, dict):
        return None, value, [*notes, _finding("not-an-object", f"an event is a JSON object, not {excerpt(value)}")]
    try:
        event = RunEvent.model_validate(value, by_alias=True, by_name=False)
    except ValidationError as e:
        # the requirements of another standard say nothing of events
        return None, value, [*notes, *(replace(d, requirement=None) for d in findings(e))]
    vars(event)[LINE] = line
    return (None if broken else event), value, notes


def _line_of(source: bytes | bytearray | memoryview | str | Mapping[str, Any]) -> bytes:
    if isinstance(source, Mapping):
        try:
            return ijson.dumps(dict(source))
        except IJsonError as e:
            raise InvalidRecordError([_finding(e.code, e.reason, e.pointer)]) from None
    if isinstance(source, str):
        source = source.encode("utf-8", "surrogatepass")
    return bytes(source).removesuffix(b"\n").removesuffix(b"\r")


def _finding(code: str, message: str, pointer: str = "") -> Diagnostic:
    return replace(Diagnostic.of(code, message, pointer=pointer), requirement=None)
