"""What a redacted stream says of it. Every removal leaves a capture state `redacted` and a count (spec sections 4 and 6)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sessionrecord import Session
from sessionrecord.errors import RedactionError
from sessionrecord.redact import Pattern, RedactionRules
from tests.redact.samples import HEADER, message, redacted, stream, text

SECRET = "hunter2"
RULES = RedactionRules({"one": "hunter2", "two": "hunter3"})


def capture_of(**capture: Any) -> Any:
    """The capture states of a message after redaction, given those before."""
    out, made = redacted(stream(message(text("hunter2 hunter2 hunter3"), capture=capture)), RULES)
    assert made.session.diagnostics == []
    return json.loads(out.splitlines()[1])["capture"]


def test_a_state_says_how_many_of_which_rule() -> None:
    assert capture_of() == {"content": {"state": "redacted", "count": 3, "reason": "removed: one 2, two 1"}}


def test_states_of_other_members_stay() -> None:
    other = {"model": {"state": "unavailable", "reason": "not told", "x": 1}}
    assert capture_of(**other) == {**other, "content": capture_of()["content"]}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"state": "complete"}, {"reason": "removed: one 2, two 1"}),
        ({"state": "truncated"}, {"reason": "removed: one 2, two 1; it was truncated"}),
        (
            {"state": "truncated", "reason": "too long"},
            {"reason": "removed: one 2, two 1; it was truncated (too long)"},
        ),
        ({"state": "redacted", "reason": "by hand"}, {"reason": "removed: one 2, two 1; it was redacted (by hand)"}),
        (
            {"state": "truncated", "bytes": 9000, "sha256": "0" * 64, "blob": {"sha256": "0" * 64, "bytes": 9000}},
            {"bytes": 9000, "reason": "removed: one 2, two 1; it was truncated"},
        ),
    ],
)
def test_an_earlier_state_is_told_and_what_leads_back_to_the_secret_is_left_out(before: Any, after: Any) -> None:
    """A hash of the original, or a blob with it, would give the secret away; its size is still true."""
    assert capture_of(content=before) == {"content": {"state": "redacted", "count": 3, **after}}


def test_counts_of_two_redactions_add_up() -> None:
    first, _ = redacted(
        stream(message(text("hunter2 hunter3"), capture={"content": {"state": "truncated"}})),
        RedactionRules({"one": "hunter2"}),
    )
    second, _ = redacted(first, RULES)
    third, _ = redacted(second, RULES)
    state = json.loads(second.splitlines()[1])["capture"]["content"]
    assert state == {"state": "redacted", "count": 2, "reason": "removed: one 1, two 1; it was truncated"}
    losses = json.loads(second.splitlines()[0])["losses"]
    assert [(x["count"], x["explanation"]) for x in losses] == [(1, "one 1"), (1, "two 1")]
    assert third == second


def test_a_null_in_place_of_states_reads_as_absent_and_gives_way_to_them() -> None:
    """Ruling: null in a member of our own design is a warning and reads as absent."""
    expected = capture_of()
    for record in (message(text("hunter2 hunter2 hunter3"), capture=null) for null in (None, {"content": None})):
        out, made = redacted(stream(record), RULES)
        assert json.loads(out.splitlines()[1])["capture"] == expected
        assert made.report.unmarked == ()
        assert [d for d in made.session.diagnostics if d.severity == "error"] == []


@pytest.mark.parametrize("capture", [7, [1], "x"])
def test_a_record_whose_states_are_no_object_is_told_of(capture: Any) -> None:
    out, made = redacted(stream(message(text(SECRET), capture=capture)), RULES)
    assert json.loads(out.splitlines()[1])["capture"] == capture
    assert made.report.unmarked == (2,)


def test_every_member_of_a_record_has_its_own_state() -> None:
    record = {"type": "odd", "a": SECRET, "b": {"x": [SECRET, SECRET]}, "c": 1}
    out, _ = redacted(stream(record), RULES)
    capture = json.loads(out.splitlines()[1])["capture"]
    assert {name: state["count"] for name, state in capture.items()} == {"a": 1, "b": 2}


LOSS = {"kind": "secret", "stage": "redaction", "count": 1, "explanation": "one 1"}
OTHER = {"kind": "x"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({}, {"contentLevel": "redacted", "losses": [LOSS]}),
        ({"contentLevel": "full", "losses": []}, {"contentLevel": "redacted", "losses": [LOSS]}),
        ({"contentLevel": "metadata_only"}, {"contentLevel": "metadata_only", "losses": [LOSS]}),
        ({"losses": [OTHER]}, {"losses": [OTHER, LOSS], "contentLevel": "redacted"}),
        ({"losses": 7}, {"losses": 7, "contentLevel": "redacted"}),
        ({"losses": None, "contentLevel": None}, {"contentLevel": "redacted", "losses": [LOSS]}),
    ],
)
def test_the_header_says_that_and_how_much_was_removed(before: Any, after: Any) -> None:
    records = stream({"type": "odd", "a": SECRET}).splitlines(keepends=True)
    header = {"type": "session", "seq": 1, "id": "r1", **HEADER, **before}
    out, _ = redacted(json.dumps(header).encode() + b"\n" + records[1], RULES)
    assert json.loads(out.splitlines()[0]) == {**header, **after}


def test_declarations_that_replace_what_the_header_says_are_changed_alike() -> None:
    declarations: list[dict[str, Any]] = [
        {"type": "declaration", "losses": [OTHER], "contentLevel": "full"},
        {"type": "declaration", "profiles": []},
    ]
    out, made = redacted(stream(message(text(SECRET)), *declarations), RULES)
    records = [json.loads(r) for r in out.splitlines()]
    assert (records[2]["losses"], records[2]["contentLevel"]) == ([OTHER, LOSS], "redacted")
    assert out.splitlines()[3] == stream(message(), *declarations).splitlines()[3]
    declared = made.session.declared()
    assert declared.content_level == "redacted"


def test_a_stream_without_a_header_gets_none() -> None:
    source = stream(message(text(SECRET))).splitlines(keepends=True)[1]
    out, made = redacted(source, RULES)
    assert b"losses" not in out
    assert len(made.session) == 1
    assert [d.code for d in made.session.diagnostics] == [d.code for d in Session.read(source).diagnostics]


def test_a_secret_in_the_header_itself_is_counted_there() -> None:
    header = {"type": "session", "seq": 1, "id": "r1", **HEADER, "environment": {"shell": SECRET}, "x": SECRET}
    out, made = redacted(json.dumps(header).encode() + b"\n", RULES)
    record = json.loads(out)
    assert (record["losses"][0]["count"], record["environment"]["shell"]) == (2, "[redacted:one]")
    assert set(record["capture"]) == {"environment", "x"}
    assert made.session.diagnostics == []


def test_a_count_that_is_itself_a_value_raises_with_the_reason() -> None:
    texts = [text(" 1000" * 499), text("1000")]
    source = stream(message(*texts), message(*texts, messageId="m2"))
    with pytest.raises(
        RedactionError, match=r"^line 1 at /losses/0/count: what redaction writes there, a count, .* rule pin;"
    ):
        redacted(source, RedactionRules({"pin": "1000"}))
    one_more = stream(message(*texts), message(*texts, text("1000"), messageId="m2"))
    assert redacted(one_more, RedactionRules({"pin": "1000"}))[1].report.count == 1001


@pytest.mark.parametrize("regex", [r'"count":\s*\d+', r'"state":"\w+"', r'"losses":\[[^]]*\]'])
def test_a_pattern_that_would_find_what_redaction_writes_is_refused(regex: str) -> None:
    with pytest.raises(RedactionError, match="the pattern p matches what stands in place of a secret"):
        RedactionRules(patterns=[Pattern("p", regex)])


@pytest.mark.parametrize("regex", [r'"pin":\s*[^,]+', r'"pin":.*', r'"pin":[{]?"?\w+', r'"pin":\s*\S+', r'"pin":'])
def test_a_pattern_by_name_is_not_about_the_capture_state_of_that_name(regex: str) -> None:
    rules = RedactionRules(patterns=[Pattern("p", regex)])
    out, made = redacted(stream({"type": "odd", "pin": 12345}), rules)
    assert made.report.count == 1
    assert redacted(out, rules)[0] == out


def test_the_report_adds_up_by_place_and_rule() -> None:
    out, made = redacted(stream(message(text("hunter2 hunter2"), text("hunter3"), x={SECRET: 1})), RULES)
    report = made.report
    assert [(r.line, r.record_id, r.pointer, r.what, r.rule, r.count) for r in report.removals] == [
        (2, "r2", "/x/[redacted:one]", "name", "one", 1),
        (2, "r2", "/content/0/text", "text", "one", 2),
        (2, "r2", "/content/1/text", "text", "two", 1),
    ]
    assert (report.count, report.rules, report.changed, report.records) == (4, {"one": 3, "two": 1}, 1, 2)
    assert json.loads(json.dumps(report.to_dict()))["rules"] == report.rules
    assert str(report).splitlines() == [
        "2 records, 1 changed, 4 removed",
        "  one 3, in 2 places:",
        "    line 2 at /x/[redacted:one] (name)",
        "    line 2 at /content/0/text (text, 2 times)",
        "  two 1, in 1 place:",
        "    line 2 at /content/1/text (text)",
    ]
    assert json.loads(out.splitlines()[0])["losses"][0]["count"] == report.count


def test_a_report_of_many_removals_is_cut_as_text_and_whole_where_all_is_asked_for() -> None:
    source = stream(*(message(text(SECRET), x="hunter3") for _ in range(9))) + b"hunter2\n" * 7
    report = redacted(source, RULES)[1].report
    shown = str(report).splitlines()
    assert shown[0] == "17 records, 16 changed, 25 removed"
    assert [line for line in shown if not line.startswith("    ")] == [
        shown[0],
        "  one 16, in 16 places:",
        "  two 9, in 9 places:",
        "  no capture state, as the line is no record 7:",
    ]
    assert [line for line in shown if "more" in line] == ["    and 11 more", "    and 4 more", "    and 2 more"]
    assert len(shown) == 4 + 3 * 6
    whole = report.to_text().splitlines()
    assert len(whole) == 4 + len(report.removals) + len(report.unmarked)
    assert len(report.to_dict()["removals"]) == len(report.removals)


def test_a_report_shows_controls_escaped() -> None:
    report = redacted(stream({"type": "odd", "\x1b[31m\n": SECRET}), RULES)[1].report
    assert "    line 2 at /\\x1b[31m\\n (text)" in str(report).splitlines()
    with pytest.raises(RedactionError) as raised:
        redacted(
            stream({"type": "odd", "\x1b[31m\n": {"id": "x", "n": 'x","b'}}),
            RedactionRules(patterns=[Pattern("p", 'x","n')]),
        )
    assert "\x1b" not in str(raised.value)
    assert "\n" not in str(raised.value)
