"""Rollouts of Codex, as it writes them below `~/.codex/sessions`, also packed as `.zst` or `.gz`.

Whatever this converter does not know it keeps.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

from sessionrecord.convert.accounting import EXPLANATIONS, explained, nothing
from sessionrecord.convert.codex.session import SessionBuilder
from sessionrecord.convert.codex.source import CodexLine, native_lines
from sessionrecord.convert.files import LogFile, LogSource, read_source
from sessionrecord.convert.native import text
from sessionrecord.convert.report import Conversion, ConversionReport, MadeUp
from sessionrecord.errors import ConversionError
from sessionrecord.records import Message, ToolCall, ToolResult

__all__ = ["convert"]

_UUID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$")


def convert(source: LogSource) -> Conversion:
    """The records of a Codex rollout, and a report on every line. A rollout holds no child sessions: each has its own.

    Raises `SourceError` where the file cannot be read or unpacked, `ConversionError` where the log holds no message at all.
    """
    log = read_source(source)
    lines = native_lines(log.data)
    report = ConversionReport(
        source=log.name, lines_read=lines[-1].number if lines else 0, units_read=len(lines)
    )  # fmt: skip
    if log.fault is not None:
        report.note(0, "log-cut", log.fault)
    if not any(line.type == "response_item" for line in lines):
        raise ConversionError(nothing(lines, report.lines_read, log.name, "Codex"))
    meta = next((line for line in lines if line.type == "session_meta" and line.payload), None)
    builder = SessionBuilder(lines, meta, _session_id(log, meta, report), log.name, report)
    main = builder.build()
    if not any(isinstance(r, Message | ToolCall | ToolResult) for r in main):
        raise ConversionError(nothing(lines, report.lines_read, log.name, "Codex"))
    report.records = Counter(r.type for r in main)
    report.lost = explained(builder.losses, EXPLANATIONS)
    return Conversion(main, {}, report, () if log.path is None else (log.path,))


def _session_id(log: LogFile, meta: CodexLine | None, report: ConversionReport) -> str:
    if meta is not None and (stated := text(meta.payload.get("id"))):
        return stated
    if not log.stem:
        raise ConversionError("no line names the session: the log has no session_meta with an id")
    named = _UUID.search(log.stem)
    session_id = named[0] if named else log.stem
    report.made_up.append(MadeUp(0, "sessionId", session_id, "no line names the session; this is from the file's name"))
    return session_id
