"""The converter of `examples/converter_template.py`, and its log: a small converter that is right, to begin with or to break."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sessionrecord.convert import Conversion, testing

__all__ = ["SAMPLE", "SCRIPT", "convert", "sample"]

_ROOT = Path(__file__).parents[2] / "examples"
SCRIPT = _ROOT / "converter_template.py"
SAMPLE = _ROOT / "data" / "pocket-sample.jsonl"


def _load() -> Any:
    spec = importlib.util.spec_from_file_location("converter_template", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # its dataclasses look there for their annotations
    spec.loader.exec_module(module)
    return module


convert: Callable[[Path], Conversion] = _load().convert


def sample(**more: Any) -> testing.Sample:
    """The sample, with what the page states of it."""
    return testing.Sample(
        more.pop("convert", convert),
        more.pop("path", SAMPLE),
        excused={"who": "the role, in the words of the format"},
        **more,
    )
