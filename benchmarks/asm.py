"""ASM events: reading and reducing a file beside bare `orjson.loads` of its lines, and how the fold grows."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from benchmarks.measure import Row, best
from sessionrecord.asm import EventReader, RunEvent, RunReducer, parse_event

_METADATA = {
    "lane": "sdk",
    "provider_display_name": "Claude",
    "execution_mode": "local",
    "request": "req-0123456789abcdef",
}


def lines(count: int) -> Iterator[bytes]:
    """Events of a run of one turn after another: mostly deltas, with calls, results, costs and a result at the end."""
    for i in range(count):
        turn = i % 40
        kind, payload = _event(i, turn)
        event: dict[str, Any] = {
            "id": f"01J{i:023d}", "kind": kind, "run_id": "run-1", "session_id": "session-1", "provider": "claude", "sequence": i + 1,
            "timestamp": f"2026-01-01T00:{i // 60 % 60:02d}:{i % 60:02d}.{i % 1000:03d}Z", "metadata": _METADATA, "payload": payload,
        }  # fmt: skip
        yield orjson.dumps(event)


def _event(i: int, turn: int) -> tuple[str, dict[str, Any]]:
    if turn == 0:
        return "user_message", {"content": [{"type": "text", "text": f"step {i}"}]}
    if turn == 36:
        return "tool_use", {"tool_name": "read", "tool_call_id": f"c{i}", "input": {"path": f"/srv/app/{i}.py"}}
    if turn == 37:
        return "tool_result", {"tool_call_id": f"c{i - 1}", "content": "ok " * 20}
    if turn == 38:
        return "cost_update", {"input_tokens": 900 + i % 90, "output_tokens": 40, "cost_usd": 0.0123}
    if turn == 39:
        return "thinking", {"content": "the plan, once more " * 5}
    return "assistant_delta", {"content": f" word{i % 977} and some more of it"}


def rows(folder: Path, sizes: list[int], rounds: int) -> Iterator[Row]:
    """For each size the file, then how the fold of parsed events grows."""
    for count in sizes:
        path = folder / f"events-{count}.jsonl"
        path.write_bytes(b"".join(line + b"\n" for line in lines(count)))
        content = path.read_bytes().splitlines()
        events = [parse_event(line) for line in content]

        def fold(events: list[RunEvent] = events) -> None:
            reducer = RunReducer()
            reducer.extend(events)
            assert reducer.state.text

        def ours(path: Path = path) -> None:
            reducer = RunReducer()
            reducer.extend(EventReader(path).events())
            assert reducer.state.text

        def bare(content: list[bytes] = content) -> None:
            deque(map(orjson.loads, content), maxlen=0)

        def parsing(content: list[bytes] = content) -> None:
            deque(map(parse_event, content), maxlen=0)

        size = f"{count:,} events"
        folding, parse = best(rounds, fold, parsing)
        yield Row("ASM fold / parsing of the same events, time", size, f"{folding * 1e3:.4g} ms", f"{parse * 1e3:.4g} ms",
                  folding / parse, "<= 1")  # fmt: skip
        if count > min(sizes):
            yield _growth(events, min(sizes), rounds)
        del events
        mine, peer = best(rounds, ours, bare)
        yield Row(
            "ASM read and reduce / bare orjson.loads, time",
            size,
            f"{mine * 1e3:.4g} ms",
            f"{peer * 1e3:.4g} ms",
            mine / peer,
            "<= 6",
        )
        path.unlink()


def _growth(events: list[RunEvent], count: int, rounds: int) -> Row:
    """The fold of the first of the events and that of all, in turns: what else the machine does hits both."""

    def fold(events: list[RunEvent]) -> None:
        reducer = RunReducer()
        reducer.extend(events)
        assert reducer.state.text

    first = events[:count]
    small, large = best(rounds, lambda: fold(first), lambda: fold(events))
    size = f"{count:,} -> {len(events):,}"
    return Row("ASM fold, growth", size, f"{large * 1e3:.4g} ms", f"{small * 1e3:.4g} ms", large / small, "<= 11")
