"""Sessions as frames, for pandas, polars and DuckDB. Column types are fixed; null always means not known, or not there.

The frames of one session are methods of `Session`; `sessions_frame` makes one of many sessions. All of it needs the `notebook`
extra; without it `MissingExtraError` is raised.
"""

from __future__ import annotations

from sessionrecord.display.frames.columns import Column, Frame
from sessionrecord.display.frames.make import FRAMES, FrameName
from sessionrecord.display.frames.sessions import SESSIONS, ManyName, sessions_arrow, sessions_frame

__all__ = ["FRAMES", "SESSIONS", "Column", "Frame", "FrameName", "ManyName", "sessions_arrow", "sessions_frame"]
