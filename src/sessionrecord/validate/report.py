"""What was found, as data, text, JSON and SARIF."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from sessionrecord import ijson
from sessionrecord.diagnostics import Diagnostic, excerpt
from sessionrecord.validate.sarif import sarif

__all__ = ["Level", "ValidationReport"]

Level: TypeAlias = Literal["record", "stream", "bundle"]
"""What was checked: each record by its own rules, the stream as a whole, or a bundle of streams. [S] check types "schema" and "semantic"."""


@dataclass(frozen=True, slots=True, repr=False)
class ValidationReport:
    """Every finding of one pass over a source."""

    source: str | None
    """The source's name; None where it has none."""
    level: Level
    """What was checked."""
    records: int
    """Lines that hold something, readable or not."""
    diagnostics: tuple[Diagnostic, ...]
    """All findings, in the order of the lines."""

    @property
    def ok(self) -> bool:
        """Whether no rule is broken: warnings are allowed."""
        return all(d.severity != "error" for d in self.diagnostics)

    @property
    def counts(self) -> dict[str, Any]:
        """How many findings of each severity and code there are, and how many records."""
        severities = Counter(d.severity for d in self.diagnostics)
        return {
            "errors": severities["error"],
            "warnings": severities["warning"],
            "infos": severities["info"],
            "records": self.records,
            "codes": dict(Counter(d.code for d in self.diagnostics).most_common()),
        }

    def to_dict(self) -> dict[str, Any]:
        """The report as a JSON object. An unpaired surrogate in a name or an ID is written as an escape within the text."""
        made: dict[str, Any] = _writable(self._plain())
        return made

    def _plain(self) -> dict[str, Any]:
        return {
            "ok": self.ok,
            "source": self.source,
            "level": self.level,
            "findings": [d.to_dict() for d in self.diagnostics],
            "counts": self.counts,
        }

    def to_json(self) -> str:
        """The report as JSON on several lines."""
        return ijson.dumps(self.to_dict(), indent=True).decode()

    def to_sarif(self) -> dict[str, Any]:
        """The report as a SARIF 2.1.0 log, a JSON object that code hosts show beside the lines."""
        log: dict[str, Any] = _writable(sarif(self.source, self.diagnostics))
        return log

    def to_text(self) -> str:
        """One line a finding, `SOURCE:LINE: severity code: message`, then a closing line."""
        return "\n".join(self._lines())

    def __repr__(self) -> str:
        counts = self.counts
        tally = ", ".join(f"{counts[f'{kind}s']} {kind}s" for kind in ("error", "warning", "info"))
        name = excerpt(self.source or "stream", 36)
        return f"<ValidationReport {name}: {'valid' if self.ok else 'not valid'}, {self.records} records, {tally}>"

    def _repr_html_(self) -> str:
        from sessionrecord.display.html import validation_html  # displays rest on reports

        return validation_html(self)

    def _lines(self) -> Iterator[str]:
        name = _shown(self.source or "stream")
        for d in self.diagnostics:
            place = name if d.line is None else f"{name}:{d.line}"
            where = f" (at {_shown(d.pointer)})" if d.pointer else ""
            rule = f" [{d.requirement}]" if d.requirement else ""
            yield f"{place}: {d.severity} {d.code}: {d.message}{where}{rule}"
        counts = self.counts
        tally = ", ".join(f"{counts[f'{kind}s']} {kind}s" for kind in ("error", "warning", "info"))
        yield f"{name}: {'valid' if self.ok else 'not valid'}: {self.records} records, {tally}"


def _shown(text: str) -> str:
    return text if text.isprintable() else repr(text)[1:-1]


def _writable(value: Any) -> Any:
    # names of files and IDs of broken records may hold unpaired surrogates
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {_writable(k): _writable(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_writable(v) for v in value]
    return value
