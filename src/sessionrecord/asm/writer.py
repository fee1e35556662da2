"""Writing a file of events line by line, so that it is valid after each."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from sessionrecord.asm.event import RunEvent
from sessionrecord.asm.parse import InvalidEvent, examine_line
from sessionrecord.diagnostics import Diagnostic
from sessionrecord.errors import IJsonError, InvalidRecordError, WriterError
from sessionrecord.lines import Appender, AppendTarget

__all__ = ["EventWriter"]


class EventWriter:
    """Appends events to a new file, or to a binary file object, each in one unbuffered write.

    ::

        with EventWriter("run.jsonl") as writer:
            writer.write(RunEvent.new("run_started", run_id="r1", session_id="s1", provider="codex"))

    A file that it creates has mode 0600; an existing file must be empty. A file object given stays open.

    Raises `WriterError` if the target cannot be opened or is not empty. `write` raises what the file raises when a
    write fails; from then on each call raises `WriterError`, since the last line may be torn.
    """

    def __init__(self, target: AppendTarget) -> None:
        self._appender = Appender(target)

    def write(self, event: RunEvent) -> RunEvent:
        """Appends an event and returns it as a reader will see it: one that was read is written as it was read.

        Raises `InvalidRecordError` if it breaks a rule or holds what JSON cannot; nothing is written then.
        """
        if not isinstance(event, RunEvent):
            raise WriterError(f"only a valid event can be written, not {type(event).__name__}")
        try:
            line = event.to_line()
        except IJsonError as e:
            raise InvalidRecordError([Diagnostic.of(e.code, e.reason, pointer=e.pointer)]) from None
        read, found = examine_line(line)
        if isinstance(read, InvalidEvent):
            raise InvalidRecordError(found)
        self._appender.append(line)
        return read

    def close(self) -> None:
        """Closes the file. Later calls raise `WriterError`; closing again does nothing."""
        self._appender.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
