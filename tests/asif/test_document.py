"""Documents: parsed, kept, written back, with input of any kind and size."""

from __future__ import annotations

import copy
import gc
import json
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessionrecord import ijson
from sessionrecord.asif import Document, EventReference, Limits, PartialCall, StructuredPart, TextPart, UnknownEvent
from sessionrecord.asif.rules import SOURCES
from sessionrecord.diagnostics import CODES
from sessionrecord.errors import DocumentError, InvalidRecordError, RefNotFoundError, SourceError
from tests.asif.documents import (
    DATA,
    Wire,
    bound_call,
    bound_request,
    branch,
    call,
    checked,
    checkpoint,
    document,
    edited,
    event,
    found,
    parsed,
    request,
    resolution,
    resource,
    result,
    segment,
    stream,
    wire_of,
)

STORED = sorted(p.name for p in DATA.glob("[0-9]*.json"))
RICH = document(
    call(0, arguments={"a": 1}, status="partial"),
    call(1, arguments={"a": 1}, amends="e0", causes=[{"event_id": "e0"}]),
    result(2),
    request(3, call_id="k"),
    resolution(4, option="a"),
    result(5, "x"),
    event(6, "extension", {"type": "t", "value": [1, {}], "interpretation_required": False}),
    event(7, "task_update", {"task_id": "t", "revision": 1, "status": "pending", "parts": [], "dependencies": ["u"]}),
    resources=[resource("r", '{"a":1}')],
    streams=[
        stream("e0", [segment(0, "r", 0, 3)], status="partial"),
        stream("e1", [segment(0, "r", 0, 3), segment(1, "r", 3, 4, terminal=True)]),
    ],
    external_bindings=[bound_call(), bound_request()],
    open_decisions=("y",),
)


def error_of(source: bytes, limits: Limits | None = None) -> str:
    with pytest.raises(DocumentError) as caught:
        Document.parse(source, limits=limits)
    assert "\n" not in str(caught.value)
    return caught.value.diagnostics[-1].code


