"""Unpacking a bundle: whole and checked, or not at all."""

from __future__ import annotations

import tempfile
from pathlib import Path

from sessionrecord.bundle.findings import BundleDiagnostic, found, reasons
from sessionrecord.bundle.parts import create
from sessionrecord.bundle.paths import MANIFEST_PATH
from sessionrecord.bundle.reader import Bundle
from sessionrecord.diagnostics import excerpt
from sessionrecord.errors import BundleError, WriterError

__all__ = ["extract"]


def extract(bundle: Bundle, directory: Path) -> list[Path]:
    """As `Bundle.extract`."""
    if directory.is_symlink() or directory.exists():
        raise WriterError(f"{excerpt(str(directory), 200)} exists; it is not replaced")
    paths = [entry.path for _, entry in bundle.manifest.entries()]
    unlisted = bundle.files.keys() - {MANIFEST_PATH, *paths}
    findings = [found("bundle-file-unlisted", "the manifest does not name the file", path) for path in sorted(unlisted)]
    try:
        with tempfile.TemporaryDirectory(prefix=f".{directory.name}.", dir=directory.parent) as staging:
            root = Path(staging, "bundle")
            root.mkdir(mode=0o700)
            with bundle.open_file(MANIFEST_PATH) as source, create(root, MANIFEST_PATH) as target:
                target.write(source.read())
            for path in paths:
                findings += _copy(bundle, path, root)
            if findings:
                raise BundleError(findings)
            root.rename(directory)
    except OSError as e:
        named = e.filename or directory
        raise WriterError(f"cannot extract the bundle: {excerpt(str(named), 200)}: {e.strerror or e}") from e
    return [directory / path for path in (MANIFEST_PATH, *paths)]


def _copy(bundle: Bundle, path: str, root: Path) -> list[BundleDiagnostic]:
    try:
        with create(root, path) as target:
            bundle.copy(path, target)
    except BundleError as e:
        return reasons(e)
    return []
