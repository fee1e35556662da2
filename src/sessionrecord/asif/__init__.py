"""ASIF documents: typed, checked, their streams assembled. Features `asif.streams/0.1` and `asif.external-bindings/0.1`.

::

    document = asif.Document.read("capture.json")
    report = document.check()
    if report.ok:
        document.assemble("stream-1").arguments()
"""

from sessionrecord.asif.assembly import AssembledStream, StreamAssembler
from sessionrecord.asif.compare import compare
from sessionrecord.asif.document import Bindings, Document
from sessionrecord.asif.items import InvalidItem, Items
from sessionrecord.asif.limits import Limits
from sessionrecord.asif.models import *  # noqa: F403
from sessionrecord.asif.models import __all__ as _models
from sessionrecord.asif.report import BranchReport, CallReport, CompleteCall, PartialCall, Report, StreamReport

__all__ = [
    "AssembledStream",
    "Bindings",
    "BranchReport",
    "CallReport",
    "CompleteCall",
    "Document",
    "InvalidItem",
    "Items",
    "Limits",
    "PartialCall",
    "Report",
    "StreamAssembler",
    "StreamReport",
    "compare",
]
__all__ += _models
