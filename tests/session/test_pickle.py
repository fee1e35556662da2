"""Sessions, their views and lists of records go to another process; what writes to a file says that it cannot."""

from __future__ import annotations

import copy
import gzip
import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from sessionrecord import InvalidRecord, Producer, Session, StreamWriter
from sessionrecord.records import State
from sessionrecord.stream import RecordList
from sessionrecord_corpus import cases
from tests.stream.samples import HEADER, message, ordered_records

STREAM = HEADER + message(2) + message(3) + b'{"type":"sta\n' + message(5)


def again(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


@given(ordered_records())
def test_every_record_can_be_pickled(records: list[Any]) -> None:
    assert [r.to_line() for r in again(records)] == [r.to_line() for r in records]


@pytest.mark.parametrize("case", cases(), ids=lambda c: c.name)
def test_a_session_is_the_same_after_pickling(case: Any) -> None:
    for session in (Session.read(case.path), Session.read(case.path.read_bytes())):
        back = again(session)
        assert len(back) == len(session)
        assert back.diagnostics == session.diagnostics
        assert [r.to_line() for r in back.records] == [r.to_line() for r in session.records]
        assert back.heads() == back.heads()
        assert [e.ref for e in back.heads()] == [e.ref for e in session.heads()]


def test_what_was_appended_and_what_was_broken_off_come_along(tmp_path: Path) -> None:
    session = Session.read(gzip.compress(STREAM * 3)[:-9])
    session.append(State(seq=90, id="r90", state="idle"))
    back = again(session)
    assert "compression-broken" in [d.code for d in back.diagnostics]
    assert back.diagnostics == session.diagnostics
    session.write(tmp_path / "a")
    back.write(tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_views_and_entities_come_along() -> None:
    session = Session.read(STREAM)
    assert again(session.at(2)).counts() == session.at(2).counts()
    assert again(session.resolve("messageId=m3")).latest == session.resolve("messageId=m3").latest
    assert isinstance(again(session.records)[3], InvalidRecord)
    assert isinstance(copy.deepcopy(session).records[3], InvalidRecord)


def test_a_spawned_process_gets_them_and_gives_them_back(tmp_path: Path) -> None:
    """It shares no memory, so that everything is pickled."""
    (tmp_path / "s").write_bytes(STREAM)
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        assert pool.submit(len, Session.read(tmp_path / "s")).result(timeout=60) == 5
        other = pool.submit(copy.copy, begun()).result(timeout=60)
    assert [r.to_line() for r in other.records] == [r.to_line() for r in begun().records]
    assert other.state(state="idle").seq == 3


def begun() -> RecordList:
    author = RecordList()
    author.session(agent="toy", session_id="s1", producer=Producer(method="native"))
    author.user_message("Hello.", message_id="a")
    return author


@pytest.mark.parametrize("copied", [again, copy.deepcopy, copy.copy], ids=["pickle", "deepcopy", "copy"])
def test_a_copy_of_a_list_of_records_goes_on_by_itself(copied: Any) -> None:
    """It knows the IDs and the last seq; what is added to one of the two is not in the other."""
    author = begun()
    other = copied(author)
    assert [r.to_line() for r in other.records] == [r.to_line() for r in author.records]
    made, added = other.state(state="idle"), author.state(state="running")
    assert (made.seq, made.id) == (added.seq, added.id)
    assert (len(other.records), len(author.records)) == (3, 3)
    with pytest.raises(Exception, match="session header already"):
        other.session(agent="toy", session_id="s2", producer=Producer(method="native"))


def test_what_writes_to_a_file_says_that_it_cannot_be_copied(tmp_path: Path) -> None:
    with StreamWriter(tmp_path / "s") as writer:
        for copied in (again, copy.copy, copy.deepcopy):
            with pytest.raises(TypeError, match="a StreamWriter cannot be copied or pickled"):
                copied(writer)
