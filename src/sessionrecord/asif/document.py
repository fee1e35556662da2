"""A document: parsed, typed as far as it follows the models, and written back with nothing lost."""

from __future__ import annotations

import os
from itertools import chain
from pathlib import Path
from typing import Any, Final, TypeAlias, cast, get_args

from pydantic import BaseModel

from sessionrecord import ijson
from sessionrecord.asif.assembly import AssembledStream, assemble
from sessionrecord.asif.collector import collector_paused
from sessionrecord.asif.items import Chooser, InvalidItem, Items, moved, read_items, read_object
from sessionrecord.asif.limits import Limits
from sessionrecord.asif.models import (
    Branch,
    CallBinding,
    Capture,
    Checkpoint,
    CoverageEntry,
    Event,
    ExternalBinding,
    KnownEvent,
    Participant,
    RequestBinding,
    Resource,
    Session,
    Stream,
    Tool,
    UnknownEvent,
)
from sessionrecord.asif.report import Report
from sessionrecord.asif.resources import ResourceBytes, ResourceStore
from sessionrecord.diagnostics import Diagnostic, excerpt
from sessionrecord.errors import DocumentError, RefNotFoundError, SourceError
from sessionrecord.lines.compressed import Unpacker, is_compressed
from sessionrecord.lines.whole import write_whole

__all__ = ["VERSIONS", "Bindings", "Document"]

VERSIONS: Final = ("0.4", "0.5")
"""The values of `asif_version` whose rules are known: those of streams and external bindings are the same in both."""

JsonObject: TypeAlias = dict[str, ijson.JsonValue]

_EVENT_MODELS: Final[dict[str, type[BaseModel]]] = {
    cast("str", cls.model_fields["kind"].default): cls for cls in get_args(KnownEvent)
}
_BINDING_MODELS: Final[dict[str, type[BaseModel]]] = {"call": CallBinding, "request": RequestBinding}
_NOT_ERRORS_IN_JSON: Final = ("lone-surrogate", "number-not-finite")
"""What I-JSON forbids and JSON does not; ASIF asks for JSON without repeated names."""


def _event(wire: Any) -> type[BaseModel]:
    kind = wire.get("kind") if isinstance(wire, dict) else None
    return _EVENT_MODELS.get(kind, UnknownEvent) if isinstance(kind, str) else UnknownEvent


def _binding(wire: Any) -> type[BaseModel] | Diagnostic:
    kind = wire.get("kind") if isinstance(wire, dict) else None
    cls = _BINDING_MODELS.get(kind) if isinstance(kind, str) else None
    if cls is not None:
        return cls
    if isinstance(wire, dict):
        return Diagnostic.of("value-invalid", f"kind: must be call or request, not {excerpt(kind)}", pointer="/kind")
    return Diagnostic.of("type-invalid", f"a binding must be an object, not {excerpt(wire)}", pointer="")


def _always(cls: type[BaseModel]) -> Chooser:
    return lambda _: cls


class Bindings(Items[ExternalBinding]):
    """The external bindings, found by what they bind: a call and a request may have the same ID."""

    def __init__(self, name: str, *, readable: bool = True) -> None:
        super().__init__(name, readable=readable)
        self.duplicates: list[int] = []
        """Index in the document's array of each binding of something that an earlier one binds."""
        self.calls: dict[str, CallBinding | None] = {}
        """The external calls by ID; None for one whose binding is not valid."""
        self.requests: dict[str, RequestBinding | None] = {}
        """The external decision requests by ID; None for one whose binding is not valid."""

    def call(self, call_id: str) -> CallBinding | None:
        """The binding of an external call, the first if there are several; None if there is none that is valid."""
        return self.calls.get(call_id)

    def request(self, request_id: str) -> RequestBinding | None:
        """The binding of an external decision request, the first if there are several; None if there is none that is valid."""
        return self.requests.get(request_id)

    def add(self, place: int, item_id: str | None, item: ExternalBinding | InvalidItem) -> None:
        """Take the binding at an index of the document's array."""
        super().add(place, item_id, item)
        kind = item.value.get("kind") if isinstance(item, InvalidItem) and isinstance(item.value, dict) else None
        if item_id is None:
            return
        if isinstance(item, CallBinding) or kind == "call":
            known = item_id in self.calls
            self.calls.setdefault(item_id, item if isinstance(item, CallBinding) else None)
        elif isinstance(item, RequestBinding) or kind == "request":
            known = item_id in self.requests
            self.requests.setdefault(item_id, item if isinstance(item, RequestBinding) else None)
        else:
            return
        if known:
            self.duplicates.append(place)


