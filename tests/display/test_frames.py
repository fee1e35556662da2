"""Frames of one session: fixed columns, nothing changed on the way into them, and the same facts as the session's views."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import defaultdict
from decimal import Decimal
from functools import partial
from typing import Any, cast

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessionrecord import Session, SessionRecordError
from sessionrecord.display.frames import FRAMES, Frame, FrameName
from sessionrecord.display.frames.columns import fits, number
from sessionrecord.errors import MissingExtraError
from tests.display.streams import HEADER, numbered, session_of, usages
from tests.session.streams import streams
from tests.strategies import record_wires, timestamps

NAMES: list[FrameName] = ["records", "messages", "tools", "usage"]
MONDAY = "examples/data/sessions/monday.asr.jsonl"
TOKENS = (
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "reasoning_tokens",
    "total_tokens",
)


def rows(session: Session, name: FrameName, at: int | None = None) -> list[dict[str, Any]]:
    """A frame as plain Python."""
    found: list[dict[str, Any]] = session.to_arrow(name, at).to_pylist()
    return found


# Columns and types


@pytest.mark.parametrize("name", NAMES)
def test_a_frame_has_the_columns_and_types_that_it_declares(name: FrameName) -> None:
    frame: Frame = FRAMES[name][0]
    for session in (Session.read(MONDAY), Session.read(b"")):
        schema = session.to_arrow(name).schema
        found = [(f.name, re.sub("element|item", "value", str(f.type))) for f in schema]
        assert found == [(c.name, c.type) for c in frame.columns]
        assert [f.metadata[b"meaning"].decode() for f in schema] == [c.meaning for c in frame.columns]


@pytest.mark.parametrize("name", NAMES)
def test_a_pandas_frame_keeps_the_arrow_types(name: FrameName) -> None:
    session = Session.read(MONDAY)
    methods = {
        "records": session.to_frame,
        "messages": session.messages_frame,
        "tools": session.tools_frame,
        "usage": session.usage_frame,
    }
    frame = methods[name]()
    table = session.to_arrow(name)
    assert list(frame.columns) == table.column_names
    for field in table.schema:
        assert frame[field.name].dtype == pd.ArrowDtype(field.type)
    assert pa.Table.from_pandas(frame, schema=table.schema, preserve_index=False).equals(table)


def test_a_name_that_is_no_frame_is_told_which_there_are() -> None:
    with pytest.raises(ValueError, match=r"'turns' is no frame; there are records, messages, tools, usage"):
        Session.read(b"").to_arrow(cast("Any", "turns"))


# Values that a column may not change


def nanoseconds(text: str) -> int:
    """Nanoseconds since 1970 by integers alone: days of the proleptic Gregorian calendar."""
    year, month, day = int(text[:4]), int(text[5:7]), int(text[8:10])
    hour, minute, second = int(text[11:13]), int(text[14:16]), int(text[17:19])
    fraction = (text[20:-1] if text[19] == "." else "").ljust(9, "0")
    y, m = (year, month) if month > 2 else (year - 1, month + 12)
    days = 365 * y + y // 4 - y // 100 + y // 400 + (153 * (m - 3) + 2) // 5 + day - 1 - 719468
    return ((days * 24 + hour) * 60 + minute) * 60 * 10**9 + second * 10**9 + int(fraction)


@given(st.lists(timestamps(), max_size=6))
def test_a_timestamp_keeps_its_nanoseconds_or_is_given_as_text(texts: list[str]) -> None:
    """Spec section 1: nanoseconds survive. A timestamp of Arrow holds the whole years 1678 to 2261."""
    records = numbered(*({"type": "state", "state": "idle", "timestamp": text} for text in texts))
    table = session_of(records).to_arrow()
    moments = table["timestamp"].cast("int64").to_pylist()[1:]
    for text, found, kept in zip(texts, moments, table["timestamp_text"].to_pylist()[1:], strict=True):
        if 1678 <= int(text[:4]) <= 2261:
            assert (found, kept) == (nanoseconds(text), None)
        else:
            assert (found, kept) == (None, text)


@pytest.mark.parametrize(
    "text",
    ["2016-12-31T23:59:60Z", "1677-12-31T23:59:59Z", "2262-01-01T00:00:00Z", "yesterday", "2026-01-01T00:00:00z\n"],
)
def test_what_no_timestamp_column_holds_is_kept_as_written(text: str) -> None:
    """A leap second, years out of range; and what a broken record has in that place."""
    row = rows(session_of(numbered({"type": "state", "state": "idle", "timestamp": text})), "records")[1]
    assert (row["timestamp"], row["timestamp_text"]) == (None, text)


@pytest.mark.parametrize(
    ("literal", "held"),
    [
        ("0.1", "0.1"), ("3", "3"), ("0.30000000000000004", "0.30000000000000004"), ("1e-7", "0.0000001"),
        ("0.123456789012345678901234", "0.123456789012345678901234"), ("99999999999999.5", "99999999999999.5"), ("0", "0"), ("1.50", "1.5"),
        ("0.1234567890123456789012345", None), ("100000000000000", None), ("1e-300", None), ("1e300", None),
        ("0.10000000000000000000000000000000000", "0.1"),
    ],
)  # fmt: skip
def test_an_amount_is_exact_or_given_as_text_and_never_rounded(literal: str, held: str | None) -> None:
    """ASR-047: costs are decimal, with no more digits than given."""
    line = b'{"type":"usage","seq":2,"id":"r2","cost":{"amount":%b,"currency":"USD"}}' % literal.encode()
    row = rows(Session.read(session_line(HEADER) + line), "usage")[0]
    for name in ("cost", "reported_cost"):
        if held is None:
            assert row[name] is None
            assert Decimal(row[f"{name}_text"]) == Decimal(literal)
        else:
            assert (row[name], row[f"{name}_text"]) == (Decimal(held), None)


def session_line(record: dict[str, Any]) -> bytes:
    return Session.from_records(session_of([record]).records).records[0].to_line() + b"\n"


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=0, max_value=Decimal("1e20"), places=None))
def test_an_amount_that_fits_is_the_same_amount(amount: Decimal) -> None:
    held = fits(amount)
    digits = amount.as_tuple().digits
    places = -int(amount.as_tuple().exponent) - (len(digits) - len("".join(map(str, digits)).rstrip("0")))
    assert (held is not None) == (amount == 0 or (places <= 24 and amount < 10**14))
    assert held is None or held == amount


def test_a_duration_beyond_all_doubles_is_not_known() -> None:
    """A literal of 400 digits is a valid duration; no double is near it."""
    assert number(10**400) is None
    assert number(Decimal("1e400")) is None
    assert number(Decimal("0.25")) == 0.25
    assert number(None) is None


def test_lone_surrogates_of_a_broken_record_are_shown_escaped() -> None:
    """Arrow's text is UTF-8, which cannot hold them; the line stays as it is."""
    line = b'{"type":"message","seq":2,"id":"r\\ud800","messageId":"m","role":"user","content":[{"type":"text","text":"a\\udfff"}]}\n'
    session = Session.read(session_line(HEADER) + line)
    row = rows(session, "records")[1]
    assert (row["id"], row["text"]) == ("r\\ud800", "a\\udfff")
    assert rows(session, "messages")[0]["valid"] is False


