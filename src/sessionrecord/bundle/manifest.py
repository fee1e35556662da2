"""The manifest of a bundle, `bundle.json` (spec section 9). It is authoritative: what it does not name is not in the bundle."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Final, TypeAlias

from pydantic import Field, ValidationError

from sessionrecord import ijson
from sessionrecord.bundle.findings import BundleDiagnostic, found, in_file
from sessionrecord.bundle.paths import MANIFEST_PATH, Paths, path_fault
from sessionrecord.diagnostics import Diagnostic, excerpt
from sessionrecord.records import Producer
from sessionrecord.records.base import WireModel
from sessionrecord.refs import SessionKey
from sessionrecord.scalars import NonEmptyStr, Omittable, SafeInt, Timestamp
from sessionrecord.wire import findings, misspelled

__all__ = [
    "FORMAT",
    "LENIENT_OF_PRODUCER",
    "BundleBlob",
    "BundleNative",
    "BundleSessionKey",
    "BundleStream",
    "Entry",
    "Manifest",
    "read_manifest",
]

FORMAT: Final = "asr-bundle"
"""What `format` says in every manifest."""


class BundleSessionKey(WireModel):
    """The session key of a stream. [S] "Session key"; its form in a manifest is ours."""

    null_members: ClassVar[frozenset[str]] = frozenset({"namespace"})

    agent: str
    """The agent's name."""
    namespace: NonEmptyStr | None = None
    """What the session ID is unique in; null or absent: the agent has none. [S] ASR-043."""
    session_id: str
    """The agent's own ID of the session."""

    @property
    def key(self) -> SessionKey:
        """The session key."""
        return SessionKey(self.agent, self.namespace, self.session_id)


class _Listed(WireModel):
    path: str
    """Where the file lies: relative, parts separated by `/`."""
    sha256: str = Field(json_schema_extra={"pattern": "^[0-9a-f]{64}$"})
    """SHA-256 of the file's bytes, lower-case hex."""
    bytes: SafeInt
    """The file's size in bytes."""


class BundleStream(_Listed):
    """A stream of the bundle. Our table, section 9."""

    lenient_members: ClassVar[frozenset[str]] = frozenset({"records"})

    session_key: BundleSessionKey
    """The session that it records, as its header says."""
    records: Omittable[SafeInt] = None
    """How many records it has, the header and broken ones among them: its lines that are not blank."""


class BundleBlob(_Listed):
    """Bytes that records name by their hash. Our table, section 9."""

    lenient_members: ClassVar[frozenset[str]] = frozenset({"mimeType"})

    mime_type: Omittable[str] = None
    """Media type, such as `image/png`."""


class BundleNative(_Listed):
    """A file of the source, as the harness wrote it. Our table, section 9."""

    lenient_members: ClassVar[frozenset[str]] = frozenset({"harness"})

    harness: Omittable[str] = None
    """The harness that wrote it."""


Entry: TypeAlias = BundleStream | BundleBlob | BundleNative
"""Any file that a manifest names."""


class Manifest(WireModel):
    """`bundle.json`: the list of all files. Our table, section 9; that it is authoritative is [S] "Bundle"."""

    lenient_members: ClassVar[frozenset[str]] = frozenset(
        {"format", "formatVersion", "createdAt", "producer", "blobs", "native"}
    )

    format: Omittable[str] = Field(default=None, json_schema_extra={"enum": [FORMAT]})
    """`asr-bundle`."""
    format_version: Omittable[str] = None
    """The version of the format."""
    created_at: Omittable[Timestamp] = None
    """When the bundle was made."""
    producer: Omittable[Producer] = None
    """The software that made it."""
    streams: Omittable[list[BundleStream]] = Field(default=None, json_schema_extra={"minItems": 1})
    """The streams, one or more. [S] "Bundle"."""
    blobs: Omittable[list[BundleBlob]] = None
    """The blobs, each once."""
    native: Omittable[list[BundleNative]] = None
    """The native files."""

    def entries(self) -> Iterator[tuple[str, Entry]]:
        """Every file that is named, with the JSON Pointer of its entry."""
        listed: dict[str, Sequence[Entry]] = {
            "streams": self.streams or (),
            "blobs": self.blobs or (),
            "native": self.native or (),
        }
        for name, entries in listed.items():
            for i, entry in enumerate(entries):
                yield ijson.pointer(name, i), entry

    def to_bytes(self) -> bytes:
        """The file: canonical members over several lines, with a newline at the end. Equal manifests give equal bytes."""
        return ijson.dumps(self.to_wire(), indent=True) + b"\n"


