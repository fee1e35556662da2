"""The records of a rollout, made from its lines in file order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from sessionrecord.convert.accounting import EXPLANATIONS, Losses, header_losses, producer_version, salvage
from sessionrecord.convert.codex.compaction import Entry
from sessionrecord.convert.codex.drafts import Draft, Drafter, Plan, Thread
from sessionrecord.convert.codex.echoes import Echoes
from sessionrecord.convert.codex.members import dropped
from sessionrecord.convert.codex.source import HARNESS, CodexLine
from sessionrecord.convert.native import BLANK, members, same, text, timestamp
from sessionrecord.convert.report import ConversionReport, MadeUp, Unconverted
from sessionrecord.records import Compaction, Declaration, Message, Producer, Record, Rewind, SessionHeader
from sessionrecord.records.envelope import EnvelopeModel, ParticipatingModel
from sessionrecord.refs import SessionKey, SessionReference
from sessionrecord.stream.authoring import FORMAT_VERSION, RecordList, ref_of

__all__ = ["SessionBuilder", "reference"]

_TURN_BEGINS: Final = frozenset({"task_started", "turn_started"})
_TURN_ENDS: Final = frozenset({"task_complete", "turn_complete", "turn_aborted"})


def reference(session_id: str) -> str:
    """The session reference of a Codex session."""
    return str(SessionReference(SessionKey(HARNESS, None, session_id)))


class _Records(RecordList):
    def add(self, draft: Draft, envelope: dict[str, Any]) -> EnvelopeModel:
        return self._add(draft.cls, envelope, **draft.members)


class SessionBuilder:
    """Makes the records of one rollout."""

    def __init__(
        self,
        lines: Sequence[CodexLine],
        meta: CodexLine | None,
        session_id: str,
        path: str | None,
        report: ConversionReport,
    ) -> None:
        self.losses: Losses = Counter()
        """What was lost."""
        self._lines = lines
        self._meta = meta
        self._session_id = session_id
        self._path = path
        self._report = report
        self._echoes = Echoes(lines)
        self._thread = Thread()
        models = dict.fromkeys(
            m for line in lines if line.type == "turn_context" and (m := text(line.payload.get("model")))
        )
        self._drafter = Drafter(meta, self._echoes, list(models), self._thread, report.note, self._made_up)
        self._out = _Records()
        self._latest: dict[tuple[str, ...], tuple[Draft, int]] = {}
        self._turn: str | None = None
        self._cwd: str | None = None
        self._has_root = False

    def build(self) -> list[Record]:
        """The records, header first."""
        self._header()
        for line in self._lines:
            self._line(line)
        if self._drafter.repeated_counts:
            self._report.note(
                0,
                "usage-repeated",
                f"{self._drafter.repeated_counts} token counts repeat the one before; a cumulative counter counts once",
            )
        records = self._out.records
        header = records[0]
        assert isinstance(header, SessionHeader)
        losses = header_losses(self.losses, EXPLANATIONS)
        if losses:
            records[0] = header.replace(losses=losses)
        return records

    def _made_up(self, line: int, what: str, value: str, why: str) -> None:
        self._report.made_up.append(MadeUp(line, what, value, why))

    def _header(self) -> None:
        meta = {} if self._meta is None else self._meta.payload
        cwd = meta.get("cwd")
        roots = None
        if isinstance(cwd, str):
            self._cwd = cwd
            roots = [self._root(cwd, members(meta.get("git")))]
        spawned = members(members(members(meta.get("source")).get("subagent")).get("thread_spawn"))
        parent, fork = text(spawned.get("parent_thread_id")), text(meta.get("forked_from_id"))
        client = text(meta.get("originator"))
        drafted = {
            "agent": HARNESS,
            "session_id": self._session_id,
            "namespace": None,
            "producer": Producer(method="converter", name="sessionrecord", version=producer_version()),
            "format_version": FORMAT_VERSION,
            "agent_version": text(meta.get("cli_version")),
            "parent": None if parent is None else reference(parent),
            "fork_of": None if fork is None else {"session": reference(fork)},
            "client": None if client is None else {"name": client},
            "roots": roots,
        }
        self._out.add(Draft(SessionHeader, drafted), {} if self._meta is None else self._envelope(self._meta))

    def _root(self, cwd: str, git: dict[str, Any]) -> dict[str, Any]:
        if not self._has_root:
            self._has_root = True
            self._made_up(0, "roots[].id", "cwd", "the log does not name its directories")
        root: dict[str, Any] = {"id": "cwd", "path": cwd}
        told = {"revision": "commit_hash", "branch": "branch", "remote": "repository_url"}
        vcs = {ours: git[native] for ours, native in told.items() if text(git.get(native))}
        if vcs:
            root["vcs"] = {"kind": "git", **vcs}
        return root

    def _line(self, line: CodexLine) -> None:
        if line.label == BLANK:
            self._report.not_converted.append(Unconverted(line.number, line.label, line.fault or ""))
            return
        salvage(line, self._report, self.losses)
        self._begin_turn(line)
        plan = self._drafter.plan(line)
        repeats = plan.repeats if plan.repeats is not None else self._said_before(plan)
        if repeats is not None:
            self._report.not_converted.append(Unconverted(line.number, line.label, f"repeats line {repeats}"))
        else:
            self._count(line, plan)
            envelope = self._envelope(line)
            self._surroundings(line, envelope)
            for draft in plan.drafts:
                self._emit(line, draft, envelope)
        if line.type == "event_msg" and line.kind in _TURN_ENDS:
            self._turn = None

    def _begin_turn(self, line: CodexLine) -> None:
        named = text(line.payload.get("turn_id"))
        if line.type == "turn_context" or (line.type == "event_msg" and line.kind in _TURN_BEGINS):
            self._turn = named

    def _said_before(self, plan: Plan) -> int | None:
        """The line that said all of this before, or None."""
        numbers = []
        for draft in plan.drafts:
            known = self._latest.get(draft.key) if draft.key else None
            if known is None or not same(known[0].members, draft.members):
                return None
            numbers.append(known[1])
        return numbers[0] if numbers else None

    def _count(self, line: CodexLine, plan: Plan) -> None:
        getattr(self._report, plan.outcome)[line.label] += 1
        if plan.reason is not None:
            self._report.kept_reasons.append(Unconverted(line.number, line.label, plan.reason))
        if plan.outcome != "converted" or line.type == "session_meta":
            return
        for member in (*dropped(line, self._session_id), *plan.lost):
            self.losses["member_dropped", member] += 1

    def _envelope(self, line: CodexLine) -> dict[str, Any]:
        turn = text(line.payload.get("turn_id"))
        if turn is None and self._turn is not None:
            turn = self._turn
            self._report.turns_inherited += 1
        source = {
            "path": self._path,
            "line": line.number,
            "nativeType": line.label if isinstance(line.value.get("type"), str) else None,
            "nativeId": text(line.payload.get("id")),
        }
        return {
            "timestamp": timestamp(line.value.get("timestamp")),
            "turn_id": turn,
            "source": {k: v for k, v in source.items() if v is not None},
        }

    def _surroundings(self, line: CodexLine, envelope: dict[str, Any]) -> None:
        """The directory, where it changed before this line."""
        cwd = line.payload.get("cwd") if line.type == "turn_context" else None
        if isinstance(cwd, str) and cwd != self._cwd:
            self._cwd = cwd
            self._out.add(Draft(Declaration, {"roots": [self._root(cwd, {})]}), envelope)

    def _emit(self, line: CodexLine, draft: Draft, envelope: dict[str, Any]) -> None:
        known = self._latest.get(draft.key) if draft.key else None
        context = self._thread.context
        if known is None and draft.cls is Message and line.index in self._echoes.typed:
            self._thread.turns.append(context[-1].ref if context else None)
        record = self._out.add(draft, envelope)
        if draft.key is not None:
            self._latest[draft.key] = draft, line.number
        if known is not None:
            self._report.note(line.number, "revised", f"it tells line {known[1]} anew; the record is a revision")
        elif isinstance(record, Compaction):
            kept = [] if record.kept_from is None else context[self._position(record.kept_from) :]
            context[:] = [Entry(ref_of(record)), *kept]
        elif isinstance(record, Rewind):
            del context[self._position(record.to) + 1 :]
            del self._thread.turns[len(self._thread.turns) - line.payload["num_turns"] :]
        elif isinstance(record, ParticipatingModel):
            context.append(Entry(ref_of(record), draft.item))

    def _position(self, ref: str | None) -> int:
        """Where an entity stands in the context; -1 for one that is not there. What comes after it is what is looked at."""
        context = self._thread.context
        at = len(context) - 1
        while at >= 0 and context[at].ref != ref:
            at -= 1
        return at
