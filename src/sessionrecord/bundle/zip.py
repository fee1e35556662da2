"""A zip archive, read in place by what its central directory says, and only if the rest of the archive says the same.

Stored and deflated files are read, ZIP64 too. Two readers that disagree on what a file holds are an attacker's way in, so that
whatever is said twice (name, method, sizes) must be equal, nothing may overlap, and there is one central directory, at the end.
"""

from __future__ import annotations

import io
import stat
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import BinaryIO, Final, cast

from typing_extensions import Buffer

from sessionrecord.bundle.container import Container, Listing, SharedFile, Slice
from sessionrecord.bundle.findings import refusal
from sessionrecord.bundle.limits import Limits
from sessionrecord.diagnostics import excerpt
from sessionrecord.errors import BundleError

__all__ = ["MAGIC", "ZipContainer"]

MAGIC: Final = (b"PK\x03\x04", b"PK\x05\x06")
"""How a zip archive begins; the second one is empty."""

_END: Final = struct.Struct("<4s4H2LH")
_END_MAGIC: Final = b"PK\x05\x06"
_LOCATOR: Final = struct.Struct("<4sLQL")
_LOCATOR_MAGIC: Final = b"PK\x06\x07"
_END64: Final = struct.Struct("<4sQ2H2L4Q")
_END64_MAGIC: Final = b"PK\x06\x06"
_CENTRAL: Final = struct.Struct("<4s6H3L5H2L")
_CENTRAL_MAGIC: Final = b"PK\x01\x02"
_LOCAL: Final = struct.Struct("<4s5H3L2H")
_LOCAL_MAGIC: Final = b"PK\x03\x04"

_ENCRYPTED: Final = 0x2041  # plain, strong, and masked headers
_DESCRIPTOR: Final = 0x0008
_UTF8: Final = 0x0800
_STORED: Final = 0
_DEFLATED: Final = 8
_FULL32: Final = 0xFFFFFFFF
_FULL16: Final = 0xFFFF
_FULL: Final = (_FULL16, _FULL32, _FULL32)
_ZIP64_EXTRA: Final = 1
_CHUNK: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class _Entry:
    name: bytes
    path: str
    flags: int
    method: int
    crc: int
    packed: int
    size: int
    at: int
    """Offset of the local header."""
    mode: int
    """File type bits of Unix; 0 where they were not recorded."""


class ZipContainer(Container):
    """The files of a zip archive. Raises `BundleError` with all that is wrong with it."""

    def __init__(self, file: SharedFile, limits: Limits) -> None:
        self._file = file
        self._data: dict[str, tuple[_Entry, int]] = {}
        listing = Listing(limits)
        start, size, count = _central_directory(file)
        spans: list[tuple[int, int, str]] = []
        for entry in _entries(file, start, size, count):
            self._add(entry, listing, spans, start, limits)
        spans.sort()
        for (_, end, path), (begin, _, other) in pairwise(spans):
            if begin < end:
                listing.refuse("bundle-archive-invalid", f"its bytes are also those of {excerpt(other)}", path)
        listing.check_total(file.size)
        if listing.findings:
            raise BundleError(listing.findings)
        super().__init__(listing.sizes)

    def _add(
        self, entry: _Entry, listing: Listing, spans: list[tuple[int, int, str]], limit: int, limits: Limits
    ) -> None:
        path = entry.path
        if path.endswith("/"):
            listing.add_directory(path[:-1])
            if entry.size:
                listing.refuse("bundle-not-a-file", "a directory has no bytes of its own", path)
            return
        listing.add(path, entry.size)
        if entry.flags & _ENCRYPTED:
            listing.refuse("bundle-encrypted", "the file is encrypted", path)
            return
        if entry.mode not in (0, stat.S_IFREG):
            kind = "a symbolic link" if entry.mode == stat.S_IFLNK else "no regular file"
            listing.refuse("bundle-not-a-file", f"the member is {kind}", path)
            return
        if entry.method not in (_STORED, _DEFLATED):
            listing.refuse("bundle-archive-invalid", f"compression method {entry.method} is not read", path)
            return
        if entry.method == _STORED and entry.packed != entry.size:
            listing.refuse("bundle-size-false", f"stored in {entry.packed} bytes, but said to have {entry.size}", path)
            return
        listing.check_ratio(entry.size, entry.packed, path)
        data = _data_offset(self._file, entry, listing, limit)
        if data is not None:
            spans.append((entry.at, data + entry.packed, path))
            self._data.setdefault(path, (entry, data))

    def open(self, path: str) -> BinaryIO:
        """A file's bytes; the end is reached only if size and checksum are right."""
        entry, data = self._data[path]
        raw = Slice(self._file, data, entry.packed, path)
        return cast("BinaryIO", io.BufferedReader(_Unpacked(raw, entry), _CHUNK))

    def close(self) -> None:
        """Close the archive."""
        self._file.close()


