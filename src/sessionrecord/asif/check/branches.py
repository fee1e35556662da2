"""Branches and checkpoints: what they name is there, and each head has its checkpoint."""

from __future__ import annotations

from collections import Counter

from sessionrecord.asif.check.core import Core
from sessionrecord.asif.models import Branch, Checkpoint
from sessionrecord.diagnostics import excerpt

__all__ = ["Positions", "check_branches", "check_checkpoints", "check_heads"]

Positions = dict[str, dict[int, list[tuple[int, Checkpoint]]]]
"""Branch ID to number of events to the checkpoints there, each with its index in the document's array."""


def check_branches(core: Core) -> None:
    """The events of each branch: declared, once, ending at the head, causes before effects."""
    for place, branch in core.document.branches.placed():
        positions: dict[str, int] = {}
        for i, event_id in enumerate(branch.event_ids):
            if event_id in positions:
                message = f"event {excerpt(event_id)} is there before"
                core.report("branch-event-repeated", message, "branches", place, "event_ids", i, about=branch.id)
            elif not core.document.events.declares(event_id):
                message = f"event {excerpt(event_id)} is not in the document"
                core.report("branch-event-undeclared", message, "branches", place, "event_ids", i, about=branch.id)
            positions.setdefault(event_id, i)
        last = branch.event_ids[-1] if branch.event_ids else None
        if branch.head_event_id != last:
            message = f"the head is {excerpt(branch.head_event_id)}, the last event {excerpt(last)}"
            core.report("branch-head-mismatch", message, "branches", place, "head_event_id", about=branch.id)
        _check_causes(core, branch, place, positions)


def _check_causes(core: Core, branch: Branch, place: int, positions: dict[str, int]) -> None:
    for event_id, i in positions.items():
        event = core.document.events.find(event_id)
        for cause in event.causes if event is not None else ():
            before = positions.get(cause.event_id) if cause.local else None
            if before is not None and before > i:
                message = f"event {excerpt(event_id)} stands before its cause {excerpt(cause.event_id)}"
                core.report("cause-order", message, "branches", place, "event_ids", i, about=branch.id)


def check_checkpoints(core: Core) -> Positions:
    """The branch and event of each checkpoint; gives where they are."""
    positions: Positions = {}
    order: dict[str, dict[str | None, int]] = {}
    for place, checkpoint in core.document.checkpoints.placed():
        branch = core.document.branches.find(checkpoint.branch_id)
        if branch is None:
            if not core.document.branches.declares(checkpoint.branch_id):
                message = f"no branch {excerpt(checkpoint.branch_id)} is declared"
                core.report(
                    "checkpoint-branch-undeclared", message, "checkpoints", place, "branch_id", about=checkpoint.id
                )
            continue
        if branch.id not in order:
            order[branch.id] = {None: 0, **{e: i for i, e in enumerate(branch.event_ids, 1)}}
        at = order[branch.id].get(checkpoint.at_event_id)
        if at is None:
            message = f"event {excerpt(checkpoint.at_event_id)} is not on branch {excerpt(branch.id)}"
            core.report("checkpoint-position", message, "checkpoints", place, "at_event_id", about=checkpoint.id)
            continue
        positions.setdefault(branch.id, {}).setdefault(at, []).append((place, checkpoint))
    return positions


def check_heads(core: Core, positions: Positions) -> None:
    """Exactly one checkpoint at the head of each branch."""
    unreadable = Counter(
        item.value.get("branch_id") if isinstance(item.value, dict) and isinstance(item.value.get("branch_id"), str) else ""
        for item in core.document.checkpoints.invalid
    )  # fmt: skip
    for place, branch in core.document.branches.placed():
        there = positions.get(branch.id, {}).get(len(branch.event_ids), [])
        maybe = unreadable[branch.id] + unreadable[""]
        if len(there) > 1 or (not there and not maybe and core.document.checkpoints.readable):
            message = f"branch {excerpt(branch.id)} has {len(there) or 'no'} checkpoints at its head, not one"
            core.report("checkpoint-at-head", message, "branches", place, "head_event_id", about=branch.id)
