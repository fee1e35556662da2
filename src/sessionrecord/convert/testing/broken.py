"""What a converter does with known lines whose members are not as expected: one missing, null, or of another kind."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeAlias

from sessionrecord.convert.testing.accounting import account
from sessionrecord.convert.testing.native import lines_of
from sessionrecord.convert.testing.output import validated
from sessionrecord.convert.testing.sample import Sample
from sessionrecord.errors import ConversionError

__all__ = ["check_broken_members"]

_Path: TypeAlias = tuple[str, ...]
_KINDS: Final[dict[str, Any]] = {
    "null": None,
    "-1": -1,
    "an empty text": "",
    "a list": ["kit"],
    "an object": {"kit": 1},
}
_DEPTH: Final = 4
_MOST: Final = 120
"""Members that are tried: those of the first lines."""


def check_broken_members(sample: Sample) -> None:
    """Each member of the sample's lines left out, null, negative, empty, a list, an object, in all lines that have it at once.

    Nothing is raised but `ConversionError`; all is accounted for; the output is valid.
    """
    sample.run()
    for what, data in _logs(sample.data()):
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / sample.file.name
            path.write_bytes(data)
            try:
                conversion = sample.attempt(path, what)
            except ConversionError:
                continue
        account(conversion, data, what)
        validated(conversion, what, errors_only=True)


def _logs(data: bytes) -> Iterator[tuple[str, bytes]]:
    lines = lines_of(data)
    values = [_object(line) for line in lines]
    paths: dict[_Path, None] = {}
    for value in values:
        if len(paths) >= _MOST:
            break
        paths.update(dict.fromkeys(_paths(value, ())))
    for path in list(paths)[:_MOST]:
        name = ".".join(path)
        yield f"{name} left out", _joined(lines, values, path, lambda holder, key: holder.pop(key))
        for kind, new in _KINDS.items():
            yield f"{name} is {kind}", _joined(lines, values, path, partial(_put, new))


def _put(new: Any, holder: dict[str, Any], key: str) -> None:
    holder[key] = new


def _object(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _paths(value: Any, above: _Path) -> Iterator[_Path]:
    if isinstance(value, dict) and len(above) < _DEPTH:
        for name, item in value.items():
            yield (*above, name)
            yield from _paths(item, (*above, name))
    elif isinstance(value, list):
        for item in value:
            yield from _paths(item, above)


def _joined(
    lines: list[bytes], values: list[Any], path: _Path, change: Callable[[dict[str, Any], str], object]
) -> bytes:
    return b"".join(_changed(line, value, path, change) + b"\n" for line, value in zip(lines, values, strict=True))


def _changed(line: bytes, value: Any, path: _Path, change: Callable[[dict[str, Any], str], object]) -> bytes:
    if path[0] not in (value if isinstance(value, dict) else ()):
        return line
    copy = json.loads(line)
    holders = list(_holders(copy, path[:-1]))
    for holder in holders:
        if path[-1] in holder:
            change(holder, path[-1])
    return json.dumps(copy).encode() if holders else line


def _holders(value: Any, path: _Path) -> Iterator[dict[str, Any]]:
    if isinstance(value, list):
        for item in value:
            yield from _holders(item, path)
    elif isinstance(value, dict):
        if not path:
            yield value
        elif path[0] in value:
            yield from _holders(value[path[0]], path[1:])
