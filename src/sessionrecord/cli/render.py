"""The commands' results for people."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sessionrecord.cli.output import Cell, Out
from sessionrecord.cli.source import CONVERT_HINT
from sessionrecord.cli.views import TOKENS, Shown
from sessionrecord.convert import Conversion
from sessionrecord.display.summary import block_text, json_text
from sessionrecord.records import InvalidRecord, Record

if TYPE_CHECKING:  # not every command needs it
    from sessionrecord.validate import ValidationReport

__all__ = ["COLOURS", "context", "conversion", "difference", "findings", "overview", "records"]

COLOURS: Final = {"error": "red", "warning": "yellow", "info": "cyan"}
_KIND_COLOURS: Final = {
    "user": "green",
    "assistant": "cyan",
    "call": "magenta",
    "result": "blue",
    "compaction": "yellow",
}
_MARK_COLOURS: Final = {"- ": "red", "+ ": "green", "~ ": "yellow", "> ": "cyan", "! ": "yellow"}
_REASONS: Final = {
    "rewound": "taken back by a rewind",
    "compacted": "replaced by a compaction",
    "other-branch": "on another branch",
    "not-applied": "a compaction that is not completed",
}


def number(n: int, noun: str) -> str:
    """A count with its noun."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def _tally(counts: dict[str, int]) -> str:
    return ", ".join(
        number(counts[k], k.removesuffix("s")) for k in ("errors", "warnings", "infos") if counts[k] or k == "errors"
    )


def findings(out: Out, name: str, report: ValidationReport) -> None:
    """One line a finding, then a closing line."""
    for d in report.diagnostics:
        place = name if d.line is None else f"{name}:{d.line}"
        where = f" (at {d.pointer})" if d.pointer else ""
        rule = f" [{d.requirement}]" if d.requirement else ""
        out.line(f"{place}: ", Cell(d.severity, COLOURS[d.severity]), f" {d.code}: {d.message}{where}{rule}")
    counts = report.counts
    verdict = Cell("valid", "bold green") if report.ok else Cell("not valid", "bold red")
    out.line(f"{name}: ", verdict, f": {number(counts['records'], 'record')}, {_tally(counts)}")
    if counts["codes"].get("header-missing") and counts["codes"].get("member-missing", 0) >= counts["records"]:
        out.line(f"No line of it is a record; {CONVERT_HINT}")


def overview(out: Out, o: dict[str, Any]) -> None:
    """What a session is."""
    out.line(Cell(o["title"] or "Session", "bold"))
    out.table(("", ""), [(name, value) for name, value in _facts(o) if value])
    out.title("Records")
    out.table(("", ""), [(str(t) if t else "(no type)", f"{n:,}") for t, n in o["counts"].items()], right=" r")
    if o["tools"]:
        _tools(out, o["tools"])
    _usage(out, o)
    if o["losses"]:
        out.title("Lost on the way here")
        rows = [
            (
                f"{loss['count']:,}" if "count" in loss else "",
                loss["kind"],
                loss.get("field", ""),
                loss.get("explanation", ""),
            )
            for loss in o["losses"]
        ]
        out.table(("count", "what", "member", "why"), rows, right="r")
    out.title("Structure")
    heads = o["heads"]
    out.line(f"  {number(len(heads), 'head')}: " + ", ".join(f"{h['ref']}" for h in heads) if heads else "  no head")
    out.line(f"  findings: {_tally(o['findings'])}")


def _facts(o: dict[str, Any]) -> list[tuple[str, str]]:
    h = o["header"] or {}
    producer = h.get("producer", {})
    roots = [
        (r["path"] or "(withheld)") + (f" on {r['vcs']['branch']}" if r.get("vcs", {}).get("branch") else "")
        for r in o["roots"]
    ]
    times = [o["firstTimestamp"], o["lastTimestamp"]]
    return [
        ("agent", " ".join(filter(None, [h.get("agent", "(no header)"), h.get("agentVersion")]))),
        ("session", h.get("sessionId", "")),
        ("namespace", h.get("namespace") or ""),
        ("parent", h.get("parent", "")),
        ("forked from", h.get("forkOf", {}).get("session", "")),
        (
            "written by",
            " ".join(filter(None, [producer.get("name"), producer.get("version"), f"({producer.get('method')})"]))
            if producer
            else "",
        ),
        ("format", h.get("formatVersion", "")),
        ("summary", o["summary"] or ""),
        ("tags", ", ".join(o["tags"] or ())),
        ("roots", ", ".join(roots)),
        ("content", o["contentLevel"] or ""),
        ("promises", ", ".join(o["profiles"] or ())),
        ("from", f"{times[0]} to {times[1]}" if times[0] else ""),
        ("turns", f"{len(o['turns']):,}" if o["turns"] else ""),
        ("child sessions", ", ".join(o["childSessions"])),
    ]


def _tools(out: Out, tools: list[dict[str, Any]]) -> None:
    out.title("Tools")
    columns = {
        "calls": "calls",
        "errors": "errors",
        "cancelled": "cancelled",
        "otherOutcome": "other",
        "notTold": "not told",
        "noResult": "no result",
        "resultsWithoutCall": "result without call",
    }
    used = [c for c in columns if c in ("calls", "errors", "noResult") or any(t[c] for t in tools)]
    rows = [(t["name"] or "(no name)", *(f"{t[c]:,}" for c in used)) for t in tools]
    out.table(("tool", *(columns[c] for c in used)), rows, right=" " + "r" * len(used))


