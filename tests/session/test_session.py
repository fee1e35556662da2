"""`Session` as its users meet it: opening, odd lines, effective values, usage, promises, writing."""

from __future__ import annotations

import io
import stat
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessionrecord import (
    Entity,
    InvalidRecord,
    Message,
    RefError,
    RefNotFoundError,
    Session,
    SourceError,
    StreamError,
    StreamReader,
    parse_record,
    read_record,
)
from sessionrecord.convert import Conversion, ConversionReport
from tests.session.streams import HEADER


def line(record: dict[str, Any]) -> bytes:
    return orjson.dumps(record) + b"\n"


def numbered(*records: dict[str, Any], **header: Any) -> bytes:
    """A stream of a header and records numbered in order."""
    return line(HEADER | header) + b"".join(line({"seq": n, "id": f"r{n}", **r}) for n, r in enumerate(records, 2))


def message(key: str, **more: Any) -> dict[str, Any]:
    return {"type": "message", "messageId": key, "role": "user", **more}


def codes(session: Session) -> list[tuple[str, int | None]]:
    return [(d.code, d.line) for d in session.diagnostics]


A, B, C = (line(message(k) | {"seq": n, "id": f"r{n}"}) for n, k in enumerate("abc", 2))
TORN = B[:30]


@pytest.mark.parametrize(
    ("content", "expected", "texts"),
    [
        (line(HEADER) + A + TORN + b"\n" + C, [("json-invalid", 3)], ["a", None, "c"]),
        (line(HEADER) + A + TORN, [("line-torn", 3)], ["a", None]),
        (line(HEADER) + A + TORN + C, [("json-invalid", 3)], ["a", None]),
        (line(HEADER) + A + B[:-1], [("newline-missing", 3)], ["a", "b"]),
        (line(HEADER) + A + b"\0" * 64 + b"\n" + C, [("nul-bytes", 3)], ["a", None, "c"]),
        (b"\xef\xbb\xbf" + line(HEADER) + A, [("bom", 1)], ["a"]),
        (line(HEADER) + A.replace(b"\n", b"\r\n") + B.replace(b"\n", b"\r\n"), [("line-crlf", 2)], ["a", "b"]),
        (
            line(HEADER) + b"\n" + A + b" \n\n" + B,
            [("line-blank", 2), ("line-blank", 4), ("line-blank", 5)],
            ["a", "b"],
        ),
        (
            line(HEADER) + A.replace(b'"a"', b'"a\nb"') + C,
            [("json-invalid", 2), ("json-invalid", 3)],
            [None, None, "c"],
        ),
        (line(HEADER) + A.replace(b'"a"', '"a\u2028\u0085b"'.encode()) + C, [], ["a\u2028\u0085b", "c"]),
        (A + line(HEADER), [("header-missing", 1), ("seq-not-increasing", 2)], ["a"]),
        (b"", [("stream-empty", None)], []),
        (b"\n", [("line-blank", 1), ("stream-empty", None)], []),
        (b"[1]\n", [("header-missing", 1), ("not-an-object", 1)], [None]),
    ],
)
def test_reading_goes_on_says_where_and_loses_nothing(
    content: bytes, expected: list[tuple[str, int | None]], texts: list[str | None], tmp_path: Path
) -> None:
    """Nasty inputs that real users met; spec section 1."""
    path = tmp_path / "s.jsonl"
    path.write_bytes(content)
    for session in (Session.read(content), Session.read(path), Session.read(io.BytesIO(content))):
        assert sorted(codes(session), key=str) == sorted(expected, key=str)
        kept = [r for r in session.records if r.type != "session"]
        assert [r.message_id if isinstance(r, Message) else None for r in kept] == texts
        session.write(tmp_path / "copy.jsonl")
        assert (tmp_path / "copy.jsonl").read_bytes() == content
        for d in session.diagnostics:
            if d.line is not None and d.offset is not None:
                assert content[: d.offset].count(b"\n") == d.line - 1


