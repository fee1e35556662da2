"""Check an ASIF document, then read it: what was called, with which arguments, and what came back.

    python examples/asif_importer.py [FILE]

Without a file the sample is read: a call whose arguments were cut short, and completed later.
"""

from __future__ import annotations

import sys
from pathlib import Path

from sessionrecord.asif import Document

SAMPLE = Path("examples/data/tool-call.asif.json")


def show(document: Document) -> bool:
    """Print what can be relied on; whether nothing is wrong. What the document says is escaped: it must not reach the terminal."""
    report = document.check()
    for finding in report.findings:
        print(finding)
    if report.unsupported_features:
        print(f"not checked: {report.unsupported_features}")

    for event in document.events:
        print(f"{event.sequence:3} {event.kind!r} by {event.actor_id!r}")
    for call in report.calls.values():
        state = "open" if call.open else f"closed: {call.outcome}"
        print(f"call {call.call_id!r} of {call.tool_id!r}, {state}, arguments {call.arguments_status}")
    for stream in report.streams.values():
        print(f"stream {stream.id!r}: {stream.status}, {stream.contiguous_bytes} bytes")
        assembled = document.assemble(stream.id)
        if assembled.complete:
            print(f"  {assembled.text()!r}")
        else:
            # the beginning of something: bytes to look at, never arguments to act on
            print(f"  {assembled.data!r} ...")
    return report.ok


def main() -> int:
    """Exit as `sessionrecord asif check` does: 1 if a rule is broken."""
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else SAMPLE
    document = Document.read(path)
    print(document)
    return 0 if show(document) else 1


if __name__ == "__main__":
    sys.exit(main())
