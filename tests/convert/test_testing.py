"""The kit for converter authors: our converters pass it, and each check finds what it is for."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sessionrecord.convert import Conversion, asm, claude_code, codex, testing
from sessionrecord.convert.testing.hostile import hostile_logs
from sessionrecord.errors import ConversionError
from sessionrecord.records import Message, Record, UnknownRecord, Usage
from tests.convert import codex_logs, logs

RUN = Path(__file__).parents[2] / "examples" / "data" / "run.jsonl"
ASM_UNKNOWN = b'{"kind":"kit","run_id":"r","session_id":"s","payload":{"x":"kit-marker-7f3a"}}'
CODEX = testing.Sample(
    codex.convert,
    codex_logs.SAMPLE,
    computed=frozenset({"inputTokens", "durationMs"}),  # cached tokens are counted in, and seconds are told
    inherited=frozenset({"turnId", "model"}),  # the lines that begin a turn name them
    excused={
        "content.type": "the type of a part is that of the block",
        "summary.type": "the type of a part is that of the block",
        "input_tokens": "counted with cached tokens, and given without",
        "last_token_usage": "the difference to the count before it",
        "rate_limits": "kept where they change",
        "num_turns": "the rewind names what it goes back to",
    },
)
CLAUDE_CODE = testing.Sample(
    claude_code.convert,
    logs.SAMPLE,
    # most lines name no turn, and it is the result of a call that names the session it began
    inherited=frozenset({"turnId", "childSession"}),
    excused={
        **dict.fromkeys(("parentUuid", "logicalParentUuid", "leafUuid"), "the order of the records, and predecessor"),
        "sourceToolAssistantUUID": "the call that a result names",
        "isSidechain": "the session that the record is in",
        "message.usage": "of a model call the last one that is told; of a message that no model gave none",
        **dict.fromkeys(
            ("message.type", "content.type", "source.type", "subtype"), "what is of a type has a record or block"
        ),
        **dict.fromkeys(("gitBranch", "permissionMode"), "told where they change"),
        **dict.fromkeys(("is_error", "isMeta", "isCompactSummary", "isVisibleInTranscriptOnly"), "said in other words"),
        "uuid": "a summary's own goes with its line; it is counted as line_identity",
        **dict.fromkeys(
            ("isApiErrorMessage", "message.id", "message.model", "message.stop_reason"),
            "of a message that no model gave",
        ),
    },
)
ASM = testing.Sample(
    asm.convert,
    RUN,
    constants=frozenset({"USD"}),  # in the name of the member
    excused={"id": "a message that comes in pieces has the ID of the first"},
    unknown=ASM_UNKNOWN,
)
OURS = {"claude-code": CLAUDE_CODE, "codex": CODEX, "asm": ASM}
Change = Callable[[Conversion, Path], Conversion]


@pytest.mark.parametrize("name", OURS)
@pytest.mark.parametrize("check", testing.CHECKS)
def test_our_converters_pass(name: str, check: Callable[[testing.Sample], None]) -> None:
    check(OURS[name])


def test_all_checks_in_one_call() -> None:
    testing.check_converter(
        codex.convert,
        str(codex_logs.SAMPLE),
        computed=CODEX.computed,
        inherited=CODEX.inherited,
        excused=CODEX.excused,
    )


def test_the_kit_needs_no_pytest() -> None:
    code = "import sys, sessionrecord.convert.testing; sys.exit('pytest' in sys.modules or 'hypothesis' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def changed(change: Change, sample: testing.Sample = CODEX) -> testing.Sample:
    """A sample whose converter does something wrong."""
    return replace(sample, convert=lambda path: change(sample.convert(path), path))


def first(conversion: Conversion, cls: type[Any]) -> Any:
    return next(r for r in conversion.main if isinstance(r, cls))


def instead(conversion: Conversion, old: Record, *new: Record) -> Conversion:
    at = conversion.main.index(old)
    return replace(conversion, main=[*conversion.main[:at], *new, *conversion.main[at + 1 :]])


def without_native_lines(conversion: Conversion, _: Path) -> Conversion:
    return replace(conversion, main=[r for r in conversion.main if not isinstance(r, UnknownRecord)])


def uncounted(conversion: Conversion, _: Path) -> Conversion:
    conversion.report.kept.clear()
    return conversion


def miscounted(conversion: Conversion, _: Path) -> Conversion:
    conversion.report.lines_read -= 1
    return conversion


def too_few_units(conversion: Conversion, _: Path) -> Conversion:
    gone = conversion.report.not_converted.pop()
    conversion.report.units_read -= 1
    conversion.report.merged[gone.line] = 1
    return conversion


def with_text(conversion: Conversion, _: Path) -> Conversion:
    message = first(conversion, Message)
    return instead(conversion, message, message.replace(content=[{"type": "text", "text": "Of my own."}]))


def with_number(conversion: Conversion, _: Path) -> Conversion:
    usage = first(conversion, Usage)
    return instead(conversion, usage, usage.replace(output_tokens=987654321))


def with_enum_of_another_member(conversion: Conversion, _: Path) -> Conversion:
    message = first(conversion, Message)
    return instead(conversion, message, message.replace(role="synthetic"))


def with_session(conversion: Conversion, _: Path) -> Conversion:
    header = conversion.main[0]
    return replace(conversion, main=[header.replace(parent="asr:codex//nobody"), *conversion.main[1:]])


def with_time(conversion: Conversion, _: Path) -> Conversion:
    message = first(conversion, Message)
    return instead(conversion, message, message.replace(timestamp="2031-01-01T00:00:00Z"))


def with_a_broken_record(conversion: Conversion, _: Path) -> Conversion:
    message = first(conversion, Message)
    return instead(conversion, message, message, message)


def with_a_warning(conversion: Conversion, _: Path) -> Conversion:
    message = first(conversion, Message)
    return instead(conversion, message, message.replace(predecessor="messageId=nobody"))


def touching(conversion: Conversion, path: Path) -> Conversion:
    path.with_name("made.tmp").write_text("x")
    return conversion


def raising(conversion: Conversion, path: Path) -> Conversion:
    if b"<<<" in path.read_bytes():
        raise KeyError("type")
    return conversion


def refusing(conversion: Conversion, path: Path) -> Conversion:
    if b"<<<" in path.read_bytes():
        raise ConversionError("a line is not JSON")
    return conversion


def blind(conversion: Conversion, path: Path) -> Conversion:
    """Keeps a line of an unknown type in name only."""
    main = [
        r.replace(value="?") if isinstance(r, UnknownRecord) and b"kit-marker" in r.to_line() else r
        for r in conversion.main
    ]
    conversion.report.kept_reasons.clear()
    conversion.report.notes.clear()
    return replace(conversion, main=main)


WRONG: list[tuple[Callable[[testing.Sample], None], Change, str]] = [
    (testing.check_accounting, without_native_lines, r"^the log: line \d+ is silently gone \(\d+ such\)"),
    (testing.check_accounting, uncounted, r"accounts for \d+ of 53 units"),
    (testing.check_accounting, miscounted, r"^the log: the report tells of 52 lines, and there are 53$"),
    (testing.check_accounting, too_few_units, r"tells of 52 units in 53 lines"),
    (testing.check_no_invented_values, with_text, r"^main, message r\d+ of line \d+: /content/0/text is 'Of my own\.'"),
    (testing.check_no_invented_values, with_number, r"/outputTokens is 987654321, which is not in the log"),
    (testing.check_no_invented_values, with_enum_of_another_member, r"/role is 'synthetic'"),
    (testing.check_no_invented_values, with_session, r"^main, session r1 of line 1: /parent is 'asr:codex//nobody'"),
    (testing.check_times, with_time, r"^main, message r\d+ of line \d+: the log has no time 2031-01-01T00:00:00Z$"),
    (testing.check_output_validates, with_a_broken_record, r"^the log: main, record \d+: error "),
    (testing.check_output_validates, with_a_warning, r"^the log: main, record \d+: warning predecessor-missing"),
    (
        testing.check_hostile_logs,
        raising,
        r"^a line that is not JSON: KeyError is raised: 'type' \(test_testing\.py, line \d+\)$",
    ),
    (testing.check_hostile_logs, refusing, r"^a line that is not JSON is refused as a whole"),
    (testing.check_hostile_logs, blind, r"it is not in the output, and the report does not name line \d+$"),
]


@pytest.mark.parametrize(("check", "change", "said"), WRONG, ids=lambda v: getattr(v, "__name__", None))
def test_a_check_finds_what_it_is_for(check: Callable[[testing.Sample], None], change: Change, said: str) -> None:
    check(CODEX)
    with pytest.raises(AssertionError, match=said) as caught:
        check(changed(change))
    assert "\n" not in str(caught.value)


def test_a_converter_that_gives_something_else_each_time_is_found() -> None:
    times = iter(range(99))

    def other(conversion: Conversion, _: Path) -> Conversion:
        message = first(conversion, Message)
        return instead(conversion, message, message.replace(model=f"m{next(times)}"))

    with pytest.raises(AssertionError, match=r"^main: record r\d+ is another when the log is converted again$"):
        testing.check_deterministic(changed(other))

    def more(conversion: Conversion, _: Path) -> Conversion:
        conversion.report.note(0, "run", str(next(times)))
        return conversion

    with pytest.raises(AssertionError, match=r"gives other sessions, records or reports"):
        testing.check_deterministic(changed(more))


def test_a_converter_that_leaves_something_beside_the_log_is_found(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(codex_logs.SAMPLE.read_bytes())
    sample = replace(CODEX, path=path)
    testing.check_input_untouched(sample)
    with pytest.raises(AssertionError, match=r"^converting changed .*made\.tmp$"):
        testing.check_input_untouched(changed(touching, sample))


def test_what_a_sample_states_is_let_pass() -> None:
    testing.check_no_invented_values(replace(changed(with_text), constants=CODEX.constants | {"Of my own."}))
    testing.check_no_invented_values(replace(changed(with_number), computed=CODEX.computed | {"outputTokens"}))
    testing.check_output_validates(replace(changed(with_a_warning), allowed=frozenset({"predecessor-missing"})))

    def said(conversion: Conversion, path: Path) -> Conversion:
        from sessionrecord.convert import MadeUp

        made = with_text(conversion, path)
        made.report.made_up.append(MadeUp(1, "content", "Of my own.", "for the test"))
        return made

    testing.check_no_invented_values(changed(said))


@pytest.mark.parametrize(
    ("native", "told"),
    [
        ({"at": "2026-03-02T10:00:00+01:00"}, "2026-03-02T09:00:00Z"),
        ({"at": 1772442000}, "2026-03-02T09:00:00Z"),
        ({"at": 1772442000123}, "2026-03-02T09:00:00.123Z"),
        ({"at": "2026-03-02T09:00:00.000Z"}, "2026-03-02T09:00:00Z"),
    ],
)
def test_the_same_moment_written_otherwise_is_a_time_of_the_log(
    native: dict[str, Any], told: str, tmp_path: Path
) -> None:
    """1772442000 is 2026-03-02T09:00:00Z (date -d @1772442000)."""
    path = tmp_path / "log.jsonl"
    path.write_text(json.dumps(native) + "\n")
    conversion = codex.convert(codex_logs.SAMPLE)
    header = conversion.main[0].replace(timestamp=told)
    sample = testing.Sample(lambda _: replace(conversion, main=[header]), path)
    testing.check_times(sample)
    other = conversion.main[0].replace(timestamp="2026-03-02T09:00:01Z")
    with pytest.raises(AssertionError):
        testing.check_times(replace(sample, convert=lambda _: replace(conversion, main=[other])))


def test_a_log_without_types_needs_an_unknown_line_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(b'not JSON\n{"kind":"x"}\n')
    with pytest.raises(AssertionError, match="give one as `unknown`"):
        list(hostile_logs(replace(CODEX, path=path)))
