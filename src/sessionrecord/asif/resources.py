"""The bytes of an embedded resource: from its text, its base64 data or a file in the document's folder, verified.

What a resource says of its bytes is checked before anyone gets them: a count or digest that differs, a path that leaves
the folder and base64 that is not strict give findings and no bytes.
"""

from __future__ import annotations

import binascii
import hashlib
import os
import re
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from sessionrecord.diagnostics import Diagnostic, excerpt

__all__ = ["MAX_RESOURCE_BYTES", "MAX_TOTAL_BYTES", "ResourceBytes", "ResourceLike", "ResourceStore", "resource_bytes"]

MAX_RESOURCE_BYTES: Final = 64 * 2**20
"""Decoded bytes of one resource, unless told otherwise: 64 MiB."""
MAX_TOTAL_BYTES: Final = 256 * 2**20
"""Decoded bytes of all embedded resources of a document, unless told otherwise: 256 MiB."""

_MAX_PATH: Final = 4096
_UNPORTABLE: Final = re.compile(r'[\x00-\x1f<>"|?*]')
_DEVICE: Final = re.compile(r"(?:con|prn|aux|nul|com[1-9]|lpt[1-9])(?:\.|$)", re.IGNORECASE)
_OPEN_FLAGS: Final = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)  # a pipe must not make the reader wait
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


class ResourceLike(Protocol):
    """What the bytes of a resource depend on."""

    @property
    def id(self) -> str:
        """The resource's identity in its document."""
        ...

    @property
    def availability(self) -> str:
        """`embedded` if its bytes come with the document."""
        ...

    @property
    def text(self) -> str | None:
        """The bytes as text, encoded in UTF-8."""
        ...

    @property
    def data(self) -> str | None:
        """The bytes in base64."""
        ...

    @property
    def path(self) -> str | None:
        """A file, relative to the document's folder."""
        ...

    @property
    def bytes(self) -> int | None:
        """Number of decoded bytes."""
        ...

    @property
    def sha256(self) -> str | None:
        """SHA-256 of the decoded bytes, lower-case hex."""
        ...


@dataclass(frozen=True, slots=True)
class ResourceBytes:
    """The bytes of a resource, or why there are none."""

    data: bytes | None = None
    """The decoded bytes; None if the resource is not embedded or anything was found."""
    findings: tuple[Diagnostic, ...] = ()
    """What is wrong with an embedded resource; each pointer is relative to the resource."""


def resource_bytes(
    resource: ResourceLike, folder: Path | None = None, *, limit: int | None = MAX_RESOURCE_BYTES
) -> ResourceBytes:
    """The verified bytes of a resource. `folder` is the document's, where `path` is looked up; nothing outside it is read.

    More than `limit` bytes are refused before they are decoded; None means no limit. Raises nothing for any resource.
    """
    if resource.availability != "embedded":
        return ResourceBytes()
    try:
        data = _decoded(resource, folder, limit)
        if data is not None:
            _verify(resource, data)
    except _RefusedError as e:
        return ResourceBytes(findings=tuple(e.findings))
    return ResourceBytes(data)


class ResourceStore:
    """The bytes of a document's resources by ID, each decoded once, when it is first asked for."""

    def __init__(
        self,
        resources: Iterable[ResourceLike],
        folder: Path | None = None,
        *,
        limit: int | None = MAX_RESOURCE_BYTES,
        total_limit: int | None = MAX_TOTAL_BYTES,
    ) -> None:
        self._resources: dict[str, ResourceLike] = {}
        for resource in resources:
            self._resources.setdefault(resource.id, resource)
        self._folder, self._limit, self._total_limit = folder, limit, total_limit
        self._read: dict[str, ResourceBytes] = {}
        self._total = 0

    def get(self, resource_id: str) -> ResourceBytes | None:
        """The bytes of a resource; None if no resource has this ID. Of resources that share an ID the first counts."""
        found = self._read.get(resource_id)
        if found is None and resource_id in self._resources:
            found = self._read[resource_id] = self._decode(self._resources[resource_id])
        return found

    def _decode(self, resource: ResourceLike) -> ResourceBytes:
        limit = self._limit
        left = None if self._total_limit is None else self._total_limit - self._total
        if left is not None and (limit is None or left < limit):
            found = resource_bytes(resource, self._folder, limit=left)
            if any(f.code == "limit-exceeded" for f in found.findings):
                return _refused(
                    "limit-exceeded", f"the embedded resources hold more than {self._total_limit} bytes in all", ""
                )
        else:
            found = resource_bytes(resource, self._folder, limit=limit)
        self._total += len(found.data or b"")
        return found


class _RefusedError(Exception):
    def __init__(self, *findings: Diagnostic) -> None:
        self.findings = findings


def _refuse(code: str, message: str, pointer: str) -> _RefusedError:
    return _RefusedError(Diagnostic.of(code, message, pointer=pointer))


def _refused(code: str, message: str, pointer: str) -> ResourceBytes:
    return ResourceBytes(findings=(Diagnostic.of(code, message, pointer=pointer),))


