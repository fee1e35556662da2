"""Building documents: what can be computed is computed, and what a check would refuse is not built.

An author gives bytes, arguments and identities. Counts, digests, offsets, sequence numbers, statuses of streams and the
features that a member needs are never written by hand.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from itertools import accumulate
from operator import itemgetter
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from sessionrecord import ijson
from sessionrecord.asif.document import Document
from sessionrecord.asif.limits import Limits
from sessionrecord.diagnostics import Diagnostic, excerpt
from sessionrecord.errors import BuildError, DocumentError, IJsonError
from sessionrecord.wire import WireModel

__all__ = ["DocumentBuilder", "Fragments"]

Object: TypeAlias = Mapping[str, Any] | WireModel
"""A JSON object, as a mapping with its names on the wire or as a model."""

Fragments: TypeAlias = Sequence[bytes] | Mapping[int, bytes]
"""Pieces of a stream: in their order, or by index where some never came."""

_FEATURES: Final = {"streams": "asif.streams/0.1", "external_bindings": "asif.external-bindings/0.1"}
"""Optional root member to the feature that it needs."""
_INVOCATION: Final = ("call_id", "tool_id", "retry_of")
"""What an amendment shares with the version amended, beside actor and execution."""


class DocumentBuilder:
    """A document in the making, from the members of its root or from a document that exists.

    Every method raises `BuildError` for what does not fit, and has changed nothing then. `build` checks the whole.
    """

    def __init__(self, document: Mapping[str, Any] | Document) -> None:
        root = document.to_wire() if isinstance(document, Document) else document
        # only arrays of the root and of its branches grow; nothing else that was given is changed in place
        self._root: dict[str, Any] = {name: list(v) if isinstance(v, list) else v for name, v in root.items()}
        for position, branch in enumerate(self._array("branches")):
            if isinstance(branch, dict) and isinstance(branch.get("event_ids"), list):
                self._root["branches"][position] = {**branch, "event_ids": list(branch["event_ids"])}
        self._by_id: dict[str, dict[str, dict[str, Any]]] = {}
        self._sequence = max((_sequence(event) for event in self._array("events")), default=-1)

    @classmethod
    def continuing(cls, earlier: Document, capture: Object) -> DocumentBuilder:
        """A later capture of the same session: all that the earlier one holds, and in the lineage where it comes from.

        What became known since is added; nothing that is there is changed. The capture must have another ID.
        """
        builder = cls(earlier)
        told = _wire(capture)
        session, before = _object(builder._root, "session"), _object(builder._root, "capture").get("id")
        if told.get("id") == before:
            raise _refusal(f"a capture that goes on has another ID than {excerpt(before)}", "/capture/id")
        lineage = session.get("lineage")
        entry = {"relation": "continuation", "session_id": session.get("id"), "capture_id": before}
        builder._root["capture"] = told
        builder._root["session"] = {**session, "lineage": [*(lineage if isinstance(lineage, list) else ()), entry]}
        return builder

    def add(self, collection: str, item: Object) -> None:
        """Add an object to an array of the root, such as `tools` or `checkpoints`, as it is given. Its ID must be new there."""
        told = _wire(item)
        self._require_new(collection, told)
        if not isinstance(self._root.setdefault(collection, []), list):
            raise _refusal(f"{collection} is no array", f"/{collection}")
        if (key := _key(collection, told)) is not None:
            self._index(collection)[key] = told
        self._root[collection].append(told)

    def set_coverage(self, scope: str, status: str, detail: str) -> None:
        """Say how far a scope is covered, in place of what was said of it before."""
        told = {"scope": scope, "status": status, "detail": detail}
        kept = [e for e in self._array("coverage") if not isinstance(e, dict) or e.get("scope") != scope]
        self._root["coverage"] = [*kept, told]

    def add_resource(
        self, resource_id: str, content: str | bytes, *, media_type: str, purpose: str, name: str | None = None
    ) -> None:
        """Embed bytes, or a text as its UTF-8 bytes; their number and digest are computed."""
        try:
            data = content.encode() if isinstance(content, str) else content
        except UnicodeEncodeError as e:
            message = f"character {e.start} of resource {excerpt(resource_id)} has no UTF-8 encoding"
            raise _refusal(message, "/resources", "lone-surrogate") from None
        told: dict[str, Any] = {"id": resource_id, "media_type": media_type, "purpose": purpose}
        told |= {} if name is None else {"name": name}
        told |= {"availability": "embedded", "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        told |= {"text": content} if isinstance(content, str) else {"data": base64.b64encode(data).decode()}
        self.add("resources", told)

    def add_event(
        self,
        event_id: str,
        kind: str,
        data: Object,
        *,
        actor_id: str,
        provenance: Object,
        causes: Iterable[str] = (),
        execution_id: str | None = None,
        supersedes: str | None = None,
        time: str | None = None,
        branches: Iterable[str] = (),
    ) -> None:
        """Add an event after all others, and at the head of the branches named. Causes and `supersedes` are IDs of local events."""
        extended = [self._known("branches", branch_id) for branch_id in branches]
        for branch in extended:
            if not isinstance(branch.get("event_ids"), list):
                raise _refusal(f"branch {excerpt(branch['id'])} has no array of events", "/branches")
        told: dict[str, Any] = {
            "id": event_id,
            "sequence": self._sequence + 1,
            "actor_id": actor_id,
            "kind": kind,
            "causes": [{"event_id": cause} for cause in causes],
            "provenance": _wire(provenance),
            "data": _wire(data),
        }
        optional = {"time": time, "execution_id": execution_id}
        told |= {member: value for member, value in optional.items() if value is not None}
        if supersedes is not None:
            told["supersedes"] = {"event_id": supersedes}
        self.add("events", told)
        self._sequence += 1
        for branch in extended:
            branch["event_ids"].append(event_id)
            branch["head_event_id"] = event_id

    def amend_call(
        self,
        event_id: str,
        *,
        amends: str,
        arguments: ijson.JsonValue,
        arguments_status: Literal["complete", "partial", "unknown"] = "complete",
        provenance: Object,
        time: str | None = None,
        branches: Iterable[str] = (),
    ) -> None:
        """Add a version of a call about whose arguments more is known: the event `amends` stays as it is.

        Invocation, tool, actor, execution and retry relationship are those of the version amended. Fragments of the arguments
        go into a stream of their own: `add_argument_stream` with this event.
        """
        before = self._known("events", amends, "tool_call")
        kept = {name: value for name, value in _object(before, "data").items() if name in _INVOCATION}
        self.add_event(
            event_id,
            "tool_call",
            {**kept, "arguments": arguments, "arguments_status": arguments_status},
            actor_id=before.get("actor_id", ""),
            execution_id=before.get("execution_id"),
            provenance=provenance,
            causes=[amends],
            supersedes=amends,
            time=time,
            branches=branches,
        )

    def add_argument_stream(
        self, stream_id: str, *, event_id: str, fragments: Fragments, ended: bool, continues: str | None = None
    ) -> None:
        """Bind the fragments of a call's arguments to the event of the call, one segment for each.

        `ended` says that the fragment with the highest index was marked as the last one; the stream is complete if none before it
        is missing. With `continues` the stream takes the segments of an earlier one, whose fragments come first, and a sequence of
        fragments goes on after them. The bytes are embedded in a resource with the ID of the stream.
        """
        call = _object(self._known("events", event_id, "tool_call"), "data")
        told = {"id": stream_id, "kind": "tool_arguments", "event_id": event_id, "call_id": call.get("call_id")}
        self._add_stream(told, "application/json", fragments, ended, continues)

    def add_text_stream(
        self, stream_id: str, *, event_id: str, fragments: Fragments, ended: bool, continues: str | None = None
    ) -> None:
        """Bind the fragments of a result's text to the event of the result; for the rest as `add_argument_stream`."""
        result = _object(self._known("events", event_id, "tool_result"), "data")
        told = {"id": stream_id, "kind": "tool_result_text", "event_id": event_id, "call_id": result.get("call_id")}
        self._add_stream(
            {**told, "result_index": result.get("result_index")}, "text/plain", fragments, ended, continues
        )

    def bind_external(self, earlier: Document, *event_ids: str) -> None:
        """Name calls or decision requests of an earlier capture that are not part of this one, so that their results can be told.

        The descriptor is what the event says. The tool of a call, and the resources in the prompt of a request, come along
        where they are not declared here; the event does not. Coverage and the capture's boundary must say what is missing.
        """
        source = DocumentBuilder(earlier)
        found = [source._binding(event_id) for event_id in event_ids]
        for binding, _ in found:
            self._require_new("external_bindings", binding)
        if len({_key("external_bindings", binding) for binding, _ in found}) < len(found):
            raise _refusal("two of the events are of one call or request", "/external_bindings")
        for binding, needed in found:
            self.add("external_bindings", binding)
            for collection, item in needed:
                if _key(collection, item) not in self._index(collection):
                    self.add(collection, item)

    def build(self, *, folder: Path | None = None, limits: Limits | None = None) -> Document:
        """The document, checked within limits. `folder` is where its resources with a `path` lie.

        Raises `BuildError` with all findings.
        """
        features = self._array("required_features")
        needed = [f for member, f in _FEATURES.items() if member in self._root and f not in features]
        root = {**self._root, "required_features": [*features, *needed]} if needed else self._root
        try:
            document = Document.parse(ijson.dumps(root), folder=folder, limits=limits)
        except IJsonError as e:
            raise _refusal(e.reason, e.pointer, e.code) from None
        except DocumentError as e:
            raise BuildError(e.diagnostics) from None
        findings = document.check(limits=limits).findings
        if any(finding.severity == "error" for finding in findings):
            raise BuildError(findings)
        return document

    def _binding(self, event_id: str) -> tuple[dict[str, Any], list[tuple[str, dict[str, Any]]]]:
        """What another document needs to name a call or request of this one: the binding, and what it refers to."""
        event = self._known("events", event_id)
        data = _object(event, "data")
        if event.get("kind") == "tool_call":
            kind, identity, members = "call", "call_id", ("tool_id", "arguments", "arguments_status")
            needed = [("tools", data.get("tool_id"))]
        elif event.get("kind") == "decision_request":
            kind, identity, members = "request", "request_id", ("decision_kind", "prompt", "options")
            prompt = data.get("prompt")
            parts = [p for p in prompt if isinstance(p, dict)] if isinstance(prompt, list) else []
            needed = [("resources", part.get("resource_id")) for part in parts]
        else:
            raise _refusal(f"event {excerpt(event_id)} is no call and no request", "/external_bindings")
        session_id, capture_id = (_object(self._root, member).get("id") for member in ("session", "capture"))
        binding = {
            "kind": kind,
            "id": data.get(identity),
            "source": {"session_id": session_id, "capture_id": capture_id, "event_id": event_id},
            "descriptor": {member: data[member] for member in members if member in data},
        }
        known = [(c, self._index(c).get(i)) for c, i in needed if isinstance(i, str)]
        return binding, [(collection, item) for collection, item in known if item is not None]

    def _add_stream(
        self, told: dict[str, Any], media_type: str, fragments: Fragments, ended: bool, continues: str | None
    ) -> None:
        self._require_new("streams", told)
        earlier = [] if continues is None else self._open_segments(continues, told["kind"])
        first = earlier[-1]["index"] + 1 if earlier else 0
        pieces = dict(sorted(fragments.items() if isinstance(fragments, Mapping) else enumerate(fragments, first)))
        offsets = [0, *accumulate(map(len, pieces.values()))]
        added = [
            {"index": index, "resource_id": told["id"], "offset": offset, "length": len(piece), "terminal": False}
            for (index, piece), offset in zip(pieces.items(), offsets, strict=False)
        ]
        segments = sorted([*earlier, *added], key=itemgetter("index"))
        if segments and ended:
            segments[-1] = {**segments[-1], "terminal": True}
        whole = segments and ended and [s["index"] for s in segments] == list(range(len(segments)))
        if pieces:
            self.add_resource(told["id"], _readable(b"".join(pieces.values())), media_type=media_type, purpose="native")
        self.add("streams", {**told, "status": "complete" if whole else "partial", "segments": segments})

    def _open_segments(self, stream_id: str, kind: str) -> list[dict[str, Any]]:
        stream = self._known("streams", stream_id, kind)
        segments = stream.get("segments")
        if not isinstance(segments, list) or not all(map(_has_index, segments)):
            raise _refusal(f"the segments of stream {excerpt(stream_id)} have no plain indexes", "/streams")
        if any(segment.get("terminal") for segment in segments):
            raise _refusal(f"stream {excerpt(stream_id)} has ended and cannot go on", "/streams")
        return segments

    def _known(self, collection: str, identity: str, kind: str | None = None) -> dict[str, Any]:
        item = self._index(collection).get(identity)
        if item is None or kind not in (None, item.get("kind")):
            wanted = f"{excerpt(identity)} of kind {kind}" if kind else excerpt(identity)
            raise _refusal(f"{collection} has no {wanted}", f"/{collection}")
        return item

    def _require_new(self, collection: str, item: Mapping[str, Any]) -> None:
        key = _key(collection, item)
        if key is not None and key in self._index(collection):
            raise _refusal(f"{excerpt(key)} is already in {collection}", f"/{collection}")

    def _array(self, collection: str) -> list[Any]:
        items = self._root.get(collection)
        return items if isinstance(items, list) else []

    def _index(self, collection: str) -> dict[str, dict[str, Any]]:
        known = self._by_id.get(collection)
        if known is None:
            keyed = [(_key(collection, item), item) for item in self._array(collection) if isinstance(item, dict)]
            known = self._by_id[collection] = {key: item for key, item in reversed(keyed) if key is not None}
        return known


def _wire(item: Object) -> dict[str, Any]:
    return item.to_wire() if isinstance(item, WireModel) else dict(item)


def _object(holder: Mapping[str, Any], member: str) -> dict[str, Any]:
    value = holder.get(member)
    return value if isinstance(value, dict) else {}


def _sequence(event: object) -> int:
    value = event.get("sequence") if isinstance(event, dict) else None
    if isinstance(value, int | float | Decimal) and 0 <= value <= ijson.MAX_SAFE_INTEGER:
        return int(value)
    return -1


def _has_index(segment: object) -> bool:
    return isinstance(segment, dict) and type(segment.get("index")) is int


def _key(collection: str, item: Mapping[str, Any]) -> str | None:
    """What must be unique in a collection: the ID, for bindings together with their kind."""
    identity = item.get("id")
    if not isinstance(identity, str):
        return None
    return f"{item.get('kind')} {identity}" if collection == "external_bindings" else identity


def _readable(data: bytes) -> str | bytes:
    """Text where the bytes are, so that people can read what was captured; a cut inside a character leaves bytes."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data


def _refusal(message: str, pointer: str, code: str = "value-invalid") -> BuildError:
    return BuildError([Diagnostic.of(code, message, pointer=pointer)])
