"""Looking for secrets in a text and in every text within it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import islice
from typing import Final

from sessionrecord.errors import RedactionError
from sessionrecord.redact.edits import Edit, apply, merged, touching
from sessionrecord.redact.layers import (
    Base64,
    Layer,
    Saturated,
    Spliced,
    all_decoded,
    base64_runs,
    entities,
    escapes_of,
    json_escapes,
    line_breaks,
    percent,
    respelled,
    within_escapes,
)
from sessionrecord.redact.needles import Needles
from sessionrecord.redact.patterns import KNOWN_PATTERNS, LITERALS, Pattern
from sessionrecord.redact.rules import PLACEHOLDERS, RedactionRules, placeholder
from sessionrecord.redact.within import within_json

__all__ = ["ROUNDS", "Search"]

ROUNDS: Final = 6
"""How often what came out is searched and changed again; what one removal uncovers is gone after the next."""
_LEVELS: Final = 12
"""Escapings within one another that are resolved one at a time; what is deeper is resolved all at once."""
_BUDGET: Final = 96
"""Times its length that is looked at of a text, encodings within one another included."""
_MINIMUM: Final = 1 << 20
_SHORTEST_FORM: Final = 10
"""Bytes that a match of a known form has at least: `a://b:c@d` with a scheme of two letters."""
_SHORT: Final = 500
# what may make an expression match a whole text and yet not the same text within a line
_SEES_EDGES: Final = re.compile(r"\^|\$|\\[AZzbB]|\(\?(?:[=!>]|<[=!])|[*+?}]\+")

_OF_JSON: Final = re.compile(rb'["#]|&quot;|%2[23]')
"""What a placeholder has as a string of JSON, or as one of several names; bare ones have none of it."""


class Search:
    """Finds what rules ask for. Its answer depends on the text alone."""

    def __init__(self, rules: RedactionRules) -> None:
        forms = [(form, v.name) for v in rules.values for form in _forms(v.text)]
        self._needles = Needles(forms)
        self._patterns = [
            (p, [t.encode() for t in LITERALS[p.name]] if p in KNOWN_PATTERNS else []) for p in rules.patterns
        ]
        """Pattern to the texts that it needs."""
        self._own = [(p, literals) for p, literals in self._patterns if p not in KNOWN_PATTERNS]
        self._by_name = {p.name: p.compiled for p, _ in self._own}
        self.sees_edges = any(_SEES_EDGES.search(p.regex) for p, _ in self._own)
        """Whether texts have to be looked at one by one, as a pattern may depend on where a text begins or ends."""
        self.longest = max([len(form) for form, _ in forms], default=0)
        """Bytes of the longest value."""
        shortest = [len(form) for form, _ in forms] + [_SHORTEST_FORM for _ in rules.patterns]
        self._shortest = min(shortest, default=_SHORTEST_FORM)
        if self._own:
            self._shortest = 1
        literals = [re.escape(t) for _, needed in self._patterns for t in needed]
        self._any_literal = re.compile(b"|".join(literals)) if literals else None
        # as many characters as hold that many bytes
        characters = max(6, -(-self._shortest * 4 // 3))
        self._run = re.compile(rb"[A-Za-z0-9+/_-]{%d,}={0,2}" % characters)
        self.bare_run = re.compile(rb"[A-Za-z0-9+/]{%d,}" % characters)
        """What may be base64 that holds a secret, in the standard alphabet and without padding."""

    def has(self, text: bytes) -> bool:
        """Whether there is anything to remove from a text. Raises `RedactionError` where it cannot be searched to the end."""
        walk = _Walk(self, text)
        return walk.has(text, 0)

    def edits(self, text: bytes) -> list[Edit]:
        """What to do to a text so that nothing is left in it. Raises `RedactionError` where it cannot be searched to the end."""
        if len(text) < self._shortest:
            return []
        return _Walk(self, text).edits(text, 0)

    def edits_of_token(self, token: bytes) -> list[Edit]:
        """The same for what stands between the quotes of a string of JSON."""
        if b"\\" not in token and token.lstrip()[:1] not in (b"{", b"["):
            return self.edits(token)
        layer = json_escapes(token)
        found = layer.lift(self.edits(layer.data))
        return merged([*found, *self._spelled(token, found)])

    def _spelled(self, token: bytes, found: list[Edit]) -> Iterator[Edit]:
        """Where a string's letters spell a value though its text does not hold it, as in `\\nabcd`: the escape is written another way."""
        escapes: list[tuple[int, int]] | None = None
        for edit in merged(self.values_in(token)):
            if touching(found, edit.start, edit.end):
                continue
            # no text has it, so an escape is a part of it
            escapes = escapes_of(token) if escapes is None else escapes
            start, end = within_escapes(escapes, edit.start, edit.end)
            first = escapes[bisect_right(escapes, (edit.start, len(token))) - 1]
            if first[1] <= edit.start:
                first = escapes[bisect_right(escapes, first)]
            new = respelled(token[first[0] : first[1]])
            if new is None:
                yield Edit(start, end, edit.text, edit.rules)
            else:
                yield Edit(*first, new, ())

    def values_in(self, text: bytes) -> Iterator[Edit]:
        """Where the given values stand in a text as they are; where one overlaps itself, as one piece."""
        for form, name in self._needles.likely(text):
            mark = placeholder(name).encode()
            at = text.find(form)
            while at >= 0:
                end, after = at + len(form), text.find(form, at + 1)
                while 0 <= after < end:
                    end, after = after + len(form), text.find(form, after + 1)
                yield Edit(at, end, mark, (name,))
                at = after

    def matches_as_written(self, text: bytes) -> list[tuple[Edit, int, int]]:
        """What patterns other than the known ones match in a line or a piece of it as it is written, quotes and colons included.

        Each with where its whole match begins and ends.
        """
        return list(self._matches(text, self._own)) if self._own else []

    def matches_from(self, text: bytes, before: int) -> Iterator[tuple[Edit, int, int]]:
        """The same for the first match of each pattern that begins in the first bytes of a text."""
        decoded = text.decode("utf-8", "surrogateescape")
        starts = range(len(text[:before].decode("utf-8", "surrogateescape")))
        for pattern, _ in self._own:
            places = _Offsets(decoded)
            matches = (match for at in starts if (match := pattern.compiled.match(decoded, at)) is not None)
            found = (_edit(pattern, match, places) for match in matches)
            yield from islice((f for f in found if f is not None), 1)

    def match_end(self, rule: str, text: bytes, at: int) -> int | None:
        """How many bytes of a text the pattern of a name matches from a place on; None where it does not match there."""
        before = text[:at].decode("utf-8", "surrogateescape")
        decoded = before + text[at:].decode("utf-8", "surrogateescape")
        match = self._by_name[rule].match(decoded, len(before))
        return None if match is None else len(match[0].encode("utf-8", "surrogateescape"))

    def clean(self, text: str) -> str:
        """A text without its secrets, also those that only show when others are removed."""
        data = text.encode("utf-8", "surrogatepass")
        for _ in range(ROUNDS):
            edits = self.edits(data)
            if not edits:
                return data.decode("utf-8", "surrogatepass")
            data = apply(data, edits)
        return "…"

    def has_value(self, text: bytes) -> bool:
        """Whether a given value stands in a text as it is."""
        return any(form in text for form, _ in self._needles.likely(text))

    def value_in(self, text: bytes) -> tuple[str, int] | None:
        """A given value that stands in a text as it is, and where; None if there is none."""
        found = ((name, text.find(form)) for form, name in self._needles.likely(text))
        return next(((name, at) for name, at in found if at >= 0), None)

    def has_direct(self, text: bytes) -> bool:
        """Whether a secret stands in a text as it is."""
        return self.has_value(text) or any(True for _ in self._by_form(text))

    def direct(self, text: bytes) -> Iterator[Edit]:
        """Where secrets stand in a text as they are."""
        yield from merged(self.values_in(text))
        yield from self._by_form(text)

    def may_have_form(self, text: bytes) -> bool:
        """Whether a pattern may match in a text as it is; false means that none does."""
        return bool(self._own) or (self._any_literal is not None and self._any_literal.search(text) is not None)

    def forms(self, text: bytes) -> list[Edit]:
        """What patterns match in a text as it is."""
        return merged(self._by_form(text))

    def _by_form(self, text: bytes) -> Iterator[Edit]:
        return (edit for edit, _, _ in self._matches(text, self._patterns))

    def _matches(self, text: bytes, patterns: list[tuple[Pattern, list[bytes]]]) -> Iterator[tuple[Edit, int, int]]:
        if len(text) < _SHORT and not self._own and (self._any_literal is None or not self._any_literal.search(text)):
            return  # for a short text quicker than a look for each
        decoded: str | None = None
        for pattern, literals in patterns:
            for literal in literals:
                if literal in text:
                    break
            else:
                if literals:
                    continue
            if decoded is None:
                decoded = text.decode("utf-8", "surrogateescape")
            places = _Offsets(decoded)
            for match in pattern.compiled.finditer(decoded):
                found = _edit(pattern, match, places)
                if found is not None:
                    yield found

    def runs(self, text: bytes) -> Iterator[Base64]:
        """What in a text may be base64, decoded."""
        return base64_runs(text, self._run, placeholder)


