"""Secrets that are split: over texts that stand at one place of a record one after another, or of one record and the next of its kind."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
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


class Splits:
    """Takes in records in their order and tells of secrets that no single text holds.

    Texts belong together that stand at the same place but for their position in a list, such as those of the text blocks of one
    message. They also belong to those of the next record of the same type, native type and role: all texts where the type is
    unknown, as it may be one of deltas; the texts of blocks where it is known.
    """

    def __init__(self, search: Search, values_only: Search) -> None:
        """`values_only` has the same values and no patterns: what is in two records of a known type is no one text."""
        self._search = search
        self._values_only = values_only
        self._reach = max(_REACH, _WORST * search.longest)
        self._before: dict[_Key, dict[_Key, list[_Piece]]] = {}

    def take(self, index: int, value: Any) -> list[Split]:
        """What the next record completes, given its plain JSON value."""
        if not isinstance(value, dict):
            return []
        kind = _kind(value)
        is_known = kind[0] in RECORD_TYPES
        groups: defaultdict[_Key, list[_Piece]] = defaultdict(list)
        for key, path, text in _texts(value):
            pieces = groups[key]
            if text:
                pieces.append(_Piece(index, path, text, 0))
        before = self._before.get(kind, {})
        kept: dict[_Key, list[_Piece]] = {}
        candidates: list[tuple[list[_Piece], list[_Piece], bool]] = []
        for key, now in groups.items():
            is_block = len(key) > 1 and key[-1] == "text" and key[-2].startswith("*:")
            goes_on = is_block or not is_known
            earlier = before.get(key, []) if goes_on else []
            if len(earlier) + len(now) > 1:
                candidates.append((earlier, now, goes_on))
            if goes_on:
                kept[key] = self._ends([*earlier, *now])
        self._before[kind] = _latest({**before, **kept})
        if not candidates:
            return []
        if not self._search.has(b"\0".join(self._bordering([*e, *n]) for e, n, _ in candidates)):
            return []
        return [s for e, n, is_one_text in candidates for s in self._splits(e, n, is_known, is_one_text)]

    def _bordering(self, pieces: list[_Piece]) -> bytes:
        """The texts joined, without the middle of long ones."""
        reach = self._reach
        return b"".join(
            p.data if len(p.data) <= 2 * reach else p.data[:reach] + b"\0" + p.data[-reach:] for p in pieces
        )

    def _ends(self, pieces: list[_Piece]) -> list[_Piece]:
        """The last texts, as far back as a secret may reach that goes on in the next record."""
        kept: list[_Piece] = []
        left = self._reach
        for piece in reversed(pieces):
            if left <= 0:
                break
            if len(piece.data) > left:
                cut = len(piece.data) - left
                piece = _Piece(piece.index, piece.path, piece.data[cut:], piece.base + cut)
            kept.append(piece)
            left -= len(piece.data)
        return kept[::-1]

    def _splits(self, earlier: list[_Piece], now: list[_Piece], is_known: bool, is_one_text: bool) -> Iterator[Split]:
        if is_known and earlier:
            found = {*_crossing(self._values_only, earlier, now, True), *_crossing(self._search, [], now, is_one_text)}
        else:
            found = {*_crossing(self._search, earlier, now, is_one_text)}
        yield from found


def _crossing(search: Search, earlier: list[_Piece], now: list[_Piece], is_one_text: bool) -> Iterator[Split]:
    """The parts of secrets that are in more than one of the texts, and end in one of now."""
    pieces = [*earlier, *now]
    starts = [0]
    for piece in pieces:
        starts.append(starts[-1] + len(piece.data))
    edits = search.edits(b"".join(p.data for p in pieces))
    first = 0
    for edit in edits:
        while starts[first + 1] <= edit.start:
            first += 1
        if edit.end <= starts[first + 1] or edit.end <= starts[len(earlier)]:
            continue
        piece = pieces[first]
        # an open end, such as a token's, goes on only in what is read as one text
        if not is_one_text and any(e.start == edit.start - starts[first] for e in search.edits(piece.data)):
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


def _latest(ends: dict[_Key, list[_Piece]]) -> dict[_Key, list[_Piece]]:
    """The last places only, where names are data and so there is no end to them."""
    return ends if len(ends) <= _PLACES else dict(list(ends.items())[-_PLACES:])


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
