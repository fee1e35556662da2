"""Authoring: one typed method per record type, and no way to write what a reader would refuse (spec sections 1, 2, 4)."""

from __future__ import annotations

import enum
import inspect
import io
import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any, get_args, get_type_hints

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from sessionrecord import ijson
from sessionrecord.errors import InvalidRecordError, SessionRecordError, WriterError
from sessionrecord.records import (
    PARTICIPATING_TYPES,
    RECORD_TYPES,
    CaptureState,
    Message,
    ModelCall,
    Plan,
    Producer,
    Record,
    SessionHeader,
    TextBlock,
    ToolResult,
    UnknownRecord,
)
from sessionrecord.refs import Ref
from sessionrecord.stream import Author, RecordList, StreamReader, StreamWriter
from sessionrecord.stream.authoring import FORMAT_VERSION, UNSET, EnvelopeMembers, ParticipatingMembers, ref_of
from tests.strategies import exact, json_values, records, texts
from tests.stream.samples import ordered_records

MADE = {"type", "seq", "id"}
"""What an author gives each record by itself."""
FREE_FORM = {"arguments", "structured", "updated_arguments"}
"""Members that hold any JSON value."""

types = pytest.mark.parametrize("record_type", RECORD_TYPES)


def begin(author: Author) -> SessionHeader:
    return author.session(agent="a", session_id="s", producer=Producer(method="native"))


def begun() -> RecordList:
    author = RecordList()
    begin(author)
    return author


def members_of_method(method: Callable[..., Any]) -> dict[str, inspect.Parameter | None]:
    """What can be given to a method: its own parameters, and the keys of the TypedDict that it takes, as None."""
    found: dict[str, inspect.Parameter | None] = {}
    for name, parameter in list(inspect.signature(method).parameters.items())[1:]:
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            envelope = get_args(get_type_hints(method)[name])[0]
            found |= dict.fromkeys(envelope.__required_keys__ | envelope.__optional_keys__)
        else:
            assert parameter.kind is inspect.Parameter.KEYWORD_ONLY
            found[name] = parameter
    return found


@types
def test_a_method_takes_exactly_the_members_of_its_record(record_type: str) -> None:
    """Design: a statically typed method per record type. No member is missing, none is made up."""
    taken = members_of_method(getattr(Author, record_type))
    assert set(taken) == set(RECORD_TYPES[record_type].model_fields) - MADE | {"extra"}


@types
def test_a_method_demands_exactly_what_its_record_demands(record_type: str) -> None:
    """Spec section 4: the members marked as required."""
    fields = RECORD_TYPES[record_type].model_fields
    for name, parameter in members_of_method(getattr(Author, record_type)).items():
        demanded = parameter is not None and parameter.default is inspect.Parameter.empty
        assert demanded == (name in fields and fields[name].is_required()), name


@types
def test_a_method_returns_its_record_and_is_documented(record_type: str) -> None:
    method = getattr(Author, record_type)
    assert get_type_hints(method)["return"] is RECORD_TYPES[record_type]
    assert RECORD_TYPES[record_type].__name__ in (method.__doc__ or "")


def test_only_participating_records_take_a_predecessor() -> None:
    """[S] "Context-participating record": a closed list."""
    taking = {t for t in RECORD_TYPES if "predecessor" in members_of_method(getattr(Author, t))}
    assert taking == set(PARTICIPATING_TYPES)
    assert ParticipatingMembers.__optional_keys__ - EnvelopeMembers.__optional_keys__ == {"predecessor"}


@types
@settings(max_examples=20)
@given(data=st.data())
def test_a_method_writes_any_record_of_its_type(record_type: str, data: st.DataObject) -> None:
    """Whatever a record can hold can be given to the method, but for a null of a free-form member: there None is absent."""
    cls: type[BaseModel] = RECORD_TYPES[record_type]
    record = data.draw(records(cls))
    given_members = {n: getattr(record, n) for n in record.model_fields_set if n in cls.model_fields and n not in MADE}
    absent = {n for n in FREE_FORM if given_members.get(n, UNSET) is None}
    extra = {n: v for n, v in (record.model_extra or {}).items() if n not in cls.model_fields}
    author = RecordList()
    if record_type == "session":
        given_members.setdefault("format_version", None)
    else:
        begin(author)
    made = getattr(author, record_type)(**given_members, extra=extra)
    expected = {n: v for n, v in record.to_wire().items() if n in extra or n not in (record.model_extra or {})}
    for name in absent:
        del expected[cls.model_fields[name].alias or name]
    seq = len(author.records)
    assert type(made) is cls
    assert made is author.records[-1]
    assert exact(made.to_wire()) == exact({**expected, "seq": seq, "id": f"r{seq}"})


