"""Moving inline base64 out of the records of a session and back, exactly.

A line is cut open where the data stands and otherwise left as it is, whatever its spacing, order of members or number literals. Only
what can be put back byte for byte is moved: base64 that encoding its bytes gives again, written without escapes, in an image,
audio or file block that has no blob yet.
"""

from __future__ import annotations

import binascii
import hashlib
import os
import re
import tempfile
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

import orjson

from sessionrecord.bundle.writer import BlobFile, blob_path
from sessionrecord.diagnostics import excerpt
from sessionrecord.errors import WriterError
from sessionrecord.records import AudioBlock, FileBlock, ImageBlock, InvalidRecord, read_record
from sessionrecord.session import Session

__all__ = ["Externalized", "externalize", "internalize"]

_TOKEN: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[{}\[\],:]|[^\s"{}\[\],:]++')
_DATA: Final = b'"data"'
_BLOB: Final = b'"blob"'
_HASH_IN_BLOB: Final = re.compile(rb'"sha256"\s*:\s*"([0-9a-f]{64})"')
_OURS: Final = re.compile(rb'\{"sha256":"([0-9a-f]{64})","bytes":([0-9]{1,16}),"path":"blobs/([0-9a-f]{64})"\}')


@dataclass(frozen=True, slots=True)
class Externalized:
    """A session whose inline base64 has become blobs."""

    session: Session
    """The session; records without inline base64 have the lines they had."""
    blobs: dict[str, BlobFile]
    """SHA-256 to blob, for `write_bundle`."""

    def blob(self, sha256: str) -> bytes | None:
        """The bytes of a blob that was moved out, for `internalize`; None for any other."""
        blob = self.blobs.get(sha256)
        return None if blob is None else blob.read()


def externalize(session: Session, min_bytes: int, *, directory: str | os.PathLike[str] | None = None) -> Externalized:
    """Move base64 of at least `min_bytes` bytes, decoded, out of the content of records, each distinct blob once.

    `internalize` with the blobs that this gives restores every line byte for byte. What could not be put back so stays: base64 that
    differs from what encoding its bytes gives, records that are not valid, and a blob that the session names already. With
    `directory`, an existing one, blobs become files of mode 0600 in it instead of being held in memory.

    Raises `WriterError` where a file cannot be written.
    """
    named: set[bytes] = set()
    store = _Store(None if directory is None else Path(directory))

    def change(members: _Members, mime_type: str) -> tuple[int, int, bytes] | None:
        place = members.get(_DATA)
        if place is None or _BLOB in members:
            return None
        moved = _decoded(place.value[1:-1], min_bytes)
        if moved is None:
            return None
        sha256 = hashlib.sha256(moved).hexdigest()
        if sha256.encode() in named:
            return None
        store.add(sha256, moved, mime_type)
        blob = b'{"sha256":"%s","bytes":%d,"path":"%s"}' % (sha256.encode(), len(moved), blob_path(sha256).encode())
        return place.start, place.end, _BLOB + place.between + blob

    with _written(session) as lines:
        for line in lines:
            if _BLOB in line:
                named.update(_HASH_IN_BLOB.findall(line))
        lines.seek(0)
        return Externalized(_changed(lines, _DATA, change), store.blobs)


def internalize(session: Session, blob: Callable[[str], bytes | None]) -> Session:
    """Put back what `externalize` moved out: `blob` gives the bytes for a hash, as `Bundle.blob` and `Externalized.blob` do, or None.

    A blob that `blob` does not have stays where it is, and so does one that is named in a form that `externalize` does not write, as its
    other members could not be kept.

    Raises `WriterError` where the bytes do not have the hash.
    """

    def change(members: _Members, mime_type: str) -> tuple[int, int, bytes] | None:
        place = members.get(_BLOB)
        ours = None if place is None or _DATA in members else _OURS.fullmatch(place.value)
        if place is None or ours is None or ours[1] != ours[3]:
            return None
        sha256 = ours[1].decode()
        data = blob(sha256)
        if data is None:
            return None
        if len(data) != int(ours[2]) or hashlib.sha256(data).hexdigest() != sha256:
            raise WriterError(f"the bytes given for the blob {sha256} are not those of the record")
        return place.start, place.end, _DATA + place.between + b'"' + b64encode(data) + b'"'

    with _written(session) as lines:
        return _changed(lines, _BLOB, change)


@dataclass(frozen=True, slots=True)
class _Place:
    """A member in its line."""

    start: int
    end: int
    between: bytes
    """What stands between name and value: a colon and perhaps spaces."""
    value: bytes


_Members = dict[bytes, _Place]
_Change = Callable[[_Members, str], "tuple[int, int, bytes] | None"]


class _Store:
    def __init__(self, directory: Path | None) -> None:
        self.blobs: dict[str, BlobFile] = {}
        self._directory = directory

    def add(self, sha256: str, data: bytes, mime_type: str) -> None:
        if sha256 in self.blobs:
            return
        if self._directory is None:
            self.blobs[sha256] = BlobFile(data, mime_type)
            return
        path = self._directory / sha256
        try:
            with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
                file.write(data)
        except OSError as e:
            raise WriterError(f"cannot write the blob {excerpt(str(path), 200)}: {e.strerror or e}") from e
        self.blobs[sha256] = BlobFile(path, mime_type)


def _decoded(text: bytes, min_bytes: int) -> bytes | None:
    """The bytes of base64 that they encode to again; None for any other text and for fewer bytes."""
    if len(text) // 4 * 3 < min_bytes:
        return None
    try:
        data = b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    return data if len(data) >= min_bytes and b64encode(data) == text else None


def _changed(lines: Iterable[bytes], word: bytes, change: _Change) -> Session:
    return Session.read(b"".join(_changed_line(line, change) if word in line else line for line in lines))


@contextmanager
def _written(session: Session) -> Iterator[BinaryIO]:
    """The lines of a session as `Session.write` writes them."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "stream")
        try:
            session.write(path)
        except OSError as e:
            raise WriterError(f"cannot copy the session to {path}: {e.strerror or e}") from e
        with path.open("rb") as file:
            yield file


def _changed_line(line: bytes, change: _Change) -> bytes:
    record, _ = read_record(line)
    if isinstance(record, InvalidRecord):
        return line
    edits: list[tuple[int, int, bytes]] = []
    for attribute, field in type(record).model_fields.items():
        blocks = getattr(record, attribute)
        if not isinstance(blocks, list) or not any(isinstance(b, ImageBlock | AudioBlock | FileBlock) for b in blocks):
            continue
        objects = _objects_in(line, field.alias or attribute)
        for block, members in zip(blocks, objects, strict=False):
            if isinstance(block, ImageBlock | AudioBlock | FileBlock):
                edit = change(members, block.mime_type)
                if edit is not None:
                    edits.append(edit)
    for start, end, text in sorted(edits, reverse=True):
        line = line[:start] + text + line[end:]
    return line


def _objects_in(line: bytes, member: str) -> list[_Members]:
    """For each object of the array that is a member of the line's object, its own members and where they stand.

    The line is known to be valid. The member's name must be written without escapes; else there are no objects.
    """
    name = orjson.dumps(member)
    found: list[_Members] = []
    stack: list[bytes] = []
    inside = key_next = False
    key, key_span, value_at = b"", (0, 0), 0

    def take(start: int, end: int) -> None:
        at, key_end = key_span
        found[-1][line[at:key_end]] = _Place(at, end, line[key_end:start], line[start:end])

    for match in _TOKEN.finditer(line):
        start, end = match.span()
        first, depth = line[start : start + 1], len(stack)
        if first in b"{[":
            if depth == 3 and inside:
                value_at = start
            elif depth == 2 and inside:
                found.append({})
            elif depth == 1:
                inside = key == name and first == b"["
            stack.append(first)
            key_next = first == b"{"
        elif first in b"}]":
            stack.pop()
            if depth == 4 and inside:
                take(value_at, end)
            key_next = False
        elif first == b",":
            key_next = stack[-1] == b"{"
        elif key_next:
            key_next = False
            if depth == 1:
                key = line[start:end]
            elif depth == 3:
                key_span = start, end
        elif first != b":" and depth == 3 and inside:
            take(start, end)
    return found
