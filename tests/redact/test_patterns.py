"""The known forms of secrets, by what their issuers say of them, and what only looks like them."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessionrecord.errors import RedactionError
from sessionrecord.redact import KNOWN_PATTERNS, Pattern, RedactionRules
from sessionrecord.redact.patterns import LITERALS
from tests.redact.samples import message, redacted, stream, text

ALNUM = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
KEY = "\n".join(["MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj"] * 20)
JWT = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c"

SECRETS = {
    "aws-access-key-id": ["AKIAIOSFODNN7EXAMPLE", "ASIA234567ABCDEFGHIJ"],
    "github-token": [f"ghp_{ALNUM[:36]}", f"ghs_{ALNUM}", f"github_pat_{ALNUM[:22]}_{ALNUM[:59]}"],
    "gitlab-token": ["glpat-Ab1_-Ab1_-Ab1_-Ab1_-", "glrt-t3_Ab1Ab1Ab1Ab1Ab1Ab1", "glpat-" + "a" * 400],
    "slack-token": ["xoxb-123456789012-123456789012-abcdefABCDEF123456789012", "xapp-1-A0123-456-" + "a1" * 32],
    "npm-token": [f"npm_{ALNUM[:36]}"],
    "pypi-token": ["pypi-AgEIcHlwaS5vcmc" + "Ab_-" * 40],
    "anthropic-key": ["sk-ant-api03-" + "Ab_-" * 23 + "AAA", "sk-ant-admin01-" + "x9" * 40],
    "openai-key": ["sk-proj-" + "Ab_-" * 30, f"sk-{ALNUM[:20]}T3BlbkFJ{ALNUM[20:40]}"],
    "google-api-key": ["AIza" + "Sy_-x" * 7],
    "jwt": [JWT],
    "private-key": [
        f"-----BEGIN PRIVATE KEY-----\n{KEY}\n-----END PRIVATE KEY-----",
        f"-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A\n\n{KEY}\n-----END RSA PRIVATE KEY-----",
        f"-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 1\n\n{KEY}\n=abcd\n-----END PGP PRIVATE KEY BLOCK-----",
        f"-----BEGIN OPENSSH PRIVATE KEY-----\n{KEY}\nMIIE",
        f"-----BEGIN EC PRIVATE KEY-----\n{KEY * 40}",
    ],
}
"""Texts of which nothing is left."""

PARTLY = {
    "bearer-token": [
        ("Authorization: Bearer mF_9.B5f-4.1JqM/abc==", "Authorization: Bearer [redacted:bearer-token]"),
        ("AUTHORIZATION: BEARER mF_9.B5f-4.1JqM/abc", "AUTHORIZATION: BEARER [redacted:bearer-token]"),
        ("authorization: bearer 0123456789abcdef0123", "authorization: bearer [redacted:bearer-token]"),
    ],
    "url-password": [
        ("postgres://app:pa55w0rd@db:5432/x", "postgres://app:[redacted:url-password]@db:5432/x"),
        ("git clone https://me:t0k3n@h.org/r.git", "git clone https://me:[redacted:url-password]@h.org/r.git"),
        ("redis://:pw@h", "redis://:[redacted:url-password]@h"),
        ("https://u:" + "p" * 999 + "@h", "https://u:[redacted:url-password]@h"),
    ],
}
"""Texts of which a part stays, with what they become."""

LOOK_ALIKES = [
    "AKIA", "AKIAIOSFODNN7EXAMPL", "AKIAIOSFODNN7EXAMPLE2", "XAKIAIOSFODNN7EXAMPLE", "AKIAIOSFODNN7EXAMPL1", "akiaiosfodnn7example",
    "ghp_short", f"ghp_{ALNUM[:35]}", f"xghp_{ALNUM[:36]}", "ghx_" + ALNUM[:36], "github_pat_docs",
    "glpat-", "glpat-short", "xoxb-", "xoxb-1-2", "box-b-123456789012-abcdefghijkl",
    f"npm_{ALNUM[:35]}", f"npm_{ALNUM[:37]}", "npm_config_registry", "pypi-server", "pypi-AgE",
    "sk-ant-", "sk-ant-api03-xxxx", "sk-learn", "sk-" + "a" * 48, "task-proj-" + "a" * 60, "AIza", "AIza" + "a" * 36,
    "eyJ", "eyJhbGciOiJIUzI1NiJ9", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0", "a.eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.AAAAAAAAAAAAAAAAAAAA",
    "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n-----END PUBLIC KEY-----", "-----BEGIN CERTIFICATE-----",
    "grep -l -- '-----BEGIN RSA PRIVATE KEY-----' *.pem", "a -----BEGIN PRIVATE KEY----- must be there",
    "Bearer token", "Bearer <token>", "Bearer $TOKEN_1234567890123456", "Bearer authentication-without-digits", "the bearer of news",
    "https://example.com:8080/a@b", "http://localhost:3000", "mailto:a:b@c", "https://user@example.com", "a://b:c d@e", "std::x://:@",
    "commit 0123456789abcdef0123456789abcdef01234567", "550e8400-e29b-41d4-a716-446655440000",
]  # fmt: skip


def after(value: str) -> str:
    """A text of a message after redaction with the known patterns."""
    block = json.loads(redacted(stream(message(text(value))), RedactionRules())[0].splitlines()[1])["content"][0]
    return str(block["text"])


@pytest.mark.parametrize(("name", "secret"), [(n, s) for n, secrets in SECRETS.items() for s in secrets])
def test_a_known_form_is_removed_whole(name: str, secret: str) -> None:
    assert after(secret) == f"[redacted:{name}]"
    assert after(f"KEY={secret};\n") == f"KEY=[redacted:{name}];\n"
    assert after(f'{{"key": "{secret}"}}') == f'{{"key": "[redacted:{name}]"}}'


@pytest.mark.parametrize(("name", "before", "result"), [(n, *c) for n, cases in PARTLY.items() for c in cases])
def test_of_a_header_or_an_address_only_the_secret_is_removed(name: str, before: str, result: str) -> None:
    assert name in result
    assert after(before) == result


@pytest.mark.parametrize("value", LOOK_ALIKES)
def test_what_only_looks_like_a_secret_stays(value: str) -> None:
    source = stream(message(text(value)), message(text(f"x {value} y")))
    assert redacted(source, RedactionRules())[0] == source


def test_every_known_pattern_is_tested_and_says_where_its_form_is_defined() -> None:
    assert {p.name for p in KNOWN_PATTERNS} == SECRETS.keys() | PARTLY.keys()
    assert all(p.source for p in KNOWN_PATTERNS)


def test_a_match_of_a_known_pattern_holds_one_of_its_literals() -> None:
    """Without a literal the expression is not tried, so each match has to hold one."""
    texts = {**SECRETS, **{n: [before for before, _ in cases] for n, cases in PARTLY.items()}}
    for pattern in KNOWN_PATTERNS:
        for value in texts[pattern.name]:
            assert any(t in value for t in LITERALS[pattern.name]), pattern.name


@pytest.mark.parametrize("pattern", KNOWN_PATTERNS, ids=lambda p: p.name)
def test_quantifiers_are_bounded_or_possessive(pattern: Pattern) -> None:
    """What a possessive quantifier took is never given back, and what a bounded one tries is bounded: no search explodes."""
    bare = re.sub(r"\\.|\[\^?\]?[^\]]*\]", "x", pattern.regex)
    open_ended = re.findall(r"(?:[*+]|\{\d+,\})(?!\+)", re.sub(r"[*+]\+|\{\d+,\}\+", "", bare))
    assert open_ended == []
    assert all(int(most) <= 300 for most in re.findall(r"\{\d+,(\d+)\}", bare))


UNITS = [
    "AKIA", "ghp_", "glpat-", "glpat-a", "xoxb-1-", "npm_", "pypi-AgE", "sk-ant-api03-", "sk-proj-", "AIza", "eyJ", "eyJ.", "eyJhbGciOiJI.",
    "-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\nAAAAAAAAAAAAAAAAAAAA", "- ", "bearer ", "bearer a", "a://", "a://b:", "a://b:c",
    "\\", "\\\\u005c", "u005c", "%25", "25", "%5cu0025", "QUFB", "A", "[", '"', "\n", "AAAAAAAAAAAAAAAAAAAA\n",
]  # fmt: skip


@pytest.mark.parametrize("unit", UNITS)
def test_hostile_texts_are_searched_to_the_end(unit: str) -> None:
    """Each is of the kind that makes a careless expression, or a careless way of decoding, take forever."""
    value = "%\\-----BEGIN PRIVATE KEY-----bearer eyJ" + unit * (20_000 // len(unit))
    out, _ = redacted(stream(message(text(value))), RedactionRules(["never-there"]))
    assert redacted(out, RedactionRules(["never-there"]))[0] == out


@pytest.mark.parametrize(
    ("name", "regex"),
    [("x", "("), ("x", "a*"), ("x", ""), ("x", "(?P<secret>)|b"), ("", "a"), ("a b", "a"), ("[x]", "a"), ("x" * 41, "a"), ("é", "a")],
)  # fmt: skip
def test_a_pattern_that_cannot_be_used_is_refused(name: str, regex: str) -> None:
    with pytest.raises(RedactionError):
        Pattern(name, regex)


def test_of_a_pattern_with_a_group_secret_only_that_is_removed_and_redaction_ends() -> None:
    rules = RedactionRules(patterns=[Pattern("pw", r"password=(?P<secret>\S+)")])
    out, made = redacted(stream(message(text("password=abc; password=def"))), rules)
    assert b'"password=[redacted:pw] password=[redacted:pw]"' in out
    assert made.report.rules == {"pw": 2}
    assert redacted(out, rules)[0] == out


def test_a_pattern_may_name_the_member_that_it_is_about() -> None:
    """A pattern of one's own is tried on the line as it is written, too."""
    rules = RedactionRules(patterns=[Pattern("pin", r'"pin":\s*"?(?P<secret>[0-9a-z]+)')])
    out, made = redacted(stream({"type": "odd", "pin": 12345, "a": {"pin": "x9", "other": "x9"}}), rules)
    assert b'"pin":"[redacted:pin]","a":{"pin":"[redacted:pin]","other":"x9"}' in out
    assert made.report.count == 2


