"""A secret at fifty places: gone, the stream valid, and everything else as it was. The places are named, so that each can fail alone."""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import quote

import pytest

from sessionrecord import Session
from sessionrecord.redact import RedactionRules, redact
from tests.redact.naive import is_in_stream
from tests.redact.samples import HEADER, line, numbered, source_of

SECRET = 's3cr"et\\p@ss é/+'
MARK = "[redacted:value-1]"
RULES = RedactionRules([SECRET])

Record = dict[str, Any]


def nested(value: str, times: int) -> str:
    """JSON in a string of JSON in a string of JSON."""
    for _ in range(times):
        value = json.dumps({"inner": value})
    return value


def b64(value: str) -> str:
    return base64.b64encode(value.encode()).decode()


def url64(value: str) -> str:
    return base64.urlsafe_b64encode(b"\xc3\xbf\xc3\xbe" + value.encode()).decode()


def percent(value: str) -> str:
    return quote(value, safe="")


def msg(*content: Record, **more: Any) -> Record:
    return {"type": "message", "messageId": "m", "role": "user", "content": list(content), **more}


def txt(value: str) -> Record:
    return {"type": "text", "text": value}


def call(arguments: Any, **more: Any) -> Record:
    return {"type": "tool_call", "callId": "c", "name": "run", "arguments": arguments, **more}


def result(**members: Any) -> Record:
    return {"type": "tool_result", "callId": "c", **members}


def native(value: Any) -> Record:
    return {"type": "native_line", "harness": "h", "nativeType": "n", "value": value}


# Each makes a record around a text. Around the placeholder it makes what has to come out.
PLACES: dict[str, Callable[[str], Record]] = {
    "text of a message": lambda s: msg(txt(f"the key is {s}.")),
    "text, twice": lambda s: msg(txt(f"{s} and {s}")),
    "text, amid letters": lambda s: msg(txt(f"key{s}key")),
    "second block": lambda s: msg(txt("see"), txt(s)),
    "reasoning": lambda s: msg({"type": "reasoning", "text": s}),
    "unknown block": lambda s: msg({"type": "widget", "state": {"title": [s]}}),
    "unknown member of a known block": lambda s: msg({"type": "text", "text": "x", "note": s}),
    "name in an unknown block": lambda s: msg({"type": "widget", s: 1}),
    "diff": lambda s: msg({"type": "diff", "path": "a", "oldText": s, "newText": f"+{s}"}),
    "resource link": lambda s: msg({"type": "resource_link", "uri": "file:///a", "name": s}),
    "arguments, a string": lambda s: call(s),
    "arguments, nine deep": lambda s: call([[[[[[[[[s]]]]]]]]]),
    "name in arguments": lambda s: call({s: True}),
    "name and value in arguments": lambda s: call({"env": {f"X_{s}": s}}),
    "command line": lambda s: call({"command": f"curl -H 'X-Key: {s}' https://example.com"}),
    "JSON in a string": lambda s: call({"body": json.dumps({"key": s})}),
    "JSON in a string, twice": lambda s: call({"body": nested(s, 2)}),
    "JSON in a string, five times": lambda s: call({"body": nested(s, 5)}),
    "name in JSON in a string": lambda s: call({"body": json.dumps({s: 1})}),
    "JSON in a string, cut off": lambda s: call({"body": json.dumps({"key": s})[:-1]}),
    "JSON lines in a string": lambda s: call({"body": json.dumps({"a": s}) + "\n" + json.dumps({"b": s})}),
    "base64": lambda s: call({"data": b64(s)}),
    "base64, one byte before": lambda s: call({"data": b64(f"a{s}")}),
    "base64, two bytes before": lambda s: call({"data": b64(f"ab{s} and more")}),
    "base64 without padding": lambda s: call({"data": b64(s).rstrip("=")}),
    "base64, URL-safe": lambda s: call({"data": url64(s)}),
    "base64 in words": lambda s: call({"cmd": f"echo {b64(s)} | base64 -d"}),
    "base64 of base64": lambda s: call({"data": b64(b64(s))}),
    "base64 of JSON": lambda s: call({"data": b64(json.dumps({"k": [s]}))}),
    "JSON with base64 in a string": lambda s: call({"body": json.dumps({"d": b64(s)})}),
    "percent-encoded": lambda s: call({"url": f"https://example.com/?q={percent(s)}&x=1"}),
    "percent-encoded twice": lambda s: call({"url": f"https://example.com/?q={percent(percent(s))}"}),
    "percent-encoded JSON": lambda s: call({"url": f"https://example.com/?q={percent(json.dumps([s]))}"}),
    "HTML": lambda s: call({"page": f"<b>{html.escape(s)}</b> &amp; &nosuchname; &"}),
    "HTML in JSON in a string": lambda s: call({"page": json.dumps({"p": f"&lt;{html.escape(s)}&gt;"})}),
    "data URL, base64": lambda s: call({"src": f"data:text/plain;base64,{b64(s)}"}),
    "data URL, percent-encoded": lambda s: call({"src": f"data:,{percent(s)}"}),
    "title of a call": lambda s: call({}, title=s),
    "path of a location": lambda s: call({}, locations=[{"path": s}]),
    "content of a result": lambda s: result(content=[txt(s)]),
    "structured result": lambda s: result(structured={"rows": [[1, s]]}),
    "error of a result": lambda s: result(error={"message": s}),
    "text file as base64": lambda s: result(content=[{"type": "file", "mimeType": "text/plain", "data": b64(s)}]),
    "file by URI": lambda s: result(content=[{"type": "file", "mimeType": "text/plain", "uri": f"https://h/{percent(s)}"}]),
    "summary of a compaction": lambda s: {"type": "compaction", "compactionId": "k", "summary": [txt(s)]},
    "output of a terminal": lambda s: {"type": "terminal", "terminalId": "t", "command": "env", "output": f"KEY={s}\n"},
    "patch": lambda s: {"type": "file_change", "path": "a", "patch": f"+{s}"},
    "memory": lambda s: {"type": "memory_write", "memoryId": "y", "content": [txt(s)]},
    "unknown member of a record": lambda s: msg(txt("x"), **{"x-debug": {"env": s}}),
    "name of a member of a record": lambda s: msg(txt("x"), **{f"x-{s}": 1}),
    "unknown record": lambda s: {"type": "toy.event", "payload": [s]},
    "native line": lambda s: native({"line": {"deep": json.dumps([s])}}),
    "reason of a capture state": lambda s: msg(capture={"content": {"state": "truncated", "reason": s}}),
    "timestamp in an unknown form": lambda s: native({"timestamp": s}),
}  # fmt: skip

