"""What a conversion gives: the records, and an account of every line that was read."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sessionrecord.diagnostics import excerpt
from sessionrecord.errors import WriterError
from sessionrecord.lines.whole import write_whole
from sessionrecord.records import Record

__all__ = ["Conversion", "ConversionReport", "Loss", "MadeUp", "Note", "Unconverted"]


@dataclass(frozen=True, slots=True)
class Note:
    """Something about a line that a reader of the records should know."""

    line: int
    """Line in the native log, from 1; 0 for the log as a whole."""
    code: str
    """What kind of thing, in kebab-case."""
    message: str
    """The same in words."""


@dataclass(frozen=True, slots=True)
class Unconverted:
    """A line that became no typed record, and why."""

    line: int
    """Line in the native log, from 1."""
    label: str
    """The native type, as the report counts it."""
    reason: str
    """Why, in words."""


@dataclass(frozen=True, slots=True)
class MadeUp:
    """A value in the records that the source did not give."""

    line: int
    """Line in the native log, from 1; 0 for the log as a whole."""
    what: str
    """The member."""
    value: str
    """The value that was made."""
    why: str
    """What the source lacked."""


@dataclass(frozen=True, slots=True)
class Loss:
    """Something that the source has and the records have not."""

    kind: str
    """What was lost: `member_dropped`, `unpaired_surrogate`, `duplicate_member`, `structure`."""
    field: str | None
    """The native member, where it is one."""
    count: int
    """How often."""
    explanation: str
    """Why, in words."""


@dataclass(slots=True, repr=False)
class ConversionReport:
    """What became of every line of a native log.

    `converted`, `kept`, `unknown` and `not_converted` together count each unit once; a unit is a line, or each of the
    objects glued together on one.
    """

    source: str | None = None
    """Base name of the native log, where it has one."""
    lines_read: int = 0
    """Lines, blank ones included."""
    units_read: int = 0
    """Lines, with each of several objects on one line counted."""
    converted: Counter[str] = field(default_factory=Counter)
    """Native type to the lines that became records."""
    kept: Counter[str] = field(default_factory=Counter)
    """Native type to the lines kept whole as `native_line`, since nothing in the format is meant for them."""
    unknown: Counter[str] = field(default_factory=Counter)
    """Native type to the lines kept whole since this version does not know the type."""
    not_converted: list[Unconverted] = field(default_factory=list)
    """Lines that made no record at all, each with the reason."""
    kept_reasons: list[Unconverted] = field(default_factory=list)
    """Lines that were kept whole for a reason of their own, such as not being JSON."""
    records: Counter[str] = field(default_factory=Counter)
    """Record type to the records of the main session."""
    made_up: list[MadeUp] = field(default_factory=list)
    """Values that the source did not give."""
    lost: list[Loss] = field(default_factory=list)
    """What the source has and the records have not."""
    notes: list[Note] = field(default_factory=list)
    """What else a reader should know, by line."""
    merged: dict[int, int] = field(default_factory=dict)
    """Line to the line that gives the record which both became, where a log tells of one thing in several lines."""
    model_calls: int = 0
    """Model calls, of the main session and of child sessions in the same file."""
    calls_without_stop_reason: int = 0
    """Those whose output count may be that of the start of the answer."""
    turns_inherited: int = 0
    """Lines whose `turnId` is that of their nearest ancestor which has one."""
    child_usage: dict[str, int] = field(default_factory=dict)
    """Agent ID to the tokens that the result of its call says it used; in no usage record of the main session."""
    children: dict[str, ConversionReport] = field(default_factory=dict)
    """Session ID to the report of each agent file."""

    def note(self, line: int, code: str, message: str) -> None:
        """Add a note."""
        self.notes.append(Note(line, code, message))

    def to_dict(self) -> dict[str, Any]:
        """The report as a JSON object."""
        return {
            "source": self.source,
            "linesRead": self.lines_read,
            "unitsRead": self.units_read,
            "converted": dict(self.converted),
            "kept": dict(self.kept),
            "unknown": dict(self.unknown),
            "notConverted": [asdict(u) for u in self.not_converted],
            "keptReasons": [asdict(u) for u in self.kept_reasons],
            "records": dict(self.records),
            "madeUp": [asdict(m) for m in self.made_up],
            "lost": [asdict(loss) for loss in self.lost],
            "notes": [asdict(n) for n in self.notes],
            "merged": {str(line): home for line, home in self.merged.items()},
            "modelCalls": self.model_calls,
            "callsWithoutStopReason": self.calls_without_stop_reason,
            "turnsInherited": self.turns_inherited,
            "childUsage": dict(self.child_usage),
            "children": {name: child.to_dict() for name, child in self.children.items()},
        }

    def __str__(self) -> str:
        return "\n".join(self._rows())

    def __repr__(self) -> str:
        kept = self.kept.total() + self.unknown.total()
        told = f"{self.lines_read} lines, {self.converted.total()} converted, {kept} kept, {len(self.not_converted)} not converted"
        return f"<ConversionReport {excerpt(self.source or 'log', 36)}: {told}>"

    def _repr_html_(self) -> str:
        from sessionrecord.display.html import conversion_html  # a display of plain values

        return conversion_html(self.to_dict())

    def _rows(self) -> Iterable[str]:
        units = f" holding {self.units_read} objects" if self.units_read != self.lines_read else ""
        yield f"{_shown(self.source or 'log')}: {_number(self.lines_read, 'line')} read{units}"
        yield from _tally("converted", self.converted)
        yield from _tally("kept as native_line", self.kept)
        yield from _tally("unknown type, kept as native_line", self.unknown)
        yield from _listed(
            "not converted", [f"line {u.line} ({_shown(u.label)}): {u.reason}" for u in self.not_converted]
        )
        yield from _tally("records", self.records)
        yield from _listed(
            "kept for a reason", [f"line {u.line} ({_shown(u.label)}): {u.reason}" for u in self.kept_reasons]
        )
        yield from _listed("made up", [f"{_at(m.line)}{m.what} {excerpt(m.value)}: {m.why}" for m in self.made_up])
        if self.calls_without_stop_reason:
            yield (
                f"  usage: {self.calls_without_stop_reason} of {_number(self.model_calls, 'model call')} have no stop reason; "
                "their output tokens may be those of the start of the answer"
            )
        if self.turns_inherited:
            yield f"  turns: {_number(self.turns_inherited, 'line')} took the turn of the nearest ancestor that names one"
        if self.child_usage:
            used = [f"{_shown(agent)} {tokens}" for agent, tokens in self.child_usage.items()]
            yield f"  tokens used by child sessions, not counted in this one: {_joined(used)}"
        if self.lost:
            yield f"  lost: {_joined([f'{_shown(loss.field or loss.kind)} {loss.count}' for loss in self.lost])}"
        codes = Counter(n.code for n in self.notes)
        for code, count in codes.items():
            first = next(n for n in self.notes if n.code == code)
            more = f" ({count} such notes)" if count > 1 else ""
            yield f"  {code}: {_at(first.line)}{first.message}{more}"
        for child in self.children.values():
            yield from (f"  {row}" for row in child._rows())


def _shown(text: str) -> str:
    return text if text.isprintable() and len(text) <= 60 else excerpt(text, 60)


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _at(line: int) -> str:
    return f"line {line}: " if line else ""


def _joined(items: Sequence[str], limit: int = 12) -> str:
    more = f" and {len(items) - limit} more" if len(items) > limit else ""
    return ", ".join(items[:limit]) + more


def _tally(title: str, counts: Counter[str]) -> Iterable[str]:
    if counts:
        yield f"  {title} {counts.total()}: {_joined([f'{_shown(name)} {n}' for name, n in counts.most_common()])}"


def _listed(title: str, items: Sequence[str], limit: int = 5) -> Iterable[str]:
    if items:
        yield f"  {title} {len(items)}:"
        yield from (f"    {item}" for item in items[:limit])
        if len(items) > limit:
            yield f"    and {len(items) - limit} more"


@dataclass(frozen=True, slots=True, repr=False)
class Conversion:
    """The records of a native log: one session, and the child sessions it started."""

    main: list[Record]
    """The records of the session, header first."""
    children: dict[str, list[Record]]
    """Session ID to the records of each child session. Their counts and usage are not part of the main session."""
    report: ConversionReport
    """What became of every line."""
    sources: tuple[Path, ...] = ()
    """The files it was read from; `write` refuses to replace them."""

    def __repr__(self) -> str:
        return f"<Conversion: {len(self.main)} records, {len(self.children)} child sessions>"

    def _repr_html_(self) -> str:
        return self.report._repr_html_()

    def write(self, path: str | os.PathLike[str]) -> list[Path]:
        """Write the session to `path` and each child to `<path>.children/<its percent-encoded ID>.jsonl`; returns the paths.

        Files are made with mode 0600, beside their place, and then moved there: what stood at `path` is replaced,
        unless it is what was converted. Raises `WriterError`.
        """
        main = Path(path)
        directory = main.with_name(f"{main.name}.children")
        targets = {main: self.main}
        targets |= {directory / f"{quote(name, safe='')}.jsonl": records for name, records in self.children.items()}
        try:
            for target in targets:
                if target.exists() and any(source.exists() and target.samefile(source) for source in self.sources):
                    raise WriterError(f"{excerpt(str(target), 200)} is the log that was converted; it is not replaced")
            if self.children:
                directory.mkdir(mode=0o700, exist_ok=True)
            for target, records in targets.items():
                write_whole(target, (record.to_line() + b"\n" for record in records))
        except (OSError, ValueError) as e:
            raise WriterError(f"cannot write {excerpt(str(main), 200)}: {getattr(e, 'strerror', None) or e}") from e
        return list(targets)
