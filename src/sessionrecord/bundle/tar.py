"""A tar archive, read in place: POSIX ustar and pax, and the long names of GNU tar.

Read by hand rather than with `tarfile`, so that a header can neither make the reader loop nor hold more than its limits, and whatever
is not a plain file or directory is refused.
"""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from typing import BinaryIO, Final, cast

from sessionrecord.bundle.container import Container, Listing, SharedFile, Slice
from sessionrecord.bundle.findings import reasons, refusal
from sessionrecord.bundle.limits import Limits
from sessionrecord.errors import BundleError

__all__ = ["MAGIC", "MAGIC_AT", "TarContainer"]

MAGIC: Final = b"ustar"
"""What stands at `MAGIC_AT` in a tar archive."""
MAGIC_AT: Final = 257

_BLOCK: Final = 512
_CHUNK: Final = 1 << 16
_LONGEST_HEADER: Final = 1 << 20
_MOST_HEADERS: Final = 4
"""Most extended headers before one file: GNU tar and pax write two."""
_REGULAR: Final = (b"0", b"\0")
_DIRECTORY: Final = b"5"
_KINDS: Final = {
    b"1": "a hard link",
    b"2": "a symbolic link",
    b"3": "a character device",
    b"4": "a block device",
    b"6": "a named pipe",
    b"S": "a sparse file",
}
_WITHOUT_BYTES: Final = (b"1", b"2", b"3", b"4", b"5", b"6")
_GNU_NAME: Final = b"L"
_GNU_LINK: Final = b"K"
_PAX: Final = b"x"
_PAX_GLOBAL: Final = b"g"
_EXTENDED: Final = (_GNU_NAME, _GNU_LINK, _PAX, _PAX_GLOBAL)


@dataclass(slots=True)
class _Extended:
    """What extended headers say of the file that follows them."""

    path: str | None = None
    size: int | None = None
    sparse: bool = False
    count: int = field(default=0)


class TarContainer(Container):
    """The files of a tar archive. Raises `BundleError` with all that is wrong with it."""

    def __init__(self, file: SharedFile, limits: Limits) -> None:
        self._file = file
        self._data: dict[str, int] = {}
        listing = Listing(limits)
        try:
            self._read(listing)
        except BundleError as e:
            listing.findings += [d for d in reasons(e) if d not in listing.findings]
        listing.check_total(file.size)
        if listing.findings:
            raise BundleError(listing.findings)
        super().__init__(listing.sizes)

    def _read(self, listing: Listing) -> None:
        at, extended = 0, _Extended()
        while True:
            header = self._file.read_at(at, _BLOCK)
            if header == bytes(_BLOCK):
                break
            _check(header, at)
            kind, size = header[156:157], _number(header[124:136])
            if size is None:
                raise _invalid(f"the header at byte {at} has no size")
            path = _name(header)
            data = at + _BLOCK
            if kind in _EXTENDED:
                extended = self._extend(extended, kind, data, size)
                at = data + _blocks(size)
                continue
            path = path if extended.path is None else extended.path
            size = size if extended.size is None else extended.size
            at = data + (0 if kind in _WITHOUT_BYTES else _blocks(size))
            self._add(listing, path, kind, size, data, extended.sparse)
            extended = _Extended()
            if at > self._file.size:
                raise refusal("bundle-size-false", f"the {size} bytes it is said to have are not there", path)
        if extended.count:
            raise _invalid("an extended header has no file after it")
        while rest := self._file.read_at(at, _CHUNK):
            if rest.count(0) != len(rest):
                raise _invalid("bytes follow the end of the archive")
            at += len(rest)

    def _add(self, listing: Listing, path: str, kind: bytes, size: int, data: int, sparse: bool) -> None:
        path = path.removeprefix("./")
        directory = kind == _DIRECTORY or (kind in _REGULAR and path.endswith("/"))
        if kind in _KINDS or sparse:
            listing.refuse("bundle-not-a-file", f"the member is {'a sparse file' if sparse else _KINDS[kind]}", path)
        elif not directory and kind not in _REGULAR:
            listing.refuse("bundle-not-a-file", f"the member is of a kind that is not read: {kind!a}", path)
        elif not directory:
            listing.add(path, size)
            self._data.setdefault(path, data)
        elif size:
            listing.refuse("bundle-not-a-file", "a directory has no bytes of its own", path)
        elif path.rstrip("/") not in ("", "."):
            listing.add_directory(path.removesuffix("/"))

    def _extend(self, extended: _Extended, kind: bytes, data: int, size: int) -> _Extended:
        extended.count += 1
        if size > _LONGEST_HEADER or extended.count > _MOST_HEADERS:
            raise refusal(
                "bundle-too-large", f"the extended header at byte {data - _BLOCK} is too large, or one too many"
            )
        text = self._file.read_at(data, size)
        if len(text) < size:
            raise refusal("bundle-size-false", f"the {size} bytes of the header at byte {data - _BLOCK} are not there")
        if kind == _GNU_NAME:
            extended.path = text.rstrip(b"\0").decode("utf-8", "surrogateescape")
        elif kind in (_PAX, _PAX_GLOBAL):
            for name, value in _pax(text):
                if kind == _PAX_GLOBAL and name in ("path", "size"):
                    raise _invalid(f"one {name} for all files cannot be right")
                _take(extended, name, value)
        return extended

    def open(self, path: str) -> BinaryIO:
        """A file's bytes."""
        raw = Slice(self._file, self._data[path], self.sizes[path], path)
        return cast("BinaryIO", io.BufferedReader(raw, _CHUNK))

    def close(self) -> None:
        """Close the archive."""
        self._file.close()