def places(value: Any, pointer: str = "") -> list[str]:
    """The JSON Pointers of all values below the root."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [p for k, v in inner for p in (f"{pointer}/{k}", *places(v, f"{pointer}/{k}"))]


NAMES = st.sampled_from([*sorted({p.rpartition("/")[2] for p in places(RICH)}), "x", "�", ""])
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 9)
    | st.sampled_from(
        [2**53, 10**40, 1.0, 0.5, -0.0, 1e300, "", "e0", "k", "r", "\ud800", "partial", "complete", "call"]
    ),
    lambda v: st.lists(v, max_size=3) | st.dictionaries(NAMES, v, max_size=3),
    max_leaves=5,
)


@st.composite
def mutations(draw: st.DrawFn) -> Wire:
    """A valid document with values changed, removed or moved at random places."""
    wire: Wire = draw(st.sampled_from([RICH, *(wire_of(n) for n in STORED[:4])]))
    for _ in range(draw(st.integers(1, 4))):
        there = places(wire)
        place = draw(st.sampled_from(there))
        how = draw(st.integers(0, 2))
        if how == 0:
            wire = edited(wire, (place, ...))
        elif how == 1:
            wire = edited(wire, (place, draw(VALUES)))
        else:
            other: Any = wire
            for step in draw(st.sampled_from(there)).split("/")[1:]:
                other = other[int(step)] if isinstance(other, list) else other[step]
            wire = edited(wire, (place, other))
    return wire


def test_the_rich_document_is_valid() -> None:
    assert found(RICH) == []


@settings(max_examples=200)
@given(mutations())
def test_a_document_changed_at_random_is_read_checked_and_written_back(wire: Wire) -> None:
    source = json.dumps(wire).encode()
    read = Document.parse(source)
    report = read.check()
    assert read.to_bytes() == source
    assert read.findings == report.findings[: len(read.findings)]
    assert {f.code for f in report.findings} <= set(SOURCES)
    assert all(str(f).isprintable() for f in report.findings)
    for stream_id, said in report.streams.items():
        assembled = read.assemble(stream_id)
        assert (assembled.status, assembled.contiguous_bytes) == (said.status, said.contiguous_bytes)
    for known in (report.calls, *(b.calls for b in report.branches.values())):
        for state in known.values():
            assert hasattr(state, "arguments") == (not isinstance(state, PartialCall))
            assert not (isinstance(state, PartialCall) and bool(state.executable))
    json.dumps(report.to_dict())


@settings(max_examples=200)
@given(mutations())
def test_a_pointer_leads_to_a_value_or_to_a_missing_member_of_one(wire: Wire) -> None:
    for finding in parsed(wire).check().findings:
        at: Any = wire
        *path, last = (p.replace("~1", "/").replace("~0", "~") for p in f"{finding.pointer}".split("/"))
        for step in path[1:]:
            at = at[int(step)] if isinstance(at, list) else at[step]
        assert not last or isinstance(at, dict) or int(last) < len(at)


NUMBERS = [
    "1",
    "1.0",
    "1e0",
    "-0",
    "0.10",
    "123456789012345678901234567890",
    "1e400",
    "0.1000000000000000055511151231257827",
]


@pytest.mark.parametrize("name", STORED)
def test_a_stored_document_is_written_as_it_was_read(name: str, tmp_path: Path) -> None:
    source = (DATA / name).read_bytes()
    read = Document.read(DATA / name)
    assert read.to_bytes() == source
    read.write(tmp_path / "copy.json")
    assert (tmp_path / "copy.json").read_bytes() == source
    assert stat.S_IMODE((tmp_path / "copy.json").stat().st_mode) == 0o600


@pytest.mark.parametrize("number", NUMBERS)
def test_a_number_keeps_its_text_in_the_document_and_in_its_objects(number: str) -> None:
    source = ijson.dumps(document(call(0, arguments="@"), open_calls=("k",))).replace(b'"@"', number.encode())
    read = Document.parse(source)
    assert read.to_bytes() == source
    assert ijson.dumps(read.to_wire()) == source
    assert f'"arguments":{number},'.encode() in ijson.dumps(read.events[0].to_wire())


@given(st.dictionaries(st.text(min_size=1).map(lambda n: f"x-{n}"), VALUES, min_size=1, max_size=3))
def test_unknown_members_survive_on_every_object(members: Wire) -> None:
    wire = copy.deepcopy(RICH)
    objects: list[Any] = [wire]
    for value in objects:
        if isinstance(value, dict):
            objects.extend(v for k, v in value.items() if k not in ("arguments", "value", "input_schema"))
            value.update(copy.deepcopy(members))
        elif isinstance(value, list):
            objects.extend(value)
        if len(objects) > 10_000:
            break
    read = parsed(wire)
    assert [f for f in read.findings if f.severity == "error"] == []
    for items in read.collections.values():
        assert [item.to_wire() for item in items] == wire[items.name]


def test_objects_that_are_not_valid_are_kept_with_what_is_wrong() -> None:
    read = parsed(edited(RICH, ("/events/2/data/terminal", "yes"), ("/events/0/kind", "dream"), ("/streams/0", 7)))
    assert [(i.pointer, i.id) for i in read.invalid] == [("/events/2", "e2"), ("/streams/0", None)]
    assert read.events.invalid[0].value["data"]["terminal"] == "yes"
    assert [f.pointer for f in read.events.invalid[0].findings] == ["/events/2/data/terminal"]
    assert len(read.events) == len(RICH["events"]) - 1
    assert read.events.find("e2") is None
    assert read.events.declares("e2")
    assert not read.events.declares("e99")
    assert isinstance(read.events[0], UnknownEvent)
    assert [e.id for e in read.events[1:3]] == ["e1", "e3"]
    assert repr(read.events) == "<7 events, 1 invalid>"
    assert repr(read) == "<ASIF document: capture 'capture', 7 events, 1 streams>"
    assert repr(parsed(edited(RICH, ("/capture", 1)))).startswith("<ASIF document: capture invalid")


def test_a_file_knows_its_folder(tmp_path: Path) -> None:
    wire = document(resources=[{**{k: v for k, v in resource("r", "abc").items() if k != "text"}, "path": "r.txt"}])
    (tmp_path / "d.json").write_text(json.dumps(wire), "utf-8")
    assert [f.code for f in Document.read(tmp_path / "d.json").check().findings] == ["resource-file-unreadable"]
    (tmp_path / "r.txt").write_text("abc", "utf-8")
    read = Document.read(tmp_path / "d.json")
    assert read.check().findings == []
    content = read.resource_bytes("r")
    assert content is not None
    assert content.data == b"abc"
    assert read.resource_bytes("none") is None


def test_a_file_that_cannot_be_read_is_an_error_of_ours(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="cannot open"):
        Document.read(tmp_path / "none.json")
    with pytest.raises(SourceError, match="cannot open"):
        Document.read(tmp_path)


def test_a_write_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "file").touch()
    with pytest.raises(OSError, match="taken"):
        parsed(RICH).write(tmp_path / "taken")
    assert [p.name for p in tmp_path.iterdir()] == ["taken"]


def test_a_stream_that_is_not_there_is_an_error_of_ours() -> None:
    read = parsed(edited(RICH, ("/streams/0/segments", 1)))
    for stream_id in ("s e0", "none"):
        with pytest.raises(RefNotFoundError, match="no valid stream"):
            read.assemble(stream_id)
    assert read.assemble("s e1").arguments() == {"a": 1}


def test_models_are_made_by_their_members_and_refuse_others() -> None:
    assert TextPart(text="").to_wire() == {"kind": "text", "text": ""}
    assert StructuredPart(schema="s", value=None).to_wire() == {"kind": "structured", "schema": "s", "value": None}
    assert EventReference(event_id="e").local
    assert not EventReference(event_id="e", session_id="s", capture_id="c").local
    with pytest.raises(InvalidRecordError, match="event_id"):
        EventReference(event_id="")
    assert parsed(RICH).streams[1].segments[1].span.end == 7


@pytest.mark.parametrize(
    "written", ["1.5", "-1.0", "1e999999999", "9007199254740992.0", "1e-999999999", '"1"', "true", "null"]
)
def test_what_is_no_integer_is_none(written: str) -> None:
    source = json.dumps(edited(RICH, ("/streams/1/segments/1/index", "@"))).replace('"@"', written)
    codes = {f.code for f in Document.parse(source.encode()).findings if f.severity == "error"}
    assert codes <= {"integer-invalid", "null-not-allowed"}
    assert codes


@pytest.mark.parametrize("written", ["1.0", "1e0", "10e-1", "0.1e1"])
def test_an_integer_may_be_written_in_other_forms(written: str) -> None:
    source = json.dumps(edited(RICH, ("/streams/1/segments/1/index", "@"))).replace('"@"', written)
    read = Document.parse(source.encode())
    assert read.streams[1].segments[1].index == 1
    assert [f.code for f in read.check().findings if f.code != "binding-history-undisclosed"] == ["integer-not-plain"]


def deep(levels: int) -> bytes:
    return b'{"x":' + b"[" * (levels - 1) + b"]" * (levels - 1) + b"}"


def test_nesting_has_a_limit_and_never_a_traceback() -> None:
    """Reference limit: 128 levels; 254 are the most that are read."""
    Document.parse(deep(128))
    assert error_of(deep(129)) == "limit-exceeded"
    Document.parse(deep(254), limits=Limits.off())
    for levels in (255, 10_000, 1_000_000):
        assert error_of(deep(levels), Limits.off()) == "nesting-too-deep"


def test_size_and_number_of_values_have_limits() -> None:
    source = json.dumps(RICH).encode()
    Document.parse(source, limits=Limits(document_bytes=len(source)))
    assert error_of(source, Limits(document_bytes=len(source) - 1)) == "limit-exceeded"
    nodes = len(places(RICH)) + 1
    Document.parse(source, limits=Limits(nodes=nodes))
    assert error_of(source, Limits(nodes=nodes - 1)) == "limit-exceeded"


def test_a_file_is_not_read_beyond_the_limit(tmp_path: Path) -> None:
    file = tmp_path / "sparse.json"
    with file.open("wb") as sparse:
        sparse.truncate(2**40)
    with pytest.raises(DocumentError, match="more than 16777216 bytes"):
        Document.read(file)


@pytest.mark.parametrize("member", ["events", "streams", "losses"])
def test_too_many_objects_end_a_check_at_once(member: str) -> None:
    wire = edited(document(streams=[]), (f"/{member}", [{}] * 20_001))
    report = checked(wire, Limits(document_bytes=None))
    assert report.findings[-1].code == "limit-exceeded"
    assert report.findings[-1].pointer == f"/{member}"
    assert not report.ok
    assert (len(report.streams), len(report.calls), len(report.branches)) == (0, 0, 0)


def many_segments(count: int) -> bytes:
    """A complete stream of segments of which all but one are empty."""
    wire = document(call(0, arguments=0), open_calls=("k",), resources=[resource("r", " 0")], streams=["@"])
    segments = ",".join(
        f'{{"index":{i},"resource_id":"r","offset":0,"length":{2 * (i == 9)},"terminal":{str(i == count - 1).lower()}}}'
        for i in range(count)
    )
    head = json.dumps(stream("e0", [], id="s")).replace("[]", f"[{segments}]")
    return json.dumps(wire).replace('"@"', head).encode()


def test_a_million_segments_are_refused_before_they_are_typed() -> None:
    source = many_segments(1_000_000)
    assert error_of(source) == "limit-exceeded"
    assert error_of(source, Limits(document_bytes=None)) == "limit-exceeded"


def test_many_segments_end_a_check_at_once_and_assemble_without_limits() -> None:
    read = Document.parse(many_segments(100_000), limits=Limits.off())
    assert [(f.code, f.pointer) for f in read.check().findings] == [("limit-exceeded", "/streams/0/segments")]
    report = read.check(limits=Limits.off())
    assert report.findings == []
    assert (report.streams["s"].status, report.streams["s"].contiguous_bytes) == ("complete", 2)


def test_streams_that_repeat_one_resource_do_not_grow_without_limit() -> None:
    """Many streams over one resource would be many times its size: what a check assembles counts in all."""
    wire = document(
        *(call(i, f"k{i}", status="partial") for i in range(4)),
        open_calls=tuple(f"k{i}" for i in range(4)),
        resources=[resource("r", "x" * 100)],
        streams=[stream(f"e{i}", [segment(0, "r", 0, 100)], status="partial", call_id=f"k{i}") for i in range(4)],
    )
    assert checked(wire).findings == []
    codes = [(f.code, f.pointer) for f in checked(wire, Limits(total_bytes=250)).findings]
    assert codes == [("limit-exceeded", f"/streams/{i}/segments/0/length") for i in (2, 3)]


def test_limits_of_resources_and_streams_are_findings() -> None:
    wire = edited(RICH, ("/external_bindings", []), ("/events/5", ...), ("/branches/0/event_ids/5", ...))
    wire["checkpoints"][0]["open_decisions"] = []
    assert checked(wire).findings == []
    assert [f.code for f in checked(wire, Limits(resource_bytes=6)).findings] == ["limit-exceeded"]
    assert [f.pointer for f in checked(wire, Limits(stream_bytes=6)).findings] == ["/streams/1/segments/1/length"]


def events_of(count: int) -> bytes:
    """Half calls, half results, on one branch."""
    events = [
        {**(call(i, f"k{i}") if i % 2 == 0 else result(i, f"k{i - 1}")), "causes": [{"event_id": f"e{i - 1}"}] if i % 2 else []}
        for i in range(count)
    ]  # fmt: skip
    return ijson.dumps(document(*events))


def segments_of(count: int) -> bytes:
    segments = [segment(i, "r", 0, 0) for i in range(count - 1)] + [segment(count - 1, "r", 0, 1, terminal=True)]
    return ijson.dumps(
        document(
            call(0, arguments=0), open_calls=("k",), resources=[resource("r", "0")], streams=[stream("e0", segments)]
        )
    )


def checkpoints_of(count: int) -> bytes:
    """A checkpoint after each event of a branch with many open calls, each leaving all of them out."""
    events = [call(i, f"k{i}") for i in range(count)]
    ids = [e["id"] for e in events]
    return ijson.dumps(document(*events, branches=[branch("main", ids)], checkpoints=[checkpoint(i) for i in ids]))


def branches_of(count: int) -> bytes:
    """Many branches of one event, many external calls."""
    wire = document(event(0, "note", {"parts": [], "category": "c"}))
    wire["branches"] = [branch(f"b{i}", ["e0"]) for i in range(count)]
    wire["checkpoints"] = [checkpoint("e0", branch=f"b{i}", knowledge="unknown") for i in range(count)]
    wire["external_bindings"] = [bound_call(f"x{i}") for i in range(count)]
    wire["required_features"] = ["asif.external-bindings/0.1"]
    return ijson.dumps(wire)


@pytest.mark.parametrize("make", [events_of, segments_of, checkpoints_of, branches_of])
def test_work_grows_with_the_document_and_no_faster(make: Callable[[int], bytes]) -> None:
    """Counted in executed calls, not in seconds, so that a busy machine changes nothing."""
    small, large = (calls_made(make(n)) for n in (300, 3000))
    assert large < 12 * small


def calls_made(source: bytes) -> int:
    import sys

    count = 0

    def profile(frame: object, kind: str, argument: object) -> None:
        nonlocal count
        count += kind in ("call", "c_call")

    read = Document.parse(source, limits=Limits.off())
    read.check(limits=Limits.off())
    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        Document.parse(source, limits=Limits.off()).check(limits=Limits.off())
    finally:
        sys.setprofile(before)
    return count


def test_the_collector_is_left_as_it_was() -> None:
    for enabled in (True, False):
        (gc.enable if enabled else gc.disable)()
        try:
            parsed(RICH).check()
            assert gc.isenabled() == enabled
        finally:
            gc.enable()


def test_every_source_is_of_a_code() -> None:
    assert set(SOURCES) <= set(CODES)
