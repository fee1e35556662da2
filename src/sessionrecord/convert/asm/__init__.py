"""The events of runs (ASM) to ASR records: `convert` gives one session and a report of every event.

::

    conversion = asm.convert("events.jsonl")
    conversion.write("session.asr.jsonl")
    print(conversion.report)

What each kind becomes is in `docs/convert-asm.md`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from typing_extensions import TypeIs

from sessionrecord.asm import EventReader, InvalidEvent, RunEvent
from sessionrecord.convert.asm.session import SessionBuilder
from sessionrecord.convert.report import Conversion
from sessionrecord.errors import ConversionError
from sessionrecord.lines import ByteSource

__all__ = ["convert"]


def convert(source: ByteSource | Iterable[RunEvent | InvalidEvent]) -> Conversion:
    """The records of the events of one session, and a report on every event.

    `source` is a path, a binary file object or bytes of JSON Lines, or the events themselves. In the report a line is the
    number of an event, from 1; for a file without blank lines that is the line. Several runs become one session whose
    turns they are.

    Raises `SourceError` where a file cannot be read, `ConversionError` where there is no valid event.
    """
    path = Path(source) if isinstance(source, str | os.PathLike) else None
    builder: SessionBuilder | None = None
    early: list[tuple[int, InvalidEvent]] = []
    number = 0
    for number, event in enumerate(_events(source), 1):
        if builder is not None:
            builder.add(number, event)
        elif isinstance(event, InvalidEvent):
            early.append((number, event))
        else:
            builder = SessionBuilder(event, None if path is None else path.name)
            for place, invalid in early:
                builder.add(place, invalid)
            builder.add(number, event)
    if builder is None:
        raise ConversionError(f"no valid event of a run in {number} lines. Is it a file of ASM events?")
    records, report = builder.finish(number)
    return Conversion(records, {}, report, () if path is None else (path,))


def _events(source: ByteSource | Iterable[RunEvent | InvalidEvent]) -> Iterable[RunEvent | InvalidEvent]:
    return EventReader(source) if _is_bytes(source) else source


def _is_bytes(source: object) -> TypeIs[ByteSource]:
    return isinstance(source, str | os.PathLike | bytes) or hasattr(source, "read")
