"""A list of findings, with a short `repr` and a display of its own."""

from __future__ import annotations

from collections import Counter

from sessionrecord.diagnostics import Diagnostic

__all__ = ["Findings"]


class Findings(list[Diagnostic]):
    """Diagnostics in their order. A list like any other, but for how it is shown."""

    def __repr__(self) -> str:
        found = Counter(d.severity for d in self)
        told = ", ".join(f"{n:,} {severity}{'' if n == 1 else 's'}" for severity, n in sorted(found.items()))
        codes = list(dict.fromkeys(d.code for d in self))
        names = f": {', '.join(codes[:2])}{', …' if len(codes) > 2 else ''}" if codes else ""
        return f"<Findings: {told or 'none'}{names}>"

    def _repr_html_(self) -> str:
        from sessionrecord.display.html import findings_html  # displays rest on sessions

        return findings_html(self)
