"""Nothing is lost without a word: each record is in the export or in its report, and so is each text and each call."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import atif
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessionrecord import ijson
from sessionrecord.display.visible import visible
from sessionrecord.errors import IJsonError
from sessionrecord.export import KINDS, Exported, LossReport, to_atif, to_markdown, to_otlp
from sessionrecord.records import InvalidRecord, Message, TextBlock, ToolCall, ToolResult
from sessionrecord.session import Session
from tests.export import represented
from tests.export.sessions import sessions


def with_content(session: Session, *, at: int | None = None) -> Exported:
    return to_otlp(session, at=at, content=True)


EXPORTERS: list[Callable[..., Exported]] = [to_atif, to_otlp, with_content, to_markdown]


def lost_whole(report: LossReport) -> list[int | None]:
    return [loss.seq for loss in report.losses if loss.pointer == ""]


def found(exported: Exported) -> set[int]:
    """The `seq` of each record in an export; the drawn records have the ID `r<seq>`."""
    if exported.report.target == "atif":
        return represented.in_atif(represented.loads(exported.text))
    ids = represented.in_otlp(represented.loads(exported.text)) if exported.report.target == "otlp" else None
    return {int(i[1:]) for i in (represented.in_markdown(exported.text) if ids is None else ids)}


@pytest.mark.parametrize("export", EXPORTERS)
@given(sessions(), st.one_of(st.none(), st.integers(1, 14)))
def test_each_record_is_in_the_export_or_listed_as_left_out(
    export: Callable[..., Exported], session: Session, at: int | None
) -> None:
    """Each record counts once: as represented, folded or left out (docs/export.md)."""
    exported = export(session, at=at)
    report, lost = exported.report, lost_whole(exported.report)
    valid = [r for r in session.records if not isinstance(r, InvalidRecord) and (at is None or r.seq <= at)]
    there = found(exported)
    assert there.isdisjoint(lost)
    assert there | {seq for seq in lost if seq is not None and seq < 99} == {r.seq for r in valid}
    assert sum(loss.kind == "invalid_line" for loss in report.losses) == report.records - len(valid)
    assert report.represented == len(there)
    assert report.represented + report.folded + report.left_out == report.records
    assert {loss.kind for loss in report.losses} <= KINDS.keys()
    assert sum(report.counts.values()) == len(report.losses)


def path_records(session: Session, at: int | None) -> list[Any]:
    """The last valid revision of each entity of the active path."""
    latest = []
    for entity in session.active_path(at=at).entities:
        valid = [r for r in session.revisions(entity, at) if not isinstance(r, InvalidRecord)]
        latest += valid[-1:]
    return latest


@given(sessions(), st.one_of(st.none(), st.integers(1, 14)))
def test_each_text_of_the_path_is_in_every_export(session: Session, at: int | None) -> None:
    """The texts of the messages, results and summaries of the path, in JSON as they are, in Markdown made visible."""
    trajectory = to_atif(session, at=at).data
    said = {"atif": strings(trajectory["steps"])}
    request = represented.spans(json.loads(with_content(session, at=at).text))
    said["otlp"] = {s for span in request for where in (span, *span["events"]) for s in spoken(where["attributes"])}
    fences = {t.content for t in represented.tokens(to_markdown(session, at=at).text) if t.type == "fence"}
    for record in path_records(session, at):
        for block in getattr(record, "summary" if record.type == "compaction" else "content", None) or ():
            if isinstance(block, TextBlock):
                assert block.text in said["atif"]
                assert block.text in said["otlp"]
                assert visible(block.text) + "\n" in fences


def strings(value: Any) -> set[str]:
    """All strings in a JSON value."""
    if isinstance(value, str):
        return {value}
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return {s for v in inner for s in strings(v)}


def spoken(attributes: dict[str, Any]) -> set[str]:
    """All strings in the attributes that hold JSON text."""
    found: set[str] = set()
    for name, value in attributes.items():
        if name.endswith(("messages", ".record", ".result", ".arguments")):
            found |= strings(json.loads(value))
        elif name.endswith(".records"):
            found |= {s for v in value for s in strings(json.loads(v))}
    return found


def leaves(value: Any, place: str = "") -> Iterator[tuple[str, str]]:
    """The strings and numbers in a JSON value as text, each with its JSON Pointer."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from leaves(inner, place + ijson.pointer(name))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from leaves(inner, f"{place}/{index}")
    elif value is not None and not isinstance(value, bool):
        yield place, value if isinstance(value, str) else ijson.dumps(value).decode()