@given(texts(1).filter(lambda t: t not in RECORD_TYPES), st.dictionaries(texts(), json_values(), max_size=3))
def test_a_record_of_an_unknown_type_takes_members_by_their_wire_names(
    record_type: str, members: dict[str, Any]
) -> None:
    """[S] "Open": anyone may add record types; here null is a null."""
    members = {n: v for n, v in members.items() if n not in UnknownRecord.model_fields and n != "turnId"}
    author = begun()
    record = author.unknown(record_type, turn_id="t", extra=members)
    assert exact(record.to_wire()) == exact({"type": record_type, "seq": 2, "id": "r2", "turnId": "t", **members})
    assert author.unknown(record_type, harness="h", value=None).model_extra == {"harness": "h", "value": None}


@types
def test_a_known_type_is_not_written_as_unknown(record_type: str) -> None:
    with pytest.raises(WriterError, match="known type"):
        begun().unknown(record_type)


def test_a_header_is_made_with_the_version_written_here() -> None:
    assert begin(RecordList()).format_version == FORMAT_VERSION


def test_seq_rises_from_one_and_ids_follow() -> None:
    """Spec section 2."""
    author = begun()
    for _ in range(3):
        author.state(state="running")
    assert [(r.seq, r.id) for r in author.records] == [(1, "r1"), (2, "r2"), (3, "r3"), (4, "r4")]


@given(st.datetimes(timezones=st.timezones() | st.just(UTC)).filter(lambda when: 1 < when.year < 9999))
def test_a_datetime_with_a_zone_is_written_as_the_moment_that_it_is(when: datetime) -> None:
    """[S] ASR-044: UTC with Z, to the microsecond; one without a zone is no moment."""
    out = RecordList()
    begin(out)
    record = out.user_message("hi", timestamp=when)
    assert record.timestamp is not None
    assert record.timestamp.endswith("Z")
    assert datetime.fromisoformat(record.timestamp) == when.astimezone(UTC)
    with pytest.raises(InvalidRecordError, match="write a time as text"):
        out.user_message("hi", timestamp=when.replace(tzinfo=None))
    east, west = (timezone(timedelta(hours=hours)) for hours in (8, -8))
    for beyond in (datetime(1, 1, 1, tzinfo=east), datetime(9999, 12, 31, 23, tzinfo=west)):
        with pytest.raises(InvalidRecordError, match="write a time as text"):
            out.user_message("hi", timestamp=beyond)
    with pytest.raises(SessionRecordError):
        out.tool_call(call_id="c", arguments=when)
    assert len(out.records) == 2


def test_none_is_absent_and_unset_differs_from_it_where_null_has_a_meaning() -> None:
    """[S] ASR-043: null only where it has a meaning."""
    author = begun()
    assert author.plan(plan_id="p", entries=None, turn_id=None, extra=None).to_wire().keys() == {
        "type",
        "seq",
        "id",
        "planId",
    }
    assert "title" not in author.session_info(summary="s").to_wire()
    assert author.session_info(title=None).to_wire()["title"] is None
    assert author.usage(includes_children=None).to_wire()["includesChildren"] is None
    assert "includesChildren" not in author.usage().to_wire()
    assert author.rewind(to=None).to_wire()["to"] is None
    assert repr(UNSET) == "UNSET"


def test_a_record_names_another_by_itself_by_a_ref_or_by_a_string() -> None:
    """Spec section 3: an entity ref where the type has a key, else the record ID."""
    author = begun()
    first = author.user_message("hi", message_id="m1")
    for predecessor in (first, Ref.entity("messageId", "m1"), "messageId=m1"):
        assert author.user_message("x", predecessor=predecessor).predecessor == str(Ref.entity("messageId", "m1"))
    assert author.rewind(to=first).to == ref_of(first)
    assert author.delivery(of=first).of == ref_of(first)
    assert author.compaction(compaction_id="k", kept_from=first).kept_from == ref_of(first)


