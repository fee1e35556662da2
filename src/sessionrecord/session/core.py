"""What all views of a session share: the log, and the index and structure built from it on first use."""

from __future__ import annotations

import gc

from sessionrecord.diagnostics import excerpt
from sessionrecord.errors import RefError, RefNotFoundError
from sessionrecord.records import InvalidRecord, Record
from sessionrecord.refs import Ref
from sessionrecord.session.index import Index
from sessionrecord.session.log import Log
from sessionrecord.session.structure import Structure

__all__ = ["Core"]


class Core:
    """A log with its index and structure; the two grow with the log once they are built."""

    def __init__(self, log: Log) -> None:
        self.log = log
        self._index = Index(log)
        self._structure = Structure(log, self._index)
        self._taken = 0

    def __reduce__(self) -> tuple[type[Core], tuple[Log]]:
        return Core, (self.log,)  # the rest is built again on first use

    def _take(self) -> None:
        """Bring index and structure up to the end of the log."""
        log, index, structure = self.log, self._index, self._structure
        enabled = gc.isenabled()
        gc.disable()  # nothing made here can be a cycle, and each line makes many short-lived containers
        try:
            while self._taken < len(log):
                i = self._taken
                members, record_type = log.value(i), log.type(i)
                structure.add(i, record_type, members, index.add(i, record_type, members))
                self._taken += 1
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
