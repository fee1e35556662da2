"""Session logs of Claude Code, as it writes them below `~/.claude/projects`.

Their format has no public description; what this converter knows of it is in `docs/`. Whatever it does not know it keeps.
"""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from sessionrecord.convert.claude_code.session import EXPLANATIONS, Identity, Losses, SessionBuilder, reference
from sessionrecord.convert.claude_code.source import (
    BLANK,
    NO_TYPE,
    LogSource,
    NativeLine,
    agent_files,
    native_lines,
    read_source,
    text,
)
from sessionrecord.convert.claude_code.tree import Links, link_children, partition
from sessionrecord.convert.report import Conversion, ConversionReport, Loss, MadeUp
from sessionrecord.diagnostics import excerpt
from sessionrecord.errors import ConversionError
from sessionrecord.records import Message, Record, ToolCall, ToolResult

__all__ = ["convert"]


class _File:
    """A log and who wrote which of its lines."""

    def __init__(self, data: bytes, path: Path | None) -> None:
        self.path = path
        self.name = None if path is None else os.fsencode(path.name).decode("utf-8", "replace")
        self.stem = None if self.name is None else self.name.removesuffix(".jsonl")
        self.lines = native_lines(data)
        self.first, self.keys = partition(self.lines)
        self._lines_of: defaultdict[str | None, list[NativeLine]] | None = None
        self.report = ConversionReport(
            source=self.name, lines_read=self.lines[-1].number if self.lines else 0, units_read=len(self.lines)
        )

    def lines_of(self, key: str | None) -> list[NativeLine]:
        if self._lines_of is None:
            self._lines_of = defaultdict(list)
            for line in self.lines:
                self._lines_of[line.session].append(line)
        return self._lines_of[key]

    def as_one(self, key: str | None) -> None:
        for line in self.lines:
            line.session = key
        self._lines_of = None


def convert(source: LogSource, *, agents: Iterable[str | os.PathLike[str]] | None = None) -> Conversion:
    """The records of a Claude Code log, of its sub-agents, and a report on every line.

    `agents` are the files of sub-agents. Without it, those in the directory that belongs to the log, and older ones beside
    it, are found by themselves; `()` reads none. What a log says in a way unknown to this version is kept and reported.

    Raises `SourceError` where a file cannot be read, `ConversionError` where the log holds no message at all.
    """
    file = _File(*read_source(source))
    if len(file.keys) == 1 and not any(line.is_conversation and line.session is None for line in file.lines):
        return replace(_convert_agent_log(file), sources=_paths([file]))
    session_id = _session_id(file)
    if agents is None:
        agents = agent_files(file.path, session_id) if file.path is not None else ()
    files = [_File(*read_source(path)) for path in agents]
    return replace(_convert(file, session_id, files), sources=_paths([file, *files]))


def _paths(files: Sequence[_File]) -> tuple[Path, ...]:
    return tuple(Path(file.path) for file in files if file.path is not None)


def _convert_agent_log(file: _File) -> Conversion:
    """The log of one sub-agent, converted by itself."""
    ((key, is_agent),) = file.keys.items()
    file.as_one(None)
    namespace = next((s for line in reversed(file.lines) if (s := text(line.value.get("sessionId")))), None)
    if not is_agent:
        _name_by_root(file, key)
    links = link_children([(None, file.lines)])
    identity = Identity(key, namespace, None if namespace is None else reference(namespace), file.name)
    losses: Losses = Counter()
    main = _build(file, None, identity, links, namespace or key, losses)
    return _finish(file, main, {}, losses, links)


def _convert(file: _File, session_id: str, agents: Sequence[_File]) -> Conversion:
    sessions: dict[str, tuple[_File, str | None, Sequence[NativeLine]]] = {}
    for key, is_agent in file.keys.items():
        sessions[key] = file, key, file.lines_of(key)
        if not is_agent:
            _name_by_root(file, key)
    for agent in agents:
        if agent.lines:
            agent.as_one(None)
            sessions[_agent_id(agent, sessions)] = agent, None, agent.lines
    main_lines = file.lines_of(None)
    links = link_children([(None, main_lines), *((child, lines) for child, (_, _, lines) in sessions.items())])
    losses: Losses = Counter()
    main = _build(file, None, Identity(session_id, None, None, file.name), links, session_id, losses)
    children: dict[str, list[Record]] = {}
    for child, (home, side, _) in sessions.items():
        caller = links.home_of.get(child)
        parent = reference(session_id) if caller is None else reference(caller, session_id)
        own: Losses = losses if home is file else Counter()
        children[child] = _build(home, side, Identity(child, session_id, parent, home.name), links, session_id, own)
        if home is not file:
            home.report.records = Counter(r.type for r in children[child])
            home.report.lost = _lost(own)
            file.report.children[child] = home.report
    for child, call in links.inferred.items():
        file.report.note(
            0, "child-inferred", f"{child!r} is taken for the session of the call {call!r}, whose prompt it begins with"
        )
    return _finish(file, main, children, losses, links)