def test_a_ref_to_a_tool_result_is_its_record_id() -> None:
    """A result shares the key of its call, which the entity ref would name."""
    author = begun()
    call, result = author.tool_use("ls", {}, "out", call_id="c1")
    assert ref_of(call) == "callId=c1"
    assert ref_of(result) == result.id == "r3"
    assert ref_of(author.state(state="idle")) == "r4"
    assert ref_of(author.unknown("message2", messageId="m")) == "r5"


def test_nested_models_are_taken_in_lists_mappings_and_extras() -> None:
    author = begun()
    block = TextBlock(text="t")
    message = author.message(
        message_id="m",
        role="user",
        content=(block,),
        capture={"content": CaptureState(state="truncated", bytes=9)},
        extra={"x": block, "y": [block, 1], "z": {"b": block}, "r": Ref.record("r1")},
    )
    wire = block.to_wire()
    assert message.content == [block]
    assert message.to_wire()["capture"] == {"content": {"state": "truncated", "bytes": 9}}
    assert message.model_extra == {"x": wire, "y": [wire, 1], "z": {"b": wire}, "r": "r1"}


def test_messages_in_one_call_use_the_record_id_as_key() -> None:
    author = begun()
    user = author.user_message("hi")
    agent = author.assistant_message([TextBlock(text="ho")], model="m", stop_reason="end_turn", model_call_id="x")
    assert (user.role, user.message_id, user.content) == ("user", "r2", [TextBlock(text="hi")])
    assert (agent.role, agent.message_id, agent.content) == ("assistant", "r3", [TextBlock(text="ho")])
    assert (agent.model, agent.stop_reason, agent.model_call_id) == ("m", "end_turn", "x")
    assert author.assistant_message("ho", message_id="own").message_id == "own"


def test_a_tool_use_is_a_call_and_its_result() -> None:
    """Spec section 4: an ID that no source gave is marked as synthetic."""
    author = begun()
    call, result = author.tool_use("ls", {"a": [1, None]}, "out", outcome="success", turn_id="t")
    assert (call.call_id, call.call_id_source, call.name, call.arguments) == ("r2", "synthetic", "ls", {"a": [1, None]})
    assert (result.call_id, result.outcome, result.content) == ("r2", "success", [TextBlock(text="out")])
    assert call.turn_id == result.turn_id == "t"
    call, result = author.tool_use("ls", {}, None, call_id="c")
    assert (call.call_id, call.call_id_source, result.content, result.outcome) == ("c", None, None, None)
    assert isinstance(author.records[-1], ToolResult)


def test_numbers_are_written_exactly() -> None:
    """[S] ASR-047, and numbers keep their literals."""
    author = begun()
    call = author.model_call(model_call_id="x", duration_ms=Decimal("1.50"), extra={"n": 10**40})
    assert b'"durationMs":1.50' in call.to_line()
    assert call.model_extra == {"n": 10**40}


# What an author refuses.


def authors() -> list[tuple[Author, Callable[[], int]]]:
    """Every kind of author, with how much it holds."""
    memory, target = RecordList(), io.BytesIO()
    return [(memory, lambda: len(memory.records)), (StreamWriter(target), lambda: len(target.getvalue()))]


def refused(
    act: Callable[[Author], object], error: type[SessionRecordError], match: str, *, header: bool = True
) -> None:
    """Refused by every author, which holds no more than before, and goes on as if nothing had been."""
    for author, size in authors():
        if header:
            begin(author)
        before = size()
        with pytest.raises(error, match=match):
            act(author)
        assert size() == before
        if header:
            assert author.state(state="idle").seq == 2
        else:
            assert begin(author).seq == 1


@pytest.mark.parametrize("record_type", [t for t in RECORD_TYPES if t != "session"])
def test_nothing_comes_before_the_header(record_type: str) -> None:
    """[S] the header is line 1; the order is checked before the members."""
    demanded = {n: "x" for n, f in RECORD_TYPES[record_type].model_fields.items() if f.is_required() and n not in MADE}
    refused(lambda a: getattr(a, record_type)(**demanded), WriterError, r"session\(\.\.\.\) first", header=False)


