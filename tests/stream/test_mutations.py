"""Streams damaged at random: nothing is raised but our errors, and every record that the damage left whole is read."""

from __future__ import annotations

import json
import random
import tracemalloc
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pytest

from sessionrecord.records import InvalidRecord, Record
from sessionrecord.session import Session
from sessionrecord.stream import StreamReader

TEXTS = [
    "x",
    "é\u2028\U0001f600",
    'say "yes", {"a": [1, 2]}',
    "\\",
    "a\nb\tc",
    '{"type":"message","seq":1,"id":"r1"}',
    "",
]


def sample(rng: random.Random) -> list[bytes]:
    """The lines of a valid stream, without LF: known and unknown types, nested values, text that looks like JSON."""

    def text() -> str:
        return " ".join(rng.choices(TEXTS, k=rng.randrange(1, 4)))

    made: list[dict[str, Any]] = [
        {"type": "session", "seq": 1, "id": "r1", "agent": "a", "sessionId": text() or "s", "producer": {"method": "native"}}
    ]  # fmt: skip
    for seq in range(2, rng.randrange(4, 9)):
        envelope = {"seq": seq, "id": f"r{seq}"}
        block = {"type": "text", "text": text()}
        kinds: list[dict[str, Any]] = [
            {"type": "message", **envelope, "messageId": f"m{seq}", "role": "user", "content": [block] * rng.randrange(3)},
            {"type": "tool_call", **envelope, "callId": f"c{seq}",
             "arguments": {"type": "call", "seq": seq, "id": text() or "i", "n": [1.5, None, {"k": True}]}},
            {"type": "odd_thing", **envelope, "x": [[], {}, [[{"deep": text()}]]], "y": 9007199254740991},
            {"type": "usage", **envelope, "inputTokens": rng.randrange(10**6), "cost": {"amount": 0.1, "currency": "USD"}},
        ]  # fmt: skip
        made.append(rng.choice(kinds))
    return [json.dumps(m, ensure_ascii=False, separators=(",", ":")).encode() for m in made]


@dataclass
class Stream:
    """Bytes, and the records of them: where each began and ended, as far as it is still whole."""

    data: bytes
    whole: dict[int, tuple[int, int]]

    @classmethod
    def of(cls, lines: list[bytes]) -> Stream:
        at, whole = 0, {}
        for i, line in enumerate(lines):
            whole[i] = at, at + len(line)
            at += len(line) + 1
        return cls(b"".join(line + b"\n" for line in lines), whole)

    def replace(self, start: int, end: int, by: bytes) -> None:
        """Put other bytes in a place: records there are touched, those behind it move."""
        moved = {}
        for i, (first, last) in self.whole.items():
            if last <= start:
                moved[i] = first, last
            elif first >= end:
                by_how_much = len(by) - (end - start)
                moved[i] = first + by_how_much, last + by_how_much
        self.data, self.whole = self.data[:start] + by + self.data[end:], moved


def mutate(stream: Stream, rng: random.Random) -> str:
    """One mutation, in place; its name."""
    data = stream.data
    at = rng.randrange(len(data))
    kind = rng.choice(["flip", "cut", "insert", "repeat", "swap", "cut to the end"])
    if kind == "flip":
        stream.replace(at, at + 1, bytes([data[at] ^ (1 << rng.randrange(8))]))
    elif kind == "cut":
        stream.replace(at, min(len(data), at + rng.choice([1, 2, rng.randrange(1, 400)])), b"")
    elif kind == "insert":
        junk = rng.choice(
            [rng.randbytes(rng.randrange(1, 9)), b"\n", b"\0" * rng.randrange(1, 50), b'"', b"{", b"}", b"\r\n"]
        )
        stream.replace(at, at, junk)
    elif kind == "cut to the end":
        stream.replace(at, len(data), b"")
    else:
        lines = [line + b"\n" for line in data.removesuffix(b"\n").split(b"\n")]
        i, j = sorted((rng.randrange(len(lines)), rng.randrange(len(lines))))
        if kind == "repeat":
            lines.insert(j, lines[i])
        else:
            lines[i], lines[j] = lines[j], lines[i]
        texts = {i: data[first:last] for i, (first, last) in stream.whole.items()}
        stream.data, stream.whole = b"".join(lines), {}
        for number, text in texts.items():
            first = stream.data.find(text)
            stream.whole[number] = first, first + len(text)
    return kind


