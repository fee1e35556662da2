"""What an export holds, found in the export alone: the places where each format names the records that it represents."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

Wire = dict[str, Any]


def loads(text: str) -> Any:
    """JSON with integers of any length: Python refuses those of more than 4,300 digits."""
    return json.loads(text, parse_int=lambda digits: int(digits) if len(digits) < 4000 else Decimal(digits))


def in_atif(trajectory: Wire) -> set[int]:
    """The `seq` of each record that stands under `asr` in a trajectory."""
    found = [trajectory.get("extra", {}).get("asr", {}).get("header")]
    for step in trajectory["steps"]:
        found += step.get("extra", {}).get("asr", [])
        found += [c["extra"]["asr"] for c in step.get("tool_calls", [])]
        found += [r["extra"]["asr"] for r in step.get("observation", {}).get("results", []) if "extra" in r]
        if "metrics" in step:
            found.append(step["metrics"]["extra"]["asr"])
    seqs = [record["seq"] for record in found if record is not None]
    assert len(seqs) == len(set(seqs))
    return set(seqs)


def plain(attributes: list[Wire]) -> Wire:
    """Attributes of OTLP as plain values; 64-bit integers are strings there."""
    return {a["key"]: _value(a["value"]) for a in attributes}


def _value(value: Wire) -> Any:
    ((kind, inner),) = value.items()
    if kind == "intValue":
        return int(inner)
    if kind == "arrayValue":
        return [_value(v) for v in inner["values"]]
    return inner


def spans(request: Wire) -> list[Wire]:
    """The spans of a request, attributes as plain values."""
    (resource,) = request["resourceSpans"]
    (scope,) = resource["scopeSpans"]
    found = []
    for span in scope["spans"]:
        events = [{**e, "attributes": plain(e["attributes"])} for e in span.get("events", [])]
        found.append({**span, "attributes": plain(span["attributes"]), "events": events})
    return found


def in_otlp(request: Wire) -> set[str]:
    """The ID of each record that a span or event names."""
    ids: set[str] = set()
    for span in spans(request):
        ids.update(span["attributes"].get("sessionrecord.record.ids", []))
        ids.update(e["attributes"]["sessionrecord.record.id"] for e in span["events"])
    return ids


def tokens(page: str) -> list[Token]:
    """The tokens of a page of Markdown, HTML and tables on: what any reader may make of it."""
    return MarkdownIt("commonmark", {"html": True}).enable("table").parse(page)


def in_markdown(page: str) -> set[str]:
    """The ID of each record that a list of facts or the header names."""
    ids: set[str] = set()
    heads = []
    for token in tokens(page):
        if token.type == "inline" and (match := re.match(r"record: `+ ?(\S+?) ?`+, seq \d+", token.content)):
            ids.add(match[1])
        if token.type == "inline":
            heads.append(token.content)
        if token.type == "fence" and heads[-1] == "Header":
            ids.add(loads(token.content)["id"])
    return ids
