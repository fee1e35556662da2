"""Nothing that a log says is lost in silence: it is in a record, in `report.lost` by its name, or its line is named with a reason.

A marker goes into every place of every kind of line: as a member that nobody knows, in place of a value as a list, and as an object.
"""

from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from sessionrecord.convert import Conversion, acp, claude_code, codex
from sessionrecord.errors import ConversionError
from tests.convert import acp_logs, codex_logs, logs

MARKER = "marker-5c1e"
Place = tuple[str | int, ...]
LOGS: dict[str, tuple[Callable[[bytes], Conversion], list[Path]]] = {
    "claude_code": (claude_code.convert, [logs.SAMPLE, *sorted(logs.DATA.glob("*.jsonl"))]),
    "codex": (codex.convert, [codex_logs.SAMPLE, *sorted(codex_logs.DATA.glob("*.jsonl"))]),
    "acp": (acp.convert, [acp_logs.SAMPLE]),
}


def rows(path: Path) -> list[Any]:
    """The lines of a log: their values, and as they are where they have none."""
    found: list[Any] = []
    for row in path.read_bytes().splitlines(keepends=True):
        try:
            found.append(json.loads(row))
        except ValueError:
            found.append(row)
    return found


def places(value: Any, path: Place = ()) -> Iterator[tuple[Place, Any]]:
    """Each value within a JSON value, and where it is."""
    for name in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield (*path, name), value[name]
        yield from places(value[name], (*path, name))


def kind(value: Any, path: Place) -> str:
    """What makes two places alike: the names to them, with what the objects on the way say of their type."""
    said: list[str] = []
    for name in (*path, None):
        if isinstance(value, dict):
            tags = ("type", "subtype", "sessionUpdate", "method", "jsonrpc", "isCompactSummary", "isApiErrorMessage")
            said += [f"{tag}={value[tag]}" for tag in tags if tag in value]
            said += [f"{side}?" for side in ("result", "error", "params") if side in value]
        if name is not None:
            said.append(name if isinstance(name, str) else "[]")
            value = value[name]
    return "/".join(said)


class Case(NamedTuple):
    """A log with a marker in it."""

    line: int
    at: Place
    """Where the marker is: in a value, or as the name of one."""
    lines: list[Any]


def cases(lines: list[Any], seen: set[str]) -> Iterator[Case]:
    """Logs with one marker each. Places that are alike are tried once."""
    for i, line in enumerate(lines):
        if not isinstance(line, dict):
            continue
        for at, value in [((), line), *places(line)]:
            here = kind(line, at)
            if here in seen:
                continue
            seen.add(here)
            tried: list[tuple[Place, Any]] = []
            if isinstance(value, dict):
                tried.append(((*at, MARKER), MARKER))
            if at and value is not None:
                tried += [(at, [MARKER]), ((*at, "x"), {"x": MARKER})]
            for where, wrong in tried:
                place = at if where[-1] == "x" else where
                yield Case(i + 1, where, [*lines[:i], put(line, place, wrong), *lines[i + 1 :]])


def put(line: Any, path: Place, value: Any) -> Any:
    line = at = copy.deepcopy(line)
    for name in path[:-1]:
        at = at[name]
    at[path[-1]] = value
    return line


def lost(conversion: Conversion) -> Counter[str]:
    reports = [conversion.report, *conversion.report.children.values()]
    return Counter({x.field: x.count for report in reports for x in report.lost if x.field is not None})


def named(field: str, place: Place) -> Place | None:
    """The place on the way that a lost member names, or None. Its name may say more: what type the objects are of."""
    told = field.split(".")
    for end, name in enumerate(place, 1):
        if name == told[-1]:
            rest = iter(told)
            if all(step in rest for step in place[:end] if isinstance(step, str)):
                return place[:end]
    return None


def is_told(case: Case, convert: Callable[[bytes], Conversion]) -> bool:
    """Whether something tells of the marker. It is enough that the log is refused: then nothing is silent."""
    try:
        conversion = convert(logs.log(*case.lines))
    except ConversionError:
        return True
    report = conversion.report
    streams = [conversion.main, *conversion.children.values()]
    if any(MARKER.encode() in record.to_line() for records in streams for record in records[1:]):
        return True
    if any(u.line == case.line for u in (*report.not_converted, *report.kept_reasons)):
        return True
    if any(MARKER in str({k: v for k, v in records[0].to_wire().items() if k != "losses"}) for records in streams):
        return True
    for field, count in lost(conversion).items():
        place = named(field, case.at)
        if place is not None:
            lines = list(case.lines)
            lines[case.line - 1] = put(lines[case.line - 1], place, None)
            if lost(convert(logs.log(*lines)))[field] < count:
                return True
    return False


@pytest.mark.parametrize("name", ["claude_code", "codex"])
def test_what_a_line_says_is_in_a_record_or_named_in_the_report(name: str) -> None:
    """That is what `report.lost` is for; or the line is kept, or not converted, and the report says why."""
    convert, paths = LOGS[name]
    seen: set[str] = set()
    silent = [
        f"{path.name} line {case.line}: {'/'.join(map(str, case.at))}"
        for path in paths
        for case in cases(rows(path), seen)
        if not is_told(case, convert)
    ]
    assert len(seen) > 200
    assert silent == []