def test_a_broken_known_record_keeps_its_place_in_the_structure() -> None:
    """Structure rests on index members only."""
    session = Session.read(numbered(message("a"), message("b", content=5), message("c")))
    view = session.context_view()
    assert [i.entity.ref for i in view.items] == ["messageId=a", "messageId=b", "messageId=c"]
    broken = view.items[1].record
    assert isinstance(broken, InvalidRecord)
    assert broken.envelope is not None
    assert broken.value["content"] == 5
    assert view.to_messages()[1] == {"role": "unknown", "content": [], "id": "r3"}
    assert "not valid" in str(view)


def test_a_lone_surrogate_keeps_a_record_out_of_its_model_but_not_out_of_the_context() -> None:
    bad = b'{"type":"message","seq":2,"id":"r2","messageId":"a","role":"user","x":"\\ud800"}\n'
    session = Session.read(line(HEADER) + bad)
    assert [i.entity.ref for i in session.context_view().items] == ["messageId=a"]
    assert codes(session) == [("lone-surrogate", 2)]


def test_more_record_types_than_the_table_holds_are_all_kept() -> None:
    content = line(HEADER) + b"".join(line({"type": f"x{n}", "seq": n, "id": f"r{n}"}) for n in range(2, 66_000))
    session = Session.read(content)
    assert session.records[-1].type == "x65999"
    assert session.counts()["x65999"] == 1


def test_revisions_are_read_at_a_seq() -> None:
    """[S] "Revision chain"."""
    session = Session.read(numbered(message("a", stopReason="error"), message("b"), message("a")))
    chain = session.revisions("messageId=a")
    assert [r.id for r in chain] == ["r2", "r4"]
    assert [r.id for r in chain[1:]] == ["r4"]
    assert chain.latest.id == "r4"
    assert chain.at(3).id == "r2"
    with pytest.raises(RefNotFoundError, match="not there yet"):
        chain.at(1)
    assert [r.id for r in session.revisions("r2", at=3)] == ["r2"]
    entity = session.resolve("r4")
    assert (entity.ref, entity.key, entity.type, entity.seq) == ("messageId=a", "a", "message", 2)
    assert entity == session.resolve(entity)
    assert len({entity, session.resolve("r2")}) == 1
    assert entity != session.resolve("r3")
    assert "2 revisions" in repr(entity)
    assert session.record("r3").id == "r3"
    with pytest.raises(RefNotFoundError):
        session.at(2).record("r3")
    with pytest.raises(RefError):
        session.resolve("")
    assert repr(session.records) == "<4 items>"


def test_declared_properties_take_effect_after_the_declaration_and_as_a_whole() -> None:
    """[S] "Effective value": the header and all earlier declarations."""
    roots = [{"id": "app", "path": None}]
    session = Session.read(
        numbered(
            message("a"), {"type": "declaration", "roots": roots, "profiles": []}, message("b"), profiles=["usage"]
        )
    )
    assert session.declared(at=3).profiles == ["usage"]
    assert session.declared(at=3).roots is None
    assert session.declared(at=4).profiles == []
    roots_now = session.declared().roots
    assert roots_now is not None
    assert roots_now[0].path is None


def test_session_info_clears_with_null_and_leaves_what_is_absent() -> None:
    """[S] ASR-043."""
    session = Session.read(
        numbered(
            {"type": "session_info", "title": "one", "tags": ["x"]},
            {"type": "session_info", "title": None, "archived": True},
        )
    )
    assert session.info(at=2).title == "one"
    now = session.info()
    assert (now.title, now.tags, now.archived, now.summary) == (None, ["x"], True, None)


def usage(**members: Any) -> dict[str, Any]:
    return {"type": "usage", **members}


