"""Frames of many sessions at once. A file that cannot be read gives a row that says why; it never stops the others."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, cast

from sessionrecord.diagnostics import excerpt
from sessionrecord.display.extra import need
from sessionrecord.display.frames.columns import (
    COSTS,
    INTEGER,
    MOMENT,
    NAMES,
    STRING,
    TEXT,
    Column,
    Frame,
    amount_column,
    fits,
)
from sessionrecord.display.frames.make import FRAMES, FrameName, to_pandas
from sessionrecord.errors import SessionRecordError, SourceError
from sessionrecord.records import RECORD_TYPES, InvalidRecord, Record, SessionHeader
from sessionrecord.refs import SessionReference
from sessionrecord.session import Session
from sessionrecord.session.usage import TOKEN_MEMBERS

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["SESSIONS", "ManyName", "sessions_arrow", "sessions_frame"]

ManyName: TypeAlias = Literal["sessions"] | FrameName
"""What a row of many sessions is about: a session, or a row of one of its frames."""
Paths: TypeAlias = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]
"""One path or many."""

_MOST: Final = 2**63 - 1
"""The greatest integer of a column."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)

_PLACE: Final = (
    Column("path", STRING, "the file, as it was given"),
    Column("session", STRING, "session reference; null where there is no valid header"),
    Column(
        "error",
        TEXT,
        "why the file has no row of its own: it could not be read, or a sum is more than a column holds; all else of the row is null then",
    ),
)

SESSIONS: Final = Frame(
    "sessions",
    "a file",
    (
        *_PLACE,
        Column("agent", STRING, "the agent that the session is of"),
        Column("namespace", STRING, "the namespace of its ID; null also where the agent has none"),
        Column("session_id", STRING, "its ID"),
        Column("agent_version", STRING, "the agent's version"),
        Column("producer_method", STRING, "how the stream came to be: native, converter, recorder and such"),
        Column("producer", STRING, "what wrote the stream"),
        Column("producer_version", STRING, "its version"),
        Column("parent", STRING, "session reference of the session that this one is a child of"),
        Column("title", STRING, "what people call it"),
        Column("first_timestamp", MOMENT, "the earliest `timestamp` of its frame of records"),
        Column("last_timestamp", MOMENT, "the latest `timestamp` of its frame of records"),
        Column("records", INTEGER, "records"),
        Column("bytes", INTEGER, "bytes of their lines, line ends not counted"),
        Column("turns", INTEGER, "turns that records name; null where none names one"),
        Column("messages", INTEGER, "messages, each counted once"),
        Column("tool_calls", INTEGER, "tool calls, each counted once"),
        Column("tool_errors", INTEGER, "those whose result says error"),
        Column("tools_without_result", INTEGER, "those whose end is not recorded"),
        Column("compactions", INTEGER, "compactions, each counted once"),
        Column("rewinds", INTEGER, "rewinds"),
        Column("model_calls", INTEGER, "model calls that are known of"),
        Column("models", NAMES, "the models that usage or model calls name, sorted"),
        *(Column(name, INTEGER, f"`{name}` of `Session.usage`, all models together") for name in TOKEN_MEMBERS),
        *amount_column("cost", "what it cost; null also where it is in more currencies than one: see `costs`"),
        Column("currency", STRING, "the currency of `cost`"),
        Column("costs", COSTS, "currency and sum, one item a currency; `amount_text` where `amount` cannot hold the sum"),
        Column("costs_missing", INTEGER, "model calls or usage records without a cost while others have one: `costs` are at least that"),
        Column("incomplete", INTEGER, "usage records whose counts are not complete"),
        Column("children", INTEGER, "child sessions that tool calls name; what they used is not in here"),
        Column("errors", INTEGER, "diagnostics that are errors"),
        Column("warnings", INTEGER, "diagnostics that are warnings"),
    ),
)  # fmt: skip


def sessions_frame(paths: Paths, of: ManyName = "sessions", *, progress: bool | None = None) -> pd.DataFrame:
    """A frame of many streams for pandas: a row a file, or with `of` the rows of that frame of every session.

    `progress` shows a bar or not; None shows one on a terminal and in a notebook. Raises `MissingExtraError`.
    """
    need("pandas", "frames")
    return to_pandas(sessions_arrow(paths, of, progress=progress))


def sessions_arrow(paths: Paths, of: ManyName = "sessions", *, progress: bool | None = None) -> Any:
    """As `sessions_frame`, as a `pyarrow.Table` for polars and DuckDB."""
    pa = need("pyarrow", "frames")
    frame = frame_of(of)
    tables = [frame.table(frame.empty())]
    tables += [_table(pa, path, frame) for path in _watched(paths, progress)]
    return pa.concat_tables(tables).combine_chunks()


def frame_of(of: str) -> Frame:
    """The columns of a frame of many sessions. Raises `ValueError` for a name that is none."""
    if of == SESSIONS.name:
        return SESSIONS
    if of not in FRAMES:
        raise ValueError(f"{excerpt(of)} is no frame; there are {', '.join((SESSIONS.name, *FRAMES))}")
    inner = FRAMES[of][0]
    return Frame(inner.name, inner.row, (*_PLACE, *inner.columns))


