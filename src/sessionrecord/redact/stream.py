"""Redaction of a whole session: find, change, mark, and search what came out once more."""

from __future__ import annotations

import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import orjson

from sessionrecord import ijson
from sessionrecord.errors import RedactionError
from sessionrecord.redact.edits import Edit
from sessionrecord.redact.ids import Renames
from sessionrecord.redact.joined import Split, Splits, by_record
from sessionrecord.redact.marks import mark_declaration, mark_members, written_paths
from sessionrecord.redact.places import record_type, role
from sessionrecord.redact.pointers import Pointers
from sessionrecord.redact.record import LineRedaction, Refused, Taken, holds, may_hold, remains
from sessionrecord.redact.report import RedactionReport, Removal, RemovedFrom
from sessionrecord.redact.rules import RedactionRules
from sessionrecord.redact.search import ROUNDS, Search
from sessionrecord.redact.tree import Path as Place
from sessionrecord.redact.tree import leaves, parse, text
from sessionrecord.session import Session
from sessionrecord.session.log import Log
from sessionrecord.session.session import Views

__all__ = ["Redacted", "redact"]


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
    structure rests on, and where a last search of the result still finds one. No message holds a secret. Raises `TypeError` for what is
    no session, and for what are no rules.
    """
    if not isinstance(session, Session):
        raise TypeError(f"redact takes a session, not {type(session).__name__}{_hint(session)}")
    if not isinstance(rules, RedactionRules):
        raise TypeError(
            f"redact takes RedactionRules, not {type(rules).__name__}; RedactionRules([...]) makes them of values"
        )
    return _Redaction(rules).run(session)


class _Redaction:
    def __init__(self, rules: RedactionRules) -> None:
        self._rules = rules
        self._search = Search(rules)
        self._values_only = Search(RedactionRules(rules.values, ()))
        self._taken: dict[int, list[Taken]] = {}
        """Record to what was removed from it; places as they are called so far."""

    def run(self, session: Session) -> Redacted:
        before = log = _log(session)
        lines = LineRedaction(self._search, self._rules, Renames(self._search, _alike(log)))
        among: Container[int] = range(len(log))
        for _ in range(ROUNDS):
            found = self._find(log, among, may_hold)
            log, changed = self._changed(log, found, lines)
            if not changed:
                break
            among = changed
        else:
            raise RedactionError("what takes the place of secrets makes new ones; give the rules other names")
        unmarked: list[int] = []
        if self._taken:
            log, unmarked = self._marked(log)
            for index in self._find(log, range(len(log)), holds):
                raise RedactionError(self._remaining(log, index, lines))
            session = Session.read(bytes(log.source))
        still = self._search.value_in(bytes(log.source))
        if still is not None:
            name, at = still
            line = log.source[:at].count(b"\n") + 1
            raise RedactionError(
                f"line {line}: the value {name} goes over the border of two members, items or lines, so it cannot be removed"
            )
        if len(before) != len(log) or before.seqs != log.seqs:
            raise RedactionError("redaction would change the order of the records; please report it")
        return Redacted(session, RedactionReport(len(log), tuple(self._removals(log)), tuple(unmarked)))

    def _remaining(self, log: Log, index: int, lines: LineRedaction) -> str:
        """What to say of a secret that the last search finds."""
        line, number = log.line(index), log.line_number(index)
        path, rule = next(remains(self._search, line), ((), ""))
        root = parse(line)
        if root is not None and path in written_paths(line, root):
            why = (
                f"what redaction writes there, a count, is itself found by the rule {rule}; give that rule another form"
            )
        else:
            why = (
                f"a secret ({rule}) is still there after redaction; please report it"
                if rule
                else ("a secret is still there after redaction, over several texts; please report it")
            )
        return f"{lines.where(number, path)}: {why}"

    def _removals(self, log: Log) -> Iterator[Removal]:
        """What was removed, with places and IDs as they are called at last."""
        pointers = Pointers(self._search)
        for index, taken in sorted(self._taken.items()):
            value = _value(log.line(index))
            found = value.get("id") if isinstance(value, dict) else None
            record_id = found if isinstance(found, str) else None
            counts: Counter[tuple[Place, RemovedFrom, str]] = Counter()
            for t in taken:
                counts[t.path, t.what, t.rule] += t.count
            for (path, what, rule), n in counts.items():
                yield Removal(log.line_number(index), record_id, pointers.of(path), what, rule, n)

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
        splits += joins.finish()
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
                earlier = (t.moved(changed.names) for t in self._taken.get(index, ()))
                self._taken[index] = [*earlier, *changed.taken]
        if refused:
            raise refused[0].among(len(refused))
        return (Log.read(b"".join((*pieces, log.source[at:]))) if done else log), done

    def _marked(self, log: Log) -> tuple[Log, list[int]]:
        """The stream with capture states and the header's losses, and the lines that cannot hold them."""
        total: Counter[str] = Counter()
        for t in chain.from_iterable(self._taken.values()):
            total[t.rule] += t.count
        pieces: list[bytes] = []
        unmarked: list[int] = []
        at = 0
        declaring = {i for i in range(len(log)) if log.type(i) == "declaration"} | {0}
        for index in sorted(self._taken.keys() | declaring):
            line, start = log.line(index), log.offset(index)
            taken = self._taken.get(index)
            new = mark_members(line, _by_member(taken)) if taken else line
            if new is None:
                unmarked.append(log.line_number(index))
                new = line
            if total and index in declaring and log.type(index) in ("session", "declaration"):
                new = mark_declaration(new, total, is_header=index == 0)
            pieces += (log.source[at:start], new)
            at = start + len(line)
        return Log.read(b"".join((*pieces, log.source[at:]))), unmarked


def _hint(given: object) -> str:
    if isinstance(given, Redacted):
        return ": give its session"
    if isinstance(given, Views):
        return ": a session at a moment has no stream of its own; redact the whole session, and look at the result at that moment"
    return "; open one with Session.read"


def _by_member(taken: list[Taken]) -> dict[str, Counter[str]]:
    """Member of a record to rule to how many secrets were removed from it."""
    members: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for t in taken:
        if t.path and isinstance(t.path[0], str):
            members[t.path[0]][t.rule] += t.count
    return members


def _alike(log: Log) -> Iterator[str]:
    """IDs that look like the new ones may look: those of an earlier redaction."""
    for index in range(len(log)):
        line = log.line(index)
        root = parse(line) if b"[redacted:" in line or b"\\u" in line else None
        if root is None:
            continue
        of_type = record_type(line, root)
        for node, parent in leaves(root):
            if role(line, node, parent, of_type) in ("id", "label") and (found := text(line, node)) is not None:
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
