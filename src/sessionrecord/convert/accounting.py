"""How converters account for what they read: losses by name, and the error of a log that holds nothing.

What a converter takes of an object is data: `Held`. Each member has the condition under which a record holds it, so one of a
type that the converter does not take is found as well as one that nobody knows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final, TypeAlias, Union

from sessionrecord.convert.native import BLANK, NO_TYPE, Unit
from sessionrecord.convert.report import ConversionReport, Loss
from sessionrecord.diagnostics import excerpt

__all__ = [
    "EXPLANATIONS",
    "Held",
    "Items",
    "Losses",
    "anything",
    "explained",
    "header_losses",
    "is_flag",
    "is_string",
    "left",
    "nothing",
    "only",
    "producer_version",
    "salvage",
]

Losses = Counter[tuple[str, str | None]]
"""Kind and native member to how often it was lost."""

EXPLANATIONS: Final = {
    "member_dropped": "no record has a member for it",
    "unpaired_surrogate": "I-JSON has no unpaired surrogates; U+FFFD stands for each",
    "duplicate_member": "I-JSON has no duplicate members; the last one counts",
}
"""Kind of loss to what it means, for the kinds that every log may have."""

_SALVAGED: Final = {"lone-surrogate": "unpaired_surrogate", "duplicate-member": "duplicate_member"}


Condition: TypeAlias = Callable[[Any], object]
"""Whether a record holds a value, told by the value alone: true or something like it where one does."""
Held: TypeAlias = Union[Condition, Mapping[str, "Held"], "Items"]
"""What a record holds of a value: all of it on a condition; these members of an object; these of the objects in a list."""


@dataclass(frozen=True, slots=True)
class Items:
    """What records hold of a list of objects that their `type` tells apart, or of the only one without a list."""

    of: Mapping[str, Mapping[str, Held]]
    """Type to what is held of such an object."""
    is_whole: Condition
    """Whether a record holds an item just as it is."""


def anything(value: Any) -> bool:
    """The condition of a member that is held whatever it is."""
    return True


def is_string(value: Any) -> bool:
    """The condition of a member that is held where it is a string."""
    return isinstance(value, str)


def is_flag(value: Any) -> bool:
    """The condition of a member that is held where it is true or false."""
    return isinstance(value, bool)


def only(*implied: str | bool) -> Condition:
    """The condition of a member that the record implies, where it has one of these values: any other is told nowhere."""
    return lambda value: isinstance(value, str | bool) and value in implied


def left(place: str, value: Mapping[str, Any], held: Mapping[str, Held] | Iterable[str]) -> list[str]:
    """The members of a native object that no record holds, each with `place` before it; nulls are no loss.

    `held` has what is held of each member, or is just their names: then each is held whatever it is.
    """
    found: list[str] = []
    _members_left(place, value, held if isinstance(held, Mapping) else dict.fromkeys(held, anything), found)
    return found


def _members_left(place: str, value: Mapping[str, Any], held: Mapping[str, Held], found: list[str]) -> None:
    for name, v in value.items():
        how = held.get(name)
        if how is anything or v is None:
            continue
        if how is None:
            found.append(place + name)
        elif callable(how):
            if not how(v):
                found.append(place + name)
        elif isinstance(how, Items):
            _items_left(place + name, v, how, found)
        elif isinstance(v, dict):
            _members_left(f"{place}{name}.", v, how, found)
        else:
            found.append(place + name)


def _items_left(place: str, value: Any, held: Items, found: list[str]) -> None:
    for item in value if isinstance(value, list) else (value,):
        if item is None or held.is_whole(item):
            continue
        kind = item.get("type") if isinstance(item, dict) else None
        if not isinstance(kind, str):
            found.append(place)
        elif kind not in held.of:
            found.append(f"{place}.{kind}")
        else:
            _members_left(f"{place}.{kind}.", item, held.of[kind], found)


def salvage(line: Unit, report: ConversionReport, losses: Losses) -> None:
    """Note what had to be mended to read a line."""
    for code in line.salvaged:
        if code == "glued":
            report.note(line.number, "glued", "several objects stand on one line; each is read")
            continue
        kind = _SALVAGED[code]
        losses[kind, None] += 1
        report.note(line.number, code, EXPLANATIONS[kind])


def explained(losses: Losses, explanations: Mapping[str, str]) -> list[Loss]:
    """The losses as the report lists them."""
    return [Loss(kind, member, count, explanations[kind]) for (kind, member), count in losses.items()]


def header_losses(losses: Losses, explanations: Mapping[str, str]) -> list[dict[str, Any]]:
    """The losses as a session header declares them."""
    declared = [
        {"kind": kind, "stage": "normalization", "field": member, "count": count, "explanation": explanations[kind]}
        for (kind, member), count in losses.items()
    ]
    return [{k: v for k, v in loss.items() if v is not None} for loss in declared]


def nothing(lines: Iterable[Unit], number: int, name: str | None, harness: str, what: str = "no message") -> str:
    """What to say of a log that lacks what makes it one: what it holds instead."""
    counts = Counter("without type" if line.label == NO_TYPE else line.label for line in lines if line.label != BLANK)
    named = [
        f"{label if label.isprintable() and len(label) <= 40 else excerpt(label)} {n}"
        for label, n in counts.most_common(8)
    ]
    of = "" if name is None else f" of {name if name.isprintable() else excerpt(name)}"
    found = ", ".join(named) + (" …" if len(counts) > 8 else "") or "nothing"
    return f"{what} in {number} line{'' if number == 1 else 's'}{of}: {found}. Is it a {harness} session log?"


def producer_version() -> str | None:
    """The version of this package, as headers name it."""
    try:
        return version("sessionrecord")
    except PackageNotFoundError:
        return None
