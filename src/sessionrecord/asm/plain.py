"""The short way from a line to its event, for the lines that hold nothing unusual.

The models decide what an event is. What is here makes the same event as they do, in half the time, or leaves the line to
them: a run says the same of itself in every event, and nine events in ten are a piece of streamed text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any, Final, TypeAlias

import orjson
from pydantic import BaseModel, TypeAdapter

from sessionrecord.asm.event import LINE, RunEvent
from sessionrecord.asm.payloads import PAYLOADS, AssistantDeltaPayload, typed_payload
from sessionrecord.asm.scalars import KNOWN_PROVIDERS, OffsetTimestamp

__all__ = ["read_plain"]

_PROVIDERS: Final = frozenset((None, *KNOWN_PROVIDERS))
_REMEMBERED: Final = 1000
_EVENT_DEFAULTS: Final[dict[str, Any]] = dict.fromkeys(RunEvent.model_fields)
_DELTA_DEFAULTS: Final[dict[str, Any]] = {"metadata": None, "content": "", "index": None, "format": "text"}

# what a model is made of beside its members: the names of those given, the unknown ones, private attributes (none)
_SLOTS: Final = tuple(
    BaseModel.__dict__[name].__set__
    for name in ("__pydantic_fields_set__", "__pydantic_extra__", "__pydantic_private__")
)
Shape: TypeAlias = tuple[set[str], dict[str, Any]]
"""The members of an object, and the defaults of those that it lacks."""


def read_plain(lines: Iterable[bytes]) -> Iterator[RunEvent | None]:
    """For each bare line its event, or None where the models have to look at it, or there is something to say.

    The lines must hold no noncharacters. What is written here is paid for every event that is read: no call that can be
    saved, and what `loads` has made becomes the event.
    """
    loads, dumps, strict = orjson.loads, orjson.dumps, orjson.OPT_STRICT_INTEGER
    providers, kinds, line_key, delta = _PROVIDERS, PAYLOADS, LINE, "assistant_delta"
    is_timestamp = _timestamp_check()
    new, put, cls, delta_cls = object.__new__, object.__setattr__, RunEvent, AssistantDeltaPayload
    put_given, put_unknown, put_private = _SLOTS
    shapes: dict[tuple[str, ...], Shape] = {}
    delta_shapes: dict[tuple[str, ...], Shape] = {}
    names: set[Any] = {None}
    for line in lines:
        try:
            value = loads(line)
            # the proof of `ijson.prove`, without the cost of a call
            canonical = dumps(value, None, strict)
            if canonical != line and canonical.translate(None, b" ") != line.translate(None, b" "):
                yield None
                continue
            members, defaults = shapes.get(tuple(value)) or _shape(shapes, value, _EVENT_DEFAULTS)
            value.update(defaults)
            kind, run, session = value["kind"], value["run_id"], value["session_id"]
            event_id, sequence, metadata, payload = value["id"], value["sequence"], value["metadata"], value["payload"]
            theirs, correlation, causation = (
                value["provider_session_id"],
                value["correlation_id"],
                value["causation_id"],
            )
            if not (
                kind in kinds
                and value["provider"] in providers
                and (run in names or _remember(names, run))
                and (session in names or _remember(names, session))
                and (theirs in names or _remember(names, theirs))
                and (correlation in names or _remember(names, correlation))
                and (causation in names or _remember(names, causation))
                and run is not None
                and session is not None
                and (event_id is None or (type(event_id) is str and event_id.strip() == event_id))
                and (sequence is None or (type(sequence) is int and sequence >= 0))
            ):
                yield None
                continue
            if metadata is None:
                value["metadata"] = {}
            elif type(metadata) is not dict:
                yield None
                continue
            if value["timestamp"] is not None:
                is_timestamp(value["timestamp"])
            if kind == delta and type(payload) is dict:
                given, defaults = delta_shapes.get(tuple(payload)) or _shape(delta_shapes, payload, _DELTA_DEFAULTS)
                payload.update(defaults)
                index, metadata = payload["index"], payload["metadata"]
                if (
                    type(payload["content"]) is not str
                    or payload["format"] is None
                    or not (index is None or (type(index) is int and index >= 0))
                ):
                    yield None
                    continue
                if metadata is None:
                    payload["metadata"] = {}
                elif type(metadata) is not dict:
                    yield None
                    continue
                typed = new(delta_cls)
                put(typed, "__dict__", payload)
                put_given(typed, given)
                put_unknown(typed, {})
                put_private(typed, None)
                value["payload"] = typed
            else:
                value["payload"] = typed_payload(kind, payload)
        except (ValueError, TypeError, KeyError, AttributeError):
            yield None
            continue
        value[line_key] = line
        event = new(cls)
        put(event, "__dict__", value)
        put_given(event, members)
        put_unknown(event, {})
        put_private(event, None)
        yield event


@cache
def _timestamp_check() -> Callable[[Any], str]:
    """Built on first use, since that takes long."""
    return TypeAdapter(OffsetTimestamp).validator.validate_python


def _shape(shapes: dict[tuple[str, ...], Shape], value: dict[str, Any], defaults: dict[str, Any]) -> Shape:
    """The shape of an object, remembered. Raises `KeyError` if it has a member that no default is known for."""
    unknown = next((name for name in value if name not in defaults), None)
    if unknown is not None:
        raise KeyError(unknown)
    shape = set(value), {name: default for name, default in defaults.items() if name not in value}
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
