"""A secret, wherever it is put and however it is encoded, is gone; checked by a search that shares nothing with ours."""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sessionrecord import Session
from sessionrecord.errors import RedactionError
from sessionrecord.redact import RedactionRules, redact
from tests.redact.naive import is_in_stream
from tests.redact.samples import message, source_of, stream, text

Encode = Callable[[str], str]


def _u_escaped(value: str) -> str:
    units = value.encode("utf-16-be")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02X}" for i in range(0, len(units), 2))


ENCODINGS: dict[str, Encode] = {
    "as it is": lambda t: t,
    "json": lambda t: json.dumps({"k": [t]}),
    "json, not ASCII": lambda t: json.dumps({t: 1}, ensure_ascii=False),
    "json escapes": lambda t: json.dumps(t)[1:-1],
    "unicode escapes": _u_escaped,
    "percent": lambda t: f"https://host/p?q={quote(t, safe='')}&x=1",
    "every byte percent": lambda t: "".join(f"%{b:02x}" for b in t.encode()),
    "base64": lambda t: base64.b64encode(t.encode()).decode(),
    "base64, second byte": lambda t: base64.b64encode(b"x" + t.encode() + b"yz").decode(),
    "base64, third byte": lambda t: base64.b64encode(b"xy" + t.encode() + b"z").decode(),
    "base64 without padding": lambda t: base64.b64encode(t.encode()).decode().rstrip("="),
    "base64, URL-safe": lambda t: base64.urlsafe_b64encode(b"\xff\xfb" + t.encode()).decode(),
    "base64 in a path": lambda t: f"/a/{base64.urlsafe_b64encode(t.encode()).decode()}/b",
    "data URL": lambda t: f"data:text/plain;base64,{base64.b64encode(t.encode()).decode()}",
    "wrapped base64": lambda t: base64.encodebytes(
        (b"some words before it, so that lines are long enough: " * 2) + t.encode()
    ).decode(),
    "wrapped base64, indented": lambda t: (
        base64.encodebytes((b"some words before it, so that lines are long enough: " * 2) + t.encode())
        .decode()
        .replace("\n", f"\n{' ' * 30}\t")
    ),
    "HTML": html.escape,
    "HTML by number": lambda t: "".join(f"&#{ord(c)};" if i % 2 else f"&#x{ord(c):X};" for i, c in enumerate(t)),
    "amid words": lambda t: f"before {t} after",
    "amid letters": lambda t: f"x{t}y",
}


def put_in(encoded: str, other: str, place: int) -> dict[str, Any]:
    """A record with a text at one of some places."""
    return [
        message(text(encoded), text(other)),
        message({"type": "reasoning", "text": encoded}),
        {"type": "tool_call", "callId": "c", "arguments": {"a": [{"b": encoded}]}},
        {"type": "tool_call", "callId": "c", "arguments": {encoded: other}},
        {"type": "tool_result", "callId": "c", "structured": [other, [encoded]], "unknown": encoded},
        {"type": "native_line", "harness": "h", "value": {"deep": {encoded: [encoded]}}},
        {"type": "message", "messageId": "m", "content": encoded},
        {"type": "terminal", "terminalId": "t", "output": encoded},
        message({"type": "odd", "payload": {"x": encoded}}),
        {"type": "odd.record", encoded: True},
    ][place]


BYSTANDER = {"type": "bystander", "s": 'e\u0301 %41 \\u0041 {"a": "QUJDREVGR0hJSktM"}', "n": 1.5}


secrets = st.one_of(
    st.text("abcdefgh0123456789", min_size=6, max_size=24),
    st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=6, max_size=16),
    st.text('ab"\\/%+= \n\tuéx\U0001f600', min_size=6, max_size=12),
)


@settings(max_examples=200, deadline=None)
@given(
    secrets,
    st.lists(
        st.tuples(st.lists(st.sampled_from(sorted(ENCODINGS)), max_size=4), st.integers(0, 9)), min_size=1, max_size=4
    ),
    st.sampled_from(["", "other text", "[1, 2]", "a%20b", "QUJDREVG"]),
)
def test_a_secret_is_gone_wherever_it_was(secret: str, places: list[tuple[list[str], int]], other: str) -> None:
    try:
        rules = RedactionRules([secret])
    except RedactionError:  # a part of a placeholder
        assume(False)
    records = []
    for names, place in places:
        encoded = secret
        for name in names:
            encoded = ENCODINGS[name](encoded)
        records += [put_in(encoded, other, place), BYSTANDER]
    source = stream(*records)
    assert is_in_stream(secret, source)
    session = Session.read(source)
    made = redact(session, rules)
    out = source_of(made.session)
    assert not is_in_stream(secret, out)
    assert {d.code for d in made.session.diagnostics} <= {d.code for d in session.diagnostics}
    assert len(made.session) == len(session)
    assert out.splitlines()[2::2] == source.splitlines()[2::2]
    again = redact(made.session, rules)
    assert source_of(again.session) == out
    assert again.report.removals == ()
