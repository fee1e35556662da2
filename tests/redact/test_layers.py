"""Encodings and the way back through them: an edit of what is decoded is that edit of what was encoded."""

from __future__ import annotations

import base64
import html
import json
import re
from random import Random
from urllib.parse import quote, unquote_to_bytes

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sessionrecord.errors import RedactionError
from sessionrecord.redact import RedactionRules
from sessionrecord.redact.edits import Edit, apply, merged
from sessionrecord.redact.layers import (
    Saturated,
    all_decoded,
    base64_runs,
    entities,
    json_escapes,
    line_breaks,
    percent,
)
from sessionrecord.redact.search import Search
from tests.redact.samples import message, redacted, stream, text
from tests.strategies import texts

RUN = re.compile(rb"[A-Za-z0-9+/_-]{6,}={0,2}")


def mark(name: str) -> str:
    return f"[{name}]"


def only(data: bytes, piece: bytes) -> Edit:
    at = data.index(piece)
    return Edit(at, at + len(piece), b"[x]", ("x",))


@given(texts(), texts(1), texts(), st.booleans())
def test_an_edit_within_json_escapes_is_the_edit_of_the_text(
    before: str, piece: str, after: str, ascii_only: bool
) -> None:
    encoded = json.dumps(before + piece + after, ensure_ascii=ascii_only)[1:-1].encode()
    layer = json_escapes(encoded)
    assert layer.data == (before + piece + after).encode()
    at = len(before.encode())
    edits = layer.lift([Edit(at, at + len(piece.encode()), b"[x]", ("x",))])
    assert json.loads(b'"%s"' % apply(encoded, edits)) == before + "[x]" + after


@given(texts(), texts(1), texts(), st.sampled_from(["", "/", "abcdefgh"]))
def test_an_edit_within_percent_encoding_is_the_edit_of_the_text(
    before: str, piece: str, after: str, safe: str
) -> None:
    encoded = quote(before + piece + after, safe=safe).encode()
    layer = percent(encoded)
    at = len(before.encode())
    edits = layer.lift([Edit(at, at + len(piece.encode()), b"[x]", ("x",))])
    assert unquote_to_bytes(apply(encoded, edits)).decode() == before + "[x]" + after
    assert b"[" not in apply(b"", [Edit(0, 0, e.text, ()) for e in edits])


@given(texts(), texts(1), texts(), st.booleans())
def test_an_edit_within_html_is_the_edit_of_the_text(before: str, piece: str, after: str, by_name: bool) -> None:
    def encode(value: str) -> bytes:
        return (html.escape(value) if by_name else "".join(f"&#{ord(c)};" for c in value)).encode()

    assume(by_name or all(html.unescape(f"&#{ord(c)};") == c for c in before + piece + after))
    encoded = encode(before + piece + after)
    layer = entities(encoded)
    assert layer.data == (before + piece + after).encode()
    at = len(before.encode())
    edits = layer.lift([Edit(at, at + len(piece.encode()), b"[x]", ("x",))])
    assert apply(encoded, edits) == encode(before) + b"[x]" + encode(after)


def test_what_only_looks_like_html_stays_as_it_is() -> None:
    data = b"a&hunter2;b &nosuchname; a && b &#; &#xyz; ?a=1&b=2"
    layer = entities(data)
    assert layer.data == data
    assert apply(data, layer.lift([only(data, b"hunter2")])) == data.replace(b"hunter2", b"[x]")


PICTURE = b"\x89PNG\r\n\0\xff" + bytes(range(256)) + b"hunter2" + bytes(range(255))


@pytest.mark.parametrize("skip", range(4))
@pytest.mark.parametrize("before", ["", "https://h/img/", "pic-", "/", "x", "ab/"])
@pytest.mark.parametrize("after", ["", "/b", "B"])
def test_no_picture_survives_with_a_hole_in_it(before: str, after: str, skip: int) -> None:
    """Whatever letters stand before its base64 or behind, of binary data nothing behind the secret's surroundings is kept."""
    encoded = base64.b64encode(PICTURE[:-skip] if skip else PICTURE).decode()
    out, _ = redacted(stream({"type": "odd", "s": before + encoded + after}), RedactionRules(["hunter2"]))
    left = json.loads(out.splitlines()[1])["s"]
    assert before.startswith(left.partition("[")[0][:-3]) or before == ""
    assert len(left) < len(before + after) + 30
    assert not any(encoded[i : i + 8] in left for i in range(4, len(encoded) - 8))


@pytest.mark.parametrize("before", ["/a/", "https://host/some/path/to/", "x", "ab"])
def test_base64_of_text_keeps_what_stands_around(before: str) -> None:
    encoded = base64.b64encode(
        ("é words before, and after " * 30 + "hunter2" + " and é words after" * 30).encode()
    ).decode()
    out, _ = redacted(stream({"type": "odd", "s": f"{before}{encoded}/b"}), RedactionRules(["hunter2"]))
    left = json.loads(out.splitlines()[1])["s"]
    assert left.startswith(before + encoded[:40])
    assert left.endswith(encoded[-40:] + "/b")


@given(
    st.binary(max_size=9),
    st.binary(min_size=6, max_size=9),
    st.binary(max_size=9),
    st.booleans(),
    st.booleans(),
    st.integers(0, 3),
)
def test_an_edit_within_base64_keeps_what_stands_around(
    before: bytes, piece: bytes, after: bytes, url_safe: bool, padded: bool, skip: int
) -> None:
    data = before + b"\0" + piece + after
    run = (base64.urlsafe_b64encode if url_safe else base64.b64encode)(data)
    run = b"+_/-"[:skip] + (run if padded else run.rstrip(b"="))
    layer = next(r for r in base64_runs(run, RUN, mark) if r.data == data)
    at = len(before) + 1
    edit = layer.lift([Edit(at, at + len(piece), b"[x]", ("x",))])
    out = apply(run, edit)
    if b"[x]" not in out:  # not replaced whole
        again = next(r.data for r in list(base64_runs(out, RUN, mark))[skip:])
        assert re.fullmatch(re.escape(before + b"\0") + rb"\[x {0,2}\]" + re.escape(after), again)


