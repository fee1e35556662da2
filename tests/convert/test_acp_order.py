"""Messages come in any order, of several sessions, live or from a log: nothing is lost, doubled or moved."""

from __future__ import annotations

import contextlib
import json
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessionrecord import Session, StreamWriter
from sessionrecord.convert import acp
from sessionrecord.convert.testing.accounting import account
from sessionrecord.convert.testing.output import validated
from sessionrecord.errors import ConversionError, WriterError
from sessionrecord.records import InvalidRecord, Message, PermissionDecision, Record, State, ToolCall, Usage
from sessionrecord.records.envelope import EnvelopeModel
from sessionrecord.stream import RecordList
from tests.convert.acp_logs import (
    OPTIONS,
    SAMPLE,
    agent,
    ask,
    call,
    chunk,
    client,
    convert,
    done,
    item,
    kept,
    log,
    of,
    opened,
    prompt,
    record_live,
    said,
    text,
    update,
)

SESSIONS = ("s1", "s2")
sessions = st.sampled_from(SESSIONS)
names = st.sampled_from(["a", "b"])
words = st.text(st.sampled_from("xyz é\n"), min_size=1, max_size=3)


@st.composite
def messages(draw: st.DrawFn) -> dict[str, Any]:
    """Any message of a connection, whether or not it can come next."""
    session, name, word = draw(sessions), draw(names), draw(words)
    number = draw(st.integers(0, 3))
    options: list[dict[str, Any]] = [
        chunk(word, session=session),
        chunk(word, draw(st.sampled_from(["user_message_chunk", "agent_thought_chunk"])), session=session),
        chunk(word, session=session, messageId=name),
        update("agent_message", session=session, messageId=name, content=[text(word)]),
        update("user_message", session=session, messageId=f"u{name}", content=[text(word)]),
        prompt(number, word, session=session),
        done(number),
        agent(id=number, result={}),
        agent(id=number, error={"code": 1, "message": word}),
        update("tool_call", session=session, toolCallId=name, title=word, status="pending"),
        update(
            "tool_call_update",
            session=session,
            toolCallId=name,
            status=draw(st.sampled_from(["in_progress", "completed", "failed"])),
            content=[item(word)],
        ),
        update("tool_call_content_chunk", session=session, toolCallId=name, content=item(word)),
        update("usage_update", session=session, used=number, size=10),
        update("state_update", session=session, state=draw(st.sampled_from(["running", "idle"]))),
        update("plan", session=session, entries=[{"content": word}]),
        update("compaction_update", session=session, compactionId=name, status="completed", summary=[text(word)]),
        update("compaction_summary_chunk", session=session, compactionId=name, content=text(word)),
        update("terminal_output_chunk", session=session, terminalId=name, data="YQ=="),
        update("terminal_update", session=session, terminalId=name, command=word, exitStatus={"exitCode": number}),
        update("from_the_future", session=session),
        call(number, "session/request_permission", session=session, toolCall={"toolCallId": name}, options=OPTIONS),
        client(id=number, result={"outcome": {"outcome": "selected", "optionId": "once"}}),
        client(method="session/cancel", params={"sessionId": session}),
        ask(number, "session/load", sessionId=session, cwd="/work"),
        ask(number, "session/new", cwd="/work"),
        agent(id=number, result={"sessionId": session}),
    ]
    return draw(st.sampled_from(options))


def streams(conversion: Any) -> list[list[Record]]:
    return [conversion.main, *conversion.children.values()]


def plain(records: list[Record]) -> list[dict[str, Any]]:
    """What the records say, whoever recorded them: a log has a path, and its producer is a converter."""
    found = []
    for record in records:
        wire = record.to_wire()
        wire.get("source", {}).pop("path", None)
        if "producer" in wire:
            wire["producer"].pop("method")
        found.append(wire)
    return found


@settings(max_examples=120, deadline=None)
@given(st.sampled_from([1, 2]), st.lists(messages(), max_size=30))
def test_any_order_of_messages_is_accounted_for_and_gives_valid_streams(
    version: int, lines: list[dict[str, Any]]
) -> None:
    data = log([*opened(version), *lines])
    conversion = acp.convert(data)
    account(conversion, data, "the log")
    validated(conversion, "the log", errors_only=True)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from([1, 2]), st.lists(messages(), max_size=25))
