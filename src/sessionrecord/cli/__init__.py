"""The command line: `sessionrecord convert | validate | repair | inspect | context | show | schema`. Needs the extra `cli`."""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line with the arguments of the process; ends the process with the command's exit code."""
    try:
        from sessionrecord.cli.app import app
    except ModuleNotFoundError as e:
        if (e.name or "").partition(".")[0] not in ("typer", "rich", "click"):
            raise
        sys.stderr.write("error: the command line needs more packages: pip install 'sessionrecord[cli]'\n")
        sys.exit(2)
    app()
