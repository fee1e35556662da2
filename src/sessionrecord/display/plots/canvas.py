"""What every picture shares: colours, the figure, and text that is shown as it is."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from sessionrecord.display.extra import need
from sessionrecord.session.core import Core

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["COLOURS", "INK", "PALE", "finish", "label", "new_figure", "nothing", "session_name", "short", "strip"]

COLOURS: Final = {
    "black": "#000000",
    "orange": "#E69F00",
    "sky": "#56B4E9",
    "green": "#009E73",
    "yellow": "#F0E442",
    "blue": "#0072B2",
    "vermilion": "#D55E00",
    "purple": "#CC79A7",
    "grey": "#888888",
}
"""Okabe and Ito's palette, which people with any kind of colour vision tell apart, and a grey."""
INK: Final = "#333333"
PALE: Final = "#DDDDDD"

_HIDDEN: Final = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})
"""Categories of characters that draw nothing, or turn the text around them."""
_MISSING: Final = "\N{REPLACEMENT CHARACTER}"


def new_figure(width: float, height: float) -> Figure:
    """An empty figure, in inches. Raises `MissingExtraError`."""
    need("matplotlib.figure", "plots")
    from sessionrecord.display.plots.picture import Picture  # it needs the extra

    return Picture(figsize=(width, height), dpi=120, layout="constrained")


def label(text: str, length: int = 32) -> str:
    """Text of a session as a picture can show it: in one line, shortened, never read as mathematics.

    Characters that are invisible, or in no font at hand, are shown as their code or as a replacement character.
    """
    shown = "".join(map(_shown, text[: length + 1]))
    shown = shown if len(text) <= length and len(shown) <= 2 * length else f"{shown[: length - 1]}…"
    return shown.replace("$", r"\$")


def _shown(character: str) -> str:
    if unicodedata.category(character) in _HIDDEN:
        return character.encode("unicode_escape").decode()
    return character if character == " " or _in_font(character) else _MISSING


@lru_cache(maxsize=4096)
def _in_font(character: str) -> bool:
    fonts = need("matplotlib.font_manager", "plots")
    for family in fonts.FontProperties().get_family():
        path = fonts.findfont(fonts.FontProperties(family=[family]))
        if fonts.get_font(path).get_char_index(ord(character)):
            return True
    return False


def short(value: float) -> str:
    """A count in few characters: 950, 12k, 3.4M."""
    for factor, unit in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= factor:
            scaled = value / factor
            return f"{scaled:.0f}{unit}" if 100 <= abs(scaled) < 10_000 else f"{scaled:.3g}{unit}"
    return f"{value:.3g}"


def finish(figure: Figure) -> Figure:
    """The figure, its text never handed to TeX whatever the user's style says."""
    text = need("matplotlib.text", "plots")
    texts: list[Any] = figure.findobj(text.Text)
    for found in texts:
        found.set_usetex(False)
    return figure


def nothing(figure: Figure, why: str) -> Figure:
    """A figure that says why there is nothing on it."""
    axes = figure.add_subplot()
    axes.set_axis_off()
    axes.text(0.5, 0.5, why, ha="center", color=INK)
    return finish(figure)


def strip(axes: Any) -> None:
    """Axes without a frame, so that the marks stand out."""
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)


def session_name(core: Core) -> str:
    """What a picture calls a session: the agent and its ID."""
    members: dict[str, Any] = core.log.value(0) if len(core.log) and core.log.type(0) == "session" else {}
    agent, session_id = members.get("agent"), members.get("sessionId")
    if not isinstance(agent, str) or not isinstance(session_id, str):
        return "session without a header"
    return f"{label(agent)} {label(session_id, 40)}"