@settings(max_examples=30)
@given(st.lists(record_wires(), max_size=5))
def test_any_valid_records_make_frames(wires: list[dict[str, Any]]) -> None:
    session = session_of([HEADER, *({**wire, "seq": n, "id": f"x{n}"} for n, wire in enumerate(wires, 2))])
    for name in NAMES:
        assert session.to_arrow(name).num_rows >= 0
    assert [r["bytes"] for r in rows(session, "records")] == [len(r.to_line()) for r in session.records]


@pytest.mark.parametrize(
    "line",
    [
        b'{"type":"message","seq":"x","id":"a","messageId":"m","role":"user"}', b'{"type":"usage","seq":-4,"id":"a","inputTokens":3}',
        b"", b"\n", b"[]", b"null", b"{", b'{"type":5,"seq":"x","id":[]}', b'{"type":"message","seq":2,"id":"a","content":5}',
        b'{"type":"message","seq":2,"id":"a","messageId":"m","role":"user","content":[5,{"type":"text","text":6}]}',
        b'{"type":"tool_call","seq":2,"id":"a","callId":7}', b'{"type":"usage","seq":2,"id":"a","inputTokens":-1}',
        b'{"type":"usage","seq":2,"id":"a"}{"type":"usage","seq":3,"id":"b"}', b"\x00\x00\x00", b"\xff\xfe",
        b'{"type":"message","seq":2,"seq":3,"id":"a","messageId":"m","role":"user"}', b'{"type":"","seq":2,"id":"a"}',
    ],
)  # fmt: skip
def test_a_broken_line_is_a_row_and_nothing_is_made_of_what_it_says(line: bytes) -> None:
    for source in (line, session_line(HEADER) + line, session_line(HEADER) + line + b"\n"):
        session = Session.read(source)
        assert session.to_arrow().num_rows == len(session)
        assert not [row for row in rows(session, "usage") if row["reported_input_tokens"] is not None]
        assert all((row["seq"] or 0) >= 0 for row in rows(session, "messages"))
        for name in NAMES:
            session.to_arrow(name)


