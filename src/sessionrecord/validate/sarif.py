"""Findings as SARIF 2.1.0 (OASIS), the form in which code hosts take the results of checkers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from sessionrecord.diagnostics import CODES, REQUIREMENTS, Diagnostic, Severity

__all__ = ["sarif"]

SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json"
_LEVELS: Final[dict[Severity, str]] = {"error": "error", "warning": "warning", "info": "note"}


def sarif(source: str | None, diagnostics: Sequence[Diagnostic]) -> dict[str, Any]:
    """A SARIF log of one run. Every finding is a result; each code that occurs is a rule."""
    from sessionrecord import __version__  # the package's root imports much that this does not need

    codes = list(dict.fromkeys(d.code for d in diagnostics))
    rules = {code: i for i, code in enumerate(codes)}
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "sessionrecord",
                        "semanticVersion": __version__,
                        "rules": [_rule(code) for code in codes],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "results": [_result(source, d, rules[d.code]) for d in diagnostics],
            }
        ],
    }


def _rule(code: str) -> dict[str, Any]:
    info = CODES[code]
    rule: dict[str, Any] = {
        "id": code,
        "shortDescription": {"text": info.summary},
        "defaultConfiguration": {"level": _LEVELS[info.severity]},
    }
    if info.requirement is not None:
        text = REQUIREMENTS[info.requirement].summary
        rule["fullDescription"] = {"text": f"{info.summary} ({info.requirement}: {text})"}
        rule["properties"] = {"requirement": info.requirement}
    return rule


def _result(source: str | None, d: Diagnostic, rule: int) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": d.code,
        "ruleIndex": rule,
        "level": _LEVELS[d.severity],
        "message": {"text": d.message},
    }
    location: dict[str, Any] = {}
    if source is not None:
        region = {} if d.line is None else {"region": {"startLine": d.line}}
        location["physicalLocation"] = {"artifactLocation": {"uri": _uri(source)}, **region}
    if d.pointer:
        location["logicalLocations"] = [{"fullyQualifiedName": d.pointer, "kind": "value"}]
    if location:
        result["locations"] = [location]
    properties = {"offset": d.offset, "recordId": d.record_id, "line": d.line if source is None else None}
    given = {name: value for name, value in properties.items() if value is not None}
    if given:
        result["properties"] = given
    return result


def _uri(source: str) -> str:
    path = Path(source)
    text = path.as_posix()
    try:
        data = text.encode("utf-8", "surrogateescape")  # the bytes of a name that is not UTF-8
    except UnicodeEncodeError:
        data = text.encode("utf-8", "backslashreplace")
    if path.is_absolute():
        return f"file://{'' if data.startswith(b'/') else '/'}{quote(data, safe='/:')}"
    # a colon in the first part would make it a scheme
    return quote(data, safe="/")
