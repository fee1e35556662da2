"""Converters: from what others write to records, each with a report of what became of every line.

`sessionrecord.convert.claude_code.convert` reads the session logs of Claude Code.
"""

from __future__ import annotations

from sessionrecord.convert.report import Conversion, ConversionReport, Loss, MadeUp, Note, Unconverted

__all__ = ["Conversion", "ConversionReport", "Loss", "MadeUp", "Note", "Unconverted"]
