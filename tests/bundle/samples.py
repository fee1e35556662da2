"""Small bundles made by hand or with the standard library, and archives that lie."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
import warnings
import zipfile
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import orjson

from sessionrecord.bundle import Bundle, BundleDiagnostic

HEADER: dict[str, Any] = {
    "type": "session",
    "seq": 1,
    "id": "r1",
    "agent": "toy",
    "sessionId": "s1",
    "producer": {"method": "native"},
}


def stream(*records: dict[str, Any], **header: Any) -> bytes:
    """The lines of a stream; records are numbered from 2."""
    numbered = [HEADER | header, *({"seq": n, "id": f"r{n}", **r} for n, r in enumerate(records, 2))]
    return b"".join(orjson.dumps(r) + b"\n" for r in numbered)


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def listed(path: str, data: bytes, **more: Any) -> dict[str, Any]:
    """An entry of a manifest."""
    return {"path": path, "sha256": sha256(data), "bytes": len(data), **more}


def manifest(files: dict[str, bytes]) -> dict[str, Any]:
    """The manifest of files: those under streams/ and blobs/ as such, others as native ones."""
    found: dict[str, Any] = {"format": "asr-bundle", "streams": [], "blobs": [], "native": []}
    for path, data in files.items():
        if path.startswith("streams/"):
            key = {"agent": "toy", "namespace": None, "sessionId": "s1"}
            found["streams"].append(listed(path, data, sessionKey=key, records=data.count(b"\n")))
        else:
            found["blobs" if path.startswith("blobs/") else "native"].append(listed(path, data))
    return found


def bundle_files(**more: bytes) -> dict[str, bytes]:
    """The files of a valid bundle, with more native files if wanted."""
    blob = b"\x89PNG\r\n" * 20
    files = {"streams/s1.asr.jsonl": stream(), f"blobs/{sha256(blob)}": blob, "native/log.jsonl": b"{}\n" * 300, **more}
    return {"bundle.json": json.dumps(manifest(files)).encode(), **files}


def in_directory(root: Path, files: dict[str, bytes]) -> Path:
    for path, data in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)
    return root


def in_zip(files: Iterable[tuple[str | zipfile.ZipInfo, bytes]], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip archive as the standard library writes it."""
    buffer = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a name given twice is the point of some tests
        with zipfile.ZipFile(buffer, "w", method) as archive:
            for name, data in files:
                archive.writestr(name, data, method)
    return buffer.getvalue()


def in_tar(files: Iterable[tuple[str | tarfile.TarInfo, bytes]], form: int = tarfile.PAX_FORMAT, **more: Any) -> bytes:
    """A tar archive as the standard library writes it."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=form, **more) as archive:
        for name, data in files:
            info = tarfile.TarInfo(name) if isinstance(name, str) else name
            if info.isreg():
                info.size = len(data)
            archive.addfile(info, io.BytesIO(data) if info.isreg() else None)
    return buffer.getvalue()


def tar_member(name: str, kind: bytes = tarfile.REGTYPE, **attributes: Any) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type = kind
    for attribute, value in attributes.items():
        setattr(info, attribute, value)
    return info


def deflated(data: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


def codes(findings: Iterable[BundleDiagnostic]) -> list[tuple[str, str | None]]:
    return [(d.code, d.path) for d in findings]


def unverified(bundle: Bundle, path: str) -> bytes:
    """A file's bytes whatever their hash."""
    with bundle.open_file(path) as file:
        return file.read()
