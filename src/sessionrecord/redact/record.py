"""Redaction of one line. Only what holds a secret is changed; everything else stays byte for byte."""

from __future__ import annotations

from base64 import b64decode, b64encode
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from sessionrecord import ijson
from sessionrecord.diagnostics import Diagnostic
from sessionrecord.errors import RedactionError
from sessionrecord.records import InvalidRecord, read_record
from sessionrecord.redact.edits import Edit, apply, merged
from sessionrecord.redact.ids import FreeNames, Renames
from sessionrecord.redact.layers import escapes_of, is_text, json_escapes, within_escapes
from sessionrecord.redact.places import Role, defined_names, record_type, role
from sessionrecord.redact.report import Removal, RemovedFrom
from sessionrecord.redact.rules import RedactionRules
from sessionrecord.redact.search import Search
from sessionrecord.redact.tree import Node, Path, leaves, objects, parse, text, text_of_token, tokens, without, written

__all__ = ["Changed", "LineRedaction", "Refused", "holds", "may_hold"]

Joined = Mapping[Path, list[Edit]]
"""Place to edits of its decoded text, for secrets that go on from one text to the next."""

_WHAT: Final[dict[Role, RemovedFrom]] = {
    "id": "id",
    "ref": "id",
    "session-reference": "id",
    "signature": "signature",
    "media": "media",
}


@dataclass(frozen=True, slots=True)
class Changed:
    """A line after redaction."""

    line: bytes
    """The new line."""
    removals: list[Removal]
    """What was removed from it."""
    members: dict[str, Counter[str]]
    """Member of the record, by its new name, to rule to how many secrets were removed from it."""


class Refused(RedactionError):
    """A secret is where nothing may be changed. Told by the line, so that all such places can be told together."""


class LineRedaction:
    """Redacts lines of one session."""

    def __init__(self, search: Search, rules: RedactionRules, renames: Renames) -> None:
        self._search = search
        self._rules = rules
        self._renames = renames

    def change(self, line: bytes, number: int, joined: Joined) -> Changed:
        """The line without what is to be removed. Raises `RedactionError` where that cannot be."""
        try:
            root = parse(line)
            if root is None:
                return self._unparsed(line, number)
            return self._checked(line, root, number, joined)
        except Refused:
            raise
        except RedactionError as e:
            raise RedactionError(f"line {number}: {e}") from None

    def _unparsed(self, line: bytes, number: int) -> Changed:
        edits = self._search.edits(line)
        removals = [Removal(number, None, "", "line", name, n) for name, n in _tally(edits).items()]
        return Changed(apply(line, edits), removals, {})

    def _checked(self, line: bytes, root: Node, number: int, joined: Joined) -> Changed:
        """Change the line; where a member's form does not allow what is put in, leave the member out."""
        before = read_record(line)[0]
        drop: set[Path] = set()
        while True:
            work = _Work(self._search, self._rules, self._renames, line, root, number, joined, drop)
            changed = work.changed()
            after, found = read_record(changed.line)
            if isinstance(before, InvalidRecord):
                return changed
            if type(after) is type(before):
                return changed
            errors = [d for d in found if d.severity == "error"]
            broken = {work.edited_at(d.pointer or "") for d in errors} - drop - {None}
            if not broken:
                raise Refused(f"line {number}{_where(errors)}: a secret cannot be removed without breaking the record")
            drop |= {path for path in broken if path is not None}


_Whole = list[tuple[Edit, int, int]]


def found_in_token(search: Search, line: bytes, whole: _Whole, start: int, end: int) -> list[Edit]:
    """What is to be removed from a token of a line, given what was found in the line as a whole.

    A match that lies within the token is left to the search of its text.
    """
    token = line[start:end]
    edits = search.edits_of_token(token)
    more: list[Edit] = []
    for i in range(bisect_left(whole, start, key=lambda m: m[0].start), len(whole)):
        edit, match_start, match_end = whole[i]
        if edit.start >= end:
            break
        if edit.end <= end and (match_start < start or match_end > end):
            place = within_escapes(escapes_of(token), edit.start - start, edit.end - start)
            more.append(Edit(*place, edit.text, edit.rules))
    return merged([*edits, *more]) if more else edits


