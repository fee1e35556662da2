"""Authoring the header, what it declares, and the conversation: one method per record type (spec section 4)."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from typing_extensions import Unpack

from sessionrecord.records import (
    ArgumentsStatus,
    Block,
    CallIdSource,
    CallStatus,
    Client,
    Compaction,
    CompactionStatus,
    CompactionTrigger,
    ContentLevel,
    Conversation,
    Declaration,
    Environment,
    Extension,
    ForkOf,
    Location,
    Loss,
    Message,
    Origin,
    Participant,
    Producer,
    RecordedError,
    ResultOutcome,
    Rewind,
    Role,
    Root,
    SessionHeader,
    SessionInfo,
    StopReason,
    ToolCall,
    ToolKind,
    ToolResult,
)
from sessionrecord.stream.authoring_base import (
    FORMAT_VERSION,
    UNSET,
    AuthorBase,
    EnvelopeMembers,
    ParticipatingMembers,
    RefLike,
    Unset,
)

__all__ = ["ContextAuthor"]


class ContextAuthor(AuthorBase):
    """Writes the records that say what the session is and what the model saw."""

    def session(
        self,
        *,
        agent: str,
        session_id: str,
        producer: Producer,
        namespace: str | Unset | None = UNSET,
        format_version: str | None = FORMAT_VERSION,
        agent_version: str | None = None,
        parent: str | None = None,
        fork_of: ForkOf | None = None,
        profiles: Sequence[str] | None = None,
        extensions: Sequence[Extension] | None = None,
        losses: Sequence[Loss] | None = None,
        content_level: ContentLevel | None = None,
        roots: Sequence[Root] | None = None,
        participants: Sequence[Participant] | None = None,
        conversations: Sequence[Conversation] | None = None,
        client: Client | None = None,
        environment: Environment | None = None,
        **envelope: Unpack[EnvelopeMembers],
    ) -> SessionHeader:
        """The session header, which comes first and once. Without `format_version`, the one that is written here. See `SessionHeader`."""
        return self._add(
            SessionHeader,
            envelope,
            agent=agent,
            session_id=session_id,
            producer=producer,
            namespace=namespace,
            format_version=format_version,
            agent_version=agent_version,
            parent=parent,
            fork_of=fork_of,
            profiles=profiles,
            extensions=extensions,
            losses=losses,
            content_level=content_level,
            roots=roots,
            participants=participants,
            conversations=conversations,
            client=client,
            environment=environment,
        )

    def declaration(
        self,
        *,
        profiles: Sequence[str] | None = None,
        extensions: Sequence[Extension] | None = None,
        losses: Sequence[Loss] | None = None,
        content_level: ContentLevel | None = None,
        roots: Sequence[Root] | None = None,
        participants: Sequence[Participant] | None = None,
        conversations: Sequence[Conversation] | None = None,
        client: Client | None = None,
        environment: Environment | None = None,
        **envelope: Unpack[EnvelopeMembers],
    ) -> Declaration:
        """New values of declared properties; each one given replaces the effective value as a whole. See `Declaration`."""
        return self._add(
            Declaration,
            envelope,
            profiles=profiles,
            extensions=extensions,
            losses=losses,
            content_level=content_level,
            roots=roots,
            participants=participants,
            conversations=conversations,
            client=client,
            environment=environment,
        )

    def session_info(
        self,
        *,
        title: str | Unset | None = UNSET,
        summary: str | Unset | None = UNSET,
        tags: Sequence[str] | Unset | None = UNSET,
        archived: bool | Unset | None = UNSET,
        **envelope: Unpack[EnvelopeMembers],
    ) -> SessionInfo:
        """What people call the session. None clears a member, `UNSET` leaves it as it was. See `SessionInfo`."""
        return self._add(SessionInfo, envelope, title=title, summary=summary, tags=tags, archived=archived)

    def message(
        self,
        *,
        message_id: str,
        role: Role,
        content: Sequence[Block] | None = None,
        model: str | None = None,
        stop_reason: StopReason | None = None,
        model_call_id: str | None = None,
        origin: Origin | None = None,
        **envelope: Unpack[ParticipatingMembers],
    ) -> Message:
        """What was said. A second one with the same `message_id` revises it. See `Message`."""
        return self._add(
            Message,
            envelope,
            message_id=message_id,
            role=role,
            content=content,
            model=model,
            stop_reason=stop_reason,
            model_call_id=model_call_id,
            origin=origin,
        )

    def tool_call(
        self,
        *,
        call_id: str,
        call_id_source: CallIdSource | None = None,
        name: str | None = None,
        title: str | None = None,
        kind: ToolKind | None = None,
        arguments: Any = None,
        arguments_status: ArgumentsStatus | None = None,
        status: CallStatus | None = None,
        locations: Sequence[Location] | None = None,
        server: str | None = None,
        model_call_id: str | None = None,
        parent_call_id: str | None = None,
        child_session: str | None = None,
        **envelope: Unpack[ParticipatingMembers],
    ) -> ToolCall:
        """A tool call. A second one with the same `call_id` revises it. See `ToolCall`."""
        return self._add(
            ToolCall,
            envelope,
            call_id=call_id,
            call_id_source=call_id_source,
            name=name,
            title=title,
            kind=kind,
            arguments=arguments,
            arguments_status=arguments_status,
            status=status,
            locations=locations,
            server=server,
            model_call_id=model_call_id,
            parent_call_id=parent_call_id,
            child_session=child_session,
        )

    def tool_result(
        self,
        *,
        call_id: str,
        outcome: ResultOutcome | None = None,
        content: Sequence[Block] | None = None,
        structured: Any = None,
        error: RecordedError | None = None,
        exit_code: int | None = None,
        signal: str | None = None,
        duration_ms: int | float | Decimal | None = None,
        terminal_id: str | None = None,
        **envelope: Unpack[ParticipatingMembers],
    ) -> ToolResult:
        """The result of the tool call `call_id`. See `ToolResult`."""
        return self._add(
            ToolResult,
            envelope,
            call_id=call_id,
            outcome=outcome,
            content=content,
            structured=structured,
            error=error,
            exit_code=exit_code,
            signal=signal,
            duration_ms=duration_ms,
            terminal_id=terminal_id,
        )

    def compaction(
        self,
        *,
        compaction_id: str,
        status: CompactionStatus | None = None,
        trigger: CompactionTrigger | None = None,
        summary: Sequence[Block] | None = None,
        kept_from: RefLike | None = None,
        tokens_before: int | None = None,
        tokens_after: int | None = None,
        error: RecordedError | None = None,
        **envelope: Unpack[ParticipatingMembers],
    ) -> Compaction:
        """A summary that stands for what came before, up to `kept_from`. See `Compaction`."""
        return self._add(
            Compaction,
            envelope,
            compaction_id=compaction_id,
            status=status,
            trigger=trigger,
            summary=summary,
            kept_from=kept_from,
            tokens_before=tokens_before,
            tokens_after=tokens_after,
            error=error,
        )

    def rewind(self, *, to: RefLike | None, reason: str | None = None, **envelope: Unpack[EnvelopeMembers]) -> Rewind:
        """Moves the head back to `to`; None means that nothing stays. See `Rewind`."""
        return self._add(Rewind, envelope, to=to, reason=reason)
