"""Terminals: of the client, which the agent runs commands in (version 1), and of the agent, which it shows (version 2)."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass, field
from typing import Any, Final

from sessionrecord.convert.accounting import Held, anything, is_flag, is_string
from sessionrecord.convert.acp.pen import Pen
from sessionrecord.convert.acp.source import Frame, others
from sessionrecord.convert.native import members, same, text
from sessionrecord.ijson import MAX_SAFE_INTEGER

__all__ = ["Terminals"]

_EXIT: Final[dict[str, Held]] = {"exitCode": anything, "signal": anything}
"""Of how a process ended: what no such status is, is refused whole."""
_PRINTED: Final[dict[str, Held]] = {"output": anything, "truncated": is_flag, "exitStatus": _EXIT}
_NAMED: Final[dict[str, Held]] = {"sessionUpdate": is_string, "terminalId": text}
_PIECE: Final[dict[str, Held]] = {**_NAMED, "data": is_string}
_SHOWN: Final[dict[str, Held]] = {
    **_NAMED,
    "command": is_string,
    "cwd": is_string,
    "output": {"data": anything, "truncated": is_flag},
    "exitStatus": _EXIT,
}


@dataclass(slots=True, eq=False)
class _Terminal:
    line: int
    said: dict[str, Any] = field(default_factory=dict)
    """Its members, by attribute name."""
    pieces: list[bytes] | None = None
    """What it printed, where that comes in bytes."""
    is_truncated: bool = False
    place: dict[str, Any] | None = None
    """Where the last of the bytes that no record has yet came from."""
    lines: list[int] = field(default_factory=list)
    """Lines of those bytes."""


class Terminals:
    """The terminals of one session."""

    def __init__(self, pen: Pen) -> None:
        self._pen = pen
        self._terminals: dict[str, _Terminal] = {}

    # those of the client

    def created(self, frame: Frame, asked: dict[str, Any], result: dict[str, Any]) -> None:
        """The client made a terminal for a command."""
        terminal_id = text(result.get("terminalId"))
        if terminal_id is None:
            self._pen.keep(frame, reason="it does not name the terminal")
            return
        frame.beside += others(result, {"terminalId": text}, "result.")
        terminal = self._of(terminal_id, frame)
        args = asked.get("args")
        terminal.said |= {
            "command": text(asked.get("command")),
            "args": args if isinstance(args, list) and all(isinstance(a, str) for a in args) else None,
            "cwd": {"path": asked["cwd"]} if isinstance(asked.get("cwd"), str) else None,
        }
        self._write(terminal_id, terminal, self._pen.place(frame))
        self._pen.converted(frame)

    def printed(self, frame: Frame, asked: dict[str, Any], result: dict[str, Any]) -> None:
        """What a terminal of the client had printed so far, or how its command ended."""
        terminal_id = text(asked.get("terminalId"))
        if terminal_id is None:
            self._pen.keep(frame, reason="its request does not name the terminal")
            return
        terminal = self._of(terminal_id, frame)
        is_end = "output" not in result
        status = _exit_status(result if is_end else result.get("exitStatus"))
        said = {"output": result.get("output"), "exit_status": status}
        frame.beside += others(result, _EXIT if is_end else _PRINTED, "result.")
        if not isinstance(said["output"], str | None) or (status is None and (is_end or result.get("exitStatus"))):
            self._pen.keep(frame, reason="neither an output nor the status of an exit")
            return
        news = {name: value for name, value in said.items() if value is not None}
        truncated = result.get("truncated") is True
        if all(same(terminal.said.get(name), value) for name, value in news.items()) and (
            is_end or truncated == terminal.is_truncated
        ):
            self._pen.repeats(frame, f"repeats what is known of the terminal of line {terminal.line}")
            return
        terminal.said |= news
        terminal.is_truncated |= truncated
        self._write(terminal_id, terminal, self._pen.place(frame))
        self._pen.converted(frame)

    # those of the agent

    def update(self, frame: Frame, given: dict[str, Any]) -> None:
        """What the agent says of a terminal of its own; members that it does not name stay as they were."""
        terminal_id = text(given.get("terminalId"))
        if terminal_id is None:
            self._pen.keep(frame, reason="it does not name the terminal")
            return
        is_new = terminal_id not in self._terminals
        terminal = self._of(terminal_id, frame)
        said: dict[str, Any] = {}
        refused = others(given, _SHOWN)
        if "command" in given:
            said["command"] = given["command"]
        if "cwd" in given:
            said["cwd"] = None if given["cwd"] is None else {"path": given["cwd"]}
        if "exitStatus" in given:
            said["exit_status"] = _exit_status(given["exitStatus"])
        for name, native in (("command", given.get("command")), ("cwd", given.get("cwd"))):
            if not isinstance(native, str | None):
                del said[name]
        if given.get("exitStatus") is not None and said.get("exit_status") is None:
            refused.append("exitStatus")
            said.pop("exit_status", None)
        printed = self._snapshot(terminal_id, terminal, given, refused)
        frame.beside += refused
        changed = [name for name, value in said.items() if not same(terminal.said.get(name), value)]
        if not (changed or printed or is_new or terminal.place is not None):
            self._pen.repeats(frame, f"repeats what is known of the terminal of line {terminal.line}")
            return
        terminal.said |= said
        self._write(terminal_id, terminal, self._pen.place(frame))
        self._pen.converted(frame)

    def _snapshot(self, terminal_id: str, terminal: _Terminal, given: dict[str, Any], refused: list[str]) -> bool:
        """Take the output that replaces what there was. Whether it is another."""
        if "output" not in given:
            return False
        output = members(given["output"])
        data = b"" if given["output"] is None else _bytes(output.get("data"))
        if data is None:
            refused.append("output")
            return False
        before = b"".join(terminal.pieces or ())
        truncated = output.get("truncated") is True
        if data == before and truncated == terminal.is_truncated and terminal.pieces is not None:
            return False
        if terminal.place is not None and not data.startswith(before):
            self._write(terminal_id, terminal, terminal.place)
        terminal.pieces, terminal.is_truncated = [data], truncated
        return True

    def chunk(self, frame: Frame, given: dict[str, Any]) -> None:
        """More bytes that a terminal of the agent printed."""
        terminal_id, data = text(given.get("terminalId")), _bytes(given.get("data"))
        if terminal_id is None or data is None:
            self._pen.keep(frame, reason="it does not name the terminal, or its data are not base64")
            return
        frame.beside += others(given, _PIECE)
        terminal = self._of(terminal_id, frame)
        if terminal.pieces is None:
            terminal.pieces = []
        terminal.pieces.append(data)
        terminal.place = self._pen.place(frame)
        terminal.lines.append(frame.number)
        self._pen.converted(frame)

    def finish(self) -> None:
        """Write what was printed since a terminal was last told of."""
        for terminal_id, terminal in self._terminals.items():
            if terminal.place is not None:
                self._write(terminal_id, terminal, terminal.place)

    def _of(self, terminal_id: str, frame: Frame) -> _Terminal:
        return self._terminals.setdefault(terminal_id, _Terminal(frame.number))

    def _write(self, terminal_id: str, terminal: _Terminal, place: dict[str, Any]) -> None:
        terminal.place = None
        capture: dict[str, Any] = {"state": "truncated"} if terminal.is_truncated else {}
        if terminal.pieces is not None:
            data = b"".join(terminal.pieces)
            terminal.pieces = [data]
            terminal.said["output"] = data.decode("utf-8", "replace")
            try:
                data.decode()
            except UnicodeDecodeError:
                capture = {
                    "state": "unknown",
                    "reason": "it is not UTF-8: U+FFFD stands for what is none, data has all",
                }
                place = {**place, "extra": {**place.get("extra", {}), "data": base64.b64encode(data).decode()}}
        if capture:
            place = {**place, "capture": {"output": capture}}
        self._pen.write("terminal", place, terminal_id=terminal_id, **terminal.said)
        self._pen.join(terminal.lines, place)
        terminal.lines = []


def _bytes(data: Any) -> bytes | None:
    try:
        return base64.b64decode(data, validate=True) if isinstance(data, str) else None
    except (binascii.Error, ValueError):
        return None


def _exit_status(native: Any) -> dict[str, Any] | None:
    """How a process ended; None where it is not told."""
    if not isinstance(native, dict):
        return None
    code, signal = native.get("exitCode"), native.get("signal")
    if not (code is None or (type(code) is int and abs(code) <= MAX_SAFE_INTEGER)) or not isinstance(
        signal, str | None
    ):
        return None
    return {name: value for name, value in native.items() if value is not None and name in ("exitCode", "signal")}
