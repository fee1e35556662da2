"""What is not in a result: the losses of an export, and what a redaction removed; from the JSON objects of their reports."""

from __future__ import annotations

from typing import Any

from sessionrecord.display.html.build import Child, el
from sessionrecord.display.html.parts import facts, fold, more, phrase, table, tag
from sessionrecord.display.html.room import Room

__all__ = ["losses", "removals"]


def losses(report: dict[str, Any], room: Room) -> list[Child]:
    """A row for each kind of loss, and below it where they are."""
    by_kind: dict[str, list[dict[str, Any]]] = {kind: [] for kind in report["counts"]}
    for loss in report["losses"]:
        by_kind[loss["kind"]].append(loss)
    rows = [
        [kind, phrase(found[0]["why"], room, 400), f"{sum(loss['kept'] for loss in found):,}", f"{len(found):,}"]
        for kind, found in by_kind.items()
    ]
    return [
        el("h1", "Export to ", phrase(report["target"], room)),
        facts(
            [
                ("records", f"{report['records']:,}"),
                ("exported", f"{report['represented']:,}"),
                ("counted in totals and the like", f"{report['folded']:,}" if report["folded"] else ""),
                ("left out", f"{report['leftOut']:,}"),
            ]
        ),
        table(["loss", "why", "still in it", "how often"], rows, right=2)
        if rows
        else el("div", tag("nothing lost", "good")),
        [
            fold([kind, el("span", f" {len(found):,}", cls="dim")], _places(found, room))
            for kind, found in by_kind.items()
        ],
    ]


def _places(found: list[dict[str, Any]], room: Room) -> Child:
    rows = [
        [
            phrase(loss["what"], room),
            _number(loss["seq"]),
            *(phrase(loss[name] or "", room) for name in ("recordId", "pointer")),
        ]
        for loss in found[: room.limits.rows]
    ]
    return [table(["what", "seq", "record", "member"], rows), _left(len(found) - len(rows), room)]


def removals(report: dict[str, Any], room: Room) -> list[Child]:
    """How often each rule removed something, and from where: never what it was."""
    rows = [
        [
            f"{r['line']:,}",
            *(phrase(r[name] or "", room) for name in ("record_id", "pointer")),
            r["what"],
            phrase(r["rule"], room),
            f"{r['count']:,}",
        ]
        for r in report["removals"][: room.limits.rows]
    ]
    return [
        el("h1", "Redaction"),
        facts(
            [
                ("records", f"{report['records']:,}"),
                ("changed", f"{report['changed']:,}"),
                ("secrets removed", f"{report['count']:,}"),
                ("lines without a capture state", ", ".join(f"{n:,}" for n in report["unmarked"][: room.limits.rows])),
            ]
        ),
        _left(len(report["unmarked"]) - room.limits.rows, room),
        table(["rule", "removed"], [[phrase(rule, room), f"{n:,}"] for rule, n in report["rules"].items()], right=1)
        if report["rules"]
        else el("div", tag("nothing removed", "good")),
        fold(
            "where",
            table(["line", "record", "member", "in", "rule", "removed"], rows, right=1),
            _left(len(report["removals"]) - len(rows), room),
            is_open=len(rows) <= 10,
        )
        if rows
        else None,
    ]


def _number(found: int | None) -> str:
    return "" if found is None else f"{found:,}"


def _left(left: int, room: Room) -> Child:
    if left <= 0:
        return None
    room.omit("rows", left, "there are many")
    return more(room, left, "row")