# The same facts as the views


@given(streams(), st.integers(0, 30))
def test_a_frame_at_a_seq_is_the_frame_of_the_records_up_to_it(records: list[dict[str, Any]], at: int) -> None:
    """Design: every view takes `at`, a fold of the records up to it. A record whose seq is not above all before counts with the highest."""
    top, kept = -1, []
    for record in records:
        top = max(top, record["seq"])
        if top <= at:
            kept.append(record)
    session, cut = session_of(records), session_of(kept)
    for name in NAMES:
        assert session.to_arrow(name, at).equals(cut.to_arrow(name)), name
        assert session.at(at).to_arrow(name).equals(cut.to_arrow(name)), name


@given(streams())
def test_a_row_of_records_says_what_the_session_says(records: list[dict[str, Any]]) -> None:
    session = session_of(records)
    on_path = {e.ref for e in session.active_path().entities}
    in_context = {item.entity.ref for item in session.context_view().items}
    found = rows(session, "records")
    assert len(found) == len(records)
    chains: dict[str, list[str]] = defaultdict(list)
    for row, record in zip(found, session.records, strict=True):
        assert (row["id"], row["type"], row["seq"]) == (record.id, record.type, record.seq)
        ref = next(e.ref for e in session.entities if record.id in [r.id for r in e.revisions])
        assert row["entity"] == ref
        chains[ref].append(record.id or "")
        assert row["revision"] == len(chains[ref])
        takes_part = record.type in ("message", "tool_call", "tool_result", "compaction")
        assert row["on_path"] == (ref in on_path if takes_part else None)
        assert row["in_context"] == (ref in in_context if takes_part else None)
    assert {row["id"] for row in found if row["latest"]} == {chain[-1] for chain in chains.values()}


@given(streams())
def test_a_row_of_messages_says_where_the_message_is_and_why_not(records: list[dict[str, Any]]) -> None:
    session = session_of(records)
    view = session.context_view()
    in_context = {item.entity.ref for item in view.items}
    absent = {a.entity.ref: (a.reason, a.by) for a in view.absent}
    entities = [e for e in session.entities if e.type == "message"]
    found = rows(session, "messages")
    assert [f"messageId={row['message_id']}" for row in found] == [e.ref for e in entities]
    for row, entity in zip(found, entities, strict=True):
        assert row["in_context"] == (entity.ref in in_context)
        assert (row["absent"], row["absent_by"]) == absent.get(entity.ref, (None, None))
        assert row["revisions"] == len(entity.revisions)
        assert (row["seq"], row["valid"]) == (entity.seq, True)


