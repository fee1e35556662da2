"""Where something stands, told without a secret: names may hold one."""

from __future__ import annotations

from sessionrecord import ijson
from sessionrecord.redact.search import Search
from sessionrecord.redact.tree import Path

__all__ = ["Pointers"]


class Pointers:
    """JSON Pointers (RFC 6901) that hold no secret. Each name is looked at once."""

    def __init__(self, search: Search) -> None:
        self._search = search
        self._clean: dict[str, str] = {}

    def of(self, path: Path) -> str:
        """The pointer of a place."""
        pointer = ijson.pointer(*(self._name(step) if isinstance(step, str) else step for step in path))
        # names may spell a value together
        return self._name(pointer) if self._search.has_value(pointer.encode()) else pointer

    def told(self, path: Path) -> str:
        """The same for a message: ` at ` and the pointer, controls escaped; nothing for the record as a whole."""
        pointer = self.of(path)
        return f" at {pointer if pointer.isprintable() else repr(pointer)[1:-1]}" if pointer else ""

    def _name(self, name: str) -> str:
        if name not in self._clean:
            self._clean[name] = self._search.clean(name)
        return self._clean[name]
