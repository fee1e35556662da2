"""The pictures of docs/plots.md, made by the library itself.

python docs/plots_pictures.py [FOLDER]
"""

from __future__ import annotations

import sys
from pathlib import Path

import orjson

from benchmarks import data
from sessionrecord import Session

ROOT = Path(__file__).resolve().parent.parent
CALLS = 10_000


def long_session() -> Session:
    """A synthetic session of ten thousand tool calls, some of them without a result."""
    lines, calls = list[bytes](), 0
    for record in data.records(10 * CALLS):
        calls += record["type"] == "tool_call"
        if record["type"] == "tool_result" and record["seq"] % 67 == 0:
            continue
        lines.append(orjson.dumps(record))
        if calls == CALLS:
            break
    return Session.read(b"\n".join(lines) + b"\n")


def main() -> None:
    """Write the pictures."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "assets"
    session = Session.read(ROOT / "examples" / "data" / "sessions" / "monday.asr.jsonl")
    figures = {
        "timeline": session.plot_timeline(),
        "timeline-10000": long_session().plot_timeline(),
        "context": session.plot_context(),
        "usage": session.plot_usage(),
    }
    for name, figure in figures.items():
        figure.savefig(folder / f"{name}.png", metadata={"Software": None})


if __name__ == "__main__":
    main()
