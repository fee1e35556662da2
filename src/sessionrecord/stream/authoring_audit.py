"""Authoring audit facts: one method per record type that never takes part in the context (spec section 4)."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from typing_extensions import Unpack

from sessionrecord.records import (
    Answer,
    AnswerOutcome,
    Block,
    CallStatus,
    Commit,
    Cost,
    Cwd,
    DecidedBy,
    DecisionOutcome,
    Delivery,
    DeliveryStatus,
    ErrorRecord,
    ErrorSeverity,
    ExitStatus,
    FileChange,
    FileOperation,
    FileState,
    MemoryOperation,
    MemoryWrite,
    ModelCall,
    PermissionDecision,
    PermissionKind,
    PermissionOption,
    PermissionRequest,
    Plan,
    PlanEntry,
    Question,
    QuestionOption,
    RecordedError,
    State,
    StateName,
    StopReason,
    Terminal,
    Usage,
    UsageCounter,
    UsageScope,
)
from sessionrecord.stream.authoring_base import (
    UNSET,
    AuthorBase,
    EnvelopeMembers,
    RefLike,
    Unset,
)

__all__ = ["AuditAuthor"]


class AuditAuthor(AuthorBase):
    """Writes the records that say what else happened."""

    def model_call(
        self,
        *,
        model_call_id: str,
        model: str | None = None,
        provider: str | None = None,
        request_id: str | None = None,
        status: CallStatus | None = None,
        stop_reason: StopReason | None = None,
        duration_ms: int | float | Decimal | None = None,
        time_to_first_token_ms: int | float | Decimal | None = None,
        error: RecordedError | None = None,
        **envelope: Unpack[EnvelopeMembers],
    ) -> ModelCall:
        """A request to a model and how it ended. See `ModelCall`."""
        return self._add(
            ModelCall,
            envelope,
            model_call_id=model_call_id,
            model=model,
            provider=provider,
            request_id=request_id,
            status=status,
            stop_reason=stop_reason,
            duration_ms=duration_ms,
            time_to_first_token_ms=time_to_first_token_ms,
            error=error,
        )

    def usage(
        self,
        *,
        model_call_id: str | None = None,
        scope: UsageScope | None = None,
        counter: UsageCounter | None = None,
        input_tokens: int | None = None,
        output_tokens: int | None = None,
        cache_read_tokens: int | None = None,
        cache_write_tokens: int | None = None,
        reasoning_tokens: int | None = None,
        total_tokens: int | None = None,
        context_tokens: int | None = None,
        context_window: int | None = None,
        model: str | None = None,
        cost: Cost | None = None,
        includes_children: bool | Unset | None = UNSET,
        **envelope: Unpack[EnvelopeMembers],
    ) -> Usage:
        """Tokens used and what they cost. `includes_children` is None where that is not known. See `Usage`."""
        return self._add(
            Usage,
            envelope,
            model_call_id=model_call_id,
            scope=scope,
            counter=counter,
            input_tokens=input_tokens,
            output_tokens=output_tokens,
            cache_read_tokens=cache_read_tokens,
            cache_write_tokens=cache_write_tokens,
            reasoning_tokens=reasoning_tokens,
            total_tokens=total_tokens,
            context_tokens=context_tokens,
            context_window=context_window,
            model=model,
            cost=cost,
            includes_children=includes_children,
        )

    def permission_request(
        self,
        *,
        permission_id: str,
        call_id: str | None = None,
        title: str | None = None,
        description: str | None = None,
        options: Sequence[PermissionOption] | None = None,
        **envelope: Unpack[EnvelopeMembers],
    ) -> PermissionRequest:
        """A request for permission. See `PermissionRequest`."""
        return self._add(
            PermissionRequest,
            envelope,
            permission_id=permission_id,
            call_id=call_id,
            title=title,
            description=description,
            options=options,
        )

    def permission_decision(
        self,
        *,
        permission_id: str,
        outcome: DecisionOutcome | None = None,
        option_id: str | None = None,
        kind: PermissionKind | None = None,
        decided_by: DecidedBy | None = None,
        reason: str | None = None,
        updated_arguments: Any = None,
        **envelope: Unpack[EnvelopeMembers],
    ) -> PermissionDecision:
        """The decision on the request `permission_id`. See `PermissionDecision`."""
        return self._add(
            PermissionDecision,
            envelope,
            permission_id=permission_id,
            outcome=outcome,
            option_id=option_id,
            kind=kind,
            decided_by=decided_by,
            reason=reason,
            updated_arguments=updated_arguments,
        )

    def question(
        self,
        *,
        question_id: str,
        call_id: str | None = None,
        prompt: Sequence[Block] | None = None,
        options: Sequence[QuestionOption] | None = None,
        multiple: bool | None = None,
        allow_other: bool | None = None,
        **envelope: Unpack[EnvelopeMembers],
    ) -> Question:
        """A question to the user. See `Question`."""
        return self._add(
            Question,
            envelope,
            question_id=question_id,
            call_id=call_id,
            prompt=prompt,
            options=options,
            multiple=multiple,
            allow_other=allow_other,
        )

    def answer(
        self,
        *,
        question_id: str,
        outcome: AnswerOutcome | None = None,
        selected: Sequence[str] | None = None,
        text: str | None = None,
        **envelope: Unpack[EnvelopeMembers],
    ) -> Answer:
        """The answer to the question `question_id`. See `Answer`."""
        return self._add(Answer, envelope, question_id=question_id, outcome=outcome, selected=selected, text=text)

    def memory_write(
        self,
        *,
        memory_id: str | None = None,
        operation: MemoryOperation | None = None,
        store: str | None = None,
        scope: str | None = None,
        key: str | None = None,
        content: Sequence[Block] | None = None,
        call_id: str | None = None,
        **envelope: Unpack[EnvelopeMembers],
    ) -> MemoryWrite:
        """A write to what the agent remembers. See `MemoryWrite`."""
        return self._add(
            MemoryWrite,
            envelope,
            memory_id=memory_id,
            operation=operation,
            store=store,
            scope=scope,
            key=key,
            content=content,
            call_id=call_id,
        )

    def delivery(
        self,
        *,
        of: RefLike,
        delivery_id: str | None = None,
        status: DeliveryStatus | None = None,
        recipients: Sequence[str] | None = None,
        native_id: str | None = None,
        error: RecordedError | None = None,
        **envelope: Unpack[EnvelopeMembers],
    ) -> Delivery:
        """A message handed to a conversation. `of` is the message. See `Delivery`."""
        return self._add(
            Delivery,
            envelope,
            of=of,
            delivery_id=delivery_id,
            status=status,
            recipients=recipients,
            native_id=native_id,
            error=error,
        )

    def file_change(
        self,
        *,
        path: str,
        root: str | None = None,
        operation: FileOperation | None = None,
        old_path: str | None = None,
        patch: str | None = None,
        before: FileState | None = None,
        after: FileState | None = None,
        lines_added: int | None = None,
        lines_removed: int | None = None,
        call_id: str | None = None,
        **envelope: Unpack[EnvelopeMembers],
    ) -> FileChange:
        """A change of a file. See `FileChange`."""
        return self._add(
            FileChange,
            envelope,
            path=path,
            root=root,
            operation=operation,
            old_path=old_path,
            patch=patch,
            before=before,
            after=after,
            lines_added=lines_added,
            lines_removed=lines_removed,
            call_id=call_id,
        )

    def commit(
        self,
        *,
        revision: str,
        root: str | None = None,
        vcs: str | None = None,
        branch: str | None = None,
        parents: Sequence[str] | None = None,
        message: str | None = None,
        call_id: str | None = None,
        **envelope: Unpack[EnvelopeMembers],
    ) -> Commit:
        """A commit made. See `Commit`."""
        return self._add(
            Commit,
            envelope,
            revision=revision,
            root=root,
            vcs=vcs,
            branch=branch,
            parents=parents,
            message=message,
            call_id=call_id,
        )

    def state(self, *, state: StateName, reason: str | None = None, **envelope: Unpack[EnvelopeMembers]) -> State:
        """What the session does from here on. See `State`."""
        return self._add(State, envelope, state=state, reason=reason)

    def terminal(
        self,
        *,
        terminal_id: str,
        call_id: str | None = None,
        command: str | None = None,
        args: Sequence[str] | None = None,
        cwd: Cwd | None = None,
        output: str | None = None,
        exit_status: ExitStatus | None = None,
        **envelope: Unpack[EnvelopeMembers],
    ) -> Terminal:
        """A terminal and what ran in it. See `Terminal`."""
        return self._add(
            Terminal,
            envelope,
            terminal_id=terminal_id,
            call_id=call_id,
            command=command,
            args=args,
            cwd=cwd,
            output=output,
            exit_status=exit_status,
        )

    def plan(
        self, *, plan_id: str, entries: Sequence[PlanEntry] | None = None, **envelope: Unpack[EnvelopeMembers]
    ) -> Plan:
        """The agent's plan, whole each time. See `Plan`."""
        return self._add(Plan, envelope, plan_id=plan_id, entries=entries)

    def error(
        self,
        *,
        message: str,
        code: str | None = None,
        severity: ErrorSeverity | None = None,
        retryable: bool | None = None,
        model_call_id: str | None = None,
        call_id: str | None = None,
        **envelope: Unpack[EnvelopeMembers],
    ) -> ErrorRecord:
        """An error that the session met. See `ErrorRecord`."""
        return self._add(
            ErrorRecord,
            envelope,
            message=message,
            code=code,
            severity=severity,
            retryable=retryable,
            model_call_id=model_call_id,
            call_id=call_id,
        )