def test_recording_live_gives_what_converting_the_log_gives(version: int, lines: list[dict[str, Any]]) -> None:
    lines = [*opened(version), *lines]
    live = record_live(lines).conversion()
    saved = acp.convert(log(lines))
    assert [plain(s) for s in streams(live)] == [plain(s) for s in streams(saved)]
    assert live.report.to_dict() | {"source": None} == saved.report.to_dict()


@settings(max_examples=60, deadline=None)
@given(st.lists(messages(), max_size=25))
def test_sessions_of_one_connection_do_not_touch_each_other(lines: list[dict[str, Any]]) -> None:
    """What a session says is what it says alone; requests without one, and their answers, are left out here."""
    lines = [line for line in lines if line["message"].get("method") == "session/update"]
    together = acp.convert(log([*opened(), *lines, chunk("end", session="s2")]))
    for session, records in zip(SESSIONS, streams(together), strict=True):
        own = [line for line in lines if line["message"]["params"]["sessionId"] == session]
        alone = acp.convert(
            log([*opened(session=session), *own, *([chunk("end", session="s2")] if session == "s2" else [])])
        )
        assert _content(records) == _content(alone.main)


def _content(records: list[Record]) -> list[Any]:
    left_out = {"id", "seq", "source", "messageId", "timestamp"}
    return [
        {n: v for n, v in r.to_wire().items() if n not in left_out}
        for r in records
        if r.type not in ("session", "native_line")
    ]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(sessions, st.sampled_from(["agent_message_chunk", "agent_thought_chunk"]), words), min_size=1)
)
def test_the_text_of_a_session_is_the_text_of_its_pieces(pieces: list[tuple[str, str, str]]) -> None:
    """A naive fold: a new message begins where the kind changes."""
    expected: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    for session, kind, word in pieces:
        role = "thought" if kind == "agent_thought_chunk" else "assistant"
        told = expected[session]
        if told and told[-1][0] == role:
            told[-1] = role, told[-1][1] + word
        else:
            told.append((role, word))
    conversion = acp.convert(log([*opened(), *(chunk(word, kind, session=s) for s, kind, word in pieces)]))
    found = {records[0].to_wire()["sessionId"]: said(records) for records in streams(conversion)}
    assert {s: told for s, told in found.items() if told} == expected


def test_what_comes_after_a_cancel_and_after_the_answer_is_there() -> None:
    """The client should accept updates after it cancelled."""
    conversion = convert(
        prompt(1, "hi"),
        update("tool_call", toolCallId="c", title="T", status="in_progress"),
        client(method="session/cancel", params={"sessionId": "s1"}),
        update("tool_call_update", toolCallId="c", status="failed", content=[item("stopped")]),
        done(1, "cancelled"),
        chunk("late"),
    )
    assert said(conversion.main) == [("user", "hi"), ("assistant", "late")]
    assert [c.status for c in of(conversion, ToolCall)] == ["in_progress", "failed"]
    assert [(s.state, s.reason) for s in of(conversion, State)] == [("idle", "cancelled")]
    assert kept(conversion) == {"session/cancel": 1}
    # the client cancelled; that the call was is nowhere said
    assert not any(c.status == "cancelled" for c in of(conversion, ToolCall))


def test_a_history_that_is_told_for_the_first_time_is_marked_and_has_no_time() -> None:
    """Its messages happened before; the time of the line is that of telling."""
    lines = [
        *opened()[:2],
        ask(1, "session/load", sessionId="old", cwd="/work"),
        chunk("hi", "user_message_chunk", session="old"),
        chunk("hello", session="old"),
        update("usage_update", session="old", used=1, size=2),
        agent(id=1, result={}),
        prompt(2, "again", session="old"),
    ]
    conversion = acp.convert(log(lines))
    messages_ = of(conversion, Message)
    assert [(m.text, m.timestamp is None, m.to_wire().get("replayed")) for m in messages_] == [
        ("hi", True, True), ("hello", True, True), ("again", False, None),
    ]  # fmt: skip
    # the state of the session is that of now
    assert [(u.timestamp is None, "replayed" in u.to_wire()) for u in of(conversion, Usage)] == [(False, False)]


