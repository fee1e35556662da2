"""A writer in a process of its own, for tests of following: does what its stdin says, answers `done` to each line.

    python growing.py PATH NUMBER

`NUMBER` is that of its first record. Commands: `append N`, `half`, `truncate`, `rotate`.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

HEADER = '{{"type":"session","seq":{0},"id":"r{0}","agent":"a","sessionId":"s","producer":{{"method":"native"}}}}\n'
MESSAGE = '{{"type":"message","seq":{0},"id":"r{0}","messageId":"m{0}","role":"user","content":[{{"type":"text","text":"{1}"}}]}}\n'


class Writer:
    """Records with rising numbers, each in one write, some in two; every file begins with a header."""

    def __init__(self, path: Path, number: int) -> None:
        self.path, self.number = path, number
        self.file = path.open("ab", buffering=0)

    def append(self, count: int) -> None:
        for _ in range(count):
            if os.fstat(self.file.fileno()).st_size == 0:
                self.file.write(HEADER.format(self.number).encode())
            else:
                line = MESSAGE.format(self.number, "some text " * (self.number % 7)).encode()
                cut = len(line) // 2 if self.number % 3 == 0 else 0
                self.file.write(line[:cut])
                self.file.write(line[cut:])
            self.number += 1

    def half(self) -> None:
        """The beginning of a record that never ends, torn within a string."""
        self.file.write(MESSAGE.format(self.number, "torn").encode()[:30])

    def truncate(self) -> None:
        self.file.truncate(0)

    def rotate(self) -> None:
        self.path.rename(self.path.with_name(f"{self.path.name}.{self.number}"))
        self.file.close()
        self.file = self.path.open("ab", buffering=0)


def main() -> None:
    """Serve until stdin ends."""
    writer = Writer(Path(sys.argv[1]), int(sys.argv[2]))
    for command in sys.stdin:
        name, _, count = command.strip().partition(" ")
        if count:
            writer.append(int(count))
        else:
            getattr(writer, name)()
        print(writer.number, flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
