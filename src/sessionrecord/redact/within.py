"""JSON in a text, such as a call's arguments written as a string: with its secrets gone it is still JSON, and no member is lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sessionrecord.redact.edits import Edit, apply, merged, touching, within
from sessionrecord.redact.layers import json_escapes
from sessionrecord.redact.names import FreeNames
from sessionrecord.redact.tree import Node, leaf_token, leaves, name_token, objects, parse, text_of_token, written

__all__ = ["within_json"]


def within_json(text: bytes, found: list[Edit], edits_of: Callable[[bytes], list[Edit]]) -> list[Edit]:
    """Edits of a text, changed where it is JSON as a whole: a number or word becomes a string, and names in an object stay distinct.

    `edits_of` gives the edits of a string in it, decoded, which may be JSON again.
    """
    if text.lstrip()[:1] not in (b"{", b"["):
        return found
    root = parse(text)
    if root is None:
        return found
    inner = [e for node in objects(root) for e in _names(text, found, node)]
    for node, _ in leaves(root):
        inner += _value(text, found, node, edits_of)
    return merged([*inner, *found])


def _value(text: bytes, found: list[Edit], node: Node, edits_of: Callable[[bytes], list[Edit]]) -> Iterator[Edit]:
    token = leaf_token(node)
    if not touching(found, token.start, token.end):
        return
    if node.kind == "string":
        layer = json_escapes(text[token.start : token.end])
        if layer.data.lstrip()[:1] in (b"{", b"["):
            yield from (e.moved(token.start) for e in layer.lift(edits_of(layer.data)))
        return
    edits = within(found, token.start, token.end)
    if edits:
        rules = tuple(name for e in edits for name in e.rules)
        yield Edit(token.start, token.end, b'"%s"' % edits[0].text, rules)


def _names(text: bytes, found: list[Edit], node: Node) -> Iterator[Edit]:
    free: FreeNames | None = None
    for member in node.members:
        token = name_token(node, member)
        edits = within(found, token.start, token.end)
        if not edits:
            continue
        free = free or FreeNames(m.name for m in node.members if m.name is not None)
        base = text_of_token(b'"%s"' % apply(text[token.start : token.end], [e.moved(-token.start) for e in edits]))
        name = free.of(base)
        if name != base:
            rules = tuple(rule for e in edits for rule in e.rules)
            yield Edit(token.start, token.end, written(name)[1:-1], rules)
