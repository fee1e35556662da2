"""Redaction of one line. Only what holds a secret is changed; everything else stays byte for byte."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

from sessionrecord import ijson
from sessionrecord.diagnostics import Diagnostic
from sessionrecord.errors import RedactionError
from sessionrecord.records import InvalidRecord, read_record
from sessionrecord.redact.across import TooWide, across, of_token
from sessionrecord.redact.edits import Edit, apply, merged
from sessionrecord.redact.ids import Renames
from sessionrecord.redact.layers import is_text, json_escapes
from sessionrecord.redact.names import FreeNames
from sessionrecord.redact.places import Role, defined_names, record_type, role
from sessionrecord.redact.pointers import Pointers
from sessionrecord.redact.report import RemovedFrom
from sessionrecord.redact.rules import RedactionRules
from sessionrecord.redact.search import Search
from sessionrecord.redact.tree import (
    Node,
    Path,
    leaf_token,
    leaves,
    name_token,
    objects,
    parse,
    text_of_token,
    tokens,
    without,
    written,
)

__all__ = ["Changed", "LineRedaction", "Refused", "Taken", "holds", "may_hold", "remains"]

Joined = Mapping[Path, list[Edit]]
"""Place to edits of its decoded text, for secrets that go on from one text to the next."""

Advice: TypeAlias = Literal["ids", "signatures"]
"""The rule that says what to do where a secret may not simply be replaced."""
_ADVICE: Final[dict[Advice, str]] = {
    "ids": "rules with ids='rename' rename it",
    "signatures": "rules with signatures='drop' leave it out",
}
_WHAT: Final[dict[Role, RemovedFrom]] = {
    "id": "id",
    "ref": "id",
    "session-reference": "id",
    "signature": "signature",
    "media": "media",
}
_OF_IDS: Final = frozenset({"id", "ref", "session-reference"})


@dataclass(frozen=True, slots=True)
class Taken:
    """What was removed from one place by one rule."""

    path: Path
    """The place, with the names that the changed line has."""
    what: RemovedFrom
    """What the secret was in."""
    rule: str
    """The rule's name."""
    count: int
    """How many secrets."""

    def moved(self, names: Mapping[Path, str]) -> Taken:
        """The same where names were changed since."""
        return replace(self, path=_renamed(self.path, names))


@dataclass(frozen=True, slots=True)
class Changed:
    """A line after redaction."""

    line: bytes
    """The new line."""
    taken: list[Taken]
    """What was removed from it."""
    names: Mapping[Path, str]
    """Place of a member, as it was called, to its new name."""


class Refused(RedactionError):
    """A secret is where nothing may be changed. Told by the line, so that all such places can be told together."""

    def __init__(self, where: str, why: str, advice: Advice | None = None, more: int = 0) -> None:
        self._parts = where, why, more
        self.advice: Advice | None = advice
        """The rule that says what to do, if there is one."""
        super().__init__(self.told(None if advice is None else _ADVICE[advice]))

    def told(self, advice: str | None) -> str:
        """The message with an advice of one's own."""
        where, why, more = self._parts
        also = f" (and {more} more)" if more else ""
        return f"{where}: {why}{'' if advice is None else f'; {advice}'}{also}"

    def __reduce__(self) -> tuple[type[Refused], tuple[str, str, Advice | None, int]]:
        where, why, more = self._parts
        return Refused, (where, why, self.advice, more)

    def among(self, count: int) -> Refused:
        """The same as one of several."""
        where, why, _ = self._parts
        return Refused(where, why, self.advice, count - 1)


class LineRedaction:
    """Redacts lines of one session."""

    def __init__(self, search: Search, rules: RedactionRules, renames: Renames) -> None:
        self.search = search
        self.rules = rules
        self.renames = renames
        self.pointers = Pointers(search)

    def change(self, line: bytes, number: int, joined: Joined) -> Changed:
        """The line without what is to be removed. Raises `RedactionError` where that cannot be."""
        try:
            root = parse(line)
            if root is None:
                return self._unparsed(line)
            return self._checked(line, root, number, joined)
        except Refused:
            raise
        except TooWide as e:
            raise Refused(self.where(number, e.path), str(e)) from None
        except RedactionError as e:
            raise RedactionError(f"line {number}: {e}") from None

    def where(self, number: int, path: Path) -> str:
        """A place, for a message."""
        return f"line {number}{self.pointers.told(path)}"

    def _unparsed(self, line: bytes) -> Changed:
        edits = self.search.edits(line)
        return Changed(apply(line, edits), [Taken((), "line", name, n) for name, n in _tally(edits).items()], {})

    def _checked(self, line: bytes, root: Node, number: int, joined: Joined) -> Changed:
        """Change the line; where a member's form does not allow what is put in, leave the member out, or what it is in."""
        before, known = read_record(line)
        errors = _errors(known)
        drop: set[Path] = set()
        while True:
            work = _Work(self, line, root, number, joined, drop)
            changed = work.changed()
            new = _errors(read_record(changed.line)[1]) - work.moved(errors)
            more = {path for _, pointer in new if (path := work.to_leave_out(pointer)) is not None}
            if not new or (not more and isinstance(before, InvalidRecord)):
                return changed
            if not more:
                pointer = min(pointer for _, pointer in new)
                place = tuple(step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:])
                raise Refused(
                    self.where(number, place), f"a secret ({work.rules}) cannot be removed without breaking the record"
                )
            drop |= more


