"""HTML as a tree. Text gets into markup here and nowhere else, so everything is escaped by construction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import escape
from typing import Final, TypeAlias

from sessionrecord.display.html.hidden import pieces

__all__ = ["ATTRIBUTES", "ELEMENTS", "ROOT", "Child", "Element", "el", "render"]

ROOT: Final = "srec"
"""The class of every fragment's root; the other classes begin with it and a hyphen."""
ELEMENTS: Final = frozenset(
    """a bdi body caption code dd details div dl dt h1 h2 h3 head html img li main meta ol p section span strong style summary
    table tbody td th thead title tr ul""".split()
)
"""What a tree may be made of: nothing that fetches, runs or sends; an image shows only what it holds itself."""
ATTRIBUTES: Final = frozenset("alt charset class content dir href http-equiv lang name open rel scope src".split())
"""The attributes that a tree may have."""
_EMPTY: Final = frozenset({"img", "meta"})
_RAW: Final = frozenset({"style"})
_PLAIN: Final = frozenset({"title"})


@dataclass(frozen=True, slots=True)
class Element:
    """An element with its attributes and what stands in it."""

    tag: str
    attributes: tuple[tuple[str, str], ...]
    children: tuple[Element | str, ...]


Child: TypeAlias = Element | str | Iterable["Child"] | None
"""What an element holds: elements, text, and collections of them; None is nothing."""


def el(tag: str, *children: Child, cls: str = "", **attributes: str | None) -> Element:
    """An element. `cls` names classes without their prefix; an attribute of None is left out, `_` in a name stands for `-`.

    Raises `ValueError` for an element or attribute that has no place here.
    """
    given = {"class": " ".join(f"{ROOT}-{name}" for name in cls.split())} if cls else {}
    given |= {name.replace("_", "-"): value for name, value in attributes.items() if value is not None}
    if tag not in ELEMENTS or not ATTRIBUTES.issuperset(given):
        raise ValueError(f"no place for <{tag} {' '.join(given)}>")
    return Element(tag, tuple(given.items()), tuple(_flat(children)))


def _flat(children: Iterable[Child]) -> Iterator[Element | str]:
    for child in children:
        if child is None:
            continue
        if isinstance(child, Element | str):
            yield child
        else:
            yield from _flat(child)


def render(element: Element) -> str:
    """The tree as HTML. Characters that cannot be seen are shown by their numbers."""
    return "".join(_written(element))


def _written(element: Element) -> Iterator[str]:
    attributes = "".join(f' {name}="{_value(value)}"' for name, value in element.attributes)
    yield f"<{element.tag}{attributes}>"
    for child in element.children:
        if isinstance(child, Element):
            yield from _written(child)
        elif element.tag in _RAW:
            yield _sheet(child)
        elif element.tag in _PLAIN:
            yield escape("".join(shown for shown, _ in pieces(child)), quote=False)
        else:
            yield from (_text(*piece) for piece in pieces(child))
    if element.tag not in _EMPTY:
        yield f"</{element.tag}>"


def _text(shown: str, is_hidden: bool) -> str:
    return f'<span class="{ROOT}-hidden">{shown}</span>' if is_hidden else escape(shown, quote=False)


def _value(text: str) -> str:
    return escape("".join(shown for shown, _ in pieces(text)), quote=True)


def _sheet(text: str) -> str:
    # a style sheet is not escaped, and ours alone is ever written: it holds nothing that a parser could take for its end
    if "<" in text:
        raise ValueError("a style sheet holds no <")
    return text