def _decoded(resource: ResourceLike, folder: Path | None, limit: int | None) -> bytes | None:
    if resource.text is not None:
        return _from_text(resource.text, limit)
    if resource.data is not None:
        return _from_base64(resource.data, limit)
    if resource.path is not None:
        return _from_file(resource.path, folder, limit)
    return None  # a rule of the resource's members, reported with them


def _too_large(limit: int | None, pointer: str) -> _RefusedError:
    return _refuse("limit-exceeded", f"the resource holds more than {limit} bytes", pointer)


def _exceeds(size: int, limit: int | None) -> bool:
    return limit is not None and size > limit


def _from_text(text: str, limit: int | None) -> bytes:
    if _exceeds(len(text), limit):
        raise _too_large(limit, "/text")
    try:
        data = text.encode()
    except UnicodeEncodeError as e:
        raise _refuse("lone-surrogate", f"character {e.start} of the text has no UTF-8 encoding", "/text") from None
    if _exceeds(len(data), limit):
        raise _too_large(limit, "/text")
    return data


def _from_base64(text: str, limit: int | None) -> bytes:
    padding = text[-3:].count("=")
    if _exceeds(len(text) // 4 * 3 - padding, limit):
        raise _too_large(limit, "/data")
    try:
        # binascii knows no excess of padding after whole groups
        if len(text) % 4 == 0 and padding < 3:
            return binascii.a2b_base64(text, strict_mode=True)
        reason = "wrong padding: groups are of four characters, the last one filled with one or two ="
    except ValueError as e:  # of binascii, and for characters beyond ASCII
        reason = f"{e}"[:1].lower() + f"{e}"[1:]
    if space := re.search(r"\s", text):
        reason = f"white space at character {space.start()}"
    raise _refuse("resource-base64-invalid", reason, "/data")


def _verify(resource: ResourceLike, data: bytes) -> None:
    findings = []
    if resource.bytes is not None and resource.bytes != len(data):
        message = f"there are {len(data)} bytes, not the {excerpt(resource.bytes)} declared"
        findings.append(Diagnostic.of("resource-size-mismatch", message, pointer="/bytes"))
    if resource.sha256 is not None and resource.sha256 != (digest := hashlib.sha256(data).hexdigest()):
        message = f"the bytes have the digest {digest[:16]}…, not the {excerpt(resource.sha256, 20)} declared"
        findings.append(Diagnostic.of("resource-digest-mismatch", message, pointer="/sha256"))
    if findings:
        raise _RefusedError(*findings)


def _from_file(path: str, folder: Path | None, limit: int | None) -> bytes:
    _require_safe(path)
    if folder is None:
        raise _refuse("resource-file-unreadable", "the document's folder is not known", "/path")
    try:
        return _read_inside(path, folder, limit)
    except (OSError, ValueError) as e:
        reason = (e.strerror if isinstance(e, OSError) else None) or "it cannot be opened"
        raise _refuse("resource-file-unreadable", f"{excerpt(path)}: {reason}", "/path") from None


def _require_safe(path: str) -> None:
    """What every system reads as a file below the folder: the same rules everywhere, so that a document is portable."""
    shown = excerpt(path)
    if not path:
        raise _refuse("resource-path-unsafe", "the path is empty", "/path")
    if path.startswith(("/", "\\")):
        raise _refuse("resource-path-unsafe", f"{shown} is absolute", "/path")
    if ":" in path:
        raise _refuse("resource-path-unsafe", f"{shown} names a drive, a scheme or a stream of a file", "/path")
    if "\\" in path:
        raise _refuse("resource-path-unsafe", f"{shown} holds a backslash; parts are separated by /", "/path")
    if len(path) > _MAX_PATH:
        raise _refuse("resource-path-unsafe", f"the path has more than {_MAX_PATH} characters", "/path")
    for part in path.split("/"):
        if part in ("", ".", ".."):
            raise _refuse("resource-path-unsafe", f"{shown} has an empty part, . or ..", "/path")
        if part.endswith((" ", ".")) or _UNPORTABLE.search(part):
            raise _refuse("resource-path-nonportable", f"{shown} is no file name on every system", "/path")
        if _DEVICE.match(part):
            raise _refuse("resource-path-nonportable", f"{shown} is the name of a device on some systems", "/path")


def _read_inside(path: str, folder: Path, limit: int | None) -> bytes:
    file = folder
    for part in path.split("/"):
        file = file / part
        if file.is_symlink():
            raise _refuse("resource-path-unsafe", f"{excerpt(path)} goes through a symbolic link", "/path")
    if not file.resolve().is_relative_to(folder.resolve()):
        raise _refuse("resource-path-unsafe", f"{excerpt(path)} leaves the document's folder", "/path")
    with os.fdopen(os.open(file, _OPEN_FLAGS), "rb") as source:
        status = os.fstat(source.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise _refuse("resource-file-unreadable", f"{excerpt(path)} is not a regular file", "/path")
        # one byte more than expected tells a file that grew from one that did not
        data = source.read((status.st_size if limit is None else min(status.st_size, limit)) + 1)
    if _exceeds(len(data), limit):
        raise _too_large(limit, "/path")
    return data