@given(st.text(st.characters(codec="ascii"), max_size=60), st.text("ABCDEFGHabcdefgh0123+/_-= .", max_size=60))
def test_decoding_all_at_once_gives_what_decoding_each_gives(a: str, b: str) -> None:
    text = (a + b).encode()
    bare = re.compile(rb"[A-Za-z0-9+/]{6,}")
    at_once = all_decoded(text, bare)
    assert all(run.data in at_once for run in base64_runs(text, RUN, mark))


@given(texts(max_size=6), st.integers(1, 6), st.lists(st.booleans(), max_size=6))
def test_what_is_escaped_any_number_of_times_is_resolved_alike(value: str, times: int, ways: list[bool]) -> None:
    """The text with everything resolved does not depend on how often it was escaped."""
    encoded = value
    for _ in range(times):
        encoded = json.dumps(encoded)[1:-1]
    for way in ways:
        encoded = quote(encoded, safe="") if way else "".join(f"\\u{ord(c):04x}" for c in encoded)[:100_000]
        if len(encoded) > 5000:
            return
    if any(ord(c) >= 0xD800 for c in value):
        return
    assert Saturated(encoded.encode()).data == Saturated(value.encode()).data


def test_an_edit_of_what_is_resolved_at_once_takes_all_of_its_escapes() -> None:
    encoded = b"a\\\\u0062%2563d"
    layer = Saturated(encoded)
    assert layer.data == b"abcd"
    assert apply(encoded, layer.lift([only(layer.data, b"bc")])) == b"a[x]d"


def test_line_breaks_are_taken_out_of_base64_only() -> None:
    wrapped = base64.encodebytes(b"some bytes that fill more than one line of base64" * 3)
    assert line_breaks(b"a\nb " + wrapped).data == b"a\nb " + wrapped.replace(b"\n", b"")[: -0 or None] + b"\n"


def test_overlapping_edits_become_one() -> None:
    edits = [Edit(4, 8, b"b", ("b",)), Edit(0, 5, b"a", ("a",)), Edit(1, 3, b"c", ("c",)), Edit(8, 9, b"d", ("d",))]
    assert merged(edits) == [Edit(0, 8, b"a", ("a",)), Edit(8, 9, b"d", ("d",))]


def test_a_secret_escaped_more_often_than_anyone_would_is_found() -> None:
    value = 'ab"cd\\ef'
    for times in (1, 5, 12, 13, 14):
        encoded = value
        for _ in range(times):
            encoded = json.dumps(encoded)[1:-1]
        data = encoded.encode()
        edits = Search(RedactionRules([value])).edits(b"x" + data + b"y")
        assert apply(b"x" + data + b"y", edits) == b"x[redacted:value-1]y", times


def test_a_text_that_cannot_be_searched_to_the_end_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sessionrecord.redact.search._BUDGET", 0)
    monkeypatch.setattr("sessionrecord.redact.search._MINIMUM", 100)
    with pytest.raises(RedactionError, match=r"^line 2: a text has so many encodings within one another"):
        redacted(stream(message(text("%41" * 50))), RedactionRules(["never-there"]))


words = st.lists(st.text("abcdefghijklmnopqrstuvwxyz", min_size=3, max_size=12), min_size=1, max_size=12)


@settings(max_examples=200, deadline=None)
@given(words, words, st.text("ab c", max_size=6), st.sampled_from(["/", "\n/usr/share/"]), st.sampled_from("xyz"))
def test_the_words_of_a_path_around_base64_stay(
    before: list[str], behind: list[str], inner: str, between: str, letter: str
) -> None:
    """They are of base64's alphabet, and of a list of paths the lines may be those of base64."""
    coded = base64.b64encode(f"{inner}hunter2{inner}".encode()).decode()
    for shift in range(4):
        head, tail = f"{letter * shift}/{between.join(before)}/", "/" + between.join(behind)
        out, made = redacted(stream({"type": "odd", "s": head + coded + tail}), RedactionRules(["hunter2"], ()))
        new = json.loads(out.splitlines()[1])["s"]
        assert new.startswith(head)
        assert new.endswith(tail)
        assert made.report.count == 1
        assert "[redacted:value-1" in base64.b64decode(new[len(head) : -len(tail)] + "==").decode("utf-8", "replace")


@settings(max_examples=100, deadline=None)
@given(words, st.randoms(use_true_random=False), st.integers(64, 4000), st.integers(64, 4000))
def test_of_a_picture_nothing_stays_and_of_the_path_that_it_is_in_the_words(
    before: list[str], random: Random, size: int, rest: int
) -> None:
    picture = b"\x89PNG\r\n\x1a\n" + random.randbytes(size) + b"hunter2" + random.randbytes(rest)
    head, coded = "/".join(before) + "/", base64.b64encode(picture).decode()
    out, _ = redacted(stream({"type": "odd", "s": head + coded}), RedactionRules(["hunter2"], ()))
    left, mark, right = json.loads(out.splitlines()[1])["s"].partition("[redacted:value-1]")
    assert mark
    assert left.startswith(head)
    assert len(left + right) < len(head) + 64  # what the picture's characters may have of words by chance