def test_costs_add_up_exactly_and_per_currency() -> None:
    """[S] ASR-047: 0.1 + 0.2 is 0.3."""
    costs = [("0.1", "USD"), ("0.2", "USD"), ("1", "EUR")]
    lines = numbered(
        *(usage(modelCallId=f"c{n}", cost={"amount": float(a), "currency": c}) for n, (a, c) in enumerate(costs))
    )
    assert Session.read(lines).usage().costs == {"USD": Decimal("0.3"), "EUR": Decimal(1)}


@given(
    st.lists(st.tuples(st.sampled_from(["m", "n"]), st.booleans(), st.sampled_from(["USD", "EUR", None])), max_size=6)
)
def test_where_some_calls_have_a_cost_the_others_are_counted(calls: list[tuple[str, bool, str | None]]) -> None:
    """What is not known is said: a sum over some calls is not what the session cost. Where none has a cost there is no sum."""
    records = []
    for n, (model, is_recorded, currency) in enumerate(calls):
        cost = {} if currency is None else {"cost": {"amount": 1, "currency": currency}}
        if is_recorded or currency is None:
            records.append({"type": "model_call", "modelCallId": f"c{n}", "model": model})
        if is_recorded or currency is not None:
            records.append(usage(modelCallId=f"c{n}", model=model, inputTokens=1, **cost))
    totals = Session.read(numbered(*records)).usage()
    uncosted = sum(currency is None for *_, currency in calls)
    assert totals.costs_missing == (uncosted if totals.costs else 0)
    assert ("without a cost" in repr(totals)) == bool(totals.costs_missing)


def test_a_call_without_a_name_is_called_by_its_title() -> None:
    """As those of ACP, which have titles only."""
    session = Session.read(numbered({"type": "tool_call", "callId": "c", "title": "list files"}, message("m")))
    text = str(session.context_view())
    assert "list files" in text
    assert text.startswith("2 entities in context")
    assert str(session.at(2).context_view()).startswith("1 entity in context")


def test_a_session_s_counter_with_a_cost_has_all_costs_and_a_turn_without_one_lacks_it() -> None:
    counters = [
        usage(scope="session", counter="cumulative", inputTokens=n, cost={"amount": n, "currency": "USD"})
        for n in (1, 2)
    ]
    assert Session.read(numbered(*counters)).usage().costs_missing == 0
    turns = [
        usage(scope="turn", turnId="t", inputTokens=1),
        usage(scope="turn", turnId="u", cost={"amount": 1, "currency": "USD"}),
    ]
    assert Session.read(numbered(*turns)).usage().costs_missing == 1
    other = usage(scope="session", counter="cumulative", model="other", inputTokens=5)
    assert Session.read(numbered(*counters, other)).usage().costs_missing == 1


def test_an_empty_key_is_a_key_and_none_is_no_key() -> None:
    """A record that names no model call is not of the call whose ID is empty."""
    session = Session.read(numbered({"type": "model_call", "modelCallId": "", "model": "m"}, usage(inputTokens=7)))
    assert session.usage().by_model[None].input_tokens == 7
    assert session.usage().by_model["m"].input_tokens is None
    assert session.to_arrow("usage")["model"].to_pylist() == ["m", None]
    named = Session.read(
        numbered({"type": "model_call", "modelCallId": "", "model": "m"}, usage(modelCallId="", inputTokens=7))
    )
    assert named.usage().by_model["m"].input_tokens == 7


def test_only_the_latest_revision_of_a_usage_record_counts() -> None:
    """Spec section 8."""
    session = Session.read(numbered(usage(modelCallId="c", inputTokens=1), usage(modelCallId="c", inputTokens=5)))
    assert session.usage().total.input_tokens == 5
    assert session.usage(at=2).total.input_tokens == 1
    assert session.usage().total.output_tokens is None