def may_hold(search: Search, line: bytes) -> bool:
    """Whether there may be anything to remove from a line; false means that there is not."""
    # the line as one text holds all texts in it, each closed off by its quotes
    return search.sees_edges or search.has(line)


def holds(search: Search, line: bytes) -> bool:
    """Whether there is anything to remove from a line."""
    if not may_hold(search, line):
        return False
    root = parse(line)
    if root is None:
        return bool(search.edits(line))
    whole = search.edits_of_line(line)
    return any(found_in_token(search, line, whole, start, end) for start, end in tokens(root))


def _where(errors: list[Diagnostic]) -> str:
    return f" at {errors[0].pointer}" if errors and errors[0].pointer else ""


def _tally(edits: Iterable[Edit]) -> Counter[str]:
    return Counter(name for e in edits for name in e.rules)


class _Work:
    """One attempt at one line."""

    def __init__(
        self,
        search: Search,
        rules: RedactionRules,
        renames: Renames,
        line: bytes,
        root: Node,
        number: int,
        joined: Joined,
        drop: set[Path],
    ) -> None:
        self._search = search
        self._rules = rules
        self._renames = renames
        self._line = line
        self._root = root
        self._number = number
        self._joined = joined
        self._drop = drop
        self._type = record_type(line, root)
        self._whole = search.edits_of_line(line)
        self._edits: list[Edit] = []
        self._names: dict[Path, str] = {}
        self._gone: defaultdict[int, set[str | int]] = defaultdict(set)
        self._removed: dict[tuple[Path, RemovedFrom], Counter[str]] = {}
        self._pointers: dict[str, Path] | None = None

    def changed(self) -> Changed:
        for node in objects(self._root):
            self._change_names(node)
        for node, parent in leaves(self._root):
            self._change_leaf(node, parent)
        for node in objects(self._root):
            names = self._gone.get(id(node))
            if names:
                gone = {i for i, m in enumerate(node.members) if m.name in names}
                self._edits += (Edit(start, end, b"", ()) for start, end in without(node, gone))
        # what is left out goes before what would be changed within it
        line = apply(self._line, merged(sorted(self._edits, key=lambda e: bool(e.text))))
        return self._result(line)

    def edited_at(self, pointer: str) -> Path | None:
        """The member changed at a JSON Pointer of the new record, or that it is in; None if there is none that may be left out."""
        if self._pointers is None:
            self._pointers = {self._pointer(path): path for path, _ in self._removed}
        while pointer:
            path = self._pointers.get(pointer)
            if path is not None:
                return path if isinstance(path[-1], str) and path != ("id",) else None
            pointer = pointer.rpartition("/")[0]
        return None

    def _result(self, line: bytes) -> Changed:
        root = parse(line)
        record_id = None if root is None else text(line, root.get("id"))
        removals: list[Removal] = []
        members: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for (path, what), counts in self._removed.items():
            pointer = self._pointer(path)
            removals += (Removal(self._number, record_id, pointer, what, rule, n) for rule, n in counts.items())
            if path and self._root.kind == "object":
                members[str(self._named(path)[0])] += counts
        return Changed(line, removals, dict(members))

    def _named(self, path: Path) -> Path:
        return tuple(self._names.get(path[: i + 1], step) for i, step in enumerate(path))

    def _pointer(self, path: Path) -> str:
        return ijson.pointer(*self._named(path))

    def _note(self, path: Path, what: RemovedFrom, counts: Counter[str]) -> None:
        self._removed.setdefault((path, what), Counter()).update(counts)

    def _refuse(self, path: Path, why: str) -> Refused:
        return Refused(f"line {self._number}{f' at {self._pointer(path)}' if path else ''}: {why}")

    def _change_names(self, node: Node) -> None:
        free: FreeNames | None = None
        for member in node.members:
            token = self._line[member.start + 1 : member.name_end - 1]
            edits = self._found(member.start + 1, member.name_end - 1)
            if not edits or member.name is None:
                continue
            if not any(e.rules for e in edits):
                self._edits += (e.moved(member.start + 1) for e in edits)
                continue
            path = (*node.path, member.name)
            if member.name in defined_names(self._line, node, self._type):
                raise self._refuse(node.path, "a secret is part of a name that the format defines")
            free = free or FreeNames(m.name for m in node.members if m.name is not None)
            base = text_of_token(b'"%s"' % apply(token, edits))
            name = self._names[path] = free.of(base)
            self._note(path, "name", _tally(edits))
            if name != base:
                edits = [Edit(0, len(token), written(name)[1:-1], ())]
            self._edits += (e.moved(member.start + 1) for e in edits)

    def _change_leaf(self, node: Node, parent: Node | None) -> None:
        if node.kind == "number":
            self._change_number(node, parent)
            return
        token = self._line[node.start + 1 : node.end - 1]
        edits = self._found(node.start + 1, node.end - 1)
        joined = self._joined.get(node.path)
        if joined:
            edits = merged([*json_escapes(token).lift(joined), *edits])
        if not edits:
            return
        if not joined and not any(e.rules for e in edits):
            self._edits += (e.moved(node.start + 1) for e in edits)
            return
        kind = role(self._line, node, parent, self._type)
        what = _WHAT.get(kind, "text")
        if kind == "structure":
            raise self._refuse(node.path, "a secret is part of what the structure rests on")
        self._note(node.path, "member" if node.path in self._drop else what, _tally(edits))
        if node.path in self._drop or (kind == "media" and not _is_base64_of_text(apply(token, edits))):
            self._leave_out(node, parent)
        elif kind == "signature":
            if self._rules.signatures == "raise":
                raise self._refuse(node.path, "a secret is in a signature; rules with signatures='drop' leave it out")
            self._leave_out(node, parent)
        elif what == "id":
            if self._rules.ids == "raise":
                raise self._refuse(node.path, "a secret is in an ID or a ref; rules with ids='rename' rename it")
            old = text_of_token(self._line[node.start : node.end])
            new = self._renames.of(old, kind)
            if new == old:
                raise self._refuse(
                    node.path, "a part of a secret is in an ID or a ref, and the ID has no other name without it"
                )
            self._edits.append(Edit(node.start + 1, node.end - 1, written(new)[1:-1], ()))
        else:
            self._edits += (e.moved(node.start + 1) for e in edits)
        if kind == "media" and parent is not None:
            self._gone[id(parent)].add("blob")

    def _change_number(self, node: Node, parent: Node | None) -> None:
        edits = self._found(node.start, node.end)
        if not edits:
            return
        if role(self._line, node, parent, self._type) == "structure":
            raise self._refuse(node.path, "a secret is part of what the structure rests on")
        self._note(node.path, "member" if node.path in self._drop else "number", _tally(edits))
        if node.path in self._drop:
            self._leave_out(node, parent)
        else:
            self._edits.append(Edit(node.start, node.end, b'"%s"' % edits[0].text, ()))

    def _found(self, start: int, end: int) -> list[Edit]:
        """What is to be removed from a token."""
        return found_in_token(self._search, self._line, self._whole, start, end)

    def _leave_out(self, node: Node, parent: Node | None) -> None:
        if parent is not None and parent.kind == "object":
            self._gone[id(parent)].add(node.path[-1])


def _is_base64_of_text(token: bytes) -> bool:
    try:
        data = b64decode(token, validate=True)
    except ValueError:
        return False
    return b64encode(data) == token and is_text(data)
