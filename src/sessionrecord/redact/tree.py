"""A line of JSON as a tree of where things stand in it, so that one thing can be changed and all else left byte for byte."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

import orjson

from sessionrecord import ijson
from sessionrecord.errors import IJsonError
from sessionrecord.ijson import JsonValue

__all__ = [
    "Member",
    "Node",
    "Path",
    "Token",
    "leaf_token",
    "leaves",
    "name_token",
    "objects",
    "parse",
    "text",
    "text_of_token",
    "tokens",
    "without",
    "written",
]

Path: TypeAlias = tuple[str | int, ...]
"""Member names and array positions, from the line's own value down."""
Kind: TypeAlias = Literal["object", "array", "string", "number", "word"]

_TOKEN: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[{}\[\],:]|[^\s"{}\[\],:]++')


@dataclass(slots=True)
class Node:
    """A value: where it stands, and what is in it."""

    kind: Kind
    """What it is; a `word` is true, false or null."""
    path: Path
    """Where it is in the record."""
    start: int
    """Its first byte in the line."""
    end: int = 0
    """The offset behind its last byte."""
    members: list[Member] = field(default_factory=list)
    """What an object or an array holds, in its order."""
    _by_name: dict[str, Node] | None = field(default=None, init=False, repr=False, compare=False)

    def get(self, name: str) -> Node | None:
        """The member of a name; the last one, as readers take it, if there are several. Only of a finished tree."""
        if self._by_name is None:
            self._by_name = {m.name: m.node for m in self.members if m.name is not None}
        return self._by_name.get(name)


@dataclass(slots=True)
class Member:
    """A member of an object, or an item of an array."""

    node: Node
    """The value."""
    name: str | None = None
    """The name; None in an array."""
    start: int = 0
    """Where it begins: at its name, if it has one."""
    name_end: int = 0
    """The offset behind the name."""


def text_of_token(token: bytes) -> str:
    """The text of a string of JSON, quotes included. What is no Unicode text is kept as unpaired surrogates."""
    try:
        text: str = orjson.loads(token)
    except ValueError:
        text = ijson.examine(token)[0]
    return text


def written(value: JsonValue) -> bytes:
    """A value as JSON. Unpaired surrogates, which broken records hold, are written as escapes."""
    try:
        return ijson.dumps(value)
    except IJsonError:
        return json.dumps(value, separators=(",", ":")).encode()


def parse(line: bytes) -> Node | None:
    """The tree of a line; None where it is no JSON. Nesting takes no stack."""
    try:
        orjson.loads(line)
    except ValueError:
        if ijson.examine(line)[0] is None:
            return None
    root: Node | None = None
    stack: list[Node] = []
    name: tuple[str, int, int] | None = None
    name_next = False
    for match in _TOKEN.finditer(line):
        start, end = match.span()
        first = line[start]
        if first in b"}]":
            stack.pop().end = end
            name_next = False
        elif first == 0x2C:
            name_next = stack[-1].kind == "object"
        elif first == 0x3A:
            name_next = False
        elif name_next and first == 0x22:
            name, name_next = (text_of_token(match[0]), start, end), False
        else:
            node = Node(_kind(first), _path(stack, name), start, end)
            if stack:
                member = Member(node, start=start) if name is None else Member(node, name[0], name[1], name[2])
                stack[-1].members.append(member)
            root, name = root or node, None
            if first in b"{[":
                stack.append(node)
                name_next = first == 0x7B
    return root


def _kind(first: int) -> Kind:
    kinds: dict[int, Kind] = {0x7B: "object", 0x5B: "array", 0x22: "string", 0x74: "word", 0x66: "word", 0x6E: "word"}
    return kinds.get(first, "number")


def _path(stack: list[Node], name: tuple[str, int, int] | None) -> Path:
    if not stack:
        return ()
    return (*stack[-1].path, len(stack[-1].members) if name is None else name[0])


def leaves(root: Node) -> Iterator[tuple[Node, Node | None]]:
    """Strings, numbers and words with what they are in, in the order of the line."""
    stack: list[tuple[Node, Node | None]] = [(root, None)]
    while stack:
        node, parent = stack.pop()
        if node.kind in ("object", "array"):
            stack.extend((m.node, node) for m in reversed(node.members))
        else:
            yield node, parent


def objects(root: Node) -> Iterator[Node]:
    """Objects, outer ones before what is in them."""
    stack = [root]
    while stack:
        node = stack.pop()
        if node.kind == "object":
            yield node
        stack.extend(m.node for m in reversed(node.members))


def text(line: bytes, node: Node | None) -> str | None:
    """The text of a string; None for anything else."""
    return None if node is None or node.kind != "string" else text_of_token(line[node.start : node.end])


def without(node: Node, gone: set[int]) -> Iterator[tuple[int, int]]:
    """Pieces of the line to cut out so that an object loses the members at some positions, with the commas that belong to them."""
    kept = False
    for i, member in enumerate(node.members):
        if i not in gone:
            kept = True
        elif kept:
            yield node.members[i - 1].node.end, member.node.end
        elif i + 1 < len(node.members):
            yield member.start, node.members[i + 1].start
        else:
            yield member.start, member.node.end


@dataclass(frozen=True, slots=True)
class Token:
    """A name, string, number or word as it is written; names and strings without their quotes."""

    start: int
    """Its first byte in the line."""
    end: int
    """The offset behind its last byte."""
    path: Path
    """Where it is in the record; for a name, where its member is."""
    is_name: bool
    """Whether it is the name of a member."""


def name_token(node: Node, member: Member) -> Token:
    """The name of a member of an object."""
    return Token(member.start + 1, member.name_end - 1, (*node.path, member.name or ""), True)


def leaf_token(node: Node) -> Token:
    """A string, number or word."""
    quotes = node.kind == "string"
    return Token(node.start + quotes, node.end - quotes, node.path, False)


def tokens(root: Node) -> Iterator[Token]:
    """Names, strings, numbers and words of a line: all names first."""
    for node in objects(root):
        yield from (name_token(node, member) for member in node.members)
    yield from (leaf_token(node) for node, _ in leaves(root))
