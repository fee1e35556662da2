"""Compressed sources: known by their first bytes, unpacked in portions, and read up to where they are damaged."""

from __future__ import annotations

import gzip
import io
import sys
import zlib
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from sessionrecord.errors import SourceError
from sessionrecord.lines import Batch, BrokenOff, read_batches, read_lines, read_parts
from sessionrecord.lines.compressed import Unpacker, is_compressed, unpack

Pack = Callable[[bytes], bytes]
SKIPPABLE = b"\x53\x2a\x4d\x18\x03\x00\x00\x00abc"
PACKS: list[Pack] = [gzip.compress, zstandard.compress]
DATA = st.lists(st.sampled_from([b"a\n", b"\n", b"long " * 99 + b"\n", b"\xff\0\x1f", b"no end"]), max_size=9).map(
    b"".join
)
PORTION = 1 << 16
SIZES = st.lists(st.integers(1, 70), min_size=1, max_size=5)


def unpacked(data: bytes, sizes: list[int]) -> tuple[bytes, str | None]:
    """What comes out when data goes in by portions of some sizes."""
    unpacker, out, at = Unpacker(), list[bytes](), 0
    for size in cycle(sizes):
        if at >= len(data):
            break
        out.extend(unpacker.feed(data[at : at + size]))
        at += size
    out.extend(unpacker.end())
    return b"".join(out), unpacker.broken


@pytest.mark.parametrize("pack", PACKS)
@given(st.lists(DATA, min_size=1, max_size=4), SIZES)
def test_members_one_after_another_are_read_as_one(pack: Pack, contents: list[bytes], sizes: list[int]) -> None:
    """What `gzip` and `zstd` do with files that were appended to."""
    packed = b"".join(map(pack, contents))
    assert unpacked(packed, sizes) == (b"".join(contents), None)
    assert unpack(memoryview(packed)) == (b"".join(contents), None)


LENGTHS = st.sampled_from([0, 1, 1000, PORTION - 1, PORTION, PORTION + 1, 2 * PORTION, 3 * PORTION + 5])
REST = st.sampled_from([b"", b"\0" * 90, b"{}\n", b"x" * PORTION])


@pytest.mark.parametrize("pack", PACKS)
@given(st.lists(LENGTHS, min_size=1, max_size=3), REST, st.sampled_from([7, 4096, PORTION, 1 << 30]))
def test_members_that_are_longer_than_a_portion_end_with_whatever_follows(
    pack: Pack, lengths: list[int], rest: bytes, size: int
) -> None:
    """The decoder still holds input when it has come to the end of a member: none of it is fed to it again."""
    contents = [bytes(n % 251 for n in range(length)) for length in lengths]
    read, broken = unpacked(b"".join(map(pack, contents)) + rest, [size])
    assert read == b"".join(contents)
    assert (broken is None) == (not rest.strip(b"\0"))


@given(DATA, SIZES)
def test_what_is_not_compressed_passes_as_it_is(data: bytes, sizes: list[int]) -> None:
    expected = data if not is_compressed(data) else b""
    assert unpacked(expected, sizes) == (expected, None)


@pytest.mark.parametrize("start", [b"", b"\x1f", b"\x1f\x8b", b"\x28\xb5\x2f", b"\x5f\x2a\x4d"])
def test_a_source_that_is_shorter_than_what_tells_is_plain(start: bytes) -> None:
    assert unpacked(start, [1]) == (start, None)
    assert unpacked(start + b"x", [1]) == (start + b"x", None)


@pytest.mark.parametrize("pack", PACKS)
@given(DATA, SIZES, st.data())
def test_an_archive_cut_short_gives_what_can_be_read_and_says_so(
    pack: Pack, content: bytes, sizes: list[int], data: st.DataObject
) -> None:
    packed = pack(content)
    end = data.draw(st.integers(4, len(packed) - 1))
    read, broken = unpacked(packed[:end], sizes)
    assert content.startswith(read)
    assert broken == "the compressed source ends early"


