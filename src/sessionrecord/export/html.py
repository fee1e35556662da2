"""Sessions as one page of HTML that needs nothing else: no script, nothing fetched, stream text never markup."""

from __future__ import annotations

from typing import Final

from sessionrecord.display.html import PAGE, Omission, session_page
from sessionrecord.display.html.parts import sample
from sessionrecord.export.exported import Exported
from sessionrecord.export.material import opened
from sessionrecord.export.report import KINDS, Loss, LossReport
from sessionrecord.records import InvalidRecord, Record, ToolCall
from sessionrecord.session import Session, SessionAt

__all__ = ["to_html"]

_LOSSES: Final = {
    "image": "binary_left_out",
    "bytes": "binary_left_out",
    "encrypted": "encrypted_left_out",
    "not-counted": "not_counted",
}
"""Kind of omission to kind of loss; the others are beyond the page's limits."""
_UNITS: Final = {
    "text": "characters",
    "encrypted": "characters",
    "image": "bytes",
    "bytes": "bytes",
    "not-counted": "records",
}


def to_html(session: Session | SessionAt, *, at: int | None = None) -> Exported:
    """A session, or what there was of it at a `seq`, as a page with all records in file order, the first and the last 5,000 where there are more."""
    views, at = opened(session, at, "to_html")
    core = views._core
    page = session_page(session if at is None else SessionAt(core, at))
    report = LossReport("html", core.log.end(at))
    for omission in page.omissions:
        if omission.kind != "records":
            report.losses.append(_loss(omission))
    first, last = sample(report.records, PAGE.items)
    for i in range(first.stop, last.start) if last else ():
        record = core.record(i)
        report.add("beyond_limits", record.type or "line", record)
    calls: dict[int, Record | InvalidRecord] = {}
    for i in core.log.of_types(("tool_call",), report.records):
        if i in first or i in last:
            calls[core.index.first[i]] = core.record(i)
    for record in calls.values():
        if isinstance(record, ToolCall) and record.child_session is not None:
            report.add("child_session", "childSession", record, "/childSession", kept=True)
    return Exported(page.html, report)


def _loss(omission: Omission) -> Loss:
    unit = _UNITS.get(omission.kind, omission.kind)
    kind = _LOSSES.get(omission.kind, "beyond_limits")
    return Loss(kind, f"{omission.count:,} {unit} of {omission.place}", f"{KINDS[kind]}: {omission.explanation}")