def test_a_message_is_counted_by_its_blocks() -> None:
    blocks = [
        {"type": "text", "text": "a"}, {"type": "reasoning", "text": "why"}, {"type": "reasoning", "encrypted": "x"},
        {"type": "image", "mimeType": "image/png", "data": ""}, {"type": "text", "text": "b"}, {"type": "new-kind"},
    ]  # fmt: skip
    session = session_of(
        numbered(
            {"type": "message", "messageId": "m", "role": "assistant", "model": "x", "content": blocks},
            {"type": "message", "messageId": "n", "role": "user", "capture": {"content": {"state": "omitted"}}},
        )
    )
    first, second = rows(session, "messages")
    assert (first["text"], first["reasoning"]) == ("ab", "why")
    assert [first[f"{n}blocks"] for n in ("", "text_", "reasoning_", "media_")] == [6, 2, 2, 1]
    assert (second["text"], second["blocks"], second["incomplete"]) == (None, None, True)
    assert rows(session, "records")[1]["text"] == "ab"


def test_a_tool_call_is_a_row_with_its_result_and_the_decision_on_it() -> None:
    session = session_of(
        numbered(
            {"type": "tool_call", "callId": "c", "name": "Run", "status": "pending", "timestamp": "2026-01-01T00:00:00Z",
             "modelCallId": "k", "arguments": {"n": 1, "none": None}},
            {"type": "permission_request", "permissionId": "p", "callId": "c"},
            {"type": "permission_decision", "permissionId": "p", "outcome": "selected", "kind": "allow_once", "decidedBy": "human"},
            {"type": "tool_call", "callId": "d", "name": "Run", "modelCallId": "k", "arguments": None},
            {"type": "tool_call", "callId": "c", "name": "Run", "status": "completed", "timestamp": "2026-01-01T00:00:09Z",
             "modelCallId": "k", "arguments": {"n": 1, "none": None}},
            {"type": "tool_result", "callId": "c", "outcome": "error", "exitCode": -9, "error": {"message": "no", "code": "E"},
             "content": [{"type": "text", "text": "é"}], "durationMs": 2.5, "timestamp": "2026-01-01T00:00:08.000000001Z"},
            {"type": "tool_result", "callId": "gone"},
        )
    )  # fmt: skip
    first, second, orphan = rows(session, "tools")
    wanted = {
        "call_id": "c", "seq": 2, "name": "Run", "status": "completed", "arguments": '{"n":1,"none":null}', "outcome": "error", "parallel": 2,
        "exit_code": -9, "error_message": "no", "error_code": "E", "result_text": "é", "result_bytes": 2, "duration_ms": 2.5, "result_seq": 7,
        "has_call": True, "results": 1, "permission_id": "p", "permission": "selected", "permission_kind": "allow_once", "decided_by": "human",
    }  # fmt: skip
    assert {name: first[name] for name in wanted} == wanted
    table = session.to_arrow("tools")
    assert table["started"].cast("int64")[0].as_py() == nanoseconds("2026-01-01T00:00:00Z")
    assert table["finished"].cast("int64")[0].as_py() == nanoseconds("2026-01-01T00:00:08.000000001Z")
    assert (second["arguments"], second["outcome"], second["results"], second["duration_ms"]) == ("null", None, 0, None)
    assert (orphan["has_call"], orphan["results"], orphan["name"], orphan["parallel"]) == (False, 1, None, None)


def test_numbers_of_any_size_in_arguments_keep_their_digits() -> None:
    literal = '{"a":0.10000000000000000000001,"b":123456789012345678901234567890}'
    line = b'{"type":"tool_call","seq":2,"id":"r2","callId":"c","arguments":%b}\n' % literal.encode()
    assert rows(Session.read(session_line(HEADER) + line), "tools")[0]["arguments"] == literal


# Usage


def amount_in(currency: str, record: dict[str, Any]) -> Decimal | None:
    cost = record.get("cost")
    return Decimal(str(cost["amount"])) if cost and cost["currency"] == currency else None


