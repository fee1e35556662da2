"""Coverage: a scope that is called empty holds nothing (ASIF 0.4, coverage)."""

from __future__ import annotations

from sessionrecord.asif.check.core import Core

__all__ = ["check_coverage"]


def check_coverage(core: Core) -> None:
    """Tools and calls, decision requests, native resources. External history does not count."""
    document = core.document
    held = {
        "tools": bool(len(document.tools) or core.calls),
        "decisions": bool(core.requests),
        "native": any(r.purpose == "native" for r in document.resources),
    }
    for place, entry in document.coverage.placed():
        if entry.status == "known_empty" and held.get(entry.scope):
            message = f"{entry.scope} is called known_empty, but the document holds some"
            core.report("coverage-contradiction", message, "coverage", place, "status", about=entry.scope)
