"""How the frames of a session are made: as Arrow tables, and from those for pandas."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from sessionrecord.diagnostics import excerpt
from sessionrecord.display.extra import need
from sessionrecord.display.frames.columns import Frame, Rows
from sessionrecord.display.frames.messages import MESSAGES, messages
from sessionrecord.display.frames.records import RECORDS, records
from sessionrecord.display.frames.tools import TOOLS, tools
from sessionrecord.display.frames.usage import USAGE, usage_rows
from sessionrecord.session.core import Core

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["FRAMES", "FrameName", "arrow_of", "pandas_of", "rows_of", "to_pandas"]

FrameName: TypeAlias = Literal["records", "messages", "tools", "usage"]
"""The frames of a session."""

FRAMES: Final[dict[str, tuple[Frame, Callable[[Core, int | None], Rows]]]] = {
    "records": (RECORDS, records),
    "messages": (MESSAGES, messages),
    "tools": (TOOLS, tools),
    "usage": (USAGE, usage_rows),
}
"""Name to the frame and what makes its rows."""


def rows_of(core: Core, name: str, at: int | None) -> Rows:
    """The values of a frame, a list a column."""
    enabled = gc.isenabled()
    gc.disable()  # rows are many objects that live on, and no cycles
    try:
        return FRAMES[name][1](core, at)
    finally:
        if enabled:
            gc.enable()


def arrow_of(core: Core, name: str, at: int | None) -> Any:
    """A frame as a `pyarrow.Table`. Raises `MissingExtraError`, and `ValueError` for a name that is none."""
    if name not in FRAMES:
        raise ValueError(f"{excerpt(name)} is no frame; there are {', '.join(FRAMES)}")
    need("pyarrow", "frames")
    return FRAMES[name][0].table(rows_of(core, name, at))


def pandas_of(core: Core, name: str, at: int | None) -> pd.DataFrame:
    """A frame for pandas, its columns of Arrow types. Raises `MissingExtraError`."""
    need("pandas", "frames")
    return to_pandas(arrow_of(core, name, at))


def to_pandas(table: Any) -> pd.DataFrame:
    """A table for pandas: the columns keep their Arrow types, so that nothing is rounded and null stays null."""
    pandas = need("pandas", "frames")
    found: pd.DataFrame = table.to_pandas(types_mapper=pandas.ArrowDtype)
    return found
