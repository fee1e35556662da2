"""How the records of one session are written, and each message is accounted for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sessionrecord.convert.acp.outbox import Outbox
from sessionrecord.convert.acp.protocol import HARNESS
from sessionrecord.convert.acp.source import Frame
from sessionrecord.convert.native import native_value
from sessionrecord.convert.report import ConversionReport, MadeUp, Unconverted

__all__ = ["Pen"]


class Pen:
    """Writes one session."""

    def __init__(self, session_id: str, outbox: Outbox, report: ConversionReport, path: str | None) -> None:
        self.session_id = session_id
        self.report = report
        self.turn: str | None = None
        """The turn that is going on."""
        self.version: int | None = None
        """The protocol's version, where it was agreed upon."""
        self.is_replay = False
        """Whether the agent tells what happened before."""
        self._outbox = outbox
        self._path = path
        self._names: dict[str, int] = {}

    def place(self, frame: Frame) -> dict[str, Any]:
        """The envelope of a record that a message gives. History that is told anew has no time: that of telling is another."""
        source = {
            "path": self._path,
            "line": frame.number,
            "nativeType": frame.label,
            "nativeId": frame.native_id,
        }
        place: dict[str, Any] = {
            "timestamp": None if self.is_replay else frame.at,
            "turn_id": self.turn,
            "source": {name: v for name, v in source.items() if v is not None},
        }
        if self.is_replay:
            place["extra"] = {"replayed": True}
        return place

    def write(self, kind: str, place: dict[str, Any], /, **given: Any) -> None:
        """Write a record of a type that the format defines; members by attribute name, nested ones as on the wire."""
        # each author has a method for each type, named as the type
        self._outbox.put(self.session_id, kind, **given, **place)

    def converted(self, frame: Frame) -> None:
        """Count a message that became a record. Where it says more than the record, it is kept whole too."""
        self.report.converted[frame.label] += 1
        if frame.beside:
            self.report.note(
                frame.number, "kept-beside", f"it is kept whole too: no record has a member for {_listed(frame.beside)}"
            )
            self._keep(frame)

    def join(self, lines: Iterable[int], place: dict[str, Any]) -> None:
        """Report that lines became part of the record that has this place."""
        home = place["source"]["line"]
        self.report.merged.update((line, home) for line in lines if line != home)

    def repeats(self, frame: Frame, reason: str) -> None:
        """Count a message that says nothing new; one that has members for no record is kept."""
        if frame.beside:
            self.keep(frame, reason=reason)
        else:
            self.report.not_converted.append(Unconverted(frame.number, frame.label, reason))

    def keep(self, frame: Frame, *, known: bool = True, reason: str | None = None, is_own: bool = True) -> None:
        """Keep a message whole, and count it. One that is not of the session is of none of its turns."""
        tally = self.report.kept if known else self.report.unknown
        tally[frame.label] += 1
        if reason is not None:
            self.report.kept_reasons.append(Unconverted(frame.number, frame.label, reason))
        self._keep(frame, is_own=is_own)

    def _keep(self, frame: Frame, *, is_own: bool = True) -> None:
        native_type = None if frame.fault is not None else frame.label
        value = native_value(HARNESS, native_type, frame.kept)
        place = self.place(frame)
        if not is_own:
            place["turn_id"] = None
        place["extra"] = {**place.get("extra", {}), **value["extra"]}
        self._outbox.put(self.session_id, "unknown", value["type"], **place)

    def made_up(self, line: int, what: str, value: str, why: str) -> None:
        """Report a value that the protocol did not give."""
        self.report.made_up.append(MadeUp(line, what, value, why))

    def name(self, wanted: str) -> str:
        """An ID that no other entity of the session has: the one wanted, or one made from it."""
        name = wanted
        while name in self._names:
            self._names[wanted] += 1
            name = f"{wanted}#{self._names[wanted]}"
        self._names[name] = 1
        return name


def _listed(given: Iterable[str]) -> str:
    names = list(dict.fromkeys(given))
    shown = ", ".join(names[:5])
    return shown if len(names) <= 5 else f"{shown} and {len(names) - 5} more"
