"""What one event changed in a run."""

from __future__ import annotations

from dataclasses import dataclass, field

from sessionrecord.asm.control import ApprovalRequest
from sessionrecord.asm.cost import Cost
from sessionrecord.asm.errors import RunError
from sessionrecord.asm.log import Entry, message_of
from sessionrecord.asm.messages import Message
from sessionrecord.asm.state import ResultSnapshot, RunStatus

__all__ = ["RunChange"]


@dataclass(frozen=True, slots=True)
class RunChange:
    """What one event changed. None, or nothing, stands for what it left as it was."""

    applied: bool
    """Whether the event counted: false for another run's event or a duplicate, where the reducer was told to drop them."""
    sequence: int
    """The number of the event; of the last one that counted, where it did not."""
    text: str = ""
    """What was added to the text."""
    status: RunStatus | None = None
    """The new status, if it is another one."""
    cost: Cost | None = None
    """The new totals, after a cost update."""
    approval_opened: ApprovalRequest | None = None
    """The request that now waits. One with the ID of a waiting request takes its place."""
    approval_closed: ApprovalRequest | None = None
    """The request that waits no more."""
    error: RunError | None = None
    """The error that the run now has."""
    result: ResultSnapshot | None = None
    """The result that the run now has."""
    finished_at: str | None = None
    """When the run ended, where the event ends it and says when."""
    metadata_keys: tuple[str, ...] = ()
    """The metadata keys whose value is another one now, in the order of the metadata."""
    _entry: Entry | None = field(default=None, repr=False)

    @property
    def message(self) -> Message | None:
        """The message that was added."""
        return None if self._entry is None else message_of(self._entry)
