"""What a converter does with logs that are not as they should be: it goes on, says where, and loses nothing."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from sessionrecord.convert.report import Conversion
from sessionrecord.convert.testing.accounting import account
from sessionrecord.convert.testing.native import lines_of
from sessionrecord.convert.testing.output import validated
from sessionrecord.convert.testing.sample import MARKER, Sample, fail, streams
from sessionrecord.errors import ConversionError

__all__ = ["check_hostile_logs", "hostile_logs"]

_JUNK: Final = {
    "a line that is not JSON": f"<<< {MARKER} >>>".encode(),
    "a line that is JSON and no object": f'["{MARKER}", 1]'.encode(),
    "a line that is not UTF-8": b'{"' + MARKER.encode() + b'": "\xff\xfe"}',
    "a line with half a surrogate": f'{{"{MARKER}": "\\ud83d"}}'.encode(),
    "a line nested too deep": f'{{"{MARKER}": {"[" * 500}{"]" * 500}}}'.encode(),
    "an empty object": b"{}",
    "a blank line": b"",
    "a run of NUL": b"\0" * 64,
}


def check_hostile_logs(sample: Sample) -> None:
    """Logs made from the sample: torn, with junk, with CRLF, doubled, empty. Nothing is raised but `ConversionError`, and that only
    where no log is left; all is accounted for; the output is valid; what was put in is in the output or named in the report."""
    for what, data, line, is_log in hostile_logs(sample):
        conversion = _converted(sample, what, data, is_log=is_log)
        if conversion is None:
            continue
        account(conversion, data, what)
        validated(conversion, what, errors_only=True)
        if line is not None and MARKER.encode() in lines_of(data)[line - 1] and not _tells_of(conversion, line):
            fail(f"{what}: it is not in the output, and the report does not name line {line}")


def hostile_logs(sample: Sample) -> Iterator[tuple[str, bytes, int | None, bool]]:
    """Such logs: what is wrong, the bytes, the line that was put in, and whether it is a log all the same."""
    data = sample.data()
    lines = lines_of(data)
    if not lines:
        fail("the log has no lines")
    middle = len(lines) // 2
    yield "an empty file", b"", None, False
    yield "a torn last line", b"\n".join([*lines[:-1], lines[-1][: len(lines[-1]) // 2]]), None, len(lines) > 2
    yield "no newline at the end", data.rstrip(b"\n"), None, True
    yield "lines that end in CRLF", b"\r\n".join([*lines, b""]), None, True
    yield "a byte order mark", b"\xef\xbb\xbf" + data, None, True
    yield "every line twice", b"".join(line + b"\n" + line + b"\n" for line in lines), None, True
    yield "the first line missing", b"\n".join([*lines[1:], b""]), None, False
    yield "the lines in reverse", b"\n".join([*reversed(lines), b""]), None, False
    for what, junk in _JUNK.items():
        yield what, b"\n".join([*lines[:middle], junk, *lines[middle:], b""]), middle + 1, True
    unknown = sample.unknown or _unknown(lines)
    if unknown is None:
        fail(
            "the kit cannot make a line of an unknown type from this log: give one as `unknown`, in bytes, with testing.MARKER in it"
        )
    yield "a line of an unknown type", b"\n".join([*lines, unknown, b""]), len(lines) + 1, True


def _unknown(lines: list[bytes]) -> bytes | None:
    for line in lines:
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict) and isinstance(value.get("type"), str):
            return json.dumps({**value, "type": "kit_unknown_type", "kit": MARKER}).encode()
    return None


def _converted(sample: Sample, what: str, data: bytes, *, is_log: bool) -> Conversion | None:
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / sample.file.name
        path.write_bytes(data)
        if is_log:
            return sample.run(path, what)
        try:
            return sample.attempt(path, what)
        except ConversionError:
            return None


def _tells_of(conversion: Conversion, line: int) -> bool:
    report = conversion.report
    named = {u.line for u in (*report.not_converted, *report.kept_reasons)} | {n.line for n in report.notes}
    marker = MARKER.encode()
    return line in named or any(marker in r.to_line() for _, records in streams(conversion) for r in records)
