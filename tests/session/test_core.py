"""Many records at once are the records one by one, and what a reading brings along is what building it alone gives."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessionrecord.ijson import dumps
from sessionrecord.session.core import Core
from sessionrecord.session.log import Log
from tests.session.streams import HEADER
from tests.strategies import record_wires

ODD = (
    b"{",
    b"[]",
    b'{"type":"message","seq":3,"id":"a","messageId":"m"}',
    b'{"a":1,"a":2}',
    "\ufffe".encode(),
    b'{"type":"state"}{"type":"state"}',
)


@given(st.lists(st.one_of(record_wires().map(dumps), st.sampled_from(ODD)), max_size=80))
def test_many_records_at_once_are_the_records_one_by_one(lines: list[bytes]) -> None:
    core = Core(Log(b"\n".join([dumps(HEADER), *lines])))
    indexes = range(len(core.log))
    assert list(core.records(indexes)) == [core.record(i) for i in indexes]


@pytest.mark.parametrize("first", [0, 1, 40, 100])
def test_reading_in_batches_builds_the_same_index_and_structure(first: int) -> None:
    lines = [dumps(HEADER)]
    lines += [
        dumps({"type": "message", "seq": n, "id": f"r{n}", "messageId": f"m{n % 70}", "role": "user"})
        for n in range(2, 101)
    ]
    alone, read = Core(Log(b"\n".join(lines))), Core(Log(b"\n".join(lines[:50])))
    assert len(list(read.read(0, min(first, 50)))) == -(-min(first, 50) // 32)
    for line in lines[50:]:
        read.log.append(line)
    found = [line for _, part, _ in read.read(0, 100) for line in part]
    assert found == lines
    assert (read.index.ids, read.index.first) == (alone.index.ids, alone.index.first)
    assert (read.structure.heads, read.structure.depth) == (alone.structure.heads, alone.structure.depth)
