"""What did compaction throw away? For each compaction of a stream: what went, what stands for it, and what it saved.

python examples/what_compaction_dropped.py [STREAM]
"""

from __future__ import annotations

import sys
from collections import Counter

from sessionrecord import Session


def known(tokens: int | None) -> str:
    """A count, or that nobody recorded it."""
    return "unknown" if tokens is None else f"{tokens:,}"


def main() -> None:
    """Compare the context before and after each compaction."""
    session = Session.read(sys.argv[1] if len(sys.argv) > 1 else "examples/data/session.asr.jsonl")
    for entity in session.entities:
        if entity.type != "compaction":
            continue
        seq = entity.latest.seq
        if seq is None:  # a broken line
            continue
        for replaced in session.context_diff(seq - 1, seq).replaced:
            kinds = Counter(gone.item.entity.type for gone in replaced.lost)
            print(f"{replaced.entity.ref} at seq {seq}")
            print(f"  took out {', '.join(f'{n} {kind}' for kind, n in kinds.items())}")
            print(f"  tokens {known(replaced.tokens_before)} → {known(replaced.tokens_after)}")
            print(f"  in its place: {replaced.summary!r}")
            for gone in replaced.lost:
                if gone.item.entity.type == "message":
                    print(f"    {gone.item.entity.ref}: {getattr(gone.item.record, 'text', '')[:60] or 'no text'!r}")


if __name__ == "__main__":
    main()
