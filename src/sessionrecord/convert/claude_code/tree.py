"""What must be known of a whole log before the first record is made: who wrote which line, and what belongs together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from sessionrecord.convert.claude_code.source import NativeLine
from sessionrecord.convert.native import members, text

__all__ = ["ApiMessage", "Links", "SessionIndex", "link_children", "partition"]

_CALLERS: Final = ("Task", "Agent")


@dataclass(slots=True)
class ApiMessage:
    """One answer of the model, which the log spreads over several lines."""

    last: NativeLine
    """The last line that adds something to it."""
    usage: dict[str, Any] | None = None
    """The last usage object."""
    stop_reason: str | None = None
    """The last stop reason."""
    request_id: str | None = None
    """The provider's ID of the request."""
    model: str | None = None
    """The model."""
    uuids: set[str] = field(default_factory=set)
    """The lines' uuids."""
    calls: set[str] = field(default_factory=set)
    """IDs of its tool uses."""

    def add(self, line: NativeLine) -> None:
        """Take in a line; one that only repeats what is there does not become the last."""
        message = line.message
        usage, stop = message.get("usage"), text(message.get("stop_reason"))
        content = message.get("content")
        calls = {text(b.get("id")) or "" for _, b in line.blocks("tool_use")}
        copied = line.uuid in self.uuids or (
            isinstance(content, list) and 0 < len(content) == len(calls) and calls <= self.calls
        )
        if not (copied and usage in (None, self.usage) and stop in (None, self.stop_reason)):
            self.last = line
        if isinstance(usage, dict):
            self.usage = usage
        self.stop_reason = stop or self.stop_reason
        self.request_id = text(line.value.get("requestId")) or self.request_id
        self.model = text(message.get("model")) or self.model
        self.calls |= calls
        if line.uuid:
            self.uuids.add(line.uuid)


class SessionIndex:
    """Look-ahead over the lines of one session, and the uuids of the whole file."""

    def __init__(self, lines: Sequence[NativeLine], first: dict[str, NativeLine], session: str | None) -> None:
        self.session = session
        """Key of the session's lines."""
        self.first = first
        """Uuid to the first line of the file that has it."""
        self.ends: dict[int, tuple[str, ApiMessage]] = {}
        """Line index to the API message that ends there, and its ID."""
        self.summary_of: dict[int, NativeLine] = {}
        """Index of a compaction boundary to its summary line."""
        self.boundary_of: dict[int, NativeLine] = {}
        """Index of a summary line to its boundary."""
        self._turns: dict[str, str | None] = {}
        messages: dict[str, ApiMessage] = {}
        boundary: NativeLine | None = None
        for line in lines:
            message_id = line.api_message_id
            if message_id:
                messages.setdefault(message_id, ApiMessage(line)).add(line)
            if line.is_boundary:
                boundary = line
            elif line.is_summary and (line.uuid is None or first[line.uuid] is line):
                named = first.get(line.parent or "")
                of = named if named is not None and named.is_boundary else boundary
                if of is not None and of.index not in self.summary_of:
                    self.summary_of[of.index] = line
                    self.boundary_of[line.index] = of
        for message_id, message in messages.items():
            self.ends[message.last.index] = message_id, message

    def turn(self, line: NativeLine) -> tuple[str | None, bool]:
        """The turn of a line, and whether it is that of its nearest ancestor that names one."""
        own = text(line.value.get("promptId"))
        if own:
            return own, False
        passed: list[str] = []
        turn: str | None = None
        u = line.parent
        while u is not None:
            if u in self._turns:
                turn = self._turns[u]
                break
            at = self.first.get(u)
            if at is None or at.session != self.session:
                break
            self._turns[u] = turn = text(at.value.get("promptId"))
            if turn:
                break
            passed.append(u)
            u = at.parent
        self._turns.update(dict.fromkeys(passed, turn))
        return turn, turn is not None


def partition(lines: Sequence[NativeLine]) -> tuple[dict[str, NativeLine], dict[str, bool]]:
    """Give every sidechain line its session; returns uuid to first line, and the keys with whether each is an agent's ID.

    A sidechain is named by the agent ID of its root, else by the root's uuid.
    """
    first: dict[str, NativeLine] = {}
    for line in lines:
        if line.uuid:
            first.setdefault(line.uuid, line)
    key_of: dict[int, str] = {}
    named: dict[str, bool] = {}
    for line in lines:
        if line.is_sidechain:
            key = _key(line, first, key_of, named)
            if line.is_conversation:
                line.session = key
    found = {line.session for line in lines if line.session is not None}
    for line in lines:
        if not line.is_conversation:
            agent = text(line.value.get("agentId"))
            wanted = key_of.get(line.index, agent)
            line.session = wanted if wanted in found else agent if agent in found else None
    return first, {key: is_agent for key, is_agent in named.items() if key in found}