def _build(
    file: _File, key: str | None, identity: Identity, links: Links, namespace: str, losses: Losses
) -> list[Record]:
    builder = SessionBuilder(file.lines_of(key), file.first, key, identity, links, namespace, _version(), file.report)
    records = builder.build()
    losses.update(builder.losses)
    return records


def _finish(
    file: _File, main: list[Record], children: dict[str, list[Record]], losses: Losses, links: Links
) -> Conversion:
    report = file.report
    if not any(
        isinstance(r, Message | ToolCall | ToolResult) for records in (main, *children.values()) for r in records
    ):
        raise ConversionError(_nothing(file))
    report.records = Counter(r.type for r in main)
    report.lost = _lost(losses)
    report.child_usage = dict(links.tokens)
    given = {*children, main[0].to_wire()["sessionId"]}
    for agent, line in links.named.items():
        if agent not in given:
            report.note(
                line.number,
                "child-not-given",
                f"the session of the sub-agent {agent!r} is named, but its log was not given",
            )
    if any(line.is_conversation and isinstance(line.value.get("cwd"), str) for line in file.lines):
        report.made_up.append(MadeUp(0, "roots[].id", "cwd", "the log does not name its directories"))
    return Conversion(main, children, report)


def _lost(losses: Losses) -> list[Loss]:
    return [Loss(kind, member, count, EXPLANATIONS[kind]) for (kind, member), count in losses.items()]


def _nothing(file: _File) -> str:
    counts = Counter(
        "without type" if line.label == NO_TYPE else line.label for line in file.lines if line.label != BLANK
    )
    named = [
        f"{name if name.isprintable() and len(name) <= 40 else excerpt(name)} {n}" for name, n in counts.most_common(8)
    ]
    number = file.report.lines_read
    name = "" if file.name is None else f" of {file.name if file.name.isprintable() else excerpt(file.name)}"
    found = ", ".join(named) + (" …" if len(counts) > 8 else "") or "nothing"
    return f"no message in {number} line{'' if number == 1 else 's'}{name}: {found}. Is it a Claude Code session log?"


def _session_id(file: _File) -> str:
    lines = file.lines_of(None)
    ids = [(s, line.number) for line in lines if (s := text(line.value.get("sessionId")))]
    if ids:
        own = file.stem if file.stem in {s for s, _ in ids} else ids[-1][0]
        others = [(s, n) for s, n in ids if s != own]
        if others:
            s, n = others[0]
            file.report.note(n, "other-session-id", f"{len(others)} lines name another session, the first {s!r}")
        return own or ids[-1][0]
    found = file.stem or next((line.uuid for line in lines if line.uuid), None)
    if found is None or not any(line.is_conversation for line in file.lines):
        raise ConversionError(_nothing(file) if found is None or not file.keys else "no line names the session")
    file.report.made_up.append(MadeUp(0, "sessionId", found, "no line names the session"))
    return found


def _agent_id(agent: _File, taken: dict[str, tuple[_File, str | None, Sequence[NativeLine]]]) -> str:
    stated = next((a for line in agent.lines if (a := text(line.value.get("agentId")))), None)
    name = stated or (agent.stem or "agent").removeprefix("agent-")
    wanted, number = name, 2
    while wanted in taken:
        wanted, number = f"{name}#{number}", number + 1
    if wanted != stated:
        why = "another child session has the agent ID already" if stated else "no line of the file names the agent"
        agent.report.made_up.append(MadeUp(0, "sessionId", wanted, why))
    return wanted


def _name_by_root(file: _File, key: str) -> None:
    line = next((line for line in file.lines if line.uuid == key), None)
    file.report.made_up.append(
        MadeUp(
            line.number if line else 0, "sessionId", key, "the sidechain names no agent; this is the uuid of its root"
        )
    )


def _version() -> str | None:
    try:
        return version("sessionrecord")
    except PackageNotFoundError:
        return None
