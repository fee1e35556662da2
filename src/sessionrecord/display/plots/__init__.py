"""Sessions as pictures: a timeline, the size of the context, what models used. Each is a `matplotlib` figure of its own.

Nothing global is touched: no style, no `pyplot`. All of it needs the `notebook` extra; without it `MissingExtraError` is raised.
"""

from __future__ import annotations

from sessionrecord.display.plots.context import plot_context
from sessionrecord.display.plots.timeline import plot_timeline
from sessionrecord.display.plots.usage import plot_usage

__all__ = ["plot_context", "plot_timeline", "plot_usage"]
