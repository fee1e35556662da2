"""From the segments of a stream to its bytes: at once from a document, or one by one while a capture runs.

Segments are concatenated by index from zero. Only the contiguous prefix is known; a stream is complete exactly when its
indexes are contiguous from zero and its last segment is terminal. Fragments may split a UTF-8 sequence, so nothing is
decoded before the whole is there.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from itertools import pairwise
from typing import Final, Literal, Protocol

from sessionrecord import ijson
from sessionrecord.asif.resources import ResourceBytes
from sessionrecord.diagnostics import Diagnostic, excerpt
from sessionrecord.errors import AssemblyError

__all__ = ["MAX_JSON_BYTES", "MAX_STREAM_BYTES", "AssembledStream", "SegmentLike", "StreamAssembler", "assemble"]

MAX_STREAM_BYTES: Final = 64 * 2**20
"""Bytes of one assembled stream, unless told otherwise: 64 MiB."""
MAX_JSON_BYTES: Final = 16 * 2**20
"""Bytes of JSON that is read from a stream, unless told otherwise: 16 MiB."""


class SegmentLike(Protocol):
    """What assembly needs of a segment: its place in the stream, and which bytes of which resource it is."""

    @property
    def index(self) -> int:
        """Place in the stream, from 0."""
        ...

    @property
    def resource_id(self) -> str:
        """The resource that holds the bytes."""
        ...

    @property
    def offset(self) -> int:
        """Index of the first byte in the resource, from 0."""
        ...

    @property
    def length(self) -> int:
        """Number of bytes."""
        ...

    @property
    def terminal(self) -> bool:
        """Whether the stream ends with this segment."""
        ...


@dataclass(frozen=True, slots=True)
class AssembledStream:
    """What is known of a stream's bytes."""

    stream_id: str
    """The stream's ID."""
    status: Literal["complete", "partial"]
    """Computed from the segments, whatever the stream declares."""
    data: bytes = field(repr=False)
    """The contiguous prefix from the first byte: all bytes if the stream is complete. Not decoded."""
    missing_indexes: tuple[range, ...] = ()
    """Indexes below the highest known one that no segment has, as ascending ranges. What may follow the highest is unknown."""
    findings: tuple[Diagnostic, ...] = ()
    """Rules of segments that are broken, each pointer relative to the stream. Any but `segment-order` leaves it partial."""

    @property
    def complete(self) -> bool:
        """Whether the bytes are the whole stream."""
        return self.status == "complete"

    @property
    def contiguous_bytes(self) -> int:
        """Length of the known prefix in bytes."""
        return len(self.data)

    def text(self) -> str:
        """The whole as text; a byte order mark is part of it. Raises `AssemblyError` if it is partial or not UTF-8."""
        self._require_complete()
        try:
            return self.data.decode()
        except UnicodeDecodeError as e:
            message = f"byte {e.start} of stream {excerpt(self.stream_id)} is not UTF-8"
            raise AssemblyError([Diagnostic.of("utf8-invalid", message)]) from None

    def arguments(self, *, limit: int | None = MAX_JSON_BYTES) -> ijson.JsonValue:
        """The whole as a JSON value, numbers exact.

        Raises `AssemblyError` if it is partial, longer than `limit` bytes, or not one JSON text in UTF-8.
        """
        self._require_complete()
        if limit is not None and len(self.data) > limit:
            message = f"stream {excerpt(self.stream_id)} has more than {limit} bytes of JSON"
            raise AssemblyError([Diagnostic.of("limit-exceeded", message)])
        value, findings = ijson.examine(self.data)
        # JSON allows what I-JSON does not: any escape, and numbers beyond a double, which are kept exactly
        errors = [f for f in findings if f.is_error and f.code not in ("lone-surrogate", "number-not-finite")]
        if errors:
            name = excerpt(self.stream_id)
            raise AssemblyError(
                [Diagnostic.of(f.code, f"stream {name}: {f.message}", pointer=f.pointer) for f in errors]
            )
        return value

    def _require_complete(self) -> None:
        if self.complete:
            return
        if blocking := [f for f in self.findings if f.code != "segment-order"]:
            reason = blocking[0].message
        elif self.missing_indexes:
            first = self.missing_indexes[0]
            reason = f"segment {first.start} is missing"
        else:
            reason = "no terminal segment ends it"
        message = f"only {len(self.data)} bytes of stream {excerpt(self.stream_id)} are known: {reason}"
        raise AssemblyError([Diagnostic.of("stream-partial", message)])