def _watched(paths: Paths, progress: bool | None) -> Iterable[str | os.PathLike[str]]:
    paths = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    tqdm = need("tqdm", "frames of many sessions").tqdm
    shown = _is_watched() if progress is None else progress
    watched: Iterable[str | os.PathLike[str]] = tqdm(paths, desc="sessions", unit="session", disable=not shown)
    return watched


def _is_watched() -> bool:
    """Whether standard error goes to a terminal or a notebook."""
    ipython = sys.modules.get("IPython")
    in_notebook = ipython is not None and hasattr(ipython.get_ipython(), "kernel")
    return in_notebook or (sys.stderr is not None and sys.stderr.isatty())


def _table(pa: Any, path: str | os.PathLike[str], frame: Frame) -> Any:
    place = {"path": os.fsencode(path).decode("utf-8", "backslashreplace"), "session": None, "error": None}
    try:
        session = _open(path)
        inner = _summary(session) if frame is SESSIONS else session.to_arrow(cast("FrameName", frame.name))
    except (SessionRecordError, OSError, ValueError) as e:
        return frame.table(
            {n: [value] for n, value in {**dict.fromkeys(frame.empty()), **place, "error": str(e)}.items()}
        )
    place["session"] = _reference(session)
    if isinstance(inner, dict):
        return frame.table({n: [value] for n, value in {**inner, **place}.items()})
    columns = [pa.array([place[c.name]] * len(inner), frame.schema().field(c.name).type) for c in _PLACE]
    return pa.Table.from_arrays([*columns, *inner.columns], schema=frame.schema())


def _open(path: str | os.PathLike[str]) -> Session:
    """The session of a file. Raises `SourceError` also where none of its lines is a record, as in a log of another format."""
    session = Session.read(path)
    if not any(_is_record(r) for r in session.records):
        damage = next((d.message for d in session.diagnostics if d.code == "compression-broken"), None)
        what = (
            f"holds nothing that can be read: {damage}"
            if len(session) == 0 and damage is not None
            else "is empty"
            if len(session) == 0
            else "is no session stream; `sessionrecord convert` reads logs of other formats"
        )
        raise SourceError(f"{excerpt(os.fspath(path), 200)} {what}")
    return session


def _is_record(record: Record | InvalidRecord) -> bool:
    return not isinstance(record, InvalidRecord) or (record.envelope is not None and record.type in RECORD_TYPES)


def _reference(session: Session) -> str | None:
    header = session.header
    return str(SessionReference(header.key, None)) if isinstance(header, SessionHeader) else None


def _summary(session: Session) -> dict[str, Any]:
    header = session.header if isinstance(session.header, SessionHeader) else None
    records, tools, used = session.to_arrow(), session.tool_calls(), session.usage()
    entities = Counter(e.type for e in session.entities)
    severities = Counter(d.severity for d in session.diagnostics)
    first, last = _span(records)
    for name in TOKEN_MEMBERS:
        if (getattr(used.total, name) or 0) > _MOST:
            raise ValueError(f"its {name}, {getattr(used.total, name):,}, are more than a column holds")
    currency, cost = next(iter(used.costs.items())) if len(used.costs) == 1 else (None, None)
    return {
        "agent": header and header.agent,
        "namespace": header and header.namespace,
        "session_id": header and header.session_id,
        "agent_version": header and header.agent_version,
        "producer_method": header and header.producer.method,
        "producer": header and header.producer.name,
        "producer_version": header and header.producer.version,
        "parent": header and header.parent,
        "title": session.info().title,
        "first_timestamp": first,
        "last_timestamp": last,
        "records": len(session),
        "bytes": sum(records["bytes"].to_pylist()),
        "turns": len(session.turns()) or None,
        "messages": entities["message"],
        "tool_calls": len(tools),
        "tool_errors": sum(use.outcome == "error" for use in tools),
        "tools_without_result": sum(not use.results for use in tools),
        "compactions": entities["compaction"],
        "rewinds": entities["rewind"],
        "model_calls": used.calls,
        "models": sorted(model for model in used.by_model if model is not None),
        **{name: getattr(used.total, name) for name in TOKEN_MEMBERS},
        "cost": cost,
        "currency": currency,
        "costs": [_cost(name, amount) for name, amount in sorted(used.costs.items())],
        "costs_missing": used.costs_missing,
        "incomplete": used.incomplete,
        "children": len(used.children),
        "errors": severities["error"],
        "warnings": severities["warning"],
    }


def _cost(currency: str, amount: Decimal) -> dict[str, Any]:
    held = fits(amount)
    return {"currency": currency, "amount": held, "amount_text": str(amount) if held is None else None}


def _span(records: Any) -> tuple[str | None, str | None]:
    """The earliest and the latest timestamp of the frame of records, as text."""
    moments = [m for m in records["timestamp"].cast("int64").to_pylist() if m is not None]
    return (_text(min(moments)), _text(max(moments))) if moments else (None, None)


def _text(nanoseconds: int) -> str:
    seconds, rest = divmod(nanoseconds, 10**9)
    return f"{_EPOCH + timedelta(seconds=seconds):%Y-%m-%dT%H:%M:%S}.{rest:09}Z"
