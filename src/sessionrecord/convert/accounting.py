"""How converters account for what they read: losses by name, and the error of a log that holds nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final

from sessionrecord.convert.native import BLANK, NO_TYPE, Unit
from sessionrecord.convert.report import ConversionReport, Loss
from sessionrecord.diagnostics import excerpt

__all__ = ["EXPLANATIONS", "Losses", "explained", "header_losses", "left", "nothing", "producer_version", "salvage"]

Losses = Counter[tuple[str, str | None]]
"""Kind and native member to how often it was lost."""

EXPLANATIONS: Final = {
    "member_dropped": "no record has a member for it",
    "unpaired_surrogate": "I-JSON has no unpaired surrogates; U+FFFD stands for each",
    "duplicate_member": "I-JSON has no duplicate members; the last one counts",
}
"""Kind of loss to what it means, for the kinds that every log may have."""

_SALVAGED: Final = {"lone-surrogate": "unpaired_surrogate", "duplicate-member": "duplicate_member"}


def left(place: str, value: Mapping[str, Any], consumed: Iterable[str]) -> Iterable[str]:
    """The members of a native object that no record holds, each with `place` before it; nulls are no loss."""
    for name, v in value.items():
        if v is not None and name not in consumed:
            yield place + name


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