class _Unpacked(io.RawIOBase):
    def __init__(self, raw: Slice, entry: _Entry) -> None:
        super().__init__()
        self._raw, self._entry = raw, entry
        self._inflate = zlib.decompressobj(-zlib.MAX_WBITS) if entry.method == _DEFLATED else None
        self._size = self._crc = 0
        self._pending = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Buffer, /) -> int:
        target = memoryview(buffer).cast("B")
        data = self._raw.read(len(target)) if self._inflate is None else self._unpack(self._inflate, len(target))
        data = data or b""
        self._size += len(data)
        self._crc = zlib.crc32(data, self._crc)
        if self._size > self._entry.size:
            raise self._false("more")
        if not data and len(target):
            if self._size < self._entry.size:
                raise self._false("fewer")
            if self._crc != self._entry.crc:
                raise refusal("bundle-archive-invalid", "the checksum of the file is wrong", self._entry.path)
        target[: len(data)] = data
        return len(data)

    def _unpack(self, inflate: zlib._Decompress, count: int) -> bytes:
        while not inflate.eof and count:
            packed = self._pending or self._raw.read(_CHUNK) or b""
            try:
                data = inflate.decompress(packed, count)
            except zlib.error as e:
                raise refusal("bundle-archive-invalid", f"the file cannot be unpacked: {e}", self._entry.path) from None
            self._pending = inflate.unconsumed_tail
            if data:
                return data
            if not packed:
                raise refusal("bundle-archive-invalid", "the compressed bytes end early", self._entry.path)
        if inflate.unused_data or self._pending or (count and self._raw.read(1)):
            raise refusal("bundle-size-false", "more bytes follow the end of the compressed ones", self._entry.path)
        return b""

    def _false(self, what: str) -> BundleError:
        return refusal(
            "bundle-size-false",
            f"the file has {what} bytes than the {self._entry.size} it is said to have",
            self._entry.path,
        )


def _invalid(message: str) -> BundleError:
    return refusal("bundle-archive-invalid", message)


def _central_directory(file: SharedFile) -> tuple[int, int, int]:
    """Offset, size and number of entries of the central directory."""
    tail_at = max(file.size - _END.size - _FULL16, 0)
    tail = file.read_at(tail_at, file.size - tail_at)
    at = tail.rfind(_END_MAGIC)
    while at >= 0 and (len(tail) - at < _END.size or at + _END.size + _END.unpack_from(tail, at)[7] != len(tail)):
        at = tail.rfind(_END_MAGIC, 0, at)
    if at < 0:
        raise _invalid("the archive has no end: it is cut off, or something was put after it")
    _, disk, first_disk, here, count, size, start, _ = _END.unpack_from(tail, at)
    end = tail_at + at
    locator = file.read_at(max(end - _LOCATOR.size, 0), _LOCATOR.size)
    if len(locator) == _LOCATOR.size and locator.startswith(_LOCATOR_MAGIC):
        end = _LOCATOR.unpack(locator)[2]
        record = file.read_at(end, _END64.size)
        if len(record) < _END64.size or not record.startswith(_END64_MAGIC):
            raise _invalid("the ZIP64 end of the archive is not where it should be")
        narrow = (count, size, start)
        _, _, _, _, disk, first_disk, here, count, size, start = _END64.unpack(record)
        if any(n not in (w, full) for n, w, full in zip(narrow, (count, size, start), _FULL, strict=True)):
            raise _invalid("the archive has two ends that disagree")
    if disk or first_disk or here != count:
        raise _invalid("an archive of several disks is not read")
    if start + size != end:
        raise _invalid("the central directory does not end where the archive's end begins")
    return start, size, count


