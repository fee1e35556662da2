"""Markdown: what the page says, and that no text of a stream is read as markup (CommonMark 0.31, with HTML and tables on)."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it.token import Token

from sessionrecord import ijson
from sessionrecord.convert import claude_code, codex
from sessionrecord.display.visible import visible
from sessionrecord.export import to_markdown
from sessionrecord.export.plain import code, fence, json_text
from sessionrecord.session import Session
from tests.export.represented import tokens
from tests.export.sessions import Wire, agent, call, kinds, result, session, sessions, text, usage, user
from tests.strategies import exact, json_values, texts

DATA = Path(__file__).resolve().parents[2] / "examples" / "data"

HOSTILE = st.one_of(
    st.sampled_from(
        [
            "```", "````\n# out", "~~~", "\n```\n<script>alert(1)</script>\n```\n", "[a](https://example.org)", "![a](x.png)",
            "<img src=x onerror=alert(1)>", "<https://example.org>", "`", "``", " ` ", "a`` `b", "# head", "---", "===", "> quote",
            "- item", "1. item", "| a | b |\n| --- | --- |", "\r```\r", "\u2028```\u2028", "\u202egnp.exe", "\x1b[31m", "&lt;", "\\`",
            "[a]: https://example.org", "*a*", "\0", "\t```", "    ```", " ", "", "\u200b", "```\u200b", "`" * 70, "&#96;&#96;&#96;",
        ]
    ),
    st.text(st.sampled_from("`~\n\r <>[]()!#-|\\\t\u202ea"), max_size=30),
    texts(max_size=20),
)  # fmt: skip
SEEN = {
    "heading_open", "heading_close", "paragraph_open", "paragraph_close", "inline", "fence", "bullet_list_open",
    "bullet_list_close", "list_item_open", "list_item_close", "table_open", "table_close", "thead_open", "thead_close", "tr_open",
    "tr_close", "th_open", "th_close", "tbody_open", "tbody_close", "td_open", "td_close",
}  # fmt: skip
"""The blocks that the exporter writes: no HTML, quotes, rules, numbered lists, indented code or link definitions."""


def headings(page: str) -> list[str]:
    """The headings of a page, as written."""
    found = tokens(page)
    return [t.content for before, t in pairwise(found) if before.type == "heading_open"]


def inner(page: str) -> list[Token]:
    """The pieces of all lines that are not in a fence."""
    return [child for token in tokens(page) if token.type == "inline" for child in token.children or ()]


def check_only_ours(page: str) -> None:
    found = tokens(page)
    assert {t.type for t in found} <= SEEN
    assert {t.type for t in inner(page)} <= {"text", "code_inline", "softbreak"}
    for token in inner(page):
        if token.type == "text":
            assert re.fullmatch(r"[A-Za-z0-9 .,:;()#+_-]*", token.content), token.content
    for token in found:
        if token.type == "fence":
            assert token.info in ("", "json")
            assert visible(token.content) == token.content


def entries(page: str) -> list[str]:
    """The numbers of the entries of the history."""
    return [match[1] for h in headings(page) if (match := re.match(r"(\d+)\. ", h))]


@given(sessions())
def test_a_page_holds_no_markup_but_its_own(made: Session) -> None:
    page = to_markdown(made).text
    check_only_ours(page)
    assert entries(page) == [str(n) for n in range(1, len(entries(page)) + 1)]


@given(st.lists(HOSTILE, min_size=12, max_size=12))
def test_hostile_text_in_any_place_stays_text(said: list[str]) -> None:
    made = session(
        {"type": "session_info", "title": said[0], "summary": said[1]},
        user(said[2], participant=said[3], turnId=said[4]),
        agent("x", content=[{"type": "reasoning", "text": said[2]}, *text(said[5]), {"type": said[6] or "x", "n": said[7]}]),
        call(said[8], said[9], arguments={said[7]: said[2]}, title=said[11]),
        result(said[8], said[2], other=said[3]),
        {"type": "compaction", "compactionId": "k", "summary": text(said[10]), "keptFrom": said[11] or "x"},
        usage(model=said[9], inputTokens=1, cost={"amount": 1, "currency": said[11]}),
        {"type": f"x-{said[6]}", "v": said[7]},
        agent=said[10],
        sessionId=said[11],
    )  # fmt: skip
    page = to_markdown(made).text
    check_only_ours(page)
    own = ["Session", "History", "Usage", "Details", "Record", "Header"]
    assert [h.partition(" `")[0] for h in headings(page) if not h[0].isdigit()] == own
    assert len(entries(page)) == sum(1 for r in made.records if r.type not in ("session", "session_info", "usage"))
    shown = [t.content for t in tokens(page) if t.type == "fence"]
    at = -1
    for piece in (said[2], said[2], said[5], said[2], said[10]):  # in the order of the records
        at = shown.index(visible(piece) + "\n", at + 1)


@given(HOSTILE)
def test_a_fence_holds_its_text_and_nothing_ends_it(said: str) -> None:
    (token,) = tokens(fence(visible(said)))
    assert token.type == "fence"
    assert token.content == visible(said) + "\n"


@given(HOSTILE)
def test_a_code_span_holds_its_text_on_one_line(said: str) -> None:
    (_, line, _) = tokens(f"- word: {code(said)} end")[2:5]
    assert line.children
    before, span, after = line.children
    assert (before.content, span.type, after.content) == ("word: ", "code_inline", " end")
    shown = visible(said, keep="").replace("|", "\\x7c")
    assert span.content == (shown if shown.strip() else f'"{shown}"')


@given(texts(max_size=20))
def test_visible_text_hides_nothing_and_changes_only_what_is_hidden(said: str) -> None:
    shown = visible(said)
    assert visible(shown) == shown
    for char in "\0\x1b\r\x85\u202e\u2066\u2028\u200b\ufeff\U000e0041":
        assert char not in shown
    if said.isprintable():
        assert shown == said


@given(json_values())
def test_json_text_is_the_value_with_hidden_characters_escaped(value: Any) -> None:
    shown = json_text(value)
    assert visible(shown, keep="\n") == shown
    assert exact(ijson.loads(shown.encode())) == exact(ijson.loads(ijson.dumps(value)))


def test_a_small_session_becomes_this_page() -> None:
    made = session(
        {"type": "session_info", "title": "A look"},
        user("look at ```this```", timestamp="2026-01-01T00:00:00Z", turnId="t"),
        call("c1"),
        result("c1", "x = 1", exitCode=0),
        usage(modelCallId="m", model="big", inputTokens=10, cost={"amount": 0.5, "currency": "USD"}),
        usage(modelCallId="n", model="big", outputTokens=3),
        agentVersion="1.2",
    )
    assert to_markdown(made).text == PAGE


PAGE = """\
# Session `A look`