def _forms(text: str) -> list[bytes]:
    # in a query a space is written as a plus sign
    return [text.encode(), *([text.replace(" ", "+").encode()] if " " in text else [])]


class _Offsets:
    """Characters to bytes, for places that mostly rise."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._is_ascii = text.isascii()
        self._at = self._bytes = 0

    def of(self, at: int) -> int:
        """The offset in bytes of a character."""
        if self._is_ascii:
            return at
        low, high = min(at, self._at), max(at, self._at)
        size = len(self._text[low:high].encode("utf-8", "surrogateescape"))
        self._bytes += size if at >= self._at else -size
        self._at = at
        return self._bytes


def _edit(pattern: Pattern, match: re.Match[str], places: _Offsets) -> tuple[Edit, int, int] | None:
    """What a match asks for, and where it begins and ends as a whole; None where nothing but what redaction wrote is matched."""
    group = "secret" if "secret" in pattern.compiled.groupindex else 0
    start, end = match.span(group)
    if start >= end or PLACEHOLDERS.fullmatch(match[group]):
        return None
    edit = Edit(places.of(start), places.of(end), placeholder(pattern.name).encode(), (pattern.name,))
    if not group:
        return edit, edit.start, edit.end
    return edit, places.of(match.start()), places.of(match.end())


class _Walk:
    """One search: all texts within a text, each distinct one looked at once."""

    def __init__(self, search: Search, text: bytes) -> None:
        self._search = search
        self._left = _BUDGET * len(text) + _MINIMUM
        self._edits: dict[bytes, list[Edit]] = {}
        self._has: dict[bytes, bool] = {}

    def _spend(self, text: bytes) -> None:
        self._left -= len(text)
        if self._left < 0:
            raise RedactionError(
                "a text has so many encodings within one another that it cannot be searched to the end"
            )

    def has(self, text: bytes, level: int) -> bool:
        known = self._has.get(text)
        if known is None:
            self._has[text] = False
            known = self._has[text] = self._look(text, level)
        return known

    def _look(self, text: bytes, level: int) -> bool:
        self._spend(text)
        if self._search.has_direct(text):
            return True
        if any(self.has(layer.data, level + 1) for layer in _escaped(text, level)):
            return True
        # one look at all that is decoded; what parts the pieces is in no encoding
        for source in _unwrapped(text):
            decoded = all_decoded(source, self._search.bare_run)
            if decoded and self.has(decoded, level + 1):
                return True
        return False

    def edits(self, text: bytes, level: int) -> list[Edit]:
        known = self._edits.get(text)
        if known is not None:
            return known
        self._edits[text] = []
        # a text that was joined from pieces tells nothing of their edges
        if self._search.sees_edges or self.has(text, level):
            found = merged(self._found(text, level))
            self._edits[text] = within_json(text, found, lambda piece: self.edits(piece, level + 1)) if found else []
        return self._edits[text]

    def _found(self, text: bytes, level: int) -> Iterator[Edit]:
        self._spend(text)
        lifted = [e for layer in _escaped(text, level) for e in layer.lift(self.edits(layer.data, level + 1))]
        # what knows of the JSON that a place is in goes before what does not
        yield from (e for e in lifted if _OF_JSON.search(e.text))
        yield from self._search.direct(text)
        yield from lifted
        yield from self._in_runs(text, level)
        unwrapped = _without_breaks(text)
        if unwrapped is not None:
            yield from unwrapped.lift(merged(self._in_runs(unwrapped.data, level)))

    def _in_runs(self, text: bytes, level: int) -> Iterator[Edit]:
        for run in self._search.runs(text):
            inner = self.edits(run.data, level + 1)
            if inner:
                yield from run.lift(inner)


def _without_breaks(text: bytes) -> Spliced | None:
    layer = line_breaks(text) if b"\n" in text else None
    return layer if layer is not None and len(layer.data) < len(text) else None


def _unwrapped(text: bytes) -> Iterator[bytes]:
    yield text
    layer = _without_breaks(text)
    if layer is not None:
        yield layer.data


def _escaped(text: bytes, level: int) -> Iterator[Layer]:
    if level == _LEVELS:
        yield Saturated(text)
    if level >= _LEVELS:
        return
    for escape, make in ((b"\\", json_escapes), (b"%", percent), (b"&", entities)):
        if escape in text:
            layer = make(text)
            if layer.data != text:
                yield layer
