"""The clock and the memory meter, and the row of a result."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT = Path(__file__).resolve().parent.parent
_BYTECODE: Final = Path(tempfile.gettempdir()) / "sessionrecord-benchmark-bytecode"


@dataclass(frozen=True)
class Row:
    """One ratio: what was measured, both sides, and the bound it is held to."""

    name: str
    """What is compared."""
    size: str
    """Records and form of the stream, or empty."""
    ours: str
    """Our side, with its unit."""
    peer: str
    """The other side, with its unit."""
    ratio: float
    """The ratio, in the direction that the name tells."""
    bound: str = ""
    """`>= x` or `<= x`; empty where the ratio is only reported."""

    @property
    def verdict(self) -> str:
        """`ok`, or by how much the bound is missed; empty without one."""
        if not self.bound:
            return ""
        sign, limit = self.bound.split()
        off = float(limit) - self.ratio if sign == ">=" else self.ratio - float(limit)
        return "ok" if off <= 0 else f"short by {off:.2f}"


def seconds(work: Callable[[], object]) -> float:
    """How long one call takes."""
    gc.collect()
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def best(rounds: int, *works: Callable[[], object]) -> list[float]:
    """The best time of each, one after the other in every round, so that all sides see the same machine."""
    times = [[seconds(work) for work in works] for _ in range(rounds)]
    return [min(column) for column in zip(*times, strict=True)]


def without_collector(work: Callable[[], object]) -> Callable[[], object]:
    """The same with the garbage collector off."""

    def run() -> None:
        gc.disable()
        try:
            work()
        finally:
            gc.enable()

    return run


def anonymous_memory() -> int:
    """Bytes of this process that belong to no file (`RssAnon`); the pages of a mapped file are not among them."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) * 1024
    raise OSError("this system does not tell RssAnon")


def fresh(*arguments: str) -> str:
    """What a fresh interpreter prints."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])}
    # bytecode as an installed package has it: the first of several runs writes it, whatever this shell says
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    env["PYTHONPYCACHEPREFIX"] = str(_BYTECODE)
    return subprocess.run([sys.executable, *arguments], check=True, capture_output=True, text=True, env=env).stdout


def megabytes_per_second(size: int, time_taken: float) -> str:
    """A throughput for people."""
    return f"{size / time_taken / 1e6:.0f} MB/s"