def test_a_pattern_on_a_line_as_written_takes_whole_escapes_and_leaves_what_is_no_match_in_the_text() -> None:
    """As it is written, a line break followed by `ab` looks like `nab`; only where the match needs the quotes does that count."""
    source = stream({"type": "odd", "k": "\nabc", "l": "\nabc"})
    assert redacted(source, RedactionRules(patterns=[Pattern("p", "nabc")]))[0] == source
    out, _ = redacted(source, RedactionRules(patterns=[Pattern("p", '"k":".(?P<secret>nab)')]))
    assert b'"k":"[redacted:p]c","l":"\\nabc"' in out


def test_a_group_may_lie_ahead_of_its_match() -> None:
    rules = RedactionRules(patterns=[Pattern("p", "é(?=.*(?P<secret>[0-9]{4}))")])
    out, _ = redacted(stream(message(text("éé ü 1234"))), rules)
    assert '"éé ü [redacted:p]"'.encode() in out


def odd(*spaced: str, **members: Any) -> bytes:
    """A stream with a record of an unknown type, its separators with or without spaces."""
    separators = (", ", ": ") if spaced else (",", ":")
    return (
        stream() + json.dumps({"type": "odd", "seq": 2, "id": "r2", **members}, separators=separators).encode() + b"\n"
    )


