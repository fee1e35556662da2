"""Assembly of streams, at once and live (specification, "Stream assembly"; section 3.2, checks 5 to 11)."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sessionrecord.asif.assembly import AssembledStream, StreamAssembler, assemble
from sessionrecord.asif.resources import ResourceBytes
from sessionrecord.diagnostics import Diagnostic
from sessionrecord.errors import AssemblyError


@dataclass(frozen=True)
class Segment:
    index: int
    resource_id: str
    offset: int
    length: int
    terminal: bool = False


Resources = dict[str, bytes]


def bytes_of(resources: Resources) -> Callable[[str], ResourceBytes | None]:
    return lambda resource_id: ResourceBytes(resources[resource_id]) if resource_id in resources else None


def assembled(segments: list[Segment], resources: Resources, **options: Any) -> AssembledStream:
    return assemble("s", segments, bytes_of(resources), **options)


def codes(stream: AssembledStream) -> list[tuple[str, str | None]]:
    return [(f.code, f.pointer) for f in stream.findings]


@st.composite
def cut_streams(draw: st.DrawFn) -> tuple[list[bytes], list[Segment], Resources]:
    """A byte string cut into pieces that lie, with other bytes around them, in random resources."""
    whole = draw(st.binary(max_size=60))
    cuts = sorted(draw(st.lists(st.integers(0, len(whole)), max_size=8)))
    pieces = [whole[a:b] for a, b in zip([0, *cuts], [*cuts, len(whole)], strict=True)]
    resources: dict[str, bytes] = {}
    segments = []
    for index, piece in enumerate(pieces):
        name = draw(st.sampled_from("abc"))
        before = resources.get(name, b"") + draw(st.binary(max_size=3))
        resources[name] = before + piece + draw(st.binary(max_size=3))
        segments.append(Segment(index, name, len(before), len(piece), index == len(pieces) - 1))
    return pieces, segments, resources


@given(cut_streams(), st.data())
def test_whatever_is_there_assembles_to_its_exact_prefix(cut: tuple[Any, ...], data: st.DataObject) -> None:
    """Complete exactly when the indexes are contiguous from zero and the last one is terminal."""
    pieces, all_segments, resources = cut
    there = data.draw(st.lists(st.sampled_from(all_segments), unique=True))
    if data.draw(st.booleans()):
        there = [replace(s, terminal=False) for s in there]
    stream = assembled(there, resources)

    present = {s.index for s in there}
    prefix: list[bytes] = []
    while len(prefix) in present:
        prefix.append(pieces[len(prefix)])
    assert stream.data == b"".join(prefix)
    assert stream.contiguous_bytes == len(stream.data)
    assert stream.complete == (bool(there) and len(prefix) == len(there) and any(s.terminal for s in there))
    assert stream.status == ("complete" if stream.complete else "partial")
    missing = [i for gap in stream.missing_indexes for i in gap]
    assert missing == [i for i in range(max(present, default=0)) if i not in present]
    ordered = [s.index for s in there] == sorted(present)
    assert [f.code for f in stream.findings] == ([] if ordered else ["segment-order"])


@given(cut_streams(), st.data())
def test_the_live_assembler_knows_what_the_batch_knows_after_each_segment(cut: Any, data: st.DataObject) -> None:
    """Late and out-of-order segments are held until the gap closes; a repeat changes nothing."""
    pieces, all_segments, resources = cut
    order = data.draw(st.lists(st.sampled_from(all_segments), max_size=12))
    live = StreamAssembler("s")
    there: list[Segment] = []
    for segment in order:
        assert live.add(segment.index, pieces[segment.index], terminal=segment.terminal) == (segment not in there)
        if segment not in there:
            there.append(segment)
        batch = assembled(sorted(there, key=lambda s: s.index), resources)
        assert live.assembled() == batch
        assert live.contiguous_bytes == batch.contiguous_bytes
        assert live.status == batch.status
        assert live.missing_indexes == batch.missing_indexes
        assert live.fragments == {s.index: pieces[s.index] for s in there}
        assert list(live.fragments) == sorted(live.fragments)
        assert live.ended == any(s.terminal for s in there)
        assert live.held == sum(s.index > (batch.missing_indexes or [range(99, 99)])[0].start for s in there)


@given(st.text(st.characters(codec="utf-8")), st.lists(st.integers(0, 200), max_size=8))
@example("é", [1])
def test_a_cut_inside_a_character_does_no_harm(text: str, cuts: list[int]) -> None:
    whole = text.encode()
    places = sorted(min(c, len(whole)) for c in cuts)
    live = StreamAssembler()
    for index, (a, b) in enumerate(zip([0, *places], [*places, len(whole)], strict=True)):
        live.add(index, whole[a:b], terminal=index == len(places))
    assert live.assembled().text() == text


def test_an_empty_stream_is_partial() -> None:
    stream = assembled([], {})
    assert (stream.status, stream.data, stream.missing_indexes, stream.findings) == ("partial", b"", (), ())
    assert StreamAssembler("s").assembled() == stream


ABC = {"r": b"abc"}


@pytest.mark.parametrize(
    ("segments", "expected"),
    [
        ([Segment(0, "r", 0, 3, True)], b"abc"),
        ([Segment(0, "r", 3, 0, True)], b""),
        ([Segment(0, "r", 0, 3), Segment(1, "r", 3, 0, True)], b"abc"),
        ([Segment(0, "r", 0, 2), Segment(1, "r", 0, 2, True)], b"abab"),
    ],
    ids=["to the end", "no bytes at the end", "no bytes as terminal", "the same span twice"],
)
def test_spans_inside_their_resource_complete_a_stream(segments: list[Segment], expected: bytes) -> None:
    """Section 6.2: an empty segment takes an index, adds nothing, and its offset may equal the length; spans may repeat."""
    stream = assembled(segments, ABC)
    assert (stream.status, stream.data, stream.findings) == ("complete", expected, ())


@pytest.mark.parametrize(
    ("segment", "finding"),
    [
        (Segment(1, "r", 0, 4), ("segment-span-outside", "/segments/1/length")),
        (Segment(1, "r", 1, 3), ("segment-span-outside", "/segments/1/length")),
        (Segment(1, "r", 4, 0), ("segment-span-outside", "/segments/1/length")),
        (Segment(1, "r", 2**53 - 1, 2**53 - 1), ("segment-span-outside", "/segments/1/length")),
        (Segment(1, "x", 0, 0), ("segment-resource-missing", "/segments/1/resource_id")),
        (Segment(5, "x", 0, 0), ("segment-resource-missing", "/segments/1/resource_id")),
    ],
)
def test_a_segment_whose_bytes_cannot_be_had_is_found_and_ends_the_prefix(
    segment: Segment, finding: tuple[str, str]
) -> None:
    """Section 3.2, checks 8 and 10; they hold after a gap and for empty spans too."""
    stream = assembled([Segment(0, "r", 0, 1), segment, Segment(9, "r", 0, 1, True)], ABC)
    assert codes(stream) == [finding]
    assert (stream.status, stream.data) == ("partial", b"a")


def test_a_resource_that_is_not_embedded_has_no_bytes_to_assemble() -> None:
    """Section 3.2, check 9: `resource bytes unavailable`."""
    stream = assemble("s", [Segment(0, "r", 0, 0, True)], lambda _: ResourceBytes())
    assert codes(stream) == [("segment-bytes-unavailable", "/segments/0/resource_id")]
    assert not stream.complete


def test_what_is_wrong_with_a_resource_is_not_said_again() -> None:
    broken = ResourceBytes(findings=(Diagnostic.of("resource-base64-invalid", "bad", pointer="/data"),))
    stream = assemble("s", [Segment(0, "r", 0, 0, True)], lambda _: broken)
    assert (stream.status, stream.findings) == ("partial", ())


@pytest.mark.parametrize(
    ("segments", "finding"),
    [
        ([Segment(0, "r", 0, 1), Segment(0, "r", 0, 1, True)], ("segment-index-repeated", "/segments/1/index")),
        ([Segment(0, "r", 0, 1), Segment(0, "r", 1, 1, True)], ("segment-index-repeated", "/segments/1/index")),
        (
            [Segment(0, "r", 0, 1), Segment(1, "r", 0, 1, True), Segment(2, "r", 0, 1)],
            ("segment-terminal-not-last", "/segments/1/terminal"),
        ),
        (
            [Segment(0, "r", 0, 1, True), Segment(1, "r", 0, 1, True)],
            ("segment-terminal-repeated", "/segments/1/terminal"),
        ),
        (
            [Segment(0, "r", 0, 1, True), Segment(2, "r", 0, 1)],
            ("segment-terminal-not-last", "/segments/0/terminal"),
        ),
    ],
)
def test_repeated_indexes_and_misplaced_terminals_are_found_and_leave_the_stream_partial(
    segments: list[Segment], finding: tuple[str, str]
) -> None:
    """Section 3.2, checks 5 to 7."""
    stream = assembled(segments, ABC)
    assert codes(stream) == [finding]
    assert not stream.complete


def test_of_two_segments_with_one_index_neither_is_taken_as_known() -> None:
    stream = assembled(
        [Segment(0, "r", 0, 1), Segment(1, "r", 1, 1), Segment(1, "r", 2, 1), Segment(2, "r", 0, 1)], ABC
    )
    assert stream.data == b"a"


def test_all_findings_are_reported_in_the_order_of_the_rules() -> None:
    segments = [
        Segment(3, "x", 0, 1, True),
        Segment(1, "r", 0, 9),
        Segment(1, "r", 0, 1, True),
        Segment(0, "r", 0, 1),
    ]
    assert codes(assembled(segments, ABC)) == [
        ("segment-index-repeated", "/segments/2/index"),
        ("segment-order", "/segments/1/index"),
        ("segment-terminal-repeated", "/segments/0/terminal"),
        ("segment-resource-missing", "/segments/0/resource_id"),
        ("segment-span-outside", "/segments/1/length"),
    ]


def test_a_terminal_after_a_gap_is_allowed_and_completes_nothing() -> None:
    stream = assembled([Segment(0, "r", 0, 1), Segment(2, "r", 1, 1, True)], ABC)
    assert (stream.status, stream.data, stream.missing_indexes, stream.findings) == (
        "partial",
        b"a",
        (range(1, 2),),
        (),
    )


def test_a_gap_of_any_size_is_one_range() -> None:
    far = 2**53 - 1
    assert assembled([Segment(far, "r", 0, 1)], ABC).missing_indexes == (range(far),)
    live = StreamAssembler()
    live.add(far, b"")
    assert live.missing_indexes == (range(far),)


def test_the_limit_is_of_the_contiguous_prefix() -> None:
    """Section 3.2, check 11; what lies behind a gap does not count."""
    segments = [Segment(0, "r", 0, 3), Segment(1, "r", 0, 3), Segment(2, "r", 0, 0, True)]
    assert assembled(segments, ABC, limit=6).complete
    stream = assembled(segments, ABC, limit=5)
    assert codes(stream) == [("limit-exceeded", "/segments/1/length")]
    assert (stream.status, stream.data) == ("partial", b"abc")
    assert assembled([segments[0], Segment(2, "r", 0, 3)], ABC, limit=5).findings == ()
    assert assembled(segments, ABC, limit=None).complete


def test_spans_that_multiply_a_resource_end_at_the_default_limit() -> None:
    """64 MiB: a small document must not unfold into gigabytes."""
    resources = {"r": bytes(2**20)}
    segments = [Segment(i, "r", 0, 2**20, i == 99_999) for i in range(100_000)]
    stream = assembled(segments, resources)
    assert codes(stream) == [("limit-exceeded", "/segments/64/length")]
    assert stream.contiguous_bytes == 64 * 2**20


def test_joining_takes_little_more_memory_than_the_bytes() -> None:
    resources = {"r": bytes(8 * 2**20)}
    segments = [Segment(i, "r", i * 64, 64, i == 131_071) for i in range(131_072)]
    tracemalloc.start()
    try:
        stream = assembled(segments, resources)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert stream.complete
    assert stream.data == resources["r"]
    assert peak < 2.5 * len(stream.data)


def test_text_and_arguments_are_given_for_the_whole() -> None:
    whole = b' {"a": [1.50, 123456789012345678901234567890]}\n'
    stream = assembled([Segment(0, "r", 0, len(whole), True)], {"r": whole})
    assert stream.text() == whole.decode()
    value = stream.arguments()
    assert [str(n) for n in value["a"]] == ["1.50", "123456789012345678901234567890"]


def whole(data: bytes) -> AssembledStream:
    return assembled([Segment(0, "r", 0, len(data), True)], {"r": data})


def test_a_byte_order_mark_is_kept_in_text_and_refused_in_arguments() -> None:
    """Section 6.2, "Byte order mark"."""
    stream = whole(b"\xef\xbb\xbf{}")
    assert stream.text() == "\ufeff{}"
    with pytest.raises(AssemblyError, match="json-invalid"):
        stream.arguments()


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "json-invalid"),
        (b"\xff", "utf8-invalid"),
        (b'{"a":NaN}', "json-invalid"),
        (b'{"a":1,"a":1}', "duplicate-member"),
        (b"{} {}", "json-invalid"),
        (b"[" * 10_000, "nesting-too-deep"),
        (b"[" * 10_000 + b"]" * 10_000, "nesting-too-deep"),
    ],
)
def test_arguments_that_are_not_one_json_text_are_refused(data: bytes, code: str) -> None:
    """Section 3.2, check 14."""
    with pytest.raises(AssemblyError) as caught:
        whole(data).arguments()
    assert [d.code for d in caught.value.diagnostics] == [code]


@pytest.mark.parametrize(("data", "value"), [(rb'"\ud800"', "\ud800"), (b"1e400", "1e400"), (b"null", None)])
def test_arguments_may_be_any_json_value(data: bytes, value: Any) -> None:
    """JSON allows escapes and numbers that I-JSON does not; the specification bans only duplicates and what is no JSON."""
    assert str(whole(data).arguments()) == str(value)


def test_json_from_a_stream_has_a_limit_of_its_own() -> None:
    """16 MiB by default, as for a document; here the same rule at 4 bytes."""
    assert whole(b"1234").arguments(limit=4) == 1234
    assert whole(b"12345").arguments(limit=None) == 12345
    with pytest.raises(AssemblyError, match="limit-exceeded"):
        whole(b"12345").arguments(limit=4)
    with pytest.raises(AssemblyError, match="limit-exceeded"):
        whole(b" " * (16 * 2**20) + b"1").arguments()


def test_text_that_is_not_utf8_is_refused() -> None:
    """Section 3.2, check 16."""
    with pytest.raises(AssemblyError, match="utf8-invalid: byte 1 of stream 's'"):
        whole(b"a\xff").text()


@pytest.mark.parametrize(
    ("segments", "reason"),
    [
        ([], "no terminal segment ends it"),
        ([Segment(0, "r", 0, 2)], "only 2 bytes of stream 's' are known: no terminal segment"),
        (
            [Segment(0, "r", 0, 2), Segment(2, "r", 2, 1, True)],
            "only 2 bytes of stream 's' are known: segment 1 is miss",
        ),
        ([Segment(1, "r", 0, 2, True), Segment(0, "x", 0, 2)], "no valid resource 'x'"),
    ],
)
def test_nothing_of_a_partial_stream_is_decoded(segments: list[Segment], reason: str) -> None:
    stream = assembled(segments, ABC)
    for decode in (stream.text, stream.arguments):
        with pytest.raises(AssemblyError, match=reason) as caught:
            decode()
        assert caught.value.diagnostics[0].code == "stream-partial"


def test_the_bytes_are_not_part_of_the_representation() -> None:
    assert "abc" not in repr(whole(b"abc"))


def live(*segments: tuple[int, bytes, bool], limit: int | None = None) -> StreamAssembler:
    assembler = StreamAssembler("s", limit=limit)
    for index, data, terminal in segments:
        assert assembler.add(index, data, terminal=terminal)
    return assembler


@pytest.mark.parametrize(
    ("before", "segment", "code"),
    [
        ([(0, b"a", False)], (0, b"b", False), "segment-conflict"),
        ([(0, b"a", False)], (0, b"a", True), "segment-conflict"),
        ([(0, b"a", False), (1, b"b", True)], (1, b"b", False), "segment-conflict"),
        ([(3, b"a", False)], (3, b"", False), "segment-conflict"),
        ([(3, b"a", True)], (3, b"a", False), "segment-conflict"),
        ([(3, b"a", True)], (4, b"", False), "segment-terminal-not-last"),
        ([(3, b"a", False)], (2, b"", True), "segment-terminal-not-last"),
        ([(0, b"", False), (1, b"a", False), (3, b"a", True)], (2, b"", True), "segment-terminal-repeated"),
        ([(0, b"abcd", False)], (1, b"e", False), "limit-exceeded"),
        ([(1, b"ab", False), (3, b"cd", False)], (0, b"e", False), "limit-exceeded"),
        ([], (-1, b"", False), "integer-invalid"),
        ([], (2**53, b"", False), "integer-invalid"),
        ([], (True, b"", False), "integer-invalid"),
    ],
)
def test_a_live_segment_that_does_not_fit_is_refused_and_changes_nothing(
    before: list[tuple[int, bytes, bool]], segment: tuple[int, bytes, bool], code: str
) -> None:
    assembler = live(*before, limit=4)
    state = (assembler.assembled(), assembler.held)
    with pytest.raises(AssemblyError, match="stream 's'") as caught:
        assembler.add(segment[0], segment[1], terminal=segment[2])
    assert caught.value.diagnostics[0].code == code
    assert (assembler.assembled(), assembler.held) == state


def test_the_terminal_segment_may_come_first() -> None:
    assembler = live((2, b"c", True), (0, b"a", False))
    assert assembler.held == 1
    assert assembler.add(1, b"b")
    assert assembler.complete
    assert not assembler.add(2, b"c", terminal=True)
    assert assembler.assembled() == AssembledStream("s", "complete", b"abc")


def test_a_buffer_that_its_owner_uses_again_is_not_shared() -> None:
    assembler = StreamAssembler()
    buffer = bytearray(b"xy")
    assembler.add(1, buffer)
    assembler.add(2, memoryview(buffer)[1:], terminal=True)
    buffer[:] = b"zz"
    assembler.add(0, b"")
    assert assembler.assembled().data == b"xyy"


@pytest.mark.parametrize("data", ["text", 5, None])
def test_only_bytes_are_taken(data: Any) -> None:
    with pytest.raises(TypeError):
        StreamAssembler().add(0, data)


def test_segments_in_reverse_are_taken_in_linear_time() -> None:
    """Half a million held segments, which one closes: quadratic work would not end."""
    n = 500_000
    assembler = StreamAssembler()
    for index in range(n - 1, -1, -1):
        assembler.add(index, b"ab", terminal=index == n - 1)
    assert assembler.assembled().data == b"ab" * n
