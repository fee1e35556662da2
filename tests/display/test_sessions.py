"""Frames of many sessions: a row for every file, whatever is in it."""

from __future__ import annotations

import gzip
import io
import os
from contextlib import redirect_stderr
from decimal import Decimal
from pathlib import Path
from typing import Any, cast

import polars as pl
import pytest

from sessionrecord import Session, ijson
from sessionrecord.display.frames import FRAMES, SESSIONS, FrameName, sessions_arrow, sessions_frame
from tests.display.streams import numbered, session_of

FOLDER = Path("examples/data/sessions")
PATHS = sorted(FOLDER.glob("*.jsonl"))


def lines(*records: dict[str, Any]) -> bytes:
    return b"".join(ijson.dumps(r) + b"\n" for r in numbered(*records))


def test_each_file_is_a_row_that_says_what_its_session_says() -> None:
    frame = sessions_frame(PATHS)
    assert list(frame.columns) == [c.name for c in SESSIONS.columns]
    assert frame["path"].tolist() == [str(p) for p in PATHS]
    assert frame["error"].isna().all()
    for row, path in zip(sessions_arrow(PATHS).to_pylist(), PATHS, strict=True):
        session = Session.read(path)
        used = session.usage()
        assert row["session"] == f"asr:sample-agent//{path.name.partition('.')[0]}"
        assert (row["records"], row["tool_calls"]) == (len(session), len(session.tool_calls()))
        assert (row["input_tokens"], row["model_calls"]) == (used.total.input_tokens, used.calls)
        assert {c["currency"]: c["amount"] for c in row["costs"]} == used.costs
        assert row["cost"] == used.costs.get("USD")
        assert row["costs_missing"] == used.costs_missing
        assert row["bytes"] + row["records"] == path.stat().st_size
        assert (row["errors"], row["warnings"]) == (0, 0)


def test_what_is_not_a_stream_says_why_and_stops_nothing(tmp_path: Path) -> None:
    """Logs of other formats are to be converted first; they are known by their lines, never by their names."""
    (tmp_path / "empty.jsonl").write_bytes(b"")
    (tmp_path / "cut.jsonl.gz").write_bytes(gzip.compress(PATHS[0].read_bytes())[:-20])
    (tmp_path / "good.jsonl.gz").write_bytes(gzip.compress(PATHS[0].read_bytes()))
    (tmp_path / "damaged.gz").write_bytes(b"\x1f\x8b\x08\x00abc")
    (tmp_path / "older.jsonl").write_bytes(b'{"type":"message","role":"user","content":[]}\n')
    (tmp_path / "binary").write_bytes(os.urandom(3) + bytes(range(256)) * 40)
    paths: list[str | os.PathLike[str]] = [
        tmp_path / "missing", tmp_path, tmp_path / "empty.jsonl", "examples/data/claude-code-sample.jsonl", "examples/data/codex-sample.jsonl",
        tmp_path / "older.jsonl", tmp_path / "binary", "a\0b", tmp_path / "good.jsonl.gz", tmp_path / "cut.jsonl.gz", tmp_path / "damaged.gz",
    ]  # fmt: skip
    table = sessions_arrow(paths).to_pylist()
    assert len(table) == len(paths)
    for row in table[:8]:
        assert row["error"]
        assert "\n" not in row["error"]
        assert {name for name, value in row.items() if value is not None} == {"path", "error"}
    for row in table[3:6]:
        assert "`sessionrecord convert` reads logs of other formats" in row["error"]
    assert "is empty" in table[2]["error"]
    assert (table[8]["error"], table[8]["records"], table[8]["errors"]) == (None, len(Session.read(PATHS[0])), 0)
    assert table[9]["errors"] > 0
    assert "holds nothing that can be read: the compressed source ends early" in table[10]["error"]


