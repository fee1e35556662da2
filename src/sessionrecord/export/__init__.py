"""Exports: a session in other formats, each with a report of what the format cannot hold.

`to_atif` gives a trajectory of ATIF 1.8, `to_otlp` OpenTelemetry spans as OTLP JSON, `to_markdown`
and `to_html` a page to read.
"""

from __future__ import annotations

from sessionrecord.export.atif import to_atif
from sessionrecord.export.exported import Exported
from sessionrecord.export.html import to_html
from sessionrecord.export.markdown import to_markdown
from sessionrecord.export.otlp import to_otlp
from sessionrecord.export.report import KINDS, Loss, LossReport

__all__ = ["KINDS", "Exported", "Loss", "LossReport", "to_atif", "to_html", "to_markdown", "to_otlp"]
