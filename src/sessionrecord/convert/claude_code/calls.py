"""Tool uses: their entities' IDs, and what can be said of a call from its name and input."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from sessionrecord.convert.claude_code.source import NativeLine
from sessionrecord.convert.native import members, same

__all__ = ["Calls", "Use", "details"]

_KINDS: Final = {
    name: kind
    for kind, names in {
        "read": ("Read", "NotebookRead"),
        "edit": ("Edit", "MultiEdit", "Write", "NotebookEdit"),
        "execute": ("Bash", "BashOutput", "KillShell", "KillBash"),
        "search": ("Grep", "Glob", "LS"),
        "fetch": ("WebFetch", "WebSearch"),
        "think": ("Task", "Agent", "TodoWrite"),
        "switch_mode": ("EnterPlanMode", "ExitPlanMode"),
    }.items()
    for name in names
}
_FILE_TOOLS: Final = frozenset({"Read", "Edit", "Write", "NotebookEdit", "MultiEdit"})


@dataclass(frozen=True, slots=True)
class Use:
    """One use of a tool."""

    call_id: str
    """The entity's ID: the native one, or made from it."""
    line: NativeLine
    """The line that holds it."""
    message: str | None
    """ID of its API message: the group."""
    asked: tuple[Any, Any]
    """Name and input."""


class Calls:
    """The tool uses so far, by native ID."""

    def __init__(self) -> None:
        self._uses: dict[str, list[Use]] = {}
        self._taken: set[str] = set()

    def use(self, native_id: str, line: NativeLine, message: str | None, asked: tuple[Any, Any]) -> tuple[Use, bool]:
        """The use of a tool on a line, and whether its ID had to be made since another call has it."""
        uses = self._uses.setdefault(native_id, [])
        call_id = native_id
        for use in reversed(uses):
            again = line.uuid is not None and use.line.uuid == line.uuid and use.line is not line
            if again or (message is not None and use.message == message and same(use.asked, asked)):
                call_id = use.call_id
                break
        else:
            number = len(uses) + 1
            while call_id in self._taken:
                call_id = f"{native_id}#{number}"
                number += 1
        self._taken.add(call_id)
        uses.append(Use(call_id, line, message, asked))
        return uses[-1], call_id != native_id

    def answered(self, native_id: str, line: Any) -> Use | None:
        """The use that a result answers: the one made by `line`, else the latest."""
        uses = self._uses.get(native_id)
        if not uses:
            return None
        if isinstance(line, str) and uses[-1].line.uuid != line:
            return next((use for use in reversed(uses) if use.line.uuid == line), uses[-1])
        return uses[-1]


def details(name: str | None, asked: Any) -> dict[str, Any]:
    """Kind, server and locations of a call, where its name and input tell them."""
    found: dict[str, Any] = {}
    if name is None:
        return found
    if name in _KINDS:
        found["kind"] = _KINDS[name]
    if name.startswith("mcp__"):
        server, _, tool = name.removeprefix("mcp__").partition("__")
        if server and tool:
            found["server"] = server
    if name in _FILE_TOOLS:
        given = members(asked)
        path = next((given[m] for m in ("file_path", "notebook_path") if isinstance(given.get(m), str)), None)
        if path is not None:
            found["locations"] = [{"path": path}]
    return found
