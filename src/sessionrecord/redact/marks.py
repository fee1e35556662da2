"""What a redacted stream says of its redaction: capture states in the records, and the total in the header. Spec sections 4 and 6."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from sessionrecord import ijson
from sessionrecord.redact.edits import Edit, apply
from sessionrecord.redact.tree import Node, Path, parse, text, written

__all__ = ["mark_declaration", "mark_members", "written_paths"]

_SAID: Final = {"capture": ("state", "count", "reason"), "losses": ("kind", "stage", "count", "explanation")}
_OURS: Final = re.compile(r"removed: (\S+ [0-9]{1,15}(?:, \S+ [0-9]{1,15})*)(; it was .*)?", re.S)


def mark_members(line: bytes, members: Mapping[str, Counter[str]]) -> bytes | None:
    """The record with a capture state for each member that something was removed from; None where it cannot hold any, or there is no member.

    What a state said of the original's size stays true and is kept. A hash of it, or a blob that holds it, is left out: with either
    the secret could be found again.
    """
    root = parse(line)
    if root is None or root.kind != "object" or not members:
        return None
    capture, null = _unless_null(line, root.get("capture"))
    if capture is not None and capture.kind != "object":
        return None
    edits: list[Edit] = []
    new: list[bytes] = []
    for name, counts in members.items():
        there = None if capture is None else capture.get(name)
        state = written(_state(None if there is None else _value(line, there), counts))
        if there is not None:
            edits.append(Edit(there.start, there.end, state, ()))
        else:
            new.append(written(name) + b":" + state)
    if null is not None:
        edits.append(Edit(null.start, null.end, b"{%s}" % b",".join(new), ()))
    elif capture is None:
        edits.append(_appended(root, b'"capture":{%s}' % b",".join(new)))
    elif new:
        edits.append(_appended(capture, b",".join(new)))
    return apply(line, sorted(edits, key=lambda e: e.start))


def mark_declaration(line: bytes, counts: Counter[str], *, is_header: bool) -> bytes:
    """A header, or a declaration that replaces what it says, with the redaction among its losses and its content level."""
    root = parse(line)
    if root is None or root.kind != "object":
        return line
    edits: list[Edit] = []
    new: list[bytes] = []
    level, losses = root.get("contentLevel"), root.get("losses")
    if level is None:
        new += [b'"contentLevel":"redacted"'] * is_header
    elif text(line, level) == "full" or (is_header and _is_null(line, level)):
        edits.append(Edit(level.start, level.end, b'"redacted"', ()))
    loss = ijson.dumps(
        {"kind": "secret", "stage": "redaction", "count": counts.total(), "explanation": _listed(counts)}
    )
    if losses is None:
        new += [b'"losses":[%s]' % loss] * is_header
    elif losses.kind == "array":
        edits.append(_appended(losses, loss))
    elif is_header and _is_null(line, losses):
        edits.append(Edit(losses.start, losses.end, b"[%s]" % loss, ()))
    if new:
        edits.append(_appended(root, b",".join(new)))
    return apply(line, sorted(edits, key=lambda e: e.start))


def written_paths(line: bytes, root: Node) -> frozenset[Path]:
    """Where a record says of redaction what `mark_members` and `mark_declaration` write: no rule is about that."""
    found: set[Path] = set()
    for parent in ("capture", "losses"):
        node = root.get(parent)
        for member in [] if node is None else node.members:
            said = _value(line, member.node)
            if isinstance(said, dict) and (_is_our_state(said) if parent == "capture" else _is_our_loss(said)):
                found.add(member.node.path)
                found.update((*member.node.path, name) for name in _SAID[parent])
    return frozenset(found)


def _is_our_state(state: dict[str, Any]) -> bool:
    ours = _OURS.fullmatch(state["reason"]) if isinstance(state.get("reason"), str) else None
    return ours is not None and not ours[2] and state.get("state") == "redacted"


def _is_our_loss(loss: dict[str, Any]) -> bool:
    words = f"removed: {loss.get('explanation')}"
    return (loss.get("kind"), loss.get("stage")) == ("secret", "redaction") and _OURS.fullmatch(words) is not None


def _is_null(line: bytes, node: Node | None) -> bool:
    return node is not None and line[node.start : node.end] == b"null"


def _unless_null(line: bytes, node: Node | None) -> tuple[Node | None, Node | None]:
    """A member's value, and the null that stands there; a null reads as absent."""
    return (None, node) if _is_null(line, node) else (node, None)


def _appended(node: Node, text: bytes) -> Edit:
    """`text` behind what an object or array holds."""
    return Edit(node.end - 1, node.end - 1, b"," * bool(node.members) + text, ())


def _value(line: bytes, node: Node) -> Any:
    return ijson.examine(line[node.start : node.end])[0]


def _state(old: Any, counts: Counter[str]) -> dict[str, Any]:
    """The new capture state of a member, given the one that it had."""
    old = old if isinstance(old, dict) else {}
    total, tail = counts.copy(), ""
    reason = old.get("reason") if isinstance(old.get("reason"), str) else None
    ours = _OURS.fullmatch(reason) if reason is not None and old.get("state") == "redacted" else None
    if ours is not None:
        for part in ours[1].split(", "):
            name, number = part.split(" ")
            total[name] += int(number)
        tail = ours[2] or ""
    elif isinstance(old.get("state"), str) and (old["state"] not in ("complete", "redacted") or reason):
        tail = f"; it was {old['state']}" + (f" ({reason})" if reason else "")
    size = {"bytes": old["bytes"]} if type(old.get("bytes")) is int else {}
    return {"state": "redacted", **size, "count": total.total(), "reason": f"removed: {_listed(total)}{tail}"}


def _listed(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {n}" for name, n in sorted(counts.items()))
