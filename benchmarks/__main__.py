"""`python -m benchmarks [--quick] [--records N ...] [--rounds K] [--json]`: print the ratios."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path

from benchmarks import asif, asm, data, frames, suite
from benchmarks.measure import Row


def _machine() -> str:
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return (
        f"Python {platform.python_version()}, pydantic {version('pydantic')}, orjson {version('orjson')}, "
        f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors{load}"
    )


def _rows(folder: Path, sizes: list[int], rounds: int) -> Iterator[Row]:
    paths: dict[int, Path] = {}
    whole: dict[int, Path] = {}
    for count in sizes:
        for form in ("canonical", "spaced"):
            path = folder / f"{form}-{count}.jsonl"
            data.write(path, count, form)
            yield from suite.reading(path, count, form, rounds)
            if form == "canonical":
                paths[count] = path
                yield from frames.rows(path, count, rounds)
            else:
                path.unlink()
        if len(sizes) > 1:
            whole[count] = folder / f"whole-{count}.jsonl"
            data.write(whole[count], count, "canonical", compactions=False)
    yield from suite.views(paths, whole, rounds)
    yield from asif.rows(rounds)
    yield from suite.writing(folder, rounds)
    yield from asm.rows(folder, sizes, rounds)
    yield from suite.imports(max(rounds, 7))


def main() -> int:
    """Run the comparisons and print a table, or JSON."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description="Ratios against peers, both sides on the same bytes in one run."
    )
    parser.add_argument(
        "--records", type=int, nargs="+", metavar="N", help="sizes of the streams (default: 100000 1000000)"
    )
    parser.add_argument("--quick", action="store_true", help="100 000 records only")
    parser.add_argument("--rounds", type=int, default=3, metavar="K", help="the best of K rounds counts (default: 3)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    sizes = sorted(set(options.records or ([100_000] if options.quick else [100_000, 1_000_000])))
    rows: list[Row] = []
    if not options.json:
        print(f"{_machine()}; best of {options.rounds}; the collector is on unless a row says otherwise\n")
        print(f"{'':58} {'records':>20} {'ours':>12} {'peer':>12} {'ratio':>7}  bound")
    with tempfile.TemporaryDirectory() as folder:
        for row in _rows(Path(folder), sizes, options.rounds):
            rows.append(row)
            if not options.json:
                print(
                    f"{row.name:58} {row.size:>20} {row.ours:>12} {row.peer:>12} {row.ratio:7.2f}  {row.bound:8} {row.verdict}",
                    flush=True,
                )
    if options.json:
        print(
            json.dumps(
                {
                    "machine": _machine(),
                    "rounds": options.rounds,
                    "rows": [{**asdict(r), "verdict": r.verdict} for r in rows],
                },
                indent=1,
            )
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
