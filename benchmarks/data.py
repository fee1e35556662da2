"""Synthetic streams: mixed record types of about 400 bytes each, the same for every run."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import orjson

Form = Literal["canonical", "spaced"]

_WORDS = (
    "parser test token grammar rule the a of failing fix stack index offset module reads writes line session record head "
    "größer naïve 検索 path value null error trace branch merge commit review plan step output model context window cache"
).split()
_TOOLS = (("Read", "read"), ("Edit", "edit"), ("Bash", "execute"), ("Grep", "search"), ("Fetch", "fetch"))
_EVERY_COMPACTION = 10_000
_EVERY_REWIND = 3_000


class _Maker:
    """Makes the records of one stream, one after the other."""

    def __init__(self, compactions: bool) -> None:
        self._random = random.Random(20_261_130)
        self._seq = 0
        self._compactions = compactions
        self._messages: list[str] = []

    def envelope(self, record_type: str, **members: Any) -> dict[str, Any]:
        self._seq += 1
        seconds = self._seq // 2
        return {
            "type": record_type,
            "seq": self._seq,
            "id": f"r{self._seq}",
            "turnId": f"turn-{self._seq // 40}",
            "timestamp": f"2026-10-{1 + seconds // 86400 % 30:02}T{seconds // 3600 % 24:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{self._seq % 1000:03}Z",
            **members,
        }

    def words(self, n: int) -> str:
        return " ".join(self._random.choices(_WORDS, k=n))

    def hexadecimal(self, n: int) -> str:
        return f"{self._random.getrandbits(4 * n):0{n}x}"

    def header(self) -> dict[str, Any]:
        return {
            "type": "session",
            "seq": self._next(),
            "id": "r1",
            "agent": "bench-agent",
            "sessionId": "7f0c1f7e-5a55-4c8e-9a63-2f0f5d1f6f11",
            "namespace": None,
            "producer": {"method": "native", "name": "benchmarks", "version": "1"},
            "formatVersion": "0-sessionrecord.1",
            "profiles": ["usage", "tool_results"],
            "roots": [{"id": "app", "path": "/srv/app", "vcs": {"kind": "git", "branch": "main"}}],
        }

    def _next(self) -> int:
        self._seq += 1
        return self._seq

    def user(self) -> dict[str, Any]:
        message_id = self.hexadecimal(32)
        self._messages.append(message_id)
        text = self.words(28)
        return self.envelope(
            "message", messageId=message_id, role="user", content=[{"type": "text", "text": text}], origin="user"
        )

    def step(self) -> Iterator[dict[str, Any]]:
        """One model call: what it said, its tool call and result, what it used."""
        call = f"msg_{self.hexadecimal(24)}"
        message_id = self.hexadecimal(32)
        self._messages.append(message_id)
        content: list[dict[str, Any]] = [{"type": "text", "text": self.words(16)}]
        if self._random.random() < 0.3:
            content.insert(0, {"type": "reasoning", "text": self.words(10), "signature": self.hexadecimal(64)})
        yield self.envelope("message", messageId=message_id, role="assistant", content=content, model="model-large-1",
                            stopReason="tool_use", modelCallId=call)  # fmt: skip
        call_id = f"toolu_{self.hexadecimal(24)}"
        name, kind = self._random.choice(_TOOLS)
        path = f"src/app/{self.hexadecimal(6)}/parser.py"
        yield self.envelope("tool_call", callId=call_id, callIdSource="native", name=name, kind=kind, modelCallId=call,
                            arguments={"path": path, "limit": self._random.randrange(2000), "pattern": self.words(4), "flags": None},
                            argumentsStatus="complete", locations=[{"root": "app", "path": path, "line": self._random.randrange(1, 900)}])  # fmt: skip
        if self._random.random() < 0.05:
            permission = self.hexadecimal(16)
            yield self.envelope("permission_request", permissionId=permission, callId=call_id, title=self.words(12),
                                options=[{"optionId": "a", "name": "Allow once", "kind": "allow_once"},
                                         {"optionId": "r", "name": "Reject", "kind": "reject_once"}])  # fmt: skip
            yield self.envelope("permission_decision", permissionId=permission, outcome="selected", optionId="a", kind="allow_once",
                                decidedBy="human", reason=self.words(20))  # fmt: skip
        failed = self._random.random() < 0.07
        yield self.envelope("tool_result", callId=call_id, outcome="error" if failed else "success",
                            content=[{"type": "text", "text": self.words(26)}], exitCode=1 if failed else 0,
                            durationMs=self._random.randrange(1, 90_000) / 8)  # fmt: skip
        if name == "Edit":
            yield self.envelope("file_change", root="app", path=path, operation="modify", callId=call_id, linesAdded=4, linesRemoved=1,
                                before={"sha256": self.hexadecimal(64), "bytes": 4711}, after={"sha256": self.hexadecimal(64), "bytes": 4790})  # fmt: skip
        yield self.envelope("usage", modelCallId=call, scope="model_call", model="model-large-1", inputTokens=self._random.randrange(100),
                            outputTokens=self._random.randrange(4000), cacheReadTokens=self._random.randrange(150_000),
                            cacheWriteTokens=self._random.randrange(9000), contextWindow=200_000,
                            cost={"amount": self._random.randrange(1, 40_000) / 1e5, "currency": "USD"},
                            source={"path": "log.jsonl", "line": self._seq})  # fmt: skip
        if self._random.random() < 0.03:
            yield self.envelope(
                "vendor_metric",
                name=self.words(3),
                values=[self._random.randrange(100) for _ in range(20)],
                note=self.words(20),
            )

    def records(self) -> Iterator[dict[str, Any]]:
        yield self.header()
        rewound = compacted = 1
        while True:
            yield self.user()
            for _ in range(self._random.randrange(4, 12)):
                yield from self.step()
            if self._compactions and self._seq // _EVERY_REWIND >= rewound:
                rewound = self._seq // _EVERY_REWIND + 1
                yield self.envelope("rewind", to=f"messageId={self._messages[-4]}", reason=self.words(30))
            if self._compactions and self._seq // _EVERY_COMPACTION >= compacted:
                compacted = self._seq // _EVERY_COMPACTION + 1
                yield self.envelope("compaction", compactionId=self.hexadecimal(16), status="completed", trigger="auto",
                                    summary=[{"type": "text", "text": self.words(40)}], keptFrom=f"messageId={self._messages[-9]}")  # fmt: skip


def records(count: int, *, compactions: bool = True) -> Iterator[dict[str, Any]]:
    """The first `count` records of the stream, as wire objects.

    With `compactions`, a rewind every 3 000 records and a compaction every 10 000; without, nothing ever leaves the context.
    """
    made = _Maker(compactions).records()
    for _ in range(count):
        yield next(made)


def write(path: Path, count: int, form: Form, *, compactions: bool = True) -> int:
    """Write the stream and return its size in bytes. `spaced` is what Python's `json.dumps` writes: `", "` and `": "`."""
    size = 0
    with path.open("wb") as file:
        for value in records(count, compactions=compactions):
            line = orjson.dumps(value) if form == "canonical" else json.dumps(value, ensure_ascii=False).encode()
            size += file.write(line + b"\n")
    return size
