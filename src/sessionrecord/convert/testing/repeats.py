"""A line gives each record once, and what a record says agrees with itself."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

from sessionrecord import ijson
from sessionrecord.convert.testing.homes import Homes
from sessionrecord.convert.testing.native import Log, leaves
from sessionrecord.convert.testing.sample import Sample, fail, named, streams
from sessionrecord.records import ToolResult
from sessionrecord.refs import ENTITY_KEY_OF_TYPE

__all__ = ["check_no_repeats", "check_outcomes"]

_ENVELOPE: Final = frozenset({"seq", "id", "predecessor", "timestamp", "source"})


def check_no_repeats(sample: Sample) -> None:
    """No line gives two records that differ in nothing but their IDs, unless it says what is in them more than once."""
    conversion = sample.run()
    log, homes = Log(sample.data()), Homes(conversion)
    for name, records in streams(conversion):
        seen = Counter[tuple[int, bytes]]()
        for record in records:
            line = homes.line(record)
            if line is None:
                continue
            own = _ENVELOPE | {ENTITY_KEY_OF_TYPE.get(record.type)}
            said = {member: value for member, value in record.to_wire().items() if member not in own}
            key = line, ijson.dumps(said)
            seen[key] += 1
            if seen[key] > 1 and seen[key] > _told(log, line, said):
                fail(f"{name}, {named(record)}: the line gave such a record already")


def _told(log: Log, line: int, said: dict[str, Any]) -> int:
    """How often a line says the longest text of a record; at least once for each object on it."""
    values = [unit.kept for unit in log.units.get(line, ())]
    own = max((v for path, v in leaves(said) if path[-1] != "type" and isinstance(v, str)), key=len, default="")
    told = sum(text.count(own) for _, text in leaves(values) if isinstance(text, str)) if own else 0
    return max(len(values), told)


def check_outcomes(sample: Sample) -> None:
    """A result with exit code 0 is no error, and one with another no success; unless `outcome-unlike-exit-code` is allowed."""
    if "outcome-unlike-exit-code" in sample.allowed:
        return
    for name, records in streams(sample.run()):
        for record in records:
            if isinstance(record, ToolResult) and record.exit_code is not None:
                wrong = "error" if record.exit_code == 0 else "success"
                if record.outcome == wrong:
                    fail(f"{name}, {named(record)}: the outcome is {wrong} at exit code {record.exit_code}")
