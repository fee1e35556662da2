"""A display is of bounded size, says how much it does not show and where that is, and types no more records than it shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from sessionrecord import InvalidRecord, Session, ijson
from sessionrecord.convert.report import ConversionReport
from sessionrecord.display.html import NOTEBOOK, Limits, session_page
from sessionrecord.session import Declared, ModelUsage, UsageTotals
from sessionrecord.session.log import Log
from sessionrecord.validate import RepairReport
from sessionrecord.validate.plan import Action
from tests.display.html.samples import HEADER, base64_of, message, png, record, stream
from tests.display.html.trees import fragment, text_of

SMALL = Limits(text=100, total=100_000, blocks=4, items=4, rows=3, image=1_000, images=1_000, whole=50)


def many(count: int) -> Session:
    """A session of `count` records: turns of a message, a call, its result and usage, with times; every tenth record unknown."""
    kinds = (
        '"type":"message","messageId":"m{n}","role":"user","content":[{{"type":"text","text":"text {n}"}}]',
        '"type":"tool_call","callId":"c{n}","name":"Bash"',
        '"type":"tool_result","callId":"c{m}","outcome":"success"',
        '"type":"usage","inputTokens":1',
        '"type":"odd"',
    )

    def lines() -> Iterator[bytes]:
        yield ijson.dumps(HEADER) + b"\n"
        for n in range(2, count + 1):
            members = kinds[n % len(kinds)].format(n=n, m=n - 1)
            yield f'{{"seq":{n},"id":"r{n}",{members},"timestamp":"2026-01-01T00:00:00Z"}}\n'.encode()

    return Session.read(b"".join(lines()))


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Counter[int]:
    """How often each record was typed."""
    counts: Counter[int] = Counter()
    read_at = Log.read_at

    def counting(log: Log, index: int) -> Any:
        counts[index] += 1
        return read_at(log, index)

    monkeypatch.setattr(Log, "read_at", counting)
    return counts


def test_a_large_session_is_shown_without_typing_it(typed: Counter[int]) -> None:
    session = many(100_000)
    html = session._repr_html_()
    assert len(typed) <= 62
    assert typed.total() <= 4 * 62
    assert len(html) < 500_000
    text = text_of(fragment(html))
    assert "99,940 records not shown: session.records[30:99970]" in text
    for what in ("session.diagnostics", "session.tool_calls()", "session.usage()"):
        assert f"not counted, since many records would have to be read: {what}" in text
    assert "100,000" in text


def test_a_large_context_is_shown_without_typing_it(typed: Counter[int]) -> None:
    view = many(50_000).context_view()
    text = text_of(fragment(view._repr_html_()))
    assert len(typed) <= 60
    assert f"{len(view) - 60:,} items not shown: view.items[30:{len(view) - 30}]" in text


def test_times_are_looked_for_near_the_ends_only(typed: Counter[int]) -> None:
    lines = [ijson.dumps(HEADER)]
    lines += [ijson.dumps({"type": "odd", "seq": n, "id": f"r{n}"}) for n in range(2, 10_000)]
    Session.read(b"\n".join(lines))._repr_html_()
    assert len(typed) <= 400


@pytest.mark.parametrize("char", ["x", "\u202e", "\0", "\n", "&", "\u202e\0"])
def test_a_message_of_15_megabytes_is_cut(char: str) -> None:
    text = (char * 15_000_000)[:15_000_000]
    shown = message({"type": "text", "text": text})
    html = shown._repr_html_()
    assert len(html) < 1_000_000
    assert "14,980,000 more characters not shown: record" in text_of(fragment(html))
    assert len(repr(shown)) <= 120


@pytest.mark.parametrize(
    "blocks",
    [
        [{"type": "text", "text": ""}] * 100_000,
        [{"type": "text", "text": "\u202e\u202d" * 20}] * 50_000,
        [{"type": "text", "text": "a", **{f"m{n}": n for n in range(2_000)}}] * 20,
        [{"type": "odd", f"m{n}": {}} for n in range(20_000)],
        [{"type": "image", "mimeType": "image/png", "data": base64_of(png() + bytes(1_500_000))}] * 20,
    ],
    ids=["empty blocks", "controls", "members", "unknown blocks", "images"],
)
def test_a_record_of_many_parts_is_cut(blocks: list[dict[str, Any]]) -> None:
    one = message(*blocks)
    html = one._repr_html_()
    fragment(html)
    assert len(html) < 10_000_000


def test_all_texts_together_are_cut() -> None:
    texts = [[{"type": "text", "text": "x" * 15_000}] * 5 for _ in range(60)]
    session = stream(
        *[{"type": "message", "messageId": f"m{n}", "role": "user", "content": c} for n, c in enumerate(texts)]
    )
    html = session._repr_html_()
    assert len(html) < 700_000
    assert "5 blocks not shown: session.records[40]" in text_of(fragment(html))


def test_long_lines_that_are_no_records_are_cut() -> None:
    broken = Session.read(b'{"a":"' + b"x" * 3_000_000 + b"\n").records[0]
    assert isinstance(broken, InvalidRecord)
    html = broken._repr_html_()
    assert len(html) < 200_000
    assert "2,920,006 more bytes not shown: record.raw" in text_of(fragment(html))
    assert len(repr(broken)) <= 160


def test_a_page_lists_what_is_not_on_it() -> None:
    image = {"type": "image", "mimeType": "image/png", "data": base64_of(png() + bytes(2_000))}
    content = [
        {"type": "text", "text": "x" * 150}, image,
        {"type": "reasoning", "encrypted": "e" * 30}, {"type": "file", "mimeType": "a/b", "blob": {"sha256": "0" * 64, "bytes": 9}},
        {"type": "image", "mimeType": "image/png", "uri": "https://e.example/i.png"},
    ]  # fmt: skip
    records = [{"type": "message", "messageId": f"m{n}", "role": "user", "content": content} for n in range(9)]
    page = session_page(stream(*records), SMALL)
    assert all(o.explanation for o in page.omissions)
    counted = [(o.kind, o.place, o.count) for o in page.omissions]
    assert counted == [
        *(
            found
            for place in ("session.records[1]",)
            for found in (("text", place, 50), ("image", place, len(png()) + 2_000), ("encrypted", place, 30), ("bytes", place, 9),
                          ("blocks", place, 1))
        ),
        ("records", "session.records[2:8]", 6),
        *(
            found
            for place in ("session.records[8]", "session.records[9]")
            for found in (("text", place, 50), ("image", place, len(png()) + 2_000), ("encrypted", place, 30), ("bytes", place, 9),
                          ("blocks", place, 1))
        ),
    ]  # fmt: skip


def test_a_page_of_a_small_session_leaves_nothing_out() -> None:
    session = stream(
        {"type": "message", "messageId": "m", "role": "user", "content": [{"type": "text", "text": "x" * 50_000}]}
    )
    page = session_page(session)
    assert page.omissions == []
    assert "x" * 50_000 in page.html


def test_many_kinds_tools_and_models_are_cut() -> None:
    calls = [{"type": "tool_call", "callId": f"c{n}", "name": f"tool {n}"} for n in range(60)]
    used = [{"type": "usage", "model": f"model {n}", "inputTokens": 1, "scope": "turn"} for n in range(60)]
    odd = [{"type": f"odd {n}"} for n in range(60)]
    text = text_of(fragment(stream(*calls, *used, *odd)._repr_html_()))
    for told in (
        "13 types not shown: session",
        "10 tools not shown: session.tool_calls()",
        "10 models not shown: session.usage()",
    ):
        assert told in text


def test_many_entities_that_are_not_in_a_context_are_counted() -> None:
    said = [{"type": "message", "messageId": f"m{n}", "role": "user"} for n in range(60)]
    text = text_of(fragment(stream(*said, {"type": "rewind", "to": None}).context_view()._repr_html_()))
    assert "taken back by a rewindr6260" in text
    assert "10 entities not shown: view.absent" in text


def test_many_flags_of_one_item_are_cut_and_read_its_line_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many capture states a record has: what it costs to find them is one reading of its line."""
    read: Counter[int] = Counter()
    value = Log.value

    def counted(log: Log, index: int) -> Any:
        read[index] += 1
        return value(log, index)

    monkeypatch.setattr(Log, "value", counted)
    states = {f"k{n}": {"state": "partial"} for n in range(NOTEBOOK.rows + 10)}
    view = stream({"type": "message", "messageId": "m", "role": "user", "capture": states}).context_view()
    assert len(view.flags) == len(states)
    assert max(read.values()) < 10
    text = text_of(fragment(view._repr_html_()))
    assert "10 flags not shown: view.flags" in text


