"""Every display is valid HTML that holds what it shows as text, whatever that is, and nothing that runs or fetches."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from IPython.core.formatters import DisplayFormatter

from sessionrecord import InvalidRecord, Message, Session, TextBlock, parse_record
from sessionrecord.convert import claude_code
from sessionrecord.convert.report import ConversionReport, MadeUp, Note, Unconverted
from sessionrecord.convert.report import Loss as ReportedLoss
from sessionrecord.diagnostics import Diagnostic
from sessionrecord.display.html import findings_html, session_page
from sessionrecord.records import RECORD_TYPES, UnknownRecord
from sessionrecord.session import Declared, Info, ModelUsage, UsageTotals
from sessionrecord.session.findings import Findings
from sessionrecord.validate import RepairReport, ValidationReport, repair, validate
from tests.display.html.samples import DATA, hostile_records, message, rewound, sample, stream
from tests.display.html.test_build import HOSTILE
from tests.display.html.trees import check, fragment, parsed, shown, text_of, visible
from tests.strategies import blocks, records

WRITABLE = [text for text in HOSTILE if text.isascii() or text.encode("utf-8", "ignore").decode() == text]


def views_of(session: Session) -> list[Any]:
    """Everything of a session that has a display."""
    half = session.at(session.records[len(session) // 2].seq or 0) if len(session) else session.at(0)
    return [
        session, half, session.context_view(), half.context_view(), *(e for e in session.entities),
        *(e.revisions for e in session.entities), session.usage(), session.declared(), session.info(), session.diagnostics,
    ]  # fmt: skip


@pytest.mark.parametrize("make", [sample, rewound, lambda: Session.read(b""), lambda: Session.read(b"\n{\n"), stream])
def test_the_displays_of_a_session_are_valid_html(make: Callable[[], Session]) -> None:
    session = make()
    for view in views_of(session):
        fragment(view._repr_html_())
    for record in session.records:
        fragment(record._repr_html_())
    page(session)


def page(session: Session) -> str:
    """The text of a session's page, which is checked."""
    html = session_page(session).html
    tree = parsed(html)
    head, body = tree.find("head"), tree.find("body")
    assert head is not None
    assert body is not None
    assert [e.tag for e in head] == [*["meta"] * 6, "title", "style"]
    main = body.find("main")
    assert main is not None
    assert len(body) == 1
    for child in main:
        check(child)
    assert visible(html)
    return text_of(main)


@pytest.mark.parametrize("text", WRITABLE, ids=range(len(WRITABLE)))
def test_hostile_text_anywhere_is_only_text(text: str) -> None:
    records = hostile_records(text)
    for record in records:
        fragment(record._repr_html_())
    assert sum(isinstance(record, InvalidRecord) for record in records) == 3
    session = Session.from_records(records)
    for view in (session, session.context_view(), session.usage(), session.declared(), session.info()):
        fragment(view._repr_html_())
    page(session)


@pytest.mark.parametrize("text", [t for t in WRITABLE if "\u200d" not in t])
def test_a_text_is_shown_whole(text: str) -> None:
    found = text_of(fragment(message({"type": "text", "text": text})._repr_html_()))
    assert shown(text) in found


@given(records())
@settings(max_examples=60)
def test_any_record_is_shown(record: Any) -> None:
    fragment(record._repr_html_())


@given(st.lists(blocks(), min_size=1, max_size=4))
def test_any_content_is_shown(content: list[Any]) -> None:
    record = message(*content)
    assert isinstance(record, Message)
    for block in record.content or ():
        fragment(block._repr_html_())
    html = record._repr_html_()
    fragment(html)


@pytest.mark.parametrize("cls", [*RECORD_TYPES.values(), UnknownRecord], ids=lambda cls: cls.__name__)
@given(data=st.data())
@settings(max_examples=6)
def test_every_member_of_a_record_is_named_or_has_a_display_of_its_own(cls: Any, data: st.DataObject) -> None:
    """Nothing that a record says is left out: all members are in the display, by their own part or by name."""
    record = data.draw(records(cls))
    text = text_of(fragment(record._repr_html_()))
    own = {
        "Message": {"role", "content"}, "ToolCall": {"name", "title", "arguments", "status"},
        "ToolResult": {"outcome", "exitCode", "durationMs", "error", "content", "structured"}, "Compaction": {"summary"},
        "MemoryWrite": {"content"}, "Question": {"prompt"}, "Terminal": {"output"}, "FileChange": {"patch"}, "Plan": {"entries"},
    }.get(cls.__name__, set())  # fmt: skip
    for name in record.to_wire():
        if (
            name not in {"type", "seq", "id", "timestamp"} | own
            and not set(name) & set("\u200c\u200d")
            and len(name) < 60
        ):
            assert shown(name)[:40] in text


