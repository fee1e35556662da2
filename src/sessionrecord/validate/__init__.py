"""Everything found in a stream as one report, and what can be saved of a broken one."""

from sessionrecord.validate.check import validate
from sessionrecord.validate.repair import RepairAction, RepairReport, repair
from sessionrecord.validate.report import Level, ValidationReport

__all__ = ["Level", "RepairAction", "RepairReport", "ValidationReport", "repair", "validate"]
