"""Writing a bundle from sessions, blobs and native files (spec section 9). Equal input gives equal bytes."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from dataclasses import replace as changed
from itertools import count
from pathlib import Path
from typing import Final

from sessionrecord.bundle.archives import write_tar, write_zip
from sessionrecord.bundle.lines import LineReader
from sessionrecord.bundle.manifest import FORMAT, BundleBlob, BundleNative, BundleSessionKey, BundleStream, Manifest
from sessionrecord.bundle.parts import Part, write_files
from sessionrecord.bundle.paths import MANIFEST_PATH, Paths, path_fault
from sessionrecord.diagnostics import excerpt
from sessionrecord.errors import WriterError
from sessionrecord.records import Producer, SessionHeader
from sessionrecord.refs import SessionKey, SessionReference
from sessionrecord.session import Session
from sessionrecord.stream.authoring_base import FORMAT_VERSION

__all__ = ["BlobFile", "NativeFile", "blob_path", "write_bundle"]

_PLAIN_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_ARCHIVES: Final = {".zip": write_zip, ".tar": write_tar}


@dataclass(frozen=True, slots=True)
class BlobFile:
    """Bytes that records name by their hash."""

    data: bytes | Path = field(repr=False)
    """The bytes, or the file that holds them."""
    mime_type: str | None = None
    """Media type, such as `image/png`."""

    def read(self) -> bytes:
        """The bytes. Raises `OSError`."""
        return self.data if isinstance(self.data, bytes) else self.data.read_bytes()


@dataclass(frozen=True, slots=True)
class NativeFile:
    """A file of the source, put into the bundle as it is."""

    path: str
    """Its path in the bundle, such as `native/log.jsonl`."""
    source: bytes | str | os.PathLike[str] = field(repr=False)
    """Its bytes, or the file that holds them."""
    harness: str | None = None
    """The harness that wrote it."""


def blob_path(sha256: str) -> str:
    """Where a blob lies in the bundles that we write."""
    return f"blobs/{sha256}"


def write_bundle(
    target: str | os.PathLike[str],
    sessions: Iterable[Session],
    *,
    blobs: Iterable[BlobFile] = (),
    native: Iterable[NativeFile] = (),
    created_at: str | None = None,
    producer: Producer | None = None,
    replace: bool = False,
) -> Manifest:
    """Write a bundle and return its manifest: a zip or tar archive if `target` ends in `.zip` or `.tar`, else a directory.

    Streams are written as `Session.write` does, in the order given; a blob that is given twice is kept once. Equal input gives
    equal bytes; `createdAt` is there only if it is given. Everything is written beside `target` and then moved there, with mode
    0600. `replace` lets an archive take the place of a file; a directory never replaces anything.

    Raises `WriterError` where that is not possible, and for a session without a valid header; `InvalidRecordError` for a
    `created_at` that is no timestamp.
    """
    place = Path(target)
    archive = _ARCHIVES.get(place.suffix.lower())
    _require_free(place, replace and archive is not None)
    try:
        with tempfile.TemporaryDirectory(prefix=f".{place.name}.", dir=place.parent) as staging:
            root = Path(staging, "bundle")
            root.mkdir(mode=0o700)
            manifest, parts = _assemble(root, sessions, blobs, native, created_at, producer)
            if archive is None:
                streams = len(manifest.streams or ())
                write_files(root, [parts[0], *parts[1 + streams :]])
                root.rename(place)
            else:
                beside = Path(staging, "archive")
                with os.fdopen(
                    os.open(beside, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600), "w+b"
                ) as file:
                    archive(file, parts)
                    file.flush()
                    os.fsync(file.fileno())
                beside.replace(place)
    except (OSError, ValueError) as e:
        named = getattr(e, "filename", None) or place
        raise WriterError(
            f"cannot write the bundle: {excerpt(str(named), 200)}: {getattr(e, 'strerror', None) or e}"
        ) from e
    return manifest


def _require_free(place: Path, replace: bool) -> None:
    if place.is_symlink() or place.exists():
        if not replace:
            raise WriterError(f"{excerpt(str(place), 200)} exists; it is not replaced")
        if place.is_symlink() or not place.is_file():
            raise WriterError(f"{excerpt(str(place), 200)} is no regular file; it is not replaced")


def _assemble(
    root: Path,
    sessions: Iterable[Session],
    blobs: Iterable[BlobFile],
    native: Iterable[NativeFile],
    created_at: str | None,
    producer: Producer | None,
) -> tuple[Manifest, list[Part]]:
    """The manifest, and all parts in their order; streams are written under `root`, the only place where their bytes are."""
    paths = Paths()
    paths.add(MANIFEST_PATH)
    parts: list[Part] = []
    streams = [_stream(root, session, paths, parts) for session in sessions]
    if not streams:
        raise WriterError("a bundle holds one or more streams; none was given")
    once: dict[str, BundleBlob] = {}
    for blob in blobs:
        part = Part.of("", blob.data)
        part = changed(part, path=blob_path(part.sha256))
        if part.path not in once:
            paths.add(part.path)
            parts.append(part)
            once[part.path] = BundleBlob(path=part.path, sha256=part.sha256, bytes=part.size, mime_type=blob.mime_type)
    parts[len(streams) :] = sorted(parts[len(streams) :], key=lambda part: part.path)
    listed = [_native(file, paths, parts) for file in sorted(native, key=lambda file: file.path)]
    manifest = Manifest(
        format=FORMAT,
        format_version=FORMAT_VERSION,
        created_at=created_at,
        producer=producer,
        streams=streams,
        blobs=[once[path] for path in sorted(once)] or None,
        native=listed or None,
    )
    return manifest, [Part.of(MANIFEST_PATH, manifest.to_bytes()), *parts]


def _stream(root: Path, session: Session, paths: Paths, parts: list[Part]) -> BundleStream:
    header = session.header
    if not isinstance(header, SessionHeader):
        raise WriterError(
            "a session has no valid header, so that no session key can be given; put its file in as a native one"
        )
    path = _stream_path(header.key, paths)
    file = root / path
    file.parent.mkdir(mode=0o700, exist_ok=True)
    session.write(file)
    with file.open("rb") as lines:
        reader = LineReader(lines)
        records = sum(1 for _ in reader.records())
    part = Part(path, file, reader.size, reader.hexdigest())
    parts.append(part)
    key = BundleSessionKey(agent=header.agent, namespace=header.namespace, session_id=header.session_id)
    return BundleStream(path=path, session_key=key, sha256=part.sha256, bytes=part.size, records=records)


def _stream_path(key: SessionKey, paths: Paths) -> str:
    """A free path named after the session, or after its key's hash where its ID is not fit for a file's name."""
    name = key.session_id
    if not _PLAIN_NAME.fullmatch(name) or path_fault(f"{name}.asr.jsonl") is not None:
        name = hashlib.sha256(str(SessionReference(key)).encode()).hexdigest()[:32]
    tries = (f"streams/{name}{'' if n == 1 else f'-{n}'}.asr.jsonl" for n in count(1))
    return next(path for path in tries if paths.add(path) is None)


def _native(file: NativeFile, paths: Paths, parts: list[Part]) -> BundleNative:
    fault = path_fault(file.path) or paths.add(file.path)
    if fault is not None:
        raise WriterError(f"the native file {excerpt(file.path, 120)} needs another path: {fault}")
    part = Part.of(file.path, file.source if isinstance(file.source, bytes) else Path(file.source))
    parts.append(part)
    return BundleNative(path=part.path, sha256=part.sha256, bytes=part.size, harness=file.harness)
