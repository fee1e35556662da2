"""What an exporter gives: the export itself, and what it could not hold."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

from sessionrecord import ijson
from sessionrecord.diagnostics import excerpt
from sessionrecord.errors import WriterError
from sessionrecord.export.report import LossReport
from sessionrecord.lines.whole import write_whole

__all__ = ["Exported"]


@dataclass(frozen=True, slots=True)
class Exported:
    """A session in another format."""

    data: Any = field(repr=False)
    """The JSON value of a JSON format, numbers as the session holds them; the text of any other."""
    report: LossReport
    """What the format could not hold."""

    def _repr_html_(self) -> str:
        return self.report._repr_html_()

    @property
    def text(self) -> str:
        """The file's text; JSON over several lines, and every number with the digits it was recorded with."""
        return self.data if isinstance(self.data, str) else ijson.dumps(self.data, indent=True).decode() + "\n"

    def write(self, path: str | os.PathLike[str]) -> None:
        """Put the file at `path`, in place of what is there, with mode 0600; whole or not at all. Raises `WriterError`."""
        try:
            write_whole(path, [self.text.encode()])
        except (OSError, ValueError) as e:
            reason = getattr(e, "strerror", None) or e
            raise WriterError(f"cannot write {excerpt(os.fspath(path), 200)}: {reason}") from e
