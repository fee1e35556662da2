"""One connection: its sessions, who talks to whom, and what belongs to no session."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from sessionrecord.convert.accounting import EXPLANATIONS, Losses, explained, header_losses, producer_version, salvage
from sessionrecord.convert.acp.outbox import Outbox
from sessionrecord.convert.acp.pairing import Pairing, Request
from sessionrecord.convert.acp.pen import Pen
from sessionrecord.convert.acp.protocol import KNOWN_METHODS, VERSIONS
from sessionrecord.convert.acp.session import SessionBuilder
from sessionrecord.convert.acp.source import RESPONSE, Frame
from sessionrecord.convert.native import BLANK, members, text
from sessionrecord.convert.report import ConversionReport, Unconverted
from sessionrecord.records import Producer, ProducerMethod
from sessionrecord.refs import SessionKey, SessionReference
from sessionrecord.stream.authoring import FORMAT_VERSION

__all__ = ["Connection"]

_MAKERS: Final = frozenset({"session/new", "session/fork"})
"""Methods whose result names a new session."""
_LOADERS: Final = frozenset({"session/load", "session/resume"})
"""Methods that name a session which is there already, and may have its history told."""
_ROOT: Final = "cwd"
_UNKNOWN: Final = "unknown"


@dataclass(slots=True)
class _Loose:
    """A message of no session, until there is one that can keep it."""

    frame: Frame
    is_known: bool
    reason: str | None


class Connection:
    """Takes the messages of a connection in their order."""

    def __init__(
        self,
        outbox: Outbox,
        report: ConversionReport,
        *,
        method: ProducerMethod,
        agent: str | None = None,
        path: str | None = None,
    ) -> None:
        self.report = report
        self.losses: Losses = Losses()
        """What was lost."""
        self.sessions: dict[str, SessionBuilder] = {}
        """The sessions by ID, in the order in which they were first named."""
        self._outbox = outbox
        self._method = method
        self._path = path
        self._agent = agent
        self._agent_version: str | None = None
        self._client: dict[str, Any] | None = None
        self._version: int | None = None
        self._pairing = Pairing()
        self._begun: int | None = None
        self._early: list[_Loose] = []
        self._live: dict[str, SessionBuilder] = {}
        """The sessions that messages were of since the connection began."""
        self._opening: dict[Frame, None] = {}
        self._roots: dict[str, list[dict[str, Any]]] = {}

    def take(self, frame: Frame) -> None:
        """Take the next message."""
        self.report.lines_read = max(self.report.lines_read, frame.number)
        self.report.units_read += 1
        if frame.label == BLANK:
            self.report.not_converted.append(Unconverted(frame.number, frame.label, frame.fault or ""))
            return
        salvage(frame, self.report, self.losses)
        if frame.fault is not None:
            self._loose(frame, reason=frame.fault)
            return
        if frame.direction is None:
            self._infer(frame)
        if frame.method is not None:
            self._called(frame)
        elif frame.label == RESPONSE:
            self._responded(frame)
        else:
            self._loose(frame, known=False, reason="neither a request nor a response")

    def finish(self) -> None:
        """Write what is open, and what waits for an answer that does not come."""
        self._leave()
        for session in self.sessions.values():
            session.finish()
        if not self.sessions:
            for loose in self._early:
                self.report.not_converted.append(
                    Unconverted(loose.frame.number, loose.frame.label, "there is no session that it could be kept in")
                )
        elif self.losses:
            self._main().pen.write("declaration", {}, losses=header_losses(self.losses, EXPLANATIONS))
        self.report.lost = explained(self.losses, EXPLANATIONS)
        if self.sessions:
            self.report.records = self._outbox.counts(self._main().pen.session_id)

    def _infer(self, frame: Frame) -> None:
        frame.direction = self._pairing.direction_of(frame)
        if frame.direction is None:
            self.report.note(frame.number, "direction-unknown", "neither the log nor the message says who sent it")

    # what belongs to no session

    def _main(self) -> SessionBuilder:
        return next(iter(self.sessions.values()))

    def _loose(self, frame: Frame, *, known: bool = True, reason: str | None = None) -> None:
        """Keep a message that is of no session in the first one."""
        if self.sessions:
            self._main().pen.keep(frame, known=known, reason=reason, is_own=False)
        else:
            self._early.append(_Loose(frame, known, reason))

    # requests and notifications

    def _called(self, frame: Frame) -> None:
        method = frame.method or ""
        if method == "initialize" and frame.has_id and not self._pairing.repeats(frame):
            self._begin(frame)
        if frame.has_id:
            repeated = self._pairing.ask(frame)
            if repeated is not None:
                self._repeats(frame, f"repeats the request of line {repeated.number}")
                return
        session_id = text(frame.params.get("sessionId"))
        if method in _MAKERS and frame.has_id:
            self._opening[frame] = None
        elif method == "initialize":
            self._client = _named(frame.params.get("clientInfo")) or _named(frame.params.get("info")) or self._client
            self._loose(frame)
        elif session_id is None:
            self._loose(frame, known=method in KNOWN_METHODS)
        elif method in _LOADERS and frame.has_id:
            self._load(frame, session_id)
        else:
            self._session(session_id, frame).take(frame, None)

    def _begin(self, frame: Frame) -> None:
        """A connection begins; what the one before it left open gets no answer."""
        if self._begun is not None:
            self.report.note(
                frame.number,
                "other-connection",
                f"another connection begins; the one before began in line {self._begun}",
            )
            self._leave()
        self._begun = frame.number

    def _leave(self) -> None:
        """The connection is over."""
        for request in self._pairing.waiting():
            self.report.note(request.frame.number, "unanswered", f"no answer to the request {request.method}")
        self._pairing = Pairing()
        for frame in self._opening:
            self._loose(frame, reason="no answer names the session")
        self._opening = {}
        for session in self._live.values():
            session.leave()
        self._live = {}

    def _repeats(self, frame: Frame, reason: str) -> None:
        self.report.not_converted.append(Unconverted(frame.number, frame.label, reason))

    def _load(self, frame: Frame, session_id: str) -> None:
        is_known = session_id in self.sessions
        session = self._session(session_id, frame, frame.params)
        if is_known:
            self._declare_roots(session, frame, frame.params)
        session.pen.keep(frame)
        session.begin_replay(frame)

    # responses

    def _responded(self, frame: Frame) -> None:
        earlier = self._pairing.answered_before(frame)
        request = self._pairing.answer(frame)
        if request is None:
            why = "it answers no request of the log" if earlier is None else f"line {earlier} answered the request"
            self._loose(frame, reason=why)
            return
        frame.label = f"{request.method} {RESPONSE}"
        result = members(frame.value.get("result"))
        if request.frame in self._opening:
            del self._opening[request.frame]
            self._opened(frame, request, result)
        elif request.method == "initialize":
            self._initialized(frame, result)
        else:
            session_id = text(request.frame.params.get("sessionId"))
            if session_id is not None:
                session = self._session(session_id, frame)
                session.end_replay(request.frame)
                session.take(frame, request)
            elif "error" not in frame.value:
                self._loose(frame, known=request.method in KNOWN_METHODS)
            elif self.sessions:
                self._session(self._main().pen.session_id, frame).take(frame, request)
            else:
                self._loose(frame)

    def _initialized(self, frame: Frame, result: dict[str, Any]) -> None:
        info = _named(result.get("agentInfo")) or _named(result.get("info")) or {}
        self._agent = info.get("name") or self._agent
        self._agent_version = info.get("version")
        version = result.get("protocolVersion")
        if type(version) is int:
            self._version = version
            if version not in VERSIONS:
                self.report.note(
                    frame.number,
                    "protocol-version-unknown",
                    f"protocol version {version} is read as far as it is known",
                )
        self._loose(frame)

    def _opened(self, frame: Frame, request: Request, result: dict[str, Any]) -> None:
        """A session was made, or not."""
        asked = request.frame
        session_id = text(result.get("sessionId"))
        if session_id is None:
            self._loose(asked)
            if "error" in frame.value and self.sessions:
                self._session(self._main().pen.session_id, frame).take(frame, request)
            else:
                self._loose(frame, reason=None if "error" in frame.value else "it does not name the session")
            return
        is_known = session_id in self.sessions
        origin = text(asked.params.get("sessionId")) if request.method == "session/fork" else None
        session = self._session(session_id, frame, asked.params, origin)
        if is_known:
            self._declare_roots(session, frame, asked.params)
        session.pen.keep(asked)
        session.pen.keep(frame)

    # sessions

    def _session(
        self, session_id: str, frame: Frame, opened: dict[str, Any] | None = None, origin: str | None = None
    ) -> SessionBuilder:
        """The session that a message is of. One that was not opened before the message was opened before the log began."""
        known = self.sessions.get(session_id)
        if known is not None:
            self._live[session_id] = known
            known.pen.version = self._version
            return known
        if opened is None and not self._opening:
            self.report.note(
                frame.number, "session-not-opened", "the log does not tell how the session of this message was opened"
            )
        pen = Pen(session_id, self._outbox, self.report, self._path)
        pen.version = self._version
        session = self.sessions[session_id] = self._live[session_id] = SessionBuilder(pen)
        self._header(pen, frame, opened or {}, origin)
        early, self._early = self._early, []
        for loose in early:
            pen.keep(loose.frame, known=loose.is_known, reason=loose.reason, is_own=False)
        return session

    def _header(self, pen: Pen, frame: Frame, opened: dict[str, Any], origin: str | None) -> None:
        agent = self._agent or _UNKNOWN
        if self._agent is None:
            pen.made_up(frame.number, "agent", agent, "no answer to initialize named the agent before the session")
        roots = self._roots_of(pen, frame, opened)
        fork = None if origin is None else {"session": str(SessionReference(SessionKey(agent, None, origin)))}
        pen.write(
            "session",
            pen.place(frame),
            agent=agent,
            session_id=pen.session_id,
            namespace=None,
            producer=Producer(method=self._method, name="sessionrecord", version=producer_version()),
            format_version=FORMAT_VERSION,
            agent_version=self._agent_version,
            fork_of=fork,
            client=self._client,
            roots=roots or None,
        )
        self._roots[pen.session_id] = roots

    def _roots_of(self, pen: Pen, frame: Frame, opened: dict[str, Any]) -> list[dict[str, Any]]:
        """The directories that a session works in, which have no IDs of their own."""
        more = opened.get("additionalDirectories")
        paths = [opened.get("cwd"), *(more if isinstance(more, list) else ())]
        roots: list[dict[str, Any]] = []
        for path in paths:
            if isinstance(path, str):
                name = _ROOT if path is paths[0] else f"directory-{len(roots) + 1}"
                pen.made_up(frame.number, "roots[].id", name, "the protocol does not name directories")
                roots.append({"id": name, "path": path})
        return roots

    def _declare_roots(self, session: SessionBuilder, frame: Frame, opened: dict[str, Any]) -> None:
        roots = self._roots_of(session.pen, frame, opened)
        if roots and roots != self._roots.get(session.pen.session_id):
            session.pen.write("declaration", session.pen.place(frame), roots=roots)
            self._roots[session.pen.session_id] = roots


def _named(native: Any) -> dict[str, Any] | None:
    """Name and version of a program, if they are told."""
    info = members(native)
    name, version = text(info.get("name")), text(info.get("version"))
    if name is None:
        return None
    return {"name": name} if version is None else {"name": name, "version": version}
