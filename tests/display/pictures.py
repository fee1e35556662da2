"""The pictures of the documentation: what a browser makes of the examples' data. `python -m tests.display.pictures`."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from PIL import Image

from sessionrecord.validate import validate
from tests.display.browser import BROWSER, Scheme, notebook_page, screenshot
from tests.display.html.samples import rewound, sample

ASSETS = Path(__file__).parents[2] / "docs" / "assets"


def _pictures() -> list[tuple[str, str, int, int, Scheme]]:
    """Name, display, width, height and scheme of each picture."""
    session = sample()
    report = validate(b"".join(r.to_line() + b"\n" for r in rewound().records))
    view = notebook_page(session.context_view()._repr_html_(), code="session.context_view()")
    return [
        ("display-session", notebook_page(session._repr_html_()), 860, 1000, "light"),
        ("display-context-light", view, 640, 960, "light"),
        ("display-context-dark", view, 640, 960, "dark"),
        (
            "display-chain",
            notebook_page(rewound().revisions("callId=c1")._repr_html_(), code='session.revisions("callId=c1")'),
            760,
            620,
            "light",
        ),
        (
            "display-context-diff",
            notebook_page(session.context_diff(59, 60)._repr_html_(), code="session.context_diff(59, 60)"),
            760,
            640,
            "light",
        ),
        ("display-validation", notebook_page(report._repr_html_(), code="validate(path)"), 860, 300, "light"),
    ]


def main() -> int:
    """Make them; returns the exit code."""
    if BROWSER is None:
        sys.stderr.write("no Chromium is installed: apt-get install chromium\n")
        return 1
    with tempfile.TemporaryDirectory() as folder:
        for name, html, width, height, scheme in _pictures():
            page = Path(folder) / f"{name}.html"
            page.write_text(html, encoding="utf-8")
            picture = ASSETS / f"{name}.png"
            screenshot(page, picture, width, height, scheme)
            with Image.open(picture) as full:
                small = full.convert("RGB").quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
            small.save(picture, optimize=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
