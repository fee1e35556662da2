"""What the places of a record hold: content, or what must not simply be changed. Spec sections 2 to 5."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from sessionrecord.records import (
    RECORD_TYPES,
    AudioBlock,
    DiffBlock,
    FileBlock,
    ImageBlock,
    ReasoningBlock,
    ResourceLinkBlock,
    TerminalBlock,
    TextBlock,
    WireModel,
)
from sessionrecord.records.content import KNOWN_BLOCK_TYPES
from sessionrecord.redact.tree import Node, Path, text
from sessionrecord.refs import ENTITY_KEYS

__all__ = ["Role", "defined_names", "record_type", "role"]

Role: TypeAlias = Literal["content", "structure", "id", "ref", "session-reference", "signature", "media"]
"""What a string or number is."""

_ANY: Final = "*"
_COMMON: Final[dict[Path, Role]] = {
    ("seq",): "structure",
    ("type",): "structure",
    ("predecessor",): "ref",
    ("source", "nativeId"): "id",
    **{(name,): "id" for name in ("id", "turnId", "participant", "conversation", *ENTITY_KEYS)},
}
"""Place to role in every record, of an unknown type too."""
_DECLARED: Final[dict[Path, Role]] = {
    ("roots", _ANY, "id"): "id",
    ("participants", _ANY, "id"): "id",
    ("conversations", _ANY, "id"): "id",
    ("conversations", _ANY, "participants", _ANY): "id",
}
_OF_TYPE: Final[dict[str, dict[Path, Role]]] = {
    "session": {
        **_DECLARED,
        ("agent",): "id",
        ("namespace",): "id",
        ("sessionId",): "id",
        ("parent",): "session-reference",
        ("forkOf", "session"): "session-reference",
        ("forkOf", "ref"): "ref",
    },
    "declaration": _DECLARED,
    "tool_call": {
        ("parentCallId",): "id",
        ("childSession",): "session-reference",
        ("locations", _ANY, "root"): "id",
    },
    "compaction": {("keptFrom",): "ref"},
    "rewind": {("to",): "ref"},
    "model_call": {("requestId",): "id"},
    "permission_request": {("options", _ANY, "optionId"): "id"},
    "permission_decision": {("optionId",): "id"},
    "question": {("options", _ANY, "optionId"): "id"},
    "answer": {("selected", _ANY): "id"},
    "delivery": {("of",): "ref", ("nativeId",): "id", ("recipients", _ANY): "id"},
    "file_change": {("root",): "id"},
    "commit": {("root",): "id"},
    "terminal": {("cwd", "root"): "id"},
    "plan": {("entries", _ANY, "id"): "id"},
}
_SIGNATURES: Final = {
    "reasoning": frozenset({"signature", "encrypted", "encrypted_content"}),
    "thinking": frozenset({"signature"}),
    "redacted_thinking": frozenset({"data"}),
}
"""Block type, ours or a harness's, to the members that only the provider can make or read."""
_MEDIA: Final = frozenset({"image", "audio", "file"})
_BLOCKS: Final = frozenset({"content", "summary", "prompt"})
_BLOCK_MODELS: Final = (
    TextBlock, ReasoningBlock, ImageBlock, AudioBlock, FileBlock, ResourceLinkBlock, DiffBlock, TerminalBlock,
)  # fmt: skip


def _names(model: type[WireModel]) -> frozenset[str]:
    return frozenset(f.alias or name for name, f in model.model_fields.items())


_BLOCK_NAMES: Final = {str(b.model_fields["type"].default): _names(b) for b in _BLOCK_MODELS}
"""Block type to the names that its members have by definition."""


def record_type(line: bytes, root: Node) -> str | None:
    """The type of a record, where one can be read."""
    return text(line, root.get("type"))


def role(line: bytes, node: Node, parent: Node | None, of_type: str | None) -> Role:
    """What a string or number of a record is."""
    path = tuple(_ANY if isinstance(step, int) else step for step in node.path)
    if path == ("type",):
        return "structure" if of_type in RECORD_TYPES else "content"
    found = _COMMON.get(path) or _OF_TYPE.get(of_type or "", {}).get(path)
    if found is not None:
        return found
    if parent is None or parent.kind != "object":
        return "content"
    name, tag = node.path[-1], text(line, parent.get("type"))
    if name == "type" and tag in KNOWN_BLOCK_TYPES and _is_block(parent):
        return "structure"
    if name in _SIGNATURES.get(tag or "", ()):
        return "signature"
    if name == "data" and tag in _MEDIA and text(line, parent.get("mimeType")) is not None:
        return "media"
    if name == "terminalId" and tag == "terminal" and _is_block(parent):
        return "id"
    return "content"


def _is_block(node: Node) -> bool:
    return len(node.path) == 2 and node.path[0] in _BLOCKS and isinstance(node.path[1], int)


def defined_names(line: bytes, node: Node, of_type: str | None) -> frozenset[str]:
    """The names that the members of a record, or of one of its blocks, have by definition."""
    if _is_block(node):
        return _BLOCK_NAMES.get(text(line, node.get("type")) or "", frozenset())
    model = None if node.path else RECORD_TYPES.get(of_type or "")
    return frozenset() if model is None else _names(model)
