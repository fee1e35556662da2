"""What all views of a session share: the log, and the index and structure built from it on first use."""

from __future__ import annotations

import gc
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import repeat
from typing import Any, Final

from sessionrecord.diagnostics import excerpt
from sessionrecord.errors import RefError, RefNotFoundError
from sessionrecord.ijson import has_noncharacter_bytes
from sessionrecord.records import InvalidRecord, Record
from sessionrecord.records.parse import read_plain
from sessionrecord.refs import Ref
from sessionrecord.session.index import Index
from sessionrecord.session.log import Log, members_of
from sessionrecord.session.structure import Structure

__all__ = ["Core"]

_BATCH: Final = 32
"""Lines that are read in one go: few enough for what is made of them to stay in the cache."""


class Core:
    """A log with its index and structure; the two grow with the log once they are built."""

    def __init__(self, log: Log) -> None:
        self.log = log
        self._index = Index(log)
        self._structure = Structure(log, self._index)
        self._taken = 0

    def read(self, start: int, end: int) -> Iterator[tuple[range, list[bytes], list[dict[str, Any]]]]:
        """The records from `start` on, before `end`, in batches: their indexes, lines and plain members.

        Index and structure are brought along, so that a first reading of everything parses each line once.
        """
        log, index, structure = self.log, self._index, self._structure
        for first in range(start, end, _BATCH):
            batch = range(first, min(first + _BATCH, end))
            lines = [log.line(i) for i in batch]
            values = [members_of(line) for line in lines]
            if batch.start <= self._taken < batch.stop:
                types, codes = log.types, log.type_codes
                for i in range(self._taken, batch.stop):
                    members, record_type = values[i - batch.start], types[codes[i]] or log.type(i)
                    structure.add(i, record_type, members, index.add(i, record_type, members))
                    self._taken = i + 1
            yield batch, lines, values

    def __reduce__(self) -> tuple[type[Core], tuple[Log]]:
        return Core, (self.log,)  # the rest is built again on first use

    def _take(self) -> None:
        """Bring index and structure up to the end of the log."""
        enabled = gc.isenabled()
        gc.disable()  # nothing made here can be a cycle, and each line makes many short-lived containers
        try:
            deque(self.read(self._taken, len(self.log)), maxlen=0)
        finally:
            if enabled:
                gc.enable()

    @property
    def index(self) -> Index:
        """The index over all records."""
        if self._taken < len(self.log):
            self._take()
        return self._index

    @property
    def structure(self) -> Structure:
        """The structure over all records."""
        if self._taken < len(self.log):
            self._take()
        return self._structure

    def record(self, index: int) -> Record | InvalidRecord:
        """The typed record at an index."""
        return self.log.read_at(index)[0]

    def records(self, indexes: Sequence[int]) -> Iterator[Record | InvalidRecord]:
        """The typed records at some indexes, in that order: as `record`, at less cost for many."""
        log = self.log
        for start in range(0, len(indexes), _BATCH):
            batch = indexes[start : start + _BATCH]
            lines = [log.line(i) for i in batch]
            plain = repeat(None) if has_noncharacter_bytes(b"\n".join(lines)) else read_plain(lines)
            for i, record in zip(batch, plain, strict=False):
                yield self.record(i) if record is None else record

    def find(self, ref: str | Ref, at: int | None = None) -> int:
        """The entity that a ref names. Raises `RefNotFoundError` where it names nothing, or nothing yet at `at`."""
        if not isinstance(ref, str | Ref):
            raise TypeError(f"a ref is a string or a Ref, not {type(ref).__name__}; a record is named by its id")
        text = str(ref)
        if not text:
            raise RefError("a ref is not empty")
        entity = self.index.find(text)
        if entity is None:
            meant = self.index.meant(text)
            hint = f"; did you mean {' or '.join(meant)}?" if meant else ""
            raise RefNotFoundError(f"{excerpt(text, 200)} names nothing in the session{hint}")
        if at is not None and self.index.find(text, self.log.end(at)) is None:
            raise RefNotFoundError(f"{text} is not there yet at seq {at}")
        return entity