def test_many_rows_of_a_report_are_cut() -> None:
    report = ConversionReport(source="a", units_read=3)
    for n in range(60):
        report.note(n, "a-note", f"note {n}")
        report.converted[f"type {n}"] += 1
        report.children[f"child {n}"] = ConversionReport()
    text = text_of(fragment(report._repr_html_()))
    assert "Notes: 60" in text
    assert text.count("10 rows not shown: report") == 2
    assert "10 child sessions not shown: report" in text
    assert "note 49" in text
    assert "note 50" not in text
    actions = tuple(Action("put-aside", n, None, None, (), f"message {n}") for n in range(60))
    repaired = text_of(fragment(RepairReport(None, "t", None, 0, actions, ())._repr_html_()))
    assert "10 actions not shown: report" in repaired
    assert "message 49" in repaired


def test_many_models_and_declared_values_are_cut() -> None:
    one = ModelUsage(input_tokens=1)
    totals = UsageTotals({f"m{n}": one for n in range(60)}, one, {}, 0, 0, 0, [], False)
    assert "10 models not shown: usage" in text_of(fragment(totals._repr_html_()))
    declared = Declared(profiles=[f"p{n}" for n in range(60)])
    assert "10 values not shown: declared" in text_of(fragment(declared._repr_html_()))


