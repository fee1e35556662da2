"""Effective values of declared properties, and what people call the session (spec section 4)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

from sessionrecord.records import (
    DECLARED_PROPERTIES,
    Client,
    Conversation,
    Declaration,
    Environment,
    Extension,
    Loss,
    Participant,
    Root,
    SessionHeader,
    SessionInfo,
)
from sessionrecord.records.base import brief
from sessionrecord.session.core import Core

__all__ = ["Declared", "Info", "declared", "info"]


@dataclass(frozen=True, slots=True, repr=False)
class Declared:
    """The effective value of each declared property; None where nothing declared it. [S] "Effective value"."""

    profiles: list[str] | None = None
    """Names of the profiles that the producer promises."""
    extensions: list[Extension] | None = None
    """Extensions in use."""
    losses: list[Loss] | None = None
    """What was lost on the way here."""
    content_level: str | None = None
    """How much content the stream holds."""
    roots: list[Root] | None = None
    """Directories that the agent worked in."""
    participants: list[Participant] | None = None
    """Who takes part."""
    conversations: list[Conversation] | None = None
    """Conversations the session takes part in."""
    client: Client | None = None
    """The program the agent was used through."""
    environment: Environment | None = None
    """The machine the agent ran on."""

    def __repr__(self) -> str:
        return brief("Declared", _given(self))

    def _repr_html_(self) -> str:
        from sessionrecord.display.html import declared_html  # displays rest on sessions

        return declared_html(self)


@dataclass(frozen=True, slots=True, repr=False)
class Info:
    """What people call the session; None where it was never said, or cleared."""

    title: str | None = None
    """A title."""
    summary: str | None = None
    """A summary."""
    tags: list[str] | None = None
    """Tags."""
    archived: bool | None = None
    """Whether it is put away."""

    def __repr__(self) -> str:
        return brief("Info", _given(self))

    def _repr_html_(self) -> str:
        from sessionrecord.display.html import info_html  # displays rest on sessions

        return info_html(self)


def _given(values: Declared | Info) -> Iterator[tuple[str, Any]]:
    return ((f.name, value) for f in fields(values) if (value := getattr(values, f.name)) is not None)


def declared(core: Core, at: int | None) -> Declared:
    """The header's values and those of the declarations before `at`; each one present replaces the value as a whole."""
    end = len(core.log) if at is None else core.log.end(at - 1)
    values: dict[str, Any] = {}
    for i in core.log.of_types(("session", "declaration"), max(end, 1)):
        record = core.record(i)
        if isinstance(record, Declaration) or (i == 0 and isinstance(record, SessionHeader)):
            values |= {name: getattr(record, name) for name in DECLARED_PROPERTIES if name in record.model_fields_set}
    return Declared(**values)


def info(core: Core, at: int | None) -> Info:
    """The fold of the `session_info` records up to `at`: null clears, absent leaves unchanged."""
    values: dict[str, Any] = {}
    for i in core.log.of_types(("session_info",), core.log.end(at)):
        record = core.record(i)
        if isinstance(record, SessionInfo):
            values |= {f.name: getattr(record, f.name) for f in fields(Info) if f.name in record.model_fields_set}
    return Info(**values)
