"""The kit finds what a converter loses, mixes up or makes up: each mutant does one such thing to what a right converter gives.

What is asked is written in `docs/convert-guide.md`, "The kit".
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sessionrecord.convert import Conversion, Loss, testing
from sessionrecord.records import Message, Record, ToolCall, ToolResult, UnknownRecord, Usage
from tests.convert import pocket

Mutant = Callable[[list[Any]], list[Any]]


def mutated(mutant: Mutant) -> testing.Sample:
    """The sample with a converter that gives other records; the report counts what it gives."""

    def convert(path: Path) -> Conversion:
        conversion = pocket.convert(path)
        records = mutant(list(conversion.main))
        conversion.report.records = Counter(record.type for record in records)
        return replace(conversion, main=records)

    return pocket.sample(convert=convert)


def each(cls: type[Record], **change: Any) -> Mutant:
    """Every record of a type with other members."""

    def mutant(records: list[Any]) -> list[Any]:
        return [
            r.replace(**{name: to(r) if callable(to) else to for name, to in change.items()})
            if isinstance(r, cls)
            else r
            for r in records
        ]

    return mutant


def swapped(cls: type[Record], member: str) -> Mutant:
    """A member of the first two records of a type, each with the value of the other."""

    def mutant(records: list[Any]) -> list[Any]:
        a, b = [r for r in records if isinstance(r, cls)][:2]
        new = {a.id: a.replace(**{member: getattr(b, member)}), b.id: b.replace(**{member: getattr(a, member)})}
        return [new.get(r.id, r) for r in records]

    return mutant


def again(cls: type[Record], **change: Any) -> Mutant:
    """The first record of a type once more, with other IDs."""

    def mutant(records: list[Any]) -> list[Any]:
        seq = records[-1].seq + 1
        first = next(r for r in records if isinstance(r, cls))
        return [*records, first.replace(seq=seq, id=f"r{seq}", **change)]

    return mutant


def with_source(line: int) -> Callable[[Any], Any]:
    return lambda record: record.source.replace(line=line)


MUTANTS: dict[str, tuple[Mutant, str]] = {
    "texts cut to 3 letters": (
        each(Message, content=lambda m: [{"type": "text", "text": m.content[0].text[:3]}]),
        r"^line 2: text is 'How many lines has the log\?', which is in no record of the line, and report\.lost does not count",
    ),
    "texts cut at a word": (
        each(Message, content=lambda m: [{"type": "text", "text": m.content[0].text.partition(" ")[0]}]),
        r"^line 2: text is 'How many",
    ),
    "messages without content": (each(Message, content=[]), r"^line 2: text is 'How many"),
    "calls without arguments": (each(ToolCall, arguments={}), r"^line 4: command is 'wc -l log\.txt'"),
    "results without content": (each(ToolResult, content=[]), r"^line 6: output is '12 log\.txt\\n'"),
    "texts of two messages": (
        swapped(Message, "content"),
        r"^main, message r\d+ of line 2: /content/0/text is 'Twelve\.', which is on other lines of the log and on none that .* made",
    ),
    "IDs of two messages": (
        swapped(Message, "message_id"),
        r"^main, message r\d+ of line 2: /messageId is 'm2', which is on other",
    ),
    "times of two messages": (
        swapped(Message, "timestamp"),
        r"^main, message r\d+ of line 2: the time 2026-03-02T09:00:05Z is that of other lines of the log$",
    ),
    "messages without times": (
        each(Message, timestamp=None),
        r"^line 2: at is '2026-03-02T09:00:01\.250Z', which is in no",
    ),
    "an outcome made up": (
        each(ToolResult, outcome="error"),
        r"^main, tool_result r\d+ of line 6: the outcome is error at exit code 0$",
    ),
    "a result at something else": (
        each(ToolResult, call_id="m1"),
        r"^main, tool_result r\d+ of line 6: /callId is 'm1', which is on",
    ),
    "0 where 22 tokens stand": (
        each(Usage, output_tokens=0),
        r"^main, usage r\d+ of line 5: /outputTokens is 0, which is on other lines",
    ),
    "the tokens of another line": (
        swapped(Usage, "output_tokens"),
        r"^main, usage r\d+ of line 5: /outputTokens is 31, which is on other lines",
    ),
    "a message again by an ID of the log": (
        again(Message, message_id="pocket-7"),
        r"^main, message r\d+ of line 2: /messageId is 'pocket-7', which is on other lines",
    ),
    "a message again by its own ID": (
        again(Message),
        r"^main, message r\d+ of line 2: the line gave such a record already$",
    ),
    "a message again by its text": (
        again(Message, message_id="How many lines has the log?"),
        r"^main, message r\d+ of line 2: the line gave such a record already$",
    ),
    "a message as a revision of another": (
        each(Message, message_id="m1"),
        r"^line 7: id is 'm2', which is in no record of the line",
    ),
    "a usage twice": (again(Usage), r"^main, usage r\d+ of line 5: the line gave such a record already$"),
    "a line that is not in the log": (
        each(UnknownRecord, source=with_source(77)),
        r"^the log: main, native_line r\d+ of line 77: there",
    ),
    "a call on the line of its result": (each(ToolCall, source=with_source(6)), r"^the log: line 4 is silently gone"),
}


@pytest.mark.parametrize("what", MUTANTS)
def test_a_mutant_is_found_in_one_line_that_names_the_place(what: str) -> None:
    mutant, said = MUTANTS[what]
    sample = mutated(mutant)
    with pytest.raises(AssertionError, match=said) as caught:
        testing.check_converter(sample.convert, sample.path, excused=sample.excused, unknown=sample.unknown)
    assert "\n" not in str(caught.value)


def test_the_converter_that_is_not_mutated_passes() -> None:
    for check in testing.CHECKS:
        check(mutated(lambda records: records))


@pytest.mark.parametrize(
    ("losses", "said"),
    [
        (
            [],
            r"^line 7: mood is 'calm', which is in no record of the line, and report\.lost does not count it by name$",
        ),
        ([Loss("member_dropped", "tone", 1, "")], r"^line 7: mood is 'calm'.*does not count it by name$"),
        ([Loss("member_dropped", None, 9, "")], r"^line 7: mood is 'calm'.*does not count it by name$"),
    ],
)
def test_what_no_record_has_must_be_counted_by_its_name(losses: list[Loss], said: str) -> None:
    """Guide, "Decisions": a member that no record has is counted in report.lost by name."""

    def convert(path: Path) -> Conversion:
        conversion = pocket.convert(path)
        conversion.report.lost[:] = losses
        return conversion

    with pytest.raises(AssertionError, match=said):
        testing.check_nothing_lost(pocket.sample(convert=convert))


def test_what_is_lost_more_often_than_it_is_counted_is_found(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(pocket.SAMPLE.read_bytes().replace(b'"who": "user"', b'"who": "user", "mood": "keen"'))
    testing.check_nothing_lost(pocket.sample(path=path))

    def convert(path: Path) -> Conversion:
        conversion = pocket.convert(path)
        (loss,) = conversion.report.lost
        assert (loss.field, loss.count) == ("mood", 2)
        conversion.report.lost[:] = [replace(loss, count=1)]
        return conversion

    with pytest.raises(AssertionError, match=r"^line 7: mood is 'calm'.*report\.lost counts 'mood' only 1 times$"):
        testing.check_nothing_lost(pocket.sample(path=path, convert=convert))


def test_a_record_that_is_said_to_be_merged_into_another_has_to_be_in_it() -> None:
    def convert(path: Path) -> Conversion:
        conversion = pocket.convert(path)
        conversion.report.merged[7] = 2
        return replace(conversion, main=[r for r in conversion.main if r.source is None or r.source.line != 7])

    testing.check_accounting(pocket.sample(convert=convert))
    with pytest.raises(AssertionError, match=r"^line 7: id is 'm2', which is in no record of the line"):
        testing.check_nothing_lost(pocket.sample(convert=convert))


def say(**members: Any) -> bytes:
    return json.dumps({"type": "say", "who": "user", "text": "Yes.", "at": "2026-03-02T09:00:02Z", **members}).encode()


def log(*lines: bytes) -> bytes:
    return pocket.SAMPLE.read_bytes().splitlines()[0] + b"\n" + b"".join(line + b"\n" for line in lines)


def sample_of(tmp_path: Path, data: bytes, change: Callable[[Conversion], Conversion], **more: Any) -> testing.Sample:
    path = tmp_path / "log.jsonl"
    path.write_bytes(data)
    return pocket.sample(path=path, convert=lambda path: change(pocket.convert(path)), **more)


def kept_as(value: Any) -> Callable[[Conversion], Conversion]:
    """The second line as a native value that another one stands for."""

    def change(conversion: Conversion) -> Conversion:
        header, second = conversion.main
        assert isinstance(second, UnknownRecord)
        return replace(conversion, main=[header, second.replace(value=value)])

    return change


@pytest.mark.parametrize(
    ("native", "held"),
    [
        ("It is in the middle.", "And: It is in the middle. So it is."),
        ("Short", "One\nShort\nOther"),
        ("one, two and three", ["one, two", "and", "three"]),
        ('{"cmd": "ls", "n": [1, "x"]}', {"cmd": "ls", "n": [1, "x"]}),
        ("QSBsb25nIHRleHQgb2YgaXRzIG93bg==", "A long text of its own"),
        ("2026-03-02T10:00:00+01:00", "2026-03-02T09:00:00Z"),
        (1772442000123, "2026-03-02T09:00:00.123Z"),
        (529, "529"),
        ("529", 529),
        (0.1, 0.1),
        (False, False),
        ("m1 of a log", "asr:pocket//m1%20of%20a%20log"),
        ("m1", "messageId=m1"),
        ("", "x"),
        (None, "x"),
    ],
)
def test_a_value_that_is_written_otherwise_is_there(native: Any, held: Any, tmp_path: Path) -> None:
    """1772442000 is 2026-03-02T09:00:00Z (date -d @1772442000), and the base64 is that of coreutils."""
    line = json.dumps({"type": "spinner", "x": native}).encode()
    testing.check_nothing_lost(sample_of(tmp_path, log(line), kept_as({"type": "spinner", "x": held})))


@pytest.mark.parametrize(
    ("native", "held"),
    [
        ("It is in the middle.", "It is in the mid"),
        ("in the mid", "It is in the middle."),
        ("glad", "I am glad."),
        ("one, two and three", ["one, two", "three"]),
        ('{"cmd": "ls", "n": [1, "x"]}', {"cmd": "ls", "n": [2, "x"]}),
        ("2026-03-02T10:00:00+01:00", "2026-03-02T10:00:00Z"),
        (529, 530),
        (529, "5290"),
        (0, False),
        (True, False),
        (False, None),
        ("x", ""),
    ],
)
def test_a_value_that_is_written_in_part_or_wrongly_is_missed(native: Any, held: Any, tmp_path: Path) -> None:
    line = json.dumps({"type": "spinner", "x": native}).encode()
    sample = sample_of(tmp_path, log(line), kept_as({"type": "spinner", "x": held}))
    with pytest.raises(AssertionError, match=r"^line 2: x(\.n)? is "):
        testing.check_nothing_lost(sample)


@pytest.mark.parametrize(
    ("lost", "is_counted"),
    [
        ("data.mood", True),
        ("data.kind of block.mood", True),
        ("spinner.mood", True),
        ("data", True),
        ("mood", False),
        ("other.data.moods", False),
        ("moo", False),
    ],
)
def test_a_loss_is_named_by_its_path_or_by_a_kind_of_line_and_its_name(
    lost: str, is_counted: bool, tmp_path: Path
) -> None:
    def change(conversion: Conversion) -> Conversion:
        conversion.report.lost.append(Loss("member_dropped", lost, 1, "no record has a member for it"))
        return kept_as({"type": "spinner", "data": {}})(conversion)

    sample = sample_of(tmp_path, log(b'{"type":"spinner","data":{"mood":"glad"}}'), change)
    if is_counted:
        testing.check_nothing_lost(sample)
    else:
        with pytest.raises(AssertionError, match=r"^line 2: data\.mood is 'glad'"):
            testing.check_nothing_lost(sample)


@pytest.mark.parametrize("name", ["mood", "data.mood", "data"])
def test_what_is_excused_may_be_missing(name: str, tmp_path: Path) -> None:
    data = log(b'{"type":"spinner","data":{"mood":"glad"}}')
    sample = sample_of(tmp_path, data, kept_as({"type": "spinner", "data": {}}))
    testing.check_nothing_lost(replace(sample, excused={name: "for the test"}))
    with pytest.raises(AssertionError, match=r"data\.mood"):
        testing.check_nothing_lost(replace(sample, excused={"data.moo": "for the test", "ata": "for the test"}))


def test_pieces_of_one_message_have_one_time_and_are_joined(tmp_path: Path) -> None:
    """A message that streams is one record, of the line where it began."""
    data = log(say(id="m1", text="Ye"), say(id="m1", text="s.", at="2026-03-02T09:00:03Z"))

    def joined(conversion: Conversion) -> Conversion:
        header, first, _ = conversion.main
        conversion.report.merged[3] = 2
        return replace(conversion, main=[header, first.replace(content=[{"type": "text", "text": "Yes."}])])

    sample = sample_of(tmp_path, data, joined)
    for check in (
        testing.check_accounting,
        testing.check_nothing_lost,
        testing.check_no_invented_values,
        testing.check_times,
    ):
        check(sample)


def test_what_is_told_of_an_entity_later_may_repeat_its_earlier_lines(tmp_path: Path) -> None:
    """A revision has the whole of its entity, so also what only the first line says."""
    data = log(say(id="m1", text="Yes."), say(id="m1", text="No."), say(id="m2", text="Perhaps."))

    def revised(text: str) -> Callable[[Conversion], Conversion]:
        def change(conversion: Conversion) -> Conversion:
            header, first, second, third = conversion.main
            blocks = [{"type": "text", "text": text}, {"type": "text", "text": "No."}]
            return replace(conversion, main=[header, first, second.replace(content=blocks), third])

        return change

    testing.check_no_invented_values(sample_of(tmp_path, data, revised("Yes.")))
    with pytest.raises(
        AssertionError, match=r"^main, message r3 of line 3: /content/0/text is 'Perhaps\.', which is on other"
    ):
        testing.check_no_invented_values(sample_of(tmp_path, data, revised("Perhaps.")))


def test_what_is_inherited_may_stand_on_another_line_but_must_stand_on_one() -> None:
    def of_turn(turn: str) -> testing.Sample:
        return replace(mutated(each(Message, turn_id=turn)), inherited=frozenset({"turnId"}))

    testing.check_no_invented_values(of_turn("c1"))
    with pytest.raises(AssertionError, match=r"/turnId is 'c1', which is on other lines"):
        testing.check_no_invented_values(replace(of_turn("c1"), inherited=frozenset()))
    with pytest.raises(AssertionError, match=r"/turnId is 'c2', which is not in the log and not declared"):
        testing.check_no_invented_values(of_turn("c2"))
    swapped_times = mutated(swapped(Message, "timestamp"))
    testing.check_times(replace(swapped_times, inherited=frozenset({"timestamp"})))


def test_two_objects_on_one_line_may_say_the_same(tmp_path: Path) -> None:
    """A line of several glued objects gives the records of each."""
    data = log(b'{"type":"spinner"} {"type":"spinner"}')
    testing.check_no_repeats(sample_of(tmp_path, data, lambda conversion: conversion))


@pytest.mark.parametrize(
    ("code", "outcome"), [(0, "success"), (1, "error"), (1, "cancelled"), (0, "unknown"), (1, None)]
)
def test_an_outcome_that_agrees_with_the_exit_code_passes(code: int, outcome: str | None) -> None:
    testing.check_outcomes(mutated(each(ToolResult, exit_code=code, outcome=outcome)))


def test_an_outcome_that_the_log_itself_gives_is_allowed() -> None:
    sample = mutated(each(ToolResult, exit_code=1, outcome="success"))
    with pytest.raises(AssertionError, match=r"the outcome is success at exit code 1$"):
        testing.check_outcomes(sample)
    testing.check_outcomes(replace(sample, allowed=frozenset({"outcome-unlike-exit-code"})))


@pytest.mark.parametrize(
    "mutant",
    [
        each(Message, role="user"),
        each(Usage, input_tokens=lambda u: u.output_tokens, output_tokens=lambda u: u.input_tokens),
        each(ToolResult, outcome=None),
    ],
    ids=["the role of another", "input for output", "an outcome left out"],
)
def test_meaning_is_not_checked(mutant: Mutant) -> None:
    """Guide, "What it cannot check": what has only values of its own line, or leaves out what the log does not say in words."""
    for check in testing.CHECKS:
        check(mutated(mutant))
