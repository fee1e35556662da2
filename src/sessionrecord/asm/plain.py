"""The short way from a line to what is in it, for the lines that hold nothing unusual.

The models decide what an event is. What is here makes the same event as they do, in half the time, or leaves the line to
them: a run says the same of itself in every event, and nine events in ten are a piece of streamed text. A fold needs no
event, only its members, and takes them before one is made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any, Final, TypeAlias, cast

import orjson
from pydantic import BaseModel, TypeAdapter

from sessionrecord.asm.event import LINE, RunEvent
from sessionrecord.asm.parse import InvalidEvent
from sessionrecord.asm.payloads import PAYLOADS, AssistantDeltaPayload, typed_payload
from sessionrecord.asm.scalars import KNOWN_PROVIDERS, OffsetTimestamp

__all__ = ["Closely", "PlainMembers", "read_events", "read_members"]

_PROVIDERS: Final = frozenset((None, *KNOWN_PROVIDERS))
_REMEMBERED: Final = 1000
_EVENT_DEFAULTS: Final[dict[str, Any]] = dict.fromkeys(RunEvent.model_fields)
_DELTA_DEFAULTS: Final[dict[str, Any]] = {"metadata": None, "content": "", "index": None, "format": "text"}
_NAMES: Final = frozenset({"run_id", "session_id", "provider_session_id", "correlation_id", "causation_id"})

# what a model is made of beside its members: the names of those given, the unknown ones, private attributes (none)
_SLOTS: Final = tuple(
    BaseModel.__dict__[name].__set__
    for name in ("__pydantic_fields_set__", "__pydantic_extra__", "__pydantic_private__")
)
Shape: TypeAlias = tuple[set[str], dict[str, Any], tuple[str, ...]]
"""The members of an object, the defaults of those that it lacks, and which of its members are names in the run."""
PlainMembers: TypeAlias = dict[str, Any]
"""The members of an event as they stand on its line, all of them valid. The payload is the model of its kind, but that of
a delta stays the plain object it is."""
Closely: TypeAlias = Callable[[int], RunEvent | InvalidEvent | None]
"""Makes the event of the line at an index, if it holds one."""


def read_events(lines: Iterable[bytes], closely: Closely) -> Iterator[RunEvent | InvalidEvent]:
    """The events of bare lines, made of what `read_members` reads."""
    new, put, cls, delta_cls = object.__new__, object.__setattr__, RunEvent, AssistantDeltaPayload
    put_given, put_unknown, put_private = _SLOTS
    for read in read_members(lines, closely, for_events=True):
        if type(read) is not dict:
            yield cast("RunEvent | InvalidEvent", read)
            continue
        line, (members, defaults, _), delta = read[LINE]
        payload: Any = read.get("payload")
        if delta is not None:
            given, lacking, _ = delta
            payload.update(lacking)
            if payload["metadata"] is None:
                payload["metadata"] = {}
            typed = new(delta_cls)
            put(typed, "__dict__", payload)
            put_given(typed, given)
            put_unknown(typed, {})
            put_private(typed, None)
            payload = typed
        read.update(defaults)
        read["payload"] = payload
        read[LINE] = line
        if read["metadata"] is None:
            read["metadata"] = {}
        event = new(cls)
        put(event, "__dict__", read)
        put_given(event, members)
        put_unknown(event, {})
        put_private(event, None)
        yield event


def read_members(
    lines: Iterable[bytes], closely: Closely, *, for_events: bool = False
) -> Iterator[PlainMembers | RunEvent | InvalidEvent]:
    """For each bare line the members of its event. Where the models have to look at one, or there is something to say,
    `closely` makes the event. With `for_events` there is under `LINE` what makes an event of the members.

    The lines must hold no noncharacters. What is written here is paid for every event that is read: no call that can be
    saved, and what `loads` has made is what is given.
    """
    loads, dumps, strict = orjson.loads, orjson.dumps, orjson.OPT_STRICT_INTEGER
    providers, kinds = _PROVIDERS, PAYLOADS
    is_timestamp = _timestamp_check()
    shapes: dict[tuple[str, ...], Shape] = {}
    delta_shapes: dict[tuple[str, ...], Shape] = {}
    names: set[Any] = {None}
    for i, line in enumerate(lines):
        try:
            value = loads(line)
            # the proof of `ijson.prove`, without the cost of a call
            canonical = dumps(value, None, strict)
            if canonical != line and canonical.translate(None, b" ") != line.translate(None, b" "):
                raise ValueError
            shape, delta, get = shapes.get(tuple(value)) or _shape(shapes, value, _EVENT_DEFAULTS), None, value.get
            for name in shape[2]:
                named = value[name]
                if named not in names and not _remember(names, named):
                    raise ValueError
            kind, event_id, sequence, metadata = value["kind"], get("id"), get("sequence"), get("metadata")
            if not (
                kind in kinds
                and get("provider") in providers
                and value["run_id"] is not None
                and value["session_id"] is not None
                and (event_id is None or (type(event_id) is str and event_id.strip() == event_id))
                and (sequence is None or (type(sequence) is int and sequence >= 0))
                and (metadata is None or type(metadata) is dict)
            ):
                raise ValueError
            timestamp = get("timestamp")
            if timestamp is not None:
                is_timestamp(timestamp)
            payload = get("payload")
            if kind == "assistant_delta" and type(payload) is dict:
                delta = delta_shapes.get(tuple(payload)) or _shape(delta_shapes, payload, _DELTA_DEFAULTS)
                get = payload.get
                index, metadata = get("index"), get("metadata")
                if (
                    type(get("content", "")) is not str
                    or get("format", "") is None
                    or not (index is None or (type(index) is int and index >= 0))
                    or not (metadata is None or type(metadata) is dict)
                ):
                    raise ValueError
            else:
                value["payload"] = typed_payload(kind, payload)
        except (ValueError, TypeError, KeyError, AttributeError):
            looked_at = closely(i)
            if looked_at is not None:
                yield looked_at
            continue
        if for_events:
            value[LINE] = line, shape, delta
        yield value


@cache
def _timestamp_check() -> Callable[[Any], str]:
    """Built on first use, since that takes long."""
    return TypeAdapter(OffsetTimestamp).validator.validate_python


def _shape(shapes: dict[tuple[str, ...], Shape], value: dict[str, Any], defaults: dict[str, Any]) -> Shape:
    """The shape of an object, remembered. Raises `KeyError` if it has a member that no default is known for."""
    unknown = next((name for name in value if name not in defaults), None)
    if unknown is not None:
        raise KeyError(unknown)
    lacking = {name: default for name, default in defaults.items() if name not in value}
    shape = set(value), lacking, tuple(name for name in value if name in _NAMES)
    if len(shapes) < _REMEMBERED:
        shapes[tuple(value)] = shape
    return shape


def _remember(names: set[Any], name: Any) -> bool:
    """Whether a name of the run has no margins and is not empty; it is not asked again for those that are remembered."""
    if type(name) is not str or not name or name.strip() != name:
        return False
    if len(names) < _REMEMBERED:
        names.add(name)
    return True
