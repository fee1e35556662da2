"""What all exporters start from: the latest revision of each entity, on the active path or not, and what is left out of that."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from sessionrecord import ijson
from sessionrecord.export.report import LossReport
from sessionrecord.records import PARTICIPATING_TYPES, InvalidRecord, Record, SessionHeader
from sessionrecord.refs import SessionReference
from sessionrecord.session import Entity
from sessionrecord.session.session import Views

__all__ = ["ENVELOPE", "Item", "Material", "gather", "holdable", "opened", "rest", "session_reference"]

ENVELOPE: Final = frozenset({"type", "seq", "id"})
"""Members that name a record."""
_LEVELS: Final = 200
"""Levels of nesting that readers of JSON promise; ours does."""


@dataclass(frozen=True, slots=True)
class Item:
    """An entity and what is exported of it."""

    order: int
    """Index of its first record: file order."""
    ref: str
    """The ref that names it."""
    record: Record
    """Its latest valid revision."""
    absent: str | None = None
    """Why it is not in the context view: `rewound`, `compacted`, `other-branch`, `not-applied`; None where it is."""
    by: str | None = None
    """What took it out of the context."""


@dataclass(frozen=True, slots=True)
class Material:
    """A session at a `seq`, sorted for exporting. Everything is in file order, and so is the path."""

    header: SessionHeader | None
    """The session header, if the stream begins with a valid one."""
    path: list[Item]
    """The active path: what happened, compacted entities included."""
    off_path: list[Item]
    """Participating entities that a rewind took off, or that are on another branch."""
    audit: list[Item]
    """All other entities, the header aside."""


def opened(of: object, at: int | None, exporter: str) -> tuple[Views, int | None]:
    """The views that an exporter folds, and the `seq` up to which records count: that of a `SessionAt` unless `at` is earlier.

    Raises `TypeError` for what is neither a `Session` nor a `SessionAt`.
    """
    if isinstance(of, Views):
        return Views(of._core, None), of._at(at)
    if hasattr(of, "main"):
        hint = "make one with Session.from_records(conversion.main)"
    elif hasattr(of, "session"):
        hint = "give its session"
    elif isinstance(of, Iterable) and not isinstance(of, str | bytes):
        hint = "make one of records with Session.from_records"
    else:
        hint = "open one with Session.read"
    raise TypeError(f"{exporter} exports a session, not {type(of).__name__}; {hint}")


def gather(session: Views, at: int | None, report: LossReport) -> Material:
    """Sort a session's records up to `at`; counts them in `report`, and lists revisions and lines that nobody exports."""
    view = session.context_view(at=at)
    absent = {a.entity.first: a for a in view.absent}
    on_path = {e.first for e in session.active_path(at=at).entities}
    header: SessionHeader | None = None
    path: list[Item] = []
    off_path: list[Item] = []
    audit: list[Item] = []
    core = session._core
    for i, first in enumerate(core.index.first[: core.log.end(at)]):
        if i != first:
            continue
        entity = Entity(core, i)
        chain = list(session.revisions(entity, at))
        report.records += len(chain)
        record = _latest(chain, report)
        if record is None:
            continue
        if entity.first == 0 and isinstance(record, SessionHeader):
            header = record
            continue
        gone = absent.get(entity.first)
        item = Item(entity.first, entity.ref, record, gone.reason if gone else None, gone.by if gone else None)
        if record.type not in PARTICIPATING_TYPES:
            audit.append(item)
        elif entity.first in on_path:
            path.append(item)
        else:
            off_path.append(item)
    return Material(header, path, off_path, audit)


def _latest(chain: list[Record | InvalidRecord], report: LossReport) -> Record | None:
    latest: Record | None = None
    for record in chain:
        if isinstance(record, InvalidRecord):
            report.add("invalid_line", record.type or "line", record)
        else:
            if latest is not None:
                report.add("superseded", latest.type, latest)
            latest = record
    return latest


def session_reference(header: SessionHeader | None) -> str | None:
    """The session reference of a header; None without one."""
    return None if header is None else str(SessionReference(header.key))


def rest(record: Record, used: Iterable[str]) -> dict[str, Any]:
    """The members of a record as on the wire, without those that have a place of their own in the target."""
    gone = frozenset(used) - ENVELOPE
    return {name: value for name, value in record.to_wire().items() if name not in gone}


def holdable(value: Any) -> tuple[Any, bool]:
    """A JSON value that can be nested further, and whether that is the value itself: a very deep one becomes its JSON text."""
    level = [value]
    for _ in range(_LEVELS):
        level = [inner for outer in level for inner in _inner(outer)]
        if not level:
            return value, True
    return ijson.dumps(value).decode(), False


def _inner(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list | tuple) else ()
