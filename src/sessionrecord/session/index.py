"""What names what: record IDs, entities and their revision chains (spec section 3). Built on first use, grows by append."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterator
from typing import Any

from sessionrecord.diagnostics import Diagnostic, excerpt
from sessionrecord.refs import ENTITY_KEY_OF_TYPE, ENTITY_KEYS
from sessionrecord.session.log import Log

__all__ = ["Index", "entity_key"]


def entity_key(record_type: str | None, members: dict[str, Any]) -> str | None:
    """The value of a record's entity key; None where it is its own entity, by record ID."""
    name = ENTITY_KEY_OF_TYPE.get(record_type or "")
    if name is None:
        return None
    key = members.get(name)
    if type(key) is not str:
        return None
    # a cumulative counter, or one over more than a model call, only links to a call
    if record_type == "usage" and (
        members.get("counter") == "cumulative" or members.get("scope") not in (None, "model_call")
    ):
        return None
    return key


class Index:
    """Maps from record IDs and entity keys to records. An entity is named by the index of its first record."""

    def __init__(self, log: Log) -> None:
        self.log = log
        self.ids: dict[str, int] = {}
        self.first = array("I")
        """Record index to the index of its entity's first record."""
        self.findings: list[tuple[int, Diagnostic]] = []
        self._keys: dict[str, dict[str, int]] = {t: {} for t in ENTITY_KEY_OF_TYPE}
        self._revised: dict[int, list[int]] = {}

    def add(self, index: int, record_type: str | None, members: dict[str, Any]) -> int:
        """Take in the next record; returns its entity."""
        record_id = members.get("id")
        if type(record_id) is str and self.ids.setdefault(record_id, index) != index:
            line = self.log.line_number(self.ids[record_id])
            self.findings.append(
                (
                    index,
                    Diagnostic.of(
                        "id-duplicate",
                        f"the id {excerpt(record_id)} is used on line {line} already",
                        pointer="/id",
                        record_id=record_id,
                    ),
                )
            )
        key = entity_key(record_type, members)
        first = index if key is None else self._keys[record_type or ""].setdefault(key, index)
        self.first.append(first)
        if first != index:
            self._revised.setdefault(first, [first]).append(index)
        return first

    def find(self, ref: str, end: int | None = None) -> int | None:
        """The entity that a ref names by the records before `end`, or None."""
        key, equals, value = ref.partition("=")
        index = self._keys[ENTITY_KEYS[key]].get(value) if equals and key in ENTITY_KEYS else self.ids.get(ref)
        return None if index is None or (end is not None and index >= end) else self.first[index]

    def meant(self, ref: str) -> list[str]:
        """The refs that someone may have meant who wrote one that names nothing: a bare key, or a misspelled name of one."""
        name, equals, value = ref.partition("=")
        squashed = name.replace("_", "").replace("-", "").lower()
        keys = [k for k in ENTITY_KEYS if k.lower() == squashed] if equals else list(ENTITY_KEYS)
        value = value if equals else ref
        found = [f"{k}={value}" for k in keys if self.find(f"{k}={value}") is not None]
        if (
            not found
            and (not equals or squashed == "seq")
            and value.isascii()
            and value.isdecimal()
            and len(value) < 17
        ):
            at = bisect_left(self.log.seqs, int(value))
            if at < len(self.log) and self.log.seqs[at] == int(value):
                found = [str(self.log.value(at).get("id"))]
        return [excerpt(ref, 200) for ref in found]

    def of_key(self, record_type: str, key: str) -> int | None:
        """The entity of a type with a key, or None."""
        return self._keys[record_type].get(key)

    def keyed(self) -> Iterator[tuple[str, str, int]]:
        """Every entity that has a key: its type, the key, its first record."""
        for record_type, entities in self._keys.items():
            for key, first in entities.items():
                yield record_type, key, first

    def revisions(self, first: int, end: int) -> list[int]:
        """The records of an entity before `end`, in file order: its revision chain."""
        return [i for i in self._revised.get(first, (first,)) if i < end]

    def latest(self, first: int, end: int) -> int:
        """The last of an entity's records before `end`."""
        chain = self._revised.get(first)
        return first if chain is None else [i for i in chain if i < end][-1]

    def ref(self, first: int) -> str:
        """The ref that names an entity: its key where that names it, else its first record's ID."""
        members = self.log.value(first)
        record_type = self.log.type(first)
        key = entity_key(record_type, members)
        if key is not None and record_type is not None and ENTITY_KEYS[ENTITY_KEY_OF_TYPE[record_type]] == record_type:
            return f"{ENTITY_KEY_OF_TYPE[record_type]}={key}"
        return str(members.get("id", ""))