def _key(line: NativeLine, first: dict[str, NativeLine], key_of: dict[int, str], named: dict[str, bool]) -> str:
    passed: dict[int, NativeLine] = {}
    at = line
    while at.index not in key_of:
        passed[at.index] = at
        above = first.get(at.parent or "")
        if above is None or not above.is_sidechain or above.index in passed:
            agent = text(at.value.get("agentId"))
            key_of[at.index] = agent or at.uuid or f"line-{at.number}"
            named[key_of[at.index]] = agent is not None
            break
        at = above
    key = key_of[at.index]
    key_of.update(dict.fromkeys(passed, key))
    return key


@dataclass(slots=True)
class Links:
    """Which tool calls started which child sessions."""

    child_of: dict[str, str] = field(default_factory=dict)
    """Tool use ID to the session ID of the child."""
    home_of: dict[str, str | None] = field(default_factory=dict)
    """Session ID of a child to the session that called it; None for the main session."""
    inferred: dict[str, str] = field(default_factory=dict)
    """Session ID of a child to the call that it was matched to by its prompt."""
    named: dict[str, NativeLine] = field(default_factory=dict)
    """Agent ID to the result line that names it."""
    tokens: dict[str, int] = field(default_factory=dict)
    """Agent ID to the tokens that the result says it used."""


@dataclass(slots=True)
class _Call:
    line: NativeLine
    home: str | None
    prompt: str | None


def link_children(sessions: Iterable[tuple[str | None, Sequence[NativeLine]]]) -> Links:
    """Find the calls of child sessions: by the agent ID in the result, else the root's parent, else the root's text."""
    links = Links()
    calls: dict[str, _Call] = {}
    roots: dict[str, NativeLine] = {}
    for key, lines in sessions:
        if key is not None:
            roots[key] = next((line for line in lines if line.is_conversation), lines[0])
        for line in lines:
            _collect(line, key, calls, links)
    for call_id, child in links.child_of.items():
        if call_id in calls:
            links.home_of.setdefault(child, calls[call_id].home)
    taken = set(links.child_of)
    by_line: dict[str, list[str]] = {}
    by_prompt: dict[str, list[str]] = {}
    for call_id, call in calls.items():
        by_line.setdefault(call.line.uuid or "", []).append(call_id)
        if call.prompt is not None:
            by_prompt.setdefault(call.prompt, []).append(call_id)
    linked = set(links.child_of.values())
    for child, root in roots.items():
        if child in linked:
            continue
        above = by_line.get(root.parent or "", []) if root.parent else []
        like = [c for c in by_prompt.get(_text_of(root), ()) if c not in taken]
        found = above if len(above) == 1 and above[0] not in taken else like
        if len(found) == 1:
            links.child_of[found[0]] = child
            links.home_of[child] = calls[found[0]].home
            taken.add(found[0])
            if found is like:
                links.inferred[child] = found[0]
    return links


def _collect(line: NativeLine, key: str | None, calls: dict[str, _Call], links: Links) -> None:
    if line.type == "assistant":
        for _, block in line.blocks("tool_use"):
            call_id = text(block.get("id"))
            if call_id and block.get("name") in _CALLERS:
                prompt = members(block.get("input")).get("prompt")
                calls.setdefault(call_id, _Call(line, key, prompt if isinstance(prompt, str) else None))
        return
    result = members(line.value.get("toolUseResult"))
    agent = text(result.get("agentId"))
    if line.type != "user" or agent is None:
        return
    for _, block in line.blocks("tool_result"):
        call_id = text(block.get("tool_use_id"))
        if call_id:
            links.child_of.setdefault(call_id, agent)
            links.named.setdefault(agent, line)
            if type(result.get("totalTokens")) is int:
                links.tokens[agent] = result["totalTokens"]
            return


def _text_of(line: NativeLine) -> str:
    content = line.message.get("content")
    if isinstance(content, str):
        return content
    return "".join(b["text"] for _, b in line.blocks("text") if isinstance(b.get("text"), str))
