"""Converters: from what others write to records, each with a report of what became of every line.

`sessionrecord.convert.claude_code.convert` reads the session logs of Claude Code, `sessionrecord.convert.codex.convert` the
rollouts of Codex, `sessionrecord.convert.asm.convert` the events of runs, `sessionrecord.convert.acp.convert` the messages of
connections of the Agent Client Protocol, which `sessionrecord.convert.acp.AcpRecorder` records live; `detect` tells which of
them a log is for. `sessionrecord.convert.testing` checks a converter.
"""

from __future__ import annotations

from sessionrecord.convert.detect import Detection, detect
from sessionrecord.convert.report import Conversion, ConversionReport, Loss, MadeUp, Note, Unconverted

__all__ = ["Conversion", "ConversionReport", "Detection", "Loss", "MadeUp", "Note", "Unconverted", "detect"]
