"""Token counts as other formats have them: input with cached tokens in it."""

from __future__ import annotations

from sessionrecord.records import Usage
from sessionrecord.session import ModelUsage

__all__ = ["prompt_tokens"]


def prompt_tokens(usage: Usage | ModelUsage) -> tuple[int | None, list[str]]:
    """All input tokens, cached ones included, and which parts of them are not recorded and so not counted.

    Where the source's own total leaves no room for another part, nothing is missing. Without a count of the tokens that were
    not cached there is no sum at all.
    """
    if usage.input_tokens is None:
        return None, []
    parts = {"cacheReadTokens": usage.cache_read_tokens, "cacheWriteTokens": usage.cache_write_tokens}
    prompt = usage.input_tokens + sum(count for count in parts.values() if count is not None)
    total, output = usage.total_tokens, usage.output_tokens
    if total is not None and output is not None and total == prompt + output:
        return prompt, []
    return prompt, [name for name, count in parts.items() if count is None]
