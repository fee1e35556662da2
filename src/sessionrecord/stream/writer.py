"""Writing a stream record by record, so that it is valid after each."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from sessionrecord.lines import Appender, AppendTarget
from sessionrecord.records.envelope import EnvelopeModel
from sessionrecord.stream.authoring import Author

__all__ = ["StreamWriter"]


class StreamWriter(Author):
    """An author whose records go to a new file, or to a binary file object, each in one unbuffered write.

    ::

        with StreamWriter("session.asr.jsonl") as writer:
            writer.session(agent="my-agent", session_id="s1", producer=Producer(method="native"))
            writer.user_message("What is in this folder?")

    A file that it creates has mode 0600; an existing file must be empty. A file object given stays open. Memory grows
    by the ID of each record.

    Raises `WriterError` if the target cannot be opened or is not empty. A method raises what the file raises when a
    write fails; from then on each call raises `WriterError`, since the last line may be torn.
    """

    def __init__(self, target: AppendTarget) -> None:
        super().__init__()
        self._appender = Appender(target)

    def _append(self, record: EnvelopeModel, line: bytes) -> None:
        self._appender.append(line)

    def close(self) -> None:
        """Closes the file. Later calls raise `WriterError`; closing again does nothing."""
        self._appender.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