def test_a_cumulative_counter_counts_once_and_a_drop_starts_a_new_run() -> None:
    session = Session.read(
        numbered(
            *(usage(scope="session", counter="cumulative", inputTokens=n) for n in (10, 30, 5, 7)),
            usage(scope="session", counter="cumulative"),
        )
    )
    assert session.usage().total.input_tokens == 37


def test_model_calls_count_before_turns_and_turns_before_the_session_per_model_and_member() -> None:
    session = Session.read(
        numbered(
            {"type": "model_call", "modelCallId": "c1", "model": "m"},
            {"type": "model_call", "modelCallId": "c2", "model": "m"},
            usage(modelCallId="c1", inputTokens=3),
            usage(scope="turn", model="m", inputTokens=100, outputTokens=7, turnId="t1"),
            usage(scope="turn", counter="cumulative", model="m", outputTokens=2, turnId="t2"),
            usage(scope="session", counter="cumulative", model="m", inputTokens=900, outputTokens=900, totalTokens=50),
            usage(scope="session", counter="cumulative", model="other", inputTokens=4, includesChildren=True),
            usage(
                modelCallId="c3", inputTokens=1, includesChildren=None, capture={"outputTokens": {"state": "unknown"}}
            ),
        )
    )
    totals = session.usage()
    m = totals.by_model["m"]
    assert (m.input_tokens, m.output_tokens, m.total_tokens) == (3, 9, 50)
    assert m.missing["input_tokens"] == 1
    assert totals.by_model["other"].input_tokens == 4
    assert (totals.calls, totals.incomplete, totals.includes_children) == (3, 1, None)
    assert totals.total.input_tokens == 8


def test_child_sessions_are_named_and_not_counted() -> None:
    call = {"type": "tool_call", "callId": "c", "childSession": "asr:a//kid"}
    session = Session.read(numbered(call, {"type": "tool_call", "callId": "d"}))
    assert session.usage().children == ["asr:a//kid"]


PROMISES = [
    ("usage", {"type": "model_call", "modelCallId": "x"}, usage(modelCallId="x", inputTokens=1), "usage"),
    ("tool_results", {"type": "tool_call", "callId": "x"}, {"type": "tool_result", "callId": "x"}, "tool_result"),
    (
        "permissions",
        {"type": "permission_request", "permissionId": "x"},
        {"type": "permission_decision", "permissionId": "x"},
        "permission_decision",
    ),
    ("questions", {"type": "question", "questionId": "x"}, {"type": "answer", "questionId": "x"}, "answer"),
]


@pytest.mark.parametrize(("profile", "event", "record", "name"), PROMISES)
def test_a_promise_is_kept_by_the_record_or_by_a_capture_state(
    profile: str, event: dict[str, Any], record: dict[str, Any], name: str
) -> None:
    """[S] "Profile"; where the capture state sits is ours, spec section 6."""
    unmet = Session.read(numbered(event, profiles=[profile, "never-heard-of"]))
    assert [c for c, _ in codes(unmet)] == ["profile-unmet"]
    assert Session.read(numbered(event, record, profiles=[profile])).diagnostics == []
    stated = event | {"capture": {name: {"state": "unavailable"}}}
    assert Session.read(numbered(stated, profiles=[profile])).diagnostics == []
    assert Session.read(numbered(event)).diagnostics == []


def test_a_model_call_that_did_not_complete_owes_no_usage() -> None:
    call = {"type": "model_call", "modelCallId": "x", "status": "failed"}
    assert Session.read(numbered(call, profiles=["usage"])).diagnostics == []


def test_every_message_of_a_conversation_but_the_first_owes_a_delivery() -> None:
    told = {"conversations": [{"id": "k"}], "profiles": ["deliveries"]}
    talk = [message("a", conversation="k"), message("b", conversation="k"), message("c")]
    unmet = Session.read(numbered(*talk, **told))
    assert codes(unmet) == [("profile-unmet", 3)]
    assert Session.read(numbered(*talk, {"type": "delivery", "of": "messageId=b"}, **told)).diagnostics == []


