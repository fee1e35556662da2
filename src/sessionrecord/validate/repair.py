"""Repair: a valid stream of all that can be saved, and everything else beside it."""

from __future__ import annotations

import base64
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final, Literal, TypeAlias

from sessionrecord import ijson
from sessionrecord.diagnostics import Diagnostic, excerpt
from sessionrecord.errors import SourceError, WriterError
from sessionrecord.lines import BrokenOff, ByteSource, PhysicalLine, read_lines
from sessionrecord.lines.whole import WholeFile
from sessionrecord.validate.check import source_name, validate
from sessionrecord.validate.order import rising
from sessionrecord.validate.plan import Action, Plan, bare_line, plan

__all__ = ["RepairAction", "RepairReport", "repair"]

RepairAction: TypeAlias = Action

_Path: TypeAlias = str | os.PathLike[str]
_REST: Final = ".rest.jsonl"


@dataclass(frozen=True, slots=True, repr=False)
class RepairReport:
    """What a repair did."""

    source: str | None
    """What was repaired; None where it has no name."""
    target: str
    """The stream that was written."""
    rest: str | None
    """The side file with every line that is not in the stream as it was; None where all are."""
    records: int
    """Records in the stream."""
    actions: tuple[Action, ...]
    """What was done, in the order of the lines."""
    diagnostics: tuple[Diagnostic, ...]
    """What is still to say of the stream: warnings, no errors."""

    @property
    def aside(self) -> int:
        """Lines of which nothing is in the stream."""
        return sum(a.action == "put-aside" for a in self.actions)

    def to_dict(self) -> dict[str, Any]:
        """The report as a JSON object."""
        return {
            "source": self.source,
            "target": self.target,
            "rest": self.rest,
            "records": self.records,
            "aside": self.aside,
            "actions": [a.to_dict() for a in self.actions],
            "findings": [d.to_dict() for d in self.diagnostics],
        }

    def to_text(self) -> str:
        """One line for each thing done, then a closing line."""
        return "\n".join(self.lines())

    def __repr__(self) -> str:
        name = excerpt(self.source or "stream", 36)
        return (
            f"<RepairReport {name}: {self.records} records, {len(self.actions)} actions, {self.aside} lines put aside>"
        )

    def _repr_html_(self) -> str:
        from sessionrecord.display.html import repair_html  # displays rest on reports

        return repair_html(self)

    def lines(self) -> Iterator[str]:
        """The lines of the text."""
        for a in self.actions:
            yield f"line {a.line}: {a.action}: {a.message}"
        kept = f"; what is not in it as it was is in {_shown(self.rest)}" if self.rest else ""
        yield f"{_shown(self.target)}: {self.records} record{_s(self.records)}, {self.aside} line{_s(self.aside)} put aside{kept}"


def _s(count: int) -> str:
    return "" if count == 1 else "s"


def _shown(text: str) -> str:
    return text if text.isprintable() else repr(text)[1:-1]