def _usage(out: Out, o: dict[str, Any]) -> None:
    usage = o["usage"]
    if not usage["byModel"] and not o["costs"]:
        return
    out.title("Usage, in tokens")
    used = [t for t in TOKENS.values() if usage["total"][t] is not None]
    rows = [(m["model"] or "(no model)", *(_count(m, t) for t in used)) for m in usage["byModel"]]
    if len(rows) > 1:
        rows.append(("total", *(_count(usage["total"], t) for t in used)))
    names = (t.removesuffix("Tokens") for t in used)
    names = ("".join(f" {c.lower()}" if c.isupper() else c for c in n) for n in names)
    out.table(("model", *names), rows, right=" " + "r" * len(used))
    if any("+" in cell for row in rows for cell in row[1:]):
        out.line("  + some records lack the number, so there were at least that many")
    if usage["incompleteCalls"]:
        calls = number(usage["calls"], "model call")
        out.line(
            f"  In {usage['incompleteCalls']:,} of {calls} a count is marked as incomplete: the true numbers may be higher."
        )
    if o["childSessions"]:
        counted = {True: "counted in", False: "not counted in", None: "perhaps counted in"}[usage["includesChildren"]]
        out.line(f"  {number(len(o['childSessions']), 'child session')} {counted}.")
    for cost in o["costs"]:
        out.line(f"  cost: {cost['amount']} {cost['currency']}")
    if o["costsMissing"]:
        out.line(f"  {number(o['costsMissing'], 'record')} of usage without a cost, so it was at least that much")


def _count(counts: dict[str, Any], name: str) -> str:
    if counts[name] is None:
        return "unknown"
    return f"{counts[name]:,}{'+' if counts['missing'].get(name) else ''}"


def context(out: Out, view: dict[str, Any]) -> None:
    """A context view."""
    at = "" if view["at"] is None else f" at seq {view['at']}"
    out.line(Cell(f"Context{at}: {number(len(view['items']), 'item')}", "bold"))
    rows = []
    for item in view["items"]:
        flags = "".join(f"[{f['code']}] " for f in item["flags"])
        colour = _KIND_COLOURS.get(item["kind"], "red" if item["kind"].startswith("result:") else "")
        rows.append(
            (f"{item['number']}", f"{item['seq']}", Cell(item["kind"], colour), item["ref"], flags + item["summary"])
        )
    if rows:
        out.table(("#", "seq", "kind", "ref", "what it says"), rows, right="rr")
    if view["absent"]:
        out.title("Not in the context")
        gone = [
            (f"{a['count']:,}", ", ".join(filter(None, [_REASONS.get(a["reason"], a["reason"]), a["by"]])))
            for a in view["absent"]
        ]
        out.table(("", ""), gone, right="r")
    if view["flags"]:
        out.title("Flags")
        for flag in view["flags"]:
            out.line("  ", Cell(flag["code"], "yellow"), f" {flag['ref']}: {flag['message']}")
    for d in view["findings"]:
        out.line("  ", Cell(d["severity"], COLOURS[d["severity"]]), f" {d['code']}: {d['message']}")
    out.line()
    out.line(Cell(view["note"], "italic"))


def difference(out: Out, lines: Iterable[str]) -> None:
    """The lines of a comparison: each begins with a mark, or with spaces where it belongs to the one before."""
    for line in lines:
        out.line(Cell(line, _MARK_COLOURS.get(line[:2], "")))


def records(out: Out, shown: Sequence[Shown]) -> None:
    """Records with all they say."""
    for i, s in enumerate(shown):
        if i:
            out.line()
        revision = f", revision {s.revision} of {s.revisions}" if s.revisions > 1 else ""
        seq = f", seq {s.record.seq}" if s.record.seq is not None else ""
        out.line(Cell(f"{s.record.type or 'line'} {s.ref}{seq}, record {s.record.id}{revision}", "bold"))
        if isinstance(s.record, InvalidRecord):
            for d in s.record.diagnostics:
                out.line("  ", Cell(d.severity, COLOURS[d.severity]), f" {d.code}: {d.message}")
            out.body(s.record.raw.decode("utf-8", "backslashreplace"))
        else:
            _members(out, s.record)


def _members(out: Out, record: Record) -> None:
    named = ((name, getattr(record, name, None)) for name in ("content", "summary", "prompt"))
    blocks: dict[str, list[Any]] = {name: value for name, value in named if isinstance(value, list)}
    long: list[tuple[str, str]] = []
    short: list[tuple[str, str]] = []
    for name, value in record.to_wire().items():
        if name in ("type", "seq", "id") or name in blocks:
            continue
        text = value if isinstance(value, str) else json_text(value)
        if len(text) <= 100 and "\n" not in text:
            short.append((name, text))
        else:
            long.append((name, text if isinstance(value, str) else json_text(value, indent=True)))
    out.table(("", ""), [(Cell(name, "dim"), text) for name, text in short])
    for name, text in long:
        out.line("  ", Cell(f"{name}:", "dim"))
        out.body(text, "    ")
    for name, value in blocks.items():
        out.line("  ", Cell(f"{name}:", "dim"))
        for block in value:
            out.body(block_text(block), "    ")


def conversion(out: Out, done: Conversion, written: Sequence[Path]) -> None:
    """What became of the lines of a native log, and where the records are."""
    for line in str(done.report).split("\n"):
        out.line(line)
    for path in written:
        out.line(f"wrote {path}")
    missing = len(done.children) - max(len(written) - 1, 0)
    if done.children and missing > 0:
        out.line(Cell(f"{number(missing, 'child session')} not written; give a file as OUT to keep them", "yellow"))
