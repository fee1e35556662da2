"""The author: one statically typed method per record type, and the common cases in one call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from typing_extensions import Unpack

from sessionrecord.diagnostics import Diagnostic
from sessionrecord.errors import InvalidRecordError
from sessionrecord.records import (
    Block,
    Message,
    Record,
    ResultOutcome,
    StopReason,
    TextBlock,
    ToolCall,
    ToolResult,
)
from sessionrecord.records.envelope import EnvelopeModel
from sessionrecord.stream.authoring_audit import AuditAuthor
from sessionrecord.stream.authoring_base import (
    FORMAT_VERSION,
    UNSET,
    AuthorBase,
    EnvelopeMembers,
    ParticipatingMembers,
    ParticipatingRecord,
    RefLike,
    Unset,
    as_record,
    ref_of,
)
from sessionrecord.stream.authoring_context import ContextAuthor

__all__ = [
    "FORMAT_VERSION",
    "UNSET",
    "Author",
    "EnvelopeMembers",
    "ParticipatingMembers",
    "ParticipatingRecord",
    "RecordList",
    "RefLike",
    "Unset",
    "ref_of",
]


class Author(ContextAuthor, AuditAuthor):
    """Writes a session, one typed call per record; computes `seq` (from 1) and `id` (`r<seq>`).

    Every method is named as the record type, takes the members by keyword, and returns the record. None means absent;
    where a null has a meaning the default is `UNSET`. Members common to all records are in `EnvelopeMembers`.

    Every method raises `InvalidRecordError` for members that break a rule and `WriterError` for a record that cannot
    come next: the header is first and only there, `seq` rises, IDs are unique. What raises adds nothing. Threads may
    share an author: records get their `seq` in the order in which they are added.
    """

    def user_message(
        self, content: str | Sequence[Block], *, message_id: str | None = None, **envelope: Unpack[ParticipatingMembers]
    ) -> Message:
        """A message of the user, from a text or blocks. Without `message_id`, that is the record's ID."""
        blocks = _blocks(content)
        with self._lock:
            return self.message(message_id=message_id or self._next_id(), role="user", content=blocks, **envelope)

    def assistant_message(
        self,
        content: str | Sequence[Block],
        *,
        message_id: str | None = None,
        model: str | None = None,
        stop_reason: StopReason | None = None,
        model_call_id: str | None = None,
        **envelope: Unpack[ParticipatingMembers],
    ) -> Message:
        """A message of the assistant, from a text or blocks. Without `message_id`, that is the record's ID."""
        blocks = _blocks(content)
        with self._lock:
            return self.message(
                message_id=message_id or self._next_id(),
                role="assistant",
                content=blocks,
                model=model,
                stop_reason=stop_reason,
                model_call_id=model_call_id,
                **envelope,
            )

    def tool_use(
        self,
        name: str,
        arguments: Any,
        result: str | Sequence[Block] | None,
        *,
        call_id: str | None = None,
        outcome: ResultOutcome | None = None,
        **envelope: Unpack[EnvelopeMembers],
    ) -> tuple[ToolCall, ToolResult]:
        """A tool call and its result, once both are known: two records.

        Without `call_id`, that is the call's record ID, marked as `synthetic`. Without `outcome` it is not known
        whether the tool succeeded.
        """
        content = None if result is None else _blocks(result)
        with self._lock:
            call = self.tool_call(
                call_id=call_id or self._next_id(),
                call_id_source=None if call_id else "synthetic",
                name=name,
                arguments=arguments,
                **envelope,
            )
            return call, self.tool_result(call_id=call.call_id, outcome=outcome, content=content, **envelope)

    def _next_id(self) -> str:
        return self._order.next()[1]


class RecordList(Author):
    """An author that keeps its records in memory, for converters and tests. A copy, or what is unpickled, goes on by itself."""

    def __init__(self) -> None:
        super().__init__()
        self.records: list[Record] = []
        """The records in their order."""

    def _append(self, record: EnvelopeModel, line: bytes) -> None:
        self.records.append(as_record(record))

    def __getstate__(self) -> dict[str, Any]:
        with self._lock:
            made = {name: value for name, value in vars(self).items() if name not in ("_lock", "_order")}
            return {**made, "records": list(self.records)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        AuthorBase.__init__(self)
        vars(self).update(state)
        for record in self.records:
            self._order.accept(record)


def _blocks(content: str | Sequence[Block]) -> Sequence[Block]:
    if content is None:  # what a checker finds, and a variable that was never set brings
        raise InvalidRecordError([Diagnostic.of("member-missing", "content: it is None", pointer="/content")])
    return [TextBlock(text=content)] if isinstance(content, str) else content
