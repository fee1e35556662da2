"""`Bundle`: streams, blobs and native files, read from a directory, zip or tar in place (spec section 9)."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Final, Self

from sessionrecord.bundle.container import Container
from sessionrecord.bundle.directory import DirectoryContainer
from sessionrecord.bundle.findings import BundleDiagnostic, found, refusal
from sessionrecord.bundle.limits import Limits
from sessionrecord.bundle.manifest import BundleBlob, BundleNative, BundleStream, Entry, Manifest, read_manifest
from sessionrecord.bundle.paths import MANIFEST_PATH
from sessionrecord.bundle.source import BundleSource, open_container
from sessionrecord.diagnostics import excerpt
from sessionrecord.errors import BundleError
from sessionrecord.session import Session

__all__ = ["Bundle"]

_CHUNK: Final = 1 << 20


class Bundle:
    """A bundle, read in place: a file is unpacked when it is asked for, and checked against its hash. [S] "Bundle".

    ::

        with Bundle.open("run.zip") as bundle:
            for stream in bundle.streams:
                session = bundle.session(stream)
    """

    def __init__(self, container: Container, manifest: Manifest, diagnostics: list[BundleDiagnostic]) -> None:
        self._container = container
        self.manifest = manifest
        """The manifest, `bundle.json`."""
        self.diagnostics = diagnostics
        """What was found in the manifest, none of it an error. `sessionrecord.bundle.verify` reads everything."""
        self._by_path = {entry.path: entry for _, entry in manifest.entries()}
        self._by_hash: dict[str, BundleBlob] = {}
        for blob in manifest.blobs or ():
            self._by_hash.setdefault(blob.sha256, blob)

    @classmethod
    def open(cls, source: BundleSource, *, limits: Limits | None = None) -> Self:
        """Open a directory, a zip or a tar archive: a path, bytes, or a binary file that can seek, which stays open.

        Raises `SourceError` where it cannot be read, and `BundleError` with all findings where it is refused: a path that leaves
        the bundle, a link or device, a file that is there twice or encrypted, sizes that are not true, more than `limits`
        allow, or a manifest that is missing or invalid. That a file is missing or different is found when it is read.
        """
        limits = limits or Limits()
        container = open_container(source, limits)
        try:
            manifest, diagnostics = _manifest(container, limits)
            if manifest is None or any(d.severity == "error" for d in diagnostics):
                raise BundleError(diagnostics)
            return cls(container, manifest, diagnostics)
        except BaseException:
            container.close()
            raise

    @property
    def streams(self) -> list[BundleStream]:
        """The streams, in the manifest's order."""
        return list(self.manifest.streams or ())

    @property
    def blobs(self) -> list[BundleBlob]:
        """The blobs, in the manifest's order."""
        return list(self.manifest.blobs or ())

    @property
    def native(self) -> list[BundleNative]:
        """The native files, in the manifest's order."""
        return list(self.manifest.native or ())

    @property
    def files(self) -> dict[str, int]:
        """Path to size in bytes of every file that is there, named by the manifest or not."""
        return dict(self._container.sizes)

    def entry(self, path: str) -> Entry:
        """What the manifest says of a file. Raises `BundleError` for a path that it does not name."""
        try:
            return self._by_path[path]
        except KeyError:
            raise refusal("bundle-file-unlisted", "the manifest names no such file", path) from None

    def open_file(self, file: str | Entry) -> BinaryIO:
        """The bytes of a file, unpacked as they are read; sizes and an archive's checksum are checked, the hash is not.

        Raises `BundleError` where the file is not in the bundle.
        """
        path = file if isinstance(file, str) else file.path
        if path not in self._container.sizes:
            raise refusal("bundle-file-missing", "the file is not in the bundle", path)
        return self._container.open(path)

    def read(self, file: str | Entry) -> bytes:
        """The bytes of a file of the manifest. Raises `BundleError` where it is missing or its size or hash differ."""
        entry = self.entry(file if isinstance(file, str) else file.path)
        self.require_size(entry)
        with self.open_file(entry) as source:
            data = source.read()
        self.require_hash(entry, hashlib.sha256(data).hexdigest())
        return data

    def session(self, stream: str | BundleStream) -> Session:
        """The session of a stream, lazy over its bytes: mapped from a directory, in memory from an archive.

        Raises `BundleError` where the stream is missing or its size or hash differ; what `open_file` gives can be read by
        `Session.read` in spite of that.
        """
        entry = self.entry(stream if isinstance(stream, str) else stream.path)
        if not isinstance(self._container, DirectoryContainer):
            return Session.read(self.read(entry))
        self.copy(entry, None)
        return Session.read(self._container.root / entry.path)

    def blob(self, sha256: str) -> bytes | None:
        """The blob with a hash; None where the manifest names none. Raises `BundleError` where it is missing or differs."""
        entry = self._by_hash.get(sha256)
        return None if entry is None else self.read(entry)

    def copy(self, file: str | Entry, target: BinaryIO | None) -> None:
        """Copy a file of the manifest in pieces, or only check it where `target` is None. Raises as `read` does, at the end."""
        entry = self.entry(file if isinstance(file, str) else file.path)
        self.require_size(entry)
        digest = hashlib.sha256()
        with self.open_file(entry) as source:
            while data := source.read(_CHUNK):
                digest.update(data)
                if target is not None:
                    target.write(data)
        self.require_hash(entry, digest.hexdigest())

    def extract(self, directory: str | os.PathLike[str]) -> list[Path]:
        """Write the manifest and every file that it names to a new directory, checking each hash; returns the paths.

        Files have mode 0600. Everything is written beside `directory` first, so that it is there whole or not at all. Raises
        `BundleError` with all findings for a bundle of which a file is missing, different or unlisted, and `WriterError`.
        """
        from sessionrecord.bundle.extract import extract

        return extract(self, Path(directory))

    def require_size(self, entry: Entry) -> None:
        """Raise `BundleError` where a file is missing or has another size than its entry says."""
        size = self._container.sizes.get(entry.path)
        if size is None:
            raise refusal("bundle-file-missing", "the file is not in the bundle", entry.path)
        if size != entry.bytes:
            message = f"the file has {size} bytes, the manifest says {entry.bytes}"
            raise refusal("bundle-file-different", message, entry.path)

    def require_hash(self, entry: Entry, sha256: str) -> None:
        """Raise `BundleError` where a file's SHA-256 is another than its entry says."""
        if sha256 != entry.sha256:
            message = f"the file's SHA-256 is {sha256}, the manifest says {excerpt(entry.sha256, 64)}"
            raise refusal("bundle-file-different", message, entry.path)

    def close(self) -> None:
        """Close the archive, if it was opened here. Sessions that were read stay."""
        self._container.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Bundle {len(self.streams)} streams, {len(self.blobs)} blobs, {len(self.native)} native files>"


def _manifest(container: Container, limits: Limits) -> tuple[Manifest | None, list[BundleDiagnostic]]:
    size = container.sizes.get(MANIFEST_PATH)
    if size is None:
        inner = next((p for p in container.sizes if p.endswith(f"/{MANIFEST_PATH}")), None)
        hint = "" if inner is None else f"; {excerpt(inner)} is not at the top, where it belongs"
        return None, [found("bundle-manifest-missing", f"there is no {MANIFEST_PATH}{hint}")]
    if size > limits.manifest_bytes:
        message = f"the manifest has {size} bytes; the limit is {limits.manifest_bytes}"
        return None, [found("bundle-too-large", message, MANIFEST_PATH)]
    with container.open(MANIFEST_PATH) as file:
        return read_manifest(file.read())
