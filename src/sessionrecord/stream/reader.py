"""Reading a stream record by record, in constant memory."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from sessionrecord.diagnostics import Diagnostic
from sessionrecord.lines import ByteSource, read_parts
from sessionrecord.records import InvalidRecord, Record
from sessionrecord.stream.fold import StreamFold

__all__ = ["StreamReader"]


class StreamReader:
    """The records of a stream, in file order: a line that is no valid record gives an `InvalidRecord`, and reading goes on.

    Iterating reads the source from where it is, a path or bytes from the start each time. The source is read in batches
    of whole lines of about 32 KiB; memory is bounded by a batch and the longest line, and the latter by `max_line`: a line
    of more bytes than that is skipped without being held, and reported as `line-too-long`.

    A source compressed with gzip, or with Zstandard (extra `zstd`), is unpacked as it is read, whatever its name; lines,
    offsets and findings are those of what it holds. One that is damaged gives what comes before the damage, and
    `compression-broken`. Without `max_line` a line unpacked may have 1 GiB.

    Where a line holds more than one record, or a record and the torn piece of another, and the boundary is certain, each
    whole record is given, and each piece that is none as an `InvalidRecord`; the line has one error.

    Found besides what is wrong with one record: lines (spec section 1), a header that is missing or repeated, `seq` that
    does not rise. Record IDs used twice are not found, since that takes memory for each: `Session` finds them.

    With `strict`, `StreamError` is raised at the first error, after the records before it. Both ways `SourceError` is
    raised, when iteration begins, if the source cannot be opened.
    """

    def __init__(self, source: ByteSource, *, strict: bool = False, max_line: int | None = None) -> None:
        self._source = source
        self._strict = strict
        self._max_line = max_line
        self._fold = StreamFold(strict=strict)

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """Everything found since iteration began, up to the record that came last."""
        return self._fold.diagnostics

    def __iter__(self) -> Iterator[Record | InvalidRecord]:
        return chain.from_iterable(self._parts())

    def _parts(self) -> Iterator[Iterator[Record | InvalidRecord]]:
        self._fold = fold = StreamFold(strict=self._strict)
        for part in read_parts(self._source, self._max_line):
            yield fold.part(part)
        fold.end()
