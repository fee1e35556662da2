"""What the places of a record hold: content, or what must not simply be changed. Spec sections 2 to 5."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterator
from types import UnionType
from typing import Annotated, Any, Final, Literal, TypeAlias, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from sessionrecord.records import RECORD_TYPES, UnknownBlock, UnknownRecord
from sessionrecord.records.content import KNOWN_BLOCK_TYPES
from sessionrecord.redact.tree import Node, Path, text
from sessionrecord.refs import ENTITY_KEYS

__all__ = ["Role", "defined_names", "record_type", "role"]

Role: TypeAlias = Literal["content", "structure", "id", "ref", "session-reference", "label", "signature", "media"]
"""What a string or number is. A `label` is no ID, but sums are told apart by it."""

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
    "message": {("model",): "label"},
    "tool_call": {
        ("parentCallId",): "id",
        ("childSession",): "session-reference",
        ("locations", _ANY, "root"): "id",
    },
    "compaction": {("status",): "structure", ("keptFrom",): "ref"},
    "rewind": {("to",): "ref"},
    "model_call": {("status",): "structure", ("model",): "label", ("requestId",): "id"},
    "usage": {
        **{(name,): "structure" for name in ("scope", "counter", "includesChildren")},
        ("model",): "label",
        ("cost", "currency"): "label",
    },
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
    if found == "ref" and path == ("to",) and node.kind == "word":
        return "structure"  # null: nothing stays
    if found is not None:
        return found
    if len(path) == 3 and path[0] == "capture" and path[2] == "state":
        return "structure"
    if parent is None or parent.kind != "object":
        return "content"
    name, tag = node.path[-1], text(line, parent.get("type"))
    if name == "type" and tag in KNOWN_BLOCK_TYPES and _is_block(parent):
        return "structure"
    if name in _SIGNATURES.get(tag or "", ()):
        return "signature"
    if name == "data" and tag in _MEDIA and text(line, parent.get("mimeType")) is not None:
        return "media" if _is_block(parent) or _is_base64(line[node.start + 1 : node.end - 1]) else "content"
    if name == "terminalId" and tag == "terminal" and _is_block(parent):
        return "id"
    return "content"


def _is_base64(token: bytes) -> bool:
    try:
        b64decode(token, validate=True)
    except ValueError:
        return False
    return True


def _is_block(node: Node) -> bool:
    return len(node.path) == 2 and node.path[0] in _BLOCKS and isinstance(node.path[1], int)


def defined_names(line: bytes, root: Node, path: Path) -> frozenset[str]:
    """The names that the members of an object of a record have by definition; none where the format leaves them open."""
    of_type = record_type(line, root)
    if of_type is None:
        return frozenset()
    node: Node | None = root
    form: Any = RECORD_TYPES.get(of_type, UnknownRecord)
    for step in path:
        if node is None:
            return frozenset()
        form = _form_within(_model_of(form, line, node) or form, step)
        node = node.get(step) if isinstance(step, str) else node.members[step].node
    model = None if node is None else _model_of(form, line, node)
    return frozenset() if model is None else frozenset(_alias(name, f) for name, f in model.model_fields.items())


def _alias(name: str, field: FieldInfo) -> str:
    return field.alias or name


def _model_of(form: Any, line: bytes, node: Node) -> type[BaseModel] | None:
    """The model of an object; of several, as of content blocks, that of its type."""
    models = [a for a in _alternatives(form) if isinstance(a, type) and issubclass(a, BaseModel)]
    if len(models) > 1:
        tag = text(line, node.get("type"))
        models = [m for m in models if m.model_fields["type"].default == tag] or [UnknownBlock]
    return models[0] if models else None


def _form_within(form: Any, step: str | int) -> Any:
    """What an item or member may be, given what it is in; None where it may be anything."""
    for a in _alternatives(form):
        if get_origin(a) is list and isinstance(step, int):
            return get_args(a)[0]
        if get_origin(a) is dict and isinstance(step, str):
            return get_args(a)[1]
        if isinstance(a, type) and issubclass(a, BaseModel):
            return next((f.annotation for name, f in a.model_fields.items() if _alias(name, f) == step), None)
    return None


def _alternatives(form: Any) -> Iterator[Any]:
    if get_origin(form) is Annotated:
        yield from _alternatives(get_args(form)[0])
    elif get_origin(form) in (Union, UnionType):
        for a in get_args(form):
            yield from _alternatives(a)
    else:
        yield form