def assemble(
    stream_id: str,
    segments: Sequence[SegmentLike],
    bytes_of: Callable[[str], ResourceBytes | None],
    *,
    limit: int | None = MAX_STREAM_BYTES,
) -> AssembledStream:
    """The bytes of a stream from its segments, in whatever order they stand.

    `bytes_of` gives the bytes of a resource, None for an ID that no resource has. Every broken rule of a segment is a finding;
    a resource's own findings are not repeated. A prefix of more than `limit` bytes is cut before the segment that passes it.
    """
    order = _by_index(segments)
    findings = [*_order_findings(segments, order), *_terminal_findings(segments, order)]
    clear = all(f.code == "segment-order" for f in findings)
    unusable, span_findings = _examine_spans(segments, bytes_of)
    data, known, passed = _join(segments, order, unusable, bytes_of, limit)
    if passed is not None:
        message = f"segment {excerpt(segments[passed].index)} would make the prefix longer than {limit} bytes"
        span_findings.append((passed, _at(passed, "length", "limit-exceeded", message)))
        span_findings.sort(key=lambda found: found[0])
    whole = clear and known == len(segments) > 0 and segments[order[-1]].terminal
    return AssembledStream(
        stream_id,
        "complete" if whole else "partial",
        data,
        tuple(_gaps(int(segments[i].index) for i in order)),
        (*findings, *(finding for _, finding in span_findings)),
    )


def _at(position: int, member: str, code: str, message: str) -> Diagnostic:
    return Diagnostic.of(code, message, pointer=ijson.pointer("segments", position, member))


def _by_index(segments: Sequence[SegmentLike]) -> Sequence[int]:
    """Positions in the order of the indexes; those of one index as they stand."""
    indexes = [segment.index for segment in segments]
    if all(indexes[i] < indexes[i + 1] for i in range(len(indexes) - 1)):
        return range(len(indexes))
    return sorted(range(len(indexes)), key=indexes.__getitem__)


def _order_findings(segments: Sequence[SegmentLike], order: Sequence[int]) -> Iterator[Diagnostic]:
    for before, position in pairwise(order):
        if segments[before].index == segments[position].index:
            message = f"index {excerpt(segments[position].index)} is there twice"
            yield _at(position, "index", "segment-index-repeated", message)
    if isinstance(order, range):
        return
    for position in range(1, len(segments)):
        if segments[position].index < segments[position - 1].index:
            message = f"index {excerpt(segments[position].index)} stands after {excerpt(segments[position - 1].index)}"
            yield _at(position, "index", "segment-order", message)
            return


def _terminal_findings(segments: Sequence[SegmentLike], order: Sequence[int]) -> Iterator[Diagnostic]:
    terminals = [i for i in order if segments[i].terminal]
    for position in terminals[1:]:
        message = f"segment {excerpt(segments[terminals[0]].index)} is already terminal"
        yield _at(position, "terminal", "segment-terminal-repeated", message)
    if len(terminals) == 1 and terminals[0] != order[-1]:
        message = f"segment {excerpt(segments[order[-1]].index)} follows the terminal one"
        yield _at(terminals[0], "terminal", "segment-terminal-not-last", message)


def _examine_spans(
    segments: Sequence[SegmentLike], bytes_of: Callable[[str], ResourceBytes | None]
) -> tuple[set[int], list[tuple[int, Diagnostic]]]:
    """Positions of segments whose bytes cannot be had, and what is to be said of them."""
    unusable: set[int] = set()
    findings: list[tuple[int, Diagnostic]] = []
    for position, segment in enumerate(segments):
        found = bytes_of(segment.resource_id)
        shown = excerpt(segment.resource_id)
        if found is None:
            code, member, message = "segment-resource-missing", "resource_id", f"no valid resource {shown} is declared"
        elif found.data is None:
            unusable.add(position)
            if found.findings:
                continue
            code, member, message = "segment-bytes-unavailable", "resource_id", f"resource {shown} holds no bytes"
        elif segment.offset + segment.length > len(found.data):
            code, member = "segment-span-outside", "length"
            end = excerpt(segment.offset + segment.length)
            message = f"the span ends at byte {end} of the {len(found.data)} of resource {shown}"
        else:
            continue
        unusable.add(position)
        findings.append((position, _at(position, member, code, message)))
    return unusable, findings


def _join(
    segments: Sequence[SegmentLike],
    order: Sequence[int],
    unusable: set[int],
    bytes_of: Callable[[str], ResourceBytes | None],
    limit: int | None,
) -> tuple[bytes, int, int | None]:
    """The contiguous prefix, how many segments it has, and the position of the one that would pass the limit."""
    out = BytesIO()
    views: dict[str, memoryview] = {}
    size = known = 0
    for i, position in enumerate(order):
        segment = segments[position]
        repeated = i + 1 < len(order) and segments[order[i + 1]].index == segment.index
        if segment.index != i or repeated or position in unusable:
            break
        offset, length = int(segment.offset), int(segment.length)
        size += length
        if limit is not None and size > limit:
            return out.getvalue(), known, position
        view = views.get(segment.resource_id)
        if view is None:
            found = bytes_of(segment.resource_id)
            assert found is not None
            assert found.data is not None
            view = views[segment.resource_id] = memoryview(found.data)
        out.write(view[offset : offset + length])
        known += 1
    return out.getvalue(), known, None