class Document:
    """An ASIF document. It does not change: another one is made by a builder.

    An object that breaks the rules of its model is kept as given, in `invalid` of its collection and in what is written.
    `check` tells whether the document can be trusted.
    """

    def __init__(self, root: JsonObject, source: bytes, found: list[Diagnostic], folder: Path | None) -> None:
        self._root, self._source, self.folder = root, source, folder
        self.findings: Final[list[Diagnostic]] = found
        """What parsing found: rules of JSON and of the models. `check` repeats it and adds all other rules."""
        self.asif_version: str | None = self._version()
        """The version of the format; None if it cannot be read."""
        self.capture: Capture | None = self._object(Capture, "capture")
        """The capture that the document is; None if it is not valid."""
        self.session: Session | None = self._object(Session, "session")
        """The session that was captured; None if it is not valid."""
        self.participants: Items[Participant] = self._items("participants", _always(Participant))
        """Who acts."""
        self.events: Items[Event] = self._items("events", _event)
        """What happened, in the order of `sequence`."""
        self.tools: Items[Tool] = self._items("tools", _always(Tool))
        """The tools that were offered."""
        self.resources: Items[Resource] = self._items("resources", _always(Resource))
        """The bytes."""
        self.branches: Items[Branch] = self._items("branches", _always(Branch))
        """The selected histories."""
        self.checkpoints: Items[Checkpoint] = self._items("checkpoints", _always(Checkpoint))
        """What was open where."""
        self.coverage: Items[CoverageEntry] = self._items("coverage", _always(CoverageEntry))
        """How much of each scope is there."""
        self.streams: Items[Stream] = self._items("streams", _always(Stream), optional=True)
        """How arguments and texts arrived."""
        self.bindings: Bindings = self._items("external_bindings", _binding, optional=True, into=Bindings)
        """What this document answers of earlier captures."""
        self.required_features: tuple[str, ...] = self._features()
        """The features that a reader must know."""
        wrong = {f.pointer for f in found if f.severity == "error"}
        # what is no integer of the member's range at all need not be told to be beyond a double too
        found[:] = [f for f in found if f.code != "number-out-of-range" or f.pointer not in wrong]
        self._stores: dict[Limits, ResourceStore] = {}

    @classmethod
    def parse(
        cls, source: bytes, *, folder: str | os.PathLike[str] | None = None, limits: Limits | None = None
    ) -> Document:
        """The document in `source`. `folder` is where `path` resources are looked up.

        One that is compressed with gzip or Zstandard is unpacked, which its first bytes tell. Raises `DocumentError` if it is no JSON
        object, passes a limit or cannot be unpacked; anything else is a finding.
        """
        limits = limits or Limits()
        _require(limits.document_bytes, len(source), "bytes")
        if is_compressed(source[:4]):
            source = _unpacked(source, limits)
        with collector_paused():
            return cls._parse(source, None if folder is None else Path(folder), limits)

    @classmethod
    def _parse(cls, source: bytes, folder: Path | None, limits: Limits) -> Document:
        root, findings = ijson.examine(source)
        found = [
            Diagnostic.of(f.code, f.message, pointer=f.pointer, severity="warning" if f.code in _NOT_ERRORS_IN_JSON else None)
            for f in findings
        ]  # fmt: skip
        if root is None and any(f.is_error for f in findings):
            raise DocumentError(found)
        if not isinstance(root, dict):
            message = f"a document is a JSON object, not {excerpt(root)}"
            raise DocumentError([*found, Diagnostic.of("not-an-object", message, pointer="")])
        _require_size(root, limits)
        return cls(root, source, found, folder)

    @classmethod
    def read(cls, path: str | os.PathLike[str], *, limits: Limits | None = None) -> Document:
        """The document in a file; its folder is where `path` resources are looked up.

        Raises `SourceError` if the file cannot be read, otherwise as `parse`.
        """
        limits = limits or Limits()
        file = Path(path)
        try:
            with file.open("rb") as source:
                # one byte more tells a file that is too large from one that is not
                data = source.read(-1 if limits.document_bytes is None else limits.document_bytes + 1)
        except OSError as e:
            raise SourceError(f"cannot open {path}: {e.strerror or e}") from e
        return cls.parse(data, folder=file.parent, limits=limits)

    def to_bytes(self) -> bytes:
        """The document as it was read, byte for byte; unpacked, if it was compressed."""
        return self._source

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the document as it was read; through a temporary file, mode 0600. Raises `OSError`.

        The files of `path` resources are not written.
        """
        write_whole(path, [self._source])

    def to_wire(self) -> JsonObject:
        """The members of the root object as they were read; what is inside them is the document's own and not to be changed."""
        return dict(self._root)

    @property
    def invalid(self) -> list[InvalidItem]:
        """The objects of all typed collections that are not valid, kept as they were given."""
        return [item for items in self.collections.values() for item in items.invalid]

    @property
    def collections(self) -> dict[str, Items[Any]]:
        """The typed collections by the name of their member, in the format's order."""
        return {
            items.name: items
            for items in (
                self.participants, self.events, self.branches, self.tools, self.resources, self.checkpoints, self.coverage,
                self.streams, self.bindings,
            )
        }  # fmt: skip

    def resource_bytes(self, resource_id: str, *, limits: Limits | None = None) -> ResourceBytes | None:
        """The verified bytes of a resource, or why there are none; None if no valid resource has this ID."""
        return self.store(limits or Limits()).get(resource_id)

    def assemble(self, stream_id: str, *, limits: Limits | None = None) -> AssembledStream:
        """What is known of a stream's bytes; whole or not, `AssembledStream` tells. Raises `RefNotFoundError`."""
        stream = self.streams.find(stream_id)
        if stream is None:
            raise RefNotFoundError(f"no valid stream has the ID {excerpt(stream_id)}")
        limits = limits or Limits()
        return assemble(stream.id, stream.segments, self.store(limits).get, limit=limits.stream_bytes)

    def check(self, *, limits: Limits | None = None, full_support: bool = False) -> Report:
        """Everything found in the document by all rules, and what can be relied on.

        A collection with more objects than `limits` allows ends the check at once. With `full_support` a required feature whose
        rules are not checked here makes `ok` false. Raises nothing for any document.
        """
        from sessionrecord.asif.check import check  # the checks rest on documents

        return check(self, limits=limits, full_support=full_support)

    def store(self, limits: Limits) -> ResourceStore:
        """The bytes of the resources within limits, each decoded once."""
        store = self._stores.get(limits)
        if store is None:
            store = self._stores[limits] = ResourceStore(
                self.resources, self.folder, limit=limits.resource_bytes, total_limit=limits.total_bytes
            )
        return store

    def __repr__(self) -> str:
        capture = excerpt(self.capture.id) if self.capture else "invalid"
        return f"<ASIF document: capture {capture}, {len(self.events)} events, {len(self.streams)} streams>"

    def _version(self) -> str | None:
        version = self._root.get("asif_version")
        if isinstance(version, str):
            return version
        code = "type-invalid" if "asif_version" in self._root else "member-missing"
        message = f"asif_version: must be a string, not {excerpt(version)}" if version else "asif_version: required"
        self.findings.append(Diagnostic.of(code, message, pointer="/asif_version"))
        return None

    def _object(self, cls: type[Any], name: str) -> Any:
        pointer = ijson.pointer(name)
        if name not in self._root:
            self.findings.append(Diagnostic.of("member-missing", f"{name}: the member is required", pointer=pointer))
            return None
        model, found = read_object(cls, self._root[name])
        self.findings.extend(moved(f, pointer) for f in found)
        return model

    def _items(self, name: str, choose: Chooser, *, optional: bool = False, into: type[Any] = Items) -> Any:
        return read_items(self._root, name, choose, self.findings, optional=optional, into=into)

    def _features(self) -> tuple[str, ...]:
        value = self._root.get("required_features")
        pointer = "/required_features"
        if not isinstance(value, list):
            code = "type-invalid" if "required_features" in self._root else "member-missing"
            message = "required_features: must be an array of feature identifiers"
            self.findings.append(Diagnostic.of(code, message, pointer=pointer))
            return ()
        seen: dict[str, None] = {}
        for i, feature in enumerate(value):
            if not isinstance(feature, str) or not feature:
                message = f"a feature is a string that is not empty, not {excerpt(feature)}"
            elif feature in seen:
                message = f"feature {excerpt(feature)} is there twice"
            else:
                seen[feature] = None
                continue
            self.findings.append(Diagnostic.of("value-invalid", message, pointer=ijson.pointer("required_features", i)))
        return tuple(seen)


def _unpacked(source: bytes, limits: Limits) -> bytes:
    unpacker, parts, size = Unpacker(), list[bytes](), 0
    for part in chain(unpacker.feed(source), unpacker.end()):
        parts.append(part)
        size += len(part)
        _require(limits.document_bytes, size, "bytes")
    if unpacker.broken is not None:
        raise DocumentError([Diagnostic.of("compression-broken", unpacker.broken, pointer="")])
    return b"".join(parts)


def _require(limit: int | None, size: int, what: str) -> None:
    if limit is not None and size > limit:
        message = f"the document has more than {limit} {what}; a limit can be raised, see Limits"
        raise DocumentError([Diagnostic.of("limit-exceeded", message, pointer="")])


def _require_size(root: JsonObject, limits: Limits) -> None:
    """Refuse too many levels or values; level by level, so that neither the stack nor a long list is in the way."""
    level: list[Any] = [root]
    depth = nodes = 0
    while level:
        depth += 1
        nodes += len(level)
        _require(limits.nodes, nodes, "JSON values")
        containers = [v for v in level if isinstance(v, dict | list)]
        if containers:
            _require(limits.depth, depth, "levels of nesting")
        level = [c for v in containers for c in (v.values() if isinstance(v, dict) else v)]