@pytest.mark.parametrize("spaced", [(), ("yes",)])
@pytest.mark.parametrize(
    "regex",
    [
        r'"pin":\s*\d+', r'"pin":\s*(?P<secret>\d+)', r'"pin":\s*(?P<secret>\S+)', r'"pin":\s*\S+', r'"pin":\s*[^,]+',
        r"pin\W+\d{3,}", r"(?i)PIN\W+(?P<secret>\w+)", r'"pin":.*', r'"p[a-z]+":\s*(?P<secret>[0-9]+|true)', r'[{,]\s*"pin":\s*\d+',
    ],
)  # fmt: skip
def test_a_match_over_a_name_and_its_value_removes_the_value(regex: str, spaced: tuple[str, ...]) -> None:
    """A pattern that goes by a member's name is about the value, however far its end is open; the name stays."""
    source = odd(*spaced, a={"x": 1, "pin": 12345, "y": "z"}, pin=12345, other=12345)
    rules = RedactionRules(patterns=[Pattern("p", regex)])
    out, made = redacted(source, rules)
    after = json.loads(out.splitlines()[1])
    assert after["a"] == {"x": 1, "pin": "[redacted:p]", "y": "z"}
    assert (after["pin"], after["other"]) == ("[redacted:p]", 12345)
    assert [(r.pointer, r.what, r.count) for r in made.report.removals] == [
        ("/a/pin", "number", 1),
        ("/pin", "number", 1),
    ]
    assert redacted(out, rules)[0] == out


