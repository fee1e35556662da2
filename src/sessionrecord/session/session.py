"""`Session`: a stream of records as revision chains and context views (spec sections 3, 6, 7, 8)."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Self

from sessionrecord.diagnostics import Diagnostic, excerpt
from sessionrecord.errors import RefNotFoundError, StreamError
from sessionrecord.records import InvalidRecord, Record, SessionHeader
from sessionrecord.records.envelope import EnvelopeModel
from sessionrecord.refs import Ref, SessionKey
from sessionrecord.session import calls as _calls
from sessionrecord.session import context as _context
from sessionrecord.session import declared as _declared
from sessionrecord.session import usage as _usage
from sessionrecord.session.checks import check
from sessionrecord.session.core import Core
from sessionrecord.session.entity import Entity, LazySequence, RevisionChain
from sessionrecord.session.findings import Findings
from sessionrecord.session.log import Log, Source
from sessionrecord.session.structure import NONE

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from sessionrecord.bundle import Externalized
    from sessionrecord.display.frames.make import FrameName
    from sessionrecord.session.compare import SessionDiff
    from sessionrecord.session.context_diff import ContextDiff

__all__ = ["Session", "SessionAt", "Views", "diff"]

AnyRef = str | Ref | Entity


class Views:
    """The views that a session gives. All are folds of the records up to a `seq`."""

    def __init__(self, core: Core, limit: int | None) -> None:
        self._core = core
        self._limit = limit

    def _at(self, at: int | None) -> int | None:
        if at is not None:
            _check_seq(at)
        if at is None or self._limit is None:
            return self._limit if at is None else at
        return min(at, self._limit)

    def _head(self, head: AnyRef | None, at: int | None) -> int:
        if head is None:
            return self._core.structure.head(self._core.log.end(at))
        entity = self.resolve(head, at).first
        if self._core.structure.heads[entity] != entity:
            raise RefNotFoundError(
                f"{head if isinstance(head, str) else self._core.index.ref(entity)} takes no part in the context"
            )
        return entity

    def resolve(self, ref: AnyRef, at: int | None = None) -> Entity:
        """The entity that a ref names; a record ID names the entity that the record describes.

        Raises `RefNotFoundError` where it names nothing, or nothing yet.
        """
        at = self._at(at)
        if isinstance(ref, Entity) and ref.is_of(self._core):  # its ref may name an earlier record that has the same ID
            if ref.first >= self._core.log.end(at):
                raise RefNotFoundError(f"{ref.ref} is not there yet at seq {at}")
            return ref
        return Entity(self._core, self._core.find(ref.ref if isinstance(ref, Entity) else ref, at))

    def revisions(self, ref: AnyRef, at: int | None = None) -> RevisionChain:
        """The revision chain of the entity that a ref names. Raises `RefNotFoundError`."""
        at = self._at(at)
        entity = self.resolve(ref, at).first
        return RevisionChain(self._core, self._core.index.revisions(entity, self._core.log.end(at)))

    def record(self, record_id: str) -> Record | InvalidRecord:
        """The record with an ID. Raises `RefNotFoundError`."""
        index = self._core.index.ids.get(record_id)
        if index is None or index >= self._core.log.end(self._limit):
            raise RefNotFoundError(f"no record has the id {record_id}")
        return self._core.record(index)

    def head(self, at: int | None = None) -> Entity | None:
        """The head: what the next entity would follow. None at the start, or after a rewind to nothing."""
        head = self._head(None, self._at(at))
        return None if head == NONE else Entity(self._core, head)

    def heads(self, at: int | None = None) -> list[Entity]:
        """The current head first, then every entity that none names as its predecessor, in file order."""
        return [Entity(self._core, e) for e in self._core.structure.all_heads(self._core.log.end(self._at(at)))]

    def active_path(self, head: AnyRef | None = None, at: int | None = None) -> _context.ActivePath:
        """The active path from a head, the current one if none is named. [S] "Active path".

        Raises `RefNotFoundError` for a head that is not there, or not yet at `at`.
        """
        at = self._at(at)
        return _context.active_path(self._core, self._head(head, at), at)

    def context_view(self, head: AnyRef | None = None, at: int | None = None) -> _context.ContextView:
        """What the model's context contained, as far as is recorded. [S] "Context view".

        Raises `RefNotFoundError` for a head that is not there, or not yet at `at`.
        """
        at = self._at(at)
        return _context.context_view(self._core, self._head(head, at), at)

    def context_diff(self, at_a: int, at_b: int | None = None) -> ContextDiff:
        """What the model's context gained and lost between two points; without a second one, the end. It may be the earlier."""
        from sessionrecord.session.context_diff import context_diff  # few sessions are compared

        return context_diff(self._core, self.context_view(at=at_a), self.context_view(at=at_b))

    def declared(self, at: int | None = None) -> _declared.Declared:
        """The effective values at a `seq`: the header's and those of all earlier declarations. [S] "Effective value"."""
        return _declared.declared(self._core, self._at(at))

    def info(self, at: int | None = None) -> _declared.Info:
        """What people call the session."""
        return _declared.info(self._core, self._at(at))

    def tool_calls(self, at: int | None = None) -> list[_calls.ToolUse]:
        """Every tool call with its results and the decision on it."""
        return _calls.tool_calls(self._core, self._at(at))

    def turns(self, at: int | None = None) -> list[_calls.Turn]:
        """The turns that records name."""
        return _calls.turns(self._core, self._at(at))

    def usage(self, at: int | None = None) -> _usage.UsageTotals:
        """What the session used: tokens per model, costs per currency, and how much of that is not known."""
        return _usage.usage(self._core, self._at(at))

    def counts(self, at: int | None = None) -> dict[str | None, int]:
        """Record type to the number of records; None for lines whose type cannot be read."""
        log, found = self._core.log, dict[str | None, int]()
        for i in range(log.end(self._at(at))):
            record_type = log.type(i)
            found[record_type] = found.get(record_type, 0) + 1
        return found

    def to_frame(self, at: int | None = None) -> pd.DataFrame:
        """A row for each record. Columns and types: `display.frames.records`. Raises `MissingExtraError`."""
        from sessionrecord.display.frames.make import pandas_of  # frames rest on sessions

        return pandas_of(self._core, "records", self._at(at))

    def messages_frame(self, at: int | None = None) -> pd.DataFrame:
        """A row for each message, in its latest revision. Raises `MissingExtraError`."""
        from sessionrecord.display.frames.make import pandas_of

        return pandas_of(self._core, "messages", self._at(at))

    def tools_frame(self, at: int | None = None) -> pd.DataFrame:
        """A row for each tool call, with its result and the decision on it. Raises `MissingExtraError`."""
        from sessionrecord.display.frames.make import pandas_of

        return pandas_of(self._core, "tools", self._at(at))

    def usage_frame(self, at: int | None = None) -> pd.DataFrame:
        """A row for each usage record, with what it adds to the totals of `usage`. Raises `MissingExtraError`."""
        from sessionrecord.display.frames.make import pandas_of

        return pandas_of(self._core, "usage", self._at(at))

    def to_arrow(self, frame: FrameName = "records", at: int | None = None) -> Any:
        """A frame as a `pyarrow.Table`, which polars and DuckDB read without a copy. Raises `MissingExtraError`."""
        from sessionrecord.display.frames.make import arrow_of

        return arrow_of(self._core, frame, self._at(at))

    def plot_timeline(self, at: int | None = None) -> Figure:
        """What happened when: turns, messages, model calls, tool calls, compactions, rewinds. Raises `MissingExtraError`."""
        from sessionrecord.display.plots import plot_timeline  # plots rest on sessions

        return plot_timeline(self._core, self._at(at))

    def plot_context(self, at: int | None = None) -> Figure:
        """How large the context was over the session. Raises `MissingExtraError`."""
        from sessionrecord.display.plots import plot_context

        return plot_context(self._core, self._at(at))

    def plot_usage(self, at: int | None = None) -> Figure:
        """Tokens and costs by model. Raises `MissingExtraError`."""
        from sessionrecord.display.plots import plot_usage

        return plot_usage(self._core, self._at(at))