def _invalid(message: str) -> BundleError:
    return refusal("bundle-archive-invalid", message)


def _blocks(size: int) -> int:
    return -(-size // _BLOCK) * _BLOCK


def _check(header: bytes, at: int) -> None:
    if len(header) < _BLOCK:
        raise _invalid("the archive is cut off: its end mark is missing")
    # the sum is over the header with its own field as spaces
    if _number(header[148:156]) != sum(header) - sum(header[148:156]) + 8 * ord(" "):
        raise _invalid(f"the checksum of the header at byte {at} is wrong")


def _number(digits: bytes) -> int | None:
    """A number in octal, or in the big-endian form of GNU tar; None where it is neither, or negative."""
    if digits[0] == 0x80:
        return int.from_bytes(digits[1:], "big")
    text = digits.strip(b" \0")
    if text.strip(b"01234567"):
        return None
    return int(text or b"0", 8)


def _name(header: bytes) -> str:
    name, magic, prefix = (header[a:b].partition(b"\0")[0] for a, b in ((0, 100), (257, 263), (345, 500)))
    if magic == MAGIC and header[257:263] == b"ustar\0" and prefix:
        name = prefix + b"/" + name
    return name.decode("utf-8", "surrogateescape")


def _pax(text: bytes) -> list[tuple[str, bytes]]:
    """The records of a pax header: `length SP keyword = value LF`, the length being that of the whole record."""
    records: list[tuple[str, bytes]] = []
    at = 0
    while at < len(text):
        digits, space, _ = text[at : at + 20].partition(b" ")
        length = int(digits) if space and digits.isdigit() else 0
        record = text[at : at + length]
        name, equals, value = record[len(digits) + 1 : -1].partition(b"=")
        if not equals or len(record) < length or not record.endswith(b"\n"):
            raise _invalid("a pax header is damaged")
        records.append((name.decode("utf-8", "backslashreplace"), value))
        at += length
    return records


def _take(extended: _Extended, name: str, value: bytes) -> None:
    if name == "path":
        extended.path = value.decode("utf-8", "surrogateescape")
    elif name == "size":
        if not value.isdigit() or len(value) > 19:
            raise _invalid("the size in a pax header is no number")
        extended.size = int(value)
    elif name.startswith("GNU.sparse."):
        extended.sparse = True
