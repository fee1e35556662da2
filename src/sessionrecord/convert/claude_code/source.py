"""From the bytes of a Claude Code log to its native lines, whatever the bytes are."""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeAlias

from sessionrecord import ijson
from sessionrecord.diagnostics import excerpt
from sessionrecord.errors import SourceError

__all__ = [
    "BLANK",
    "NO_TYPE",
    "LogSource",
    "NativeLine",
    "agent_files",
    "members",
    "native_lines",
    "read_source",
    "text",
]

LogSource: TypeAlias = str | os.PathLike[str] | BinaryIO | bytes
"""A path, a binary file object, or the bytes themselves."""

BLANK: Final = "(blank)"
NO_TYPE: Final = "(no type)"
NOT_JSON: Final = "(not JSON)"
NOT_AN_OBJECT: Final = "(not an object)"

# a line is kept one level deeper than it stood, and must still be writable
_MAX_DEPTH: Final = ijson.MAX_DEPTH - 4
_MENDABLE: Final = frozenset({"lone-surrogate", "duplicate-member"})
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def text(value: object) -> str | None:
    """A native member that names something: a string of at least one character, else None."""
    return value if isinstance(value, str) and value else None


def members(value: object) -> dict[str, Any]:
    """A native member that is an object; anything else has no members."""
    return value if isinstance(value, dict) else {}


@dataclass(slots=True, eq=False)
class NativeLine:
    """One JSON object of a log, or a line that is none."""

    index: int
    """Position among the units of the file, from 0; unique."""
    number: int
    """Line in the file, from 1."""
    value: dict[str, Any]
    """The object; empty for a line that is none."""
    kept: Any
    """What a `native_line` record keeps: the object, the value, or the text."""
    label: str
    """What the report counts the line as."""
    fault: str | None = None
    """Why the line is no object, in words."""
    salvaged: tuple[str, ...] = ()
    """Codes of what was mended to read it."""
    session: str | None = None
    """Key of the sidechain it belongs to; None for the main session."""

    type: str | None = field(init=False)
    """The member `type`, where it is a string."""
    uuid: str | None = field(init=False)
    """The member `uuid`."""
    parent: str | None = field(init=False)
    """`parentUuid`; for a compaction boundary without one, `logicalParentUuid`."""
    message: dict[str, Any] = field(init=False)
    """The member `message`."""

    def __post_init__(self) -> None:
        value = self.value
        kind = value.get("type")
        self.type = kind if isinstance(kind, str) else None
        self.uuid = text(value.get("uuid"))
        self.message = members(value.get("message"))
        self.parent = text(value.get("parentUuid"))
        if self.parent is None and self.is_boundary:
            self.parent = text(value.get("logicalParentUuid"))

    @property
    def is_sidechain(self) -> bool:
        """Whether a sub-agent wrote it."""
        return self.value.get("isSidechain") is True

    @property
    def is_conversation(self) -> bool:
        """Whether it is of a type that holds messages."""
        return self.type in ("user", "assistant")

    @property
    def is_boundary(self) -> bool:
        """Whether it says that the context was compacted."""
        return self.type == "system" and self.value.get("subtype") == "compact_boundary"

    @property
    def is_summary(self) -> bool:
        """Whether it holds the summary that a compaction left."""
        return self.type == "user" and self.value.get("isCompactSummary") is True and "content" in self.message

    @property
    def is_api_error(self) -> bool:
        """Whether it tells of a failed request in the form of a message."""
        return self.type == "assistant" and self.value.get("isApiErrorMessage") is True

    @property
    def may_participate(self) -> bool:
        """Whether it may become part of the conversation structure."""
        return self.is_boundary or (self.is_conversation and bool(self.message) and not self.is_api_error)

    @property
    def api_message_id(self) -> str | None:
        """ID of the API message that the line is a part of; None where no model wrote it."""
        if self.type != "assistant" or self.is_api_error or self.message.get("model") == "<synthetic>":
            return None
        return text(self.message.get("id"))

    def blocks(self, kind: str) -> Iterator[tuple[int, dict[str, Any]]]:
        """The content blocks of a native type, with their positions."""
        content = self.message.get("content")
        for i, block in enumerate(content if isinstance(content, list) else ()):
            if isinstance(block, dict) and block.get("type") == kind:
                yield i, block


def read_source(source: LogSource) -> tuple[bytes, Path | None]:
    """The bytes of a source, and its path where it has one. Raises `SourceError`."""
    if isinstance(source, bytes | bytearray | memoryview):
        return bytes(source), None
    try:
        if isinstance(source, str | os.PathLike):
            path = Path(source)
            return path.read_bytes(), path
        data = source.read()
        name = getattr(source, "name", None)
    except AttributeError:
        raise SourceError(f"a {type(source).__name__} cannot be read: give a path, a binary file or bytes") from None
    except (OSError, ValueError) as e:
        raise SourceError(f"cannot read {excerpt(str(source), 200)}: {getattr(e, 'strerror', None) or e}") from e
    if not isinstance(data, bytes):
        raise SourceError("the file was opened as text: open it in binary mode")
    return data, Path(name) if isinstance(name, str) else None