def test_a_history_that_the_session_has_already_is_not_counted_again() -> None:
    told = [
        chunk("hi", "user_message_chunk"),
        chunk("hello"),
        update("tool_call", toolCallId="c", title="T", status="completed"),
    ]
    conversion = convert(
        prompt(1, "hi"), chunk("hello"), update("tool_call", toolCallId="c", title="T", status="completed"), done(1),
        ask(2, "session/load", sessionId="s1", cwd="/elsewhere"), *told, update("usage_update", used=1, size=2),
        agent(id=2, result={}), chunk("new"),
    )  # fmt: skip
    assert said(conversion.main) == [("user", "hi"), ("assistant", "hello"), ("assistant", "new")]
    assert len(of(conversion, ToolCall)) == 1
    assert kept(conversion)["session/update/agent_message_chunk"] == 1
    assert all("told anew" in u.reason for u in conversion.report.kept_reasons)
    assert Session.from_records(conversion.main).counts()["usage"] == 1
    assert [r.to_wire()["roots"][0]["path"] for r in conversion.main if r.type == "declaration"] == ["/elsewhere"]


def test_a_prompt_ends_a_history_whose_end_is_not_told() -> None:
    """Otherwise all that follows a lost answer would pass for history."""
    conversion = convert(chunk("a"), ask(2, "session/load", sessionId="s1"), chunk("a"), prompt(3, "hi"), chunk("b"))
    assert said(conversion.main) == [("assistant", "a"), ("user", "hi"), ("assistant", "b")]


def test_a_message_that_comes_twice_is_counted_once_where_that_can_be_told() -> None:
    """Pieces of text cannot be told apart from text that repeats; everything else can."""
    once = [
        prompt(1, "hi"),
        update("tool_call", toolCallId="c", title="T", status="pending"),
        call(0, "session/request_permission", toolCall={"toolCallId": "c"}, options=OPTIONS),
        client(id=0, result={"outcome": {"outcome": "selected", "optionId": "once"}}),
        update("tool_call_update", toolCallId="c", status="completed", content=[item("x")]),
        update("plan", entries=[{"content": "a"}]),
        update("usage_update", used=1, size=2),
        done(1),
    ]
    twice = convert(*(line for line in once for _ in range(2)))
    left_out = {"session", "native_line"}
    assert [r.type for r in twice.main if r.type not in left_out] == [
        r.type for r in convert(*once).main if r.type not in left_out
    ]


def test_answers_go_to_the_request_of_the_other_side() -> None:
    """Both sides count their requests from the same number."""
    conversion = convert(
        prompt(0, "hi"),
        call(0, "session/request_permission", toolCall={"toolCallId": "c"}, options=OPTIONS),
        done(0),
        client(id=0, result={"outcome": {"outcome": "selected", "optionId": "once"}}),
    )
    assert len(of(conversion, State)) == len(of(conversion, PermissionDecision)) == 1


def bare(*lines: dict[str, Any]) -> bytes:
    return log(line["message"] for line in lines)


def test_who_sent_a_bare_message_is_told_by_its_method_and_by_what_it_answers() -> None:
    lines = [
        *opened(),
        prompt(0, "hi"),
        call(0, "session/request_permission", toolCall={"toolCallId": "c"}, options=OPTIONS),
        client(id=0, result={"outcome": {"outcome": "selected", "optionId": "once"}}),
        done(0),
    ]
    conversion = acp.convert(bare(*lines))
    assert [(s.state, s.reason) for s in of(conversion, State)] == [("idle", "end_turn")]
    assert [d.kind for d in of(conversion, PermissionDecision)] == ["allow_once"]
    assert all(r.timestamp is None for r in conversion.main)
    assert not any(n.code == "direction-unknown" for n in conversion.report.notes)


def test_a_bare_answer_that_may_be_to_either_side_is_kept_and_answers_none() -> None:
    lines = [
        *opened(),
        prompt(0, "hi"),
        call(0, "session/request_permission", toolCall={"toolCallId": "c"}, options=OPTIONS),
        client(id=0, result={}),
        agent(method="_mine/notice", params={"sessionId": "s1"}),
        agent(id=8, method="_mine/ask", params={"sessionId": "s1"}),
        client(id=8, result={}),
    ]
    conversion = acp.convert(bare(*lines))
    assert not of(conversion, State)
    assert not of(conversion, PermissionDecision)
    assert [n.line for n in conversion.report.notes if n.code == "direction-unknown"] == [7, 8, 9, 10]
    assert kept(conversion)["response"] == 1
    assert kept(conversion)["_mine/ask response"] == 1


