"""Model contexts: a result needs its call among the inputs of the same context; a binding does not stand in for it."""

from __future__ import annotations

from sessionrecord.asif.check.core import Core
from sessionrecord.diagnostics import excerpt

__all__ = ["check_contexts"]


def check_contexts(core: Core) -> None:
    """The inputs of each context, as they are given: contexts are kept untyped."""
    contexts = core.document.to_wire().get("contexts")
    for place, context in enumerate(contexts if isinstance(contexts, list) else ()):
        inputs = context.get("inputs") if isinstance(context, dict) else None
        calls: set[str] = set()
        for i, item in enumerate(inputs if isinstance(inputs, list) else ()):
            call_id = item.get("call_id") if isinstance(item, dict) else None
            if not isinstance(call_id, str):
                continue
            if item.get("kind") == "tool_call":
                calls.add(call_id)
            elif item.get("kind") == "tool_result" and call_id not in calls:
                message = f"the result of call {excerpt(call_id)} has no call before it in the context"
                about = context.get("id") if isinstance(context.get("id"), str) else None
                core.report("context-result-orphan", message, "contexts", place, "inputs", i, "call_id", about=about)
