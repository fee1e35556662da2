"""Redaction of a whole session: find, change, mark, and search what came out once more."""

from __future__ import annotations

import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import orjson

from sessionrecord import ijson
from sessionrecord.errors import RedactionError
from sessionrecord.redact.edits import Edit
from sessionrecord.redact.ids import Renames
from sessionrecord.redact.joined import Split, Splits, by_record
from sessionrecord.redact.marks import mark_declaration, mark_members
from sessionrecord.redact.places import record_type, role
from sessionrecord.redact.record import LineRedaction, Refused, holds, may_hold
from sessionrecord.redact.report import RedactionReport, Removal
from sessionrecord.redact.rules import RedactionRules
from sessionrecord.redact.search import Search
from sessionrecord.redact.tree import Path as Place
from sessionrecord.redact.tree import leaves, parse, text
from sessionrecord.session import Session
from sessionrecord.session.log import Log

__all__ = ["Redacted", "redact"]

_ROUNDS: Final = 6
"""How often what came out is searched and changed again; what one removal uncovers is gone after the next."""


@dataclass(frozen=True, slots=True)
class Redacted:
    """A session without its secrets."""

    session: Session
    """The session. Lines that held no secret are those that it was made from, byte for byte; but for the header's, see `redact`."""
    report: RedactionReport
    """What was removed, and where."""

    def _repr_html_(self) -> str:
        return self.report._repr_html_()


def redact(session: Session, rules: RedactionRules) -> Redacted:
    """Remove secrets from a session: whatever the rules find, in any place and encoding, unknown members and broken lines included.

    A placeholder `[redacted:NAME]` takes the place of each. Where that cannot stand, the member is left out. Order, `seq`, `type` and
    structure stay. Each member that something was removed from gets the capture state `redacted` with a count, and the header
    says the total in `losses` and `contentLevel`. Where nothing is found nothing is changed, so redaction twice is redaction once.

    Raises `RedactionError` where a secret is in an ID or a signature and the rules do not say what to do, where it is in what the
    structure rests on, and where a last search of the result still finds one. No message holds a secret.
    """
    return _Redaction(rules).run(session)


class _Redaction:
    def __init__(self, rules: RedactionRules) -> None:
        self._rules = rules
        self._search = Search(rules)
        self._values_only = Search(RedactionRules(rules.values, ()))
        self._removals: dict[int, list[Removal]] = {}
        self._members: defaultdict[int, defaultdict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))

    def run(self, session: Session) -> Redacted:
        before = log = _log(session)
        lines = LineRedaction(self._search, self._rules, Renames(self._search, self._taken(log)))
        among: Container[int] = range(len(log))
        for _ in range(_ROUNDS):
            found = self._find(log, among, may_hold)
            log, changed = self._changed(log, found, lines)
            if not changed:
                break
            among = changed
        else:
            raise RedactionError("what takes the place of secrets makes new ones; give the rules other names")
        unmarked: list[int] = []
        if self._removals:
            log, unmarked = self._marked(log)
            if self._find(log, range(len(log)), holds):
                raise RedactionError("a secret is still there after redaction; please report it")
            session = Session.read(bytes(log.source))
        if self._search.has_value(bytes(log.source)):
            raise RedactionError("a value goes over the border of two members or lines, so it cannot be removed")
        if len(before) != len(log) or before.seqs != log.seqs:
            raise RedactionError("redaction would change the order of the records; please report it")
        removals = tuple(_summed(self._removals[i] for i in sorted(self._removals)))
        return Redacted(session, RedactionReport(len(log), removals, tuple(unmarked)))

    def _find(
        self, log: Log, among: Container[int], look: Callable[[Search, bytes], bool]
    ) -> dict[int, dict[Place, list[Edit]]]:
        """Those `among` the records that hold something to remove, and what only shows where texts are joined."""
        splits: list[Split] = []
        joins = Splits(self._search, self._values_only)
        held: set[int] = set()
        for index in range(len(log)):
            line = log.line(index)
            try:
                if index in among and look(self._search, line):
                    held.add(index)
                splits += joins.take(index, _value(line))
            except RedactionError as e:
                raise RedactionError(f"line {log.line_number(index)}: {e}") from None
        found = by_record(splits)
        return {index: found.get(index, {}) for index in sorted(held | found.keys())}

    def _changed(
        self, log: Log, found: dict[int, dict[Place, list[Edit]]], lines: LineRedaction
    ) -> tuple[Log, set[int]]:
        """The stream without what was found, and the records that were changed."""
        pieces: list[bytes] = []
        refused: list[Refused] = []
        done: set[int] = set()
        at = 0
        for index, joined in found.items():
            line, start = log.line(index), log.offset(index)
            try:
                changed = lines.change(line, log.line_number(index), joined)
            except Refused as e:
                refused.append(e)
                continue
            if changed.line != line:
                pieces += (log.source[at:start], changed.line)
                at = start + len(line)
                done.add(index)
                self._note(index, changed.removals, changed.members)
        if refused:
            more = f" (and {len(refused) - 1} more)" if len(refused) > 1 else ""
            raise RedactionError(f"{refused[0]}{more}")
        return (Log.read(b"".join((*pieces, log.source[at:]))) if done else log), done

    def _note(self, index: int, removals: list[Removal], members: dict[str, Counter[str]]) -> None:
        self._removals.setdefault(index, []).extend(removals)
        for name, counts in members.items():
            self._members[index][name] += counts

    def _marked(self, log: Log) -> tuple[Log, list[int]]:
        """The stream with capture states and the header's losses, and the lines that cannot hold them."""
        total: Counter[str] = Counter()
        for removals in self._removals.values():
            for r in removals:
                total[r.rule] += r.count
        pieces: list[bytes] = []
        unmarked: list[int] = []
        at = 0
        declaring = {i for i in range(len(log)) if log.type(i) == "declaration"} | {0}
        for index in sorted(self._removals.keys() | declaring):
            line, start = log.line(index), log.offset(index)
            new: bytes | None = line
            if index in self._members:
                new = mark_members(line, self._members[index])
            elif self._removals.get(index):
                new = None
            if new is None:
                unmarked.append(log.line_number(index))
                new = line
            if total and index in declaring and log.type(index) in ("session", "declaration"):
                new = mark_declaration(new, total, is_header=index == 0)
            pieces += (log.source[at:start], new)
            at = start + len(line)
        return Log.read(b"".join((*pieces, log.source[at:]))), unmarked

    def _taken(self, log: Log) -> Iterator[str]:
        """IDs that look like the new ones may look: those of an earlier redaction."""
        if self._rules.ids == "raise":
            return
        for index in range(len(log)):
            line = log.line(index)
            root = parse(line) if b"[redacted:" in line else None
            if root is None:
                continue
            of_type = record_type(line, root)
            for node, parent in leaves(root):
                if role(line, node, parent, of_type) == "id" and (found := text(line, node)) is not None:
                    yield found


def _log(session: Session) -> Log:
    """The lines of a session as `Session.write` writes them."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "stream")
        try:
            session.write(path)
        except OSError as e:
            raise RedactionError(f"cannot copy the session to {path}: {e.strerror or e}") from e
        return Log.read(path)


def _value(line: bytes) -> Any:
    try:
        return orjson.loads(line)
    except ValueError:
        return ijson.examine(line)[0]


def _summed(removals: Iterator[list[Removal]]) -> Iterator[Removal]:
    for of_record in removals:
        counts: dict[Removal, int] = {}
        for r in of_record:
            counts[replace(r, count=0)] = counts.get(replace(r, count=0), 0) + r.count
        yield from (replace(r, count=n) for r, n in counts.items())
