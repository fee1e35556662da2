"""How a record that breaks a rule becomes a valid one: what is broken is left out and said so, nothing is made up.

Members that the structure rests on are never changed, since the conversation would hang together in another way: a record
that is broken there cannot be mended. The exception is `seq`, which says no more than the place in the file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

from sessionrecord import ijson
from sessionrecord.diagnostics import Diagnostic
from sessionrecord.records import InvalidRecord, read_record
from sessionrecord.refs import ENTITY_KEY_OF_TYPE

__all__ = ["Mended", "mend"]

_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_INDEX_MEMBERS: Final = frozenset({"type", "id", "predecessor", "to", "keptFrom", "of"})
_INDEX_MEMBERS_OF_TYPE: Final = {
    "session": {"agent", "namespace", "sessionId"},
    "compaction": {"status"},
    "usage": {"counter", "scope"},
}
_OF_A_MEMBER: Final = frozenset(
    """type-invalid value-invalid member-missing null-not-allowed integer-invalid timestamp-invalid duration-invalid amount-invalid
    session-reference-invalid""".split()
)
_ROUNDS: Final = 32
"""More than the deepest model has levels: a member that is required takes its object with it."""


@dataclass(frozen=True, slots=True)
class Mended:
    """A valid record, and what was done to have it."""

    value: dict[str, Any]
    """The members. `seq` is 0 where `has_seq` is false."""
    has_seq: bool
    """Whether the record's own `seq` is valid."""
    changes: tuple[str, ...]
    """What was done, one line each."""
    codes: tuple[str, ...]
    """The codes of what was wrong."""


def mend(record: InvalidRecord) -> Mended | None:
    """The record without what breaks a rule, or None where that cannot be told, or is what the structure rests on."""
    value = record.value
    if not isinstance(value, dict):
        return None
    # a copy of our own: the value may be shared
    work = _Work({**value}, {**value["capture"]} if isinstance(value.get("capture"), dict) else {})
    found = [d for d in record.diagnostics if d.severity == "error"]
    codes = tuple(dict.fromkeys(d.code for d in found))
    if any(d.code == "lone-surrogate" for d in found):
        if not work.replace_surrogates():
            return None
        found = [d for d in found if d.code != "lone-surrogate"] or work.errors()
    for _ in range(_ROUNDS):
        if not found:
            return Mended(work.done(), work.has_seq, tuple(work.changes), codes)
        if not work.remove(found):
            return None
        found = work.errors()
    return None


class _Work:
    def __init__(self, value: dict[str, Any], capture: dict[str, Any]) -> None:
        self.value = value
        self.capture = capture
        self.has_seq = True
        self.changes: list[str] = []
        record_type = value.get("type")
        key = ENTITY_KEY_OF_TYPE.get(record_type) if isinstance(record_type, str) else None
        own = _INDEX_MEMBERS_OF_TYPE.get(record_type, set()) if isinstance(record_type, str) else set()
        self._kept = _INDEX_MEMBERS | own | ({key} if key else set())

    def errors(self) -> list[Diagnostic]:
        """What is still wrong."""
        return [d for d in read_record(ijson.dumps(self.done()))[1] if d.severity == "error"]

    def done(self) -> dict[str, Any]:
        """The members with the capture states of what was taken out."""
        return {**self.value, "capture": self.capture} if self.capture else self.value

    def replace_surrogates(self) -> bool:
        """Put U+FFFD for each unpaired surrogate in a text; false where one stands in a name or an index member."""
        for name, member in list(self.value.items()):
            if _SURROGATE.search(name):
                return False
            replaced = _replaced(member)
            if replaced is None:
                return False
            if not replaced.changed:
                continue
            if name in self._kept or name == "capture":
                return False
            self.value[name] = replaced.value
            self._note(name, "truncated", f"unpaired surrogates or bytes that are not UTF-8 are U+FFFD now in /{name}")
        return True

    def remove(self, found: list[Diagnostic]) -> bool:
        """Take out what the errors are about; false where it has to stay."""
        places = set()
        for d in found:
            parts = _parts(d.pointer or "")
            if parts == ("seq",):
                # its place is found when the order is
                self.value["seq"], self.has_seq = 0, False
                continue
            if d.code == "member-missing":
                parts = parts[:-1]
            if d.code not in _OF_A_MEMBER or not parts or parts[0] in self._kept:
                return False
            places.add((parts, d.code))
        # from the end, so that the places before stay what they are
        for parts, code in sorted(places, key=lambda p: [_order(part) for part in p[0]], reverse=True):
            if parts[0] == "capture":
                if len(parts) == 1:
                    return False
                self._forget_capture(parts, code)
            else:
                self._remove(parts, code)
        return True

    def _forget_capture(self, parts: tuple[str, ...], code: str) -> None:
        what = f"{ijson.pointer(*parts)} is not valid: {code}"
        self.capture[parts[1]] = {"state": "unknown", "reason": f"repair: {what}"}
        self.changes.append(f"{what}; the state is unknown now")

    def _remove(self, parts: tuple[str, ...], code: str) -> None:
        holder: Any = self.value
        for part in parts[:-1]:
            inner = holder[_index(holder, part)] if _has(holder, part) else None
            if not isinstance(inner, dict | list):
                return
            # what is changed within is copied on the way down
            holder[_index(holder, part)] = holder = inner.copy()
        if not _has(holder, parts[-1]):
            return
        del holder[_index(holder, parts[-1])]
        place = ijson.pointer(*parts)
        if code == "null-not-allowed" and not isinstance(holder, list):
            self.changes.append(f"{place} was null and is left out, which says the same")
        else:
            self._note(parts[0], "truncated" if len(parts) > 1 else "omitted", f"{place} is left out: {code}")

    def _note(self, member: str, state: str, what: str) -> None:
        self.changes.append(what)
        if state == "omitted" or member not in self.capture:
            self.capture[member] = {"state": state, "reason": f"repair: {what}"}


def _parts(pointer: str) -> tuple[str, ...]:
    return tuple(p.replace("~1", "/").replace("~0", "~") for p in pointer.split("/")[1:])


def _order(part: str) -> tuple[int, str]:
    return (int(part), "") if part.isdecimal() and part.isascii() and len(part) < 10 else (-1, part)


def _index(holder: Any, part: str) -> Any:
    return int(part) if isinstance(holder, list) else part


def _has(holder: Any, part: str) -> bool:
    if isinstance(holder, list):
        return part.isdecimal() and int(part) < len(holder)
    return part in holder


@dataclass(frozen=True, slots=True)
class _Replaced:
    value: Any
    changed: bool


def _replaced(value: Any) -> _Replaced | None:
    """A copy with the surrogates in texts replaced; None where a name holds one."""
    root: list[Any] = [value]
    todo: list[tuple[Any, Any]] = [(root, 0)]
    changed = False
    while todo:
        holder, at = todo.pop()
        item = holder[at]
        if isinstance(item, str):
            holder[at] = _SURROGATE.sub("\ufffd", item)
            changed |= holder[at] != item
        elif isinstance(item, dict):
            if any(_SURROGATE.search(name) for name in item):
                return None
            holder[at] = item = dict(item)
            todo += [(item, name) for name in item]
        elif isinstance(item, list):
            holder[at] = item = list(item)
            todo += [(item, i) for i in range(len(item))]
    return _Replaced(root[0], changed)
