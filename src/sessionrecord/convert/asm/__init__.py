"""The events of runs (ASM) to ASR records: `convert` gives one session and a report of every event.

::

    conversion = asm.convert("events.jsonl")
    conversion.write("session.asr.jsonl")
    print(conversion.report)

What each kind becomes is in `docs/convert-asm.md`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import chain
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

    `source` is a path, a binary file object or bytes of JSON Lines, or the events themselves, whose numbers then stand for lines,
    from 1. Several runs become one session whose turns they are.

    Raises `SourceError` where a file cannot be read, `ConversionError` where there is no valid event.
    """
    path = Path(source) if isinstance(source, str | os.PathLike) else None
    builder: SessionBuilder | None = None
    early: list[tuple[int, InvalidEvent | None]] = []
    number = 0
    for number, event in _numbered(source):
        if builder is None and isinstance(event, RunEvent):
            builder = SessionBuilder(event, None if path is None else path.name)
            for place, earlier in early:
                _add(builder, place, earlier)
        if builder is None:
            early.append((number, event if isinstance(event, InvalidEvent) else None))
        else:
            _add(builder, number, event)
    if builder is None:
        raise ConversionError(f"no valid event of a run in {number} lines. Is it a file of ASM events?")
    records, report = builder.finish(number)
    return Conversion(records, {}, report, () if path is None else (path,))


def _add(builder: SessionBuilder, number: int, event: RunEvent | InvalidEvent | None) -> None:
    if event is None:
        builder.blank(number)
    else:
        builder.add(number, event)


def _numbered(
    source: ByteSource | Iterable[RunEvent | InvalidEvent],
) -> Iterator[tuple[int, RunEvent | InvalidEvent | None]]:
    """Each event with its line; None for a line that is blank."""
    if not _is_bytes(source):
        yield from enumerate(source, 1)
        return
    reader = EventReader(source)
    number = told = 0
    for event in chain(reader, [None]):
        # what was skipped before the event is reported by now
        for found in reader.diagnostics[told:]:
            if found.code == "line-blank":
                number += 1
                yield number, None
        told = len(reader.diagnostics)
        if event is not None:
            number += 1
            yield number, event


def _is_bytes(source: object) -> TypeIs[ByteSource]:
    return isinstance(source, str | os.PathLike | bytes) or hasattr(source, "read")