class SessionAt(Views):
    """A session as it was at a `seq`: the same views, later records left out."""

    def __repr__(self) -> str:
        return f"<SessionAt seq {self._limit}>"

    def _repr_html_(self) -> str:
        from sessionrecord.display.html import session_html  # displays rest on sessions

        return session_html(self)


class Session(Views):
    """A session, lazy over its raw lines: a record is typed when touched. [S] "Stream".

    Opening finds lines, JSON syntax and the envelope; `diagnostics` reads everything. A path is mapped: the file must not be
    cut short while the session is in use. A session can be pickled, with all its bytes; to many processes send the path.
    """

    def __init__(self, log: Log) -> None:
        super().__init__(Core(log), None)
        self._found: tuple[int, list[Diagnostic]] | None = None

    @classmethod
    def read(cls, source: Source, *, strict: bool = False) -> Self:
        """Open a stream: a path, a binary file object, or bytes.

        Raises `SourceError` where it cannot be read; with `strict`, `StreamError` with all findings if there is an error.
        """
        session = cls(Log.read(source))
        if strict and any(d.severity == "error" for d in session.diagnostics):
            raise StreamError(session.diagnostics)
        return session

    @classmethod
    def from_records(cls, records: Iterable[Record | InvalidRecord]) -> Self:
        """A session of records in their order; what is wrong with it is in `diagnostics`.

        Raises `TypeError` for what is no record; of a conversion, `main` and each of `children` are records.
        """
        return cls(Log(b"".join(_lines_of(records))))

    def append(self, record: Record | InvalidRecord) -> None:
        """Put a record at the end, as reading it there would: what is wrong with it is in `diagnostics`. Constant time."""
        for line in record.to_line().split(b"\n"):
            self._core.log.append(line)

    @property
    def header(self) -> SessionHeader | InvalidRecord | None:
        """The session header; None where the first record is of another type, or there is none."""
        first = self._core.record(0) if len(self._core.log) and self._core.log.type(0) == "session" else None
        return first if isinstance(first, SessionHeader | InvalidRecord) else None

    @property
    def records(self) -> Sequence[Record | InvalidRecord]:
        """All records in file order, each typed when asked for."""
        return LazySequence(range(len(self._core.log)), self._core.record)

    @property
    def entities(self) -> Sequence[Entity]:
        """All entities in the order of their first records; records without an entity key are their own."""
        first = self._core.index.first
        return LazySequence([i for i, e in enumerate(first) if e == i], lambda i: Entity(self._core, i))

    @property
    def last_seq(self) -> int | None:
        """The highest `seq`; None where there is no record. A later one in `at` means the end."""
        return self._core.log.seqs[-1] if len(self._core.log) else None

    @property
    def diagnostics(self) -> Findings:
        """Everything found, in the order of the lines. Types every record on first use."""
        if self._found is None or self._found[0] != len(self._core.log):
            self._found = len(self._core.log), check(self._core)
        return Findings(self._found[1])

    def at(self, seq: int) -> SessionAt:
        """The session as it was at a `seq`: after the records up to it; 0 is before the first. Raises `TypeError`, `ValueError`."""
        _check_seq(seq)
        return SessionAt(self._core, seq)

    def externalize(self, min_bytes: int, *, directory: str | os.PathLike[str] | None = None) -> Externalized:
        """A session with inline base64 of at least `min_bytes` bytes moved out, and the blobs. See `bundle.externalize`."""
        from sessionrecord.bundle import externalize  # bundles rest on sessions

        return externalize(self, min_bytes, directory=directory)

    def internalize(self, blob: Callable[[str], bytes | None]) -> Session:
        """The session with blobs put back inline. See `bundle.internalize`."""
        from sessionrecord.bundle import internalize  # bundles rest on sessions

        return internalize(self, blob)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the stream: untouched lines byte for byte, then what was appended. Through a temporary file; mode 0600.

        What is at `path` is replaced. A compressed source is written plain, whatever the name says.
        """
        self._core.log.write(path)

    def __len__(self) -> int:
        return len(self._core.log)

    def __repr__(self) -> str:
        header = self.header
        name = _name(header.key) if isinstance(header, SessionHeader) else "no valid header"
        return f"<Session {name}, {len(self)} records>"

    def _repr_html_(self) -> str:
        from sessionrecord.display.html import session_html  # displays rest on sessions

        return session_html(self)


def _name(key: SessionKey) -> str:
    parts = [excerpt(part, 36) for part in (key.agent, key.namespace, key.session_id) if part is not None]
    return " ".join(parts)


def diff(a: Views, b: Views, *, ignore: Collection[str] = ()) -> SessionDiff:
    """What session `b` has otherwise than session `a`; `session.at(seq)` compares a session as it was.

    Entities are aligned by entity key, then by content in order, so that also copies with other IDs can be compared. `ignore`
    names members of records that are not compared, as on the wire: `["timestamp", "durationMs"]` for two runs of one task.
    """
    from sessionrecord.session.compare import compare  # few sessions are compared

    for views in (a, b):
        if not isinstance(views, Views):
            raise TypeError(f"diff compares sessions, not {type(views).__name__}; open one with Session.read")
    (core_a, limit_a), (core_b, limit_b) = ((views._core, views._limit) for views in (a, b))
    if isinstance(ignore, str):
        raise TypeError(f"ignore is a list of names, not one: [{excerpt(ignore)}]")
    return compare(core_a, core_a.log.end(limit_a), core_b, core_b.log.end(limit_b), frozenset(ignore))


def _check_seq(at: Any) -> None:
    if not isinstance(at, int) or isinstance(at, bool):
        raise TypeError(f"at is a seq, an integer, not {excerpt(at)}")
    if at < 0:
        raise ValueError(f"at is a seq, which is never negative, not {at}; what is left out means the end")


def _lines_of(records: Any) -> Iterator[bytes]:
    if not isinstance(records, Iterable):
        hint = ": give its main" if hasattr(records, "main") else ""
        raise TypeError(f"a session is made of records, and {type(records).__name__} is no collection of them{hint}")
    for record in records:
        if not isinstance(record, EnvelopeModel | InvalidRecord):
            raise TypeError(f"a session is made of records, and {type(record).__name__} is none")
        yield record.to_line() + b"\n"
