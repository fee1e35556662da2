"""Convert a Claude Code log, write the stream, and look at it.

python examples/convert_claude_code.py [LOG [OUT]]
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from sessionrecord.convert import claude_code
from sessionrecord.session import Session

SAMPLE = Path(__file__).parent / "data" / "claude-code-sample.jsonl"


def main(log: Path, out: Path) -> None:
    """Convert, write, read back, print."""
    conversion = claude_code.convert(log)
    print(conversion.report)
    for path in conversion.write(out):
        print(f"wrote {path.name}")
    session = Session.read(out)
    view = session.context_view()
    print(f"{len(session.records)} records, {len(session.heads())} heads, {len(session.tool_calls())} tool calls")
    print(f"the model saw {len(view.items)} entities at the end; {len(view.absent)} were not there")
    print(f"output tokens: {session.usage().total.output_tokens}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as directory:
        given = [Path(a) for a in sys.argv[1:]]
        main(given[0] if given else SAMPLE, given[1] if len(given) > 1 else Path(directory) / "session.jsonl")
