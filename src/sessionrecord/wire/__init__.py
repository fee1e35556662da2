"""Models of JSON objects on the wire, whatever the standard: the base of the models of ASR, ASIF and ASM."""

from sessionrecord.wire.findings import findings, invalid
from sessionrecord.wire.model import WireModel
from sessionrecord.wire.names import misspelled
from sessionrecord.wire.union import OpenUnion

__all__ = ["OpenUnion", "WireModel", "findings", "invalid", "misspelled"]
