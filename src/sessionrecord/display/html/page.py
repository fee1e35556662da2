"""A session as one page of HTML that needs nothing else: no script, nothing fetched."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass

from sessionrecord.display.html.build import ROOT, Child, el, render
from sessionrecord.display.html.parts import one_line
from sessionrecord.display.html.room import PAGE, Limits, Omission, Room
from sessionrecord.display.html.session import session, title
from sessionrecord.display.html.style import PAGE_SHEET, SHEET
from sessionrecord.session import Session, SessionAt

__all__ = ["Page", "document", "fragment", "session_page"]


@dataclass(frozen=True, slots=True)
class Page:
    """A page, and what of the session is not on it."""

    html: str
    """The whole document."""
    omissions: list[Omission]
    """What is not on it, in the order of the page."""


def fragment(*parts: Child) -> str:
    """What a notebook shows: one element with its style."""
    return render(el("div", el("style", SHEET), parts, lang="en", **{"class": ROOT}))


def document(name: str, *parts: Child) -> str:
    """A whole page. It forbids the browser to run or fetch anything."""
    sheet = PAGE_SHEET + SHEET
    digest = base64.b64encode(hashlib.sha256(sheet.encode()).digest()).decode()
    policy = f"default-src 'none'; img-src data:; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    head = el(
        "head",
        el("meta", charset="utf-8"),
        el("meta", http_equiv="Content-Security-Policy", content=policy),
        el("meta", http_equiv="x-dns-prefetch-control", content="off"),
        el("meta", name="referrer", content="no-referrer"),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", name="color-scheme", content="light dark"),
        el("title", name),
        el("style", sheet),
    )
    body = el("body", el("main", parts, **{"class": ROOT}))
    return f"<!DOCTYPE html>{render(el('html', head, body, lang='en'))}\n"


def session_page(of: Session | SessionAt, limits: Limits = PAGE) -> Page:
    """A session as a page, and a list of what is not on it: what is beyond the limits, and bytes that are not shown."""
    room = Room(limits, "session")
    return Page(document(one_line(title(of), 200) or "Session", session(of, room)), room.omissions)