- agent: `toy`
- agent version: `1.2`
- session: `s1`
- reference: `asr:toy//s1`

## History

### 1. User

- record: `r3`, seq 3
- time: 2026-01-01T00:00:00Z
- turn: `t`
- message: ```` u-look at ```this``` ````

````
look at ```this```
````

### 2. Tool call `Read`

- record: `r4`, seq 4
- call: `c1`

Arguments:

```json
{"path":"a.py"}
```

### 3. Result of `Read`

- record: `r5`, seq 5
- call: `c1`
- outcome: `success`
- exit code: `0`

```
x = 1
```

## Usage

| model | input | output |
| --- | ---: | ---: |
| `big` | 10+ | 3+ |

Tokens. A number with + is of those model calls that recorded it.

- cost: 0.5 `USD`
- without a cost, so it was at least that much: 1

## Details

### Record `session_info`

- record: `r2`, seq 2

Members:

```json
{"title":"A look"}
```

## Header

```json
{"type":"session","seq":1,"id":"r1","producer":{"method":"native"}}
```
"""


def sections(*records: Wire, **header: Any) -> dict[str, str]:
    """Heading to what stands under it."""
    page = to_markdown(session(*records, **header)).text
    parts = re.split(r"^#+ (.*)\n", page, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_rewinds_and_compactions_are_told_where_they_happened() -> None:
    got = sections(
        user("a"),
        agent("b"),
        {"type": "rewind", "to": "messageId=u-a", "reason": "no"},
        agent("c"),
        {"type": "compaction", "compactionId": "k", "summary": text("short"), "keptFrom": "messageId=a-c"},
        {"type": "compaction", "compactionId": "l", "status": "failed"},
        {"type": "rewind", "to": None},
        agent("d"),
    )
    assert "went back to `messageId=u-a`" in got["1. Rewind"]
    assert '"reason":"no"' in got["1. Rewind"]
    assert "went back to the start" in got["2. Rewind"]
    assert "- message `messageId=a-b`, seq 3: taken back by a rewind" in got["Not on the path"]
    assert list(got) == ["Session", "History", "1. Rewind", "2. Rewind", "3. Assistant", "Not on the path", "Header"]


def test_what_a_compaction_replaced_is_still_told_and_marked() -> None:
    made = {"type": "compaction", "compactionId": "k", "summary": text("short"), "keptFrom": "messageId=u-b"}
    failed = {"type": "compaction", "compactionId": "l", "status": "failed"}
    got = sections(user("a"), user("b"), made, failed)
    assert "replaced by a compaction (`compactionId=k`)" in got["1. User"]
    assert "replaced" not in got["2. User"]
    assert "in place of what came before, up to `messageId=u-b`." in got["3. Compaction"]
    assert "short" in got["3. Compaction"]
    assert "It was not completed" in got["4. Compaction"]
    assert "No content is recorded." in got["4. Compaction"]


def test_other_records_stand_between_in_their_order() -> None:
    got = sections(
        user("a"), {"type": "error", "message": "busy"}, agent("b", model="m", stopReason="end_turn", origin="x")
    )
    assert list(got)[2:] == ["1. User", "2. Record `error`", "3. Assistant", "Header"]
    assert '"message":"busy"' in got["2. Record `error`"]
    assert "- model: `m`\n- stop reason: `end_turn`\n- origin: `x`" in got["3. Assistant"]


def test_the_conversation_comes_before_what_describes_the_session() -> None:
    """However much a header, declarations and lines of the source hold, the head of the page is short; all of it is at the end."""
    losses = [{"kind": "member_dropped", "count": n, "field": f"f{n}"} for n in range(30)]
    made = session(
        {"type": "native_line", "nativeType": "mode", "value": {"x": list(range(100))}},
        {"type": "declaration", "client": {"name": "one"}},
        user("hello"),
        {"type": "session_info", "summary": "short"},
        {"type": "native_line", "value": "later"},
        agent("bye"),
        losses=losses,
        contentLevel="redacted",
    )
    exported = to_markdown(made)
    head, _, rest = exported.text.partition("### 1. User")
    assert "- content level: `redacted`\n- kinds of losses on the way here: 30, listed at the end" in head
    assert len(head.splitlines()) < 20
    details = [
        "Details",
        "Record `native_line`",
        "Record `declaration`",
        "Record `session_info`",
        "Record `native_line`",
    ]
    assert headings(exported.text) == ["Session", "History", "1. User", "2. Assistant", *details, "Header"]
    for value in ('"later"', '"name":"one"', '"field": "f29"', "99"):
        assert value in rest
    assert exported.report.losses == []
    early = to_markdown(made, at=3).text
    assert "Nothing is recorded." in early
    assert headings(early)[2:] == ["Details", "Record `native_line`", "Record `declaration`", "Header"]


def test_what_is_declared_later_counts_at_the_head() -> None:
    made = session(user("a"), {"type": "declaration", "contentLevel": "metadata_only"})
    assert "- content level: `metadata_only`" in to_markdown(made).text
    assert "- content level: `metadata_only`" in to_markdown(made, at=3).text
    assert "content level" not in to_markdown(made, at=2).text


def test_a_model_call_that_failed_is_told_and_one_that_did_not_is_counted() -> None:
    done = {"type": "model_call", "modelCallId": "m", "status": "completed"}
    failed = {"type": "model_call", "modelCallId": "n", "error": {"message": "busy"}}
    exported = to_markdown(session(done, failed, {**failed, "modelCallId": "o", "error": {}, "status": "failed"}))
    assert headings(exported.text)[2:4] == ["1. Record `model_call`", "2. Record `model_call`"]
    assert [(x.kind, x.seq) for x in exported.report.losses] == [("folded", 2)]


def test_blocks_that_are_no_text_are_described() -> None:
    blocks: list[Wire] = [
        {"type": "reasoning", "text": "hm", "signature": "abcd"},
        {"type": "reasoning", "encrypted": "xyz"},
        {"type": "image", "mimeType": "image/png", "data": "aGkhaGkh", "name": "n"},
        {"type": "audio", "mimeType": "audio/wav", "uri": "file:///a"},
        {"type": "diff", "path": "a.py", "oldText": "x", "newText": "y"},
        {"type": "x-chart", "points": [1]},
    ]
    exported = to_markdown(session(agent("x", content=blocks)))
    page = exported.text
    assert "Reasoning:\n\n```\nhm\n```\n\n- signature: 4 characters, not shown" in page
    assert "- encrypted: 3 characters, not shown" in page
    assert "Of type image, `image/png`:\n\n- about 6 bytes, not included" in page
    assert '"name":"n"' in page
    assert '"uri":"file:///a"' in page
    assert "Change of `a.py`:\n\nText before:\n\n```\nx\n```\n\nText after:\n\n```\ny\n```" in page
    assert "Of type `x-chart`:" in page
    assert "aGkhaGkh" not in page
    places = [loss.pointer for loss in exported.report.losses]
    assert places == ["/content/0/signature", "/content/1/encrypted", "/content/2/data"]
    assert kinds(exported) == {"binary_left_out": 3}


def test_hidden_characters_are_escaped_and_reported() -> None:
    exported = to_markdown(session(user("a"), result("c", "\x1b[31mred\u202e\r\n")))
    assert "```\n\\x1b[31mred\\u202e\\r\n\n```" in exported.text
    assert [(x.kind, x.seq, x.pointer) for x in exported.report.losses] == [("characters_escaped", 3, "/content/0")]


def test_a_result_without_its_call_says_so() -> None:
    got = sections(result("c"))
    assert "The call of this result is not on the path." in got["1. Result"]


def test_a_child_session_and_the_source_are_reported() -> None:
    made = call("c", childSession="asr:toy//kid", source={"path": "x.jsonl", "line": 3})
    exported = to_markdown(session(made))
    assert "- child session: `asr:toy//kid`" in exported.text
    assert kinds(exported) == {"member_left_out": 1, "child_session": 1}


def test_usage_names_what_is_not_known() -> None:
    got = sections(
        usage(modelCallId="m", inputTokens=10, capture={"inputTokens": {"state": "truncated"}}),
        usage(modelCallId="n", model="big", outputTokens=3),
        call("c", childSession="asr:toy//kid"),
    )
    assert "| no model named | 10 | unknown |\n| `big` | unknown | 3 |" in got["Usage"]
    assert "- usage records that say that a count is not complete: 1\n- child session: `asr:toy//kid`" in got["Usage"]
    assert "Usage" not in sections(user("a"))
    assert "|" not in sections({"type": "model_call", "modelCallId": "m"})["Usage"]


def test_a_session_at_a_seq_says_so_and_an_empty_one_has_nothing() -> None:
    assert "- as it was at seq 1" in to_markdown(session(user("a")), at=1).text
    assert "Nothing is recorded." in to_markdown(Session.read(b"")).text
    assert "- agent" not in to_markdown(Session.read(b"")).text
    untold = sections({"type": "session_info", "summary": "all of it"})
    assert "Summary:\n\n```\nall of it\n```" in untold["Session"]


@pytest.mark.parametrize("sample", ["claude-code-sample.jsonl", "codex-sample.jsonl"])
def test_the_sample_logs_become_pages_of_our_own_markup(sample: str) -> None:
    convert = claude_code.convert if sample.startswith("claude") else codex.convert
    exported = to_markdown(Session.from_records(convert(DATA / sample).main))
    check_only_ours(exported.text)