def test_turns_hold_the_records_that_name_them() -> None:
    session = Session.read(
        numbered(message("a", turnId="t1"), message("b"), message("c", turnId="t1"), message("d", turnId="t2"))
    )
    assert [(t.turn_id, [r.id for r in t.records]) for t in session.turns()] == [("t1", ["r2", "r4"]), ("t2", ["r5"])]
    assert len(session.turns(at=4)) == 1


def test_a_call_comes_with_its_permission_and_its_duration() -> None:
    session = Session.read(
        numbered(
            {"type": "tool_call", "callId": "c"},
            {"type": "permission_request", "permissionId": "p", "callId": "c"},
            {"type": "permission_decision", "permissionId": "p", "outcome": "selected"},
            {"type": "tool_result", "callId": "c", "outcome": "success", "durationMs": 1.5},
        )
    )
    (use,) = session.tool_calls()
    assert use.request is not None
    assert use.decision is not None
    assert (use.decision.outcome, use.duration_ms, use.outcome) == ("selected", 1.5, "success")
    (before,) = session.tool_calls(at=2)
    assert (before.result, before.duration_ms, before.outcome) == (None, None, None)


def test_what_was_appended_is_written_after_the_untouched_lines(tmp_path: Path) -> None:
    content = line(HEADER) + b'{ "type":"x",  "seq":2, "id":"r2" }'
    session = Session.read(content)
    assert len(session) == 2
    session.append(parse_record(A.replace(b'"seq":2,"id":"r2"', b'"seq":3,"id":"r3"')))
    session.write(tmp_path / "out.jsonl")
    written = (tmp_path / "out.jsonl").read_bytes()
    assert written.startswith(content + b"\n")
    assert [r.id for r in Session.read(written).records] == [r.id for r in session.records]
    assert stat.S_IMODE((tmp_path / "out.jsonl").stat().st_mode) == 0o600
    with pytest.raises(OSError, match="nowhere"):
        session.write(tmp_path / "nowhere" / "out.jsonl")


def test_what_cannot_be_read_is_said_in_one_line(tmp_path: Path) -> None:
    for source in (tmp_path / "missing", tmp_path, io.StringIO("x")):
        with pytest.raises(SourceError) as caught:
            Session.read(source)  # type: ignore[arg-type]
        assert "\n" not in str(caught.value)
    closed = io.BytesIO(b"")
    closed.close()
    with pytest.raises(SourceError):
        Session.read(closed)


def test_strict_reading_raises_once_with_everything_found() -> None:
    with pytest.raises(StreamError) as caught:
        Session.read(numbered(message("a", content=5), message("b", content=6)), strict=True)
    assert [d.line for d in caught.value.diagnostics] == [2, 3]
    assert Session.read(numbered(message("a")), strict=True).head() is not None


def test_a_session_says_what_it_is() -> None:
    session = Session.read(numbered(message("a")))
    assert "2 records" in repr(session)
    assert "seq 1" in repr(session.at(1))
    assert session.at(1).head() is None
    assert len(session.at(1).context_view()) == 0
    assert session.at(2).counts(at=99) == {"session": 1, "message": 1}
    assert "1 entities" in repr(session.context_view())
    assert "seq 2" in repr(session.context_view(at=2))
    assert session.header is not None
    assert Session.read(A).header is None
    assert "no valid header" in repr(Session.read(A))
    item = session.context_view().items[0]
    assert item.flags == []
    assert "messageId=a" in repr(item)
    assert isinstance(item.entity, Entity)
    assert Session.from_records(session.records).counts() == session.counts()


