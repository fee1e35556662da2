"""The kit tries known lines whose members are not as expected (docs/convert-guide.md, "The kit")."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sessionrecord import Producer, TextBlock
from sessionrecord.convert import Conversion, ConversionReport, testing
from sessionrecord.stream import RecordList
from tests.convert import pocket

Taken = Callable[[RecordList, dict[str, Any], dict[str, Any]], object]
LOG = b'{"t":"say","id":"m1","who":{"role":"user"},"parts":[{"text":"hi"}]}\n{"t":"end","ms":5}\n'


def converter(say: Taken, end: Taken) -> Callable[[Path], Conversion]:
    """One that is right where both functions are."""

    def convert(path: Path) -> Conversion:
        out, report = RecordList(), ConversionReport(path.name)
        out.session(agent="a", session_id="s", producer=Producer(method="converter"))
        for number, line in enumerate(path.read_bytes().splitlines(), 1):
            value = json.loads(line)
            report.lines_read = report.units_read = number
            report.converted[str(value.get("t"))] += 1
            place = {"source": {"path": path.name, "line": number}}
            if value.get("t") in ("say", "end"):
                (say if value["t"] == "say" else end)(out, value, place)
            else:
                out.unknown("native_line", harness="a", value=value, **place)
        return Conversion(out.records, {}, report)

    return convert


def kept(out: RecordList, value: dict[str, Any], place: dict[str, Any]) -> object:
    return out.unknown("native_line", harness="a", value=value, **place)


def says_without_a_look(out: RecordList, value: dict[str, Any], place: dict[str, Any]) -> object:
    return out.message(message_id=value["id"], role="user", content=[], **place)


def says_what_stands_within(out: RecordList, value: dict[str, Any], place: dict[str, Any]) -> object:
    texts = [TextBlock(text=part["text"]) for part in value.get("parts") or () if isinstance(part, dict)]
    return out.user_message(texts, **place)


def ends_with_any_number(out: RecordList, value: dict[str, Any], place: dict[str, Any]) -> object:
    return out.model_call(model_call_id="m", duration_ms=value.get("ms"), **place)


def ends_in_silence(out: RecordList, value: dict[str, Any], place: dict[str, Any]) -> object:
    return None if value.get("ms") is None else kept(out, value, place)


@pytest.mark.parametrize(
    ("say", "end", "said"),
    [
        (says_without_a_look, kept, r"^id left out: KeyError is raised: 'id' \("),
        (says_what_stands_within, kept, r"^parts is -1: TypeError is raised: "),
        (kept, ends_with_any_number, r"^ms is -1: InvalidRecordError is raised: "),
        (kept, ends_in_silence, r"^ms left out: line 2 is silently gone"),
    ],
)
def test_a_converter_that_trusts_its_log_is_found(say: Taken, end: Taken, said: str, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(LOG)
    testing.check_broken_members(testing.Sample(converter(kept, kept), path))
    with pytest.raises(AssertionError, match=said) as caught:
        testing.check_broken_members(testing.Sample(converter(say, end), path))
    assert "\n" not in str(caught.value)


def test_a_known_line_that_is_broken_is_kept_with_the_reason() -> None:
    """Guide, "The rules": of the template too."""
    broken = b'{"type":"say","id":"m1","who":"robot","text":"x"}\n{"type":"spinner"}\n{"type":"run","id":7}\n'
    start = pocket.SAMPLE.read_bytes().splitlines(keepends=True)[0]
    report = pocket.convert(start + broken).report  # type: ignore[arg-type]  # bytes are a source too
    assert [(u.line, u.label) for u in report.kept_reasons] == [(2, "say"), (4, "run")]
    assert {u.reason for u in report.kept_reasons} == {"a member is missing, or of another kind"}
