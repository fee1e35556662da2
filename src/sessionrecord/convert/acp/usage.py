"""What was used: the state of the session, which is told again and again, and the tokens of a turn."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Final

from sessionrecord.convert.accounting import Held, anything, is_string
from sessionrecord.convert.acp.source import others
from sessionrecord.convert.native import is_count, is_duration, members

__all__ = ["UNCLEAR", "session_usage", "turn_usage"]

_MEMBERS: Final = {
    "totalTokens": "total_tokens",
    "outputTokens": "output_tokens",
    "thoughtTokens": "reasoning_tokens",
    "cachedReadTokens": "cache_read_tokens",
    "cachedWriteTokens": "cache_write_tokens",
}
_NATIVE: Final = frozenset({*_MEMBERS, "inputTokens"})
_STATE: Final[dict[str, Held]] = {"sessionUpdate": is_string, "used": is_count, "size": is_count, "cost": anything}
UNCLEAR: Final = "the protocol leaves open whether these tokens are those of the turn or of the session up to its end"
"""What is unknown of the tokens of a turn."""


def session_usage(native: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The members of a `usage` record of the session's state, and those that no record holds."""
    usage: dict[str, Any] = {"scope": "session", "counter": "cumulative"}
    refused = others(native, _STATE)
    for name, ours in (("used", "context_tokens"), ("size", "context_window")):
        if is_count(native.get(name)):
            usage[ours] = native[name]
    cost = members(native.get("cost"))
    amount, currency = cost.get("amount"), cost.get("currency")
    if isinstance(amount, int | float | Decimal) and is_duration(amount) and isinstance(currency, str):
        usage["cost"] = {"amount": amount, "currency": currency}
        refused += others(cost, dict.fromkeys(("amount", "currency"), anything), "cost.")
    elif native.get("cost") is not None:
        refused.append("cost")
    return usage, refused


def turn_usage(native: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The members of a `usage` record of a turn, and those that no record holds.

    Ours counts cached input apart, and reasoning within the output. Whether a count does so is told by the total; where it is
    not, it is left out and the message kept.
    """
    counts = {name: native[name] for name in native if name in _NATIVE and is_count(native[name])}
    refused = others(native, dict.fromkeys(_NATIVE, is_count))
    usage: dict[str, Any] = {"scope": "turn", "counter": "delta"}
    usage["capture"] = {"counter": {"state": "unknown", "reason": UNCLEAR}}
    usage |= {ours: counts[name] for name, ours in _MEMBERS.items() if name in counts}
    total, given = counts.get("totalTokens"), counts.get("inputTokens")
    cached = counts.get("cachedReadTokens", 0) + counts.get("cachedWriteTokens", 0)
    thought = counts.get("thoughtTokens", 0)
    apart = None if total is None or given is None else total - given - counts.get("outputTokens", 0)
    # what the total has beside input and output: nothing, the cached tokens, those of thoughts, or both
    only_cached = apart == cached and cached != thought
    if given is not None:
        if not cached or only_cached or apart == cached + thought:
            usage["input_tokens"] = given
        else:
            refused.append("inputTokens")
    if thought and "outputTokens" in counts and not (only_cached or apart == 0):
        del usage["output_tokens"]
        refused.append("outputTokens")
    return usage, refused
