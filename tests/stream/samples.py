"""Small streams for tests: a header, messages, and records in order."""

from __future__ import annotations

from hypothesis import strategies as st

from sessionrecord.records import RECORD_TYPES, Record, SessionHeader, UnknownRecord
from tests.strategies import records

HEADER = b'{"type":"session","seq":1,"id":"r1","agent":"a","sessionId":"s","producer":{"method":"native"}}\n'

LATER_MODELS = [cls for name, cls in RECORD_TYPES.items() if name != "session"]


def message(seq: int, text: str = "x", record_id: str | None = None) -> bytes:
    """The line of a message; `text` stands in it raw."""
    return (
        f'{{"type":"message","seq":{seq},"id":"{record_id or f"r{seq}"}","messageId":"m{seq}","role":"user",'
        f'"content":[{{"type":"text","text":"{text}"}}]}}\n'
    ).encode()


@st.composite
def ordered_records(draw: st.DrawFn, max_size: int = 5) -> list[Record]:
    """Any records as a valid stream: a header first, rising `seq` with gaps, unique IDs."""
    later = st.one_of([records(cls) for cls in [*LATER_MODELS, UnknownRecord]])
    drawn = [draw(records(SessionHeader)), *draw(st.lists(later, max_size=max_size))]
    seq = draw(st.integers(0, 3))
    made: list[Record] = []
    for record in drawn:
        made.append(record.replace(seq=seq, id=f"r{seq}"))
        seq += draw(st.integers(1, 3))
    return made
