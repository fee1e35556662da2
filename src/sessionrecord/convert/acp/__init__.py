"""Connections of the Agent Client Protocol (ACP): recorded while they are live, or converted from a log of their messages.

::

    recorder = AcpRecorder(lambda session_id: StreamWriter(f"{quote(session_id, safe='')}.asr.jsonl"))
    recorder.observe(message, "client_to_agent", at="2026-03-02T09:00:00Z")
    print(recorder.finish())

Protocol versions 1 and 2 are known. Whatever this version does not know it keeps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from sessionrecord.convert.accounting import nothing
from sessionrecord.convert.acp.connection import Connection
from sessionrecord.convert.acp.outbox import Outbox, Recorded
from sessionrecord.convert.acp.protocol import Direction
from sessionrecord.convert.acp.source import frames, log_line
from sessionrecord.convert.files import LogSource, read_source
from sessionrecord.convert.report import Conversion, ConversionReport
from sessionrecord.errors import ConversionError
from sessionrecord.stream import Author, RecordList

__all__ = ["AcpRecorder", "Direction", "Recorded", "convert", "log_line"]


class AcpRecorder:
    """Records the sessions of one connection, message by message. Not for several threads at once.

    It remembers what a later message may change: messages with IDs, tool calls, terminals.
    """

    def __init__(self, author_of: Callable[[str], Author] | None = None, *, agent: str | None = None) -> None:
        """A recorder for one connection.

        `author_of` gives what a session is written with, such as a `StreamWriter`, by its ID, and is asked once for each, again
        where it raised; without it the records stay in memory. `agent` names the agent where it does not do so itself.
        """
        self._lists: dict[str, RecordList] | None = {} if author_of is None else None
        self._outbox = Outbox(author_of or self._list)
        self._connection = Connection(self._outbox, ConversionReport(), method="recorder", agent=agent)
        self.last: list[Recorded] = []
        """The records that the last call wrote: those of `finish` too."""
        self._lines = 0
        self._is_finished = False

    @property
    def report(self) -> ConversionReport:
        """The account so far; a piece of a message may be counted with the last."""
        return self._connection.report

    def observe(self, message: Any, direction: Direction, at: str | None = None) -> list[Recorded]:
        """Take a message as it passes, and give the records that are complete with it; they are written already.

        `message` is the JSON value or the text received, a batch included; `at` is the time in UTC with `Z`. What comes in pieces
        becomes one record, when it is complete. Messages count as lines, from 1: those of a log that has `log_line` of each.

        Raises `IJsonError` for a value that JSON cannot hold, `ValueError` for a direction or time that is none, `ConversionError` after
        `finish`: then the message does not count.
        Raises what the authors raise, once the message is taken: do not observe it again. The records that an author did not take
        wait in memory, in their order; each later call gives them to the author again, before any other of the session.
        """
        if self._is_finished:
            raise ConversionError("the recording is finished")
        line = log_line(message, direction, at)
        self._lines += 1
        self._outbox.retry()
        for frame in frames(line):
            frame.number = self._lines
            self._connection.take(frame)
        return self._tell()

    def finish(self) -> ConversionReport:
        """Write what is open, and give the account of all messages. What it wrote is in `last`; authors are for the caller to close.

        Raises what the authors raise; records that wait then are written by the next call.
        """
        self._outbox.retry()
        if not self._is_finished:
            self._is_finished = True
            self._connection.finish()
        self._tell()
        return self.report

    def conversion(self) -> Conversion:
        """The sessions, finished. Raises `ConversionError` where there is none, or where authors have the records."""
        report = self.finish()
        if self._lists is None:
            raise ConversionError("the records were given to authors; none is in memory")
        if not self._lists:
            raise ConversionError("no session was opened on the connection")
        return _conversion(self._lists, report)

    def _tell(self) -> list[Recorded]:
        self.last = self._outbox.taken()
        self._outbox.check()
        return self.last

    def _list(self, session_id: str) -> RecordList:
        assert self._lists is not None
        return self._lists.setdefault(session_id, RecordList())


def convert(source: LogSource) -> Conversion:
    """The sessions of a log of messages, and a report on every message.

    The session that is named first is `main`; the others of the connection are in `children`, by their IDs, though they are not
    children of it: none of their headers has a `parent`. What is of no session, such as `initialize`, is kept in `main`.

    Raises `SourceError` where the file cannot be read or unpacked, `ConversionError` where no message names a session.
    """
    log = read_source(source)
    lines = frames(log.data)
    lists: dict[str, RecordList] = {}
    report = ConversionReport(source=log.name)
    if log.fault is not None:
        report.note(0, "log-cut", log.fault)
    outbox = Outbox(lambda own: lists.setdefault(own, RecordList()))
    connection = Connection(outbox, report, method="converter", path=log.name)
    for frame in lines:
        connection.take(frame)
    connection.finish()
    outbox.check()
    if not lists:
        raise ConversionError(nothing(lines, report.lines_read, log.name, "recorded ACP", "no session"))
    return replace(_conversion(lists, report), sources=() if log.path is None else (log.path,))


def _conversion(lists: dict[str, RecordList], report: ConversionReport) -> Conversion:
    main, *others = lists
    return Conversion(lists[main].records, {name: lists[name].records for name in others}, report)