def told(exported: Exported) -> set[str]:
    """All strings and numbers of an export as text, those within JSON text among them."""
    found: set[str] = set()
    if exported.report.target == "markdown":
        for token in represented.tokens(exported.text):
            pieces = [child.content for child in token.children or ()] if token.type == "inline" else [token.content]
            found.update(pieces)
            found.update(word for piece in pieces for word in piece.split())
            if token.info == "json":
                found.update(visible(text) for _, text in leaves(ijson.loads(token.content.encode())))
        return found
    waiting = [exported.data]
    while waiting:
        for _, text in leaves(waiting.pop()):
            found.add(text)
            if text[:1] in ("{", "["):
                with suppress(IJsonError):
                    waiting.append(ijson.loads(text.encode()))
    return found


RENAMED = {
    "atif": r"/(type|seq)|/role|/content/\d+/(type|text|data|mimeType)|/(summary)/\d+/(type|text|data|mimeType)",
    "otlp": r"/(type|seq|namespace|inputTokens|role|timestamp|stopReason|scope|counter|timeToFirstTokenMs)|/(content|summary)/\d+/type",
    "markdown": r"/(type|seq|role|timestamp)|/(content|summary)/\d+/(type|text|oldText|newText)",
}
"""Members whose value has another form in the export; what becomes of them is tested one by one."""


@pytest.mark.parametrize("export", [to_atif, with_content, to_markdown])
@given(sessions())
def test_each_value_of_a_record_is_in_the_export_or_its_member_is_listed(
    export: Callable[..., Exported], session: Session
) -> None:
    exported = export(session)
    there, values = found(exported), told(exported)
    lost = {(loss.seq, loss.pointer) for loss in exported.report.losses}
    markdown = exported.report.target == "markdown"
    for record in session.records:
        if isinstance(record, InvalidRecord) or record.seq not in there:
            continue
        for place, text in leaves(record.to_wire()):
            if re.fullmatch(RENAMED[exported.report.target], place):
                continue
            shown = {visible(text), visible(text, keep="").replace("|", "\\x7c"), f'"{visible(text, keep="")}"'}
            if shown & values if markdown else text in values:
                continue
            above = ["/" + "/".join(place.split("/")[1:n]) for n in range(2, place.count("/") + 2)]
            assert any((record.seq, p) in lost for p in above), (place, text, record)


@given(sessions())
def test_a_call_of_the_path_and_its_result_are_a_pair_in_every_export(session: Session) -> None:
    """Paired by callId, never by adjacency (section 7, rule 6)."""
    records = path_records(session, None)
    calls = {r.call_id for r in records if isinstance(r, ToolCall)}
    results = {r.call_id for r in records if isinstance(r, ToolResult)}
    steps = to_atif(session).data["steps"]
    made: dict[str, int] = {}
    for number, step in enumerate(steps):
        made |= {c["tool_call_id"]: number for c in step.get("tool_calls", [])}
    answered: dict[str, int] = {}
    for number, step in enumerate(steps):
        for answer in step.get("observation", {}).get("results", []):
            if "source_call_id" in answer and "extra" in answer:
                answered[answer["source_call_id"]] = number
    assert made.keys() == calls
    earlier = {i for i in answered if answered[i] == made[i]}
    assert earlier == answered.keys() <= results & calls
    tools = [s for s in represented.spans(to_otlp(session).data) if s["name"].startswith("execute_tool")]
    spans = {s["attributes"]["gen_ai.tool.call.id"]: s["attributes"]["sessionrecord.record.ids"] for s in tools}
    for call_id in calls | results:
        latest = {r.id for r in records if isinstance(r, ToolCall | ToolResult) and r.call_id == call_id}
        assert latest <= set(spans[call_id])


@given(sessions(), st.one_of(st.none(), st.integers(1, 14)))
def test_a_trajectory_is_valid_by_the_public_models(session: Session, at: int | None) -> None:
    """The `atif` package holds the models of ATIF 1.8."""
    trajectory = atif.Trajectory.model_validate(json.loads(to_atif(session, at=at).text))
    assert trajectory.schema_version == "ATIF-v1.8"


@given(sessions())
def test_an_export_at_a_seq_is_that_of_a_stream_that_ends_there(session: Session) -> None:
    """`at=seq` means: only records with `seq` ≤ that (section 3)."""
    records = list(session.records)
    if any(isinstance(r, InvalidRecord) for r in records):
        return
    for at in (2, 5):
        short = Session.from_records([r for r in records if r.seq is not None and r.seq <= at])
        for export in EXPORTERS:
            assert export(session, at=at).report == export(short).report
        assert to_atif(session, at=at).text == to_atif(short).text
        assert with_content(session, at=at).text == with_content(short).text


@given(sessions())
def test_a_message_off_the_path_is_listed_by_those_that_hold_one_history(session: Session) -> None:
    on_path = {e.first for e in session.active_path().entities}
    off = {
        valid[-1].seq
        for e in session.entities
        if e.type == "message" and e.first not in on_path
        if (valid := [r for r in e.revisions if isinstance(r, Message)])
    }
    for export in (to_atif, to_markdown):
        report = export(session).report
        assert {loss.seq for loss in report.losses if loss.kind == "not_on_path" and loss.what == "message"} == off
