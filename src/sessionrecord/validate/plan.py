"""What a repair does with each line: decided in one pass, before anything is written."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Literal, TypeAlias

from sessionrecord import ijson
from sessionrecord.diagnostics import excerpt
from sessionrecord.lines import BOM, BrokenOff, ByteSource, PhysicalLine, read_lines
from sessionrecord.records import InvalidRecord, SessionHeader, parse_record, read_record
from sessionrecord.validate.mend import mend
from sessionrecord.validate.pieces import pieces

__all__ = ["Action", "ActionName", "Edit", "Plan", "bare_line", "plan"]

ActionName: TypeAlias = Literal[
    "put-aside",
    "cut-out",
    "mended",
    "id-changed",
    "seq-changed",
    "header-moved",
    "bom-removed",
    "line-ends",
    "cut-short",
]
"""What is done with a line: nothing of it is saved, its records are cut out, a record is mended, gets another ID or `seq`, the header
comes first, a byte order mark is left out, line ends become one LF each, what follows it cannot be unpacked."""

_MOST_LINES: Final = 64
"""Of how many lines one record is put together, at most."""


@dataclass(frozen=True, slots=True)
class Action:
    """One thing done."""

    action: ActionName
    """What."""
    line: int
    """Line in the source, from 1."""
    offset: int | None
    """Offset of the line's first byte in the source."""
    record_id: str | None
    """The record's `id`, where one can be read."""
    codes: tuple[str, ...]
    """Codes of what was wrong."""
    message: str
    """What was done, in words."""

    def to_dict(self) -> dict[str, Any]:
        """The fields as a JSON object."""
        return {**asdict(self), "codes": list(self.codes)}


@dataclass(frozen=True, slots=True)
class Edit:
    """What is written for a line in place of it."""

    action: ActionName
    """Why it is not written as it is."""
    records: tuple[bytes, ...]
    """Lines without their newline; none where nothing can be saved."""


@dataclass(slots=True)
class Plan:
    """What to write. Lines that have no edit, and are not blank, are written as they are."""

    seqs: array[int] = field(default_factory=lambda: array("q"))
    """The `seq` of every record in the order they are written; -1 where it has none."""
    edits: dict[int, Edit] = field(default_factory=dict)
    """Line number to what is written for it."""
    lines: int = 0
    """Lines in the source."""
    starts_at: int = 1
    """The line before which everything is put aside."""
    header: bytes | None = None
    """The session header, where it has to be moved to the front."""
    header_line: int = 1
    """The line that the header is on."""
    actions: list[Action] = field(default_factory=list)
    """What is done, as far as it is known before `seq` is."""

    @property
    def records(self) -> int:
        """How many records there will be; none where no header was found."""
        return len(self.seqs)


def bare_line(line: PhysicalLine) -> bytes:
    """The line without a byte order mark at the start of the stream and a CR at its end."""
    data = line.data.removeprefix(BOM) if line.number == 1 else line.data
    return data.removesuffix(b"\r") if line.ended else data


