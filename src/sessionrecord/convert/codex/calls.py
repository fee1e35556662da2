"""Tool calls of Codex: their entities' IDs, and what can be said of a call and of its output."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from sessionrecord import ijson
from sessionrecord.convert.codex.blocks import content_of
from sessionrecord.convert.native import MAX_DEPTH, depth, is_duration, members
from sessionrecord.errors import IJsonError

__all__ = ["CALLS", "OUTPUTS", "Calls", "Use", "arguments_of", "details", "output_of"]

CALLS: Final = {
    "function_call": "arguments",
    "custom_tool_call": "input",
    "local_shell_call": "action",
    "web_search_call": "action",
}
"""Native type of a call to the member that holds its arguments."""
OUTPUTS: Final = frozenset({"function_call_output", "custom_tool_call_output"})
"""Native types of outputs."""

_COMMANDS: Final = frozenset("shell container.exec shell_command local_shell exec_command write_stdin".split())
_KINDS: Final = {
    **dict.fromkeys(_COMMANDS, "execute"),
    "apply_patch": "edit",
    "read_file": "read",
    "view_image": "read",
    "grep_files": "search",
    "list_dir": "search",
    "web_search": "fetch",
    "update_plan": "think",
}
_PATCHED: Final = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$", re.MULTILINE)
# what the harness writes above the output of a command, in its two forms
_HEADS: Final = (
    re.compile(
        r"(?:Chunk ID: [0-9a-f]+\n)?Wall time: (?P<time>[0-9]{1,9}(?:\.[0-9]{1,9})?) seconds\n"
        r"(?:Process exited with code (?P<code>-?[0-9]{1,10})\n)?"
    ),
    re.compile(
        r"Exit code: (?P<code>-?[0-9]{1,10})\nWall time: (?P<time>[0-9]{1,9}(?:\.[0-9]{1,9})?) seconds\n"
    ),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Use:
    """One tool call."""

    call_id: str
    """The entity's ID: the native one, or made from it."""
    name: str | None
    """The tool's name."""


class Calls:
    """The tool calls so far, by native ID."""

    def __init__(self) -> None:
        self._uses: dict[str, dict[bytes, Use]] = {}
        self._latest: dict[str, Use] = {}
        self._taken: set[str] = set()

    def use(self, native_id: str, kind: str, name: str | None, asked: Any) -> Use:
        """The call that a line tells of: one that is known if it asks the same, else a new one with an ID of its own."""
        uses = self._uses.setdefault(native_id, {})
        said = ijson.dumps([kind, name, asked])
        if said not in uses:
            call_id, number = native_id, len(uses) + 1
            while call_id in self._taken:
                call_id, number = f"{native_id}#{number}", number + 1
            self._taken.add(call_id)
            uses[said] = Use(call_id, name)
        self._latest[native_id] = uses[said]
        return uses[said]

    def answered(self, native_id: str) -> Use | None:
        """The call that an output answers: the latest with the ID."""
        return self._latest.get(native_id)


def arguments_of(kind: str, given: Any) -> Any:
    """The arguments of a call. Those of functions are JSON in a string: its value, or the string if that is not strict JSON."""
    if kind != "function_call" or not isinstance(given, str):
        return given
    try:
        value = ijson.loads(given.encode("utf-8", "surrogatepass"))
    except IJsonError:
        return given
    return value if isinstance(value, dict | list) and depth(value) <= MAX_DEPTH else given


def details(name: str | None, asked: Any) -> dict[str, Any]:
    """Kind, server and locations of a call, where its name and arguments tell them."""
    found: dict[str, Any] = {}
    if name is None:
        return found
    if name in _KINDS:
        found["kind"] = _KINDS[name]
    server, separator, tool = name.removeprefix("mcp__").partition("__")
    if name.startswith("mcp__") and separator and server and tool:
        found["server"] = server
    if name == "apply_patch":
        patch = members(asked).get("input", asked)
        paths = dict.fromkeys(_PATCHED.findall(patch)) if isinstance(patch, str) else {}
        if paths:
            found["locations"] = [{"path": path} for path in paths]
    return found


def output_of(name: str | None, output: Any) -> dict[str, Any]:
    """The members of a result: the output as the model got it, and what the harness wrote into it of how the call ended.

    Codex takes a command for successful where its exit code is 0; the same is said here, and nothing where it gives none.
    """
    result: dict[str, Any] = {}
    success: Any = None
    told: tuple[Any, Any] = (None, None)
    if isinstance(output, dict):
        success = output.get("success")
        result["structured"] = output
        if isinstance(output.get("content"), str):
            result["content"] = content_of(output["content"])
            told = _told(name, output["content"])
    elif output is not None:
        result["content"] = content_of(output)
        if isinstance(output, str):
            told = _told(name, output)
    code, duration = told
    if type(code) is int and abs(code) <= ijson.MAX_SAFE_INTEGER:
        result["exit_code"] = code
        success = code == 0 if success is None else success
    if duration is not None:
        result["duration_ms"] = duration
    if isinstance(success, bool):
        result["outcome"] = "success" if success else "error"
    return result


def _told(name: str | None, output: str) -> tuple[Any, Any]:
    """Exit code and milliseconds that the harness wrote into the output of a command or patch."""
    if name not in _COMMANDS and name != "apply_patch":
        return None, None
    for head in _HEADS:
        found = head.match(output)
        if found is not None:
            code = found["code"]
            return None if code is None else int(code), _milliseconds(Decimal(found["time"]))
    if not output.startswith('{"'):
        return None, None
    try:
        metadata = members(members(ijson.loads(output.encode("utf-8", "surrogatepass"))).get("metadata"))
    except IJsonError:
        return None, None
    seconds = metadata.get("duration_seconds")
    return metadata.get("exit_code"), _milliseconds(Decimal(str(seconds))) if is_duration(seconds) else None


def _milliseconds(seconds: Decimal) -> int | float | None:
    value = seconds * 1000
    if not value.is_finite() or value > 2**53:
        return None
    return int(value) if value == int(value) else float(value)
