"""What is known of a run after some of its events. Immutable; can be written, read back, and continued."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sessionrecord import ijson
from sessionrecord.asm.control import ApprovalRequest
from sessionrecord.asm.cost import Cost, to_decimal
from sessionrecord.asm.errors import RunError
from sessionrecord.asm.log import MessageLog
from sessionrecord.asm.messages import load_message
from sessionrecord.asm.moments import milliseconds
from sessionrecord.asm.projected import Projected
from sessionrecord.asm.scalars import Count, OffsetTimestamp
from sessionrecord.scalars import Amount
from sessionrecord.wire import invalid

__all__ = ["ResultSnapshot", "RunState", "RunStatus"]

RunStatus: TypeAlias = Literal["initializing", "running", "completed", "failed"]
"""Where a run is. The last event that says something of it decides, also after an end."""

_TERMINAL: Final = ("completed", "failed")


class ResultSnapshot(Projected):
    """What the last `result` event said."""

    object: Any = None
    """The structured object; None where the provider returned none."""
    stop_reason: Any = None
    """Why the provider stopped."""
    duration_ms: Any = None
    """The provider's own figure, in milliseconds."""


class TextLog:
    """The first `length` pieces of a text to which others may be added, joined when it is looked at."""

    __slots__ = ("_chunks", "_length", "_text")

    def __init__(self, chunks: list[str], length: int) -> None:
        self._chunks = chunks
        self._length = length
        self._text: str | None = None

    def __str__(self) -> str:
        if self._text is None:
            self._text = "".join(self._chunks[: self._length])
        return self._text


class IdLog:
    """The first `length` IDs of a list to which others may be added."""

    __slots__ = ("_ids", "_length")

    def __init__(self, ids: list[str], length: int) -> None:
        self._ids = ids
        self._length = length

    def ids(self) -> frozenset[str]:
        """The IDs."""
        return frozenset(self._ids[: self._length])