def naive_totals(records: list[dict[str, Any]]) -> tuple[dict[Any, dict[str, Any]], dict[str, Decimal]]:
    """Spec section 8 and the ruling on folding, read aloud: latest revisions; per model and member the finest level that has it;
    deltas add up, of a cumulative counter the last value of each run counts."""
    entities: dict[Any, dict[str, Any]] = {}
    for r in records:
        if r["type"] == "model_call":
            entities["call", r["modelCallId"]] = r
        elif r["type"] == "usage":
            keyed = "modelCallId" in r and r.get("counter") != "cumulative" and r.get("scope") in (None, "model_call")
            entities["usage", r["modelCallId"] if keyed else None, None if keyed else r["id"]] = r
    model_of = {key[1]: r.get("model") for key, r in entities.items() if key[0] == "call"}
    series: dict[Any, dict[str, list[dict[str, Any]]]] = defaultdict(lambda: defaultdict(list))
    for key, r in entities.items():
        if key[0] == "usage":
            model = r.get("model", model_of.get(r.get("modelCallId")))
            level = r.get("scope") or (
                "model_call" if r.get("counter") != "cumulative" or "modelCallId" in r else "session"
            )
            series[model][level].append(r)

    def values(found: list[dict[str, Any]], level: str, get: Any) -> list[Any]:
        added = [v for r in found if r.get("counter") != "cumulative" and (v := get(r)) is not None]
        counters: dict[Any, list[Any]] = defaultdict(list)
        for r in found:
            if r.get("counter") == "cumulative" and (v := get(r)) is not None:
                of = {"model_call": r.get("modelCallId"), "turn": r.get("turnId")}.get(level)
                counters[of].append(v)
        for run in counters.values():
            added += [v for v, after in zip(run, [*run[1:], None], strict=True) if after is None or after < v]
        return added

    def total(model: Any, get: Any) -> Any:
        for level in ("model_call", "turn", "session"):
            found = values(series[model][level], level, get)
            if found:
                return sum(found[1:], found[0])
        return None

    wire = {
        "input_tokens": "inputTokens",
        "output_tokens": "outputTokens",
        "cache_read_tokens": "cacheReadTokens",
        "reasoning_tokens": "reasoningTokens",
    }
    tokens = {
        model: {name: total(model, lambda r, w=w: r.get(w)) for name, w in wire.items()} for model in list(series)
    }
    costs: dict[str, Decimal] = {}
    for currency in ("USD", "EUR", "input_tokens"):
        amounts = [total(model, partial(amount_in, currency)) for model in list(series)]
        known = [a for a in amounts if a is not None]
        if known:
            costs[currency] = sum(known, Decimal(0))
    return tokens, costs


@given(usages())
def test_the_rows_of_usage_add_up_to_the_totals(records: list[dict[str, Any]]) -> None:
    """The frame may be summed as it stands: what counts is counted once. Summed here without the library's fold."""
    session = session_of(records)
    frame: Any = session.usage_frame()
    tokens, costs = naive_totals(records)
    used = session.usage()
    for model, members in tokens.items():
        rows_of_model = frame[frame["model"].isna() if model is None else frame["model"] == model]
        for name, wanted in members.items():
            found: Any = rows_of_model[name].sum(min_count=1)
            assert (None if pd.isna(found) else found) == wanted == getattr(used.by_model[model], name)
    found_costs = {row["currency"]: Decimal(0) for row in rows(session, "usage") if row["cost"] is not None}
    for row in rows(session, "usage"):
        if row["cost"] is not None:
            found_costs[row["currency"]] += row["cost"]
    assert found_costs == costs == used.costs


def test_a_currency_may_be_named_as_a_member_of_the_tokens_is() -> None:
    """Currencies are any text: one of that name is a cost, and no count of tokens."""
    session = session_of(
        numbered({"type": "usage", "inputTokens": 7, "cost": {"amount": 0.5, "currency": "input_tokens"}})
    )
    assert session.usage().costs == {"input_tokens": Decimal("0.5")}
    assert rows(session, "usage")[0]["cost"] == Decimal("0.5")


@given(usages())
def test_what_a_usage_record_says_is_in_its_row_whether_or_not_it_counts(records: list[dict[str, Any]]) -> None:
    session = session_of(records)
    by_id = {r["id"]: r for r in records}
    calls = {r["modelCallId"] for r in records if r["type"] == "model_call"}
    for row in rows(session, "usage"):
        record = by_id[row["id"]]
        assert row["source"] == record["type"]
        assert row["reported_input_tokens"] == record.get("inputTokens")
        assert row["reported_cost"] == (Decimal(str(record["cost"]["amount"])) if "cost" in record else None)
        for name in TOKENS:
            assert row[name] in (None, row[f"reported_{name}"])
    told = {r["model_call_id"] for r in rows(session, "usage") if r["scope"] == "model_call"}
    assert calls <= told