def test_no_made_record_and_no_unknown_one_comes_before_the_header() -> None:
    message = Message(seq=1, id="r1", message_id="m", role="user")
    refused(lambda a: a.write(message), WriterError, "first", header=False)
    refused(lambda a: a.unknown("x"), WriterError, "first", header=False)
    refused(lambda a: a.user_message("x"), WriterError, "first", header=False)


def test_a_second_header_is_refused() -> None:
    """[S] a stream is exactly one session."""
    refused(begin, WriterError, "header already")
    header = SessionHeader(seq=5, id="r5", agent="a", session_id="s", producer=Producer(method="native"))
    refused(lambda a: a.write(header), WriterError, "header already")


def test_a_record_id_is_used_once() -> None:
    """Spec section 2."""
    refused(lambda a: a.write(Plan(seq=2, id="r1", plan_id="p")), WriterError, "'r1' is used already")


@pytest.mark.parametrize("seq", [0, 1])
def test_seq_has_to_rise(seq: int) -> None:
    """Spec section 2."""
    refused(lambda a: a.write(Plan(seq=seq, id="x", plan_id="p")), WriterError, f"seq {seq} .* is not above 1")


@pytest.mark.parametrize("record_id", ["callId=1", "messageId=", "planId=a=b"])
def test_an_id_that_reads_as_an_entity_ref_is_refused(record_id: str) -> None:
    """Spec section 3: a ref to it would name an entity."""
    refused(lambda a: a.write(Plan(seq=2, id=record_id, plan_id="p")), WriterError, "reads as an entity ref")


def test_an_id_that_only_looks_like_a_ref_is_taken() -> None:
    author = begun()
    author.write(Plan(seq=2, id="callid=1", plan_id="p"))
    author.write(Plan(seq=3, id="callId", plan_id="p"))
    assert len(author.records) == 3


INVALID: dict[str, Callable[[Author], object]] = {
    "timestamp-invalid": lambda a: a.state(state="idle", timestamp="yesterday"),
    "type-invalid": lambda a: a.message(message_id=3, role="user"),  # type: ignore[arg-type]
    "integer-invalid": lambda a: a.usage(input_tokens=-1),
    "duration-invalid": lambda a: a.model_call(model_call_id="x", duration_ms=-1),
    "session-reference-invalid": lambda a: a.tool_call(call_id="c", child_session="?"),
    "number-not-finite": lambda a: a.state(state="idle", extra={"n": float("nan")}),
    "lone-surrogate": lambda a: a.user_message("\ud800"),
    "member-missing": lambda a: a.write(Plan.model_construct(type="plan", seq=2, id="r2")),
}  # fmt: skip


@pytest.mark.parametrize("code", INVALID)
def test_members_that_break_a_rule_reach_neither_list_nor_file(code: str) -> None:
    """Design: an author proves each record as a reader would."""
    refused(INVALID[code], InvalidRecordError, code)


def test_what_json_cannot_hold_is_refused() -> None:
    refused(lambda a: a.tool_call(call_id="c", arguments={1, 2}), InvalidRecordError, "arguments")
    refused(lambda a: a.tool_call(call_id="c", arguments={1: 2}), InvalidRecordError, "arguments")


def test_a_number_beyond_the_doubles_is_refused_like_one_that_is_not_finite() -> None:
    """ASR-041: what a reader would find, an author does not write."""
    for beyond in (Decimal("1e400"), Decimal("-1E+400"), [{"a": Decimal("1e400")}]):
        refused(lambda a, n=beyond: a.unknown("novel", value=n), InvalidRecordError, "number-not-finite")  # type: ignore[misc]


def test_what_json_has_no_form_for_is_not_turned_into_something_else() -> None:
    """Design, nasty inputs: "NaN costs dumped as null"; nothing is silently changed."""

    class Odd(enum.Enum):
        NAN = float("nan")
        TEXT = "t"

    for foreign in (Odd.NAN, Odd.TEXT, uuid.UUID(int=1)):
        for arguments in (foreign, [foreign], {"a": {"b": foreign}}):
            author = begun()
            with pytest.raises(InvalidRecordError, match="not a JSON value"):
                author.tool_call(call_id="c", arguments=arguments)
            assert len(author.records) == 1