def _entries(file: SharedFile, start: int, size: int, count: int) -> Iterator[_Entry]:
    directory = io.BufferedReader(Slice(file, start, size, ""), _CHUNK)
    for _ in range(count):
        header = directory.read(_CENTRAL.size)
        if len(header) < _CENTRAL.size or not header.startswith(_CENTRAL_MAGIC):
            raise _invalid("the central directory is damaged")
        fields = _CENTRAL.unpack(header)
        _, made_by, _, flags, method, _, _, crc, packed, length, names, extras, comments, _, _, attributes, at = fields
        rest = directory.read(names + extras + comments)
        if len(rest) < names + extras + comments:
            raise _invalid("the central directory is damaged")
        length, packed, at = _wide(rest[names : names + extras], length, packed, at)
        path = _text(rest[:names], flags)
        mode = stat.S_IFMT(attributes >> 16) if made_by >> 8 == 3 or attributes >> 16 else 0
        mode = 0 if path.endswith("/") and mode == stat.S_IFDIR else mode
        yield _Entry(rest[:names], path, flags, method, crc, packed, length, at, mode)
    if directory.read(1):
        raise _invalid("the central directory has more files than the archive's end says")


def _text(name: bytes, flags: int) -> str:
    try:
        return name.decode("utf-8")  # some writers do not say so
    except UnicodeDecodeError:
        # with the flag the name becomes one that `path_fault` refuses
        return name.decode("utf-8", "surrogateescape") if flags & _UTF8 else name.decode("cp437")


def _wide(extra: bytes, *values: int) -> list[int]:
    """The 64-bit values that stand in the extra field for those that do not fit 32 bits."""
    at, wide = 0, b""
    while at + 4 <= len(extra):
        kind, length = struct.unpack_from("<2H", extra, at)
        if kind == _ZIP64_EXTRA:
            wide = extra[at + 4 : at + 4 + length]
        at += 4 + length
    found: list[int] = []
    for value in values:
        if value == _FULL32 and len(wide) >= 8:
            value, wide = int.from_bytes(wide[:8], "little"), wide[8:]
        found.append(value)
    return found


def _data_offset(file: SharedFile, entry: _Entry, listing: Listing, limit: int) -> int | None:
    """Where a file's bytes begin; None, with a finding, where the local header says something else than the central one."""
    header = file.read_at(entry.at, _LOCAL.size)
    if len(header) < _LOCAL.size or not header.startswith(_LOCAL_MAGIC):
        listing.refuse("bundle-archive-invalid", "no local header is where the central directory says", entry.path)
        return None
    _, _, flags, method, _, _, crc, packed, size, names, extras = _LOCAL.unpack(header)
    rest = file.read_at(entry.at + _LOCAL.size, names + extras)
    size, packed = _wide(rest[names:], size, packed)
    if rest[:names] != entry.name or method != entry.method or (flags ^ entry.flags) & (_ENCRYPTED | _UTF8):
        listing.refuse("bundle-archive-invalid", "the local header names another file or method", entry.path)
        return None
    said = (packed, size, crc)
    if said != (entry.packed, entry.size, entry.crc) and not (flags & _DESCRIPTOR and not any(said)):
        listing.refuse(
            "bundle-size-false", f"said to have {size} bytes in one place and {entry.size} in another", entry.path
        )
        return None
    data: int = entry.at + _LOCAL.size + names + extras
    if data + entry.packed > limit:
        listing.refuse("bundle-size-false", f"the {entry.packed} bytes it is said to have are not there", entry.path)
        return None
    return data
