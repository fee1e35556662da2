"""New names for IDs and labels that hold a secret: one for each, the same wherever it stands."""

from __future__ import annotations

from collections.abc import Iterable

from sessionrecord.errors import RefError
from sessionrecord.redact.names import FreeNames
from sessionrecord.redact.places import Role
from sessionrecord.redact.search import Search
from sessionrecord.refs import ENTITY_KEYS, Ref, SessionKey, SessionReference

__all__ = ["Renames"]


class Renames:
    """Old ID to new one, for a whole session. Different IDs stay different."""

    def __init__(self, search: Search, taken: Iterable[str] = ()) -> None:
        """`taken` are IDs that are not free; they are asked for when the first ID gets a new name."""
        self._search = search
        self._new: dict[str, str] = {}
        self._taken = taken
        self._free: FreeNames | None = None

    def of(self, text: str, role: Role) -> str:
        """What takes the place of an ID, a ref, a session reference or a label."""
        if role == "ref":
            return self._ref(text)
        if role == "session-reference":
            return self._session(text)
        return self._id(text)

    def _id(self, old: str) -> str:
        known = self._new.get(old)
        if known is not None:
            return known
        base = self._search.clean(old)
        if base == old:
            return old
        if self._free is None:
            self._free = FreeNames(self._taken)
        new = self._new[old] = self._free.of(base)
        return new

    def _ref(self, ref: str) -> str:
        key, equals, value = ref.partition("=")
        return f"{key}={self._id(value)}" if equals and key in ENTITY_KEYS else self._id(ref)

    def _session(self, text: str) -> str:
        try:
            reference = SessionReference.parse(text)
        except RefError:
            return self._id(text)
        key = reference.key
        namespace = None if key.namespace is None else self._id(key.namespace)
        ref = None if reference.ref is None else Ref.parse(self._ref(str(reference.ref)))
        return str(SessionReference(SessionKey(self._id(key.agent), namespace, self._id(key.session_id)), ref))