def test_only_the_end_of_a_long_archive_is_lost_with_it() -> None:
    """Not what was read before it: a member is unpacked as it comes."""
    content = bytes(zlib.crc32(b"%d" % i) & 0xFF for i in range(200_000))
    for pack in PACKS:
        packed = pack(content)
        read, broken = unpacked(packed[: len(packed) * 9 // 10], [4096])
        assert len(read) > len(content) // 3
        assert content.startswith(read)
        assert broken is not None


@pytest.mark.parametrize("pack", PACKS)
@given(st.data())
def test_any_damage_is_survived(pack: Pack, data: st.DataObject) -> None:
    packed = bytearray(pack(b"some content, some more content, " * 20))
    for _ in range(data.draw(st.integers(1, 3))):
        packed[data.draw(st.integers(4, len(packed) - 1))] ^= data.draw(st.integers(1, 255))
    read, broken = unpacked(bytes(packed), [16])
    assert isinstance(read, bytes)
    assert broken is None or broken.startswith(("the compressed source", "what follows"))


def test_a_wrong_checksum_is_told_after_everything_was_read() -> None:
    packed = bytearray(gzip.compress(b"content"))
    packed[-8] ^= 1
    read, broken = unpacked(bytes(packed[:-8]), [5])
    assert (read, broken) == (b"content", "the compressed source ends early")
    assert "damaged: " in str(unpacked(bytes(packed), [5])[1])


@given(LENGTHS, st.sampled_from([7, 4096, 1 << 30]))
def test_what_was_unpacked_before_the_damage_is_kept(length: int, size: int) -> None:
    """Of an archive whose checksum is wrong all content came out; of one damaged further on, what stands before."""
    content = bytes(n * n % 251 for n in range(length))
    packed = bytearray(gzip.compress(content, 1))
    packed[-8] ^= 1
    read, broken = unpacked(bytes(packed), [size])
    assert (read, str(broken)[:32]) == (content, "the compressed source is damaged")
    stored = bytearray(gzip.compress(content, 0))
    if length > 2 * PORTION:
        stored[-(length // 2) :] = b"\xff" * (length // 2)
        read, _ = unpacked(bytes(stored), [size])
        assert content.startswith(read[: length // 3])
        assert len(read) >= length // 3


def test_what_follows_the_compressed_data_is_told_unless_it_is_padding() -> None:
    """gzip pads with NULs, as tapes do; Zstandard has frames to skip."""
    for pack in PACKS:
        assert unpacked(pack(b"x") + b"\0" * 90, [7]) == (b"x", None)
        assert unpacked(SKIPPABLE + pack(b"x") + SKIPPABLE, [7]) == (b"x", None)
        for rest in (b"{}\n", b"\x1f", b"\0\0{"):
            read, broken = unpacked(pack(b"x") + rest, [7])
            assert read == b"x"
            assert broken is not None
            assert "not compressed" in broken


@pytest.mark.parametrize("pack", PACKS)
def test_portions_that_come_out_are_bounded(pack: Pack) -> None:
    """A small archive may expand a thousandfold and more; no portion is larger than some megabytes."""
    packed = pack(b"z" * 50_000_000)
    unpacker, largest, size = Unpacker(), 0, 0
    for portion in unpacker.feed(packed):
        largest, size = max(largest, len(portion)), size + len(portion)
    assert size == 50_000_000
    assert largest <= 4 << 20


def test_a_bomb_is_not_unpacked_into_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """More than a hundredfold and more than a limit, which is small here so that the test is quick."""
    monkeypatch.setattr("sessionrecord.lines.compressed._ALWAYS", 1 << 20)
    with pytest.raises(SourceError, match=r"expands to more than 1048576: read it with StreamReader"):
        unpack(memoryview(gzip.compress(b"z" * 2_000_000)))
    noise = bytes(zlib.crc32(b"%d" % i) & 0xFF for i in range(2_000_000))
    assert unpack(memoryview(gzip.compress(noise))) == (noise, None)


@pytest.mark.parametrize("pack", PACKS)
def test_every_reader_of_lines_unpacks(pack: Pack, tmp_path: Path) -> None:
    """Whatever the name: a file called `.gz` that is not packed is plain."""
    packed = pack(b"a\nb")
    path = tmp_path / "stream.txt"
    path.write_bytes(packed)
    for source in (packed, path, io.BytesIO(packed)):
        assert [line.data for line in read_lines(source)] == [b"a", b"b"]
    (tmp_path / "plain.gz").write_bytes(b"a\nb")
    assert [line.data for line in read_lines(tmp_path / "plain.gz")] == [b"a", b"b"]


def test_lines_of_a_damaged_source_come_before_the_damage_is_told() -> None:
    packed = gzip.compress(b"a\nb\nc")[:-4]
    assert list(read_parts(packed)) == [
        Batch(0, b"a\nb\n"),
        Batch(4, b"c"),
        BrokenOff(5, "the compressed source ends early"),
    ]
    batches = read_batches(packed)
    assert [next(batches), next(batches)] == [Batch(0, b"a\nb\n"), Batch(4, b"c")]
    with pytest.raises(SourceError, match="offset 5: the compressed source ends early"):
        next(batches)


def test_a_line_that_no_memory_holds_is_refused_by_readers_without_a_cap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sessionrecord.lines.physical._UNPACKED_LINE", 1000)
    with pytest.raises(SourceError, match="a line of 1001 bytes at offset 2 is too long"):
        list(read_batches(gzip.compress(b"a\n" + b"z" * 1001)))
    assert len(list(read_lines(b"a\n" + b"z" * 1001))) == 2


def test_zstandard_without_its_module_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "zstandard", None)
    monkeypatch.setitem(sys.modules, "compression.zstd", None)
    with pytest.raises(SourceError, match=r"pip install 'sessionrecord\[zstd\]'"):
        list(read_lines(zstandard.compress(b"a")))


def test_the_standard_librarys_module_is_used_where_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python 3.14 has `compression.zstd`; its decompressor is for one frame, as is the one that stands for it here."""

    class Module:
        ZstdError = zstandard.ZstdError

        class ZstdDecompressor:
            def __init__(self) -> None:
                self._inner = zstandard.ZstdDecompressor().decompressobj()

            def decompress(self, data: bytes) -> bytes:
                return self._inner.decompress(data)

            def __getattr__(self, name: str) -> Any:
                if name == "decompressobj":
                    raise AttributeError
                return getattr(self._inner, name)

    monkeypatch.setitem(sys.modules, "compression.zstd", Module)
    content = b"content " * 99
    assert unpacked(zstandard.compress(content) * 2, [50]) == (content * 2, None)
