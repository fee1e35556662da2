"""What the values that are made from events share."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict

__all__ = ["Projected"]


class Projected(BaseModel):
    """An immutable value made from events. On the wire all its members are written, null where there is nothing."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", defer_build=True)

    def to_wire(self) -> dict[str, Any]:
        """The members as a JSON object."""
        return self.model_dump()