def may_be_a_value(before: bytes) -> bool:
    """Whether the beginning of a line may go on with an object as a value: what follows might be a part of it."""
    nested: list[int] = []
    in_string = escaped = False
    last = 0
    for byte in before:
        if in_string:
            in_string = escaped or byte != ord('"')
            escaped = byte == ord("\\") and not escaped
        elif byte not in b" \t\r":
            in_string = byte == ord('"')
            if byte in b"{[":
                nested.append(byte)
            elif byte in b"}]" and nested:
                nested.pop()
            last = byte
    return not in_string and bool(nested) and (last in b":[" or (last == ord(",") and nested[-1] == ord("[")))


def must_be_read(stream: Stream) -> list[int]:
    """The records that stand whole on a line of their own, or where a boundary on a shared line is certain."""
    found = []
    lines = {first: number for number, (first, _) in stream.whole.items()}
    for number, (first, last) in stream.whole.items():
        begin = stream.data.rfind(b"\n", 0, first) + 1
        end = stream.data.find(b"\n", last)
        before, behind = stream.data[begin:first], stream.data[last : end if end >= 0 else len(stream.data)]
        alone = not before and not behind.strip(b"\r")
        follows = begin in lines and stream.whole[lines[begin]][1] == first
        undamaged = b'"id"' in before and not may_be_a_value(before) and not behind
        if alone or (not before and behind) or follows or (undamaged and is_beginning(before)):
            found.append(number)
    return found


def is_beginning(torn: bytes) -> bool:
    """Whether bytes are a record torn off, as far as Python's own reader can tell."""
    try:
        text = torn.decode("utf-8")
    except UnicodeDecodeError:
        return False
    try:
        json.loads(text)
    except json.JSONDecodeError as e:
        return e.pos == len(text) or e.msg.startswith("Unterminated string")
    return False


def lines_of(records: Iterable[Record | InvalidRecord]) -> set[bytes]:
    return {r.to_line() for r in records if not isinstance(r, InvalidRecord)}


def check(seed: int, *, session: bool) -> None:
    """One damaged stream, read in both ways."""
    rng = random.Random(seed)
    lines = sample(random.Random(seed // 20))
    stream = Stream.of(lines)
    done = [mutate(stream, rng) for _ in range(rng.choice([1, 1, 1, 2, 3])) if stream.data]
    certain = must_be_read(stream) if len(done) == 1 else alone(stream)
    reader = StreamReader(stream.data)
    records = list(reader)
    read = lines_of(records)
    if session:
        opened = Session.read(stream.data)
        assert lines_of(opened.records) == read, (seed, done)
        assert all(d.line is None or d.line <= stream.data.count(b"\n") + 1 for d in opened.diagnostics)
    assert {lines[i] for i in certain} <= read, (seed, done)
    # nothing is lost: the same bytes, though a record's members may change places, spaces and escapes of slashes aside
    assert unordered(b"".join(to_line(r) for r in records)) == unordered(stream.data), (seed, done)


def alone(stream: Stream) -> list[int]:
    """The records that stand whole on a line of their own."""
    found = []
    for number, (first, last) in stream.whole.items():
        if stream.data[:first][-1:] in (b"", b"\n") and stream.data[last : last + 1] in (b"", b"\n"):
            found.append(number)
    return found


def to_line(record: Record | InvalidRecord) -> bytes:
    return record.raw if isinstance(record, InvalidRecord) else record.to_line()


def unordered(data: bytes) -> list[int]:
    return sorted(data.replace(b"\\/", b"/").translate(None, b" \t\r\n"))


def run(seeds: range, every: int) -> None:
    for seed in seeds:
        check(seed, session=seed % every == 0)


def test_the_samples_are_valid() -> None:
    """What is damaged here is sound before."""
    for seed in range(50):
        data = Stream.of(sample(random.Random(seed))).data
        reader = StreamReader(data)
        records = list(reader)
        assert reader.diagnostics == []
        assert lines_of(records) == set(data.split(b"\n")[:-1])


@pytest.mark.parametrize("part", range(10))
def test_what_a_mutation_left_whole_is_read(part: int) -> None:
    """A tenth of what the long test does, with fixed seeds; a session reads some of them too."""
    run(range(part * 1000, (part + 1) * 1000), every=5)


@pytest.mark.soak
@pytest.mark.parametrize("part", range(50))
def test_what_any_of_100_000_mutations_left_whole_is_read(part: int) -> None:
    run(range(part * 2000, (part + 1) * 2000), every=1)


def test_damage_takes_no_memory() -> None:
    tracemalloc.start()
    try:
        run(range(100_000, 100_200), every=1)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 20_000_000