def agent_files(log: Path, session_id: str) -> list[Path]:
    """The agent files that belong to a log: those in its directory, and older ones beside it that name its session."""
    found = sorted((log.parent / log.stem / "subagents").glob("**/agent-*.jsonl"))
    for path in sorted(log.parent.glob("agent-*.jsonl")):
        if path.name != log.name and _first_session_id(path) == session_id:
            found.append(path)
    return found


def _first_session_id(path: Path) -> str | None:
    try:
        with path.open("rb") as file:
            for line in native_lines(file.readline()):
                return text(line.value.get("sessionId"))
    except OSError:
        return None
    return None


def native_lines(data: bytes) -> list[NativeLine]:
    """The units of a log in file order. Only LF ends a line; never raises."""
    units: list[NativeLine] = []
    lines = data.split(b"\n")
    torn = lines.pop() if lines[-1] == b"" else None
    for number, line in enumerate(lines, 1):
        last = number == len(lines) and torn is None
        if number == 1:
            line = line.removeprefix(b"\xef\xbb\xbf")
        bare = line.removesuffix(b"\r").strip(b"\0")
        if not bare.strip():
            units.append(NativeLine(len(units), number, {}, None, BLANK, "blank line"))
        else:
            units.extend(_units(bare, len(units), number, last))
    return units


def _units(line: bytes, index: int, number: int, last: bool) -> Iterator[NativeLine]:
    value, codes = _value(line)
    if codes is not None:
        yield _unit(value, index, number, codes)
        return
    glued = list(_glued(line))
    for offset, (piece, more) in enumerate(glued):
        yield _unit(piece, index + offset, number, (*more, "glued"))
    if not glued:
        reason = "torn at the end of the file" if last else "not JSON"
        if value is not None:
            reason = f"nested deeper than {_MAX_DEPTH} levels"
        yield NativeLine(index, number, {}, _kept_text(line), NOT_JSON, reason)


def _unit(value: Any, index: int, number: int, codes: tuple[str, ...]) -> NativeLine:
    if not isinstance(value, dict):
        return NativeLine(index, number, {}, value, NOT_AN_OBJECT, "JSON, but not an object", codes)
    kind = value.get("type")
    label = kind if isinstance(kind, str) else NO_TYPE
    if kind == "system":
        subtype = value.get("subtype")
        label = f"system/{subtype}" if isinstance(subtype, str) else "system/(no subtype)"
    return NativeLine(index, number, value, value, label, None, codes)


def _value(line: bytes) -> tuple[Any, tuple[str, ...] | None]:
    """The value of a line and what had to be mended; None in place of the codes where it cannot be used."""
    value, findings = ijson.examine(line)
    errors = sorted({f.code for f in findings if f.is_error})
    if not _MENDABLE.issuperset(errors):
        return None, None
    if line.count(b"[") + line.count(b"{") > _MAX_DEPTH and _depth(value) > _MAX_DEPTH:
        return value, None
    if "lone-surrogate" in errors:
        value = _mended(value)
    return value, tuple(errors)


def _depth(value: Any) -> int:
    depth, level = 0, [value]
    while level:
        depth += 1
        level = [
            v
            for item in level
            if isinstance(item, dict | list)
            for v in (item.values() if isinstance(item, dict) else item)
        ]
    return depth - 1


def _mended(value: Any) -> Any:
    """The value with U+FFFD for unpaired surrogates; containers are changed in place, since nobody else has them."""
    holder = [value]
    stack: list[Any] = [holder]
    while stack:
        item = stack.pop()
        if isinstance(item, list):
            item[:] = [_sound(v) for v in item]
            stack.extend(item)
        elif isinstance(item, dict):
            pairs = list(item.items())
            item.clear()
            item.update((_sound(name), _sound(v)) for name, v in pairs)
            stack.extend(item.values())
    return holder[0]


def _sound(value: Any) -> Any:
    return _SURROGATE.sub("\ufffd", value) if isinstance(value, str) else value


def _glued(line: bytes) -> Iterator[tuple[dict[str, Any], tuple[str, ...]]]:
    """The objects of a line that holds nothing but several of them; nothing for any other line."""
    pieces: list[tuple[dict[str, Any], tuple[str, ...]]] = []
    try:
        rest = line.decode("utf-8")
        decoder, at = json.JSONDecoder(), 0
        while at < len(rest):
            end = decoder.raw_decode(rest, at)[1]
            value, codes = _value(rest[at:end].encode())
            if codes is None or not isinstance(value, dict):
                return
            pieces.append((value, codes))
            at = end
            while at < len(rest) and rest[at] in " \t\r\0":
                at += 1
    except (ValueError, RecursionError):
        return
    yield from pieces


def _kept_text(line: bytes) -> Any:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(line).decode()}
