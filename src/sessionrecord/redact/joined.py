"""Secrets that are split: over texts that stand at one place of a record one after another, or of one record and the next of its kind."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from sessionrecord.records import RECORD_TYPES
from sessionrecord.redact.edits import Edit
from sessionrecord.redact.search import Search
from sessionrecord.redact.tree import Path
from sessionrecord.refs import ENTITY_KEYS

__all__ = ["Split", "Splits"]

_Key: TypeAlias = tuple[str, ...]
_REACH: Final = 256
"""Bytes of a text that are looked at on each side of a border, at least."""
_APART: Final = frozenset(
    {"type", "id", "turnId", "timestamp", "participant", "conversation", "predecessor", "source", *ENTITY_KEYS}
)
"""Members of a record that are never part of a longer text."""
_PLACES: Final = 1000
"""Places of records of one kind whose texts are remembered."""
_TOGETHER: Final = 4
"""Texts over which a form is found that has to begin where a text begins, or to end where one ends."""
_WORST: Final = 6
"""How many bytes an encoding takes at most for one: an escape of JSON."""


@dataclass(frozen=True, slots=True)
class _Piece:
    index: int
    path: Path
    data: bytes
    """The text, or the end of it."""
    base: int
    """Bytes of the text that come before `data`."""


@dataclass(frozen=True, slots=True)
class Split:
    """A part of a split secret: an edit of the decoded text at a place of a record."""

    index: int
    """The record."""
    path: Path
    """The place in it."""
    edit: Edit
    """What to do there."""


@dataclass(slots=True)
class _Place:
    """What is remembered of the texts at one place of the records of a kind."""

    near: list[_Piece] = field(default_factory=list)
    """The last texts, which each record is searched with."""
    far: list[_Piece] = field(default_factory=list)
    """The last texts that were searched for long values."""
    waiting: list[_Piece] = field(default_factory=list)
    """Texts behind those, not yet searched for long values."""
    size: int = 0
    """Bytes that are waiting."""


class Splits:
    """Takes in records in their order and tells of secrets that no single text holds.

    Texts belong together that stand at the same place but for their position in a list, such as those of the text blocks of one
    message. They also belong to those of the next record of the same type, native type and role: all texts where the type is
    unknown, as it may be one of deltas; the texts of blocks where it is known.

    For long values records are searched many at a time, so that many short ones are not searched anew with each.
    """

    def __init__(self, search: Search, values_only: Search) -> None:
        """`values_only` has the same values and no patterns: what is in two records of a known type is no one text."""
        self._search = search
        self._values_only = values_only
        self._reach = max(_REACH, _WORST * search.longest)
        self._places: defaultdict[_Key, dict[_Key, _Place]] = defaultdict(dict)

    def take(self, index: int, value: Any) -> list[Split]:
        """What the next record completes, given its plain JSON value; secrets that long values make up may be told later."""
        if not isinstance(value, dict):
            return []
        kind = _kind(value)
        is_known = kind[0] in RECORD_TYPES
        groups: defaultdict[_Key, list[_Piece]] = defaultdict(list)
        for key, path, text in _texts(value):
            pieces = groups[key]
            if text:
                pieces.append(_Piece(index, path, text, 0))
        places = self._places[kind]
        found: list[Split] = []
        candidates: list[tuple[list[_Piece], list[_Piece], bool]] = []
        for key, now in groups.items():
            is_block = len(key) > 1 and key[-1] == "text" and key[-2].startswith("*:")
            if not is_block and is_known:
                candidates.append(([], now, False))
                continue
            place = places[key] = places.pop(key) if key in places else _Place()
            candidates.append((place.near, now, True))
            place.near = _ends([*place.near, *now], _REACH)
            if self._reach > _REACH:
                place.waiting += now
                place.size += sum(len(p.data) for p in now)
                if place.size >= self._reach:
                    found += self._long(place)
        while len(places) > _PLACES:
            found += self._long(places.pop(next(iter(places))))
        candidates = [c for c in candidates if len(c[0]) + len(c[1]) > 1]
        if not candidates:
            return found
        if self._search.has(b"\0".join(self._bordering([*e, *n]) for e, n, _ in candidates)) or self._search.has(
            b"\0".join(self._bordering(n) for e, n, _ in candidates if e and len(n) > 1)
        ):
            found += (s for e, n, is_one_text in candidates for s in self._splits(e, n, is_known, is_one_text))
        for earlier, now, is_one_text in candidates:
            pieces = now if is_known else [*earlier, *now]
            if self._search.may_have_form(b"".join(p.data for p in pieces)):
                found += _amid(self._search, pieces, len(pieces) - len(now), is_one_text)
        return found

    def finish(self) -> Iterator[Split]:
        """What there is of long values in the last records."""
        for places in self._places.values():
            for place in places.values():
                yield from self._long(place)

    def _long(self, place: _Place) -> list[Split]:
        """What is split over the texts that are waiting, or over them and earlier ones."""
        pieces = [*place.far, *place.waiting]
        found: list[Split] = []
        if place.waiting and len(pieces) > 1 and self._values_only.has(self._bordering(pieces)):
            found += _crossing(self._values_only.edits, place.far, place.waiting, True)
        place.far, place.waiting, place.size = _ends(pieces, self._reach), [], 0
        return found

    def _bordering(self, pieces: list[_Piece]) -> bytes:
        """The texts joined, without the middle of long ones."""
        reach = self._reach
        return b"".join(
            p.data if len(p.data) <= 2 * reach else p.data[:reach] + b"\0" + p.data[-reach:] for p in pieces
        )

    def _splits(self, earlier: list[_Piece], now: list[_Piece], is_known: bool, is_one_text: bool) -> set[Split]:
        joined = self._values_only if is_known else self._search
        found = set(_crossing(self._search.edits, [], now, is_one_text)) if len(now) > 1 else set()
        return found | set(_crossing(joined.edits, earlier, now, is_one_text)) if earlier else found


def _ends(pieces: list[_Piece], reach: int) -> list[_Piece]:
    """The last texts, as far back as a secret may reach that goes on in the next record."""
    kept: list[_Piece] = []
    left = reach
    for piece in reversed(pieces):
        if left <= 0:
            break
        if len(piece.data) > left:
            cut = len(piece.data) - left
            piece = _Piece(piece.index, piece.path, piece.data[cut:], piece.base + cut)
        kept.append(piece)
        left -= len(piece.data)
    return kept[::-1]


def _amid(search: Search, pieces: list[_Piece], first: int, is_one_text: bool) -> Iterator[Split]:
    """What is in some texts together, whatever stands before them and behind: a form may have to begin or end where a text does."""
    for last in range(first, len(pieces)):
        for start in range(max(0, last - _TOGETHER + 1), last):
            yield from _crossing(search.forms, pieces[start:last], pieces[last : last + 1], is_one_text)


def _crossing(
    find: Callable[[bytes], list[Edit]], earlier: list[_Piece], now: list[_Piece], is_one_text: bool
) -> Iterator[Split]:
    """The parts of secrets that are in more than one of the texts, and end in one of now."""
    pieces = [*earlier, *now]
    starts = [0]
    for piece in pieces:
        starts.append(starts[-1] + len(piece.data))
    edits = find(b"".join(p.data for p in pieces))
    first = 0
    for edit in edits:
        while starts[first + 1] <= edit.start:
            first += 1
        if edit.end <= starts[first + 1] or edit.end <= starts[len(earlier)]:
            continue
        piece = pieces[first]
        # an open end, such as a token's, goes on only in what is read as one text
        if not is_one_text and any(e.start == edit.start - starts[first] for e in find(piece.data)):
            continue
        at, counted = first, -1  # once in each record
        while at < len(pieces) and starts[at] < edit.end:
            piece = pieces[at]
            begin = max(edit.start, starts[at]) - starts[at] + piece.base
            end = min(edit.end, starts[at + 1]) - starts[at] + piece.base
            if begin < end:
                counts = piece.index != counted
                counted = piece.index
                text = edit.text if at == first else b""
                yield Split(piece.index, piece.path, Edit(begin, end, text, edit.rules if counts else ()))
            at += 1


def _kind(value: dict[str, Any]) -> _Key:
    return tuple(v if isinstance(v := value.get(name), str) else "" for name in ("type", "nativeType", "role"))


def _texts(value: dict[str, Any]) -> Iterator[tuple[_Key, Path, bytes]]:
    """Texts with what they are grouped by and where they are, in the order of the line."""
    stack: list[tuple[Any, _Key, Path]] = []
    stack += [(v, (name,), (name,)) for name, v in value.items() if name not in _APART][::-1]
    while stack:
        item, key, path = stack.pop()
        if isinstance(item, str):
            yield key, path, item.encode("utf-8", "surrogatepass")
        elif isinstance(item, dict):
            stack.extend([(v, (*key, name), (*path, name)) for name, v in item.items()][::-1])
        elif isinstance(item, list):
            stack.extend([(v, (*key, _step(v)), (*path, i)) for i, v in enumerate(item)][::-1])


def _step(item: Any) -> str:
    tag = item.get("type") if isinstance(item, dict) else None
    return f"*:{tag}" if isinstance(tag, str) else "*"


def by_record(splits: Iterable[Split]) -> dict[int, dict[Path, list[Edit]]]:
    """Splits by record and place."""
    found: defaultdict[int, defaultdict[Path, list[Edit]]] = defaultdict(lambda: defaultdict(list))
    for split in splits:
        found[split.index][split.path].append(split.edit)
    return {index: dict(places) for index, places in found.items()}