@given(st.lists(st.binary(max_size=60), max_size=6))
def test_any_lines_are_shown(lines: list[bytes]) -> None:
    session = Session.read(b"\n".join(lines))
    fragment(session._repr_html_())
    for record in session.records:
        fragment(record._repr_html_())


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_reports_are_shown(text: str) -> None:
    found = Diagnostic("value-invalid", "error", text, 3, 7, f"/{text}", text, "ASR-041")
    loss = ReportedLoss("member_dropped", text, 2, text)
    report = ConversionReport(source=text, lines_read=3, units_read=4, lost=[loss], child_usage={text: 3})
    report.converted[text] += 1
    report.kept[text] += 1
    report.records[text] += 1
    report.not_converted.append(Unconverted(1, text, text))
    report.made_up.append(MadeUp(0, text, text, text))
    report.note(2, text, text)
    report.children[text] = ConversionReport(source=text, notes=[Note(1, text, text)])
    one = ModelUsage(input_tokens=1, missing={"input_tokens": 1})
    totals = UsageTotals({text: one, None: one}, one, {text: Decimal(2)}, 4, 3, 1, [text], None)
    for display in (
        ValidationReport(text, "stream", 4, (found, found)),
        ValidationReport(None, "record", 0, ()),
        Findings([found]),
        Findings(),
        report,
        totals,
        Info(text, text, [text], True),
        Info(),
        Declared(profiles=[text], extensions=[], content_level=text),
        Declared(),
    ):
        tree = fragment(display._repr_html_())
        assert len(repr(display)) <= 160
        assert repr(display).isprintable()
        assert tree is not None


def test_a_repair_is_shown(tmp_path: Any) -> None:
    broken = tmp_path / "broken.jsonl"
    lines = sample().records
    broken.write_bytes(lines[0].to_line() + b"\n{}\n" + lines[5].to_line()[:70] + b"\n" + lines[6].to_line() + b"\n")
    report = repair(broken, tmp_path / "out.jsonl")
    assert isinstance(report, RepairReport)
    assert report.aside == 2
    text = text_of(fragment(report._repr_html_()))
    for action in report.actions:
        assert action.message[:60] in text
    assert len(repr(report)) <= 160


def test_a_validation_says_what_it_found() -> None:
    report = validate(b'{"type":"session","seq":1,"id":"r1","agent":"a","sessionId":"s","producer":{}}\n')
    text = text_of(fragment(report._repr_html_()))
    assert "not valid" in text
    for d in report.diagnostics:
        assert d.message in text
        assert d.code in text


def test_a_conversion_is_shown_as_its_report() -> None:
    done = claude_code.convert(DATA / "claude-code-sample.jsonl")
    html = done._repr_html_()
    text = text_of(fragment(html))
    assert html == done.report._repr_html_()
    assert "focus-session" in text
    assert all(loss.field in text for loss in done.report.lost if loss.field)


def test_many_findings_are_counted_by_code() -> None:
    found = [Diagnostic.of("value-invalid", "no", line=n) for n in range(1, 1001)]
    text = text_of(fragment(findings_html(found)))
    assert "value-invalid 1,000" in text
    assert "950 findings not shown: diagnostics" in text


def test_unknown_members_named_as_displays_are_displays_of_nothing() -> None:
    """A notebook asks an object for methods by name; a record's own members never answer for it."""
    record = parse_record(
        b'{"type":"x","seq":1,"id":"a","_repr_javascript_":"alert(1)","_repr_html_":"<b>","_ipython_display_":"x","_repr_mimebundle_":{}}'
    )
    shown, _ = DisplayFormatter().format(record)  # type: ignore[no-untyped-call]  # IPython has no types here
    assert set(shown) == {"text/plain", "text/html"}
    assert shown["text/plain"] == repr(record)
    fragment(shown["text/html"])


def test_displays_are_imported_when_something_is_shown() -> None:
    code = "import sys, sessionrecord; print([m for m in sys.modules if 'display' in m and 'sessionrecord' in m])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_a_block_and_any_other_object_have_displays() -> None:
    assert "hello" in text_of(fragment(TextBlock(text="hello")._repr_html_()))
    declared = sample().declared()
    assert declared.losses
    text = text_of(fragment(declared.losses[0]._repr_html_()))
    assert "member_dropped" in text
    assert "Loss" in text
