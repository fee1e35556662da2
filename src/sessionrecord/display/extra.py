"""The packages of the `notebook` extra, imported when they are used."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from sessionrecord.errors import MissingExtraError

__all__ = ["need"]


def need(package: str, what: str) -> Any:
    """A module of the extra. Raises `MissingExtraError`, which says what to install for `what`."""
    try:
        return import_module(package)
    except ImportError as e:
        top = package.partition(".")[0]
        raise MissingExtraError(f"{what} need {top}: pip install 'sessionrecord[notebook]'") from e