def test_another_connection_in_the_same_log_begins_anew() -> None:
    conversion = acp.convert(
        log([*opened(), prompt(1, "hi"), *opened(version=2, session="s2"), prompt(1, "hi", session="s2")])
    )
    assert {n.code for n in conversion.report.notes} == {"unanswered", "other-connection", "prompt-not-told"}
    assert said(conversion.main) == said(conversion.children["s2"]) == [("user", "hi")]


def test_the_recorder_writes_each_record_when_it_is_complete(tmp_path: Path) -> None:
    writers: dict[str, StreamWriter] = {}

    def open_stream(session: str) -> StreamWriter:
        writers[session] = StreamWriter(tmp_path / f"{session}.jsonl")
        return writers[session]

    recorder = acp.AcpRecorder(open_stream)
    written = []
    for raw in SAMPLE.read_bytes().splitlines():
        line = json.loads(raw)
        written += recorder.observe(line["message"], line["direction"], line["timestamp"])
        for session in writers:
            on_disk = (tmp_path / f"{session}.jsonl").read_bytes()
            assert on_disk.count(b"\n") == sum(w.session_id == session for w in written)
    report = recorder.finish()
    written += recorder.last
    for writer in writers.values():
        writer.close()
    saved = acp.convert(SAMPLE)
    assert report.to_dict() | {"source": SAMPLE.name} == saved.report.to_dict()
    for session, records in zip(writers, streams(saved), strict=True):
        assert plain(_read(tmp_path / f"{session}.jsonl")) == plain(records)
        assert plain([w.record for w in written if w.session_id == session]) == plain(records)
    with pytest.raises(ConversionError, match="given to authors"):
        recorder.conversion()
    with pytest.raises(ConversionError, match="finished"):
        recorder.observe({}, "client_to_agent")
    assert recorder.finish() is report


def _read(path: Path) -> list[Record]:
    return [r for r in Session.read(path, strict=True).records if not isinstance(r, InvalidRecord)]


def test_what_a_writer_raises_reaches_the_harness(tmp_path: Path) -> None:
    writer = StreamWriter(tmp_path / "s.jsonl")
    recorder = acp.AcpRecorder(lambda _: writer)
    recorder.observe(chunk("a")["message"], "agent_to_client")
    writer.close()
    with pytest.raises(WriterError):
        recorder.observe(prompt(1, "b")["message"], "client_to_agent")


@settings(max_examples=60, deadline=None)
@given(failing=st.lists(st.integers(1, 4), max_size=30), joined=st.booleans())
def test_nothing_is_lost_where_authors_fail(failing: list[int], joined: bool) -> None:
    """Our own rule: what an author does not take waits. Disks fill in the middle of a message, a batch, or before the header."""
    turns = [is_up for number, length in enumerate(failing) for is_up in [number % 2 == 0] * length]

    def fail() -> None:
        if turns and not turns.pop(0):
            raise OSError("no room")

    class Flaky(RecordList):
        def _append(self, record: EnvelopeModel, line: bytes) -> None:
            fail()
            super()._append(record, line)

    def author_of(session_id: str) -> Flaky:
        fail()
        return authors.setdefault(session_id, Flaky())

    authors: dict[str, Flaky] = {}
    recorder = acp.AcpRecorder(author_of)
    told = []

    def until_taken(call: Callable[[], object]) -> None:
        with contextlib.suppress(OSError):
            call()
        told.extend(recorder.last)

    for line in [json.loads(raw) for raw in SAMPLE.read_bytes().splitlines()]:
        message = [line["message"]] if joined else line["message"]
        until_taken(partial(recorder.observe, message, line["direction"], line["timestamp"]))
    for _ in range(len(turns) + 1):
        until_taken(recorder.finish)
    saved = acp.convert(SAMPLE)
    assert recorder.finish().to_dict() | {"source": SAMPLE.name} == saved.report.to_dict()
    assert {name: plain(author.records) for name, author in authors.items()} == {
        records[0].to_wire()["sessionId"]: plain(records) for records in streams(saved)
    }
    assert len(told) == sum(len(records) for records in streams(saved))


def test_a_recording_without_a_session_says_so_and_names_each_message() -> None:
    recorder = acp.AcpRecorder()
    assert recorder.observe(ask(1, "initialize", protocolVersion=1)["message"], "client_to_agent") == []
    report = recorder.finish()
    assert [u.reason for u in report.not_converted] == ["there is no session that it could be kept in"]
    with pytest.raises(ConversionError, match="no session"):
        recorder.conversion()
