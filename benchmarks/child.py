"""Run in a fresh process: what `Session.read` of a file keeps, in bytes; once as opened, once with the maps of IDs and entities built."""

from __future__ import annotations

import gc
import json
import sys
import tempfile
from pathlib import Path

from benchmarks import data
from benchmarks.measure import anonymous_memory


def main(path: str) -> None:
    """Print both figures as JSON."""
    from sessionrecord import Session

    with tempfile.TemporaryDirectory() as folder:  # what the first session of a process costs once is not the file's
        small = Path(folder) / "small.jsonl"
        data.write(small, 2_000, "canonical")
        Session.read(small).resolve("r2")
    gc.collect()
    before = anonymous_memory()
    session = Session.read(path)
    gc.collect()
    opened = anonymous_memory() - before
    session.resolve("r2")
    gc.collect()
    mapped = anonymous_memory() - before
    sys.stdout.write(json.dumps({"opened": opened, "maps": mapped, "records": len(session.records)}))


if __name__ == "__main__":
    main(sys.argv[1])
