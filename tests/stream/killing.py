"""Writers that are killed: `python -m tests.stream.killing FOLDER POLICY KILLS SEED`.

This process forks a child, which resumes the stream and writes records, tells through a pipe each record whose call
returned, and is killed at a random moment, or in the middle of a line. Then the file is compared with what was told, and
the next child goes on. Prints counts as JSON; ends with a traceback where a promise of `docs/reliability.md` is broken.
"""

from __future__ import annotations

import json
import os
import random
import signal
import struct
import sys
import time
import traceback
import zlib
from pathlib import Path
from typing import Any

import sessionrecord.lines.append as append_module
from sessionrecord.records import InvalidRecord, Producer, Record
from sessionrecord.stream import StreamReader, StreamWriter

KILLS_OF_A_STREAM = 10
LONGEST_WAIT = 0.03
TOLD = struct.Struct("<QI")
FINE = {"line-torn", "newline-missing", "stream-empty"}


def policy_of(text: str) -> Any:
    return float(text) if text[0].isdigit() else text


def write_until_killed(path: Path, policy: Any, seed: int, told: int, cut_at: int | None) -> None:
    """The child. With `cut_at` it kills itself in that write, after a part of the line."""
    rng = random.Random(seed)
    if cut_at is not None:
        writes = 0

        def write_part(file: Any, data: bytes, name: str) -> None:
            nonlocal writes
            writes += 1
            if writes == cut_at:
                file.write(data[: rng.randrange(len(data) + 1)])
                os.kill(os.getpid(), signal.SIGKILL)
            file.write(data)

        append_module._write_all = write_part

    def tell(record: Record) -> None:
        os.write(told, TOLD.pack(record.seq, zlib.crc32(record.to_line())))

    writer = StreamWriter(path, resume=True, fsync=policy)
    if writer.header is None:
        tell(writer.session(agent="a", session_id="s", producer=Producer(method="native")))
    while True:
        # a write of some pages can be cut short by a kill, a small one is whole
        size = rng.randrange(20_000, 100_000) if rng.random() < 0.05 else rng.randrange(300)
        tell(writer.user_message("x" * size))


class Stream:
    """One file through many kills, and what was told of it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.told: dict[int, int] = {}
        self.before = b""

    def kill_one(self, policy: Any, rng: random.Random) -> None:
        cut_at = rng.randrange(1, 30) if rng.random() < 0.4 else None
        wait, seed = rng.uniform(0, LONGEST_WAIT), rng.randrange(1 << 30)
        receive, told = os.pipe()
        child = os.fork()
        if not child:
            try:
                os.close(receive)
                write_until_killed(self.path, policy, seed, told, cut_at)
            except BaseException:
                traceback.print_exc()
            os._exit(1)
        os.close(told)
        if cut_at is None:
            time.sleep(wait)
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        assert os.WIFSIGNALED(status), "the child failed by itself"
        with os.fdopen(receive, "rb") as pipe:
            news = pipe.read()
        self.told.update(TOLD.iter_unpack(news[: len(news) // TOLD.size * TOLD.size]))

    def check(self) -> bool:
        """Compares the file with what was told and with what it was before; returns whether the last child tore its last line."""
        data = self.path.read_bytes() if self.path.exists() else b""
        aside = [p.read_bytes() for p in self.path.parent.glob(f"{self.path.name}.torn*")]
        whole = self.before[: self.before.rfind(b"\n") + 1]
        kept = data.startswith(self.before) or (data.startswith(whole) and self.before[len(whole) :] in aside)
        assert kept, "what was in the file is neither there nor beside it"
        reader = StreamReader(data)
        there = {}
        last = -1
        for record in reader:
            if not isinstance(record, InvalidRecord):
                assert record.seq > last, "seq does not rise"
                last = record.seq
                there[last] = zlib.crc32(record.to_line())
        fine = FINE if b"\n" in data else {*FINE, "header-missing"}
        assert {d.code for d in reader.diagnostics} <= fine, reader.diagnostics
        missing = self.told.keys() - there.keys()
        assert not missing, f"records that were written are not there: {missing}"
        assert all(there[seq] == checksum for seq, checksum in self.told.items()), "a record is not what was written"
        before, self.before = self.before, data
        return data != before and any(d.code == "line-torn" for d in reader.diagnostics)

    def finish(self) -> None:
        """Resumes the stream for good: it is valid, and nothing is lost."""
        with StreamWriter(self.path, resume=True) as writer:
            if writer.header is None:
                writer.session(agent="a", session_id="s", producer=Producer(method="native"))
            last = writer.user_message("the end")
        assert not self.check()
        assert [r.seq for r in StreamReader(self.path, strict=True)][-1] == last.seq


def warm(path: Path) -> None:
    """Builds the models here, not in each child."""
    with StreamWriter(path) as writer:
        writer.session(agent="a", session_id="s", producer=Producer(method="native"))
        writer.user_message("x")
    list(StreamReader(path))
    path.unlink()


def main(folder: Path, policy: Any, kills: int, seed: int) -> dict[str, int]:
    """Kills writers and counts."""
    warm(folder / "warm.jsonl")
    rng = random.Random(seed)
    counts = {"kills": 0, "told": 0, "torn": 0}
    while counts["kills"] < kills:
        stream = Stream(folder / f"stream-{counts['kills']}.jsonl")
        for _ in range(min(KILLS_OF_A_STREAM, kills - counts["kills"])):
            stream.kill_one(policy, rng)
            counts["torn"] += stream.check()
            counts["kills"] += 1
        stream.finish()
        counts["told"] += len(stream.told)
        for path in folder.glob(f"{stream.path.name}*"):
            path.unlink()
    return counts


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]), policy_of(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))))  # noqa: T201