def repair(source: ByteSource, target: _Path, *, replace: bool = False) -> RepairReport:
    """Write a valid stream of all that can be saved from `source` to `target`; mode 0600.

    A line that is valid is written as it is. Line ends are made LF, and a byte order mark, blank lines and NUL runs are left out.
    Records glued to one line are split. A broken optional member is left out, and a capture state says so; a record that is broken
    where the structure rests on it, or that is not whole, is put aside. `seq` that does not rise is counted anew, an ID used by
    two records gets `#2`. Nothing else is changed and nothing is made up.

    Every line that is not in the stream as it was is kept in `TARGET.rest.jsonl`: `line`, `offset`, `action`, and its bytes as `text`,
    or `base64` where they are not UTF-8. The source is only read. Both files appear whole or not at all.

    A source that is compressed is read as every reader does, and the stream is plain. Of one that is cut short or damaged, what comes
    before the damage is saved; what follows cannot be told from its bytes and stays in the source alone, as an action says.

    Raises `SourceError` if the source cannot be read or has no session header, `WriterError` if a file to write exists and
    `replace` is false, or is the source itself.
    """
    name = source_name(source)
    path = Path(target)
    rest = path.with_name(path.name + _REST)
    if isinstance(source, str | os.PathLike):
        for file in (path, rest):
            if file.exists() and Path(source).exists() and file.samefile(source):
                raise WriterError(f"{file} is the source itself; a repair is written to another file")
    for file in (path, rest):
        if file.exists() and not file.is_file():
            raise WriterError(f"{file} is no regular file")
        if file.exists() and not replace:
            raise WriterError(f"{file} exists already; give the repair another name")
    broken: list[BrokenOff] = []
    if not isinstance(source, bytes | str | os.PathLike) or (
        isinstance(source, str | os.PathLike) and not Path(source).is_file()
    ):
        # it is read twice, and a pipe gives its bytes once
        source = b"".join(line.data + b"\n" * line.ended for line in read_lines(source, broken=broken.append))
    made = plan(source, broken.append)
    if not made.records:
        raise SourceError(
            f"{name or 'the source'} has no session header, and none is made up: put one on its first line, or convert it, if it is an agent's log"
        )
    with _beside(path) as stream, _beside(rest) as side:
        writer = _Writer(made, stream.file, side.file)
        for line in read_lines(source, broken=broken.append):
            if line.number > made.lines:
                break  # written since the plan was made
            writer.take(line)
        if writer.written != made.records:
            raise SourceError(f"{name or 'the source'} changed while it was read; nothing is written")
        stream.close()
        side.close()
        found = validate(stream.path).diagnostics
        wrong = [d for d in found if d.severity == "error"]
        if wrong:
            raise WriterError(f"the repaired stream is not valid ({wrong[0]}); nothing is written, please report it")
        if writer.aside:
            side.put()
        elif replace:
            rest.unlink(missing_ok=True)
        stream.put()
    return RepairReport(
        name,
        os.fspath(path),
        os.fspath(rest) if writer.aside else None,
        writer.written,
        tuple(sorted((*made.actions, *writer.actions, *_cut_short(made, broken)), key=lambda a: a.line)),
        found,
    )


def _cut_short(made: Plan, broken: list[BrokenOff]) -> Iterator[Action]:
    for place in broken[:1]:  # it was met in each pass
        message = f"{place.reason}; what follows cannot be unpacked and is in the source alone"
        yield Action("cut-short", made.lines, place.offset, None, ("compression-broken",), message)


def _beside(place: Path) -> WholeFile:
    try:
        return WholeFile(place)
    except OSError as e:
        raise WriterError(f"cannot write to {place}: {e.strerror or e}") from e


class _Writer:
    """The second pass: writes what the plan says of each line."""

    def __init__(self, made: Plan, stream: BinaryIO, side: BinaryIO) -> None:
        self._plan = made
        self._stream = stream
        self._side = side
        self._seqs = rising(made.seqs)
        self.written = 0
        self.aside = 0
        self.actions: list[Action] = []
        if made.header is not None:
            self._write(made.header, None)

    def take(self, line: PhysicalLine) -> None:
        bare = bare_line(line)
        if not bare.strip():
            return
        edit = self._plan.edits.get(line.number)
        aside: str | None = None
        if line.number < self._plan.starts_at:
            aside = "put-aside"
        elif edit is None:
            aside = self._write(bare, line)
        else:
            aside = edit.action
            for record in edit.records:
                self._write(record, line)
        if aside is not None:
            self._keep(line, bare, aside)

    def _write(self, record: bytes, line: PhysicalLine | None) -> str | None:
        place = self.written
        self.written += 1
        if place >= self._plan.records:
            return None  # the source has changed: what is written goes nowhere
        old, new = self._plan.seqs[place], self._seqs[place]
        changed: Literal["seq-changed"] | None = None
        if old != new:
            value = ijson.loads(record)
            record = ijson.dumps({"type": value["type"], **value, "seq": new})
            changed = "seq-changed"
            message = f"seq is {new}" if old < 0 else f"seq was {old}, is {new}"
            number, offset = (line.number, line.offset) if line is not None else (self._plan.header_line, None)
            self.actions.append(Action(changed, number, offset, value.get("id"), ("seq-not-increasing",), message))
        self._stream.write(record + b"\n")
        return changed

    def _keep(self, line: PhysicalLine, bare: bytes, action: str) -> None:
        self.aside += 1
        entry: dict[str, Any] = {"line": line.number, "offset": line.offset, "action": action}
        try:
            entry["text"] = bare.decode()
        except UnicodeDecodeError:
            entry["base64"] = base64.b64encode(bare).decode()
        self._side.write(ijson.dumps(entry) + b"\n")
