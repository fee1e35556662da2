"""The style: legible in both schemes, as browsers and hosts choose them, and nothing in it leads outside."""

from __future__ import annotations

import base64
import hashlib
import re
from itertools import product

import pytest

from sessionrecord.display.html import session_page
from sessionrecord.display.html.style import PAGE_SHEET, SHEET
from tests.display.html.samples import sample
from tests.display.html.trees import parsed

TEXTS = ["fg", "dim", "user", "assistant", "call", "result", "mark", "error"]
GROUNDS = ["bg", "panel"]
"""The variables that colour texts, and those of the grounds that texts stand on; changed lines are of the first text colour."""


def variables(block: str) -> dict[str, str]:
    return dict(re.findall(r"--srec-([a-z-]+):(#[0-9a-f]{6})", block))


def rule(selector: str) -> dict[str, str]:
    """The variables that the rule with a selector sets, the first that there is."""
    at = SHEET.index(selector)
    return variables(SHEET[SHEET.index("{", at) : SHEET.index("}", at)])


LIGHT = rule(".srec{")
DARK = variables(SHEET[SHEET.index("@media") :].partition("}")[0])


def luminance(colour: str) -> float:
    """Relative luminance as WCAG 2.2 defines it."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a: str, b: str) -> float:
    """Contrast ratio as WCAG 2.2 defines it."""
    high, low = sorted([luminance(a), luminance(b)], reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_contrast_is_measured_as_defined() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.01)


@pytest.mark.parametrize("scheme", [LIGHT, DARK], ids=["light", "dark"])
def test_every_text_has_enough_contrast_on_every_ground(scheme: dict[str, str]) -> None:
    """WCAG 2.2, success criterion 1.4.3: at least 4.5 to 1."""
    pairs = [
        *product(TEXTS, GROUNDS),
        ("fg", "plus-bg"),
        ("fg", "minus-bg"),
        ("error", "plus-bg"),
        ("error", "minus-bg"),
    ]
    found = {pair: round(contrast(scheme[pair[0]], scheme[pair[1]]), 2) for pair in pairs}
    assert {pair: ratio for pair, ratio in found.items() if ratio < 4.5} == {}


def test_every_colour_is_a_variable_of_both_schemes() -> None:
    used = set(re.findall(r"var\(--srec-([a-z-]+)\)", SHEET))
    assert used == set(LIGHT) == set(DARK)
    assert used == {*TEXTS, *GROUNDS, "plus-bg", "minus-bg", "line"}
    rules = SHEET[SHEET.index(".srec.srec.srec{") :]
    assert not re.search(r"#[0-9a-f]{3}", rules)
    assert set(re.findall(r"[;{]color:([^;}]+)", rules)) <= {"inherit", *(f"var(--srec-{name})" for name in TEXTS)}


@pytest.mark.parametrize(
    ("host", "scheme"),
    [
        ('[data-jp-theme-light="false"] .srec', DARK),
        ('[data-jp-theme-light="true"] .srec', LIGHT),
        ("body.vscode-dark .srec", DARK),
        ("body.vscode-light .srec", LIGHT),
        ('body[data-vscode-theme-kind="vscode-high-contrast"] .srec', DARK),
        ('body[data-vscode-theme-kind="vscode-high-contrast-light"] .srec', LIGHT),
        ('html[theme="dark"] .srec', DARK),
        ('html[theme="light"] .srec', LIGHT),
    ],
)
def test_a_host_with_a_scheme_of_its_own_is_followed(host: str, scheme: dict[str, str]) -> None:
    assert rule(host) == scheme


def test_every_rule_is_for_our_own_elements() -> None:
    bare = re.sub(r"@media[^{]*\{(.*?\})\}", r"\1", SHEET)
    for selectors in re.findall(r"([^{}]+)\{[^{}]*\}", bare):
        assert all(".srec" in selector for selector in selectors.split(",")), selectors


def test_nothing_leads_outside() -> None:
    for sheet in (SHEET, PAGE_SHEET):
        assert not re.search(r"url\(|@import|@font-face|https?:|expression|behavior|<", sheet)


def test_a_page_forbids_scripts_and_fetching_and_allows_its_own_style_alone() -> None:
    html = session_page(sample()).html
    policies = {m.get("http-equiv"): m.get("content") for m in parsed(html).iter("meta")}
    (sheet,) = [s.text or "" for s in parsed(html).iter("style")]
    digest = base64.b64encode(hashlib.sha256(sheet.encode()).digest()).decode()
    assert policies["Content-Security-Policy"] == (
        f"default-src 'none'; img-src data:; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )
    assert parsed(html).get("lang") == "en"
    (title,) = [t.text for t in parsed(html).iter("title")]
    assert title
