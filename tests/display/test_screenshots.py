"""What a real browser makes of the displays, at two widths and in both colour schemes. The pictures stay in `build/display`."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sessionrecord import Session, diff
from sessionrecord.asif import Document
from sessionrecord.display.html import session_page
from sessionrecord.export import to_atif
from sessionrecord.redact import RedactionRules, redact
from sessionrecord.validate import validate
from tests.asif.documents import DATA
from tests.display.browser import BROWSER, Scheme, measured, notebook_page, screenshot
from tests.display.html.samples import base64_of as b64
from tests.display.html.samples import hostile_records, message, png, rewound, sample
from tests.display.html.test_build import HOSTILE
from tests.display.html.test_style import DARK, LIGHT

pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed, so nothing looks at the displays")

PICTURES = Path(__file__).parents[2] / "build" / "display"
WIDTHS = [480, 1280]
SCHEMES: list[Scheme] = ["light", "dark"]
GROUND = {"light": LIGHT["bg"], "dark": DARK["bg"]}


WIDE = {"type": "text", "text": "x" * 700 + " " + "W" * 700}


def _views() -> str:
    records = b"".join(r.to_line() + b"\n" for r in rewound().records)
    chain, usage = rewound().revisions("callId=c1"), sample().usage()
    return "".join(d._repr_html_() for d in (rewound(), chain, usage, validate(records), rewound().context_view()))


def _comparisons() -> str:
    session, other = sample(), rewound()
    evidence = Document.read(DATA / "11-invalid-stream-missing-fragment.json").check()
    compared = diff(other.at(9), other), other.context_diff(3)
    reports = to_atif(session), redact(session, RedactionRules(["parser"])), evidence
    return "".join(d._repr_html_() for d in (*compared, *reports))


def _hostile() -> str:
    hostile = [r for text in HOSTILE[9:12] + HOSTILE[1:3] for r in hostile_records(text)[3:8]]
    return "".join(r._repr_html_() for r in [*hostile, message(WIDE)])


PAGES: dict[str, Callable[[], str]] = {
    "page": cache(lambda: session_page(sample()).html),
    "session": cache(lambda: notebook_page(sample()._repr_html_())),
    "views": cache(lambda: notebook_page(_views())),
    "comparisons": cache(lambda: notebook_page(_comparisons())),
    "hostile": cache(lambda: notebook_page(_hostile())),
}


def rgb(colour: str) -> tuple[int, ...]:
    return tuple(int(colour[i : i + 2], 16) for i in (1, 3, 5))


def pixels(picture: Path) -> Any:
    """The picture as rows of pixels, each red, green, blue from 0 to 255."""
    from matplotlib.image import imread

    return np.rint(imread(picture)[:, :, :3] * 255).astype(int)


def looked_at(name: str, html: str, width: int, scheme: Scheme, height: int = 900) -> Any:
    PICTURES.mkdir(parents=True, exist_ok=True)
    page = PICTURES / f"{name}.html"
    page.write_text(html, encoding="utf-8")
    picture = PICTURES / f"{name}-{width}-{scheme}.png"
    screenshot(page, picture, width, height, scheme)
    found = pixels(picture)
    assert found.shape == (height, width, 3)
    return found


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", PAGES)
def test_a_display_has_its_scheme_and_is_not_blank(name: str, width: int, scheme: Scheme) -> None:
    found = looked_at(name, PAGES[name](), width, scheme)
    ground = (found == rgb(GROUND[scheme])).all(axis=2)
    rows = ground.any(axis=1)
    assert rows.sum() > 800, "the display fills the picture"
    assert ground[rows].mean() > 0.4, "the ground of the scheme is most of it"
    other = rgb(GROUND["dark" if scheme == "light" else "light"])
    assert (found == other).all(axis=2).mean() < 0.005, "no ground of the other scheme shines through"
    text = rgb((LIGHT if scheme == "light" else DARK)["fg"])
    assert (found == text).all(axis=2)[rows].mean() > 0.0005, "there is text"


@pytest.mark.parametrize("name", PAGES)
def test_a_display_needs_no_more_width_than_there_is(name: str, tmp_path: Path) -> None:
    found = measured(PAGES[name](), tmp_path, WIDTHS)
    assert {width: m.width for width, m in found.items()} == {width: width for width in WIDTHS}
    assert found[WIDTHS[0]].height > found[WIDTHS[1]].height > 800


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(
    ("attributes", "shown"),
    [
        ('data-jp-theme-light="false"', "dark"),
        ('data-jp-theme-light="true"', "light"),
        ('class="vscode-dark"', "dark"),
        ('data-vscode-theme-kind="vscode-light"', "light"),
    ],
)
def test_the_scheme_of_a_host_counts_more_than_that_of_the_browser(
    attributes: str, shown: Scheme, scheme: Scheme
) -> None:
    html = notebook_page(rewound().usage()._repr_html_(), attributes=attributes)
    found = looked_at(f"host-{shown}", html, 480, scheme, height=200)
    assert tuple(found[100, 240]) == rgb(GROUND[shown])


def test_an_image_is_drawn() -> None:
    image = message({"type": "image", "mimeType": "image/png", "data": b64(png(60, 40, (0, 200, 83)))})
    found = looked_at("image", notebook_page(image._repr_html_()), 480, "light", height=300)
    assert (found == (0, 200, 83)).all(axis=2).sum() == 60 * 40


def test_scripts_of_hostile_text_do_not_run(tmp_path: Path) -> None:
    run = "parent.ran=1"
    attacks = [
        f"<script>{run}</script>",
        f'"><img src=x onerror="{run}">',
        f'<svg onload="{run}">',
        f"</style></title></details></div><script>{run}</script>",
    ]
    records = [r for text in attacks for r in hostile_records(text)]
    assert not measured(notebook_page("".join(r._repr_html_() for r in records)), tmp_path, [480])[480].ran
    assert not measured(session_page(Session.from_records(records)).html, tmp_path, [480])[480].ran
    assert all(measured(notebook_page(text), tmp_path, [480])[480].ran for text in attacks[:1]), (
        "where it is markup, it runs"
    )
