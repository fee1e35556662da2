"""Three sessions of an agent that does not exist, to look at: `examples/data/sessions` holds what this writes.

    python examples/sample_sessions.py [FOLDER]

One of them fills its context and is compacted, goes back once, and is cut off in a tool call. One does not say what it cost.
"""

from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

from sessionrecord import Cost, Producer, StreamWriter
from sessionrecord.stream.builders import text

TOOLS = (("Read", "read", 3), ("Search", "search", 2), ("Run", "execute", 40), ("Edit", "edit", 1))
TASKS = (
    "Find out why the import of the March file fails.",
    "The dates are read in the wrong order. Mend it, and add a test.",
    "Now the same for the export.",
    "Write down what changed.",
)


class Sample:
    """Writes one session; time, tokens and cost go on with every step."""

    def __init__(self, writer: StreamWriter, start: datetime, model: str, price: Decimal | None) -> None:
        self.writer, self.clock, self.model, self.price = writer, start, model, price
        self.turn, self.calls, self.context = 0, 0, 9_000

    def tick(self, seconds: float) -> str:
        """The time, some seconds later."""
        self.clock += timedelta(seconds=seconds)
        return self.clock.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def ask(self, prompt: str) -> None:
        """A turn begins."""
        self.turn += 1
        self.writer.user_message(prompt, turn_id=f"turn-{self.turn}", timestamp=self.tick(45))

    def step(self, said: str, *, outcome: str | None = "success") -> None:
        """One call of the model, and the tool that it asks for. Without an outcome the result is never written."""
        self.calls += 1
        call, turn = f"call-{self.calls}", f"turn-{self.turn}"
        written = 40 + 17 * (self.calls % 7)
        fresh = 1_500 + 137 * (self.calls % 11)
        self.writer.assistant_message(
            said, model=self.model, model_call_id=call, stop_reason="tool_use", turn_id=turn, timestamp=self.tick(4)
        )
        self.writer.usage(
            model_call_id=call,
            scope="model_call",
            model=self.model,
            input_tokens=fresh,
            cache_read_tokens=self.context,
            output_tokens=written,
            context_tokens=self.context + fresh + written,
            context_window=60_000,
            cost=None if self.price is None else Cost(amount=self.price * (fresh + 5 * written), currency="USD"),
            turn_id=turn,
            timestamp=self.tick(0.2),
        )
        self.context += fresh + written
        name, kind, seconds = TOOLS[self.calls % len(TOOLS)]
        self.writer.tool_call(
            call_id=f"tool-{self.calls}",
            name=name,
            kind=kind,
            arguments={"path": f"src/reader_{self.calls % 3}.py"},
            model_call_id=call,
            turn_id=turn,
            timestamp=self.tick(0.1),
        )
        if outcome is not None:
            self.writer.tool_result(
                call_id=f"tool-{self.calls}",
                outcome=outcome,
                content=[text("ok" if outcome == "success" else "1 failed, 12 passed")],
                duration_ms=seconds * 1000,
                turn_id=turn,
                timestamp=self.tick(seconds),
            )

    def compact(self) -> None:
        """The context is full: a summary takes the place of all before the last question."""
        before, self.context = self.context, 12_000
        self.writer.compaction(
            compaction_id=f"compaction-{self.calls}",
            trigger="auto",
            summary=[text("The dates were read day first; the reader and its test are mended.")],
            tokens_before=before,
            tokens_after=self.context,
            timestamp=self.tick(12),
        )


def write(path: Path, session_id: str, start: datetime, model: str, price: Decimal | None, turns: int) -> None:
    """Write one session."""
    with StreamWriter(path) as writer:
        writer.session(
            agent="sample-agent",
            session_id=session_id,
            producer=Producer(method="native", name="sample_sessions.py", version="1"),
            timestamp=start.isoformat().replace("+00:00", "Z"),
        )
        sample = Sample(writer, start, model, price)
        for turn in range(turns):
            sample.ask(TASKS[turn % len(TASKS)])
            for n in range(6):
                sample.step(f"Step {n + 1}.", outcome="error" if (turn + n) % 7 == 2 else "success")
            if sample.context > 52_000:
                sample.compact()
            if turn == 5:
                back_to = writer.user_message("Try it without the cache.", turn_id="turn-6", timestamp=sample.tick(30))
                sample.step("I will take the cache out.")
                sample.step("That is slower by half.", outcome="cancelled")
                writer.rewind(to=back_to, reason="the user went back", timestamp=sample.tick(900))
        if turns > 4:
            sample.step("One more run of all tests.", outcome=None)


def main() -> None:
    """Write the three sessions."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "sessions")
    folder.mkdir(parents=True, exist_ok=True)
    start = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)
    price = Decimal("0.000003")
    write(folder / "monday.asr.jsonl", "monday", start, "model-large-1", price, 8)
    write(folder / "tuesday.asr.jsonl", "tuesday", start + timedelta(days=1), "model-small-1", price / 10, 2)
    write(folder / "wednesday.asr.jsonl", "wednesday", start + timedelta(days=2), "model-large-1", None, 3)
    print(f"wrote three sessions to {folder}")


if __name__ == "__main__":
    main()
