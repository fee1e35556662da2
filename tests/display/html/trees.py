"""What the tests of displays share: parsing strictly, and what a tree may hold."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Iterator
from xml.etree.ElementTree import Element

import html5lib

from sessionrecord.display.html.style import PAGE_SHEET, SHEET

ALLOWED = {
    "a": {"href", "rel"},
    "bdi": set(),
    "caption": set(),
    "code": set(),
    "details": {"open"},
    "div": {"dir", "lang"},
    "h1": set(),
    "h2": set(),
    "img": {"alt", "src"},
    "section": set(),
    "span": set(),
    "strong": set(),
    "style": set(),
    "summary": set(),
    "table": set(),
    "tbody": set(),
    "td": set(),
    "th": {"scope"},
    "thead": set(),
    "tr": set(),
}
"""The elements of a display with the attributes that each may have besides a class: none of them runs, fetches or sends."""

INVISIBLE = {"Cc", "Cf", "Cs", "Zl", "Zp"}
JOINERS = "\u200c\u200d"


def parsed(html: str) -> Element:
    """The tree of a page. Raises for whatever a strict parser of HTML 5 does not accept."""
    tree = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(html)
    assert isinstance(tree, Element)
    return tree


def fragment(html: str) -> Element:
    """The tree of a display, as it stands in a page; it is one element, and all of it is allowed."""
    page = parsed(f'<!DOCTYPE html><html lang="en"><head><title>t</title></head><body>{html}</body></html>')
    body = page.find("body")
    assert body is not None
    assert len(body) == 1
    assert not (body.text or "").strip()
    assert not (body[0].tail or "").strip()
    check(body[0])
    assert visible(html)
    return body[0]


def check(tree: Element) -> None:
    """Only what is allowed is in the tree."""
    for element in tree.iter():
        assert element.tag in ALLOWED, element.tag
        assert set(element.attrib) <= ALLOWED[element.tag] | {"class"}, element.attrib
        assert re.fullmatch(r"(srec(-[a-z0-9-]+)?( |$))*", element.get("class", "")), element.attrib
        if element.tag == "style":
            assert element.text in (SHEET, PAGE_SHEET + SHEET)
        if element.tag == "a":
            assert re.match(r"(?i)https?://|mailto:", element.get("href", ""))
            assert element.get("rel") == "noopener noreferrer"
            assert element.text == element.get("href")
        if element.tag == "img":
            assert re.fullmatch(r"data:image/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/]*={0,2}", element.get("src", ""))
            assert element.get("alt")
        if element.tag == "th":
            assert element.get("scope") in ("row", "col")


def text_of(tree: Element) -> str:
    """The text of a tree, its style left out."""

    def texts(element: Element) -> Iterator[str]:
        if element.tag != "style":
            yield element.text or ""
            for child in element:
                yield from texts(child)
                yield child.tail or ""

    return "".join(texts(tree))


def visible(html: str) -> bool:
    """Whether no character of the source reorders, hides or cannot be seen. Joiners stand between signs of other scripts only."""
    for before, char, after in zip(" " + html, html, html[1:] + " ", strict=False):
        if char in JOINERS:
            assert before > "\x7f" < after, (before, after)
            continue
        assert char in "\n\t" or unicodedata.category(char) not in INVISIBLE, hex(ord(char))
    return True


def shown(text: str) -> str:
    """What a text looks like when each run of one invisible character is written as its number. For texts without joiners and selectors."""
    parts = []
    for char, run in itertools.groupby(text):
        times = len(list(run))
        code = ord(char)
        hidden = char not in "\n\t" and (
            unicodedata.category(char) in INVISIBLE
            or code & 0xFFFE == 0xFFFE
            or 0xFDD0 <= code <= 0xFDEF
            or char in "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0"
        )
        if hidden:
            parts.append(f"U+{code:04X}" + (f" ×{times:,}" if times > 1 else ""))
        else:
            parts.append(char * times)
    return "".join(parts)
