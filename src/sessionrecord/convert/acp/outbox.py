"""Records on their way to the authors: what an author does not take waits, so no message is lost to a full disk."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from copy import deepcopy
from typing import Any, NamedTuple

from sessionrecord.errors import InvalidRecordError
from sessionrecord.records import Producer, Record
from sessionrecord.records.envelope import EnvelopeModel
from sessionrecord.stream import Author

__all__ = ["Outbox", "Recorded"]


class Recorded(NamedTuple):
    """A record that was written."""

    session_id: str
    """The session it is of."""
    record: Record
    """The record."""


class _Way:
    """The way to the author of one session."""

    def __init__(self) -> None:
        self.author: Author | None = None
        self.counts: Counter[str] = Counter()
        self.waiting: deque[tuple[str, tuple[Any, ...], dict[str, Any]]] = deque()
        self.proof: _Proof | None = None


class _Proof(Author):
    """Proves records that no author can be asked for now."""

    def __init__(self, *, has_header: bool) -> None:
        super().__init__()
        if has_header:
            self.session(agent="any", session_id="any", producer=Producer(method="recorder"))

    def _append(self, record: EnvelopeModel, line: bytes) -> None:
        pass


class Outbox:
    """Gives records to the authors, those of a session in their order. `author_of` is asked again only where it raised."""

    def __init__(self, author_of: Callable[[str], Author]) -> None:
        self._author_of = author_of
        self._ways: dict[str, _Way] = {}
        self._taken: list[Recorded] = []
        self._error: BaseException | None = None

    def counts(self, session_id: str) -> Counter[str]:
        """Record type to the records that the session's author took."""
        return self._ways[session_id].counts

    def put(self, session_id: str, method: str, /, *args: Any, **members: Any) -> None:
        """Call this method of the session's author, as soon as the author has taken what was put before.

        Raises `InvalidRecordError` for a record that no author takes, and nothing that the author raises else.
        """
        way = self._ways.setdefault(session_id, _Way())
        if not way.waiting:
            try:
                self._give(session_id, way, method, args, members)
                return
            except InvalidRecordError:
                raise
            except BaseException as e:
                self._error = self._error or e
        if way.proof is None:
            way.proof = _Proof(has_header=method != "session")
        getattr(way.proof, method)(*args, **members)
        way.waiting.append((method, args, deepcopy(members)))  # whoever put it goes on with its lists

    def retry(self) -> None:
        """Try again what waits. Raises nothing."""
        for session_id, way in self._ways.items():
            try:
                while way.waiting:
                    self._give(session_id, way, *way.waiting[0])
                    way.waiting.popleft()
            except BaseException as e:
                self._error = self._error or e

    def taken(self) -> list[Recorded]:
        """The records that were taken since this was asked last."""
        taken, self._taken = self._taken, []
        return taken

    def check(self) -> None:
        """Raises the first of what the authors raised since this was asked last."""
        error, self._error = self._error, None
        if error is not None:
            raise error

    def _give(self, session_id: str, way: _Way, method: str, args: tuple[Any, ...], members: dict[str, Any]) -> None:
        if way.author is None:
            way.author = self._author_of(session_id)
        record = getattr(way.author, method)(*args, **members)
        way.counts[record.type] += 1
        self._taken.append(Recorded(session_id, record))