@pytest.mark.parametrize(("member", "value", "words"), [("seq", 1, "is not above"), ("id", "r1", "used already")])
def test_what_a_line_says_counts_not_what_the_record_says(member: str, value: object, words: str) -> None:
    """A member among the unknown ones must not get round the order of the stream."""
    record = Message(seq=50, id="x", message_id="m", role="user")
    assert record.model_extra is not None
    record.model_extra[member] = value
    refused(lambda a: a.write(record), WriterError, words)


def test_a_message_is_not_made_from_none() -> None:
    """None means absent, and a message that someone meant to write must not become an empty one in silence."""
    refused(lambda a: a.user_message(None), InvalidRecordError, "content: it is None")  # type: ignore[arg-type]
    refused(lambda a: a.assistant_message(None), InvalidRecordError, "content: it is None")  # type: ignore[arg-type]


def test_a_time_that_is_no_text_is_refused_with_what_to_write() -> None:
    now: Any = datetime.now(UTC).replace(tzinfo=None)
    refused(lambda a: a.state(state="idle", timestamp=now), InvalidRecordError, "write a time as text")


def test_a_null_that_a_reader_forgives_is_not_written() -> None:
    """[S] ASR-043: a reader takes it as absent with a warning; an author has no such excuse."""
    names = {"type", "seq", "id", "plan_id", "timestamp"}
    plan = Plan.model_construct(names, type="plan", seq=2, id="r2", plan_id="p", timestamp=None)
    refused(lambda a: a.write(plan), InvalidRecordError, "null-not-allowed")


def test_a_member_that_the_format_defines_is_not_an_extra() -> None:
    for name in ("planId", "plan_id", "seq", "turnId"):
        refused(lambda a, name=name: a.plan(plan_id="p", extra={name: "x"}), WriterError, "argument of its own")  # type: ignore[misc]


def test_an_unknown_keyword_is_a_mistake_in_the_program() -> None:
    author = begun()
    with pytest.raises(TypeError, match=r"plan.*unexpected keyword argument 'foo'"):
        author.plan(plan_id="p", foo=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="'predecessor'"):
        author.plan(plan_id="p", predecessor="r1")  # type: ignore[call-arg]
    assert len(author.records) == 1


def test_only_records_are_written() -> None:
    invalid = next(iter(StreamReader(b"{")))
    refused(lambda a: a.write(3), WriterError, "int")  # type: ignore[type-var]
    refused(lambda a: a.write(invalid), WriterError, "InvalidRecord")  # type: ignore[type-var]


def test_an_unknown_record_cannot_pose_as_a_known_one() -> None:
    posing = UnknownRecord.model_construct(type="plan", seq=2, id="r2", planId="p")
    refused(lambda a: a.write(posing), WriterError, "not the type of a UnknownRecord")


def test_a_made_id_that_is_taken_is_passed_over() -> None:
    """IDs are unique, whoever made them."""
    author = begun()
    author.write(Plan(seq=2, id="r3", plan_id="p"))
    author.write(Plan(seq=3, id="r4", plan_id="p"))
    assert [(r.seq, r.id) for r in (author.state(state="idle"), author.state(state="idle"))] == [(5, "r5"), (6, "r6")]


def test_a_stream_whose_seq_is_at_its_highest_is_full() -> None:
    """[S] ASR-042: integers go up to 2^53-1."""
    author = begun()
    author.write(Plan(seq=ijson.MAX_SAFE_INTEGER, id="x", plan_id="p"))
    with pytest.raises(WriterError, match="full"):
        author.state(state="idle")
    with pytest.raises(WriterError, match="full"):
        author.user_message("x")


@settings(max_examples=25)
@given(ordered_records())
def test_records_are_taken_as_they_are(made: list[Record]) -> None:
    author = RecordList()
    returned = [author.write(record) for record in made]
    assert author.records == returned == made
    assert [exact(r.to_wire()) for r in returned] == [exact(r.to_wire()) for r in made]


def test_a_revision_of_a_made_record_can_be_written() -> None:
    author = begun()
    call = author.model_call(model_call_id="x", status="in_progress")
    done = author.write(call.replace(seq=3, id="r3", status="completed"))
    assert isinstance(done, ModelCall)
    assert [r.id for r in author.records] == ["r1", "r2", "r3"]
