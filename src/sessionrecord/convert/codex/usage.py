"""Token counts: one counter for the session, told again after every step."""

from __future__ import annotations

from typing import Any, Final

from sessionrecord.convert.accounting import Held, anything, left
from sessionrecord.convert.native import is_count, members, same

__all__ = ["Counted", "Counter"]

_MEMBERS: Final = {
    "output_tokens": "output_tokens",
    "cached_input_tokens": "cache_read_tokens",
    "reasoning_output_tokens": "reasoning_tokens",
    "total_tokens": "total_tokens",
}
_NATIVE: Final = ("input_tokens", *_MEMBERS)
_INFO: Final[dict[str, Held]] = {
    "total_token_usage": dict.fromkeys(_NATIVE, is_count),
    "model_context_window": is_count,
    "last_token_usage": anything,  # it is held where it says what the counter says
}


class Counted:
    """What one token count says."""

    def __init__(self) -> None:
        self.members: dict[str, Any] = {}
        """The members of the usage record."""
        self.lost: list[str] = []
        """Native members that no record holds."""
        self.notes: list[tuple[str, str]] = []
        """Code and text of what is to be noted."""
        self.is_repeat = False
        """Whether the counter stands where it stood."""


class Counter:
    """The counter of a session, which may begin anew when the session is resumed."""

    def __init__(self) -> None:
        self._before: dict[str, int] = {}
        self._last: Any = None
        self._input: int | None = None

    def count(self, info: dict[str, Any]) -> Counted:
        """What `info` says. Input is told with the cached tokens in it, and given without."""
        counted = Counted()
        total = members(info.get("total_token_usage"))
        now = {name: total[name] for name in _NATIVE if is_count(total.get(name))}
        for name in _NATIVE:
            if total.get(name) is not None and name not in now:
                counted.notes.append(("usage-invalid", f"{name} is not a count"))
        counted.lost += left("payload.info.", info, _INFO)
        counted.members = {ours: now[native] for native, ours in _MEMBERS.items() if native in now}
        counted.is_repeat = bool(now) and now == self._before
        self._run(now, counted)
        self._input_tokens(now, counted)
        self._call(info, now, counted)
        if now:
            self._before = now
        return counted

    def _run(self, now: dict[str, int], counted: Counted) -> None:
        fell = [n for n in now if n in self._before and now[n] < self._before[n]]
        if not fell:
            return
        self._input = None
        rest = [n for n in now if n in self._before and n not in fell and self._before[n]]
        counted.notes.append(("usage-restarted", "the token counter fell: a new run begins, and the runs add up"))
        if rest:
            counted.notes.append(
                ("usage-run-unclear", f"{', '.join(rest)} did not fall with it; what was used before may be missing")
            )

    def _input_tokens(self, now: dict[str, int], counted: Counted) -> None:
        if "input_tokens" not in now:
            return
        cached = now.get("cached_input_tokens")
        fresh = None if cached is None else now["input_tokens"] - cached
        if fresh is None or fresh < 0 or (self._input is not None and fresh < self._input):
            counted.notes.append(("usage-unclear", "how much of the input was not cached cannot be told"))
            counted.lost.append("payload.info.total_token_usage.input_tokens")
            return
        counted.members["input_tokens"] = self._input = fresh

    def _call(self, info: dict[str, Any], now: dict[str, int], counted: Counted) -> None:
        window, last = info.get("model_context_window"), info.get("last_token_usage")
        if is_count(window):
            counted.members["context_window"] = window
        in_context = members(last).get("total_tokens")
        if is_count(in_context):
            counted.members["context_tokens"] = in_context
        step = {name: count - self._before.get(name, 0) for name, count in now.items()}
        if last is not None and not any(_same_counts(last, told) for told in (step, now, self._last)):
            counted.lost.append("payload.info.last_token_usage")
        self._last = last


def _same_counts(a: Any, b: Any) -> bool:
    return isinstance(a, dict) and isinstance(b, dict) and same(dict(sorted(a.items())), dict(sorted(b.items())))
