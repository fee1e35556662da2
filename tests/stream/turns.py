"""A process that takes turns with others: `python -m tests.stream.turns FILE NAME TURNS RECORDS`, begun by a line on stdin.

In each turn it waits for the file's lock, resumes the stream, and eight threads write through one writer.
"""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from sessionrecord.records import Producer
from sessionrecord.stream import StreamWriter

THREADS = 8


def take_turn(path: Path, name: str, turn: int, records: int) -> None:
    with StreamWriter(path, resume=True, wait=True, fsync="never") as writer, ThreadPoolExecutor(THREADS) as threads:
        if writer.header is None:
            writer.session(agent="a", session_id="s", producer=Producer(method="native"))

        def write(thread: int) -> None:
            for n in range(records):
                writer.unknown("tick", process=name, turn=turn, thread=thread, n=n)

        list(threads.map(write, range(THREADS)))


if __name__ == "__main__":
    sys.stdin.readline()
    for turn in range(int(sys.argv[3])):
        take_turn(Path(sys.argv[1]), sys.argv[2], turn, int(sys.argv[4]))
