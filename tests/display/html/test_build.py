"""HTML is made from a tree that escapes whatever it is given."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessionrecord.display.html.build import ATTRIBUTES, ELEMENTS, el, render
from tests.display.html.trees import fragment, shown, text_of, visible

HOSTILE = [
    "<script>alert(1)</script>",
    "</div></details></section></td></table></style><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "javascript:alert(1)",
    "<!-- --!> <![CDATA[ ]]> <?php ?> &lt; &amp;lt; &#0; &notit; &",
    "<style>*{display:none}</style>",
    "<svg/onload=alert(1)>",
    "{{7*7}} ${7*7} <%= 7*7 %>",
    "\u202eevil\u2066\u2067\u2068\u2069\u200e\u200f\u061c",
    "a\u200bb\ufeffc\u2060d\u00ade",
    "\0\x07\x1b[31m\x7f\x80\x9b\r\n",
    "\ud800 \udfff \ufffe \U0001ffff \ufdd0",
    "pass\u200dword\u200c!",
    "\n\n leading and trailing \n",
]
SELECTORS = st.characters(blacklist_characters="\u200c\u200d", blacklist_categories=["Mn"])


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_text(text: str) -> None:
    tree = fragment(render(el("div", text)))
    assert list(tree.iter()) == [tree, *tree.findall("span")]
    assert all(span.get("class") == "srec-hidden" for span in tree.findall("span"))


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_in_its_attribute(text: str) -> None:
    html = render(el("div", dir=text))
    assert visible(html)
    assert html.count('"') == 2
    assert html.count("<") == 2


@given(st.text(SELECTORS))
def test_text_is_read_back_with_what_cannot_be_seen_by_its_number(text: str) -> None:
    assert text_of(fragment(render(el("div", text)))) == shown(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", None),  # Persian
        ("\U0001f469\u200d\U0001f4bb", None),
        ("\u2764\ufe0f\u200d\U0001f525", None),
        ("1\ufe0f\u20e3", None),
        ("pass\u200dword", "passU+200Dword"),
        ("\u0645\u200c\u200c\u062e", "\u0645U+200C ×2\u062e"),
        ("\u2764\ufe0f\ufe0f", "\u2764\ufe0fU+FE0F"),
        ("e\u0301", None),
        ("a\u034fb", "aU+034Fb"),
    ],
)
def test_joiners_and_selectors_stay_where_a_script_needs_them(text: str, expected: str | None) -> None:
    tree = fragment(render(el("div", text)))
    assert text_of(tree) == (text if expected is None else expected)


@pytest.mark.parametrize(
    "tag", ["script", "iframe", "object", "embed", "form", "input", "link", "base", "svg", "audio", "video", "p>"]
)
def test_elements_that_run_or_fetch_cannot_be_made(tag: str) -> None:
    with pytest.raises(ValueError, match="no place"):
        el(tag)
    assert tag not in ELEMENTS


@pytest.mark.parametrize("name", ["onclick", "onerror", "style", "srcset", "action", "formaction", "ping", "target"])
def test_attributes_that_run_or_fetch_cannot_be_made(name: str) -> None:
    with pytest.raises(ValueError, match="no place"):
        el("div", **{name: "x"})
    assert name not in ATTRIBUTES


def test_a_style_sheet_cannot_end_its_element() -> None:
    with pytest.raises(ValueError, match="no <"):
        render(el("style", "</style>"))


def test_empty_elements_have_no_end_and_absent_attributes_are_left_out() -> None:
    assert render(el("img", alt="a", src=None)) == '<img alt="a">'
    assert render(el("div", None, ["a", [el("bdi", "b")]], cls="x y")) == (
        '<div class="srec-x srec-y">a<bdi>b</bdi></div>'
    )
    assert render(el("title", "a\u202e<b>")) == "<title>aU+202E&lt;b&gt;</title>"
