"""Bundles: streams with their blobs and native files, in a directory, a zip or a tar archive (spec section 9)."""

from __future__ import annotations

from sessionrecord.bundle.findings import BundleDiagnostic
from sessionrecord.bundle.inline import Externalized, externalize, internalize
from sessionrecord.bundle.limits import Limits
from sessionrecord.bundle.manifest import BundleBlob, BundleNative, BundleSessionKey, BundleStream, Manifest
from sessionrecord.bundle.reader import Bundle
from sessionrecord.bundle.source import BundleSource
from sessionrecord.bundle.verify import verify
from sessionrecord.bundle.writer import BlobFile, NativeFile, write_bundle

__all__ = [
    "BlobFile",
    "Bundle",
    "BundleBlob",
    "BundleDiagnostic",
    "BundleNative",
    "BundleSessionKey",
    "BundleSource",
    "BundleStream",
    "Externalized",
    "Limits",
    "Manifest",
    "NativeFile",
    "externalize",
    "internalize",
    "verify",
    "write_bundle",
]