@dataclass(frozen=True, slots=True, eq=False)
class RunState:
    """A snapshot of a run. Taking one costs no copy of what was said so far: text and messages are made when looked at.

    Two states are equal if they hold the same, however they came to be. `to_json` and `from_json` keep all of it, so
    that `RunReducer(state)` goes on as if it had never stopped.
    """

    run_id: str | None
    """The run of the first event; None before it."""
    session_id: str | None
    """The session of the first event."""
    provider: str | None
    """The provider of the first event."""
    status: RunStatus
    """Where the run is."""
    sequence: int
    """The number of the last event: one more than the one before it, or its own where that is higher."""
    cost: Cost
    """Totals over the cost updates."""
    error: RunError | None
    """The last error. Nothing takes it back."""
    result: ResultSnapshot | None
    """What the last result said."""
    pending_approvals: Mapping[str, ApprovalRequest]
    """Approval ID to the request that waits, in the order they were opened. The end of a run closes none."""
    metadata: Mapping[str, Any]
    """The events' metadata, united."""
    started_at: str | None
    """Timestamp of the first event, as given."""
    finished_at: str | None
    """Timestamp of the last event that ended the run, as given."""
    provider_session_id: str | None
    """The provider's session, as the envelope of the last `run_started` that has one says."""
    messages: MessageLog
    """The messages, in order."""
    _ids: IdLog = field(repr=False)
    _text: TextLog = field(repr=False)

    @property
    def text(self) -> str:
        """What the agent said: pieces and whole messages in order, with nothing between them."""
        return str(self._text)

    @property
    def event_ids(self) -> frozenset[str]:
        """IDs of the events so far; empty unless the reducer drops duplicates."""
        return self._ids.ids()

    @property
    def terminal(self) -> bool:
        """Whether the run has ended."""
        return self.status in _TERMINAL

    @property
    def interrupted(self) -> bool:
        """Whether the user stopped the run; its status is `failed` then."""
        return self.error is not None and self.error.kind == "user_cancelled"

    @property
    def duration_ms(self) -> int | None:
        """Whole milliseconds from the first event to the end; None where one of them, or its timestamp, is missing."""
        if self.started_at is None or self.finished_at is None:
            return None
        return max(0, milliseconds(self.finished_at) - milliseconds(self.started_at))

    @property
    def session_id_from_cli(self) -> Any:
        """The provider's session: of a `run_started`, else as the metadata says; None where neither does."""
        return self.metadata.get("provider_session_id")

    def to_wire(self) -> dict[str, Any]:
        """All that the state holds, as a JSON object."""
        return {
            "run_id": self.run_id,
            "session_id": self.session_id,
            "provider": self.provider,
            "status": self.status,
            "sequence": self.sequence,
            "text": self.text,
            "messages": [m.to_wire() for m in self.messages],
            "cost": self.cost.to_wire(),
            "error": None if self.error is None else self.error.to_wire(),
            "result": None if self.result is None else self.result.to_wire(),
            "pending_approvals": {k: v.to_wire() for k, v in self.pending_approvals.items()},
            "metadata": dict(self.metadata),
            "started_at": self.started_at,
            "finished_at": self.finished_at,
            "provider_session_id": self.provider_session_id,
            "event_ids": sorted(self.event_ids),
        }

    def to_json(self) -> bytes:
        """The same as bytes of JSON. Raises `IJsonError` where events were made with what JSON cannot hold, or are nested
        to the last level that can be read: the state holds them up to two levels deeper than they stood.
        """
        return ijson.dumps(self.to_wire())

    @classmethod
    def from_json(cls, data: bytes) -> RunState:
        """The state that `to_json` has written. Raises `IJsonError` or `InvalidRecordError`."""
        return cls.from_wire(ijson.loads(data))

    @classmethod
    def from_wire(cls, value: Any) -> RunState:
        """The state that `to_wire` has written. Raises `InvalidRecordError`."""
        try:
            stored = _Stored.model_validate(value)
        except ValidationError as e:
            raise invalid(e) from None
        cost = stored.cost
        return cls(
            run_id=stored.run_id,
            session_id=stored.session_id,
            provider=stored.provider,
            status=stored.status,
            sequence=stored.sequence,
            cost=Cost(cost.input_tokens, cost.output_tokens, to_decimal(cost.cost_usd)),
            error=stored.error,
            result=stored.result,
            pending_approvals=MappingProxyType(stored.pending_approvals),
            metadata=MappingProxyType(stored.metadata),
            started_at=stored.started_at,
            finished_at=stored.finished_at,
            provider_session_id=stored.provider_session_id,
            messages=MessageLog.of(map(load_message, stored.messages)),
            _ids=IdLog(stored.event_ids, len(stored.event_ids)),
            _text=TextLog([stored.text], 1),
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RunState):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in _COMPARED)

    def __reduce__(self) -> tuple[Any, tuple[bytes]]:
        return RunState.from_json, (self.to_json(),)


_COMPARED: Final = (
    "run_id", "session_id", "provider", "status", "sequence", "cost", "error", "result", "pending_approvals", "metadata",
    "started_at", "finished_at", "provider_session_id", "event_ids", "text", "messages",
)  # fmt: skip


class _StoredCost(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", defer_build=True)

    input_tokens: Count
    output_tokens: Count
    cost_usd: Amount


class _Stored(BaseModel):
    """What `to_wire` writes."""

    model_config = ConfigDict(strict=True, extra="forbid", defer_build=True)

    run_id: str | None
    session_id: str | None
    provider: str | None
    status: RunStatus
    sequence: Count
    text: str
    messages: list[dict[str, Any]]
    cost: _StoredCost
    error: RunError | None
    result: ResultSnapshot | None
    pending_approvals: dict[str, ApprovalRequest]
    metadata: dict[str, Any]
    started_at: OffsetTimestamp | None
    finished_at: OffsetTimestamp | None
    provider_session_id: str | None
    event_ids: list[str] = Field(default_factory=list)