def test_a_ref_that_names_nothing_is_answered_with_what_may_be_meant() -> None:
    """Errors name the place and what to do: bare keys, misspelled key names and a `seq` are what people write."""
    session = Session.read(
        b'{"type":"session","seq":1,"id":"h","agent":"a","sessionId":"s","formatVersion":"0-x.1","producer":{"method":"native"}}\n'
        b'{"type":"tool_call","seq":7,"id":"r7","callId":"toolu_1","name":"run"}\n'
    )
    for wrong, right in (
        ("toolu_1", "callId=toolu_1"),
        ("callID=toolu_1", "callId=toolu_1"),
        ("call_id=toolu_1", "callId=toolu_1"),
        ("7", "r7"),
        ("seq=7", "r7"),
    ):
        with pytest.raises(RefNotFoundError, match=f"'{wrong}' names nothing in the session; did you mean '{right}'"):
            session.resolve(wrong)
    for wrong in ("callId=", "callID=x", "8", "²", "9" * 30):
        with pytest.raises(RefNotFoundError, match=r"names nothing in the session$"):
            session.resolve(wrong)


VIEWS_AT = (
    "context_view",
    "declared",
    "info",
    "tool_calls",
    "turns",
    "usage",
    "counts",
    "heads",
    "to_arrow",
    "plot_timeline",
)


def _view(session: Session, name: str, at: Any) -> Any:
    return getattr(session, name)(at=at)


def test_what_is_no_ref_seq_or_source_is_refused_in_words() -> None:
    session = Session.from_records([])
    wrong: Any = object()
    three: Any = "3"
    for call in (session.resolve, session.revisions):
        with pytest.raises(TypeError, match="a ref is a string or a Ref, not object"):
            call(wrong)
    for at, kind in ((three, TypeError), (True, TypeError), (1.0, TypeError), (-1, ValueError)):
        views: list[Any] = [session.at, session.context_diff, *(partial(_view, session, name) for name in VIEWS_AT)]
        for view in views:
            with pytest.raises(kind, match=r"at is a seq, (an integer|which is never negative), not "):
                view(at)
    with pytest.raises(SourceError, match="cannot read a stream from object"):
        Session.read(wrong)
    refused: list[tuple[Any, str]] = [
        ([1], "int is none"),
        (wrong, "object is no collection of them$"),
        (Conversion([], {}, ConversionReport()), "Conversion is no collection of them: give its main"),
    ]
    for wrong, said in refused:
        with pytest.raises(TypeError, match=said):
            Session.from_records(wrong)


