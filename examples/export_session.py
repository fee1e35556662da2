"""Convert a Claude Code log and export the session: a trajectory, spans, a page of Markdown, and what each cannot hold.

python examples/export_session.py [LOG [FOLDER]]
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from sessionrecord.convert import claude_code
from sessionrecord.export import to_atif, to_markdown, to_otlp
from sessionrecord.session import Session

SAMPLE = Path(__file__).parent / "data" / "claude-code-sample.jsonl"


def main(log: Path, folder: Path) -> None:
    """Convert, export, write, and print the reports."""
    session = Session.from_records(claude_code.convert(log).main)
    exports = {
        "trajectory.json": to_atif(session),
        "spans.json": to_otlp(session, content=True),
        "session.md": to_markdown(session),
    }
    for name, exported in exports.items():
        exported.write(folder / name)
        print(exported.report)
        print(f"wrote {name}, {len(exported.text)} characters")
        gone = [loss for loss in exported.report.losses if not loss.kept]
        if gone:
            print(
                f"the first thing that is not there: {gone[0].what} of record {gone[0].record_id}, since {gone[0].why}"
            )


if __name__ == "__main__":
    given = [Path(a) for a in sys.argv[1:]]
    with tempfile.TemporaryDirectory() as directory:
        main(given[0] if given else SAMPLE, given[1] if len(given) > 1 else Path(directory))
