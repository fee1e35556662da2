"""What every object of ASR shares."""

from __future__ import annotations

from pydantic import ConfigDict
from pydantic.alias_generators import to_camel

from sessionrecord import wire

__all__ = ["WireModel"]


class WireModel(wire.WireModel):
    """A JSON object of ASR. Attributes are snake_case, the wire is lower camelCase (ASR-040)."""

    model_config = ConfigDict(alias_generator=to_camel)
