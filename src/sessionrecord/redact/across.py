"""What patterns of one's own match in a line as it is written: where a name says what its value is, and over several texts.

The names, quotes and colons that such a match goes over stay; the values in it are removed. A match that would be one whatever stood
in place of the quotes and commas, as of `\\S+`, is one by chance: it is about a text, and the search of the text decides.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from sessionrecord.errors import RedactionError
from sessionrecord.redact.edits import Edit, merged
from sessionrecord.redact.layers import escapes_of, within_escapes
from sessionrecord.redact.marks import written_paths
from sessionrecord.redact.rules import PLACEHOLDERS
from sessionrecord.redact.search import Search
from sessionrecord.redact.tree import Node, Path, Token, name_token, objects, tokens

__all__ = ["TooWide", "across", "of_token"]

_ESCAPE: Final = re.compile(rb"\\.")
_MASK: Final = bytes.maketrans(b'{}[],:"', b"\x1a" * 7)
_AROUND: Final = 256
"""Bytes before and behind a match that an expression may look at."""
_PLACEHOLDERS: Final = re.compile(PLACEHOLDERS.pattern.encode())


class TooWide(RedactionError):
    """A match goes over several members, so that it does not say which of them is the secret."""

    def __init__(self, path: Path, rule: str) -> None:
        super().__init__(
            f"a match of the pattern {rule} goes over several members or items; a group `secret` in it says which is the secret"
        )
        self.path = path
        """Where the match begins."""


def across(search: Search, line: bytes, root: Node) -> dict[int, list[Edit]]:
    """Start of a token to what is to be removed from the token by matches that do not lie within it.

    Raises `TooWide`.
    """
    matches = search.matches_as_written(line)
    if not matches and not search.sees_edges:
        return {}
    return _Across(search, line, root).edits(matches)


def _without_quote(escape: re.Match[bytes]) -> bytes:
    return b"\x1a\x1a" if escape[0] == b'\\"' else escape[0]


class _Across:
    def __init__(self, search: Search, line: bytes, root: Node) -> None:
        self._search = search
        self._line = line
        self._root = root
        self._tokens = sorted(tokens(root), key=lambda t: t.start)
        self._ends = [t.end for t in self._tokens]
        self._ours = written_paths(line, root)
        self._masked = b"".join(self._pieces())
        self._found: defaultdict[int, list[Edit]] = defaultdict(list)
        self._explained: dict[tuple[str, int], int] = {}
        """Rule and start of a match within a member to where the member ends."""

    def _pieces(self) -> Iterator[bytes]:
        at = 0
        for token in self._tokens:
            yield self._line[at : token.start].translate(_MASK)
            yield self._line[token.start : token.end]
            at = token.end
        yield self._line[at:].translate(_MASK)

    def edits(self, matches: list[tuple[Edit, int, int]]) -> dict[int, list[Edit]]:
        for node in objects(self._root):
            for member in node.members:
                self._search_member(name_token(node, member), member.node)
        for edit, start, end in matches:
            self._in_line(edit, start, end)
        return {start: merged(edits) for start, edits in self._found.items()}

    def _search_member(self, name: Token, value: Node) -> None:
        at = name.start - 1
        written = self._line[at : value.end]
        if value.members:
            # what begins further in is found in the members there
            for edit, start, end in self._search.matches_from(written, name.end - at):
                self._in_member(edit.moved(at), start + at, end + at, name, value)
            return
        matches = self._search.matches_as_written(written)
        if matches and b'\\"' in written:
            # `"[^"]*"` is about a string as a whole, quotes in it included
            matches += self._search.matches_as_written(_ESCAPE.sub(_without_quote, written))
        for edit, start, end in matches:
            self._in_member(edit.moved(at), start + at, end + at, name, value)

    def _in_member(self, edit: Edit, start: int, end: int, name: Token, value: Node) -> None:
        """A match in a name, a colon and a value, with nothing else around."""
        reached = [t for t in self._overlapping(edit.start, edit.end) if not t.is_name]
        if any(t.start <= start and end <= t.end for t in (name, *reached)):
            return  # found where texts are searched
        if not reached and end > value.start:
            if not value.members:  # there is nothing in it
                self._explained[edit.rules[0], start] = value.end
            return
        if self._by_chance(edit, start, value.end):
            begins_in_name = name.start <= start < name.end
            if not begins_in_name or self._has(name, edit.rules[0]):
                return
        self._explained[edit.rules[0], start] = value.end
        for token in reached if edit.end > value.start else [name]:
            self._remove(token, edit)

    def _in_line(self, edit: Edit, start: int, end: int) -> None:
        touched = self._overlapping(edit.start, edit.end)
        if not touched or any(t.start <= start and end <= t.end for t in touched):
            return
        explained = self._explained.get((edit.rules[0], start), -1)
        if touched[-1].end <= explained or self._goes_on_by_chance(edit, start, end, explained):
            return
        if len(touched) == 1:
            self._remove(touched[0], edit)
            return
        values = [t for t in touched if not t.is_name]
        owner = self._overlapping(start, end)[0]
        depth = len(owner.path)
        if values and (not owner.is_name or any(t.path[:depth] != owner.path for t in touched)):
            values = [t for t in values if self._left(t, edit) is not None]
            if values:
                raise TooWide(owner.path, edit.rules[0])
        elif not values and any(t.path not in self._ours for t in touched):
            raise TooWide(owner.path, edit.rules[0])
        for token in values:
            self._remove(token, edit)

    def _overlapping(self, start: int, end: int) -> list[Token]:
        found: list[Token] = []
        for i in range(bisect_right(self._ends, start), len(self._tokens)):
            token = self._tokens[i]
            if token.start >= end:
                break
            if token.start < token.end:
                found.append(token)
        return found

    def _by_chance(self, edit: Edit, start: int, end: int) -> bool:
        """Whether there is a match at a place whatever stands in place of quotes and commas."""
        return (
            self._search.match_end(edit.rules[0], self._masked[max(0, start - _AROUND) : end], min(start, _AROUND))
            is not None
        )

    def _goes_on_by_chance(self, edit: Edit, start: int, end: int, explained: int) -> bool:
        """Whether a match that is found in a member goes on behind it whatever stands there."""
        if explained < 0:
            return self._by_chance(edit, start, end + _AROUND)
        begin = max(0, start - _AROUND)
        text = self._line[begin:explained] + self._masked[explained : end + _AROUND]
        return self._search.match_end(edit.rules[0], text, start - begin) == end - start

    def _has(self, token: Token, rule: str) -> bool:
        return any(rule in e.rules for e in self._search.edits_of_token(self._line[token.start : token.end]))

    def _left(self, token: Token, edit: Edit) -> tuple[int, int] | None:
        """The piece of a token that is to be removed; None where only what redaction wrote stands there."""
        start, end = max(edit.start, token.start), min(edit.end, token.end)
        if start >= end or token.path in self._ours:
            return None
        text = self._line[token.start : token.end]
        start, end = within_escapes(escapes_of(text), start - token.start, end - token.start)
        if any(m.start() <= start and end <= m.end() for m in _PLACEHOLDERS.finditer(text)):
            return None
        return start, end

    def _remove(self, token: Token, edit: Edit) -> None:
        place = self._left(token, edit)
        if place is not None:
            self._found[token.start].append(Edit(*place, edit.text, edit.rules))


def of_token(search: Search, line: bytes, found: dict[int, list[Edit]], token: Token) -> list[Edit]:
    """All that is to be removed from a token, given what `across` found."""
    edits = search.edits_of_token(line[token.start : token.end])
    more = found.get(token.start)
    return merged([*edits, *more]) if more else edits
