"""A browser without a window: pictures of a page, and what it measures of it."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Final, Literal, TypeAlias

__all__ = ["BROWSER", "Measure", "Scheme", "measured", "notebook_page", "screenshot"]

Scheme: TypeAlias = Literal["light", "dark"]

BROWSER: Final = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
"""The browser, where there is one."""

_FLAGS: Final = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update"
    " --disable-sync --hide-scrollbars --force-device-scale-factor=1"
).split()
# the number that the engine's settings have for what a page asks with prefers-color-scheme
_SCHEMES: Final[dict[Scheme, str]] = {
    "dark": "--blink-settings=preferredColorScheme=0",
    "light": "--blink-settings=preferredColorScheme=1",
}


def _run(page: Path, *flags: str) -> str:
    assert BROWSER is not None
    with tempfile.TemporaryDirectory(prefix="browser-", ignore_cleanup_errors=True) as profile:
        command = [BROWSER, *_FLAGS, f"--user-data-dir={profile}", *flags, page.as_uri()]
        done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=120, check=True)
    return done.stdout


def screenshot(page: Path, picture: Path, width: int, height: int, scheme: Scheme) -> None:
    """A PNG of the page as a window of that size shows it."""
    picture.unlink(missing_ok=True)
    _run(page.resolve(), f"--window-size={width},{height}", f"--screenshot={picture.resolve()}", _SCHEMES[scheme])
    assert picture.is_file(), "the browser made no picture"


@dataclass(frozen=True)
class Measure:
    """What a page needs in a frame of some width, in CSS pixels, and whether a script in it ran."""

    width: int
    height: int
    ran: bool


def measured(html: str, folder: Path, widths: Sequence[int]) -> dict[int, Measure]:
    """The measures of a page for each width. A script in the page counts as run if it sets `parent.ran`."""
    frame = folder / "frame.html"
    # the page runs nothing itself: what holds it reads the sizes
    frames = "".join(
        f'''<iframe style="width:{width}px;height:600px;border:0" srcdoc="{escape(html)}" onload="
  const root = this.contentDocument.documentElement;
  document.title += ' {width}:' + root.scrollWidth + ':' + root.scrollHeight + ':' + Boolean(window.ran)"></iframe>'''
        for width in widths
    )
    frame.write_text(
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>sizes</title></head><body>{frames}</body></html>',
        encoding="utf-8",
    )
    dom = _run(frame.resolve(), "--dump-dom", "--window-size=1400,900")
    found = re.findall(r" (\d+):(\d+):(\d+):(true|false)", re.findall(r"<title>(.*?)</title>", dom)[0])
    assert len(found) == len(widths), dom[:300]
    return {int(width): Measure(int(needed), int(height), ran == "true") for width, needed, height, ran in found}


def notebook_page(display: str, *, code: str = "session", attributes: str = "") -> str:
    """A display as a notebook shows it: below a cell, with the rules that Jupyter has for tables of outputs."""
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>A notebook</title><style>
body{{margin:0;padding:12px;font:14px sans-serif;background:#fafaf0;color:#111}}
@media (prefers-color-scheme:dark){{body{{background:#111;color:#eee}}}}
pre.cell{{background:#f5f5f5;color:#333;border:1px solid #ccc;padding:8px;margin:0 0 8px;font:13px monospace}}
.jp-RenderedHTMLCommon table{{border-collapse:collapse;border:none;font-size:12px;table-layout:fixed;margin-left:auto;margin-right:auto}}
.jp-RenderedHTMLCommon td,.jp-RenderedHTMLCommon th{{text-align:right;vertical-align:middle;padding:.5em;white-space:normal;max-width:none}}
.jp-RenderedHTMLCommon tbody tr:nth-child(odd){{background:#fff}}
.jp-RenderedHTMLCommon tbody tr:nth-child(even){{background:#ffd}}
.jp-RenderedHTMLCommon pre,.jp-RenderedHTMLCommon code{{background:#fee;color:#700}}
</style></head><body {attributes}><pre class="cell">{escape(code)}</pre><div class="jp-RenderedHTMLCommon">{display}</div></body></html>"""
