"""Which lines a record is of, and which records a line gave."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from sessionrecord.convert.report import Conversion
from sessionrecord.convert.testing.sample import streams
from sessionrecord.records import Record
from sessionrecord.refs import ENTITY_KEY_OF_TYPE

__all__ = ["Homes", "entity_of"]

_OF_A_CALL = frozenset({"model_call", "usage"})


class Homes:
    """The lines and the records of a conversion, by each other."""

    def __init__(self, conversion: Conversion) -> None:
        self._source = conversion.report.source
        self._merged = conversion.report.merged
        self._records: defaultdict[int, list[Record]] = defaultdict(list)
        self._entities: defaultdict[tuple[str, str, str, str], set[int]] = defaultdict(set)
        self._call_records: defaultdict[tuple[str, str, str, str], list[Record]] = defaultdict(list)
        self._line_calls: defaultdict[int, set[tuple[str, str, str, str]]] = defaultdict(set)
        self._parts: defaultdict[int, set[int]] = defaultdict(set)
        for part in self._merged:
            self._parts[self._home(part)].add(part)
        for name, records in streams(conversion):
            for record in records:
                line = self.line(record)
                if line is not None:
                    self._records[line].append(record)
                    for entity in _entities(name, record):
                        self._entities[entity] |= {line, *self._parts.get(line, ())}
                        if entity[1] == "model_call":
                            self._line_calls[line].add(entity)
                            if record.type in _OF_A_CALL:
                                self._call_records[entity].append(record)

    def line(self, record: Record) -> int | None:
        """The line of the log that a record names; None where it names none, or one of another file."""
        source = record.source
        return None if source is None or source.path not in (None, self._source) else source.line

    def lines(self, stream: str, record: Record) -> frozenset[int] | None:
        """The lines that a record is made from: its own, those merged into it, and those of what else is told of its entity.

        None where that is the log as a whole: a header, and a record that names no line.
        """
        line = self.line(record)
        if line is None or record.type == "session":
            return None
        found = {line, *self._parts.get(line, ())}
        entity = entity_of(record)
        if entity is not None:
            found |= self._entities[stream, *entity]
        return frozenset(found)

    def records(self, line: int) -> list[Record]:
        """The records of a line, those that it was merged into, and those of the model calls that it is part of."""
        home = self._home(line)
        own = self._records.get(line, []) + (self._records.get(home, []) if home != line else [])
        return own + [record for call in self._line_calls.get(line, ()) for record in self._call_records[call]]

    def is_part(self, line: int) -> bool:
        """Whether a line is merged into the record of another."""
        return line in self._merged

    def has_parts(self, line: int) -> bool:
        """Whether a line is merged into the record of another, or others into its own."""
        return line in self._merged or line in self._parts

    def _home(self, line: int) -> int:
        seen = set[int]()
        while line in self._merged and line not in seen:
            seen.add(line)
            line = self._merged[line]
        return line


def entity_of(record: Record) -> tuple[str, str, str] | None:
    """Record type, entity key and ID: what a record and its revisions share. A model call and its usage are one."""
    key = ENTITY_KEY_OF_TYPE.get(record.type)
    own = record.to_wire().get(key) if key is not None else None
    if key is None or not isinstance(own, str):
        return None
    return "model_call" if record.type in _OF_A_CALL else record.type, key, own


def _entities(stream: str, record: Record) -> Iterable[tuple[str, str, str, str]]:
    """What a line tells of by a record: its entity, and the model call that it comes from."""
    entity = entity_of(record)
    if entity is not None:
        yield stream, *entity
    call = record.to_wire().get("modelCallId")
    if isinstance(call, str) and record.type not in _OF_A_CALL:
        yield stream, "model_call", "modelCallId", call
