"""The records of one session, made from its lines in file order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sessionrecord.convert import accounting
from sessionrecord.convert.accounting import Losses, header_losses, salvage
from sessionrecord.convert.claude_code.blocks import HARNESS
from sessionrecord.convert.claude_code.drafts import Draft, Drafter, Plan, model_call, native_line
from sessionrecord.convert.claude_code.members import dropped
from sessionrecord.convert.claude_code.source import NativeLine
from sessionrecord.convert.claude_code.structure import Made, Structure
from sessionrecord.convert.claude_code.tree import Links, SessionIndex
from sessionrecord.convert.native import BLANK, members, same, text, timestamp
from sessionrecord.convert.report import ConversionReport, MadeUp, Unconverted
from sessionrecord.records import (
    Compaction,
    Declaration,
    Message,
    Producer,
    Record,
    SessionHeader,
    ToolCall,
    ToolResult,
)
from sessionrecord.records.envelope import EnvelopeModel
from sessionrecord.refs import SessionKey, SessionReference
from sessionrecord.stream.authoring import FORMAT_VERSION, RecordList

__all__ = ["Identity", "SessionBuilder", "reference"]

EXPLANATIONS: Final = accounting.EXPLANATIONS | {
    "structure": "the line begins a conversation of its own; a stream has one, so it follows what came before",
    "line_identity": "the summary is part of its compaction; its own uuid and timestamp are not kept",
}
"""Kind of loss to what it means."""


def reference(session_id: str, namespace: str | None = None) -> str:
    """The session reference of a Claude Code session."""
    return str(SessionReference(SessionKey(HARNESS, namespace, session_id)))


@dataclass(frozen=True, slots=True)
class Identity:
    """Who a session is."""

    session_id: str
    """Its ID."""
    namespace: str | None
    """For a child, the ID of the main session: agent IDs repeat."""
    parent: str | None
    """For a child, the session reference of the one that called it."""
    path: str | None
    """Base name of the log, where it has one."""


class _Records(RecordList):
    def add(self, draft: Draft, envelope: dict[str, Any]) -> EnvelopeModel:
        return self._add(draft.cls, envelope, **draft.members)


class SessionBuilder:
    """Makes the records of one session."""

    def __init__(
        self,
        lines: Sequence[NativeLine],
        first: dict[str, NativeLine],
        key: str | None,
        identity: Identity,
        links: Links,
        namespace: str,
        version: str | None,
        report: ConversionReport,
    ) -> None:
        self.losses: Losses = Counter()
        """What was lost."""
        self._lines = lines
        self._identity = identity
        self._links = links
        self._namespace = namespace
        self._version = version
        self._report = report
        self._index = SessionIndex(lines, first, key)
        self._structure = Structure(self._index, identity.namespace is not None, len(lines))
        self._drafter = Drafter(self._index, self._child_session, report.note, self._made_up)
        self._out = _Records()
        self._latest: dict[tuple[str, ...], tuple[Draft, int]] = {}
        self._seen: dict[str, NativeLine] = {}
        self._kept: Sequence[str] = ()
        self._named: set[tuple[str, str]] = set()
        self._mode: str | None = None
        self._root: tuple[str, str | None] | None = None
        self._agent_version: str | None = None

    def build(self) -> list[Record]:
        """The records, header first."""
        self._header()
        for line in self._lines:
            self._line(line)
        records = self._out.records
        header = records[0]
        assert isinstance(header, SessionHeader)
        losses = header_losses(self.losses, EXPLANATIONS)
        if losses:
            records[0] = header.replace(losses=losses)
        return records

    def _made_up(self, line: int, what: str, value: str, why: str) -> None:
        if (what, value) not in self._named:
            self._named.add((what, value))
            self._report.made_up.append(MadeUp(line, what, value, why))

    def _child_session(self, native_id: str) -> str | None:
        child = self._links.child_of.get(native_id)
        return None if child is None else reference(child, self._namespace)

    def _header(self) -> None:
        first = next((line for line in self._lines if isinstance(line.value.get("cwd"), str)), None)
        roots = None
        if first is not None:
            self._root = first.value["cwd"], text(first.value.get("gitBranch"))
            roots = [self._root_member()]
        self._agent_version = next((v for line in self._lines if (v := text(line.value.get("version")))), None)
        forked = next((f for line in reversed(self._lines) if (f := members(line.value.get("forkedFrom")))), {})
        fork: dict[str, Any] | None = None
        if text(forked.get("sessionId")):
            fork = {"session": reference(forked["sessionId"])}
            if text(forked.get("messageUuid")):
                fork["ref"] = f"messageId={forked['messageUuid']}"
        drafted = {
            "agent": HARNESS,
            "session_id": self._identity.session_id,
            "namespace": self._identity.namespace,
            "producer": Producer(method="converter", name="sessionrecord", version=self._version),
            "format_version": FORMAT_VERSION,
            "agent_version": self._agent_version,
            "parent": self._identity.parent,
            "fork_of": fork,
            "roots": roots,
        }
        self._out.add(Draft(SessionHeader, drafted), {})

    def _root_member(self) -> dict[str, Any]:
        assert self._root is not None
        path, branch = self._root
        root: dict[str, Any] = {"id": "cwd", "path": path}
        if branch is not None:
            root["vcs"] = {"kind": "git", "branch": branch}
        return root

    def _line(self, line: NativeLine) -> None:
        if line.label == BLANK:
            self._report.not_converted.append(Unconverted(line.number, line.label, line.fault or ""))
            return
        plan = self._drafter.plan(line)
        repeated = self._repeated(plan)
        ends = self._index.ends.get(line.index)
        earlier = self._seen.setdefault(line.uuid, line) if line.uuid else line
        if plan.merged is not None and earlier is not line:
            repeated = earlier.number
        if repeated is not None and ends is None:
            self._repeat(line, plan, earlier, repeated)
            return
        salvage(line, self._report, self.losses)
        self._count(line, plan)
        envelope = self._envelope(line)
        self._surroundings(line, envelope)
        if plan.merged is not None:
            self._merge(line, plan.merged)
        self._emit(line, plan, envelope)
        if ends is not None:
            self._model_call(line, ends[0], envelope)

    def _repeated(self, plan: Plan) -> int | None:
        """The line that said all of this before, or None."""
        numbers = [self._said_before(draft) for draft in plan.drafts]
        if not numbers or None in numbers:
            return None
        return numbers[0]

    def _said_before(self, draft: Draft) -> int | None:
        known = self._latest.get(draft.key) if draft.key else None
        if known is None or not same(_comparable(known[0]), _comparable(draft)):
            return None
        return known[1]

    def _repeat(self, line: NativeLine, plan: Plan, earlier: NativeLine, number: int) -> None:
        self._report.not_converted.append(Unconverted(line.number, line.label, f"repeats line {number}"))
        if earlier is not line and earlier.parent != line.parent:
            self._report.note(
                line.number, "repeat-moved", f"it repeats line {number} with another parentUuid; the first one counts"
            )
        if line.uuid and line.uuid not in self._structure.made:
            made = self._made_by(plan.drafts)
            if made is not None:
                self._structure.made[line.uuid] = made
        salvage(line, self._report, self.losses)

    def _made_by(self, drafts: Iterable[Draft]) -> Made | None:
        found = [self._latest[d.key][0].made for d in drafts if d.key is not None and d.key in self._latest]
        return next((made for made in reversed(found) if made is not None), None)

    def _count(self, line: NativeLine, plan: Plan) -> None:
        getattr(self._report, plan.outcome)[line.label] += 1
        if plan.reason is not None:
            self._report.kept_reasons.append(Unconverted(line.number, line.label, plan.reason))
        if plan.role is not None:
            for member in dropped(line, plan.role, [draft.members for draft in plan.drafts]):
                self.losses["member_dropped", member] += 1

    def _envelope(self, line: NativeLine) -> dict[str, Any]:
        turn, inherited = self._index.turn(line)
        self._report.turns_inherited += inherited
        source = {"path": self._identity.path, "line": line.number, "nativeType": line.type, "nativeId": line.uuid}
        return {
            "timestamp": timestamp(line.value.get("timestamp")),
            "turn_id": turn,
            "source": {k: v for k, v in source.items() if v is not None},
        }

    def _surroundings(self, line: NativeLine, envelope: dict[str, Any]) -> None:
        """What changed around the conversation before this line: permission mode, directory, branch, version."""
        mode = text(line.value.get("permissionMode")) if line.type in ("user", "permission-mode") else None
        if mode is not None and mode != self._mode:
            self._mode = mode
            if line.type == "user":
                self._out.add(native_line("permission-mode", {"permissionMode": mode}), envelope)
        if not (line.is_conversation or line.type in ("system", "progress", "attachment")):
            return
        cwd, branch = line.value.get("cwd"), line.value.get("gitBranch")
        if isinstance(cwd, str) and self._root is not None:
            same_place = self._root[1] if cwd == self._root[0] else None
            root = cwd, (branch or None) if isinstance(branch, str) else same_place
            if root != self._root:
                self._root = root
                self._out.add(Draft(Declaration, {"roots": [self._root_member()]}), envelope)
        version = text(line.value.get("version"))
        if version is not None and version != self._agent_version:
            self._report.note(
                line.number,
                "version-changed",
                f"the agent's version is {version!r} from here on; the header has the first one",
            )
            self.losses["member_dropped", "version"] += 1
            self._agent_version = version

    def _merge(self, line: NativeLine, boundary: NativeLine) -> None:
        made = self._structure.made.get(boundary.uuid or "")
        if line.uuid and made is not None:
            self._structure.made.setdefault(line.uuid, made)
        self._report.merged[line.number] = boundary.number
        self.losses["line_identity", None] += 1

    def _emit(self, line: NativeLine, plan: Plan, envelope: dict[str, Any]) -> None:
        first: str | None = None
        last: str | None = None
        for draft in plan.drafts:
            known = self._latest.get(draft.key) if draft.key else None
            if known is not None:
                if not same(_comparable(known[0]), _comparable(draft)):
                    self._revise(line, draft, known, envelope)
                continue
            place = envelope
            if draft.participates and first is None:
                place = self._placed(line, plan, draft, envelope)
            record = self._out.add(draft, place)
            if draft.participates:
                last = _ref(record)
                first = first or last
                draft.made = Made(last, last, plan.group)
                self._join(line, first, last, plan.group)
            if draft.key is not None:
                self._latest[draft.key] = draft, line.number
        if first is None and line.uuid and line.uuid not in self._structure.made:
            made = self._made_by(plan.drafts)
            if made is not None:
                self._structure.made[line.uuid] = made

    def _join(self, line: NativeLine, first: str, last: str, group: str | None) -> None:
        self._structure.join(line, first, last, group)
        if line.is_boundary:
            self._structure.relink(self._kept, last)

    def _placed(self, line: NativeLine, plan: Plan, draft: Draft, envelope: dict[str, Any]) -> dict[str, Any]:
        if line.is_boundary:
            self._kept, says_so = self._structure.keep(line)
            draft.members["kept_from"] = self._structure.first_made(self._kept)
            if says_so and draft.members["kept_from"] is None:
                self._report.note(line.number, "kept-not-found", "the lines that stay in context are not in the log")
        predecessor, code = self._structure.predecessor(line, plan.group)
        if code is not None:
            self._report.note(line.number, code, _STRUCTURE_NOTES[code])
        if code == "second-root":
            self.losses["structure", None] += 1
        if predecessor is None or predecessor == self._structure.head:
            return envelope
        return {**envelope, "predecessor": predecessor}

    def _revise(self, line: NativeLine, draft: Draft, known: tuple[Draft, int], envelope: dict[str, Any]) -> None:
        if "kept_from" in known[0].members:
            draft.members["kept_from"] = known[0].members["kept_from"]
        self._out.add(draft, envelope)
        self._report.note(line.number, "revised", f"it tells line {known[1]} anew; the record is a revision")
        draft.made = known[0].made
        assert draft.key is not None
        self._latest[draft.key] = draft, line.number

    def _model_call(self, line: NativeLine, message_id: str, envelope: dict[str, Any]) -> None:
        message = self._index.ends[line.index][1]
        drafts, refused = model_call(message_id, message)
        for draft in drafts:
            self._out.add(draft, envelope)
        self._report.model_calls += 1
        self._report.calls_without_stop_reason += message.stop_reason is None
        for member in refused:
            self._report.note(line.number, "usage-invalid", f"{member} is not a count")


_STRUCTURE_NOTES: Final = {
    "missing-parent": "the line's ancestor was never written; the predecessor is as recorded",
    "parent-cycle": "the line's ancestors are a ring; the predecessor is as recorded",
    "parent-later": "the line's parent comes later; the predecessor is as recorded",
    "second-root": EXPLANATIONS["structure"],
}


def _comparable(draft: Draft) -> dict[str, Any]:
    # what stays in context depends on what came before
    return {k: v for k, v in draft.members.items() if k != "kept_from"}


def _ref(record: EnvelopeModel) -> str:
    if isinstance(record, Message):
        return f"messageId={record.message_id}"
    if isinstance(record, ToolCall):
        return f"callId={record.call_id}"
    if isinstance(record, Compaction):
        return f"compactionId={record.compaction_id}"
    assert isinstance(record, ToolResult)
    return record.id
