"""Images are shown from the bytes of the record alone, where those are what they say; nothing is ever fetched."""

from __future__ import annotations

import base64
from typing import Any
from xml.etree.ElementTree import Element

import pytest

from tests.display.html.samples import base64_of, message, png
from tests.display.html.trees import fragment, text_of

MAGIC = {
    "image/png": png(),
    "image/jpeg": b"\xff\xd8\xff\xe0rest",
    "image/gif": b"GIF89arest",
    "image/webp": b"RIFF\x0a\n\0\0WEBPrest",
}
"""How files of the four types begin: PNG 5.2, JPEG's SOI and the marker after it, GIF89a, RIFF's WEBP."""
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><image href="https://e.example/x.png"/></svg>'


def tree_of(**block: Any) -> Element:
    return fragment(message({"type": "image", **block})._repr_html_())


@pytest.mark.parametrize("mime_type", MAGIC)
def test_a_raster_image_is_shown_from_its_own_bytes(mime_type: str) -> None:
    content = MAGIC[mime_type]
    tree = tree_of(mimeType=mime_type, data=base64_of(content), name="a name")
    (image,) = tree.iter("img")
    kind, _, data = image.attrib["src"].partition(",")
    assert kind == f"data:{mime_type};base64"
    assert base64.b64decode(data) == content
    assert image.get("alt") == f"{mime_type} image of {len(content):,} bytes"
    assert "a name" in text_of(tree)


@pytest.mark.parametrize("mime_type", [*MAGIC, "IMAGE/PNG", "image/jpg"])
@pytest.mark.parametrize("of", MAGIC)
def test_bytes_of_another_type_are_not_shown(mime_type: str, of: str) -> None:
    is_right = mime_type.lower().replace("jpg", "jpeg") == of
    tree = tree_of(mimeType=mime_type, data=base64_of(MAGIC[of]))
    assert bool(list(tree.iter("img"))) == is_right
    assert ("no PNG, JPEG, GIF or WebP of that type" in text_of(tree)) != is_right


@pytest.mark.parametrize(
    "data", ["", "!!!!", "aGk=\n", base64_of(png())[:-3], base64_of(png()) + '"', base64_of(b"<svg/>")]
)
def test_what_is_no_image_is_named_not_shown(data: str) -> None:
    tree = tree_of(mimeType="image/png", data=data)
    assert not list(tree.iter("img"))
    assert "image/png" in text_of(tree)


@pytest.mark.parametrize("mime_type", ["image/svg+xml", "IMAGE/SVG+XML;charset=utf-8"])
def test_svg_is_text(mime_type: str) -> None:
    tree = tree_of(mimeType=mime_type, data=base64_of(SVG))
    assert not list(tree.iter("img"))
    assert SVG.decode() in text_of(tree)


def test_a_data_uri_is_the_bytes_themselves() -> None:
    tree = tree_of(mimeType="image/png", uri=f"data:image/png;base64,{base64_of(png())}")
    assert [i.get("src") for i in tree.iter("img")] == [f"data:image/png;base64,{base64_of(png())}"]
    assert not list(tree_of(mimeType="image/png", uri="data:image/svg+xml,<svg/>").iter("img"))


@pytest.mark.parametrize(
    "uri",
    [
        "https://e.example/i.png",
        "http://e.example/",
        "HTTPS://e.example/?a=1&b='2'",
        "mailto:a@e.example",
    ],
)
def test_an_address_is_a_link_that_tells_nothing_and_is_not_fetched(uri: str) -> None:
    """That the link has `rel`, and that its text is where it leads, is checked for every tree."""
    tree = tree_of(mimeType="image/png", uri=uri)
    assert [a.get("href") for a in tree.iter("a")] == [uri]
    assert not list(tree.iter("img"))


@pytest.mark.parametrize(
    "uri",
    [
        "javascript:alert(1)", "JaVaScRiPt:alert(1)", " https://e.example", "https://e.example/\u202egpj", "https://\u0435.example/",
        "data:text/html,<script>alert(1)</script>", "file:///etc/passwd", "vbscript:x", "//e.example/x", "blob:x", "https://e.example/a b",
        "https://e.example/\"onload=x", "https://e.example/<b>", "https://",
        "java\nscript:alert(1)", "https:e.example", "https://e.example/" + "x" * 300, "view-source:https://e.example",
    ],
)  # fmt: skip
def test_any_other_place_is_text(uri: str) -> None:
    tree = fragment(message({"type": "resource_link", "uri": uri})._repr_html_())
    assert not list(tree.iter("a"))
    assert uri[:10].strip().split("\n")[0] in text_of(tree)


def test_a_blob_is_named_by_its_hash() -> None:
    text = text_of(tree_of(mimeType="image/png", blob={"sha256": "ab" * 32, "bytes": 1234}))
    assert "ab" * 32 in text
    assert "1,234 bytes outside the stream" in text


def test_a_text_file_is_text_and_sound_is_only_named() -> None:
    file = fragment(
        message({"type": "file", "mimeType": "text/plain", "data": base64_of(b"one\ntwo\xff")})._repr_html_()
    )
    assert "one\ntwo\\xff" in text_of(file)
    sound = fragment(message({"type": "audio", "mimeType": "audio/wav", "data": base64_of(b"RIFF")})._repr_html_())
    assert "audio/wav 4 bytes" in text_of(sound)
