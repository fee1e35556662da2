"""Archives written field by field, so that they can lie, and so that their bytes depend on nothing but what is given.

Zip after APPNOTE 4.3.7, 4.3.12 and 4.3.16, tar after POSIX.1-2017 "ustar Interchange Format", deflate after RFC 1951.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

BLOCK = 512


@dataclass
class Raw:
    """A member of a zip archive of which everything can be a lie: `central` and `local` override the fields of the headers."""

    name: bytes
    data: bytes = b""
    packed: bytes | None = None
    central: dict[str, int | bytes] = field(default_factory=dict)
    local: dict[str, int | bytes] = field(default_factory=dict)
    behind: bytes = b""


def raw_zip(members: Iterable[Raw], count: int | None = None, after: bytes = b"", before: bytes = b"") -> bytes:
    """A zip archive, each header written field by field."""
    body, central, total = before, b"", 0
    for m in members:
        packed = m.data if m.packed is None else m.packed
        fields: dict[str, Any] = {
            "name": m.name,
            "flags": 0,
            "method": 0 if m.packed is None else 8,
            "crc": zlib.crc32(m.data),
            "packed": len(packed),
            "size": len(m.data),
            "at": len(body) - len(before),
            "attributes": 0,
            "made_by": 20,
            "extra": b"",
        }
        here: dict[str, Any] = {**fields, **m.local}
        there: dict[str, Any] = {**fields, **m.central}
        body += struct.pack(
            "<4s5H3L2H", b"PK\3\4", 20, here["flags"], here["method"], 0, 0, here["crc"], here["packed"], here["size"],
            len(here["name"]), len(here["extra"]),
        ) + here["name"] + here["extra"] + packed + m.behind  # fmt: skip
        central += struct.pack(
            "<4s6H3L5H2L", b"PK\1\2", there["made_by"], 20, there["flags"], there["method"], 0, 0, there["crc"],
            there["packed"], there["size"], len(there["name"]), len(there["extra"]), 0, 0, 0, there["attributes"], there["at"],
        ) + there["name"] + there["extra"]  # fmt: skip
        total += 1
    count = total if count is None else count
    start = len(body) - len(before)
    return body + central + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, count, count, len(central), start, 0) + after


def raw_members(files: Mapping[str, bytes]) -> list[Raw]:
    """Members that tell the truth, stored."""
    return [Raw(path.encode(), data) for path, data in files.items()]


def one_block(data: bytes) -> bytes:
    """Deflate's form of bytes that are not compressed."""
    return b"\1" + struct.pack("<2H", len(data), len(data) ^ 0xFFFF) + data


def deflated_zeros(runs: int) -> bytes:
    """Deflate's form of 1 + 258 * `runs` zero bytes in `runs` / 4 bytes: one zero, then the longest copies of it, a bit each for
    length and distance."""
    bits: list[int] = []

    def put(value: int, width: int) -> None:
        bits.extend(
            value >> i & 1 for i in range(width)
        )  # numbers begin with the lowest bit, codes are given bit by bit

    put(1, 1)  # the last block
    put(2, 2)  # with codes of its own
    put(29, 5)  # 257 + 29 literal and length symbols
    put(0, 5)  # 1 distance symbol
    put(14, 4)  # 4 + 14 lengths of the code for the code lengths, in the order of 3.2.7
    order = (16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1)
    for symbol in order:
        put({18: 1, 1: 2, 2: 2}.get(symbol, 0), 3)
    eighteen, one, two = (0,), (1, 0), (1, 1)
    bits += two  # the zero byte: 2 bits
    for count in (138, 117):
        bits += eighteen
        put(count - 11, 7)
    bits += two  # the end of the block, 256: 2 bits
    bits += eighteen
    put(28 - 11, 7)
    bits += one  # a length of 258, 285: 1 bit
    bits += one  # distance 1: 1 bit
    bits += (1, 0)
    bits += (0, 0) * runs
    bits += (1, 1)
    return bytes(sum(bit << i for i, bit in enumerate(bits[at : at + 8])) for at in range(0, len(bits), 8))


@dataclass
class Member:
    """A member of a tar archive. `size` is what the header says, where that is not the truth."""

    name: bytes
    data: bytes = b""
    kind: bytes = b"0"
    link: bytes = b""
    size: int | None = None
    prefix: bytes = b""


def ustar(members: Iterable[Member], after: bytes = bytes(2 * BLOCK)) -> bytes:
    """A tar archive; `after` is what ends it."""
    made = b""
    for m in members:
        size = len(m.data) if m.size is None else m.size
        header = bytearray(
            struct.pack(
                "100s8s8s8s12s12s8s1s100s6s2s32s32s8s8s155s12x", m.name, b"0000600", b"0000000", b"0000000", b"%011o" % size,
                b"00000000000", b" " * 8, m.kind, m.link, b"ustar", b"00", b"", b"", b"0000000", b"0000000", m.prefix,
            )
        )  # fmt: skip
        header[148:156] = b"%06o\0 " % sum(header)
        made += bytes(header) + m.data + bytes(-len(m.data) % BLOCK)
    return made + after


def members(files: Mapping[str, bytes]) -> list[Member]:
    """Members that tell the truth."""
    return [Member(path.encode(), data) for path, data in files.items()]


def pax(**records: str) -> bytes:
    """The data of a pax header: each record begins with its own length."""
    made = b""
    for name, value in records.items():
        rest = f" {name}={value}\n".encode()
        length = len(rest)
        while length != len(rest) + len(str(length)):
            length = len(rest) + len(str(length))
        made += str(length).encode() + rest
    return made
