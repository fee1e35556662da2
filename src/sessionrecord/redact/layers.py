"""Texts within texts: what JSON escapes, percent-encoding and base64 hide, and the way back from there.

A layer shows part or all of a text decoded, and turns edits of what it shows into edits of the text that it was made from.
"""

from __future__ import annotations

import re
from base64 import b64encode
from binascii import a2b_base64
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from html import unescape
from typing import Final, Protocol
from urllib.parse import quote_from_bytes

import orjson

from sessionrecord.redact.edits import Edit, apply

__all__ = [
    "Base64",
    "Layer",
    "Saturated",
    "Spliced",
    "all_decoded",
    "base64_runs",
    "entities",
    "escapes_of",
    "is_text",
    "json_escapes",
    "line_breaks",
    "percent",
    "respelled",
    "within_escapes",
]

_JSON_ESCAPE: Final = re.compile(
    rb'\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|["\\/bfnrt])'
)
_PERCENT: Final = re.compile(rb"%[0-9a-fA-F]{2}")
_LINE_BREAK: Final = re.compile(rb"(?<=[A-Za-z0-9+/_-]{16})[ \t]*+\r?\n[ \t]*+(?=[A-Za-z0-9+/_=-])")
_ENTITY: Final = re.compile(rb"&(?:#(?:[0-9]{1,7}|[xX][0-9a-fA-F]{1,6})|[A-Za-z][A-Za-z0-9]{1,31});")
_SHORT: Final = {b'"': b'"', b"\\": b"\\", b"/": b"/", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t"}
_URL_SAFE: Final = bytes.maketrans(b"-_", b"+/")
_URL_SAFE_BACK: Final = bytes.maketrans(b"+/", b"-_")
_CONTROLS: Final = bytes(c for c in range(32) if c not in b"\t\n\r\f\x1b")
_FILL: Final = (b"AAAA", b"AAAAAAA", b"AAAAAA", b"AAAAA")
"""What makes a run, by its length modulo 4, whole groups and ends it with NULs."""
_ENDS: Final = 48
"""Bytes at the ends of what base64 decodes to that need not be text: 64 characters of a path before it, or behind."""
_MARKS: Final = (b"/", b"+", b"-", b"_")
_PART: Final = re.compile(rb"([^A-Za-z0-9]+)")
_WORD: Final = re.compile(rb"[A-Z]?[a-z]{2,}(?:[A-Z][a-z]+)*[0-9]{0,8}")
_SHORT_ENDS: Final = frozenset(b'"\\/bfnrt')
_HEX: Final = frozenset(b"0123456789abcdefABCDEF")


class Layer(Protocol):
    """What is seen of a text through one encoding."""

    @property
    def data(self) -> bytes:
        """The text decoded."""
        ...

    def lift(self, edits: list[Edit]) -> list[Edit]:
        """Edits of the decoded text as edits of the text that it was made from."""
        ...


class Spliced:
    """A text of which some pieces are decoded and the others stay; most encodings leave most of a text as it is."""

    def __init__(
        self,
        text: bytes,
        piece: re.Pattern[bytes],
        decoded: Callable[[bytes], bytes],
        encoded: Callable[[bytes], bytes] = bytes,
    ) -> None:
        self._text = text
        self._piece = piece
        self._decoded = decoded
        self._encoded = encoded
        self.data = piece.sub(lambda m: decoded(m[0]), text)
        self._places: _Places | None = None

    def lift(self, edits: list[Edit]) -> list[Edit]:
        """Edits of the decoded text as edits of the text; one that touches a decoded piece takes all of it."""
        if self._places is None:
            self._places = _Places()
            for match in self._piece.finditer(self._text):
                decoded = self._decoded(match[0])
                if decoded != match[0]:
                    self._places.add(match.start(), match.end(), len(decoded))
        return self._places.lift(edits, self._encoded)


class _Places:
    """Where the pieces of a decoded text stand in the text that it was made from."""

    def __init__(self) -> None:
        self._start: list[int] = []
        self._end: list[int] = []
        self._shown: list[int] = []
        self._shown_end: list[int] = []

    def add(self, start: int, end: int, length: int) -> None:
        """A piece, behind all others: where it stands, and how long it is decoded."""
        shown = self._shown_end[-1] + start - self._end[-1] if self._end else start
        self._start.append(start)
        self._end.append(end)
        self._shown.append(shown)
        self._shown_end.append(shown + length)

    def lift(self, edits: list[Edit], encoded: Callable[[bytes], bytes]) -> list[Edit]:
        return [Edit(self._from(e.start), self._to(e.end), encoded(e.text), e.rules) for e in edits]

    def _from(self, at: int) -> int:
        i = bisect_right(self._shown, at) - 1
        if i < 0:
            return at
        return self._start[i] if at < self._shown_end[i] else self._end[i] + at - self._shown_end[i]

    def _to(self, at: int) -> int:
        i = bisect_left(self._shown, at) - 1
        if i < 0:
            return at
        return self._end[i] + max(0, at - self._shown_end[i])


def json_escapes(text: bytes) -> Spliced:
    """The text with JSON's escapes resolved, once. What is put into it is escaped."""
    return Spliced(text, _JSON_ESCAPE, _unescaped, lambda t: t.replace(b"\\", b"\\\\").replace(b'"', b'\\"'))


def _unescaped(escape: bytes) -> bytes:
    short = _SHORT.get(escape[1:2])
    if short is not None:
        return short
    if len(escape) == 12:
        high, low = int(escape[2:6], 16), int(escape[8:], 16)
        return chr(0x10000 + ((high - 0xD800) << 10) + low - 0xDC00).encode()
    return chr(int(escape[2:], 16)).encode("utf-8", "surrogatepass")


def escapes_of(text: bytes) -> list[tuple[int, int]]:
    """Where JSON's escapes stand in a text."""
    return [match.span() for match in _JSON_ESCAPE.finditer(text)]


def within_escapes(escapes: list[tuple[int, int]], start: int, end: int) -> tuple[int, int]:
    """A piece of a text, made longer where it begins or ends in the middle of an escape."""
    for i in {bisect_right(escapes, (at, at)) - 1 for at in (start, end)}:
        if i >= 0:
            a, b = escapes[i]
            start = a if a < start < b else start
            end = b if a < end < b else end
    return start, end


def respelled(escape: bytes) -> bytes | None:
    """Another way to write what an escape of JSON stands for; None if there is none."""
    if len(escape) == 2:
        return b"\\u%04x" % ord(_SHORT[escape[1:]])
    with suppress(UnicodeDecodeError):  # half of a surrogate pair has only this spelling
        new: bytes = orjson.dumps(_unescaped(escape).decode())[1:-1]
        if new != escape.lower():
            return new
    new = b"\\u" + escape[2:].swapcase()
    return None if new == escape else new


def percent(text: bytes) -> Spliced:
    """The text with percent-encoding (RFC 3986, section 2.1) resolved, once. What is put into it is percent-encoded."""
    return Spliced(text, _PERCENT, lambda e: bytes((int(e[1:], 16),)), lambda t: quote_from_bytes(t, "").encode())


def entities(text: bytes) -> Spliced:
    """The text with the character references of HTML resolved, once: named ones and those by number, closed by a semicolon."""
    return Spliced(text, _ENTITY, lambda e: unescape(e.decode()).encode(), lambda t: t.replace(b'"', b"&quot;"))


def line_breaks(text: bytes) -> Spliced:
    """The text without the line breaks that wrapped base64 has."""
    return Spliced(text, _LINE_BREAK, lambda _: b"")


class Saturated:
    """The text with JSON's escapes and percent-encoding resolved until nothing is left to resolve. Takes linear time."""

    def __init__(self, text: bytes) -> None:
        out, starts, ends = bytearray(), list[int](), list[int]()
        depths: list[int] = []  # how often each byte was decoded
        near = -1  # up to which length of `out` an escape may end
        for at, byte in enumerate(text):
            out.append(byte)
            starts.append(at)
            ends.append(at + 1)
            depths.append(0)
            if byte == 0x5C or byte == 0x25:
                near = len(out) + 5
            while len(out) <= near and (length := _escape_length(out)):
                # a backslash does not escape one that was decoded less often: that begins the next escape
                if out[-2:] == b"\\\\" and depths[-2] > depths[-1]:
                    break
                escape = bytes(out[-length:])
                decoded = bytes((int(escape[1:], 16),)) if escape[:1] == b"%" else _unescaped(escape)
                start, depth = starts[-length], max(depths[-length:]) + 1
                del out[-length:], starts[-length:], ends[-length:], depths[-length:]
                out += decoded
                near = len(out) + 5
                starts += [start] * len(decoded)
                ends += [at + 1] * len(decoded)
                depths += [depth] * len(decoded)
        self.data = bytes(out)
        self._starts = starts
        self._ends = ends

    def lift(self, edits: list[Edit]) -> list[Edit]:
        """Edits of the decoded text as edits of the text."""
        # how deep a quote would have to be escaped is not known
        return [Edit(self._starts[e.start], self._ends[e.end - 1], e.text.replace(b'"', b""), e.rules) for e in edits]


def _escape_length(out: bytearray) -> int:
    """How many bytes at the end of `out` are an escape; 0 if none is."""
    last = out[-1]
    if last in _SHORT_ENDS and out[-2:-1] == b"\\":
        return 2
    if last in _HEX:
        if len(out) > 2 and out[-3] == 0x25 and out[-2] in _HEX:
            return 3
        if len(out) > 5 and out[-6] == 0x5C and out[-5] == 0x75 and all(c in _HEX for c in out[-4:]):
            return 6
    return 0


def is_text(data: bytes) -> bool:
    """Whether bytes are UTF-8 text without controls."""
    if len(data.translate(None, _CONTROLS)) != len(data):
        return False
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _without_ends(data: bytes) -> bytes:
    """What base64 decodes to without what words before and behind it may have become part of, and no character cut in two."""
    return _whole_characters(data[_ENDS:-_ENDS])


def _whole_characters(data: bytes) -> bytes:
    return re.sub(rb"\A[\x80-\xbf]{1,3}|[\xc0-\xff][\x80-\xbf]{0,2}\Z", b"", data)


def _words(pieces: Iterable[bytes]) -> int:
    """How much of the beginning of a run is words, such as a path's, and no base64 of bytes: in that words are rare and short.

    `pieces` are the run's, words and what parts them in turn. Each word counts for it and each other piece against it, by its length.
    """
    at = best = score = most = 0
    for n, piece in enumerate(pieces):
        if n % 2:
            best += len(piece) if best == at > 0 else 0
        else:
            score += len(piece) if _WORD.fullmatch(piece) else -len(piece)
            if score > most:
                most, best = score, at + len(piece)
        at += len(piece)
    return best


class Base64:
    """A run of base64 decoded from one of its first four characters on, as what precedes base64 may look like a part of it."""

    def __init__(self, run: bytes, start: int, skip: int, data: bytes, placeholder: Callable[[str], str]) -> None:
        self._run = run
        self._start = start
        self._skip = skip
        self._placeholder = placeholder
        self.data = data

    def lift(self, edits: list[Edit]) -> list[Edit]:
        """Text is edited and encoded again, in the same alphabet and with padding if it had any; of binary data all is removed.

        Where the run is not exactly what encoding its bytes gives, as words of base64's alphabet stand before or behind it, only the groups
        of characters around the edits are replaced; of binary data all from the first whole group on.
        """
        rules = _rules(edits)
        bare = self._run.rstrip(b"=")
        padded = len(bare) < len(self._run)
        start, end = self._start + self._skip, self._start + len(self._run)
        is_exact = self._skip == 0 and self._encoded(self.data, padded) == self._run
        if is_exact and is_text(self.data):
            text = self._encoded(apply(self.data, edits), padded or len(bare) % 4 == 0)
            return [Edit(start, end, text, rules)]
        middle = _without_ends(self.data)
        groups = list(_grouped(edits))
        if (is_text(middle) and (middle or not is_exact)) or self._is_amid_words(groups):
            return [self._local(group, padded) for group in groups]
        # the words of a path before it and behind it stay
        first, last = self._characters(groups[0])[0], self._characters(groups[-1])[1]
        start = max(start, self._start + _words(_PART.split(self._run[:first])))
        end -= _words(_reversed(self._run[last:]))
        return [Edit(start, end, self._placeholder(rules[0]).encode(), rules)]

    def _characters(self, group: list[Edit]) -> tuple[int, int]:
        """The piece of the run that edits touch, in whole groups of characters."""
        end = self._skip + -(-group[-1].end // 3) * 4
        return self._skip + group[0].start // 3 * 4, min(end, len(self._run))

    def _is_amid_words(self, groups: list[list[Edit]]) -> bool:
        """Whether around each edit is text as far as the next slash, hyphen or other end of a word, and elsewhere are words, or little."""
        at = 0
        for group in groups:
            first, last = self._characters(group)
            if last <= at:
                continue
            before = max(self._run.rfind(mark, at, first) for mark in _MARKS) + 1
            begin = max(before, at)
            found = _PART.search(self._run, last)
            end = found.start() if found else len(self._run)
            # what is decoded is in whole groups
            text = self.data[-(-(begin - self._skip) // 4) * 3 : max(0, end - self._skip) // 4 * 3 if found else None]
            if not is_text(_whole_characters(text)) or not _is_words(self._run[at:begin]):
                return False
            at = end
        return _is_words(self._run[at:])

    def _local(self, edits: list[Edit], padded: bool) -> Edit:
        start, end = edits[0].start // 3 * 3, -(-edits[-1].end // 3) * 3
        at = self._start + self._skip + start // 3 * 4
        if end >= len(self.data):
            new = apply(self.data[start:], [e.moved(-start) for e in edits])
            return Edit(at, self._start + len(self._run), self._encoded(new, padded), _rules(edits))
        # filled up to whole groups, so that what follows stays where it is
        length = end - start + sum(len(e.text) - (e.end - e.start) for e in edits)
        first = edits[0]
        text = first.text.removesuffix(b"]")
        text += b" " * (-length % 3) + first.text[len(text) :]
        filled = [Edit(first.start, first.end, text, first.rules), *edits[1:]]
        new = apply(self.data[start:end], [e.moved(-start) for e in filled])
        return Edit(at, self._start + self._skip + end // 3 * 4, self._encoded(new, False), _rules(edits))

    @property
    def _is_url_safe(self) -> bool:
        return (b"-" in self._run or b"_" in self._run) and not (b"+" in self._run or b"/" in self._run)

    def _encoded(self, data: bytes, padded: bool) -> bytes:
        text = b64encode(data)
        if self._is_url_safe:
            text = text.translate(_URL_SAFE_BACK)
        return text if padded else text.rstrip(b"=")


def _is_words(piece: bytes) -> bool:
    """Whether a piece of a run is words for the most part, or too little to be anything."""
    return (
        len(piece) <= _ENDS // 3 * 4 or sum(len(w) for w in _PART.split(piece) if _WORD.fullmatch(w)) > len(piece) // 2
    )


def _reversed(piece: bytes) -> Iterator[bytes]:
    return reversed(_PART.split(piece))


def _rules(edits: list[Edit]) -> tuple[str, ...]:
    return tuple(name for e in edits for name in e.rules)


def _grouped(edits: list[Edit]) -> Iterator[list[Edit]]:
    """Edits that touch one group of three bytes, together."""
    group: list[Edit] = []
    for edit in edits:
        if group and edit.start // 3 * 3 >= -(-group[-1].end // 3) * 3:
            yield group
            group = []
        group.append(edit)
    if group:
        yield group


def base64_runs(text: bytes, run: re.Pattern[bytes], placeholder: Callable[[str], str]) -> Iterator[Base64]:
    """Every run of base64 in a text, decoded from each of its first four characters on."""
    for match in run.finditer(text):
        bare = match[0].rstrip(b"=").translate(_URL_SAFE)
        for skip in range(4):
            body = bare[skip : len(bare) - ((len(bare) - skip) % 4 == 1)]
            data = a2b_base64(body + b"=" * (-len(body) % 4))
            if data:
                yield Base64(match[0], match.start(), skip, data, placeholder)


def all_decoded(text: bytes, bare_run: re.Pattern[bytes]) -> bytes:
    """What `base64_runs` gives, as one text with NULs between: one call decodes it all. `bare_run` matches the standard alphabet."""
    pieces: list[bytes] = []
    for run in bare_run.findall(text.translate(_URL_SAFE)):
        length = len(run)
        pieces += (run, _FILL[length % 4], run[1:], _FILL[(length - 1) % 4])
        pieces += (run[2:], _FILL[(length - 2) % 4], run[3:], _FILL[(length - 3) % 4])
    return a2b_base64(b"".join(pieces))