def read_manifest(data: bytes) -> tuple[Manifest | None, list[BundleDiagnostic]]:
    """The manifest that `bundle.json` holds, and everything found in it; None where there is none that can be used."""
    value, marks = ijson.examine(data)
    notes = [Diagnostic.of(f.code, f.message, pointer=f.pointer) for f in marks]
    manifest: Manifest | None = None
    if any(f.is_error for f in marks):
        pass
    elif not isinstance(value, dict):
        notes.append(Diagnostic.of("not-an-object", f"a manifest is a JSON object, not {excerpt(value)}", pointer=""))
    else:
        without, nulls = _without_nulls(value)
        notes += nulls
        try:
            manifest = Manifest.model_validate(without, by_alias=True, by_name=False)
        except ValidationError as e:
            notes += findings(e)
        else:
            notes += [_misspelled(place, right) for place, right in misspelled(manifest, without)]
    broken = {d.pointer for d in notes if d.severity == "error"}
    found_here = [
        in_file(d, MANIFEST_PATH) for d in notes if d.code != "number-out-of-range" or d.pointer not in broken
    ]
    return manifest, [*found_here, *(_check(manifest) if manifest is not None else ())]


LENIENT_OF_PRODUCER: Final = frozenset(f.alias or n for n, f in Producer.model_fields.items() if not f.is_required())
"""Members of the producer of which a null is a warning: in a manifest all that need not be there."""
_ENTRIES: Final[dict[str, type[WireModel]]] = {"streams": BundleStream, "blobs": BundleBlob, "native": BundleNative}


def _without_nulls(value: dict[str, Any]) -> tuple[dict[str, Any], list[Diagnostic]]:
    """A copy without the nulls of members of our own design, which read as absent with a warning; required ones stay."""
    notes: list[Diagnostic] = []

    def clean(members: Any, lenient: frozenset[str], *place: str | int) -> Any:
        if not isinstance(members, dict):
            return members
        nulls = [n for n, v in members.items() if v is None and n in lenient]
        notes.extend(
            Diagnostic.of(
                "null-not-allowed",
                f"{name}: null has no meaning here; it reads as absent",
                severity="warning",
                pointer=ijson.pointer(*place, name),
            )
            for name in nulls
        )
        return {n: v for n, v in members.items() if n not in nulls}

    cleaned = clean(value, Manifest.lenient_members)
    for name, cls in _ENTRIES.items():
        if isinstance(cleaned.get(name), list):
            cleaned[name] = [clean(entry, cls.lenient_members, name, i) for i, entry in enumerate(cleaned[name])]
    if "producer" in cleaned:
        cleaned["producer"] = clean(cleaned["producer"], LENIENT_OF_PRODUCER, "producer")
    return cleaned, notes


def _misspelled(place: tuple[str | int, ...], right: str) -> Diagnostic:
    message = f"{excerpt(place[-1])} is not a member of the manifest; did you mean {right}?"
    return Diagnostic.of("member-misspelled", message, pointer=ijson.pointer(*place))


def _check(manifest: Manifest) -> Iterator[BundleDiagnostic]:
    """What holds across members: the format, the paths, the form of the hashes."""
    if manifest.format not in (None, FORMAT):
        yield found(
            "value-invalid",
            f"format: must be {FORMAT}, not {excerpt(manifest.format)}",
            MANIFEST_PATH,
            pointer="/format",
        )
    if not manifest.streams:
        yield found("bundle-stream-missing", "the manifest names no stream", MANIFEST_PATH, pointer="/streams")
    paths = Paths()
    paths.add(MANIFEST_PATH)
    for place, entry in manifest.entries():
        fault = path_fault(entry.path)
        if fault is not None:
            yield found("bundle-path-unsafe", f"path: {fault}", MANIFEST_PATH, pointer=f"{place}/path")
        elif (fault := paths.add(entry.path)) is not None:
            yield found("bundle-path-repeated", f"path: {fault}", MANIFEST_PATH, pointer=f"{place}/path")
        if len(entry.sha256) != 64 or entry.sha256.strip("0123456789abcdef"):
            message = f"sha256: must be 64 lower-case hex digits, not {excerpt(entry.sha256)}"
            yield found("value-invalid", message, MANIFEST_PATH, pointer=f"{place}/sha256")
