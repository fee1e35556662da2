"""Identities: an ID is used once in its collection."""

from __future__ import annotations

from typing import Final

from sessionrecord.asif.check.core import Core
from sessionrecord.diagnostics import excerpt

__all__ = ["check_identities"]

_UNTYPED: Final = ("executions", "contexts", "configurations", "environments", "losses")


def check_identities(core: Core) -> None:
    """IDs of all collections but streams, which come last, and bindings, whose identity is kind and ID."""
    document = core.document
    for items in (
        document.participants, document.events, document.branches, document.tools, document.resources, document.checkpoints,
    ):  # fmt: skip
        for place, item_id in items.repeated:
            _repeated(core, items.name, place, item_id)
    root = document.to_wire()
    for name in _UNTYPED:
        seen: set[str] = set()
        value = root.get(name)
        for place, item in enumerate(value if isinstance(value, list) else ()):
            value_id = item.get("id") if isinstance(item, dict) else None
            if not isinstance(value_id, str):
                continue
            if value_id in seen:
                _repeated(core, name, place, value_id)
            seen.add(value_id)


def _repeated(core: Core, name: str, place: int, item_id: str) -> None:
    core.report("id-duplicate", f"ID {excerpt(item_id)} is used before in {name}", name, place, "id", about=item_id)
