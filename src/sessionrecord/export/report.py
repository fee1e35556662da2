"""What an export could not hold, or holds where only a reader who knows of it looks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final, overload

from sessionrecord.diagnostics import excerpt
from sessionrecord.records import InvalidRecord, Record

__all__ = ["KINDS", "Loss", "LossReport"]

KINDS: Final = {
    "invalid_line": "the line is no valid record",
    "superseded": "a later revision of the same entity is exported",
    "not_on_path": "the target holds one history, and this is not on the active path",
    "no_place": "the target has no place for records of this type",
    "folded": "it counts in what the export gives as a whole, and is not there by itself",
    "no_step": "no step of the path belongs to this model call; it counts in the totals only",
    "member_left_out": "the target has no place for the member",
    "content_off": "content is exported on request only: `content=True` in Python, `--content` on the command line",
    "content_absent": "the target wants text, the record has none; an empty string stands there",
    "block_elsewhere": "the target has no content part of this kind",
    "binary_left_out": "bytes are not written into this target",
    "beyond_limits": "a page that a browser can open has limits; it tells what is beyond them and where to find it",
    "encrypted_left_out": "only the provider can read it; the page tells its size",
    "not_counted": "of so many records the page does not count these",
    "text_joined": "the target has one text for several blocks; a blank line stands between them",
    "order_changed": "the target keeps reasoning apart from the message: their order is not told",
    "characters_escaped": "characters that are not seen, or change what is seen, are written as escapes",
    "arguments_wrapped": "the target wants an object of arguments; the value stands in its member `value`",
    "arguments_absent": "the target wants an object of arguments; none are recorded, and an empty one stands there",
    "name_absent": "the target wants a name; none is recorded, and an empty one stands there",
    "role_mapped": "the target does not have this role",
    "result_without_call": "the call of this result is not on the path, and the target ties results to calls",
    "result_moved": "the target puts results beside their call; others stood between them",
    "child_session": "a child session is named, not included: it is exported by itself",
    "tokens_partly_known": "the target counts all input tokens; a part of them is not recorded and not counted",
    "currency": "the target counts costs in USD, and no rate is recorded",
    "totals_incomplete": "the totals are of what is recorded, and not every model call has it recorded",
    "totals_wider": "the totals are those of the whole session, records outside of the path included",
    "capture_state": "the target cannot say that a member is not complete",
    "timestamp_not_readable": "readers of the target do not know such a moment",
    "time_unknown": "no time is recorded, and the target wants one: that of the record before stands there",
    "end_unknown": "the end is not recorded, and the target wants one: the start stands there",
    "start_unknown": "the start is not recorded, and the target wants one: the end stands there",
    "end_before_start": "the end recorded is before the start, which the target forbids: the start stands there",
    "bounds_unknown": "start and end of the request are not recorded: the span covers the moments of its records",
    "time_derived": "one end of the span is worked out from the other and the recorded duration",
    "id_derived": "the target wants identifiers of its own: hashes of the session key and the record ID",
    "provider_unknown": "the target wants the provider, and none is recorded",
    "input_partial": "the input of a model call is what was new since the one before, not the whole context",
    "out_of_range": "the number is beyond what the target can hold",
    "nesting_too_deep": "nested deeper than readers of the target promise; it stands there as JSON text",
}
"""Kind of loss to why it comes about."""
_FOLDED: Final = frozenset({"folded", "no_step"})


@dataclass(frozen=True, slots=True)
class Loss:
    """Something of the session that the target does not hold as such."""

    kind: str
    """What kind of loss: a key of `KINDS`."""
    what: str
    """The record type or the member."""
    why: str
    """The reason, in words."""
    seq: int | None = None
    """`seq` of the record; None for the session as a whole, and for a line without one."""
    record_id: str | None = None
    """Its ID; None likewise. An unpaired surrogate in it is written as `\\ud800`."""
    pointer: str | None = None
    """JSON Pointer into the record; empty for the record as a whole, None for the session as a whole."""
    kept: bool = False
    """Whether the value is in the export all the same, where only a reader who knows of it looks."""

    def to_dict(self) -> dict[str, Any]:
        """The loss as a JSON object."""
        return {
            "kind": self.kind,
            "what": self.what,
            "why": self.why,
            "seq": self.seq,
            "recordId": self.record_id,
            "pointer": self.pointer,
            "kept": self.kept,
        }


@dataclass(slots=True)
class LossReport:
    """What became of every record: each is represented in the export, or listed here with an empty pointer."""

    target: str
    """The format exported to."""
    records: int = 0
    """Records and invalid lines that the export looked at."""
    losses: list[Loss] = field(default_factory=list)
    """What was lost, in the order it was found."""

    @property
    def folded(self) -> int:
        """Records that count in a whole the export gives, such as a total, and are not there by themselves."""
        return sum(loss.pointer == "" and loss.kind in _FOLDED for loss in self.losses)

    @property
    def left_out(self) -> int:
        """Records that are not in the export."""
        return sum(loss.pointer == "" and loss.kind not in _FOLDED for loss in self.losses)

    @property
    def represented(self) -> int:
        """Records that are in the export, whole or in part."""
        return self.records - self.folded - self.left_out

    @property
    def counts(self) -> dict[str, int]:
        """Kind of loss to how often, the most frequent first."""
        return dict(Counter(loss.kind for loss in self.losses).most_common())

    def add(
        self,
        kind: str,
        what: str,
        record: Record | InvalidRecord | None,
        pointer: str | None = "",
        *,
        kept: bool = False,
    ) -> None:
        """Add a loss of a record, of the member at `pointer`, or of the session where `record` is None."""
        if record is None:
            self.losses.append(Loss(kind, what, KINDS[kind], kept=kept))
        else:
            loss = Loss(kind, _holdable(what), KINDS[kind], record.seq, _holdable(record.id), pointer, kept)
            self.losses.append(loss)

    def to_dict(self) -> dict[str, Any]:
        """The report as a JSON object."""
        return {
            "target": self.target,
            "records": self.records,
            "represented": self.represented,
            "folded": self.folded,
            "leftOut": self.left_out,
            "counts": self.counts,
            "losses": [loss.to_dict() for loss in self.losses],
        }

    def __str__(self) -> str:
        return "\n".join(self._rows())

    def __repr__(self) -> str:
        counts = f"{self.represented} of {self.records} records exported, {self.left_out} left out, {len(self.losses)} losses"
        return f"<LossReport {excerpt(self.target, 40)}: {counts}>"

    def _repr_html_(self) -> str:
        from sessionrecord.display.html import losses_html

        return losses_html(self.to_dict())

    def _rows(self, limit: int = 3) -> Iterable[str]:
        folded = f", {self.folded} counted in totals and the like" if self.folded else ""
        yield f"{self.target}: {self.represented} of {self.records} records exported{folded}, {self.left_out} left out"
        by_kind: dict[str, list[Loss]] = {}
        for loss in self.losses:
            by_kind.setdefault(loss.kind, []).append(loss)
        for kind, losses in sorted(by_kind.items(), key=lambda item: -len(item[1])):
            kept = sum(loss.kept for loss in losses)
            held = (
                ""
                if not kept
                else ", still there for readers who know"
                if kept == len(losses)
                else f", {kept} still there"
            )
            yield f"  {kind} {len(losses)}{held}: {KINDS[kind]}"
            places = [_place(loss) for loss in losses[:limit]]
            more = f" and {len(losses) - limit} more" if len(losses) > limit else ""
            yield f"    {', '.join(places)}{more}"


@overload
def _holdable(text: str) -> str: ...
@overload
def _holdable(text: str | None) -> str | None: ...
def _holdable(text: str | None) -> str | None:
    """A text of a broken line as a report in JSON can hold it: an unpaired surrogate is written as `\\ud800`."""
    return text if text is None or text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def _place(loss: Loss) -> str:
    what = loss.what if loss.what.isprintable() and len(loss.what) <= 60 else excerpt(loss.what, 60)
    if loss.pointer is None:
        return what
    where = f"seq {loss.seq}" if loss.seq is not None else "a line without seq"
    return f"{what} ({where})"