def _gaps(indexes: Iterable[int], expected: int = 0) -> Iterator[range]:
    for index in indexes:
        if index > expected:
            yield range(expected, index)
        expected = index + 1


class StreamAssembler:
    """A stream whose segments come one by one, late or out of order, as a capture runs.

    A segment that comes before its predecessors is held until the gap closes. The same segment again changes nothing;
    one that contradicts what is known raises `AssemblyError` and changes nothing either. The bytes of held segments count
    towards the limit.
    """

    def __init__(self, stream_id: str = "", *, limit: int | None = MAX_STREAM_BYTES) -> None:
        self.stream_id = stream_id
        """The stream's ID."""
        self._limit = limit
        self._prefix = bytearray()
        self._ends = array("Q")  # where each segment of the prefix ends
        self._held: dict[int, bytes] = {}
        self._held_bytes = 0
        self._highest = -1
        self._terminal: int | None = None

    @property
    def complete(self) -> bool:
        """Whether all segments up to the terminal one are there."""
        return self._terminal is not None and len(self._ends) == self._terminal + 1

    @property
    def status(self) -> Literal["complete", "partial"]:
        """`complete` or `partial`, as far as is known now."""
        return "complete" if self.complete else "partial"

    @property
    def contiguous_bytes(self) -> int:
        """Length of the known prefix in bytes."""
        return len(self._prefix)

    @property
    def held(self) -> int:
        """Number of segments that wait for a gap to close."""
        return len(self._held)

    @property
    def missing_indexes(self) -> tuple[range, ...]:
        """Indexes below the highest known one that have not come yet, as ascending ranges."""
        return tuple(_gaps(sorted(self._held), len(self._ends)))

    @property
    def ended(self) -> bool:
        """Whether the terminal segment has come, whatever is still missing before it."""
        return self._terminal is not None

    @property
    def fragments(self) -> dict[int, bytes]:
        """The bytes of every segment that has come, held ones too, by index in ascending order."""
        starts = [0, *self._ends]
        found = {i: bytes(self._prefix[start:end]) for i, (start, end) in enumerate(pairwise(starts))}
        return found | dict(sorted(self._held.items()))

    def add(self, index: int, data: bytes | bytearray | memoryview, *, terminal: bool = False) -> bool:
        """Take a segment; False if it was already there, the very same.

        Raises `AssemblyError` if the index is none, if its segment came with other bytes or another terminal flag, if it stands
        after the terminal segment or is a second one, or if the limit would be passed.
        """
        if type(index) is not int or not 0 <= index <= ijson.MAX_SAFE_INTEGER:
            raise self._error("integer-invalid", f"index {excerpt(index)} is not an integer from 0 to 2^53-1")
        piece = data if isinstance(data, bytes) else bytes(memoryview(data))
        known = self._known(index)
        if known is not None:
            if known != piece or terminal != (index == self._terminal):
                raise self._error("segment-conflict", f"segment {index} came before with other content")
            return False
        self._require_room(index, len(piece), terminal)
        self._highest = max(self._highest, index)
        if terminal:
            self._terminal = index
        if index == len(self._ends):
            self._append(piece)
            while (held := self._held.pop(len(self._ends), None)) is not None:
                self._held_bytes -= len(held)
                self._append(held)
        else:
            self._held[index] = piece
            self._held_bytes += len(piece)
        return True

    def assembled(self) -> AssembledStream:
        """What is known now; segments that come later do not change it."""
        return AssembledStream(self.stream_id, self.status, bytes(self._prefix), self.missing_indexes)

    def _append(self, piece: bytes) -> None:
        self._prefix += piece
        self._ends.append(len(self._prefix))

    def _known(self, index: int) -> bytes | bytearray | None:
        if index < len(self._ends):
            return self._prefix[self._ends[index - 1] if index else 0 : self._ends[index]]
        return self._held.get(index)

    def _require_room(self, index: int, length: int, terminal: bool) -> None:
        if self._terminal is not None and terminal:
            raise self._error("segment-terminal-repeated", f"segment {self._terminal} is already terminal")
        if self._terminal is not None and index > self._terminal:
            raise self._error("segment-terminal-not-last", f"segment {index} follows the terminal one")
        if terminal and index < self._highest:
            raise self._error("segment-terminal-not-last", f"segment {self._highest} follows the terminal one")
        if self._limit is not None and len(self._prefix) + self._held_bytes + length > self._limit:
            raise self._error("limit-exceeded", f"segment {index} would make more than {self._limit} bytes")

    def _error(self, code: str, message: str) -> AssemblyError:
        return AssemblyError([Diagnostic.of(code, f"stream {excerpt(self.stream_id)}: {message}")])
