"""What the places of a record hold: content, or what must not simply be changed. Spec sections 2 to 5."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from sessionrecord.records import RECORD_TYPES
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
    if name in _SIGNATURES.get(tag or "", ()):
        return "signature"
    if name == "data" and tag in _MEDIA and text(line, parent.get("mimeType")) is not None:
        return "media"
    if name == "terminalId" and tag == "terminal" and len(path) == 3 and path[0] in _BLOCKS:
        return "id"
    return "content"


def defined_names(of_type: str | None) -> frozenset[str]:
    """The names that the members of a record of a type have by definition."""
    model = RECORD_TYPES.get(of_type or "")
    return frozenset() if model is None else frozenset(f.alias or name for name, f in model.model_fields.items())