@pytest.mark.parametrize(
    ("regex", "value", "after"),
    [
        (r'"flag":(?P<secret>true)', True, "[redacted:p]"),
        (r'"flag":\s*(?:true|false)', False, "[redacted:p]"),
        (r'"flag":"[^"]*"', "", ""),
        (r'"flag":"[^"]*"', "abc", "[redacted:p]"),
        (r'"flag":"(?P<secret>[^"]*)"', "abc", "[redacted:p]"),
        (r'"flag":"abc', "abcdef", "[redacted:p]def"),
        (r'"flag":"(?P<secret>.{3})', "abcdef", "[redacted:p]def"),
        (r'flag\W+\w+', "abc def", "[redacted:p] def"),
        (r'"flag":"a', "a\nb", "[redacted:p]\nb"),
        (r'"flag":"a\\', "a\nb", "[redacted:p]b"),
        (r'"flag":"[^"]*"', 'a "b" \\ "c" "' * 20, "[redacted:p]"),
        (r'"flag":\s*"(?P<secret>[^"]*)"', 'a "b" \\" "', "[redacted:p]"),
        (r'"flag":\{[^}]*\}', {"k": "v", "n": 1, "o": "[redacted:p]"}, {"k": "[redacted:p]", "n": "[redacted:p]", "o": "[redacted:p]"}),
        (r'"flag":\s*\S+', {"k": ["v"], "n": {"o": True}}, {"k": ["[redacted:p]"], "n": {"o": "[redacted:p]"}}),
        (r'"flag":.*', ["v", {}, []], ["[redacted:p]", {}, []]),
        (r'"flag":(?P<secret>\[.*\])', ["v", [True, "w"]], ["[redacted:p]", ["[redacted:p]", "[redacted:p]"]]),
    ],
)  # fmt: skip
def test_of_a_value_that_a_match_reaches_what_it_covers_is_removed(regex: str, value: Any, after: Any) -> None:
    rules = RedactionRules(patterns=[Pattern("p", regex)])
    out, _ = redacted(odd(flag=value), rules)
    assert json.loads(out.splitlines()[1])["flag"] == after
    assert redacted(out, rules)[0] == out


def test_an_open_end_before_it_does_not_hide_a_match() -> None:
    """In a line without spaces the first match of the expression takes in all that follows."""
    rules = RedactionRules(patterns=[Pattern("p", r'"pin":\s*\S+')])
    out, _ = redacted(odd(a={"pin": 1}, b=[{"pin": {"x": [2], "y": "3"}}, {"pin": "4"}], c=5), rules)
    after = json.loads(out.splitlines()[1])
    p = "[redacted:p]"
    assert (after["a"], after["b"], after["c"]) == ({"pin": p}, [{"pin": {"x": [p], "y": p}}, {"pin": p}], 5)
    assert redacted(out, rules)[0] == out


def test_a_match_of_quotes_around_one_text_removes_the_text() -> None:
    out, _ = redacted(
        odd(a="pin", b=["x", "abc"], pin={"y": 1}), RedactionRules(patterns=[Pattern("p", '"(?:pin|abc)"')])
    )
    after = json.loads(out.splitlines()[1])
    assert (after["a"], after["b"], after["[redacted:p]"]) == ("[redacted:p]", ["x", "[redacted:p]"], {"y": 1})


@pytest.mark.parametrize(
    "regex",
    [
        'x","b', '"a":"[^"]*","b":"[^"]*"', r'"a":"[^"]*"(?:,"b":"[^"]*")?', r'(?P<secret>"a":.*"b":"y")', r'\["k","\w+"', r'"o":\{"k',
    ],
)  # fmt: skip
def test_a_match_over_several_members_or_items_raises(regex: str) -> None:
    """It cannot be told which is the secret; nothing that a rule asks for is left in without a word."""
    source = odd(a="x", b="y", c=["k", "v"], o={"k": {"l": 1}})
    with pytest.raises(
        RedactionError, match=r"^line 2 at /\S+: a match of the pattern p goes over several members"
    ) as raised:
        redacted(source, RedactionRules(patterns=[Pattern("p", regex)]))
    assert "group `secret`" in str(raised.value)