def plan(source: ByteSource, broken: Callable[[BrokenOff], object] | None = None) -> Plan:
    """Decide for every line of a source. Raises `SourceError` if it cannot be read; `broken` is told where it cannot be unpacked."""
    planner = _Planner()
    for line in read_lines(source, broken=broken):
        planner.take(line)
    return planner.finish()


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A valid record, as it would be written."""

    data: bytes
    type: str
    id: str
    seq: int
    key: tuple[str, str | None, str] | None
    codes: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Refusal:
    codes: tuple[str, ...]
    message: str


class _Planner:
    def __init__(self) -> None:
        self._plan = Plan()
        self._ids: dict[str, int] = {}
        self._key: tuple[str, str | None, str] | None = None
        self._other: int | None = None
        self._top = -1
        self._header_at = 0
        self._header_piece = self._on_line = 0
        self._header: _Candidate | None = None
        self._before: list[tuple[int, int, str | None]] = []
        self._crlf = self._blank = 0
        self._open: list[PhysicalLine] = []
        self._first_odd: PhysicalLine | None = None

    def take(self, line: PhysicalLine) -> None:
        """Decide for the next line."""
        self._plan.lines = line.number
        if self._open:
            if len(self._open) < _MOST_LINES and not line.data.lstrip().startswith(b"{"):
                self._open.append(line)
                self._close_open()
                return
            self._give_up_open()
        if not self._begins_open(line):
            self._line(line)

    def _begins_open(self, line: PhysicalLine) -> bool:
        """Whether the line may be the first of a record that raw newlines in a string have cut; then it waits for the next."""
        bare = bare_line(line)
        if not line.ended or not bare.startswith(b"{") or bare.endswith(b"}"):
            return False
        if pieces(bare):
            return False
        self._open = [line]
        return True

    def _close_open(self) -> None:
        """See whether the lines that wait are one record together."""
        joined = b"\n".join(bare_line(line) for line in self._open)
        if not joined.rstrip().endswith(b"}"):
            return
        cut = pieces(joined)
        if len(cut) != 1 or len(cut[0]) < len(joined.strip()):
            return
        first, *others = self._open
        self._open = []
        self._on_line = 0
        self._judge(first, joined)
        action = self._plan.edits[first.number].action
        for line in others:
            self._edit(
                line, action, (), None, ("json-invalid",), f"it is the rest of the record on line {first.number}"
            )

    def _give_up_open(self) -> None:
        waiting, self._open = self._open, []
        for line in waiting:
            self._line(line)

    def _line(self, line: PhysicalLine) -> None:
        bare = bare_line(line)
        self._on_line = 0
        if line.number == 1 and line.data.startswith(BOM):
            self._act("bom-removed", line, None, ("bom",), "the byte order mark is left out")
        if not bare.strip():
            self._blank += 1
            self._first_odd = self._first_odd or line
            return
        if line.ended and line.data.endswith(b"\r"):
            self._crlf += 1
            self._first_odd = self._first_odd or line
        self._judge(line, bare)

    def _judge(self, line: PhysicalLine, bare: bytes) -> None:
        record, found = read_record(bare)
        if not isinstance(record, InvalidRecord):
            self._plain(line, _Candidate(bare, record.type, record.id, record.seq, _key(record)))
        else:
            self._broken(line, bare, record, tuple(dict.fromkeys(d.code for d in found if d.severity == "error")))
        if self._key is None:
            self._before.append((line.number, line.offset, record.id))

    def _plain(self, line: PhysicalLine, candidate: _Candidate) -> None:
        admitted = self._admit(line, candidate)
        if isinstance(admitted, _Refusal):
            self._edit(line, "put-aside", (), candidate.id, admitted.codes, admitted.message)
        elif admitted.changes:
            self._edit(line, "id-changed", (admitted.data,), admitted.id, admitted.codes, admitted.changes[0])

    def _broken(self, line: PhysicalLine, bare: bytes, record: InvalidRecord, codes: tuple[str, ...]) -> None:
        found: list[_Candidate] = []
        refusals: list[_Refusal] = []
        cut = pieces(bare)
        for piece in cut:
            candidate = _candidate(piece)
            if isinstance(candidate, _Candidate):
                candidate = self._admit(line, candidate)
            if isinstance(candidate, _Refusal):
                refusals.append(candidate)
            else:
                found.append(candidate)
        if not found:
            why = refusals[0] if refusals else _Refusal(codes, _why(record, codes))
            self._edit(line, "put-aside", (), record.id, tuple(dict.fromkeys((*codes, *why.codes))), why.message)
            return
        lines = tuple(c.data for c in found)
        changes = [change for c in found for change in c.changes]
        if len(cut) == 1 and len(cut[0]) >= len(bare.strip()):
            changes = changes or ["raw control characters in strings are written as escapes"]
            self._edit(line, "mended", lines, found[0].id, codes, "; ".join(changes))
            return
        left = f", {len(refusals)} more cannot be saved" if refusals else ""
        told = "".join(f"; {change}" for change in changes)
        self._edit(
            line, "cut-out", lines, found[0].id, codes, f"{len(found)} records are cut out of the line{left}{told}"
        )

    def _admit(self, line: PhysicalLine, c: _Candidate) -> _Candidate | _Refusal:
        """Give a record its place among the others, or say why it has none."""
        if c.type == "session":
            refusal = self._meet_header(line, c)
            if refusal is not None:
                return refusal
        elif self._other is not None:
            return _Refusal(
                ("header-repeated",), f"it follows the header of another session, which is on line {self._other}"
            )
        mark = hash(c.data)
        if c.id in self._ids:
            if self._ids[c.id] == mark:
                return _Refusal(("id-duplicate",), f"it repeats the record {excerpt(c.id)}, which is there already")
            c = self._with_new_id(c)
        self._ids[c.id] = mark
        self._plan.seqs.append(c.seq)
        self._top = max(self._top, c.seq)
        self._on_line += 1
        return c

    def _meet_header(self, line: PhysicalLine, c: _Candidate) -> _Refusal | None:
        if self._key is None:
            self._key, self._header, self._header_at = c.key, c, len(self._plan.seqs)
            self._plan.header_line, self._header_piece = line.number, self._on_line
            return None
        self._other = None if c.key == self._key else line.number
        what = "the stream has its header already" if c.key == self._key else "it is the header of another session"
        return _Refusal(("header-repeated",), what)

    def _with_new_id(self, c: _Candidate) -> _Candidate:
        n = 2
        while (new := f"{c.id}#{n}") in self._ids:
            n += 1
        change = f"another record has the id {excerpt(c.id)}; the id is {excerpt(new)} now"
        data = ijson.dumps({**ijson.loads(c.data), "id": new})
        return _Candidate(data, c.type, new, c.seq, c.key, (*c.codes, "id-duplicate"), (*c.changes, change))

    def _act(
        self, action: ActionName, line: PhysicalLine, record_id: str | None, codes: tuple[str, ...], message: str
    ) -> None:
        self._plan.actions.append(Action(action, line.number, line.offset, record_id, codes, message))

    def _edit(
        self,
        line: PhysicalLine,
        action: ActionName,
        records: tuple[bytes, ...],
        record_id: str | None,
        codes: tuple[str, ...],
        message: str,
    ) -> None:
        self._plan.edits[line.number] = Edit(action, records)
        self._act(action, line, record_id, codes, message)

    def finish(self) -> Plan:
        """The plan, once all lines are taken."""
        self._give_up_open()
        made = self._plan
        if self._header is None:
            made.seqs = array("q")
            return made
        if self._header_at:
            self._place_header(self._header)
        if self._first_odd is not None:
            self._act(
                "line-ends",
                self._first_odd,
                None,
                (*(["line-crlf"] if self._crlf else []), *(["line-blank"] if self._blank else [])),
                f"{self._crlf} lines end with LF in place of CRLF, {self._blank} blank lines are left out",
            )
        return made

    def _place_header(self, header: _Candidate) -> None:
        """The records before the header stay if their numbers show that they are of its session, between it and what follows."""
        made, at, on_line = self._plan, self._header_at, self._header_piece
        line = made.header_line
        edit = made.edits.get(line, Edit("header-moved", (header.data,)))
        before, after = made.seqs[:at], made.seqs[at + 1 :]
        if after and 0 <= header.seq < min(before) and after[0] > max(before):
            made.seqs = array("q", [header.seq]) + before + after
            made.header = header.data
            made.edits[line] = Edit("header-moved", edit.records[:on_line] + edit.records[on_line + 1 :])
            message = "the header is the first line now"
            made.actions.append(Action("header-moved", line, None, header.id, ("header-missing",), message))
            return
        made.seqs = made.seqs[at:]
        made.starts_at = line
        made.actions = [a for a in made.actions if a.line >= line]
        message = "it stands before the session header"
        made.actions += [
            Action("put-aside", number, offset, record_id, ("header-missing",), message)
            for number, offset, record_id in self._before
            if number < line
        ]
        if on_line:
            made.edits[line] = Edit(edit.action, edit.records[on_line:])
            message = f"{on_line} of its records stand before the session header and are not saved"
            made.actions.append(Action("cut-out", line, None, None, ("header-missing",), message))


def _why(record: InvalidRecord, codes: tuple[str, ...]) -> str:
    first = next((d for d in record.diagnostics if d.code in codes), None)
    return "no record can be read from it" if first is None else first.message


def _candidate(data: bytes) -> _Candidate | _Refusal:
    """The record in a piece of a line, mended where it has to be."""
    record, found = read_record(data)
    if isinstance(record, InvalidRecord):
        errors = [d for d in found if d.severity == "error"]
        codes = tuple(dict.fromkeys(d.code for d in errors))
        mended = mend(record)
        if mended is None:
            return _Refusal(codes, errors[0].message)
        data = ijson.dumps(mended.value)
        made = parse_record(data)
        seq = made.seq if mended.has_seq else -1
        changes = mended.changes or ("seq is counted anew",)
        return _Candidate(data, made.type, made.id, seq, _key(made), mended.codes, changes)
    return _Candidate(data, record.type, record.id, record.seq, _key(record))


def _key(record: object) -> tuple[str, str | None, str] | None:
    if not isinstance(record, SessionHeader):
        return None
    return record.agent, record.namespace, record.session_id