def test_a_directory_is_not_written_over(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError) as refused:
        Session.from_records([]).write(tmp_path)
    assert refused.value.filename == str(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_context_view_says_which_lines_could_not_be_read() -> None:
    """A torn or broken line may have been part of the context: the view must not look whole."""
    session = Session.read(
        b'{"type":"message","seq":1,"id":"a","messageId":"m","role":"user"}\nnot json\n'
        b'{"type":"message","seq":2,"id":"b","messageId":"n","role":"user"}\n{"type":"mess'
    )
    assert [(d.code, d.line) for d in session.context_view().diagnostics] == [("json-invalid", 2), ("json-invalid", 4)]
    assert [(d.code, d.line) for d in session.context_view(at=1).diagnostics] == [("json-invalid", 2)]


TAILS = [
    b"",
    b"\n",
    b" ",
    b"\x0b",
    b"\x0c\n",
    b"12",
    b'{"a',
    b"\xff",
    b"\0\0",
    b'{"seq":9,"id":"x"}',
    C[:-1],
    C[:-1] + b"\r",
    C,
    TORN,
]


@pytest.mark.parametrize("tail", TAILS)
@pytest.mark.parametrize("start", [line(HEADER) + A, A + line(HEADER), b"xx\n" + line(HEADER), b"", line(HEADER) * 2])
def test_a_session_and_a_reader_find_the_same(start: bytes, tail: bytes) -> None:
    """One stream has one verdict, whoever reads it: blank, torn, unended and odd lines, and where the header stands."""
    reader = StreamReader(start + tail)
    list(reader)
    place = {(d.code, d.severity, d.line) for d in reader.diagnostics}
    assert {(d.code, d.severity, d.line) for d in Session.read(start + tail).diagnostics} - {
        ("id-duplicate", "error", 2)
    } == place


@pytest.mark.parametrize("tail", TAILS)
@pytest.mark.parametrize("raw", [C[:-1], B + C[:-1], b"", b"\n", b'{"type":\n1,\n"type":2}', b"\xff"])
def test_what_is_appended_is_what_would_be_read(tail: bytes, raw: bytes, tmp_path: Path) -> None:
    """`Session.append`: as reading it there would; also after a torn tail, and for a record that holds line ends."""
    session = Session.read(line(HEADER) + tail)
    session.append(read_record(raw)[0])
    session.write(tmp_path / "s")
    read = Session.read(tmp_path / "s")
    assert sorted(map(str, session.diagnostics)) == sorted(map(str, read.diagnostics))
    assert [r.to_line() for r in session.records] == [r.to_line() for r in read.records]


def test_an_entity_is_taken_as_it_is_whatever_else_has_its_id() -> None:
    """Ruling on heads: each of `heads` can be asked for, also where an ID is used twice or missing."""
    call = {"type": "tool_call", "seq": 2, "id": "x", "callId": "c"}
    result = {"type": "tool_result", "seq": 4, "id": "x", "callId": "c"}
    for other in ({"type": "state", "seq": 2, "id": "x", "state": "idle"}, call):
        for last in (result, {k: v for k, v in result.items() if k != "id"}):
            session = Session.read(line(HEADER) + line(other) + line(message("m") | {"seq": 3, "id": "m"}) + line(last))
            for head in session.heads():
                assert session.resolve(head) == head
                assert session.active_path(head).entities[-1] == head
            with pytest.raises(RefNotFoundError, match="not there yet at seq 3"):
                session.resolve(session.heads()[0], at=3)
    with pytest.raises(RefNotFoundError, match="names nothing"):
        Session.read(line(HEADER)).resolve(Session.read(line(HEADER) + A).heads()[0])


def test_an_id_that_a_later_record_has_names_nothing_yet() -> None:
    """Spec section 3: at a `seq` only the records up to it count, revisions with IDs of their own too."""
    session = Session.read(
        line(HEADER)
        + line(message("m") | {"seq": 2, "id": "r2"})
        + line({"type": "compaction", "seq": 3, "id": "r3", "compactionId": "k", "keptFrom": "r4"})
        + line(message("m") | {"seq": 4, "id": "r4"})
    )
    with pytest.raises(RefNotFoundError, match="r4 is not there yet at seq 3"):
        session.resolve("r4", at=3)
    assert [d.code for d in session.context_view(at=3).diagnostics] == ["kept-from-missing"]
    assert len(session.context_view(at=3).items) == 1
    assert len(session.context_view().items) == 2


@pytest.mark.parametrize(
    ("amounts", "total"),
    [
        (["12345678901234567890123456789.25", "0.5"], "12345678901234567890123456789.75"),
        (["1e300", "1e-300"], "1" + "0" * 300 + "." + "0" * 299 + "1"),
        (["0.1"] * 3, "0.3"),
        (["1e-99999999999999999999", "0.25"], "0.25"),
    ],
)
def test_costs_add_up_exactly_whatever_their_size(amounts: list[str], total: str) -> None:
    """ASR-047; what a double cannot hold is reported where it stands."""
    lines = [
        b'{"type":"usage","seq":%d,"id":"u%d","cost":{"amount":%s,"currency":"EUR"}}\n' % (n, n, amount.encode())
        for n, amount in enumerate(amounts, 2)
    ]
    session = Session.read(line(HEADER) + b"".join(lines))
    assert session.usage().costs["EUR"] == Decimal(total)
    assert [d.code for d in session.diagnostics] == ["number-out-of-range"] * sum(
        "99999" in a or len(a) > 25 for a in amounts
    )
