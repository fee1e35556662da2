"""What was removed, and where: never the secret itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal, TypeAlias

__all__ = ["RedactionReport", "Removal", "RemovedFrom"]

SHOWN: Final = 5
"""Places of each rule that a report shows as text."""
RemovedFrom: TypeAlias = Literal["text", "name", "number", "word", "id", "signature", "media", "member", "line"]
"""What a secret was in: a text, a member's name, a number, true, false or null, an ID or ref, a signature, the bytes of a picture, sound or file, a member
that could not be kept without it, a line that is no JSON."""


@dataclass(frozen=True, slots=True)
class Removal:
    """What was removed from one place by one rule."""

    line: int
    """The line of the stream, from 1."""
    record_id: str | None
    """The record's `id`, in the new stream; None where none can be read."""
    pointer: str
    """JSON Pointer (RFC 6901) of the place in the new record; empty for a line that is no JSON."""
    what: RemovedFrom
    """What the secret was in."""
    rule: str
    """The rule's name."""
    count: int
    """How many secrets."""


@dataclass(frozen=True, slots=True)
class RedactionReport:
    """Every removal, in the order of the lines."""

    records: int
    """Records of the stream."""
    removals: tuple[Removal, ...]
    """What was removed."""
    unmarked: tuple[int, ...]
    """Lines from which something was removed and which cannot hold a capture state, as they are no JSON object."""

    @property
    def count(self) -> int:
        """How many secrets were removed."""
        return sum(r.count for r in self.removals)

    @property
    def rules(self) -> dict[str, int]:
        """Rule to how many secrets it removed; those that found nothing are not there."""
        found: Counter[str] = Counter()
        for r in self.removals:
            found[r.rule] += r.count
        return dict(found.most_common())

    @property
    def changed(self) -> int:
        """How many lines something was removed from."""
        return len({r.line for r in self.removals})

    def to_dict(self) -> dict[str, Any]:
        """The report as a JSON object."""
        return {
            "records": self.records,
            "changed": self.changed,
            "count": self.count,
            "rules": self.rules,
            "unmarked": list(self.unmarked),
            "removals": [asdict(r) for r in self.removals],
        }

    def lines(self, most: int | None = SHOWN) -> Iterator[str]:
        """The sums, then for each rule, the most frequent first, how often it removed something and at most so many places; None: all."""
        yield f"{_number(self.records, 'record')}, {self.changed} changed, {self.count} removed"
        by_rule: dict[str, list[Removal]] = {rule: [] for rule in self.rules}
        for r in self.removals:
            by_rule[r.rule].append(r)
        for rule, count in self.rules.items():
            found = by_rule[rule]
            yield f"  {rule} {count}, in {_number(len(found), 'place')}:"
            yield from (f"    {_place(r)}" for r in found[:most])
            yield from _more(len(found), most)
        if self.unmarked:
            yield f"  no capture state, as the line is no record {len(self.unmarked)}:"
            yield from (f"    line {line}" for line in self.unmarked[:most])
            yield from _more(len(self.unmarked), most)

    def to_text(self) -> str:
        """Every removal as text: all that `lines` can tell."""
        return "\n".join(self.lines(None))

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def __repr__(self) -> str:
        return f"<RedactionReport: {self.records} records, {self.changed} changed, {self.count} removed>"

    def _repr_html_(self) -> str:
        from sessionrecord.display.html import removals_html

        return removals_html(self.to_dict())


def _place(removal: Removal) -> str:
    pointer = removal.pointer if removal.pointer.isprintable() else repr(removal.pointer)[1:-1]
    where = f" at {pointer}" if pointer else ""
    times = f", {removal.count} times" if removal.count > 1 else ""
    return f"line {removal.line}{where} ({removal.what}{times})"


def _more(count: int, most: int | None) -> Iterator[str]:
    if most is not None and count > most:
        yield f"    and {count - most} more"


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