def test_many_members_that_differ_are_cut() -> None:
    old, new = ({f"m{n}": v for n in range(60)} for v in (1, 2))
    session = stream({"type": "plan", "planId": "p", **old}, {"type": "plan", "planId": "p", **new})
    assert "10 members not shown: chain[1]" in text_of(fragment(session.revisions("planId=p")._repr_html_()))


def test_a_chain_of_many_revisions_shows_the_first_and_the_last() -> None:
    session = stream(*[{"type": "tool_call", "callId": "c", "name": f"n{n}"} for n in range(100)])
    text = text_of(fragment(session.revisions("callId=c")._repr_html_()))
    assert "40 revisions not shown: chain[30:70]" in text
    assert "+ n70" in text
    assert "- n69" in text, "a revision after the gap is compared with the one before it, which is not shown"
    assert "n68" not in text


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (record(type="message", messageId="m", role="user", content=[{"type": "text", "text": "hello"}]),
         "Message(seq=2, id='r2', message_id='m', role='user', content=[TextBlock(text='hello')])"),
        (record(type="state", turnId="t" * 200, timestamp="2026-01-01T00:00:00Z", source={"path": "p"}, state="idle", reason="r"),
         "State(seq=2, id='r2', state='idle', reason='r', turn_id='ttttttttttttttttttttttttttttttttttttttt…, …)"),
        (record(type="x", **{"a\u202e b": 1}), "UnknownRecord(type='x', seq=2, id='r2', 'a\\u202e b'=1)"),
        (stream(), "<Session 'a' 's', 1 records>"),
        (stream(agent="\u202e" * 500, namespace="n"), None),
        (stream().context_view(), "<ContextView of 0 entities at the end>"),
        (stream().usage(), "<UsageTotals: 0 models>"),
        (stream().declared(), "Declared()"),
        (stream(contentLevel="full").declared(), "Declared(content_level='full')"),
        (stream().info(), "Info()"),
        (stream().diagnostics, "<Findings: none>"),
        (Session.read(b"{}\n").diagnostics, None),
        (Session.read(b"{}\n").records[0], None),
        (stream({"type": "plan", "planId": "p" * 300}).revisions("planId=" + "p" * 300), None),
        (stream({"type": "plan", "planId": "p"}).revisions("planId=p"), "<RevisionChain of 'plan' 'planId=p': 1 revision>"),
        (stream({"type": "tool_result", "callId": "c"}).tool_calls()[0], "<ToolUse 'c': no call, outcome null>"),
        (stream({"type": "tool_call", "callId": "\x1b" * 99, "name": "n" * 99}).tool_calls()[0], None),
    ],
)  # fmt: skip
def test_a_repr_is_short_and_has_no_controls(value: object, expected: str | None) -> None:
    found = repr(value)
    assert len(found) <= 160
    assert found.isprintable()
    if expected is not None:
        assert found == expected


def test_the_repr_of_every_record_is_short() -> None:
    session = many(200)
    assert all(len(repr(r)) <= 120 for r in session.records)
