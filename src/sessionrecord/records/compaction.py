"""Records that change what the model saw, never what happened: compactions and rewinds (spec sections 4 and 7)."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, TypeAlias

from sessionrecord.records.content import Blocks, text_of
from sessionrecord.records.envelope import EnvelopeModel, ParticipatingModel
from sessionrecord.records.tool import RecordedError
from sessionrecord.scalars import NonEmptyStr, Omittable, OpenEnum, SafeInt

__all__ = ["Compaction", "CompactionStatus", "CompactionTrigger", "Rewind"]

CompactionStatus: TypeAlias = Annotated[Literal["in_progress", "completed", "failed", "cancelled"] | str, OpenEnum]
"""How far a compaction is; absent means completed. Our table, section 4."""
CompactionTrigger: TypeAlias = Annotated[Literal["manual", "auto"] | str, OpenEnum]
"""Who asked for a compaction. Our table, section 4."""


class Compaction(ParticipatingModel):
    """A summary that stands for what came before; takes part in the context. [S] "Context view"."""

    type: Literal["compaction"] = "compaction"
    """The record type."""
    compaction_id: str
    """The entity key."""
    status: Omittable[CompactionStatus] = None
    """How far it is; it applies when completed, or absent."""
    trigger: Omittable[CompactionTrigger] = None
    """Who asked for it."""
    summary: Omittable[Blocks] = None
    """What the model sees in place of what was compacted."""
    kept_from: Omittable[NonEmptyStr] = None
    """Ref of the first entity that stays in context; absent means that none does."""
    tokens_before: Omittable[SafeInt] = None
    """Tokens in context before."""
    tokens_after: Omittable[SafeInt] = None
    """Tokens in context after."""
    error: Omittable[RecordedError] = None
    """Why it failed."""

    @property
    def text(self) -> str:
        """The summary's text."""
        return text_of(self.summary)


class Rewind(EnvelopeModel):
    """Moves the head back; nothing is deleted. [S] ASR-043 for `to`, rules section 7."""

    null_members: ClassVar[frozenset[str]] = frozenset({"to"})

    type: Literal["rewind"] = "rewind"
    """The record type."""
    to: NonEmptyStr | None
    """Ref of the last entity that stays; null means that nothing stays. [S]."""
    reason: Omittable[str] = None
    """Why."""
