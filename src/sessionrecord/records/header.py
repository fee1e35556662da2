"""The session header and the records that change what it declared (spec section 4)."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, TypeAlias

from sessionrecord.records.base import WireModel
from sessionrecord.records.envelope import EnvelopeModel
from sessionrecord.refs import SessionKey, SessionReferenceStr
from sessionrecord.scalars import NonEmptyStr, Omittable, OpenEnum, SafeInt

__all__ = [
    "DECLARED_PROPERTIES",
    "Client",
    "ContentLevel",
    "Conversation",
    "Declaration",
    "Environment",
    "Extension",
    "ForkOf",
    "Loss",
    "LossStage",
    "Participant",
    "ParticipantKind",
    "Producer",
    "ProducerMethod",
    "Root",
    "SessionHeader",
    "SessionInfo",
    "Vcs",
]

ProducerMethod: TypeAlias = Annotated[
    Literal["native", "converter", "recorder", "decoded", "observer", "import"] | str, OpenEnum
]
"""How a producer obtained the data. [S] "Producer"."""
LossStage: TypeAlias = Annotated[Literal["capture", "normalization", "redaction", "translation"] | str, OpenEnum]
"""When something was lost. Our table, section 4."""
ContentLevel: TypeAlias = Annotated[Literal["full", "redacted", "metadata_only"] | str, OpenEnum]
"""How much content the stream holds. Our table, section 4."""
ParticipantKind: TypeAlias = Annotated[Literal["human", "agent", "bot"] | str, OpenEnum]
"""What takes part. [S] "Participant"."""


class Producer(WireModel):
    """The software that wrote the stream. [S] "Producer"."""

    method: ProducerMethod
    """How it obtained the data. [S]."""
    name: Omittable[str] = None
    """Its name."""
    version: Omittable[str] = None
    """Its version."""


class ForkOf(WireModel):
    """What this session was forked from. Our table, section 4."""

    session: Annotated[str, SessionReferenceStr()]
    """Session reference of the original."""
    ref: Omittable[NonEmptyStr] = None
    """The last thing in it that both share."""


class Extension(WireModel):
    """An extension of the format that the stream uses. Our table, section 4."""

    name: str
    """Its name."""
    version: Omittable[str] = None
    """Its version."""
    uri: Omittable[str] = None
    """Where it is described."""


class Loss(WireModel):
    """Something that the source had and the stream has not. Our table, section 4."""

    kind: str
    """What was lost."""
    stage: Omittable[LossStage] = None
    """When."""
    field: Omittable[str] = None
    """The member it would have stood in."""
    count: Omittable[SafeInt] = None
    """How often."""
    explanation: Omittable[str] = None
    """Why, in words."""


class Vcs(WireModel):
    """The version control state of a root. Our table, section 4."""

    kind: Omittable[str] = None
    """The system, such as `git`."""
    revision: Omittable[str] = None
    """The commit."""
    branch: Omittable[str] = None
    """The branch."""
    remote: Omittable[str] = None
    """Where it was cloned from."""
    dirty: Omittable[bool] = None
    """Whether there were uncommitted changes."""


class Root(WireModel):
    """A directory that the agent worked in. Our table, section 4."""

    null_members: ClassVar[frozenset[str]] = frozenset({"path"})

    id: str
    """What locations name it by."""
    path: str | None
    """Its path; null means that it is withheld or has none. [S] ASR-043."""
    vcs: Omittable[Vcs] = None
    """Its version control state."""


class Participant(WireModel):
    """A person, agent or bot that takes part in a conversation. [S] "Participant"."""

    id: str
    """What records name it by."""
    kind: Omittable[ParticipantKind] = None
    """What it is."""
    name: Omittable[str] = None
    """A name for people."""


class Conversation(WireModel):
    """A conversation that the session takes part in. Our table, section 4."""

    id: str
    """What records name it by."""
    kind: Omittable[str] = None
    """What it is."""
    name: Omittable[str] = None
    """A name for people."""
    participants: Omittable[list[str]] = None
    """IDs of the participants in it."""


class Client(WireModel):
    """The program that a person used the agent through. Our table, section 4."""

    name: str
    """Its name."""
    version: Omittable[str] = None
    """Its version."""


class Environment(WireModel):
    """The machine that the agent ran on; open. Our table, section 4."""

    os: Omittable[str] = None
    """Operating system."""
    arch: Omittable[str] = None
    """Processor architecture."""
    shell: Omittable[str] = None
    """The shell that commands ran in."""
    hostname: Omittable[str] = None
    """The machine's name."""


class _DeclaringModel(EnvelopeModel):
    profiles: Omittable[list[str]] = None
    """Names of the profiles that the producer promises. [S] "Profile"."""
    extensions: Omittable[list[Extension]] = None
    """Extensions in use. [S] name."""
    losses: Omittable[list[Loss]] = None
    """What was lost on the way here. [S] name."""
    content_level: Omittable[ContentLevel] = None
    """How much content the stream holds. [S] name."""
    roots: Omittable[list[Root]] = None
    """Directories that the agent worked in. [S] name."""
    participants: Omittable[list[Participant]] = None
    """Who takes part. [S] name."""
    conversations: Omittable[list[Conversation]] = None
    """Conversations the session takes part in. [S] name."""
    client: Omittable[Client] = None
    """The program the agent was used through. [S] name."""
    environment: Omittable[Environment] = None
    """The machine the agent ran on. [S] name."""


DECLARED_PROPERTIES: tuple[str, ...] = (
    "profiles",
    "extensions",
    "losses",
    "content_level",
    "roots",
    "participants",
    "conversations",
    "client",
    "environment",
)
"""Attributes whose effective value the header and declarations give. [S] "Effective value"."""


class SessionHeader(_DeclaringModel):
    """The session header: line 1 of a stream. [S] "Stream"."""

    null_members: ClassVar[frozenset[str]] = frozenset({"namespace"})

    type: Literal["session"] = "session"
    """The record type."""
    agent: str
    """The agent's name; part of the session key. [S]."""
    session_id: str
    """The agent's own ID of the session; part of the session key. [S]."""
    namespace: NonEmptyStr | None = None
    """What the session ID is unique in; null or absent: the agent has none. [S] ASR-043."""
    producer: Producer
    """The software that wrote the stream. [S]."""
    format_version: Omittable[str] = None
    """The version of the format. Our table, section 4."""
    agent_version: Omittable[str] = None
    """The agent's version. Our table, section 4."""
    parent: Omittable[Annotated[str, SessionReferenceStr()]] = None
    """Session reference of the session that started this one. Our table, section 4."""
    fork_of: Omittable[ForkOf] = None
    """What this session was forked from. Our table, section 4."""

    @property
    def key(self) -> SessionKey:
        """The session key. [S] "Session key"."""
        return SessionKey(self.agent, self.namespace, self.session_id)


class Declaration(_DeclaringModel):
    """New values of declared properties; each one present replaces the effective value as a whole. [S] "Effective value"."""

    type: Literal["declaration"] = "declaration"
    """The record type."""


class SessionInfo(EnvelopeModel):
    """What people call the session; null clears, absent leaves unchanged. [S] ASR-043."""

    null_members: ClassVar[frozenset[str]] = frozenset({"title", "summary", "tags", "archived"})

    type: Literal["session_info"] = "session_info"
    """The record type."""
    title: str | None = None
    """A title."""
    summary: str | None = None
    """A summary."""
    tags: list[str] | None = None
    """Tags; the whole list each time."""
    archived: bool | None = None
    """Whether it is put away."""