def _errors(found: Iterable[Diagnostic]) -> set[tuple[str, str]]:
    return {(d.code, d.pointer or "") for d in found if d.severity == "error"}


def may_hold(search: Search, line: bytes) -> bool:
    """Whether there may be anything to remove from a line; false means that there is not."""
    # the line as one text holds all texts in it, each closed off by its quotes
    return search.sees_edges or search.has(line)


def holds(search: Search, line: bytes) -> bool:
    """Whether there is anything to remove from a line."""
    return next(remains(search, line), None) is not None


def remains(search: Search, line: bytes) -> Iterator[tuple[Path, str]]:
    """What there is to remove from a line: the place and the rule; none for an escape that only spells a value."""
    if not may_hold(search, line):
        return
    root = parse(line)
    if root is None:
        yield from (((), _rules(edit.rules)) for edit in search.edits(line))
        return
    found = across(search, line, root)
    for token in tokens(root):
        yield from ((token.path, _rules(edit.rules)) for edit in of_token(search, line, found, token))


def _rules(names: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(names))


def _tally(edits: Iterable[Edit]) -> Counter[str]:
    return Counter(name for e in edits for name in e.rules)


class _Work:
    """One attempt at one line."""

    def __init__(
        self, lines: LineRedaction, line: bytes, root: Node, number: int, joined: Joined, drop: set[Path]
    ) -> None:
        self._lines = lines
        self._search = lines.search
        self._line = line
        self._root = root
        self._number = number
        self._joined = joined
        self._drop = drop
        self._type = record_type(line, root)
        self._across = across(lines.search, line, root)
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
        dropped: defaultdict[Path, set[str | int]] = defaultdict(set)
        for path in self._drop:
            dropped[path[:-1]].add(path[-1])
        for node in objects(self._root):
            names = self._gone.get(id(node), set()) | dropped.get(node.path, set())
            if names:
                gone = {i for i, m in enumerate(node.members) if m.name in names}
                self._edits += (Edit(start, end, b"", ()) for start, end in without(node, gone))
        # what is left out goes before what would be changed within it
        line = apply(self._line, merged(sorted(self._edits, key=lambda e: bool(e.text))))
        taken = [
            Taken(_renamed(path, self._names), what, rule, n)
            for (path, what), counts in self._removed.items()
            for rule, n in counts.items()
        ]
        return Changed(line, taken, self._names)

    @property
    def rules(self) -> str:
        """The rules that removed something."""
        return _rules(name for counts in self._removed.values() for name in counts)

    def to_leave_out(self, pointer: str) -> Path | None:
        """What may be left out so that nothing is wrong any more at a JSON Pointer of the new record; None if there is nothing.

        It is the member that was changed there, or the one that it is in if it was left out already.
        """
        if self._pointers is None:
            self._pointers = {self._pointer(path): path for path, what in self._removed if what != "name"}
        at, depth = pointer, pointer.count("/")
        while at and at not in self._pointers:
            at = at.rpartition("/")[0]
        path = self._pointers.get(at)
        if path is None:  # something within it was changed
            within = (p for there, p in self._pointers.items() if there.startswith(f"{pointer}/"))
            path = next(within, ())[:depth]
        elif path in self._drop:
            path = path[:-1]
        may_go = path and isinstance(path[-1], str) and path != ("id",) and path not in self._drop
        return path if may_go else None

    def moved(self, errors: set[tuple[str, str]]) -> set[tuple[str, str]]:
        """Codes and JSON Pointers of the old record, with the pointers that the new one has."""
        renamed = {ijson.pointer(*path): self._pointer(path) for path in self._names}
        found: set[tuple[str, str]] = set()
        for code, pointer in errors:
            old = new = ""
            for step in pointer.split("/")[1:]:
                old += f"/{step}"
                new = renamed.get(old, f"{new}/{step}")
            found.add((code, new))
        return found if renamed else errors

    def _pointer(self, path: Path) -> str:
        return ijson.pointer(*_renamed(path, self._names))

    def _note(self, path: Path, what: RemovedFrom, counts: Counter[str]) -> None:
        self._removed.setdefault((path, what), Counter()).update(counts)

    def _refuse(self, path: Path, edits: Iterable[Edit], why: str, advice: Advice | None = None) -> Refused:
        rules = _rules(name for e in edits for name in e.rules)
        secret = f"a secret ({rules})" if rules else "a part of a secret"
        return Refused(self._lines.where(self._number, path), f"{secret} {why}", advice)

    def _dropped(self, path: Path) -> Path | None:
        """What is left out and holds a place, or is it."""
        if not self._drop:
            return None
        return next((path[:n] for n in range(1, len(path) + 1) if path[:n] in self._drop), None)

    def _change_names(self, node: Node) -> None:
        free: FreeNames | None = None
        outer = self._dropped(node.path)
        for member in node.members:
            token = name_token(node, member)
            edits = of_token(self._search, self._line, self._across, token)
            if not edits:
                continue
            if not any(e.rules for e in edits):
                self._edits += (e.moved(token.start) for e in edits)
                continue
            if outer is not None:
                self._note(outer, "member", _tally(edits))
                continue
            path = token.path
            if path[-1] in defined_names(self._line, self._root, node.path):
                raise self._refuse(path, edits, "is part of a name that the format defines")
            free = free or FreeNames(m.name for m in node.members if m.name is not None)
            text_of_name = apply(self._line[token.start : token.end], edits)
            base = text_of_token(b'"%s"' % text_of_name)
            name = self._names[path] = free.of(base)
            self._note(path, "name", _tally(edits))
            if name != base:
                edits = [Edit(0, token.end - token.start, written(name)[1:-1], ())]
            self._edits += (e.moved(token.start) for e in edits)

    def _change_leaf(self, node: Node, parent: Node | None) -> None:
        token = leaf_token(node)
        edits = of_token(self._search, self._line, self._across, token)
        joined = self._joined.get(node.path)
        if joined:
            within = json_escapes(self._line[token.start : token.end])
            edits = merged([*within.lift(joined), *edits])
        if not edits:
            return
        if not joined and not any(e.rules for e in edits):
            self._edits += (e.moved(token.start) for e in edits)
            return
        outer = self._dropped(node.path)
        if outer is not None:
            self._note(outer, "member", _tally(edits))
            return
        kind = role(self._line, node, parent, self._type)
        if kind == "structure":
            raise self._refuse(node.path, edits, "is part of what the structure rests on")
        if node.kind != "string" and kind in _OF_IDS:
            # no ID, and no other becomes one
            self._note(node.path, "member", _tally(edits))
            self._leave_out(node, parent)
            return
        if node.kind != "string":
            self._note(node.path, "number" if node.kind == "number" else "word", _tally(edits))
            self._edits.append(Edit(node.start, node.end, b'"%s"' % edits[0].text, ()))
            return
        what = _WHAT.get(kind, "text")
        self._note(node.path, what, _tally(edits))
        if what == "id":
            self._rename(node, kind, edits)
        elif kind == "label":
            self._rename_label(node, edits)
        elif kind == "signature":
            if self._lines.rules.signatures == "raise":
                raise self._refuse(node.path, edits, "is in a signature", "signatures")
            self._leave_out(node, parent)
        elif kind == "media" and not _is_base64_of_text(apply(self._line[token.start : token.end], edits)):
            self._leave_out(node, parent)
        else:
            self._edits += (e.moved(token.start) for e in edits)
        if kind == "media" and parent is not None:
            self._gone[id(parent)].add("blob")

    def _rename(self, node: Node, kind: Role, edits: list[Edit]) -> None:
        if self._lines.rules.ids == "raise":
            raise self._refuse(node.path, edits, "is in an ID or a ref", "ids")
        old = text_of_token(self._line[node.start : node.end])
        new = self._lines.renames.of(old, kind)
        if new == old:
            raise self._refuse(
                node.path, edits, "is in an ID or a ref, and goes on elsewhere: the ID has no other name without it"
            )
        self._edits.append(Edit(node.start + 1, node.end - 1, written(new)[1:-1], ()))

    def _rename_label(self, node: Node, edits: list[Edit]) -> None:
        """Different labels stay different, unless a rule goes by the member's name: then the text itself holds nothing."""
        old = text_of_token(self._line[node.start : node.end])
        new = self._lines.renames.of(old, "label")
        if new != old:
            edits = [Edit(0, node.end - node.start - 2, written(new)[1:-1], ())]
        self._edits += (e.moved(node.start + 1) for e in edits)

    def _leave_out(self, node: Node, parent: Node | None) -> None:
        if parent is not None and parent.kind == "object":
            self._gone[id(parent)].add(node.path[-1])


def _renamed(path: Path, names: Mapping[Path, str]) -> Path:
    return tuple(names.get(path[: i + 1], step) for i, step in enumerate(path)) if names else path


def _is_base64_of_text(token: bytes) -> bool:
    try:
        data = b64decode(token, validate=True)
    except ValueError:
        return False
    return b64encode(data) == token and is_text(data)