def test_a_model_call_that_no_usage_record_tells_of_is_a_row_of_unknowns() -> None:
    session = session_of(
        numbered({"type": "model_call", "modelCallId": "k", "model": "m", "provider": "p", "durationMs": 12})
    )
    (row,) = rows(session, "usage")
    assert (row["source"], row["model"], row["provider"], row["duration_ms"]) == ("model_call", "m", "p", 12.0)
    assert [row[name] for name in (*TOKENS, "cost", "incomplete")] == [None] * 8


# Others read them


@pytest.mark.parametrize("name", NAMES)
def test_polars_and_duckdb_read_what_pandas_has(name: FrameName) -> None:
    session = Session.read(MONDAY)
    table = session.to_arrow(name)
    frame = pl.DataFrame(table)
    assert frame.columns == table.column_names
    assert frame.rows() == list(zip(*(column.to_pylist() for column in table.columns), strict=True))
    moment = "started" if name == "tools" else "timestamp"
    assert frame.schema[moment] == pl.Datetime("ns", "UTC")
    relation = duckdb.from_arrow(table)
    assert relation.columns == table.column_names
    assert relation.count("*").fetchall() == [(table.num_rows,)]


def test_costs_are_decimal_in_polars_and_duckdb() -> None:
    session = Session.read(MONDAY)
    table = session.to_arrow("usage")
    wanted = session.usage().costs["USD"]
    connection: Any = duckdb.connect()
    assert pl.DataFrame(table).schema["cost"] == pl.Decimal(38, 24)
    assert pl.DataFrame(table)["cost"].sum() == wanted
    assert connection.sql('select sum(cost) from "table"').fetchall() == [(wanted,)]
    assert connection.sql('select typeof(cost), typeof(timestamp) from "table" limit 1').fetchall() == [
        ("DECIMAL(38,24)", "TIMESTAMPTZ_NS")
    ]
    assert session.usage_frame()["cost"].sum() == wanted


# Without the extra


MISSING = """
import sys
class Blocked:
    def find_spec(self, name, *rest):
        if name.partition(".")[0] in {packages!r}:
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Blocked())
import sessionrecord
from sessionrecord import Session
from sessionrecord.display.frames import sessions_frame, sessions_arrow, FRAMES
from sessionrecord.errors import MissingExtraError
session = Session.read(b"")
calls = [session.to_frame, session.messages_frame, session.tools_frame, session.usage_frame, session.to_arrow, session.at(1).to_frame,
         session.plot_timeline, session.plot_context, session.plot_usage, FRAMES["usage"][0].schema,
         lambda: sessions_frame([]), lambda: sessions_arrow([]), lambda: sessions_frame([], "usage")]
for call in calls:
    try:
        call()
    except MissingExtraError as e:
        print(e)
"""


@pytest.mark.parametrize(
    ("packages", "said"),
    [(["pandas", "pyarrow", "matplotlib", "tqdm"], 13), (["pandas"], 7), (["matplotlib"], 3), (["tqdm"], 3)],
)
def test_without_the_extra_each_call_says_in_one_line_what_to_install(packages: list[str], said: int) -> None:
    done = subprocess.run(
        [sys.executable, "-c", MISSING.format(packages=packages)], capture_output=True, text=True, check=True
    )
    lines = done.stdout.splitlines()
    assert len(lines) == said
    for line in lines:
        assert re.fullmatch(
            r"(frames|plots|frames of many sessions) need \w+: pip install 'sessionrecord\[notebook\]'", line
        )
    assert done.stderr == ""


def test_importing_frames_and_plots_imports_no_package_of_the_extra() -> None:
    code = "import sys, sessionrecord.display.frames, sessionrecord.display.plots; print(*{m.partition('.')[0] for m in sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()).isdisjoint({"pandas", "pyarrow", "numpy", "matplotlib", "tqdm"})


def test_the_error_of_a_missing_extra_is_of_our_tree_and_an_import_error() -> None:
    assert issubclass(MissingExtraError, SessionRecordError)
    assert issubclass(MissingExtraError, ImportError)
