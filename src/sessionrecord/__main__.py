"""`python -m sessionrecord`: the command line."""

from __future__ import annotations

from sessionrecord.cli import main

if __name__ == "__main__":
    main()
