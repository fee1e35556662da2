"""A converter to begin with: copy it, and put your format in place of that of `pocket`, an agent that does not exist.

    python examples/converter_template.py examples/data/pocket-sample.jsonl

`docs/convert-guide.md` goes through it step by step, `tests/convert/test_template.py` is its test.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Any

from sessionrecord import Producer, TextBlock
from sessionrecord.convert import Conversion, ConversionReport, MadeUp, Unconverted
from sessionrecord.convert.accounting import EXPLANATIONS, Losses, explained, left, salvage
from sessionrecord.convert.files import read_source
from sessionrecord.convert.native import BLANK, Unit, is_count, native_value, text, timestamp, units
from sessionrecord.errors import ConversionError
from sessionrecord.stream import RecordList

HARNESS = "pocket"
KNOWN = {"start", "say", "run", "ran", "tokens", "spinner"}  # what is known and becomes no record is kept
ROLES = {"user": "user", "model": "assistant"}


def convert(source: str | Path | bytes) -> Conversion:
    """The session of a pocket log. Raises `SourceError` where it cannot be read, `ConversionError` where it starts no session."""
    log = read_source(source)  # gzip and zstd are unpacked
    lines = units(log.data, Unit, lambda value: str(value.get("type", "(no type)")))  # whatever the bytes are
    report = ConversionReport(log.name, lines[-1].number if lines else 0, len(lines))
    start = next((line for line in lines if line.label == "start" and text(line.value.get("session"))), None)
    if start is None:
        raise ConversionError(f"no line of {log.name or 'the log'} starts a session. Is it a pocket log?")
    builder = Builder(report)
    builder.header(start)
    for line in lines:
        if line is not start:
            builder.line(line)
    report.lost = explained(builder.losses, EXPLANATIONS)
    report.records = Counter(record.type for record in builder.out.records)
    return Conversion(builder.out.records, {}, report, () if log.path is None else (log.path,))


class Builder:
    """Makes the records, line by line. What it says of a line it says in the report too."""

    def __init__(self, report: ConversionReport) -> None:
        self.out, self.report, self.losses = RecordList(), report, Losses()
        self.makers = {"say": self._say, "run": self._run, "ran": self._ran, "tokens": self._tokens}
        self.tokens: tuple[dict[str, Any], int] | None = None

    def line(self, line: Unit) -> None:
        """Take the next line."""
        if line.label == BLANK:
            self.report.not_converted.append(Unconverted(line.number, line.label, "blank line"))
            return
        salvage(line, self.report, self.losses)  # what had to be mended to read it
        make = self.makers.get(line.label)
        used = None if make is None else make(line.value, self.place(line), line)
        if used is None:  # nothing is dropped: what becomes no record stays whole
            tally = self.report.kept if line.fault or line.label in KNOWN else self.report.unknown
            tally[line.label] += 1
            reason = line.fault or (None if make is None else "a member is missing, or of another kind")
            if reason is not None:
                self.report.kept_reasons.append(Unconverted(line.number, line.label, reason))
            native = native_value(HARNESS, None if line.fault else line.label, line.kept)
            self.out.unknown(native["type"], **native["extra"], **self.place(line))
        elif used:
            self.converted(line, used)

    def place(self, line: Unit) -> dict[str, Any]:
        """The envelope: when, and from which line."""
        source = {"path": self.report.source, "line": line.number, "nativeType": line.label}
        given = {name: value for name, value in source.items() if value is not None}
        return {"timestamp": timestamp(line.value.get("at")), "source": given}

    def converted(self, line: Unit, used: set[str]) -> None:
        """Count a line, and the members of it that no record has."""
        self.report.converted[line.label] += 1
        self.losses.update(("member_dropped", name) for name in left("", line.value, used | {"type", "at"}))

    def header(self, line: Unit) -> None:
        """Write the header, which comes first wherever its line stands."""
        value, roots = line.value, None
        if text(value.get("folder")):  # pocket does not name its directories; what is made up is said
            roots = [{"id": "folder", "path": value["folder"]}]
            self.report.made_up.append(MadeUp(line.number, "roots[].id", "folder", "the log does not name directories"))
        producer, version = Producer(method="converter", name="pocket-converter"), text(value.get("version"))
        members: dict[str, Any] = {"session_id": value["session"], "agent_version": version, "roots": roots}
        self.out.session(agent=HARNESS, producer=producer, **members, **self.place(line))
        self.converted(line, {"session", "version", "folder"})

    # one for each type: the members that its records have; none where they are not as expected; empty where it says nothing new

    def _say(self, value: dict[str, Any], place: dict[str, Any], _: Unit) -> set[str] | None:
        own, role, said = text(value.get("id")), ROLES.get(str(value.get("who"))), value.get("text")
        if own is None or role is None or not isinstance(said, str):
            return None
        self.out.message(message_id=own, role=role, content=[TextBlock(text=said)], **place)
        return {"id", "who", "text"}

    def _run(self, value: dict[str, Any], place: dict[str, Any], _: Unit) -> set[str] | None:
        own, asked = text(value.get("id")), {"command": value.get("command")}
        if own is None or not isinstance(asked["command"], str):
            return None
        self.out.tool_call(call_id=own, call_id_source="native", name="run", kind="execute", arguments=asked, **place)
        return {"id", "command"}

    def _ran(self, value: dict[str, Any], place: dict[str, Any], _: Unit) -> set[str] | None:
        own, said, code = text(value.get("id")), value.get("output"), value.get("code")
        if own is None or not isinstance(said, str) or not (code is None or is_count(code)):
            return None
        outcome = None if code is None else "success" if code == 0 else "error"  # without a code: unknown, not success
        self.out.tool_result(
            call_id=own, outcome=outcome, exit_code=code, content=[TextBlock(text=said)], **place
        )  # fmt: skip
        return {"id", "output", "code"}

    def _tokens(self, value: dict[str, Any], place: dict[str, Any], line: Unit) -> set[str] | None:
        counts = {"input_tokens": value.get("in"), "output_tokens": value.get("out")}
        if not all(is_count(count) for count in counts.values()):
            return None
        if self.tokens is not None and self.tokens[0] == counts:  # told again; nothing more was used
            self.report.not_converted.append(Unconverted(line.number, line.label, f"repeats line {self.tokens[1]}"))
            return set()
        self.tokens = counts, line.number
        # the counter goes on through the session: as deltas its tokens would be counted again and again
        self.out.usage(scope="session", counter="cumulative", **counts, **place)
        return {"in", "out"}


if __name__ == "__main__":
    print(convert(sys.argv[1] if len(sys.argv) > 1 else "examples/data/pocket-sample.jsonl").report)