@pytest.mark.parametrize(
    "regex",
    [r"\S+@\S+", r".*@x.*", r"(?P<secret>\S+)@\S+", r"ends:\s*\S+", r"TCK-\S+", r"[^ ]+@", r"(?:no )?end\W+\w+"],
)
def test_what_matches_only_as_quotes_and_commas_are_like_other_characters_is_no_match(regex: str) -> None:
    """`\\S+` also matches what follows a text in the line; the text itself does not match, and that counts."""
    source = odd(text="@bar", q={"a": "it ends:", "b": "x"}, o={"a": "no end", "b": "@bar"})
    assert redacted(source, RedactionRules(patterns=[Pattern("p", regex)]))[0] == source


def test_an_open_end_is_no_reason_to_take_what_follows_a_text() -> None:
    source = odd(text="see TCK-1", **{"TCK-2": "v"}, next="w")
    out, _ = redacted(source, RedactionRules(patterns=[Pattern("p", r"TCK-\S+")]))
    assert json.loads(out.splitlines()[1]) == {
        "type": "odd", "seq": 2, "id": "r2", "text": "see [redacted:p]", "[redacted:p]": "v", "next": "w",
        "capture": {
            name: {"state": "redacted", "count": 1, "reason": "removed: p 1"} for name in ("text", "[redacted:p]")
        },
    }  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(["", " "]),
    st.one_of(st.integers(10000, 99999), st.text("0123456789", min_size=5, max_size=5), st.booleans()),
    st.lists(st.tuples(st.text('ab_"\\ é', max_size=4), st.text('xy "\\,:{', max_size=4)), max_size=3),
    st.lists(st.sampled_from(["list", "object", "string"]), max_size=3),
    st.sampled_from(
        [r'"pin":\s*"?\w+', r'"pin":\s*"?(?P<secret>\w+)', r'"pin":\s*(?P<secret>[^,}\]]+)', r'"pin":\s*\S+']
    ),
)
def test_a_member_is_found_by_its_name_wherever_it_is(
    space: str, secret: Any, around: list[tuple[str, str]], way: list[str], regex: str
) -> None:
    value: Any = {**dict(around[:1]), "pin": secret, **dict(around[1:])}
    for step in way:
        value = [value] if step == "list" else {"o": value} if step == "object" else ["before", value, "after"]
    record = {"type": "odd", "seq": 2, "id": "r2", "v": value}
    source = stream() + json.dumps(record, separators=("," + space, ":" + space)).encode() + b"\n"
    rules = RedactionRules(patterns=[Pattern("p", regex)])
    out, made = redacted(source, rules)

    def expected(v: Any) -> Any:
        if isinstance(v, dict):
            return {k: "[redacted:p]" if k == "pin" else expected(x) for k, x in v.items()}
        return [expected(x) for x in v] if isinstance(v, list) else v

    assert json.loads(out.splitlines()[1])["v"] == expected(value)
    assert made.report.rules == {"p": 1}
    assert redacted(out, rules)[0] == out


@pytest.mark.parametrize("regex", ["^abc$", r"\Aabc\Z", r"(?<!.)abc", r"\babc\b"])
def test_a_pattern_may_look_at_the_edges_of_a_text(regex: str) -> None:
    rules = RedactionRules(patterns=[Pattern("p", regex)])
    out, _ = redacted(stream({"type": "odd", "a": "abc", "b": "xabcx", "c": ["abc"]}), rules)
    assert b'"a":"[redacted:p]","b":"xabcx","c":["[redacted:p]"]' in out


def test_a_pattern_counts_characters_not_bytes() -> None:
    rules = RedactionRules(patterns=[Pattern("p", "é{3}x")])
    assert b'"\xc3\xa9[redacted:p]\xc3\xa9 [redacted:p]"' in redacted(stream(message(text("ééééxé éééx"))), rules)[0]
