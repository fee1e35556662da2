"""The checks of a document, one module for each part of the format, in the order of the reference checker."""

from sessionrecord.asif.check.run import check

__all__ = ["check"]