def test_a_sum_that_no_column_holds_says_so_and_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "much.jsonl").write_bytes(lines(*({"type": "usage", "inputTokens": 2**53 - 1} for _ in range(1100))))
    most, good = sessions_arrow([tmp_path / "much.jsonl", PATHS[0]]).to_pylist()
    assert most["error"] == f"its input_tokens, {1100 * (2**53 - 1):,}, are more than a column holds"
    assert most["records"] is None
    assert (good["error"], good["records"]) == (None, len(Session.read(PATHS[0])))


def test_costs_in_several_currencies_are_not_one_cost(tmp_path: Path) -> None:
    path = tmp_path / "two.jsonl"
    path.write_bytes(
        lines(
            {"type": "usage", "cost": {"amount": 1, "currency": "USD"}},
            {"type": "usage", "cost": {"amount": 1e-30, "currency": "EUR"}},
        )
    )
    (row,) = sessions_arrow([path]).to_pylist()
    assert (row["cost"], row["currency"]) == (None, None)
    assert row["costs"] == [
        {"currency": "EUR", "amount": None, "amount_text": "1E-30"},
        {"currency": "USD", "amount": Decimal(1), "amount_text": None},
    ]


def test_the_first_and_last_timestamp_are_by_time_and_not_by_place(tmp_path: Path) -> None:
    """Timestamps order nothing (spec section 2): the last record may be the earliest."""
    path = tmp_path / "odd.jsonl"
    times = ("2026-01-02T00:00:00Z", "2026-01-01T00:00:00.000000001Z", "2026-12-31T23:59:60Z")
    path.write_bytes(lines(*({"type": "state", "state": "idle", "timestamp": t} for t in times)))
    table = sessions_arrow([path])
    assert table["first_timestamp"].cast("int64").to_pylist() == [1767225600_000000001]
    assert table["last_timestamp"].cast("int64").to_pylist() == [1767312000_000000000]


@pytest.mark.parametrize("name", list(FRAMES))
def test_the_rows_of_a_frame_of_all_sessions_are_those_of_each(name: FrameName, tmp_path: Path) -> None:
    table = sessions_arrow([*PATHS, tmp_path / "missing"], name)
    for path in PATHS:
        inner = Session.read(path).to_arrow(name).to_pylist()
        found = [row for row in table.to_pylist() if row["path"] == str(path)]
        assert [{k: v for k, v in row.items() if k not in ("path", "session", "error")} for row in found] == inner
        assert {row["session"] for row in found} == {f"asr:sample-agent//{path.name.partition('.')[0]}"}
    last = table.to_pylist()[-1]
    assert {n for n, v in last.items() if v is not None} == {"path", "error"}
    assert pl.DataFrame(table).height == table.num_rows
    assert list(sessions_frame(PATHS, name, progress=False).columns) == table.column_names


def test_no_path_makes_an_empty_frame_and_one_path_needs_no_list() -> None:
    assert sessions_arrow([]).schema == sessions_arrow(PATHS).schema == SESSIONS.schema()
    assert sessions_frame(PATHS[0])["path"].tolist() == [str(PATHS[0])]
    with pytest.raises(ValueError, match="'session' is no frame; there are sessions, records, messages, tools, usage"):
        sessions_arrow([], cast("Any", "session"))


def test_a_bar_is_shown_when_asked_for_or_on_a_terminal() -> None:
    for progress, wanted in ((None, False), (False, False), (True, True)):
        said = io.StringIO()
        with redirect_stderr(said):
            sessions_frame(PATHS, progress=progress)
        assert ("3/3" in said.getvalue()) == wanted


def test_a_path_that_is_no_text_is_shown_escaped(tmp_path: Path) -> None:
    name = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.jsonl")
    Path(name).write_bytes(b"".join(r.to_line() + b"\n" for r in session_of(numbered()).records))
    (row,) = sessions_arrow([name]).to_pylist()
    assert row["path"].endswith("/\\xff.jsonl")
    assert row["records"] == 1
