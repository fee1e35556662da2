"""What `import sessionrecord` brings in (design, decision 1)."""

from __future__ import annotations

import subprocess
import sys


def test_importing_the_package_imports_no_extra() -> None:
    code = (
        "import sys, sessionrecord.records, sessionrecord; print(*sorted({m.partition('.')[0] for m in sys.modules}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert {"sessionrecord", "pydantic", "orjson"} <= loaded
    assert loaded.isdisjoint({"typer", "click", "rich", "pandas", "matplotlib", "altair", "zstandard", "pytest"})


def test_what_only_comparing_needs_is_imported_on_use() -> None:
    code = (
        "import sys, sessionrecord; before = 'sessionrecord.session.compare' in sys.modules; "
        "print(before, sessionrecord.SessionDiff.__name__, sessionrecord.session.Lost.__name__)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "SessionDiff", "Lost"]
