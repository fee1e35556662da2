"""Compressed sources, known by their first bytes: gzip, and Zstandard with the extra `zstd` or Python 3.14.

Everything is unpacked in portions of bounded size, so that a small file that expands to a huge one takes no more memory
than any other. An archive that is cut short or damaged gives what could be read.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from typing import Any, Final, Protocol

from sessionrecord.errors import SourceError

__all__ = ["Unpacker", "is_compressed", "unpack"]

_GZIP: Final = b"\x1f\x8b\x08"
_ZSTD: Final = b"\x28\xb5\x2f\xfd"
_SKIPPABLE: Final = tuple(bytes([0x50 + i]) + b"\x2a\x4d\x18" for i in range(16))
_MAGICS: Final = (_GZIP, _ZSTD, *_SKIPPABLE)
_PORTION: Final = 1 << 16
_ZSTD_INPUT: Final = 128  # a block of 4 bytes can stand for 128 KiB
_ALWAYS: Final = 1 << 30
_RATIO: Final = 100


class _Decoder(Protocol):
    """One gzip member or one Zstandard frame."""

    error: type[Exception]
    """What its module raises for damaged data."""

    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def portions(self, data: bytes) -> Iterator[bytes]: ...


class _Gzip:
    error: type[Exception] = zlib.error

    def __init__(self) -> None:
        self._inner = zlib.decompressobj(wbits=31)

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data

    def portions(self, data: bytes) -> Iterator[bytes]:
        while not self.eof:
            before = self._inner.copy()
            try:
                portion = self._inner.decompress(data, _PORTION)
            except zlib.error:
                # what came out before the damage is lost with the exception; byte by byte it is not
                self._inner = before
                for at in range(len(data)):
                    yield self._inner.decompress(data[at : at + 1])
                raise
            yield portion
            data = self._inner.unconsumed_tail
            if not data and len(portion) < _PORTION:
                return


class _Zstd:
    def __init__(self) -> None:
        module = _zstd_module()
        self.error: type[Exception] = module.ZstdError
        new = module.ZstdDecompressor()
        self._inner = new.decompressobj() if hasattr(new, "decompressobj") else new
        self._rest = b""

    @property
    def eof(self) -> bool:
        done: bool = self._inner.eof
        return done

    @property
    def unused_data(self) -> bytes:
        unused: bytes = self._inner.unused_data
        return unused + self._rest

    def portions(self, data: bytes) -> Iterator[bytes]:
        for at in range(0, len(data), _ZSTD_INPUT):
            yield self._inner.decompress(data[at : at + _ZSTD_INPUT])
            if self.eof:
                self._rest = data[at + _ZSTD_INPUT :]
                return


def _zstd_module() -> Any:
    """The one of the standard library, from Python 3.14 on, else the one of the extra."""
    for name in ("compression.zstd", "zstandard"):
        with suppress(ImportError):
            return import_module(name)
    raise SourceError("the source is compressed with Zstandard: pip install 'sessionrecord[zstd]' to read it")


def is_compressed(start: bytes) -> bool:
    """Whether a source that begins with these bytes, four are enough, is compressed. No JSON begins so."""
    return start.startswith(_MAGICS)


class Unpacker:
    """What is fed to it comes out as it is, or unpacked where it began as a compressed file does.

    Feeding raises `SourceError` if the source is compressed with Zstandard and no module for that is there.
    """

    def __init__(self) -> None:
        self.broken: str | None = None
        """How the compressed source is damaged; it is read no further."""
        self._plain = False
        self._decoder: _Decoder | None = None
        self._held = b""
        self._members = 0

    @property
    def is_compressed(self) -> bool:
        """Whether what was fed so far began as a compressed file does."""
        return self._members > 0

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The bytes that come out of the next ones; portions may be empty."""
        while data and self.broken is None:
            if self._plain:
                yield data
                return
            if self._decoder is None:
                data = self._begin(data)
                continue
            yield from self._unpack(self._decoder, data)
            data = b""
            if self._decoder.eof:
                data, self._decoder = self._decoder.unused_data, None

    def end(self) -> Iterator[bytes]:
        """What was held back to see how the source begins. After it `broken` is final."""
        if self._decoder is not None and self.broken is None:
            self.broken = "the compressed source ends early"
        elif self._held and not self._members:
            yield self._held
        elif self._held:
            self._foreign(self._held)

    def _begin(self, data: bytes) -> bytes:
        """Find out what begins here; the bytes to go on with."""
        data = self._held + data
        self._held = b""
        if self._members:
            data = data.lstrip(b"\0")  # gzip allows padding behind a member
        if data.startswith(_GZIP):
            self._decoder = _Gzip()
        elif data.startswith((_ZSTD, *_SKIPPABLE)):
            self._decoder = _Zstd()
        elif any(magic.startswith(data) for magic in _MAGICS):
            self._held = data
            return b""
        elif self._members:
            self._foreign(data)
        else:
            self._plain = True
        if self._decoder is not None:
            self._members += 1
        return data

    def _foreign(self, data: bytes) -> None:
        self.broken = f"what follows the compressed data is not compressed: it begins with {data[:4].hex(' ')}"

    def _unpack(self, decoder: _Decoder, data: bytes) -> Iterator[bytes]:
        try:
            yield from decoder.portions(data)
        except decoder.error as e:
            self.broken = f"the compressed source is damaged: {e}"


def unpack(source: memoryview) -> tuple[bytes, str | None]:
    """The content of a compressed source, and how it is damaged, if it is.

    Raises `SourceError` for a source that expands to more than 1 GiB and a hundredfold: it is not held.
    """
    unpacker, parts, size = Unpacker(), list[bytes](), 0
    limit = max(_ALWAYS, _RATIO * len(source))
    for at in range(0, len(source), _PORTION):
        for part in unpacker.feed(bytes(source[at : at + _PORTION])):
            size += len(part)
            if size > limit:
                raise SourceError(
                    f"the compressed source of {len(source)} bytes expands to more than {limit}: read it with StreamReader"
                )
            parts.append(part)
    parts.extend(unpacker.end())
    return b"".join(parts), unpacker.broken
