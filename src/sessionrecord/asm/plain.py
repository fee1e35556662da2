"""The short way from a line to its event, for the lines that hold nothing unusual.

The models decide what an event is. What is here makes the same event as they do, in half the time, or leaves the line to
them: a run says the same of itself in every event, and nine events in ten are a piece of streamed text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

import orjson
from pydantic import TypeAdapter

from sessionrecord.asm.event import LINE, RunEvent
from sessionrecord.asm.payloads import PAYLOADS, AssistantDeltaPayload, typed_payload
from sessionrecord.asm.scalars import KNOWN_PROVIDERS, OffsetTimestamp

__all__ = ["read_plain"]

_MEMBERS: Final = frozenset(RunEvent.model_fields)
_DELTA_MEMBERS: Final = frozenset(AssistantDeltaPayload.model_fields)
_PROVIDERS: Final = frozenset((None, *KNOWN_PROVIDERS))
_REMEMBERED: Final = 1000

_new: Final = object.__new__
_set: Final = object.__setattr__


def read_plain(lines: Iterable[bytes]) -> Iterator[RunEvent | None]:
    """For each bare line its event, or None where the models have to look at it, or there is something to say.

    The lines must hold no noncharacters. What is written here is paid for every event that is read.
    """
    loads, dumps, strict = orjson.loads, orjson.dumps, orjson.OPT_STRICT_INTEGER
    members, providers, kinds, line_key = _MEMBERS, _PROVIDERS, PAYLOADS, LINE
    is_timestamp = TypeAdapter(OffsetTimestamp).validator.validate_python
    new, put, cls = _new, _set, RunEvent
    names: set[Any] = {None}
    for line in lines:
        try:
            value = loads(line)
            # the proof of `ijson.prove`, without the cost of a call
            canonical = dumps(value, None, strict)
            if canonical != line and canonical.translate(None, b" ") != line.translate(None, b" "):
                yield None
                continue
            get = value.get
            kind, run, session = value["kind"], value["run_id"], value["session_id"]
            event_id, provider, sequence, timestamp = get("id"), get("provider"), get("sequence"), get("timestamp")
            theirs, correlation, causation = get("provider_session_id"), get("correlation_id"), get("causation_id")
            metadata = get("metadata")
            if not (
                members.issuperset(value)
                and kind in kinds
                and provider in providers
                and (run in names or _remember(names, run))
                and (session in names or _remember(names, session))
                and (theirs in names or _remember(names, theirs))
                and (correlation in names or _remember(names, correlation))
                and (causation in names or _remember(names, causation))
                and run is not None
                and session is not None
                and (event_id is None or (type(event_id) is str and event_id.strip() == event_id))
                and (sequence is None or (type(sequence) is int and sequence >= 0))
                and (metadata is None or type(metadata) is dict)
            ):
                yield None
                continue
            if timestamp is not None:
                is_timestamp(timestamp)
            payload = get("payload")
            typed = _plain_delta(payload) if kind == "assistant_delta" else None
            if typed is None:
                typed = typed_payload(kind, payload)
        except (ValueError, TypeError, KeyError, AttributeError):
            yield None
            continue
        event = new(cls)
        fields = {
            "id": event_id,
            "kind": kind,
            "run_id": run,
            "session_id": session,
            "provider": provider,
            "payload": typed,
            "core_event": get("core_event"),
            "sequence": sequence,
            "provider_session_id": theirs,
            "correlation_id": correlation,
            "causation_id": causation,
            "timestamp": timestamp,
            "metadata": {} if metadata is None else metadata,
            line_key: line,
        }
        put(event, "__dict__", fields)
        put(event, "__pydantic_fields_set__", set(value))
        put(event, "__pydantic_extra__", {})
        put(event, "__pydantic_private__", None)
        yield event


def _remember(names: set[Any], name: Any) -> bool:
    """Whether a name of the run has no margins and is not empty; it is not asked again for those that are remembered."""
    if type(name) is not str or not name or name.strip() != name:
        return False
    if len(names) < _REMEMBERED:
        names.add(name)
    return True


def _plain_delta(value: Any) -> AssistantDeltaPayload | None:
    if type(value) is not dict or not _DELTA_MEMBERS.issuperset(value):
        return None
    get = value.get
    content, index, form, metadata = (
        get("content"),
        get("index"),
        get("format", "text"),
        get("metadata", _DELTA_MEMBERS),
    )
    if metadata is _DELTA_MEMBERS:
        metadata = {}
    if type(content) is not str or form is None or type(metadata) is not dict:
        return None
    if index is not None and (type(index) is not int or index < 0):
        return None
    payload = _new(AssistantDeltaPayload)
    _set(payload, "__dict__", {"metadata": metadata, "content": content, "index": index, "format": form})
    _set(payload, "__pydantic_fields_set__", set(value))
    _set(payload, "__pydantic_extra__", {})
    _set(payload, "__pydantic_private__", None)
    return payload