# What comes out differs from what stands around the placeholder: the placeholder needs no escapes, and takes a split secret's first place.
OTHERS: dict[str, tuple[Record, Record]] = {
    "unicode escapes": (
        call({"body": '{"k":"' + "".join(f"\\u{ord(c):04x}" for c in SECRET) + '"}'}),
        call({"body": f'{{"k":"{MARK}"}}'}),
    ),
    "split over two blocks": (
        msg(txt(f"a{SECRET[:5]}"), txt(f"{SECRET[5:]}b")),
        msg(txt(f"a{MARK}"), txt("b")),
    ),
    "split over three blocks, a picture between": (
        msg(txt(SECRET[:4]), {"type": "image", "mimeType": "a/b", "uri": "u"}, txt(SECRET[4:7]), txt(SECRET[7:])),
        msg(txt(MARK), {"type": "image", "mimeType": "a/b", "uri": "u"}, txt(""), txt("")),
    ),
    "split over the items of a list": (call(["x", SECRET[:6], SECRET[6:]]), call(["x", MARK, ""])),
    "within a picture": (
        msg({"type": "image", "mimeType": "image/png", "data": base64.b64encode(b"\x89PNG\0\xff" + SECRET.encode()).decode(), "name": "p"}),
        msg({"type": "image", "mimeType": "image/png", "name": "p"}),
    ),
}  # fmt: skip

UNTOUCHED = call({"n": 1.50, "s": 'nothing here: YWJjZGVm %41 \\u0041 "', "unknown": [None, True, {"a": {}}]}, odd="x")
CASES = {**{name: (make(SECRET), make(MARK)) for name, make in PLACES.items()}, **OTHERS}


def test_there_are_fifty_places() -> None:
    assert len(CASES) >= 50


def header_after(count: int) -> Record:
    losses = [{"kind": "secret", "stage": "redaction", "count": count, "explanation": f"value-1 {count}"}]
    return {**HEADER, "contentLevel": "redacted", "losses": losses}


def without_new_states(record: Record, before: Record) -> Record:
    """The record without the capture states that it did not have; each has to say `redacted` and a count."""
    states = dict(record.get("capture", {}))
    for name in [n for n in states if n not in before.get("capture", {}) or n == "capture"]:
        state = states.pop(name)
        assert state["state"] == "redacted"
        assert state["count"] >= 1
        assert state["reason"] == f"removed: value-1 {state['count']}"
    record = {k: v for k, v in record.items() if k != "capture"}
    return {**record, "capture": states} if states else record


@pytest.mark.parametrize("name", CASES)
def test_a_secret_is_gone_from_each_place_and_nothing_else_is(name: str) -> None:
    before, after = CASES[name]
    source = b"".join(map(line, numbered(UNTOUCHED, before, UNTOUCHED)))
    assert is_in_stream(SECRET, source)
    made = redact(Session.read(source), RULES)
    out = source_of(made.session)
    assert not is_in_stream(SECRET, out)
    lines_before, lines = source.splitlines(), out.splitlines()
    assert len(lines) == len(lines_before)
    assert (lines[1], lines[3]) == (lines_before[1], lines_before[3])
    assert json.loads(lines[0]) == {"type": "session", "seq": 1, "id": "r1", **header_after(made.report.count)}
    record = json.loads(lines[2])
    assert "capture" in record
    assert without_new_states(record, before) == {"type": before["type"], "seq": 3, "id": "r3", **after}
    assert made.session.diagnostics == []


def all_places() -> Iterator[Record]:
    for before, _ in CASES.values():
        yield before
        yield UNTOUCHED


def test_a_secret_at_all_places_at_once_is_gone_and_the_stream_is_as_valid_as_before() -> None:
    source = b"".join(map(line, numbered(*all_places())))
    session = Session.read(source)
    made = redact(session, RULES)
    out = source_of(made.session)
    assert not is_in_stream(SECRET, out)
    assert {(d.code, d.line) for d in made.session.diagnostics} <= {(d.code, d.line) for d in session.diagnostics}
    assert made.report.changed == len(CASES)
    assert made.report.unmarked == ()
    kept = [(a, b) for a, b in zip(source.splitlines(), out.splitlines(), strict=True) if a == b]
    assert len(kept) == len(CASES)  # the untouched ones


def test_redaction_twice_is_redaction_once() -> None:
    once = redact(Session.read(b"".join(map(line, numbered(*all_places())))), RULES)
    twice = redact(once.session, RULES)
    assert source_of(twice.session) == source_of(once.session)
    assert twice.report.removals == ()
